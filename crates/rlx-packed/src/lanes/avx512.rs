//! The lanes of AVX-512, with and without VNNI: a vector is one register.

use super::{Lanes, Work};
use std::arch::x86_64::*;

/// Proof of AVX-512 F, BW, DQ and VL, and with `VNNI` also of VNNI.
#[derive(Clone, Copy)]
pub(crate) struct Avx512<const VNNI: bool>(());

/// Runs work in code compiled for AVX-512.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ and VL, AVX2, FMA and F16C.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
pub(super) unsafe fn enter<W: Work>(work: W) -> W::Output {
    work.run(Avx512::<false>(()))
}

/// Runs work in code compiled for AVX-512 with VNNI.
///
/// # Safety
/// The machine has what [`enter`] requires, and VNNI.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")]
pub(super) unsafe fn enter_vnni<W: Work>(work: W) -> W::Output {
    work.run(Avx512::<true>(()))
}

/// Four products of bytes per lane. No code exceeds 127, so pairs fit 16 bits.
#[inline(always)]
fn narrow(sum: __m512i, codes: __m512i, x: __m512i) -> __m512i {
    // SAFETY: this code is reached only with a token.
    unsafe {
        let pairs = _mm512_maddubs_epi16(codes, x);
        _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
    }
}

/// From four rows, returns the columns that have the same position in each group of four, in each quarter of a register.
#[inline(always)]
unsafe fn quad(a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> [__m512i; 4] {
    // SAFETY: this code is reached only with a token.
    unsafe {
        let (low, high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (low2, high2) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(low, low2),
            _mm512_unpackhi_epi64(low, low2),
            _mm512_unpacklo_epi64(high, high2),
            _mm512_unpackhi_epi64(high, high2),
        ]
    }
}

/// Operations on integers, with one instruction each.
macro_rules! int_ops {
    ($($name:ident = $instruction:path),*) => { $(
        #[inline(always)]
        fn $name(self, a: __m512i, b: __m512i) -> __m512i {
            // SAFETY: the token proves the instructions.
            unsafe { $instruction(a, b) }
        }
    )* };
}

impl<const VNNI: bool> Lanes for Avx512<VNNI> {
    type Ints = __m512i;
    type Floats = __m512;
    type Bytes = __m512i;
    const TILE_ROWS: usize = 6;
    const TILE_PANELS: usize = 2;

    #[inline(always)]
    fn dot<const WIDE: bool>(self, sum: __m512i, codes: __m512i, x: i32) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe {
            let x = _mm512_set1_epi32(x);
            if VNNI {
                return _mm512_dpbusd_epi32(sum, codes, x);
            }
            if WIDE {
                let low = _mm512_and_si512(codes, _mm512_set1_epi8(127));
                let high = _mm512_andnot_si512(_mm512_set1_epi8(127), codes);
                return narrow(narrow(sum, low, x), high, x);
            }
            narrow(sum, codes, x)
        }
    }

    #[inline(always)]
    fn ints(self, x: i32) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_set1_epi32(x) }
    }

    #[inline(always)]
    fn floats(self, x: f32) -> __m512 {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_set1_ps(x) }
    }

    int_ops!(
        add_ints = _mm512_add_epi32,
        sub_ints = _mm512_sub_epi32,
        mul_ints = _mm512_mullo_epi32,
        and_ints = _mm512_and_si512,
        or_ints = _mm512_or_si512,
        xor_ints = _mm512_xor_si512,
        shl_ints = _mm512_sllv_epi32,
        shr_ints = _mm512_srlv_epi32,
        add_each = _mm512_add_epi8,
        sub_each = _mm512_sub_epi8
    );

    #[inline(always)]
    fn load_words(self, from: &[u8; 64]) -> __m512i {
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    /// First collects the columns that have the same position in each group of four, for each four rows and then for all.
    #[inline(always)]
    fn transpose(self, r: [__m512i; 16]) -> [__m512i; 16] {
        // SAFETY: the token proves the instructions.
        unsafe {
            let quads = [
                quad(r[0], r[1], r[2], r[3]),
                quad(r[4], r[5], r[6], r[7]),
                quad(r[8], r[9], r[10], r[11]),
                quad(r[12], r[13], r[14], r[15]),
            ];
            let mut out = r;
            for place in 0..4 {
                let [a, b, c, d] = [quads[0][place], quads[1][place], quads[2][place], quads[3][place]];
                let even = [_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0x88>(c, d)];
                let odd = [_mm512_shuffle_i32x4::<0xdd>(a, b), _mm512_shuffle_i32x4::<0xdd>(c, d)];
                out[place] = _mm512_shuffle_i32x4::<0x88>(even[0], even[1]);
                out[place + 4] = _mm512_shuffle_i32x4::<0x88>(odd[0], odd[1]);
                out[place + 8] = _mm512_shuffle_i32x4::<0xdd>(even[0], even[1]);
                out[place + 12] = _mm512_shuffle_i32x4::<0xdd>(odd[0], odd[1]);
            }
            out
        }
    }

    #[inline(always)]
    fn load_ints(self, from: &[i32; 16]) -> __m512i {
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_ints(self, x: __m512i) -> [i32; 16] {
        let mut out = [0; 16];
        // SAFETY: the token proves the instructions; the array has 64 bytes.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), x) };
        out
    }

    #[inline(always)]
    fn floats_of_bits(self, x: __m512i) -> __m512 {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_castsi512_ps(x) }
    }

    #[inline(always)]
    fn bits_of_floats(self, x: __m512) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_castps_si512(x) }
    }

    #[inline(always)]
    fn to_floats(self, x: __m512i) -> __m512 {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_cvtepi32_ps(x) }
    }

    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_mul_ps(a, b) }
    }

    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, mask: u8) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_and_si512(a, _mm512_set1_epi8(mask.cast_signed())) }
    }

    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn down(self, a: __m512i, distance: u32) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_srl_epi16(a, _mm_cvtsi32_si128(distance.cast_signed())) }
    }

    #[inline(always)]
    fn up(self, a: __m512i, distance: u32) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_sll_epi16(a, _mm_cvtsi32_si128(distance.cast_signed())) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_add_epi8(a, b) }
    }

    #[inline(always)]
    fn at_least(self, a: __m512i, limit: u8) -> __m512i {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_maskz_set1_epi8(_mm512_cmpge_epu8_mask(a, _mm512_set1_epi8(limit.cast_signed())), 1) }
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], places: __m512i) -> __m512i {
        // SAFETY: the token proves the instructions; the table has 16 bytes.
        unsafe {
            let table = _mm_loadu_si128(table.as_ptr().cast());
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), places)
        }
    }

    #[inline(always)]
    fn prefetch(self, at: *const u8) {
        // SAFETY: this is a hint, which reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }

    #[inline(always)]
    fn halves(self, x: __m512i) -> __m512 {
        // SAFETY: the token proves the instructions.
        unsafe { _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)) }
    }

    #[inline(always)]
    unsafe fn load_halves(self, at: *const u8) -> __m512 {
        // SAFETY: the token proves the instructions, and the caller vouches for 32 bytes.
        unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(at.cast())) }
    }

    #[inline(always)]
    unsafe fn load_widened(self, at: *const u8) -> __m512i {
        // SAFETY: the token proves the instructions, and the caller vouches for 16 bytes.
        unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(at.cast())) }
    }

    #[inline(always)]
    unsafe fn load_bytes(self, at: *const u8) -> __m512i {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { _mm512_loadu_si512(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, x: __m512i, at: *mut u8) {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { _mm512_storeu_si512(at.cast(), x) }
    }

    #[inline(always)]
    unsafe fn load_floats(self, at: *const f32) -> __m512 {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { _mm512_loadu_ps(at) }
    }

    #[inline(always)]
    unsafe fn store_floats(self, x: __m512, at: *mut f32) {
        // SAFETY: the token proves the instructions, and the caller vouches for 64 bytes.
        unsafe { _mm512_storeu_ps(at, x) }
    }
}
