//! Allowed errors of XLA and MLX functions that are less accurate than RLX otherwise requires of a backend. The figures
//! for XLA were measured on XLA's plugin for the CPU (PyPI xla-cpu-pjrt 0.0.1, x86-64 with AVX-512) by `cargo run -p
//! rlx-tpu --example function_errors`; other platforms need their own rows.

use rlx_conformance::bound::Allowance;
use rlx_ir::{DType, DTypeSet};
use rlx_mlx::{COARSE_FUNCTIONS, CoarseFunction};

const F64: DTypeSet = DTypeSet::of(&[DType::F64]);
const F16: DTypeSet = DTypeSet::of(&[DType::F16]);
const F32: DTypeSet = DTypeSet::of(&[DType::F32]);
const C64: DTypeSet = DTypeSet::of(&[DType::C64]);
/// Types that are computed in f32 and have its exponents.
const LIKE_F32: DTypeSet = DTypeSet::of(&[DType::F32, DType::BF16]);

const fn row(function: &'static str, dtypes: DTypeSet, ulps: f64, source: &'static str) -> Allowance {
    Allowance { function, dtypes, ulps, scale: 0.0, source }
}

/// Allowances for XLA on CPUs.
pub(crate) const XLA_CPU: &[Allowance] = &[
    row("cbrt", F32, 15.0, "computed as a power, whose exponent 1/3 is rounded; 15.0 measured at -8.4e37"),
    row("cbrt", F64, 118.0, "computed as a power, whose exponent 1/3 is rounded; 118 measured at 1.1e307"),
    row("log1p", F64, 124.0, "a polynomial between -0.42 and 0.42; 124 measured at -0.4137"),
    row("atanh", F64, 123.0, "half the difference of two log1p; 123 measured at -0.4137"),
    row("sinh", F32, 24.3, "computed as exp(x + log(1/2)), whose operand is rounded; 24.3 measured at -68.6"),
    row("cosh", F32, 24.3, "computed as exp(x + log(1/2)), whose operand is rounded; 24.3 measured at -68.6"),
    row("sinh", F64, 445.0, "computed as exp(x + log(1/2)), whose operand is rounded; 445 measured at 552"),
    row("cosh", F64, 445.0, "computed as exp(x + log(1/2)), whose operand is rounded; 445 measured at 552"),
    row("erfc", F32, 62.8, "exp(-x²) of a rounded square; 62.8 measured at 8.25"),
    row("erfc", F64, 252.0, "exp(-x²) of a rounded square; 252 measured at 19.2"),
    row("pow", C64, 48.0, "exp(y·log x), whose product is rounded; 48 measured in the table at integers"),
    row(
        "div",
        F16,
        1.2,
        "by a constant: a product with its reciprocal, itself rounded; 1.18 measured through jaxlib, for 1.7 of eleven constants, over all operands",
    ),
    Allowance {
        function: "asin",
        dtypes: LIKE_F32,
        ulps: 4.0,
        scale: 1e-31,
        source: "computed as 2·atan2(x, 1 + √(1 - x²)), whose quotient x/2 is flushed to zero below 2.4e-38",
    },
    Allowance {
        function: "asin",
        dtypes: F64,
        ulps: 4.0,
        scale: 1e-291,
        source: "computed as 2·atan2(x, 1 + √(1 - x²)), whose quotient x/2 is flushed to zero below 4.5e-308",
    },
];

/// Allowances for MLX on CPUs.
pub(crate) const MLX_CPU: [Allowance; COARSE_FUNCTIONS.len()] = {
    let mut rows = [row("", F32, 0.0, ""); COARSE_FUNCTIONS.len()];
    let mut i = 0;
    while i < rows.len() {
        let CoarseFunction { name, dtypes, ulps, scale, source } = COARSE_FUNCTIONS[i];
        rows[i] = Allowance { function: name, dtypes: DTypeSet::of(dtypes), ulps, scale, source };
        i += 1;
    }
    rows
};
