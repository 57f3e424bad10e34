//! Functions that MLX computes less accurately than backends of RLX should, with measured errors. The figures were
//! measured on MLX's CPU backend (PyPI mlx-cpu 0.32.4, x86-64).

use rlx_ir::DType;

/// A function and its error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CoarseFunction {
    /// The name of the function's op in the text form.
    pub name: &'static str,
    /// The element types for which this holds.
    pub dtypes: &'static [DType],
    /// The maximum error, in units in the last place of the result.
    pub ulps: f64,
    /// For results below this magnitude, the error is absolute.
    pub scale: f64,
    /// What MLX does differently, and the measured error.
    pub source: &'static str,
}

const FLOATS: &[DType] = &[DType::F64, DType::F32, DType::F16, DType::BF16];

const fn row(
    name: &'static str,
    dtypes: &'static [DType],
    ulps: f64,
    scale: f64,
    source: &'static str,
) -> CoarseFunction {
    CoarseFunction { name, dtypes, ulps, scale, source }
}

/// All such functions.
pub const COARSE_FUNCTIONS: &[CoarseFunction] = &[
    row("exp", &[DType::F32], 72.0, 0.0, "its error grows with the operand; 61.6 measured at 79"),
    row("logistic", &[DType::F32], 72.0, 0.0, "by exp; 60.4 measured at -73"),
    row(
        "erf",
        &[DType::F32, DType::BF16],
        16.0,
        0.25,
        "a polynomial with an absolute error; 3.5e-7 measured at 0.27",
    ),
    row("pow", &[DType::C64], 48.0, 0.0, "e^(y·log x), whose product is rounded; 48 measured at integers"),
    row("max", FLOATS, 0.5, 0.0, "of zeros of both signs it gives either"),
    row("min", FLOATS, 0.5, 0.0, "of zeros of both signs it gives either"),
    row("clamp", FLOATS, 0.5, 0.0, "of zeros of both signs it gives either"),
];
