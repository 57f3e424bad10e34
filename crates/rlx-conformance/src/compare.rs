//! Compares tensors: bit for bit, and with an outside golden. Owns what counts as equal; does not know any ops.

use crate::bound::read;
use rlx_ir::eval::Scalar;
use rlx_ir::{DType, Literal, Shape};

/// How strictly exact values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// Zeros must have the same sign. Any two NaNs agree.
    SignedZeros,
    /// Zeros agree whatever their sign. Any two NaNs agree.
    AnyZeros,
}

/// The first difference between two results.
#[derive(Clone, Debug, thiserror::Error)]
#[error("output {output}: {problem}")]
pub struct Mismatch {
    /// The number of the output.
    pub output: usize,
    /// What differs.
    pub problem: String,
}

impl Mismatch {
    /// Creates a difference that is not about an element.
    pub fn new(problem: impl Into<String>) -> Self {
        Mismatch { output: 0, problem: problem.into() }
    }

    pub(crate) fn count(got: usize, want: usize) -> Self {
        Mismatch::new(format!("{got} output(s), expected {want}"))
    }

    pub(crate) fn shape(got: &Shape, want: &Shape) -> Self {
        Mismatch::new(format!("shape {got}, expected {want}"))
    }

    pub(crate) fn element(i: usize, tensor: &Literal, got: String, want: String) -> Self {
        Mismatch::new(format!("element {i} of {}: got {got}, expected {want}", tensor.shape()))
    }

    /// Returns the same difference, attributed to output `output`.
    pub fn of_output(self, output: usize) -> Self {
        Mismatch { output, ..self }
    }
}

/// Fails unless the tensors have the same shape and equal elements.
pub fn same_bits(got: &Literal, want: &Literal, agreement: Agreement) -> Result<(), Mismatch> {
    if got.shape() != want.shape() {
        return Err(Mismatch::shape(got.shape(), want.shape()));
    }
    if got.bytes() == want.bytes() {
        return Ok(());
    }
    for i in 0..got.len() {
        let (g, w) = (read(got, i), read(want, i));
        if !agrees(g, w, 0.0, agreement) {
            return Err(Mismatch::element(i, got, format!("{g:?}"), format!("{w:?}")));
        }
    }
    Ok(())
}

/// Returns JAX's default tolerance (both relative and absolute) for an element type, from the table
/// `_default_tolerance` in `jax/_src/public_test_util.py` of JAX 0.10.
pub fn jax_tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 | DType::C128 => 1e-15,
        DType::F32 | DType::C64 => 1e-6,
        DType::F16 => 1e-3,
        DType::BF16 => 1e-2,
        DType::F8E4M3 | DType::F8E5M2 => 1e-1,
        _ => 0.0,
    }
}

/// Returns the elements as f64, and the real parts of complex numbers.
pub fn read_f64(literal: &Literal) -> Vec<f64> {
    (0..literal.len()).map(|i| read(literal, i).to_f64()).collect()
}

/// Returns whether |got − want| ≤ tolerance + tolerance·|want|. NaN agrees with NaN, and infinities must be equal.
pub fn agrees(got: Scalar, want: Scalar, tolerance: f64, agreement: Agreement) -> bool {
    match (got, want) {
        (Scalar::Int(g), Scalar::Int(w)) => g == w,
        (Scalar::Float(g), Scalar::Float(w)) => real_agrees(g, w, tolerance, agreement),
        (Scalar::Complex(g), Scalar::Complex(w)) => {
            let finite = |x: f64| x.is_finite();
            if tolerance > 0.0 && [g.re, g.im, w.re, w.im].into_iter().all(finite) {
                return (g - w).abs() <= tolerance + tolerance * w.abs();
            }
            real_agrees(g.re, w.re, tolerance, agreement) && real_agrees(g.im, w.im, tolerance, agreement)
        }
        _ => false,
    }
}

fn real_agrees(got: f64, want: f64, tolerance: f64, agreement: Agreement) -> bool {
    if got.is_nan() || want.is_nan() {
        return got.is_nan() && want.is_nan();
    }
    if got == 0.0 && want == 0.0 {
        return agreement == Agreement::AnyZeros || got.is_sign_negative() == want.is_sign_negative();
    }
    if got.is_infinite() || want.is_infinite() {
        return got == want;
    }
    got == want || (got - want).abs() <= tolerance + tolerance * want.abs()
}
