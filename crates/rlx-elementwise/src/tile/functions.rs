//! Functions of f32 vectors. Their errors are stated where they are defined: at most 4 units in the last place, except for the activations,
//! whose errors are relative to their operand.

use super::{Code, Single1, Singles, arithmetic, fast};
use crate::simd::F32Vector;
use crate::vector;
use rlx_ir::{Activation, UnaryOp};

macro_rules! functions {
    ($($Name:ident = $function:ident;)*) => {$(
        struct $Name;
        impl Single1 for $Name {
            #[inline(always)]
            fn apply<V: F32Vector>(x: V) -> V {
                vector::$function(x)
            }
        }
    )*};
}

functions! {
    Exp = exp;
    Expm1 = expm1;
    Log = log;
    Log1p = log1p;
    Sin = sin;
    Cos = cos;
    Tanh = tanh;
    Erf = erf;
    Gelu = gelu;
    GeluTanh = gelu_tanh;
    Sigmoid = sigmoid;
    Silu = silu;
}

fn code<M: Single1>(picoseconds: u32) -> Option<Code> {
    Some(Code::new(fast::<Singles<M>>, picoseconds))
}

/// The code of a function of f32, if there is a vector form.
pub(crate) fn unary(op: UnaryOp) -> Option<Code> {
    match op {
        UnaryOp::Rsqrt => Some(arithmetic::inverse_root()),
        UnaryOp::Exp => code::<Exp>(300),
        UnaryOp::Expm1 => code::<Expm1>(400),
        UnaryOp::Log => code::<Log>(400),
        UnaryOp::Log1p => code::<Log1p>(500),
        UnaryOp::Sin => code::<Sin>(800),
        UnaryOp::Cos => code::<Cos>(800),
        UnaryOp::Tanh => code::<Tanh>(500),
        UnaryOp::Logistic => code::<Sigmoid>(450),
        UnaryOp::Erf => code::<Erf>(600),
        _ => None,
    }
}

/// Returns the code of an activation of f32, if it is a single instruction.
pub(crate) fn activation(kind: Activation) -> Option<Code> {
    match kind {
        Activation::Relu => Some(arithmetic::relu()),
        Activation::Square => Some(arithmetic::square()),
        Activation::Recip => Some(arithmetic::reciprocal()),
        Activation::Gelu => code::<Gelu>(650),
        Activation::GeluTanh => code::<GeluTanh>(600),
        Activation::Silu => code::<Silu>(500),
        // The others are a function of f32, or consist of several.
        _ => None,
    }
}
