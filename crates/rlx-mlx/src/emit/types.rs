//! Element types, and conversions between them.

use super::{Declined, Site, Step, step};
use crate::launch::Launch;
use rlx_ir::{DType, Op};
use rlx_mlx_sys::{Binary, ElementType, MlxArray, MlxError, Unary};

/// Returns MLX's element type for one of RLX's.
pub(crate) fn element_type(dtype: DType) -> Result<ElementType, Declined> {
    Ok(match dtype {
        DType::F64 => ElementType::F64,
        DType::F32 => ElementType::F32,
        DType::F16 => ElementType::F16,
        DType::BF16 => ElementType::BF16,
        DType::I8 => ElementType::I8,
        DType::I16 => ElementType::I16,
        DType::I32 => ElementType::I32,
        DType::I64 => ElementType::I64,
        DType::U8 => ElementType::U8,
        DType::U16 => ElementType::U16,
        DType::U32 => ElementType::U32,
        DType::U64 => ElementType::U64,
        DType::Bool => ElementType::Bool,
        DType::C64 => ElementType::C64,
        DType::F8E4M3 | DType::F8E5M2 | DType::C128 => return Err(format!("MLX has no arrays of {dtype}")),
    })
}

/// Returns RLX's element type for one of MLX's.
pub(super) fn dtype(element: ElementType) -> DType {
    match element {
        ElementType::F64 => DType::F64,
        ElementType::F32 => DType::F32,
        ElementType::F16 => DType::F16,
        ElementType::BF16 => DType::BF16,
        ElementType::I8 => DType::I8,
        ElementType::I16 => DType::I16,
        ElementType::I32 => DType::I32,
        ElementType::I64 => DType::I64,
        ElementType::U8 => DType::U8,
        ElementType::U16 => DType::U16,
        ElementType::U32 => DType::U32,
        ElementType::U64 => DType::U64,
        ElementType::Bool => DType::Bool,
        ElementType::C64 => DType::C64,
    }
}

/// Returns a floating-point number as a scalar of f32 or f64.
fn float(cx: &Launch<'_>, value: f64, element: ElementType) -> Result<MlxArray, MlxError> {
    match element {
        ElementType::F64 => cx.scalar(&value.to_le_bytes(), element),
        _ => cx.scalar(&(value as f32).to_le_bytes(), ElementType::F32),
    }
}

/// Converts floating-point numbers to integers. Rounds toward zero, maps NaN to 0, and saturates at the bounds of the type.
fn saturated(
    cx: &Launch<'_>,
    x: &MlxArray,
    to: ElementType,
    bits: u32,
    signed: bool,
) -> Result<MlxArray, MlxError> {
    // Every f16 and bf16 number is also an f32 number.
    let x = match x.element_type() {
        ElementType::F32 | ElementType::F64 => x.clone(),
        _ => cx.astype(x, ElementType::F32)?,
    };
    let element = x.element_type();
    let above = 2f64.powi(bits as i32 - i32::from(signed));
    let below = if signed { -above } else { 0.0 };
    let is_above = cx.binary(Binary::GreaterEqual, &x, &float(cx, above, element)?)?;
    let is_below = cx.binary(Binary::Less, &x, &float(cx, below, element)?)?;
    let beyond = cx.binary(Binary::LogicalOr, &is_above, &is_below)?;
    let outside = cx.binary(Binary::LogicalOr, &beyond, &cx.unary(Unary::IsNan, &x)?)?;
    let inside = cx.select(&outside, &float(cx, 0.0, element)?, &x)?;
    let inside = cx.astype(&inside, to)?;
    let (largest, smallest) = ends(bits, signed);
    let end = |value: u64| cx.astype(&cx.scalar(&value.to_le_bytes(), ElementType::U64)?, to);
    let raised = cx.select(&is_above, &end(largest)?, &inside)?;
    cx.select(&is_below, &end(smallest)?, &raised)
}

/// Returns the maximum and the minimum integer, by their bits.
fn ends(bits: u32, signed: bool) -> (u64, u64) {
    let all = u64::MAX >> (64 - bits);
    if signed { (all >> 1, !(all >> 1)) } else { (all, 0) }
}

/// Converts f64 numbers to f32 numbers that round to the same numbers in narrower types. Inexact results are rounded to odd.
fn to_odd(cx: &Launch<'_>, x: &MlxArray) -> Result<MlxArray, MlxError> {
    let near = cx.astype(x, ElementType::F32)?;
    let back = cx.astype(&near, ElementType::F64)?;
    let dims = x.dims();
    let mut one = dims.clone();
    one.push(1);
    let bits = cx.view(&cx.reshape(&near, &one)?, ElementType::I32)?;
    let even = cx.binary(Binary::BitwiseAnd, &bits, &cx.int(1)?)?;
    let even = cx.reshape(&cx.binary(Binary::Equal, &even, &cx.int(0)?)?, &dims)?;
    let finite = cx.unary(Unary::IsFinite, &near)?;
    let differs = cx.binary(Binary::LogicalAnd, &cx.binary(Binary::NotEqual, x, &back)?, &finite)?;
    let moves = cx.binary(Binary::LogicalAnd, &differs, &even)?;
    // Away from zero if the number was rounded down in magnitude.
    let (size, rounded) = (cx.unary(Unary::Abs, x)?, cx.unary(Unary::Abs, &back)?);
    let away = cx.binary(Binary::Greater, &size, &rounded)?;
    let by = cx.select(&away, &cx.int(1)?, &cx.int(-1)?)?;
    let by = cx.reshape(&cx.select(&moves, &by, &cx.int(0)?)?, &one)?;
    let moved = cx.view(&cx.binary(Binary::Add, &bits, &by)?, ElementType::F32)?;
    cx.reshape(&moved, &dims)
}

