//! Limits for the errors of a backend's elementwise functions, in units in the last place of the result's element type.
//! The figures are what careful vector kernels reach (CORE-MATH and SLEEF document 0.5 to 4 for the elementary
//! functions). They are limits for backends, not descriptions of any backend.

use rlx_ir::{BinaryOp, UnaryOp};

/// An error bound: `ulps` times the spacing of floats at max(|result|, `scale`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accuracy {
    pub(crate) ulps: f64,
    /// The magnitude below which the error is absolute, because the function has zeros at arguments that cannot be represented.
    pub(crate) scale: f64,
}

const fn relative(ulps: f64) -> Accuracy {
    Accuracy { ulps, scale: 0.0 }
}

/// Returns the bound of a function of one operand.
pub(crate) fn unary(op: UnaryOp) -> Accuracy {
    use UnaryOp::*;
    match op {
        Neg | Abs | Sign | Floor | Ceil | RoundEven | RoundAway | IsFinite | Not | Popcnt | Clz | Real
        | Imag | Conj => relative(0.0),
        Sqrt => relative(1.0),
        Exp | Log | Rsqrt | Cbrt | Sin | Cos => relative(2.0),
        Expm1 | Log1p | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Logistic
        | Erf => relative(4.0),
        Erfc | ErfInv | BesselI0e | BesselI1e => relative(16.0),
        Lgamma | Digamma => Accuracy { ulps: 16.0, scale: 1.0 },
    }
}

/// Returns the bound of a function of two operands.
pub(crate) fn binary(op: BinaryOp) -> Accuracy {
    use BinaryOp::*;
    match op {
        Max | Min | NextAfter | And | Or | Xor | ShiftLeft | ShiftRightArithmetic | ShiftRightLogical
        | Complex => relative(0.0),
        // A fused multiply-add rounds once where the graph rounds twice.
        Add | Sub | Mul | Div => relative(1.0),
        // The remainder is exact.
        Rem => relative(0.0),
        Pow | Atan2 => relative(4.0),
        Polygamma | Zeta | Igamma | Igammac => Accuracy { ulps: 64.0, scale: 1e-3 },
    }
}

/// The bound of the incomplete beta function.
pub(crate) const BETAINC: Accuracy = Accuracy { ulps: 64.0, scale: 1e-3 };
