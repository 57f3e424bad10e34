//! Arithmetic functions that MLX defines differently from RLX, expressed with functions that it has.

use crate::launch::Launch;
use rlx_mlx_sys::{Binary, ElementType, MlxArray, MlxError, Unary};

/// Returns the sign. Zeros and NaN stay as they are.
pub(super) fn sign(cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
    let sign = cx.unary(Unary::Sign, x[0])?;
    if !x[0].element_type().is_float() {
        return Ok(sign);
    }
    let itself = cx.binary(Binary::Equal, x[0], &cx.number_like(0, x[0])?)?;
    let itself = cx.binary(Binary::LogicalOr, &itself, &cx.unary(Unary::IsNan, x[0])?)?;
    cx.select(&itself, x[0], &sign)
}

/// Divides integers and rounds toward zero. All bits are set if the divisor is 0.
pub(super) fn quotient(cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
    let zero = cx.number_like(0, x[1])?;
    let ones = cx.unary(Unary::BitwiseInvert, &zero)?;
    cx.select(&cx.binary(Binary::Equal, x[1], &zero)?, &ones, &cx.divide_integers(x[0], x[1])?)
}

/// Returns remainders with the sign of the dividend. If the divisor is 0, the result is the dividend.
pub(super) fn remainder_of_integers(cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
    let by_zero = cx.binary(Binary::Equal, x[1], &cx.number_like(0, x[1])?)?;
    cx.select(&by_zero, x[0], &cx.remainder_integers(x[0], x[1])?)
}

/// The remainder of positive numbers is exact in MLX. The sign is taken from the dividend.
pub(super) fn remainder_of_floats(cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
    let (a, b) = (cx.unary(Unary::Abs, x[0])?, cx.unary(Unary::Abs, x[1])?);
    let remainder = cx.binary(Binary::Remainder, &a, &b)?;
    let zero = cx.number_like(0, x[0])?;
    let negative = cx.binary(Binary::Less, x[0], &zero)?;
    let signed = cx.select(&negative, &cx.unary(Unary::Negative, &remainder)?, &remainder)?;
    // A zero dividend keeps its sign, unless the divisor is 0 or NaN.
    let is_zero = cx.binary(Binary::Equal, x[0], &zero)?;
    let defined = cx.binary(Binary::Greater, &b, &zero)?;
    cx.select(&cx.binary(Binary::LogicalAnd, &is_zero, &defined)?, x[0], &signed)
}

/// Returns powers of integers, with wrapping. With a negative exponent the result is 0, except for the bases 1 and −1.
pub(super) fn power_of_integers(cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
    let (base, exponent) = (x[0], x[1]);
    if base.element_type().integer().is_none_or(|(_, signed)| !signed) {
        return cx.binary(Binary::Power, base, exponent);
    }
    let number = |value: i32| cx.number_like(value, base);
    let (zero, one) = (number(0)?, number(1)?);
    let negative = cx.binary(Binary::Less, exponent, &zero)?;
    let power = cx.power_integers(base, exponent)?;
    let odd = cx.binary(Binary::BitwiseAnd, exponent, &one)?;
    let turned = cx.select(&cx.binary(Binary::Equal, &odd, &one)?, &number(-1)?, &one)?;
    let inverse = cx.select(&cx.binary(Binary::Equal, base, &number(-1)?)?, &turned, &zero)?;
    let inverse = cx.select(&cx.binary(Binary::Equal, base, &one)?, &one, &inverse)?;
    cx.select(&negative, &inverse, &power)
}

/// Multiplies complex numbers by their parts. MLX's CPU backend uses C's products, which turn some NaN into infinities.
pub(super) fn complex_product(cx: &Launch<'_>, x: &MlxArray, y: &MlxArray) -> Result<MlxArray, MlxError> {
    let part = |x: &MlxArray, of: Unary| cx.unary(of, x);
    let (a, b) = (part(x, Unary::Real)?, part(x, Unary::Imag)?);
    let (c, d) = (part(y, Unary::Real)?, part(y, Unary::Imag)?);
    let product = |x: &MlxArray, y: &MlxArray| cx.binary(Binary::Multiply, x, y);
    let re = cx.binary(Binary::Subtract, &product(&a, &c)?, &product(&b, &d)?)?;
    let im = cx.binary(Binary::Add, &product(&a, &d)?, &product(&b, &c)?)?;
    super::elementwise::complex(cx, &[&re, &im])
}

