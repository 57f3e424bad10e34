//! The number types in which products are summed, and the element types for which each is used.

use crate::simd::{Kernel, Simd};
use bytemuck::Pod;
use rlx_elementwise::compute_type::ComputeType;
use rlx_ir::DType;
use rlx_simd::sums::{Summand, put_aside};

/// A number type in which products are summed.
pub(crate) trait Number: Pod + Send + Sync + Summand {
    const ZERO: Self;
    /// The type that registers hold.
    const COMPUTE: ComputeType;

    /// Returns `self + a·b`.
    fn add_product(self, a: Self, b: Self) -> Self;

    fn negated(self) -> Self;

    /// Number of terms after which a sum is put aside, so that rounding errors do not grow with the number of terms. `None` if sums are not
    /// rounded.
    const CHAIN: Option<usize>;

    /// Returns whether a sum of `terms` terms is put aside before its end.
    fn is_long(terms: usize) -> bool {
        Self::CHAIN.is_some_and(|chain| terms > chain)
    }

    /// Returns whether zero times the number is zero.
    fn is_finite(self) -> bool;
}

macro_rules! floats {
    ($($t:ident $compute:ident $chain:literal;)*) => {$(
        impl Number for $t {
            const ZERO: Self = 0.0;
            const COMPUTE: ComputeType = ComputeType::$compute;

            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                self + a * b
            }

            #[inline(always)]
            fn negated(self) -> Self {
                -self
            }

            const CHAIN: Option<usize> = Some($chain);

            #[inline(always)]
            fn is_finite(self) -> bool {
                self.is_finite()
            }
        }
    )*};
}
floats! { f32 F32 512; f64 F64 2048; }

macro_rules! integers {
    ($($t:ident $compute:ident;)*) => {$(
        impl Number for $t {
            const ZERO: Self = 0;
            const COMPUTE: ComputeType = ComputeType::$compute;

            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                self.wrapping_add(a.wrapping_mul(b))
            }

            #[inline(always)]
            fn negated(self) -> Self {
                self.wrapping_neg()
            }

            const CHAIN: Option<usize> = None;

            #[inline(always)]
            fn is_finite(self) -> bool {
                true
            }
        }
    )*};
}
integers! { u8 U8; u16 U16; u32 U32; u64 U64; }

/// Adds sums to totals, adds the errors of these additions to errors, and clears the sums, so that a new chain begins.
pub(crate) struct PutAside<'a, T> {
    pub(crate) sums: &'a mut [T],
    pub(crate) totals: &'a mut [T],
    pub(crate) errors: &'a mut [T],
}

impl<T: Number> Kernel for PutAside<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        put_aside(self.sums, self.totals, self.errors, T::ZERO);
    }
}

/// Returns the numbers in which `k` products of elements of type `from` are summed to one of type `to`. Sums in f64 of up to 2048 floats
/// narrower than f64 are those of the evaluator, bit for bit, because their products are exact in f64. So are sums of short integers, as
/// long as the float can hold every sum; other integers wrap in the width of the result.
pub(crate) fn numbers(from: DType, to: DType, k: usize) -> ComputeType {
    let short = from != DType::F64 && from.real() != DType::F64 && (from.is_float() || from.is_complex());
    if to.is_float() || to.is_complex() {
        return if to.real() == DType::F32 && short { ComputeType::F32 } else { ComputeType::F64 };
    }
    let largest =
        from.int_range().map_or(u128::MAX, |(low, high)| low.unsigned_abs().max(high.unsigned_abs()));
    let sum = largest.saturating_mul(largest).saturating_mul(k as u128);
    match to.size() {
        _ if sum <= 1 << f32::MANTISSA_DIGITS && from.size() == 1 => ComputeType::F32,
        _ if sum <= 1 << f64::MANTISSA_DIGITS => ComputeType::F64,
        1 => ComputeType::U8,
        2 => ComputeType::U16,
        4 => ComputeType::U32,
        _ => ComputeType::U64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fit_their_numbers() {
        assert_eq!(numbers(DType::F32, DType::F32, 9), ComputeType::F32);
        assert_eq!(numbers(DType::BF16, DType::BF16, 9), ComputeType::F64);
        assert_eq!(numbers(DType::BF16, DType::F32, 9), ComputeType::F32);
        assert_eq!(numbers(DType::C128, DType::C64, 9), ComputeType::F64);
        assert_eq!(numbers(DType::I32, DType::F32, 9), ComputeType::F64);
        assert_eq!(numbers(DType::I8, DType::I32, 1024), ComputeType::F32);
        assert_eq!(numbers(DType::I8, DType::I32, 1025), ComputeType::F64);
        assert_eq!(numbers(DType::I16, DType::I16, 1 << 23), ComputeType::F64);
        assert_eq!(numbers(DType::I16, DType::I16, (1 << 23) + 1), ComputeType::U16);
        assert_eq!(numbers(DType::I32, DType::I64, 1), ComputeType::U64);
        assert_eq!(numbers(DType::Bool, DType::Bool, 1 << 20), ComputeType::F32);
    }
}
