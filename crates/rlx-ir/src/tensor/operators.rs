//! Elementwise functions of tensors as methods, and Rust's operators on tensors and numbers.

use super::Tensor;
use crate::op::kinds::{Activation, BinaryOp, CompareOp, UnaryOp};

macro_rules! unary_methods {
    ($($(#[$meta:meta])* $method:ident => $op:ident,)*) => {
        impl Tensor { $($(#[$meta])* #[track_caller] pub fn $method(&self) -> Tensor { self.unary(UnaryOp::$op) })* }
    };
}
unary_methods! {
    /// Absolute value.
    abs => Abs,
    /// −1, 0 or 1.
    sign => Sign,
    /// e^x.
    exp => Exp,
    /// e^x − 1.
    expm1 => Expm1,
    /// Natural logarithm.
    log => Log,
    /// log(1 + x).
    log1p => Log1p,
    /// Square root.
    sqrt => Sqrt,
    /// 1 / sqrt(x).
    rsqrt => Rsqrt,
    /// Sine.
    sin => Sin,
    /// Cosine.
    cos => Cos,
    /// Hyperbolic tangent.
    tanh => Tanh,
    /// 1 / (1 + e^−x).
    logistic => Logistic,
    /// Error function.
    erf => Erf,
    /// Largest integer not above x.
    floor => Floor,
    /// Smallest integer not below x.
    ceil => Ceil,
    /// Logical or bitwise complement.
    logical_not => Not,
}

macro_rules! activation_methods {
    ($($(#[$meta:meta])* $method:ident => $kind:ident,)*) => {
        impl Tensor { $($(#[$meta])* #[track_caller] pub fn $method(&self) -> Tensor { self.activation(Activation::$kind) })* }
    };
}
activation_methods! {
    /// max(x, 0).
    relu => Relu,
    /// GELU with the error function.
    gelu => Gelu,
    /// GELU with tanh.
    gelu_tanh => GeluTanh,
    /// x sigmoid(x).
    silu => Silu,
    /// 1 / (1 + e^−x).
    sigmoid => Sigmoid,
    /// log(1 + e^x).
    softplus => Softplus,
}

macro_rules! binary_methods {
    ($($(#[$meta:meta])* $method:ident => $op:ident,)*) => {
        impl Tensor { $($(#[$meta])* #[track_caller] pub fn $method(&self, rhs: &Tensor) -> Tensor { self.binary(BinaryOp::$op, rhs) })* }
    };
}
binary_methods! {
    /// Maximum; NaN if either is NaN.
    maximum => Max,
    /// Minimum; NaN if either is NaN.
    minimum => Min,
    /// Power.
    pow => Pow,
    /// Logical or bitwise and.
    and => And,
    /// Logical or bitwise or.
    or => Or,
}

macro_rules! compare_methods {
    ($($(#[$meta:meta])* $method:ident => $op:ident,)*) => {
        impl Tensor { $($(#[$meta])* #[track_caller] pub fn $method(&self, rhs: &Tensor) -> Tensor { self.compare(CompareOp::$op, rhs) })* }
    };
}
compare_methods! {
    /// Whether the operands are equal.
    equal => Eq,
    /// Whether the operands are not equal.
    not_equal => Ne,
    /// Whether the left operand is less.
    less => Lt,
    /// Whether the left operand is less or equal.
    less_equal => Le,
    /// Whether the left operand is greater.
    greater => Gt,
    /// Whether the left operand is greater or equal.
    greater_equal => Ge,
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl std::ops::$trait<&Tensor> for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: &Tensor) -> Tensor { self.binary(BinaryOp::$op, rhs) }
        }
        impl std::ops::$trait<Tensor> for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: Tensor) -> Tensor { self.binary(BinaryOp::$op, &rhs) }
        }
        impl std::ops::$trait<&Tensor> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: &Tensor) -> Tensor { self.binary(BinaryOp::$op, rhs) }
        }
        impl std::ops::$trait<Tensor> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: Tensor) -> Tensor { self.binary(BinaryOp::$op, &rhs) }
        }
        impl std::ops::$trait<f64> for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: f64) -> Tensor { self.binary(BinaryOp::$op, &self.scalar_like(rhs)) }
        }
        impl std::ops::$trait<f64> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: f64) -> Tensor { self.binary(BinaryOp::$op, &self.scalar_like(rhs)) }
        }
        impl std::ops::$trait<&Tensor> for f64 {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: &Tensor) -> Tensor { rhs.scalar_like(self).binary(BinaryOp::$op, rhs) }
        }
        impl std::ops::$trait<Tensor> for f64 {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: Tensor) -> Tensor { rhs.scalar_like(self).binary(BinaryOp::$op, &rhs) }
        }
    )*};
}
operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    Rem rem Rem;
}

impl std::ops::Neg for &Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        self.unary(UnaryOp::Neg)
    }
}

impl std::ops::Neg for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        self.unary(UnaryOp::Neg)
    }
}
