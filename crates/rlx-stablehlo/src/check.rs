//! How StableHLO programs compare results with expectations: the operations and custom calls `check.expect_eq`,
//! `expect_close` and `expect_almost_eq`.

use crate::import::Comparison;
use rlx_ir::eval::Scalar;
use rlx_ir::{DType, Literal, Shape};

/// The tolerance of `check.expect_almost_eq`, both relative to the larger number and absolute.
const ALMOST: f64 = 1e-3;

/// The first difference between what a program computed and what it expects.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Disagreement {
    /// The shapes differ.
    #[error("shape {got}, expected {want}")]
    Shape {
        /// The shape of the computed tensor.
        got: Shape,
        /// The shape of the expected tensor.
        want: Shape,
    },
    /// An element differs.
    #[error("element {index} of {shape}: got {got}, expected {want}")]
    Element {
        /// Its index in row-major order.
        index: usize,
        /// The shape of both tensors.
        shape: Shape,
        /// The computed value.
        got: String,
        /// The expected value.
        want: String,
    },
}

impl Comparison {
    /// Fails unless the tensors have the same shape and their elements agree. Integers and booleans agree if they are equal.
    pub fn compare(self, got: &Literal, want: &Literal) -> Result<(), Disagreement> {
        if got.shape() != want.shape() {
            return Err(Disagreement::Shape { got: got.shape().clone(), want: want.shape().clone() });
        }
        let dtype = got.dtype();
        let elements = got.bytes().chunks_exact(dtype.size()).zip(want.bytes().chunks_exact(dtype.size()));
        for (index, (g, w)) in elements.enumerate() {
            let (g, w) = (Scalar::read(dtype, g), Scalar::read(dtype, w));
            if !element_agrees(self, dtype, g, w) {
                let shape = got.shape().clone();
                return Err(Disagreement::Element {
                    index,
                    shape,
                    got: format!("{g:?}"),
                    want: format!("{w:?}"),
                });
            }
        }
        Ok(())
    }
}

fn element_agrees(how: Comparison, dtype: DType, got: Scalar, want: Scalar) -> bool {
    let agrees = |g: f64, w: f64| match how {
        Comparison::Equal => g == w || (g.is_nan() && w.is_nan()),
        Comparison::Close { max_ulp } => close(dtype.real(), g, w, max_ulp),
        Comparison::AlmostEqual => almost(g, w),
    };
    match (got, want) {
        (Scalar::Float(g), Scalar::Float(w)) => agrees(g, w),
        (Scalar::Complex(g), Scalar::Complex(w)) => agrees(g.re, w.re) && agrees(g.im, w.im),
        (g, w) => g == w,
    }
}

/// Returns whether two numbers are at most `max_ulp` representable numbers of type `dtype` apart. Infinities must be
/// equal, and NaN agrees with NaN.
fn close(dtype: DType, got: f64, want: f64, max_ulp: u64) -> bool {
    if !got.is_finite() || !want.is_finite() {
        return got == want || (got.is_nan() && want.is_nan());
    }
    ordinal(dtype, got).abs_diff(ordinal(dtype, want)) <= u128::from(max_ulp)
}

/// Returns the position of a finite number in the order of its type's numbers. Both zeros have position 0.
fn ordinal(dtype: DType, x: f64) -> i128 {
    let mut bytes = Vec::with_capacity(8);
    Scalar::Float(x.abs()).write(dtype, &mut bytes);
    // The bit patterns of positive floats, which are little-endian here, sort like the floats.
    let place = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | i128::from(byte));
    if x < 0.0 { -place } else { place }
}

/// Returns whether two numbers differ by at most [`ALMOST`], either absolutely or relative to the larger one.
/// Infinities must be equal, and NaN agrees with NaN.
fn almost(got: f64, want: f64) -> bool {
    if !got.is_finite() || !want.is_finite() {
        return got == want || (got.is_nan() && want.is_nan());
    }
    let difference = (got - want).abs();
    difference <= ALMOST || difference <= ALMOST * got.abs().max(want.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSE: Comparison = Comparison::Close { max_ulp: 3 };

    fn compared(how: Comparison, got: f32, want: f32) -> bool {
        let [got, want] = [got, want].map(|x| Literal::new(&[1], &[x]).expect("one number"));
        how.compare(&got, &want).is_ok()
    }

    #[test]
    fn close_counts_the_numbers_between() {
        let third = f32::from_bits(1f32.to_bits() + 3);
        assert!(compared(CLOSE, third, 1.0) && compared(CLOSE, 1.0, third));
        assert!(!compared(CLOSE, f32::from_bits(1f32.to_bits() + 4), 1.0));
        let least = f32::from_bits(1);
        assert!(compared(CLOSE, least, -2.0 * least) && !compared(CLOSE, 2.0 * least, -2.0 * least));
        assert!(compared(CLOSE, 0.0, -0.0) && compared(CLOSE, f32::NAN, -f32::NAN));
        assert!(!compared(CLOSE, f32::MAX, f32::INFINITY) && !compared(CLOSE, f32::NAN, 1.0));
    }

    #[test]
    fn narrow_floats_have_their_own_distance() {
        let pair =
            |a: f32, b: f32| [a, b].map(|x| Literal::new(&[1], &[half::bf16::from_f32(x)]).expect("one"));
        let [one, fourth] = pair(1.0, 1.0 + 4.0 / 128.0);
        assert!(CLOSE.compare(&one, &fourth).is_err());
        let [one, third] = pair(1.0, 1.0 + 3.0 / 128.0);
        assert!(CLOSE.compare(&one, &third).is_ok());
    }

    #[test]
    fn almost_is_relative_to_the_larger_and_absolute_near_zero() {
        assert!(
            compared(Comparison::AlmostEqual, 1000.9, 1000.0)
                && !compared(Comparison::AlmostEqual, 1002.0, 1000.0)
        );
        assert!(
            compared(Comparison::AlmostEqual, 0.0009, 0.0) && !compared(Comparison::AlmostEqual, 0.0011, 0.0)
        );
        assert!(!compared(Comparison::AlmostEqual, f32::INFINITY, f32::MAX));
    }

    #[test]
    fn equal_means_equal_numbers() {
        assert!(compared(Comparison::Equal, 0.0, -0.0) && compared(Comparison::Equal, f32::NAN, f32::NAN));
        assert!(!compared(Comparison::Equal, 1.0, 1.0 + f32::EPSILON));
    }
}
