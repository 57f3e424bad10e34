//! Arithmetic on floats, booleans and complex numbers, exactly as the evaluator does it.

use super::{Code, Each1, Each2, Float1, Float2, Formula, Map1, Map2, Vector1, Vector2, fast, plain};
use crate::compute_type::{Bit, C64, C128, ComputeElement, ComputeType};
use crate::simd::{Mask, Scalar, Vector};
use rlx_ir::math::Complex64;
use rlx_ir::{BinaryOp, UnaryOp};

macro_rules! float_maps {
    ($($Name:ident: |$($x:ident),+| $value:expr;)*) => {$(
        struct $Name;
        float_maps!(@impl $Name $($x),+ => $value);
    )*};
    (@impl $Name:ident $x:ident => $value:expr) => {
        impl Float1 for $Name {
            #[inline(always)]
            fn apply<V: Vector>($x: V) -> V {
                $value
            }
        }
    };
    (@impl $Name:ident $a:ident, $b:ident => $value:expr) => {
        impl Float2 for $Name {
            #[inline(always)]
            fn apply<V: Vector>($a: V, $b: V) -> V {
                $value
            }
        }
    };
}

float_maps! {
    Negate: |x| -x;
    Absolute: |x| x.xor(x.sign_bit());
    Sign: |x| {
        let zero_or_nan = x.eq(x.lit(V::Elem::ZERO)).or(x.is_nan());
        V::select(zero_or_nan, x, x.lit(V::Elem::ONE).copysign(x))
    };
    Floor: |x| x.floor();
    Ceil: |x| x.ceil();
    RoundEven: |x| x.round_even();
    RoundAway: |x| {
        let whole = x.trunc();
        let half = x.lit(V::Elem::from_f64(0.5));
        let up = whole + x.lit(V::Elem::ONE).copysign(x);
        // `x - whole` is exact; if x is infinite, it is NaN and the comparison is false.
        V::select(half.le((x - whole).abs()), up, whole)
    };
    Root: |x| x.sqrt();
    Relu: |x| x.maximum(x.lit(V::Elem::ZERO));
    Square: |x| x * x;
    Reciprocal: |x| x.lit(V::Elem::ONE) / x;
    InverseRoot: |x| x.lit(V::Elem::ONE) / x.sqrt();
    Sum: |a, b| a + b;
    Difference: |a, b| a - b;
    Product: |a, b| a * b;
    Quotient: |a, b| a / b;
    Larger: |a, b| a.maximum(b);
    Smaller: |a, b| a.minimum(b);
}

/// Returns functions whose f32 form rounds once, so that rounding again to a narrower format changes nothing, or `None` for other
/// functions. The flag says that the result for a narrow operand is exact in the operand's format.
pub(crate) fn float_unary(op: UnaryOp, compute: ComputeType) -> Option<(Code, bool)> {
    fn pick<M: Float1>(compute: ComputeType, picoseconds: u32) -> Code {
        match compute {
            ComputeType::F64 => Code::new(fast::<Vector1<f64, M>>, 2 * picoseconds),
            _ => Code::new(fast::<Vector1<f32, M>>, picoseconds),
        }
    }
    Some(match op {
        UnaryOp::Neg => (pick::<Negate>(compute, 30).of(Formula::Neg), true),
        UnaryOp::Abs => (pick::<Absolute>(compute, 30).of(Formula::Abs), true),
        UnaryOp::Sign => (pick::<Sign>(compute, 40), true),
        UnaryOp::Floor => (pick::<Floor>(compute, 60), true),
        UnaryOp::Ceil => (pick::<Ceil>(compute, 60), true),
        UnaryOp::RoundEven => (pick::<RoundEven>(compute, 60), true),
        UnaryOp::RoundAway => (pick::<RoundAway>(compute, 80), true),
        UnaryOp::Sqrt => (pick::<Root>(compute, 100).of(Formula::Sqrt), false),
        _ => return None,
    })
}

/// 1/√x of f32, rounded twice.
pub(crate) fn inverse_root() -> Code {
    Code::new(fast::<Vector1<f32, InverseRoot>>, 150).of(Formula::InverseRoot)
}

/// max(x, 0) of f32.
pub(crate) fn relu() -> Code {
    Code::new(fast::<Vector1<f32, Relu>>, 30).of(Formula::Relu)
}

/// x² of f32.
pub(crate) fn square() -> Code {
    Code::new(fast::<Vector1<f32, Square>>, 30).of(Formula::Square)
}

/// 1/x of f32.
pub(crate) fn reciprocal() -> Code {
    Code::new(fast::<Vector1<f32, Reciprocal>>, 60).of(Formula::Reciprocal)
}

/// Like [`float_unary`], for two operands.
pub(crate) fn float_binary(op: BinaryOp, compute: ComputeType) -> Option<(Code, bool)> {
    fn pick<M: Float2>(compute: ComputeType, picoseconds: u32) -> Code {
        match compute {
            ComputeType::F64 => Code::new(fast::<Vector2<f64, M>>, 2 * picoseconds),
            _ => Code::new(fast::<Vector2<f32, M>>, picoseconds),
        }
    }
    Some(match op {
        BinaryOp::Add => (pick::<Sum>(compute, 30).of(Formula::Add), false),
        BinaryOp::Sub => (pick::<Difference>(compute, 30).of(Formula::Sub), false),
        BinaryOp::Mul => (pick::<Product>(compute, 30).of(Formula::Mul), false),
        BinaryOp::Div => (pick::<Quotient>(compute, 60).of(Formula::Div), false),
        BinaryOp::Max => (pick::<Larger>(compute, 40).of(Formula::Max), true),
        BinaryOp::Min => (pick::<Smaller>(compute, 40).of(Formula::Min), true),
        BinaryOp::Rem if compute == ComputeType::F64 => {
            (Code::new(plain::<Each2<f64, Remainder>>, 10_000), true)
        }
        BinaryOp::Rem => (Code::new(plain::<Each2<f32, Remainder>>, 10_000), true),
        _ => return None,
    })
}

