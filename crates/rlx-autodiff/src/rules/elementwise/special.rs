//! Derivatives by operands for which there is no formula: the op's expansion, pushed forward along that operand.

use super::wide;
use crate::error::Error;
use crate::forward::{Dual, Forward, Mode};
use crate::trace::full_like;
use rlx_ir::{DType, Op, Shape, Tensor, UnaryOp};

/// The derivative of an elementwise op by one operand: forward mode through its expansion, in a wide type. What comes out is a value
/// like any other, so that the tangent is linear in it and reverse mode has no loop to turn round.
pub(super) fn slope(cx: &Forward<'_>, op: &Op, operands: &[&Tensor], by: usize) -> Result<Tensor, Error> {
    let dtype = operands[by].dtype();
    let operands: Vec<Tensor> = operands.iter().map(|x| x.convert(wide(dtype))).collect();
    Ok(pushed(cx, op, &operands, by)?.convert(dtype))
}

/// [`slope`] of an op whose expansion loops until its value stands still. Where the operand is a whole number, factors that vanish there
/// make that long before the derivative does: it is taken as the mean of those to both sides.
pub(super) fn slope_of_loop(
    cx: &Forward<'_>,
    op: &Op,
    operands: &[&Tensor],
    by: usize,
) -> Result<Tensor, Error> {
    let dtype = operands[by].dtype();
    let operands: Vec<Tensor> = operands.iter().map(|x| x.convert(wide(dtype))).collect();
    let at = |x: Tensor| {
        let mut moved = operands.clone();
        moved[by] = x;
        pushed(cx, op, &moved, by)
    };
    let [below, above] = beside_whole_numbers(&operands[by]);
    Ok(((at(below)? + at(above)?) * 0.5).convert(dtype))
}

/// The number itself, twice; if it is nearly whole, two at both sides of it. The error of their mean is of second order in the distance,
/// and that of a loop which ends early inverse to it: they balance at the cube root of the precision.
fn beside_whole_numbers(x: &Tensor) -> [Tensor; 2] {
    let precision = if x.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let distance = precision.cbrt();
    let from_whole = (x - x.unary(UnaryOp::RoundEven)).abs();
    let nearly = from_whole.less(&full_like(x, distance)).and(&x.greater(&full_like(x, 0.5)));
    let moved = |by: f64| nearly.select(&(x + by), x);
    [moved(-2.0 * distance), moved(2.0 * distance)]
}

/// The expansion of an op pushed forward a tangent of one of an operand.
fn pushed(cx: &Forward<'_>, op: &Op, operands: &[Tensor], by: usize) -> Result<Tensor, Error> {
    let shapes: Vec<Shape> = operands.iter().map(Tensor::shape).collect();
    let Some(expansion) = rlx_expand::expand_graph(op, &shapes) else {
        return Err(Error::no_rule("derivative", "it has no expansion to differentiate"));
    };
    let dual = |(i, x): (usize, &Tensor)| match i == by {
        true => Dual::new(x.clone(), full_like(x, 1.0)),
        false => Dual::constant(x.clone()),
    };
    let duals: Vec<Dual> = operands.iter().enumerate().map(dual).collect();
    let forward = Forward { builder: cx.builder, mode: Mode::Forward, options: cx.options };
    let mut results = forward.graph(&expansion?, &duals, &[])?;
    Ok(results.swap_remove(0).tangent_or_zeros())
}
