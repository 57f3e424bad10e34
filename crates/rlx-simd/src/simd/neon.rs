//! Advanced SIMD of aarch64: four `f32` or two `f64`.

use std::arch::aarch64::*;

use super::ops::{memory, vector_operators, wrap};
use super::{F32Vector, I32Vector, Mask, Simd, Vector};
use crate::isa::Isa;

/// Proof of Advanced SIMD, which every aarch64 processor has.
#[derive(Clone, Copy, Debug)]
pub struct Neon(());

impl Neon {
    pub(super) fn new() -> Neon {
        Neon(())
    }
}

impl Simd for Neon {
    const ISA: Isa = Isa::Neon;
    // 24 accumulators, three registers of B and the broadcasts of A fill the 32 registers.
    const TILE_ROWS: usize = 8;
    const TILE_VECTORS: usize = 3;
    type F32 = F32x4;
    type F64 = F64x2;

    #[inline(always)]
    fn prefetch<T>(self, place: *const T) {
        // SAFETY: the instruction takes any address and changes neither memory nor flags.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) place, options(nostack, preserves_flags, readonly));
        }
    }
}

/// Four `f32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F32x4(float32x4_t);

/// Two `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F64x2(float64x2_t);

/// Four `i32`.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct I32x4(int32x4_t);

/// All bits of each of four lanes set or clear.
#[derive(Clone, Copy, Debug)]
pub struct Mask32x4(uint32x4_t);

/// All bits of each of two lanes set or clear.
#[derive(Clone, Copy, Debug)]
pub struct Mask64x2(uint64x2_t);

vector_operators!(F32x4: vaddq_f32, vsubq_f32, vmulq_f32, vdivq_f32);
vector_operators!(F64x2: vaddq_f64, vsubq_f64, vmulq_f64, vdivq_f64);

impl Mask for Mask32x4 {
    wrap! {
        and(other) => vandq_u32;
        or(other) => vorrq_u32;
        not() => vmvnq_u32;
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            vmaxvq_u32(self.0) != 0
        }
    }
}

impl Mask for Mask64x2 {
    wrap! {
        and(other) => vandq_u64;
        or(other) => vorrq_u64;
    }

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            Self(veorq_u64(self.0, vdupq_n_u64(u64::MAX)))
        }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            vmaxvq_u32(vreinterpretq_u32_u64(self.0)) != 0
        }
    }
}

/// The methods of a float vector whose intrinsics differ only in their suffix.
macro_rules! float_methods {
    ($mask:ident, $fma:ident, $fms:ident, $lt:ident, $le:ident, $eq:ident, $select:ident,
     $to_bits:ident, $from_bits:ident, $and:ident, $or:ident, $xor:ident) => {
        float_methods!(@compare $mask, $lt, lt);
        float_methods!(@compare $mask, $le, le);
        float_methods!(@compare $mask, $eq, eq);
        float_methods!(@bits $to_bits, $from_bits, $and, and);
        float_methods!(@bits $to_bits, $from_bits, $or, or);
        float_methods!(@bits $to_bits, $from_bits, $xor, xor);

        #[inline(always)]
        fn select(mask: $mask, yes: Self, no: Self) -> Self {
            // SAFETY: every aarch64 processor has Advanced SIMD.
            #[allow(unused_unsafe)]
            unsafe {
                Self($select(mask.0, yes.0, no.0))
            }
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            // SAFETY: every aarch64 processor has Advanced SIMD.
            #[allow(unused_unsafe)]
            unsafe {
                Self($fma(addend.0, self.0, factor.0))
            }
        }

        #[inline(always)]
        fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
            // SAFETY: every aarch64 processor has Advanced SIMD.
            #[allow(unused_unsafe)]
            unsafe {
                Self($fms(addend.0, self.0, factor.0))
            }
        }

        // The instruction for a maximum returns NaN if either operand is NaN, which is not the contract.
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self::select(other.lt(self), self, other)
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self::select(self.lt(other), self, other)
        }
    };
    (@compare $mask:ident, $function:ident, $method:ident) => {
        #[inline(always)]
        fn $method(self, other: Self) -> $mask {
            // SAFETY: every aarch64 processor has Advanced SIMD.
            #[allow(unused_unsafe)]
            unsafe {
                $mask($function(self.0, other.0))
            }
        }
    };
    (@bits $to_bits:ident, $from_bits:ident, $function:ident, $method:ident) => {
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            // SAFETY: every aarch64 processor has Advanced SIMD.
            #[allow(unused_unsafe)]
            unsafe {
                Self($from_bits($function($to_bits(self.0), $to_bits(other.0))))
            }
        }
    };
}

impl Vector for F32x4 {
    type Elem = f32;
    type Token = Neon;
    type Mask = Mask32x4;
    const LANES: usize = 4;

    #[inline(always)]
    fn token(self) -> Neon {
        Neon(())
    }

    memory!(f32, vdupq_n_f32, vld1q_f32, vst1q_f32);
    wrap! {
        sqrt() => vsqrtq_f32;
        round_even() => vrndnq_f32;
        floor() => vrndmq_f32;
        ceil() => vrndpq_f32;
        trunc() => vrndq_f32;
    }
    float_methods!(
        Mask32x4,
        vfmaq_f32,
        vfmsq_f32,
        vcltq_f32,
        vcleq_f32,
        vceqq_f32,
        vbslq_f32,
        vreinterpretq_u32_f32,
        vreinterpretq_f32_u32,
        vandq_u32,
        vorrq_u32,
        veorq_u32
    );

