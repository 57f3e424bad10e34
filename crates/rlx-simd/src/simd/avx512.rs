//! AVX-512 (F, BW, DQ, VL): sixteen `f32` or eight `f64`, with mask registers.

use std::arch::x86_64::*;

use super::ops::{memory, vector_operators, wrap, x86_shifts};
use super::{F32Vector, I32Vector, Kernel, Mask, Simd, Vector};
use crate::isa::Isa;

/// Proof of AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Simd for Avx512 {
    const ISA: Isa = Isa::Avx512;
    // 28 accumulators, two registers of B and one or two broadcasts of A fill the 32 registers.
    const TILE_ROWS: usize = 14;
    const TILE_VECTORS: usize = 2;
    type F32 = F32x16;
    type F64 = F64x8;

    #[inline(always)]
    fn outlined<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: the token proves AVX-512.
        unsafe { enter(kernel) }
    }

    #[inline(always)]
    fn prefetch<T>(self, place: *const T) {
        // SAFETY: every x86-64 processor has the instruction, and it takes any address.
        #[allow(unused_unsafe)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(place.cast());
        }
    }
}

/// Runs `kernel` in code compiled for AVX-512.
///
/// # Safety
/// The machine has AVX-512 F, BW, DQ and VL, AVX2, FMA and F16C.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
pub(super) unsafe fn enter<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

/// Sixteen `f32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x16(__m512);

/// Eight `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x8(__m512d);

/// Sixteen `i32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct I32x16(__m512i);

/// One bit for each of sixteen lanes.
#[derive(Clone, Copy, Debug)]
pub struct Mask16(__mmask16);

/// One bit for each of eight lanes.
#[derive(Clone, Copy, Debug)]
pub struct Mask8(__mmask8);

vector_operators!(F32x16: _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps, _mm512_div_ps);
vector_operators!(F64x8: _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_div_pd);

macro_rules! bit_mask {
    ($mask:ident) => {
        impl Mask for $mask {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }

            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }

            #[inline(always)]
            fn any(self) -> bool {
                self.0 != 0
            }
        }
    };
}

bit_mask!(Mask16);
bit_mask!(Mask8);

/// The methods of a float vector whose intrinsics differ only in their suffix.
macro_rules! float_methods {
    ($mask:ident, $bits:ty, $compare:ident, $blend:ident, $round:ident, $load:ident, $store:ident) => {
        #[inline(always)]
        unsafe fn load_partial(_token: Avx512, source: *const Self::Elem, count: usize) -> Self {
            // SAFETY: the token proves AVX-512; masked lanes are not accessed.
            unsafe { Self($load(((1u32 << count) - 1) as $bits, source)) }
        }

        #[inline(always)]
        unsafe fn store_partial(self, target: *mut Self::Elem, count: usize) {
            // SAFETY: the vector proves AVX-512; masked lanes are not accessed.
            unsafe { $store(target, ((1u32 << count) - 1) as $bits, self.0) }
        }

        float_methods!(@compare $mask, $compare, lt, _CMP_LT_OQ);
        float_methods!(@compare $mask, $compare, le, _CMP_LE_OQ);
        float_methods!(@compare $mask, $compare, eq, _CMP_EQ_OQ);
        float_methods!(@round $round, round_even, _MM_FROUND_TO_NEAREST_INT);
        float_methods!(@round $round, floor, _MM_FROUND_TO_NEG_INF);
        float_methods!(@round $round, ceil, _MM_FROUND_TO_POS_INF);
        float_methods!(@round $round, trunc, _MM_FROUND_TO_ZERO);

        #[inline(always)]
        fn select(mask: $mask, yes: Self, no: Self) -> Self {
            // SAFETY: a vector exists only where its instruction set does.
            unsafe { Self($blend(mask.0, no.0, yes.0)) }
        }
    };
    (@compare $mask:ident, $compare:ident, $method:ident, $predicate:ident) => {
        #[inline(always)]
        fn $method(self, other: Self) -> $mask {
            // SAFETY: a vector exists only where its instruction set does.
            unsafe { $mask($compare::<$predicate>(self.0, other.0)) }
        }
    };
    (@round $round:ident, $method:ident, $mode:ident) => {
        #[inline(always)]
        fn $method(self) -> Self {
            // SAFETY: a vector exists only where its instruction set does.
            unsafe { Self($round::<{ $mode | _MM_FROUND_NO_EXC }>(self.0)) }
        }
    };
}

