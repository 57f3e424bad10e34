//! The lanes of AVX2: a vector is two registers.

use super::{Lanes, Work};
use std::arch::x86_64::*;

/// Proof of AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

/// Runs work in code compiled for AVX2.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
#[inline(never)]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn enter<W: Work>(work: W) -> W::Output {
    work.run(Avx2(()))
}

/// Two registers of integers or bytes.
type Pair = [__m256i; 2];

/// Four products of bytes per lane. No code exceeds 127, so pairs fit 16 bits.
#[inline(always)]
fn narrow(sum: __m256i, codes: __m256i, x: __m256i) -> __m256i {
    // SAFETY: this code is reached only with a token.
    unsafe {
        let pairs = _mm256_maddubs_epi16(codes, x);
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }
}

/// From four rows, returns the columns that have the same position in each group of four, in each half of a register.
#[inline(always)]
unsafe fn quad(a: __m256i, b: __m256i, c: __m256i, d: __m256i) -> [__m256i; 4] {
    // SAFETY: this code is reached only with a token.
    unsafe {
        let (low, high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (low2, high2) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(low, low2),
            _mm256_unpackhi_epi64(low, low2),
            _mm256_unpacklo_epi64(high, high2),
            _mm256_unpackhi_epi64(high, high2),
        ]
    }
}

/// Operations on integers, with one instruction each.
macro_rules! int_ops {
    ($($name:ident = $instruction:path),*) => { $(
        #[inline(always)]
        fn $name(self, a: Pair, b: Pair) -> Pair {
            // SAFETY: the token proves the instructions.
            unsafe { [$instruction(a[0], b[0]), $instruction(a[1], b[1])] }
        }
    )* };
}

impl Lanes for Avx2 {
    type Ints = Pair;
    type Floats = [__m256; 2];
    type Bytes = Pair;
    const TILE_ROWS: usize = 2;
    const TILE_PANELS: usize = 1;

