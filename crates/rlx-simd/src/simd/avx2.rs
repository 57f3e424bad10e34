//! AVX2 with FMA and F16C: eight `f32` or four `f64`.

use std::arch::x86_64::*;

use super::ops::{memory, vector_operators, wrap, x86_shifts};
use super::{F32Vector, I32Vector, Kernel, Mask, Simd, Vector};
use crate::isa::Isa;

/// Proof of AVX2, FMA and F16C.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Simd for Avx2 {
    const ISA: Isa = Isa::Avx2;
    // Twelve accumulators, two registers of B and two broadcasts of A fill the 16 registers.
    const TILE_ROWS: usize = 6;
    const TILE_VECTORS: usize = 2;
    type F32 = F32x8;
    type F64 = F64x4;

    #[inline(always)]
    fn outlined<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: the token proves AVX2.
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

/// Runs `kernel` in code compiled for AVX2, FMA and F16C.
///
/// # Safety
/// The machine has AVX2, FMA and F16C.
#[inline(never)]
#[target_feature(enable = "avx2,fma,f16c")]
pub(super) unsafe fn enter<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

/// Eight `f32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x8(__m256);

/// Four `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x4(__m256d);

/// Eight `i32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct I32x8(__m256i);

/// All bits of each of eight lanes set or clear.
#[derive(Clone, Copy, Debug)]
pub struct Mask32x8(__m256);

/// All bits of each of four lanes set or clear.
#[derive(Clone, Copy, Debug)]
pub struct Mask64x4(__m256d);

vector_operators!(F32x8: _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps);
vector_operators!(F64x4: _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd);

macro_rules! lane_mask {
    ($mask:ident, $and:ident, $or:ident, $xor:ident, $movemask:ident, $cast:ident) => {
        impl Mask for $mask {
            wrap! {
                and(other) => $and;
                or(other) => $or;
            }

            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: a mask exists only where its instruction set does.
                unsafe { Self($xor(self.0, $cast(_mm256_set1_epi32(-1)))) }
            }

            #[inline(always)]
            fn any(self) -> bool {
                // SAFETY: a mask exists only where its instruction set does.
                unsafe { $movemask(self.0) != 0 }
            }
        }
    };
}

lane_mask!(Mask32x8, _mm256_and_ps, _mm256_or_ps, _mm256_xor_ps, _mm256_movemask_ps, _mm256_castsi256_ps);
lane_mask!(Mask64x4, _mm256_and_pd, _mm256_or_pd, _mm256_xor_pd, _mm256_movemask_pd, _mm256_castsi256_pd);

/// The methods of a float vector whose intrinsics differ only in their suffix.
macro_rules! float_methods {
    ($mask:ident, $compare:ident, $blend:ident, $round:ident, $load:ident, $store:ident, $lanes:ident) => {
        #[inline(always)]
        unsafe fn load_partial(_token: Avx2, source: *const Self::Elem, count: usize) -> Self {
            // SAFETY: the token proves AVX2; masked lanes are not accessed.
            unsafe { Self($load(source, $lanes(count))) }
        }

        #[inline(always)]
        unsafe fn store_partial(self, target: *mut Self::Elem, count: usize) {
            // SAFETY: the vector proves AVX2; masked lanes are not accessed.
            unsafe { $store(target, $lanes(count), self.0) }
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
            unsafe { Self($blend(no.0, yes.0, mask.0)) }
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

/// Returns the mask of the first `count` of eight 32-bit lanes.
///
/// # Safety
/// The machine has AVX2, and `count <= 8`.
#[inline(always)]
unsafe fn first32(count: usize) -> __m256i {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), index)
    }
}

/// Returns the mask of the first `count` of four 64-bit lanes.
///
/// # Safety
/// The machine has AVX2, and `count <= 4`.
#[inline(always)]
unsafe fn first64(count: usize) -> __m256i {
    // SAFETY: the caller vouches for AVX2.
    unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_setr_epi64x(0, 1, 2, 3)) }
}

impl Vector for F32x8 {
    type Elem = f32;
    type Token = Avx2;
    type Mask = Mask32x8;
    const LANES: usize = 8;

    #[inline(always)]
    fn token(self) -> Avx2 {
        Avx2(())
    }

    memory!(f32, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps);
    wrap! {
        mul_add(factor, addend) => _mm256_fmadd_ps;
        neg_mul_add(factor, addend) => _mm256_fnmadd_ps;
        sqrt() => _mm256_sqrt_ps;
        max(other) => _mm256_max_ps;
        min(other) => _mm256_min_ps;
        and(other) => _mm256_and_ps;
        or(other) => _mm256_or_ps;
        xor(other) => _mm256_xor_ps;
    }
    float_methods!(
        Mask32x8,
        _mm256_cmp_ps,
        _mm256_blendv_ps,
        _mm256_round_ps,
        _mm256_maskload_ps,
        _mm256_maskstore_ps,
        first32
    );