/// Returns powers of complex numbers, e^(y · log x). With exponent 0 the result is always 1.
pub(super) fn power_of_complex(cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
    let zero = cx.number_like(0, x[0])?;
    let exponent = complex_product(cx, x[1], &cx.unary(Unary::Log, x[0])?)?;
    let nan = cx.scalar(&f32::NAN.to_le_bytes(), ElementType::F32)?;
    let nan = super::elementwise::complex(cx, &[&nan, &nan])?;
    // If the angle is NaN, the whole power is NaN.
    let angle = cx.unary(Unary::IsFinite, &cx.unary(Unary::Imag, &exponent)?)?;
    let none = cx.binary(Binary::NotEqual, &exponent, &exponent)?;
    let none = cx.binary(Binary::LogicalOr, &none, &cx.unary(Unary::LogicalNot, &angle)?)?;
    let power = cx.select(&none, &nan, &cx.unary(Unary::Exp, &exponent)?)?;
    let positive = cx.unary(Unary::Real, x[1])?;
    let positive = cx.binary(Binary::Greater, &positive, &cx.number_like(0, &positive)?)?;
    let of_zero = cx.binary(Binary::Equal, x[0], &zero)?;
    let vanishes = cx.binary(Binary::LogicalAnd, &of_zero, &positive)?;
    let power = cx.select(&vanishes, &zero, &power)?;
    let by_zero = cx.binary(Binary::Equal, x[1], &zero)?;
    cx.select(&by_zero, &cx.number_like(1, x[0])?, &power)
}

/// Corrects the sign of a maximum or minimum of two zeros.
pub(super) fn of_zeros(
    cx: &Launch<'_>,
    [a, b]: [&MlxArray; 2],
    made: &MlxArray,
    least: bool,
) -> Result<MlxArray, MlxError> {
    let zero = cx.number_like(0, made)?;
    let negative = |x: &MlxArray| cx.unary(Unary::Negative, x);
    // The sum of two zeros is negative if both are; the negated sum of their negatives is negative if one is.
    let sum = match least {
        true => negative(&cx.binary(Binary::Add, &negative(a)?, &negative(b)?)?)?,
        false => cx.binary(Binary::Add, a, b)?,
    };
    let is_zero = |x: &MlxArray| cx.binary(Binary::Equal, x, &zero);
    let both = cx.binary(Binary::LogicalAnd, &is_zero(a)?, &is_zero(b)?)?;
    cx.select(&both, &sum, made)
}

/// Returns the unsigned type with the same number of bits.
fn unsigned(element: ElementType) -> ElementType {
    match element {
        ElementType::I8 => ElementType::U8,
        ElementType::I16 => ElementType::U16,
        ElementType::I32 => ElementType::U32,
        ElementType::I64 => ElementType::U64,
        element => element,
    }
}

/// Returns the signed type with the same number of bits.
fn signed(element: ElementType) -> ElementType {
    match element {
        ElementType::U8 => ElementType::I8,
        ElementType::U16 | ElementType::F16 | ElementType::BF16 => ElementType::I16,
        ElementType::U32 | ElementType::F32 => ElementType::I32,
        ElementType::U64 | ElementType::F64 => ElementType::I64,
        element => element,
    }
}

/// Shifts bits. If the distance is negative or not less than the width, the result is 0, or the sign with `fill`.
pub(super) fn shifted(
    cx: &Launch<'_>,
    x: &[&MlxArray],
    left: bool,
    fill: bool,
) -> Result<MlxArray, MlxError> {
    let element = x[0].element_type();
    let bits = element.integer().map_or(8, |(bits, _)| bits as i32);
    let work = if fill { signed(element) } else { unsigned(element) };
    let number = |value: i32, like: &MlxArray| cx.number_like(value, like);
    let low = cx.binary(Binary::GreaterEqual, x[1], &number(0, x[1])?)?;
    let high = cx.binary(Binary::Less, x[1], &number(bits, x[1])?)?;
    let inside = cx.binary(Binary::LogicalAnd, &low, &high)?;
    let value = cx.astype(x[0], work)?;
    let distance = cx.astype(x[1], work)?;
    let shifted = cx.shift(left, &value, &distance)?;
    let rest = if fill { cx.shift(false, &value, &number(bits - 1, &value)?)? } else { number(0, &value)? };
    cx.astype(&cx.select(&inside, &shifted, &rest)?, element)
}

/// Returns integers that order floating-point numbers totally: −NaN, −∞, …, −0, 0, …, ∞, NaN.
pub(super) fn total_key(cx: &Launch<'_>, x: &MlxArray) -> Result<MlxArray, MlxError> {
    let to = signed(x.element_type());
    let dims = x.dims();
    let mut one = dims.clone();
    one.push(1);
    let bits = cx.view(&cx.reshape(x, &one)?, to)?;
    let width = to.integer().map_or(32, |(bits, _)| bits as i32);
    let sign = cx.shift(false, &bits, &cx.number_like(width - 1, &bits)?)?;
    // The bits below the sign are inverted if the sign is set.
    let below = cx.scalar(&(u64::MAX >> (65 - width)).to_le_bytes(), ElementType::U64)?;
    let turned = cx.binary(Binary::BitwiseAnd, &sign, &cx.astype(&below, to)?)?;
    cx.reshape(&cx.binary(Binary::BitwiseXor, &bits, &turned)?, &dims)
}