/// Converts the elements of x to another type.
pub(super) fn converted(cx: &Launch<'_>, x: &MlxArray, to: ElementType) -> Result<MlxArray, MlxError> {
    let from = x.element_type();
    match to.integer() {
        _ if from == to => Ok(x.clone()),
        Some((bits, signed)) if from.is_float() => saturated(cx, x, to, bits, signed),
        Some(_) if from == ElementType::C64 => converted(cx, &cx.unary(Unary::Real, x)?, to),
        None if from == ElementType::C64 && to == ElementType::Bool => {
            cx.binary(Binary::NotEqual, x, &cx.number_like(0, x)?)
        }
        None if from == ElementType::C64 => cx.astype(&cx.unary(Unary::Real, x)?, to),
        None if from == ElementType::F64 && to.size() == 2 => cx.astype(&to_odd(cx, x)?, to),
        _ => cx.astype(x, to),
    }
}

pub(super) fn convert(site: &Site<'_>) -> Result<Step, Declined> {
    let to = site.result().element;
    step(move |cx, x| converted(cx, x[0], to))
}

pub(super) fn bitcast_convert(site: &Site<'_>) -> Result<Step, Declined> {
    let (from, to) = (site.x().element, site.result().element);
    let dims = site.result().dims.clone();
    if from == to {
        return step(|_, x| Ok(x[0].clone()));
    }
    step(move |cx, x| {
        // Elements that become narrower get an additional axis for their parts. Elements that become wider lose it.
        let mut with_axis = x[0].dims();
        if from.size() >= to.size() {
            with_axis.push(1);
        }
        let x = cx.reshape(x[0], &with_axis)?;
        if to == ElementType::Bool {
            let bytes = cx.view(&x, ElementType::U8)?;
            return cx.reshape(&cx.astype(&bytes, to)?, &dims);
        }
        cx.reshape(&cx.view(&x, to)?, &dims)
    })
}

/// Reduces the exponent and mantissa bits of f32 or f64 numbers. The mantissa is rounded to even, with integer arithmetic.
pub(super) fn reduce_precision(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::ReducePrecision { exponent_bits, mantissa_bits } = site.op else { return site.decline("here") };
    let element = site.x().element;
    // The type for computation, the integer type of its bits, and its numbers of mantissa and exponent bits.
    let (wide, whole, mantissa, exponent) = match element {
        ElementType::F64 => (ElementType::F64, ElementType::U64, 52u32, 11u32),
        _ => (ElementType::F32, ElementType::U32, 23, 8),
    };
    step(move |cx, x| {
        let dims = x[0].dims();
        let mut one = dims.clone();
        one.push(1);
        let value = cx.reshape(&cx.astype(x[0], wide)?, &one)?;
        let bits = cx.view(&value, whole)?;
        let word = |value: u64| cx.astype(&cx.scalar(&value.to_le_bytes(), ElementType::U64)?, whole);
        let mut rounded = bits.clone();
        if mantissa_bits < mantissa {
            let dropped = mantissa - mantissa_bits;
            let odd = cx.binary(
                Binary::BitwiseAnd,
                &cx.shift(false, &bits, &word(u64::from(dropped))?)?,
                &word(1)?,
            )?;
            let half = cx.binary(Binary::Add, &odd, &word((1u64 << (dropped - 1)) - 1)?)?;
            let sum = cx.binary(Binary::Add, &bits, &half)?;
            let kept = !((1u64 << dropped) - 1) & (u64::MAX >> (63 - mantissa - exponent));
            rounded = cx.binary(Binary::BitwiseAnd, &sum, &word(kept)?)?;
        }
        let sign = cx.binary(Binary::BitwiseAnd, &bits, &word(1 << (mantissa + exponent))?)?;
        if exponent_bits <= exponent {
            let (bias, own) = ((1u64 << (exponent_bits - 1)) - 1, (1u64 << (exponent - 1)) - 1);
            let all = ((1u64 << exponent) - 1) << mantissa;
            let power = cx.binary(Binary::BitwiseAnd, &rounded, &word(all)?)?;
            let large = cx.binary(Binary::Greater, &power, &word((own + bias) << mantissa)?)?;
            let small = cx.binary(Binary::LessEqual, &power, &word((own - bias) << mantissa)?)?;
            let infinite = cx.binary(Binary::BitwiseOr, &sign, &word(all)?)?;
            rounded = cx.select(&large, &infinite, &rounded)?;
            rounded = cx.select(&small, &sign, &rounded)?;
        }
        let result = cx.view(&rounded, wide)?;
        let result = cx.select(&cx.unary(Unary::IsNan, &value)?, &value, &result)?;
        cx.astype(&cx.reshape(&result, &dims)?, element)
    })
}