/// The remainder of a truncating division, which is exact.
struct Remainder;

impl Map2<f32> for Remainder {
    type Result = f32;
    #[inline(always)]
    fn apply(a: f32, b: f32) -> f32 {
        a % b
    }
}

impl Map2<f64> for Remainder {
    type Result = f64;
    #[inline(always)]
    fn apply(a: f64, b: f64) -> f64 {
        a % b
    }
}

macro_rules! bit_maps {
    ($($Name:ident: |$a:ident, $b:ident| $value:expr;)*) => {$(
        struct $Name;
        impl Map2<Bit> for $Name {
            type Result = Bit;
            #[inline(always)]
            fn apply(a: Bit, b: Bit) -> Bit {
                let ($a, $b) = (a.0, b.0);
                Bit($value)
            }
        }
    )*};
}

bit_maps! {
    Both: |a, b| a & b;
    Either: |a, b| a | b;
    One: |a, b| a ^ b;
}

struct Negation;

impl Map1<Bit> for Negation {
    type Result = Bit;
    #[inline(always)]
    fn apply(a: Bit) -> Bit {
        Bit(a.0 ^ 1)
    }
}

/// Negation of booleans.
pub fn negation() -> Code {
    Code::new(fast::<Each1<Bit, Negation>>, 10)
}

/// The logical functions that correspond to arithmetic on booleans.
pub fn bool_binary(op: BinaryOp) -> Option<Code> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Max => Code::new(fast::<Each2<Bit, Either>>, 10),
        BinaryOp::Mul | BinaryOp::And | BinaryOp::Min => Code::new(fast::<Each2<Bit, Both>>, 10),
        BinaryOp::Xor => Code::new(fast::<Each2<Bit, One>>, 10),
        _ => return None,
    })
}

macro_rules! complex_maps {
    ($($Name:ident: |$a:ident, $b:ident| $value:expr;)*) => {$(
        struct $Name;
        complex_maps!(@impl $Name f32 $a $b $value);
        complex_maps!(@impl $Name f64 $a $b $value);
    )*};
    (@impl $Name:ident $t:ident $a:ident $b:ident $value:expr) => {
        impl Map2<[$t; 2]> for $Name {
            type Result = [$t; 2];
            #[inline(always)]
            fn apply(a: [$t; 2], b: [$t; 2]) -> [$t; 2] {
                let $a = Complex64::new(f64::from(a[0]), f64::from(a[1]));
                let $b = Complex64::new(f64::from(b[0]), f64::from(b[1]));
                let z = $value;
                [z.re as $t, z.im as $t]
            }
        }
    };
}

complex_maps! {
    ComplexSum: |a, b| a + b;
    ComplexDifference: |a, b| a - b;
    ComplexProduct: |a, b| a * b;
}

/// Arithmetic of complex numbers.
pub(crate) fn complex_binary(op: BinaryOp, compute: ComputeType) -> Option<Code> {
    fn pick<M: Map2<C64> + Map2<C128>>(compute: ComputeType) -> Code {
        match compute {
            ComputeType::C64 => Code::new(plain::<Each2<C64, M>>, 1_000),
            _ => Code::new(plain::<Each2<C128, M>>, 1_000),
        }
    }
    Some(match op {
        BinaryOp::Add => pick::<ComplexSum>(compute),
        BinaryOp::Sub => pick::<ComplexDifference>(compute),
        BinaryOp::Mul => pick::<ComplexProduct>(compute),
        _ => return None,
    })
}

/// The real or the imaginary part, and the complex number of two parts.
struct Part<const IMAGINARY: bool>;

impl<T: ComputeElement, const IMAGINARY: bool> Map1<[T; 2]> for Part<IMAGINARY>
where
    [T; 2]: ComputeElement,
{
    type Result = T;
    #[inline(always)]
    fn apply(z: [T; 2]) -> T {
        z[usize::from(IMAGINARY)]
    }
}

struct Pair;

impl<T: ComputeElement> Map2<T> for Pair
where
    [T; 2]: ComputeElement,
{
    type Result = [T; 2];
    #[inline(always)]
    fn apply(re: T, im: T) -> [T; 2] {
        [re, im]
    }
}

/// A part of complex numbers.
pub(crate) fn complex_part(op: UnaryOp, compute: ComputeType) -> Option<Code> {
    Some(match (op, compute) {
        (UnaryOp::Real, ComputeType::C64) => Code::new(plain::<Each1<C64, Part<false>>>, 500),
        (UnaryOp::Imag, ComputeType::C64) => Code::new(plain::<Each1<C64, Part<true>>>, 500),
        (UnaryOp::Real, ComputeType::C128) => Code::new(plain::<Each1<C128, Part<false>>>, 500),
        (UnaryOp::Imag, ComputeType::C128) => Code::new(plain::<Each1<C128, Part<true>>>, 500),
        _ => return None,
    })
}

/// The complex numbers with given real and imaginary parts.
pub(crate) fn complex_of(compute: ComputeType) -> Option<Code> {
    Some(match compute {
        ComputeType::F32 => Code::new(plain::<Each2<f32, Pair>>, 500),
        ComputeType::F64 => Code::new(plain::<Each2<f64, Pair>>, 500),
        _ => return None,
    })
}