    #[inline(always)]
    unsafe fn transpose(
        _token: Neon,
        source: *const f32,
        source_step: usize,
        target: *mut f32,
        target_step: usize,
    ) {
        // SAFETY: every aarch64 processor has Advanced SIMD; the caller vouches for both blocks.
        unsafe {
            let a = vld1q_f32(source);
            let b = vld1q_f32(source.add(source_step));
            let c = vld1q_f32(source.add(2 * source_step));
            let d = vld1q_f32(source.add(3 * source_step));
            let pair = |x: float32x4_t, y: float32x4_t| {
                let (x, y) = (vreinterpretq_f64_f32(x), vreinterpretq_f64_f32(y));
                (vreinterpretq_f32_f64(vzip1q_f64(x, y)), vreinterpretq_f32_f64(vzip2q_f64(x, y)))
            };
            // Columns 0 and 1 of rows a, b and of rows c, d; then columns 2 and 3.
            let (first, second) = pair(vzip1q_f32(a, b), vzip1q_f32(c, d));
            let (third, fourth) = pair(vzip2q_f32(a, b), vzip2q_f32(c, d));
            vst1q_f32(target, first);
            vst1q_f32(target.add(target_step), second);
            vst1q_f32(target.add(2 * target_step), third);
            vst1q_f32(target.add(3 * target_step), fourth);
        }
    }
}

impl F32Vector for F32x4 {
    type Bits = I32x4;

    #[inline(always)]
    fn to_bits(self) -> I32x4 {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            I32x4(vreinterpretq_s32_f32(self.0))
        }
    }

    #[inline(always)]
    fn to_int(self) -> I32x4 {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            I32x4(vcvtnq_s32_f32(self.0))
        }
    }

    #[inline(always)]
    fn widen(self) -> (F64x2, F64x2) {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            (F64x2(vcvt_f64_f32(vget_low_f32(self.0))), F64x2(vcvt_high_f64_f32(self.0)))
        }
    }

    #[inline(always)]
    fn narrow(low: F64x2, high: F64x2) -> Self {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            Self(vcvt_high_f32_f64(vcvt_f32_f64(low.0), high.0))
        }
    }

    #[inline(always)]
    unsafe fn load_bf16(_token: Neon, source: *const u16) -> Self {
        // SAFETY: every aarch64 processor has Advanced SIMD; the caller vouches for four elements.
        unsafe { Self(vreinterpretq_f32_u32(vshll_n_u16::<16>(vld1_u16(source)))) }
    }

    #[inline(always)]
    fn two_product(self, other: Self) -> (Self, Self) {
        let product = self * other;
        (product, self.mul_add(other, -product))
    }
}

impl I32Vector for I32x4 {
    type Float = F32x4;

    wrap! {
        add(other) => vaddq_s32;
        sub(other) => vsubq_s32;
        mul(other) => vmulq_s32;
        and(other) => vandq_s32;
        or(other) => vorrq_s32;
        xor(other) => veorq_s32;
    }

    #[inline(always)]
    fn lit(self, value: i32) -> Self {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            Self(vdupq_n_s32(value))
        }
    }

    #[inline(always)]
    fn shift_left(self, bits: i32) -> Self {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            Self(vshlq_s32(self.0, vdupq_n_s32(bits)))
        }
    }

    // A right shift is a left shift by a negative count.
    #[inline(always)]
    fn shift_right(self, bits: i32) -> Self {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            let unsigned = vreinterpretq_u32_s32(self.0);
            Self(vreinterpretq_s32_u32(vshlq_u32(unsigned, vdupq_n_s32(-bits))))
        }
    }

    #[inline(always)]
    fn shift_right_signed(self, bits: i32) -> Self {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            Self(vshlq_s32(self.0, vdupq_n_s32(-bits)))
        }
    }

    #[inline(always)]
    fn to_float(self) -> F32x4 {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            F32x4(vcvtq_f32_s32(self.0))
        }
    }

    #[inline(always)]
    fn from_bits(self) -> F32x4 {
        // SAFETY: every aarch64 processor has Advanced SIMD.
        #[allow(unused_unsafe)]
        unsafe {
            F32x4(vreinterpretq_f32_s32(self.0))
        }
    }
}

impl Vector for F64x2 {
    type Elem = f64;
    type Token = Neon;
    type Mask = Mask64x2;
    const LANES: usize = 2;

    #[inline(always)]
    fn token(self) -> Neon {
        Neon(())
    }

    memory!(f64, vdupq_n_f64, vld1q_f64, vst1q_f64);
    wrap! {
        sqrt() => vsqrtq_f64;
        round_even() => vrndnq_f64;
        floor() => vrndmq_f64;
        ceil() => vrndpq_f64;
        trunc() => vrndq_f64;
    }
    float_methods!(
        Mask64x2,
        vfmaq_f64,
        vfmsq_f64,
        vcltq_f64,
        vcleq_f64,
        vceqq_f64,
        vbslq_f64,
        vreinterpretq_u64_f64,
        vreinterpretq_f64_u64,
        vandq_u64,
        vorrq_u64,
        veorq_u64
    );
}
