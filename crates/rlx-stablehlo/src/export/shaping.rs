//! Constants, and ops that move elements without computing.

use super::constant::dense;
use super::writer::{Value, Writer, list, names, signature, ty};
use rlx_ir::{DType, Dim, Op, Shape};

/// Writes the op's line, and before it what computes symbolic sizes.
pub(super) fn write(w: &mut Writer<'_, '_>, op: &Op, xs: &[Value], result: &Shape) -> Option<Value> {
    let results = std::slice::from_ref(result);
    let text = match op {
        Op::Constant { value } => format!("stablehlo.constant dense<{}> : {}", dense(value), ty(result)),
        Op::DimSize { axis } => {
            let size = w.helper(
                &Shape::scalar(DType::I32),
                &format!("stablehlo.get_dimension_size {}, dim = {axis} : {}", names(xs), {
                    signature(xs, &[Shape::scalar(DType::I32)])
                }),
            );
            format!("stablehlo.convert {} : {}", size.name, signature(std::slice::from_ref(&size), results))
        }
        Op::Iota { axis, .. } if result.is_static() => {
            format!("stablehlo.iota dim = {axis} : {}", ty(result))
        }
        Op::Iota { axis, .. } => {
            let sizes = w.shape_vector(result.dims())?;
            let operands = std::slice::from_ref(&sizes);
            format!("stablehlo.dynamic_iota {}, dim = {axis} : {}", sizes.name, signature(operands, results))
        }
        Op::Reshape { .. } if result.is_static() => {
            format!("stablehlo.reshape {} : {}", names(xs), signature(xs, results))
        }
        Op::Reshape { .. } => {
            let operands = [xs.first()?.clone(), w.shape_vector(result.dims())?];
            format!("stablehlo.dynamic_reshape {} : {}", names(&operands), signature(&operands, results))
        }
        Op::Transpose { perm } => {
            format!("stablehlo.transpose {}, dims = {} : {}", names(xs), list(perm), signature(xs, results))
        }
        Op::BroadcastInDim { axes, .. } if result.is_static() => {
            let (operands, axes) = (names(xs), list(axes));
            format!("stablehlo.broadcast_in_dim {operands}, dims = {axes} : {}", signature(xs, results))
        }
        Op::BroadcastInDim { axes, .. } => {
            let operands = [xs.first()?.clone(), w.shape_vector(result.dims())?];
            let (names, signature) = (names(&operands), signature(&operands, results));
            format!("stablehlo.dynamic_broadcast_in_dim {names}, dims = {} : {signature}", list(axes))
        }
        Op::Slice { starts, limits, strides } => return slice(w, xs, starts, limits, strides, result),
        Op::Pad { low, high, interior } => {
            let (low, high, interior) = (list(low), list(high), list(interior));
            let signature = signature(xs, results);
            format!(
                "stablehlo.pad {}, low = {low}, high = {high}, interior = {interior} : {signature}",
                names(xs)
            )
        }
        Op::Concatenate { axis } => {
            format!("stablehlo.concatenate {}, dim = {axis} : {}", names(xs), signature(xs, results))
        }
        Op::Reverse { axes } => {
            format!("stablehlo.reverse {}, dims = {} : {}", names(xs), list(axes), ty(result))
        }
        Op::DynamicSlice { sizes } => return dynamic_slice(w, xs, sizes, result),
        Op::DynamicUpdateSlice {} => {
            format!("stablehlo.dynamic_update_slice {} : {}", names(xs), signature(xs, results))
        }
        _ => return None,
    };
    Some(w.one(result, &text))
}

/// A box between static places, or between symbolic ones.
fn slice(
    w: &mut Writer<'_, '_>,
    xs: &[Value],
    starts: &[Dim],
    limits: &[Dim],
    strides: &[usize],
    result: &Shape,
) -> Option<Value> {
    let results = std::slice::from_ref(result);
    let is_static = |dims: &[Dim]| dims.iter().all(|d| d.as_static().is_some());
    if is_static(starts) && is_static(limits) {
        let places = starts.iter().zip(limits).zip(strides).map(|((start, limit), stride)| match stride {
            1 => format!("{start}:{limit}"),
            _ => format!("{start}:{limit}:{stride}"),
        });
        let places = places.collect::<Vec<_>>().join(", ");
        return Some(
            w.one(result, &format!("stablehlo.slice {} [{places}] : {}", names(xs), signature(xs, results))),
        );
    }
    let strides: Vec<Dim> = strides.iter().map(|&n| Dim::Static(n)).collect();
    let operands =
        [xs.first()?.clone(), w.shape_vector(starts)?, w.shape_vector(limits)?, w.shape_vector(&strides)?];
    let (names, signature) = (names(&operands), signature(&operands, results));
    Some(w.one(result, &format!("stablehlo.real_dynamic_slice {names} : {signature}")))
}

/// A box of static sizes; one of symbolic sizes is a slice from a place that is moved inside here.
fn dynamic_slice(w: &mut Writer<'_, '_>, xs: &[Value], sizes: &[Dim], result: &Shape) -> Option<Value> {
    let results = std::slice::from_ref(result);
    let static_sizes: Option<Vec<usize>> = sizes.iter().map(Dim::as_static).collect();
    let sizes = static_sizes?;
    let (names, signature) = (names(xs), signature(xs, results));
    Some(w.one(result, &format!("stablehlo.dynamic_slice {names}, sizes = {} : {signature}", list(&sizes))))
}
