//! Vectors as plain arrays, the baseline of every architecture without code of its own. They are also the plainest statement of what each
//! operation means.

use super::{F32Vector, I32Vector, Mask, Scalar, Simd, Vector};
use crate::isa::Isa;

/// The token of code that needs no particular instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Portable(());

impl Portable {
    /// Returns a token; there is nothing to prove.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Portable {
        Portable(())
    }
}

impl Simd for Portable {
    const ISA: Isa = Isa::Baseline;
    const TILE_ROWS: usize = 4;
    const TILE_VECTORS: usize = 2;
    type F32 = PortableF32;
    type F64 = PortableF64;
}

/// Four `f32`.
#[derive(Clone, Copy, Debug)]
pub struct PortableF32([f32; 4]);

/// Two `f64`.
#[derive(Clone, Copy, Debug)]
pub struct PortableF64([f64; 2]);

/// Four `i32`.
#[derive(Clone, Copy, Debug)]
pub struct PortableI32([i32; 4]);

/// A truth value for each of `N` lanes.
#[derive(Clone, Copy, Debug)]
pub struct PortableMask<const N: usize>([bool; N]);

impl<const N: usize> Mask for PortableMask<N> {
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] & other.0[lane]))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] | other.0[lane]))
    }

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|lane| !lane))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.contains(&true)
    }
}

macro_rules! portable_operator {
    ($vector:ident, $trait:ident, $method:ident) => {
        impl std::ops::$trait for $vector {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|lane| self.0[lane].$method(other.0[lane])))
            }
        }
    };
}

/// Methods that apply the same function to each lane of `self` and `other`.
macro_rules! lanewise {
    ($($method:ident -> $result:ty = $make:ident: |$a:ident, $b:ident| $value:expr;)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> $result {
            $make(std::array::from_fn(|lane| {
                let ($a, $b) = (self.0[lane], other.0[lane]);
                $value
            }))
        }
    )*};
}

macro_rules! portable_float {
    ($vector:ident, $float:ident, $lanes:literal, $mask:ident) => {
        portable_operator!($vector, Add, add);
        portable_operator!($vector, Sub, sub);
        portable_operator!($vector, Mul, mul);
        portable_operator!($vector, Div, div);

        type $mask = PortableMask<$lanes>;

        impl std::ops::Neg for $vector {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self(self.0.map(|lane| -lane))
            }
        }

        impl Vector for $vector {
            type Elem = $float;
            type Token = Portable;
            type Mask = $mask;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(_token: Portable, value: $float) -> Self {
                Self([value; $lanes])
            }

            #[inline(always)]
            fn token(self) -> Portable {
                Portable(())
            }

            #[inline(always)]
            unsafe fn load(_token: Portable, source: *const $float) -> Self {
                // SAFETY: the caller vouches for `LANES` elements.
                Self(unsafe { source.cast::<[$float; $lanes]>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn store(self, target: *mut $float) {
                // SAFETY: the caller vouches for `LANES` elements.
                unsafe { target.cast::<[$float; $lanes]>().write_unaligned(self.0) }
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                self * factor + addend
            }

            #[inline(always)]
            fn neg_mul_add(self, factor: Self, addend: Self) -> Self {
                addend - self * factor
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.map($float::sqrt))
            }

            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                Self(std::array::from_fn(|lane| if mask.0[lane] { yes.0[lane] } else { no.0[lane] }))
            }

            lanewise! {
                max -> Self = Self: |a, b| if a > b { a } else { b };
                min -> Self = Self: |a, b| if a < b { a } else { b };
                and -> Self = Self: |a, b| $float::from_bits(a.to_bits() & b.to_bits());
                or -> Self = Self: |a, b| $float::from_bits(a.to_bits() | b.to_bits());
                xor -> Self = Self: |a, b| $float::from_bits(a.to_bits() ^ b.to_bits());
                lt -> $mask = PortableMask: |a, b| a < b;
                le -> $mask = PortableMask: |a, b| a <= b;
                eq -> $mask = PortableMask: |a, b| a == b;
            }
        }
    };
}

portable_float!(PortableF32, f32, 4, Mask4);
portable_float!(PortableF64, f64, 2, Mask2);

impl F32Vector for PortableF32 {
    type Bits = PortableI32;

    #[inline(always)]
    fn to_bits(self) -> PortableI32 {
        PortableI32(self.0.map(|lane| lane.to_bits() as i32))
    }

    #[inline(always)]
    fn to_int(self) -> PortableI32 {
        PortableI32(self.round_even().0.map(|lane| lane as i32))
    }

    #[inline(always)]
    fn widen(self) -> (PortableF64, PortableF64) {
        let [a, b, c, d] = self.0.map(f64::from);
        (PortableF64([a, b]), PortableF64([c, d]))
    }

    #[inline(always)]
    fn narrow(low: PortableF64, high: PortableF64) -> Self {
        let ([a, b], [c, d]) = (low.0, high.0);
        Self([a, b, c, d].map(|lane| lane as f32))
    }

    #[inline(always)]
    unsafe fn load_bf16(_token: Portable, source: *const u16) -> Self {
        // SAFETY: the caller vouches for four elements.
        let bits = unsafe { source.cast::<[u16; 4]>().read_unaligned() };
        Self(bits.map(|bits| f32::from_bits(u32::from(bits) << 16)))
    }

    #[inline(always)]
    fn two_product(self, other: Self) -> (Self, Self) {
        dekker_product(self, other)
    }
}

impl I32Vector for PortableI32 {
    type Float = PortableF32;

    lanewise! {
        add -> Self = Self: |a, b| a.wrapping_add(b);
        sub -> Self = Self: |a, b| a.wrapping_sub(b);
        mul -> Self = Self: |a, b| a.wrapping_mul(b);
        and -> Self = Self: |a, b| a & b;
        or -> Self = Self: |a, b| a | b;
        xor -> Self = Self: |a, b| a ^ b;
    }

    #[inline(always)]
    fn lit(self, value: i32) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    fn shift_left(self, bits: i32) -> Self {
        Self(self.0.map(|lane| lane << bits))
    }

    #[inline(always)]
    fn shift_right(self, bits: i32) -> Self {
        Self(self.0.map(|lane| ((lane as u32) >> bits) as i32))
    }

    #[inline(always)]
    fn shift_right_signed(self, bits: i32) -> Self {
        Self(self.0.map(|lane| lane >> bits))
    }

    #[inline(always)]
    fn to_float(self) -> PortableF32 {
        PortableF32(self.0.map(|lane| lane as f32))
    }

    #[inline(always)]
    fn from_bits(self) -> PortableF32 {
        PortableF32(self.0.map(|lane| f32::from_bits(lane as u32)))
    }
}

/// Returns the product and its rounding error with Dekker's splitting: each factor becomes two of 12 bits, whose products are exact.
#[inline(always)]
pub(super) fn dekker_product<V: F32Vector>(a: V, b: V) -> (V, V) {
    let split = |x: V| {
        let high = x.to_bits().and(x.to_bits().lit(!0xfff)).from_bits();
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let product = a * b;
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    // For an infinite factor, the low half is inf − inf.
    (product, V::select(error.is_nan(), product.lit(f32::ZERO), error))
}