impl Vector for F32x16 {
    type Elem = f32;
    type Token = Avx512;
    type Mask = Mask16;
    const LANES: usize = 16;

    #[inline(always)]
    fn token(self) -> Avx512 {
        Avx512(())
    }

    memory!(f32, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps);
    wrap! {
        mul_add(factor, addend) => _mm512_fmadd_ps;
        neg_mul_add(factor, addend) => _mm512_fnmadd_ps;
        sqrt() => _mm512_sqrt_ps;
        max(other) => _mm512_max_ps;
        min(other) => _mm512_min_ps;
        and(other) => _mm512_and_ps;
        or(other) => _mm512_or_ps;
        xor(other) => _mm512_xor_ps;
    }
    float_methods!(
        Mask16,
        u16,
        _mm512_cmp_ps_mask,
        _mm512_mask_blend_ps,
        _mm512_roundscale_ps,
        _mm512_maskz_loadu_ps,
        _mm512_mask_storeu_ps
    );

    #[inline(always)]
    unsafe fn transpose(
        _token: Avx512,
        source: *const f32,
        source_step: usize,
        target: *mut f32,
        target_step: usize,
    ) {
        // SAFETY: the token proves AVX-512; the caller vouches for both blocks.
        unsafe {
            let mut rows = [_mm512_setzero_ps(); 16];
            for (index, row) in rows.iter_mut().enumerate() {
                *row = _mm512_loadu_ps(source.add(index * source_step));
            }
            let columns = transpose16(rows);
            for (index, column) in columns.into_iter().enumerate() {
                _mm512_storeu_ps(target.add(index * target_step), column);
            }
        }
    }
}

/// Transposes 4×4 blocks within the 128-bit lanes, then the lanes.
///
/// # Safety
/// The machine has AVX-512.
#[inline(always)]
unsafe fn transpose16(rows: [__m512; 16]) -> [__m512; 16] {
    // SAFETY: the caller vouches for AVX-512.
    unsafe {
        let mut quads = rows;
        for group in quads.chunks_exact_mut(4) {
            let (a, b) = (_mm512_unpacklo_ps(group[0], group[1]), _mm512_unpackhi_ps(group[0], group[1]));
            let (c, d) = (_mm512_unpacklo_ps(group[2], group[3]), _mm512_unpackhi_ps(group[2], group[3]));
            group[0] = _mm512_shuffle_ps::<0x44>(a, c);
            group[1] = _mm512_shuffle_ps::<0xee>(a, c);
            group[2] = _mm512_shuffle_ps::<0x44>(b, d);
            group[3] = _mm512_shuffle_ps::<0xee>(b, d);
        }
        // Lane l of quads[4g + i] holds column 4l + i of rows 4g..4g+4.
        let mut columns = rows;
        for i in 0..4 {
            let (a, b, c, d) = (quads[i], quads[4 + i], quads[8 + i], quads[12 + i]);
            let (low, high) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b));
            let (low2, high2) = (_mm512_shuffle_f32x4::<0x88>(c, d), _mm512_shuffle_f32x4::<0xdd>(c, d));
            columns[i] = _mm512_shuffle_f32x4::<0x88>(low, low2);
            columns[4 + i] = _mm512_shuffle_f32x4::<0x88>(high, high2);
            columns[8 + i] = _mm512_shuffle_f32x4::<0xdd>(low, low2);
            columns[12 + i] = _mm512_shuffle_f32x4::<0xdd>(high, high2);
        }
        columns
    }
}

impl F32Vector for F32x16 {
    type Bits = I32x16;