    #[inline(always)]
    unsafe fn transpose(
        _token: Avx2,
        source: *const f32,
        source_step: usize,
        target: *mut f32,
        target_step: usize,
    ) {
        // SAFETY: the token proves AVX2; the caller vouches for both blocks.
        unsafe {
            let mut rows = [_mm256_setzero_ps(); 8];
            for (index, row) in rows.iter_mut().enumerate() {
                *row = _mm256_loadu_ps(source.add(index * source_step));
            }
            for group in rows.chunks_exact_mut(4) {
                let (a, b) = (_mm256_unpacklo_ps(group[0], group[1]), _mm256_unpackhi_ps(group[0], group[1]));
                let (c, d) = (_mm256_unpacklo_ps(group[2], group[3]), _mm256_unpackhi_ps(group[2], group[3]));
                group[0] = _mm256_shuffle_ps::<0x44>(a, c);
                group[1] = _mm256_shuffle_ps::<0xee>(a, c);
                group[2] = _mm256_shuffle_ps::<0x44>(b, d);
                group[3] = _mm256_shuffle_ps::<0xee>(b, d);
            }
            for i in 0..4 {
                let low = _mm256_permute2f128_ps::<0x20>(rows[i], rows[4 + i]);
                let high = _mm256_permute2f128_ps::<0x31>(rows[i], rows[4 + i]);
                _mm256_storeu_ps(target.add(i * target_step), low);
                _mm256_storeu_ps(target.add((4 + i) * target_step), high);
            }
        }
    }
}

impl F32Vector for F32x8 {
    type Bits = I32x8;

    #[inline(always)]
    fn to_bits(self) -> I32x8 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { I32x8(_mm256_castps_si256(self.0)) }
    }

    #[inline(always)]
    fn to_int(self) -> I32x8 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { I32x8(_mm256_cvtps_epi32(self.0)) }
    }

    #[inline(always)]
    fn widen(self) -> (F64x4, F64x4) {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe {
            let (low, high) = (_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            (F64x4(_mm256_cvtps_pd(low)), F64x4(_mm256_cvtps_pd(high)))
        }
    }

    #[inline(always)]
    fn narrow(low: F64x4, high: F64x4) -> Self {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { Self(_mm256_set_m128(_mm256_cvtpd_ps(high.0), _mm256_cvtpd_ps(low.0))) }
    }

    #[inline(always)]
    unsafe fn load_bf16(_token: Avx2, source: *const u16) -> Self {
        // SAFETY: the token proves AVX2; the caller vouches for eight elements.
        unsafe {
            let wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(source.cast()));
            Self(_mm256_castsi256_ps(_mm256_slli_epi32::<16>(wide)))
        }
    }

    #[inline(always)]
    unsafe fn load_f16(_token: Avx2, source: *const u16) -> Self {
        // SAFETY: the token proves F16C; the caller vouches for eight elements.
        unsafe { Self(_mm256_cvtph_ps(_mm_loadu_si128(source.cast()))) }
    }

    #[inline(always)]
    fn widen_f16_pairs(self) -> (Self, Self) {
        // SAFETY: a vector exists only where its instruction set does; processors that have it also have F16C.
        unsafe {
            let pairs = _mm256_castps_si256(self.0);
            let widened = |halves: __m256i| {
                let (low, high) = (_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
                Self(_mm256_cvtph_ps(_mm_packus_epi32(low, high)))
            };
            (
                widened(_mm256_and_si256(pairs, _mm256_set1_epi32(0xffff))),
                widened(_mm256_srli_epi32::<16>(pairs)),
            )
        }
    }

    #[inline(always)]
    fn two_product(self, other: Self) -> (Self, Self) {
        let product = self * other;
        (product, self.mul_add(other, -product))
    }
}

impl I32Vector for I32x8 {
    type Float = F32x8;

    wrap! {
        add(other) => _mm256_add_epi32;
        sub(other) => _mm256_sub_epi32;
        mul(other) => _mm256_mullo_epi32;
        and(other) => _mm256_and_si256;
        or(other) => _mm256_or_si256;
        xor(other) => _mm256_xor_si256;
    }
    x86_shifts! {
        shift_left => _mm256_sll_epi32;
        shift_right => _mm256_srl_epi32;
        shift_right_signed => _mm256_sra_epi32;
    }

    #[inline(always)]
    fn lit(self, value: i32) -> Self {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { Self(_mm256_set1_epi32(value)) }
    }

    #[inline(always)]
    fn to_float(self) -> F32x8 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { F32x8(_mm256_cvtepi32_ps(self.0)) }
    }

    #[inline(always)]
    fn from_bits(self) -> F32x8 {
        // SAFETY: a vector exists only where its instruction set does.
        unsafe { F32x8(_mm256_castsi256_ps(self.0)) }
    }
}

impl Vector for F64x4 {
    type Elem = f64;
    type Token = Avx2;
    type Mask = Mask64x4;
    const LANES: usize = 4;

    #[inline(always)]
    fn token(self) -> Avx2 {
        Avx2(())
    }

    memory!(f64, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd);
    wrap! {
        mul_add(factor, addend) => _mm256_fmadd_pd;
        neg_mul_add(factor, addend) => _mm256_fnmadd_pd;
        sqrt() => _mm256_sqrt_pd;
        max(other) => _mm256_max_pd;
        min(other) => _mm256_min_pd;
        and(other) => _mm256_and_pd;
        or(other) => _mm256_or_pd;
        xor(other) => _mm256_xor_pd;
    }
    float_methods!(
        Mask64x4,
        _mm256_cmp_pd,
        _mm256_blendv_pd,
        _mm256_round_pd,
        _mm256_maskload_pd,
        _mm256_maskstore_pd,
        first64
    );
}
