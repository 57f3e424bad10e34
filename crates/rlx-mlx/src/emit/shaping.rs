//! Constants and iotas, and arrays in other shapes.

use super::{Declined, Site, Step, step};
use rlx_ir::{Op, Shape};
use rlx_mlx_sys::{ElementType, MlxArray, Slices};

/// Returns the value of a constant.
pub(crate) fn constant(
    mlx: rlx_mlx_sys::Mlx,
    value: &rlx_ir::Literal,
) -> Result<MlxArray, rlx_mlx_sys::MlxError> {
    let element = super::element_type(value.dtype()).map_err(rlx_mlx_sys::MlxError::Argument)?;
    MlxArray::from_bytes(mlx, value.bytes(), &value.dims(), element)
}

pub(super) fn iota(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Iota { axis, .. } = site.op else { return site.decline("here") };
    let result = site.result().clone();
    step(move |cx, _| {
        let size = result.dims[axis];
        let mut along = vec![1; result.rank()];
        along[axis] = size;
        let end = i64::try_from(size).unwrap_or(i64::MAX);
        let wide = cx.arange(0, end, ElementType::I64)?;
        let numbers = cx.reshape(&cx.astype(&wide, result.element)?, &along)?;
        cx.broadcast_to(&numbers, &result.dims)
    })
}

pub(super) fn dim_size(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::DimSize { axis } = site.op else { return site.decline("here") };
    let (size, element) = (site.x().dims[axis] as u64, site.result().element);
    step(move |cx, _| cx.astype(&cx.scalar(&size.to_le_bytes(), ElementType::U64)?, element))
}

pub(super) fn reshape(site: &Site<'_>) -> Result<Step, Declined> {
    let dims = site.result().dims.clone();
    step(move |cx, x| cx.reshape(x[0], &dims))
}

pub(super) fn transpose(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Transpose { perm } = site.op else { return site.decline("here") };
    let perm = perm.clone();
    step(move |cx, x| cx.transpose(x[0], &perm))
}

pub(super) fn broadcast_in_dim(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::BroadcastInDim { axes, .. } = site.op else { return site.decline("here") };
    let dims = site.result().dims.clone();
    let mut spread = vec![1; dims.len()];
    for (&axis, &size) in axes.iter().zip(&site.x().dims) {
        spread[axis] = size;
    }
    // Axes of the operand need not be in order.
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&i| axes[i]);
    let in_order = order.iter().enumerate().all(|(i, &o)| i == o);
    step(move |cx, x| {
        let ordered = if in_order { x[0].clone() } else { cx.transpose(x[0], &order)? };
        cx.broadcast_to(&cx.reshape(&ordered, &spread)?, &dims)
    })
}

pub(super) fn slice(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Slice { starts, limits, strides } = site.op else { return site.decline("here") };
    let sizes = |dims: &[rlx_ir::Dim]| dims.iter().map(|d| d.as_static()).collect::<Option<Vec<usize>>>();
    let (Some(starts), Some(stops)) = (sizes(starts), sizes(limits)) else {
        return site.decline("with ends that are not known yet");
    };
    let slices = Slices { starts, stops, strides: strides.clone() };
    step(move |cx, x| cx.slice(x[0], &slices))
}

pub(super) fn concatenate(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Concatenate { axis } = site.op else { return site.decline("here") };
    let full: Vec<bool> = site.operands.iter().map(|operand| !operand.is_empty()).collect();
    step(move |cx, x| {
        let parts: Vec<&MlxArray> = x.iter().zip(&full).filter(|(_, full)| **full).map(|(x, _)| *x).collect();
        match parts[..] {
            [one] => Ok(one.clone()),
            _ => cx.concatenate(&parts, axis),
        }
    })
}

pub(super) fn reverse(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Reverse { axes } = site.op else { return site.decline("here") };
    let axes = axes.clone();
    step(move |cx, x| cx.reverse(x[0], &axes))
}

pub(super) fn optimization_barrier(_: &Site<'_>) -> Result<Step, Declined> {
    super::steps(|_, x| Ok(x.iter().map(|&x| x.clone()).collect()))
}

/// A value that the caller already has: the constant in a claim.
pub(super) fn leaf(site: &Site<'_>) -> Result<Step, Declined> {
    match site.op {
        Op::Constant { value } => {
            let value = value.clone();
            step(move |cx, _| constant(cx.mlx(), &value))
        }
        _ => site.decline("that is computed"),
    }
}

/// Formats the shape of a value for messages.
pub(crate) fn text(shapes: &[Shape]) -> String {
    shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ")
}