    #[inline(always)]
    fn to_bits(self) -> I32x16 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { I32x16(_mm512_castps_si512(self.0)) }
    }

    #[inline(always)]
    fn to_int(self) -> I32x16 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { I32x16(_mm512_cvtps_epi32(self.0)) }
    }

    #[inline(always)]
    fn widen(self) -> (F64x8, F64x8) {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe {
            let (low, high) = (_mm512_castps512_ps256(self.0), _mm512_extractf32x8_ps::<1>(self.0));
            (F64x8(_mm512_cvtps_pd(low)), F64x8(_mm512_cvtps_pd(high)))
        }
    }

    #[inline(always)]
    fn narrow(low: F64x8, high: F64x8) -> Self {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe {
            let low = _mm512_castps256_ps512(_mm512_cvtpd_ps(low.0));
            Self(_mm512_insertf32x8::<1>(low, _mm512_cvtpd_ps(high.0)))
        }
    }

    #[inline(always)]
    unsafe fn load_bf16(_token: Avx512, source: *const u16) -> Self {
        // SAFETY: the token proves AVX-512; the caller vouches for sixteen elements.
        unsafe {
            let wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(source.cast()));
            Self(_mm512_castsi512_ps(_mm512_slli_epi32::<16>(wide)))
        }
    }

    #[inline(always)]
    unsafe fn load_f16(_token: Avx512, source: *const u16) -> Self {
        // SAFETY: the token proves AVX-512; the caller vouches for sixteen elements.
        unsafe { Self(_mm512_cvtph_ps(_mm256_loadu_si256(source.cast()))) }
    }

    #[inline(always)]
    fn widen_f16_pairs(self) -> (Self, Self) {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe {
            let pairs = _mm512_castps_si512(self.0);
            let second = _mm512_srli_epi32::<16>(pairs);
            (
                Self(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(pairs))),
                Self(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(second))),
            )
        }
    }

    #[inline(always)]
    fn scale_by_power(self, n: Self) -> Self {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { Self(_mm512_scalef_ps(self.0, n.0)) }
    }

    #[inline(always)]
    fn two_product(self, other: Self) -> (Self, Self) {
        let product = self * other;
        (product, self.mul_add(other, -product))
    }
}

impl I32Vector for I32x16 {
    type Float = F32x16;

    wrap! {
        add(other) => _mm512_add_epi32;
        sub(other) => _mm512_sub_epi32;
        mul(other) => _mm512_mullo_epi32;
        and(other) => _mm512_and_si512;
        or(other) => _mm512_or_si512;
        xor(other) => _mm512_xor_si512;
    }
    x86_shifts! {
        shift_left => _mm512_sll_epi32;
        shift_right => _mm512_srl_epi32;
        shift_right_signed => _mm512_sra_epi32;
    }

    #[inline(always)]
    fn lit(self, value: i32) -> Self {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { Self(_mm512_set1_epi32(value)) }
    }

    #[inline(always)]
    fn to_float(self) -> F32x16 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { F32x16(_mm512_cvtepi32_ps(self.0)) }
    }

    #[inline(always)]
    fn from_bits(self) -> F32x16 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { F32x16(_mm512_castsi512_ps(self.0)) }
    }
}

impl Vector for F64x8 {
    type Elem = f64;
    type Token = Avx512;
    type Mask = Mask8;
    const LANES: usize = 8;

    #[inline(always)]
    fn token(self) -> Avx512 {
        Avx512(())
    }

    memory!(f64, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd);
    wrap! {
        mul_add(factor, addend) => _mm512_fmadd_pd;
        neg_mul_add(factor, addend) => _mm512_fnmadd_pd;
        sqrt() => _mm512_sqrt_pd;
        max(other) => _mm512_max_pd;
        min(other) => _mm512_min_pd;
        and(other) => _mm512_and_pd;
        or(other) => _mm512_or_pd;
        xor(other) => _mm512_xor_pd;
    }
    float_methods!(
        Mask8,
        u8,
        _mm512_cmp_pd_mask,
        _mm512_mask_blend_pd,
        _mm512_roundscale_pd,
        _mm512_maskz_loadu_pd,
        _mm512_mask_storeu_pd
    );
}
