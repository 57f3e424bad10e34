//! SSE2, which every x86-64 processor has: four `f32` or two `f64`, no fused multiply-add.

use std::arch::x86_64::*;

use super::ops::{memory, vector_operators, wrap, x86_shifts};
use super::{F32Vector, I32Vector, Mask, Simd, Vector};
use crate::isa::Isa;

/// Proof of SSE2.
#[derive(Clone, Copy, Debug)]
pub struct Sse2(());

impl Sse2 {
    pub(super) fn new() -> Sse2 {
        Sse2(())
    }
}

impl Simd for Sse2 {
    const ISA: Isa = Isa::Baseline;
    // Eight accumulators leave registers for two of B, a broadcast of A, and the products of the multiply-add, which is two instructions
    // here.
    const TILE_ROWS: usize = 4;
    const TILE_VECTORS: usize = 2;
    type F32 = F32x4;
    type F64 = F64x2;

    #[inline(always)]
    fn prefetch<T>(self, place: *const T) {
        // SAFETY: every x86-64 processor has the instruction, and it takes any address.
        #[allow(unused_unsafe)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(place.cast());
        }
    }
}

/// Four `f32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x4(__m128);

/// Two `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x2(__m128d);

/// Four `i32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct I32x4(__m128i);

/// All bits of each of four lanes set or clear.
#[derive(Clone, Copy, Debug)]
pub struct Mask32x4(__m128);

/// All bits of each of two lanes set or clear.
#[derive(Clone, Copy, Debug)]
pub struct Mask64x2(__m128d);

vector_operators!(F32x4: _mm_add_ps, _mm_sub_ps, _mm_mul_ps, _mm_div_ps);
vector_operators!(F64x2: _mm_add_pd, _mm_sub_pd, _mm_mul_pd, _mm_div_pd);

macro_rules! lane_mask {
    ($mask:ident, $and:ident, $or:ident, $xor:ident, $movemask:ident, $cast:ident) => {
        impl Mask for $mask {
            wrap! {
                and(other) => $and;
                or(other) => $or;
            }

            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: every x86-64 processor has SSE2.
                #[allow(unused_unsafe)]
                unsafe {
                    Self($xor(self.0, $cast(_mm_set1_epi32(-1))))
                }
            }

            #[inline(always)]
            fn any(self) -> bool {
                // SAFETY: every x86-64 processor has SSE2.
                #[allow(unused_unsafe)]
                unsafe {
                    $movemask(self.0) != 0
                }
            }
        }
    };
}

lane_mask!(Mask32x4, _mm_and_ps, _mm_or_ps, _mm_xor_ps, _mm_movemask_ps, _mm_castsi128_ps);
lane_mask!(Mask64x2, _mm_and_pd, _mm_or_pd, _mm_xor_pd, _mm_movemask_pd, _mm_castsi128_pd);

/// The methods of a float vector whose intrinsics differ only in their suffix.
macro_rules! float_methods {
    ($mask:ident, $lt:ident, $le:ident, $eq:ident, $and:ident, $andnot:ident, $or:ident) => {
        float_methods!(@compare $mask, $lt, lt);
        float_methods!(@compare $mask, $le, le);
        float_methods!(@compare $mask, $eq, eq);

        #[inline(always)]
        fn select(mask: $mask, yes: Self, no: Self) -> Self {
            // SAFETY: every x86-64 processor has SSE2.
            #[allow(unused_unsafe)]
            unsafe {
                Self($or($and(mask.0, yes.0), $andnot(mask.0, no.0)))
            }
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            self * factor + addend
        }

        #[inline(always)]
        fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
            addend - self * factor
        }
    };
    (@compare $mask:ident, $function:ident, $method:ident) => {
        #[inline(always)]
        fn $method(self, other: Self) -> $mask {
            // SAFETY: every x86-64 processor has SSE2.
            #[allow(unused_unsafe)]
            unsafe {
                $mask($function(self.0, other.0))
            }
        }
    };
}

impl Vector for F32x4 {
    type Elem = f32;
    type Token = Sse2;
    type Mask = Mask32x4;
    const LANES: usize = 4;

    #[inline(always)]
    fn token(self) -> Sse2 {
        Sse2(())
    }

    memory!(f32, _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps);
    wrap! {
        sqrt() => _mm_sqrt_ps;
        max(other) => _mm_max_ps;
        min(other) => _mm_min_ps;
        and(other) => _mm_and_ps;
        or(other) => _mm_or_ps;
        xor(other) => _mm_xor_ps;
    }
    float_methods!(Mask32x4, _mm_cmplt_ps, _mm_cmple_ps, _mm_cmpeq_ps, _mm_and_ps, _mm_andnot_ps, _mm_or_ps);

