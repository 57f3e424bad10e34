//! Derivatives of special functions in operands for which there is no formula: the op's expansion is differentiated instead.

use super::wide;
use crate::error::Error;
use crate::forward::{Dual, Forward, Mode};
use crate::trace::{full_like, zeros_like};
use rlx_ir::{DType, Dim, Literal, Op, ReduceOp, Shape, Tensor, UnaryOp};

/// The derivative of an elementwise op in one operand, computed by forward mode through its expansion in a wide type. The result
/// is an ordinary value, so the tangent is linear in it, and reverse mode does not have to reverse a loop.
pub(super) fn slope(cx: &Forward<'_>, op: &Op, operands: &[&Tensor], by: usize) -> Result<Tensor, Error> {
    let dtype = operands[by].dtype();
    let operands: Vec<Tensor> = operands.iter().map(|x| x.convert(wide(dtype))).collect();
    Ok(pushed(cx, op, &operands, by)?.convert(dtype))
}

/// [`slope`] for an op whose expansion loops until its value no longer changes. If one of the operands `whole` is a whole number,
/// some factors vanish, and the value stops changing long before the derivative does. Then the derivative is interpolated from
/// points around it at which the operand is not whole, and one loop computes all points together.
pub(super) fn slope_of_loop(
    cx: &Forward<'_>,
    op: &Op,
    operands: &[&Tensor],
    by: usize,
    whole: &[usize],
) -> Result<Tensor, Error> {
    let dtype = operands[by].dtype();
    let operands: Vec<Tensor> = operands.iter().map(|x| x.convert(wide(dtype))).collect();
    let dims: Vec<Dim> = std::iter::once(Dim::Static(POINTS.len())).chain(operands[by].dims()).collect();
    let each: Vec<Dim> = (0..dims.len()).map(|i| if i == 0 { dims[0].clone() } else { 1.into() }).collect();
    let column = |of: fn((f64, f64)) -> f64| {
        // INVARIANT: the number of elements is that of the shape.
        let numbers = Literal::new(&[POINTS.len()], &POINTS.map(of)).expect("one number per point");
        cx.builder.constant(numbers).convert(wide(dtype)).reshape(&each)
    };
    let (offsets, weights) = (column(|p| p.0), column(|p| p.1));
    let moved = |(i, x): (usize, &Tensor)| match whole.contains(&i) {
        true => x + &offsets * distance_to_keep(x),
        false => x.clone(),
    };
    let at: Vec<Tensor> = operands.iter().enumerate().map(|o| moved(o).broadcast_to(&dims)).collect();
    let slopes = pushed(cx, op, &at, by)? * weights;
    Ok(slopes.reduce(ReduceOp::Sum, &[0], false).convert(dtype))
}

/// Points around a number, in units of the distance to keep from it, with the weights that give the value at the number up to
/// terms of fourth order.
const POINTS: [(f64, f64); 4] = [(-4.0, -1.0 / 6.0), (-2.0, 4.0 / 6.0), (2.0, 4.0 / 6.0), (4.0, -1.0 / 6.0)];

/// The distance to keep from a whole number if `x` is close to one, otherwise 0. The error of the interpolation is of fourth
/// order in the distance, and that of a loop that ends early is inversely proportional to it. They balance at the fifth root of
/// the precision.
fn distance_to_keep(x: &Tensor) -> Tensor {
    let precision = if x.dtype() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let distance = 0.7 * precision.powf(0.2);
    let from_whole = (x - x.unary(UnaryOp::RoundEven)).abs();
    let nearly = from_whole.less(&full_like(x, distance)).and(&x.greater(&full_like(x, 0.5)));
    nearly.select(&full_like(x, distance), &zeros_like(x))
}

/// Pushes a tangent of ones of one operand forward through the expansion of an op.
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