    #[inline(always)]
    fn dot<const WIDE: bool>(self, sum: Pair, codes: Pair, x: i32) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe {
            let x = _mm256_set1_epi32(x);
            if !WIDE {
                return [narrow(sum[0], codes[0], x), narrow(sum[1], codes[1], x)];
            }
            let low = _mm256_set1_epi8(127);
            let first = narrow(sum[0], _mm256_and_si256(codes[0], low), x);
            let second = narrow(sum[1], _mm256_and_si256(codes[1], low), x);
            [
                narrow(first, _mm256_andnot_si256(low, codes[0]), x),
                narrow(second, _mm256_andnot_si256(low, codes[1]), x),
            ]
        }
    }

    #[inline(always)]
    fn ints(self, x: i32) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_set1_epi32(x); 2] }
    }

    #[inline(always)]
    fn floats(self, x: f32) -> [__m256; 2] {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_set1_ps(x); 2] }
    }

    int_ops!(
        add_ints = _mm256_add_epi32,
        sub_ints = _mm256_sub_epi32,
        mul_ints = _mm256_mullo_epi32,
        and_ints = _mm256_and_si256,
        or_ints = _mm256_or_si256,
        xor_ints = _mm256_xor_si256,
        shl_ints = _mm256_sllv_epi32,
        shr_ints = _mm256_srlv_epi32,
        add_each = _mm256_add_epi8,
        sub_each = _mm256_sub_epi8
    );

    #[inline(always)]
    fn load_words(self, from: &[u8; 64]) -> Pair {
        let from = from.as_ptr();
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe { [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast())] }
    }

    /// First collects the columns that have the same position in each group of four, for each four rows and then for eight.
    #[inline(always)]
    fn transpose(self, r: [Pair; 16]) -> [Pair; 16] {
        let mut out = r;
        for half in 0..2 {
            for eight in 0..2 {
                let r = &r[8 * eight..][..8];
                // SAFETY: the token proves the instructions.
                unsafe {
                    let (first, second) = (
                        quad(r[0][half], r[1][half], r[2][half], r[3][half]),
                        quad(r[4][half], r[5][half], r[6][half], r[7][half]),
                    );
                    for place in 0..4 {
                        let (a, b) = (first[place], second[place]);
                        out[8 * half + place][eight] = _mm256_permute2x128_si256::<0x20>(a, b);
                        out[8 * half + place + 4][eight] = _mm256_permute2x128_si256::<0x31>(a, b);
                    }
                }
            }
        }
        out
    }

    #[inline(always)]
    fn load_ints(self, from: &[i32; 16]) -> Pair {
        let from = from.as_ptr();
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe { [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(8).cast())] }
    }

    #[inline(always)]
    fn store_ints(self, x: Pair) -> [i32; 16] {
        let mut out = [0; 16];
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe {
            _mm256_storeu_si256(out.as_mut_ptr().cast(), x[0]);
            _mm256_storeu_si256(out.as_mut_ptr().add(8).cast(), x[1]);
        }
        out
    }

    #[inline(always)]
    fn floats_of_bits(self, x: Pair) -> [__m256; 2] {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_castsi256_ps(x[0]), _mm256_castsi256_ps(x[1])] }
    }

    #[inline(always)]
    fn bits_of_floats(self, x: [__m256; 2]) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_castps_si256(x[0]), _mm256_castps_si256(x[1])] }
    }

    #[inline(always)]
    fn to_floats(self, x: Pair) -> [__m256; 2] {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_cvtepi32_ps(x[0]), _mm256_cvtepi32_ps(x[1])] }
    }

    #[inline(always)]
    fn mul(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn mul_add(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])] }
    }

    #[inline(always)]
    fn and(self, a: Pair, mask: u8) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe {
            let mask = _mm256_set1_epi8(mask.cast_signed());
            [_mm256_and_si256(a[0], mask), _mm256_and_si256(a[1], mask)]
        }
    }

    #[inline(always)]
    fn or(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_or_si256(a[0], b[0]), _mm256_or_si256(a[1], b[1])] }
    }

    #[inline(always)]
    fn down(self, a: Pair, distance: u32) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe {
            let distance = _mm_cvtsi32_si128(distance.cast_signed());
            [_mm256_srl_epi16(a[0], distance), _mm256_srl_epi16(a[1], distance)]
        }
    }

    #[inline(always)]
    fn up(self, a: Pair, distance: u32) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe {
            let distance = _mm_cvtsi32_si128(distance.cast_signed());
            [_mm256_sll_epi16(a[0], distance), _mm256_sll_epi16(a[1], distance)]
        }
    }

    #[inline(always)]
    fn add(self, a: Pair, b: Pair) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe { [_mm256_add_epi8(a[0], b[0]), _mm256_add_epi8(a[1], b[1])] }
    }

    #[inline(always)]
    fn at_least(self, a: Pair, limit: u8) -> Pair {
        // SAFETY: the token proves the instructions.
        unsafe {
            let (limit, one) = (_mm256_set1_epi8(limit.cast_signed()), _mm256_set1_epi8(1));
            let first = _mm256_cmpeq_epi8(_mm256_max_epu8(a[0], limit), a[0]);
            let second = _mm256_cmpeq_epi8(_mm256_max_epu8(a[1], limit), a[1]);
            [_mm256_and_si256(first, one), _mm256_and_si256(second, one)]
        }
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], places: Pair) -> Pair {
        // SAFETY: the token proves the instructions; the table has 16 bytes.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            [_mm256_shuffle_epi8(table, places[0]), _mm256_shuffle_epi8(table, places[1])]
        }
    }

    #[inline(always)]
    fn prefetch(self, at: *const u8) {
        // SAFETY: this is a hint, which reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }

    #[inline(always)]
    fn halves(self, x: Pair) -> [__m256; 2] {
        // SAFETY: the token proves the instructions.
        unsafe {
            let [first, second] = [_mm256_packus_epi32(x[0], x[0]), _mm256_packus_epi32(x[1], x[1])];
            // The two halves of a register are packed separately.
            let first = _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(first));
            let second = _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(second));
            [_mm256_cvtph_ps(first), _mm256_cvtph_ps(second)]
        }
    }

    #[inline(always)]
    unsafe fn load_halves(self, at: *const u8) -> [__m256; 2] {
        // SAFETY: the token proves the instructions, and the caller vouches for 32 bytes.
        unsafe {
            [_mm256_cvtph_ps(_mm_loadu_si128(at.cast())), _mm256_cvtph_ps(_mm_loadu_si128(at.add(16).cast()))]
        }
    }

    #[inline(always)]
    unsafe fn load_widened(self, at: *const u8) -> Pair {
        // SAFETY: the token proves the instructions, and the caller vouches for 16 bytes.
        unsafe {
            [
                _mm256_cvtepu8_epi32(_mm_loadl_epi64(at.cast())),
                _mm256_cvtepu8_epi32(_mm_loadl_epi64(at.add(8).cast())),
            ]
        }
    }

    #[inline(always)]
    unsafe fn load_bytes(self, at: *const u8) -> Pair {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { [_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.add(32).cast())] }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, x: Pair, at: *mut u8) {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe {
            _mm256_storeu_si256(at.cast(), x[0]);
            _mm256_storeu_si256(at.add(32).cast(), x[1]);
        }
    }

    #[inline(always)]
    unsafe fn load_floats(self, at: *const f32) -> [__m256; 2] {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { [_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8))] }
    }

    #[inline(always)]
    unsafe fn store_floats(self, x: [__m256; 2], at: *mut f32) {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe {
            _mm256_storeu_ps(at, x[0]);
            _mm256_storeu_ps(at.add(8), x[1]);
        }
    }
}