    #[inline(always)]
    unsafe fn transpose(
        _token: Sse2,
        source: *const f32,
        source_step: usize,
        target: *mut f32,
        target_step: usize,
    ) {
        // SAFETY: every x86-64 processor has SSE2; the caller vouches for both blocks.
        unsafe {
            let mut a = _mm_loadu_ps(source);
            let mut b = _mm_loadu_ps(source.add(source_step));
            let mut c = _mm_loadu_ps(source.add(2 * source_step));
            let mut d = _mm_loadu_ps(source.add(3 * source_step));
            _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
            _mm_storeu_ps(target, a);
            _mm_storeu_ps(target.add(target_step), b);
            _mm_storeu_ps(target.add(2 * target_step), c);
            _mm_storeu_ps(target.add(3 * target_step), d);
        }
    }
}

impl F32Vector for F32x4 {
    type Bits = I32x4;

    #[inline(always)]
    fn to_bits(self) -> I32x4 {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            I32x4(_mm_castps_si128(self.0))
        }
    }

    #[inline(always)]
    fn to_int(self) -> I32x4 {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            I32x4(_mm_cvtps_epi32(self.0))
        }
    }

    #[inline(always)]
    fn widen(self) -> (F64x2, F64x2) {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            (F64x2(_mm_cvtps_pd(self.0)), F64x2(_mm_cvtps_pd(_mm_movehl_ps(self.0, self.0))))
        }
    }

    #[inline(always)]
    fn narrow(low: F64x2, high: F64x2) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            Self(_mm_movelh_ps(_mm_cvtpd_ps(low.0), _mm_cvtpd_ps(high.0)))
        }
    }

    #[inline(always)]
    unsafe fn load_bf16(_token: Sse2, source: *const u16) -> Self {
        // SAFETY: every x86-64 processor has SSE2; the caller vouches for four elements.
        unsafe {
            let narrow = _mm_loadl_epi64(source.cast());
            Self(_mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), narrow)))
        }
    }

    /// Uses Dekker's splitting, which needs no fused multiply-add.
    #[inline(always)]
    fn two_product(self, other: Self) -> (Self, Self) {
        super::portable::dekker_product(self, other)
    }
}

impl I32Vector for I32x4 {
    type Float = F32x4;

    wrap! {
        add(other) => _mm_add_epi32;
        sub(other) => _mm_sub_epi32;
        and(other) => _mm_and_si128;
        or(other) => _mm_or_si128;
        xor(other) => _mm_xor_si128;
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            let even = _mm_mul_epu32(self.0, other.0);
            let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(self.0), _mm_srli_epi64::<32>(other.0));
            Self(_mm_unpacklo_epi32(_mm_shuffle_epi32::<0x08>(even), _mm_shuffle_epi32::<0x08>(odd)))
        }
    }
    x86_shifts! {
        shift_left => _mm_sll_epi32;
        shift_right => _mm_srl_epi32;
        shift_right_signed => _mm_sra_epi32;
    }

    #[inline(always)]
    fn lit(self, value: i32) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            Self(_mm_set1_epi32(value))
        }
    }

    #[inline(always)]
    fn to_float(self) -> F32x4 {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            F32x4(_mm_cvtepi32_ps(self.0))
        }
    }

    #[inline(always)]
    fn from_bits(self) -> F32x4 {
        // SAFETY: every x86-64 processor has SSE2.
        #[allow(unused_unsafe)]
        unsafe {
            F32x4(_mm_castsi128_ps(self.0))
        }
    }
}

impl Vector for F64x2 {
    type Elem = f64;
    type Token = Sse2;
    type Mask = Mask64x2;
    const LANES: usize = 2;

    #[inline(always)]
    fn token(self) -> Sse2 {
        Sse2(())
    }

    memory!(f64, _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd);
    wrap! {
        sqrt() => _mm_sqrt_pd;
        max(other) => _mm_max_pd;
        min(other) => _mm_min_pd;
        and(other) => _mm_and_pd;
        or(other) => _mm_or_pd;
        xor(other) => _mm_xor_pd;
    }
    float_methods!(Mask64x2, _mm_cmplt_pd, _mm_cmple_pd, _mm_cmpeq_pd, _mm_and_pd, _mm_andnot_pd, _mm_or_pd);
}
