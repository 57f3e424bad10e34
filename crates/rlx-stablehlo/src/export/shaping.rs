//! Writes constants and ops that move elements.

use super::constant::dense;
use super::writer::{EmittedValue, Writer, list, names, signature, ty};
use rlx_ir::{DType, Dim, Op, Shape};

/// Writes the op's line, and before it the computation of symbolic sizes.
pub(super) fn write(
    w: &mut Writer<'_, '_>,
    op: &Op,
    xs: &[EmittedValue],
    result: &Shape,
) -> Option<EmittedValue> {
    let results = std::slice::from_ref(result);
    let text = match op {
        Op::Constant { value } => format!("stablehlo.constant dense<{}> : {}", dense(value), ty(result)),
        Op::DimSize { axis } => {
            let size = w.axis_size(xs.first()?, *axis);
            format!("stablehlo.convert {} : {}", size.name, signature(std::slice::from_ref(&size), results))
        }
        Op::Iota { axis, .. } if result.is_static() => {
            format!("stablehlo.iota dim = {axis} : {}", ty(result))
        }
        Op::Iota { axis, .. } => {
            let sizes = w.shape_vector(result.dims());
            let operands = std::slice::from_ref(&sizes);
            format!("stablehlo.dynamic_iota {}, dim = {axis} : {}", sizes.name, signature(operands, results))
        }
        Op::Reshape { .. } if result.is_static() => {
            format!("stablehlo.reshape {} : {}", names(xs), signature(xs, results))
        }
        Op::Reshape { .. } => {
            let operands = [xs.first()?.clone(), w.shape_vector(result.dims())];
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
            let operands = [xs.first()?.clone(), w.shape_vector(result.dims())];
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

/// Writes a slice with static or symbolic bounds.
fn slice(
    w: &mut Writer<'_, '_>,
    xs: &[EmittedValue],
    starts: &[Dim],
    limits: &[Dim],
    strides: &[usize],
    result: &Shape,
) -> Option<EmittedValue> {
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
        [xs.first()?.clone(), w.shape_vector(starts), w.shape_vector(limits), w.shape_vector(&strides)];
    let (names, signature) = (names(&operands), signature(&operands, results));
    Some(w.one(result, &format!("stablehlo.real_dynamic_slice {names} : {signature}")))
}

/// Writes a slice of static sizes. A slice of symbolic sizes becomes one with computed bounds, whose start is clamped to the axis here.
fn dynamic_slice(
    w: &mut Writer<'_, '_>,
    xs: &[EmittedValue],
    sizes: &[Dim],
    result: &Shape,
) -> Option<EmittedValue> {
    let results = std::slice::from_ref(result);
    let static_sizes: Option<Vec<usize>> = sizes.iter().map(Dim::as_static).collect();
    if let Some(sizes) = static_sizes {
        let (names, signature) = (names(xs), signature(xs, results));
        return Some(w.one(
            result,
            &format!("stablehlo.dynamic_slice {names}, sizes = {} : {signature}", list(&sizes)),
        ));
    }
    let (x, starts) = xs.split_first()?;
    let vector = Shape::new(&[starts.len()], DType::I32);
    let zero = w.shape_vector(&vec![Dim::Static(0); starts.len()]);
    let room: Vec<Dim> = x.shape.dims().iter().zip(sizes).map(|(dim, size)| dim - size).collect();
    let room = w.shape_vector(&room);
    let start = start_vector(w, starts);
    let operands = [zero, start, room];
    let start = w.helper(&vector, &format!("stablehlo.clamp {} : {}", names(&operands), ty(&vector)));
    let size = w.shape_vector(sizes);
    let limit = w.helper(&vector, &format!("stablehlo.add {}, {} : {}", start.name, size.name, ty(&vector)));
    let ones = w.shape_vector(&vec![Dim::Static(1); starts.len()]);
    let operands = [x.clone(), start, limit, ones];
    let (names, signature) = (names(&operands), signature(&operands, results));
    Some(w.one(result, &format!("stablehlo.real_dynamic_slice {names} : {signature}")))
}

/// Writes scalars as a vector of i32. Values that do not fit are clamped to the nearest i32.
fn start_vector(w: &mut Writer<'_, '_>, starts: &[EmittedValue]) -> EmittedValue {
    let item = Shape::new(&[1], DType::I32);
    let items: Vec<EmittedValue> = starts
        .iter()
        .map(|start| {
            let dtype = start.shape.dtype();
            let limit = |w: &mut Writer<'_, '_>, value: i64| {
                let text = format!("stablehlo.constant dense<{value}> : {}", ty(&start.shape));
                w.helper(&start.shape, &text)
            };
            let small = if dtype.size() < 4 || dtype == DType::I32 {
                start.clone()
            } else {
                let operands = [limit(w, 0), start.clone(), limit(w, i64::from(i32::MAX))];
                w.helper(
                    &start.shape,
                    &format!("stablehlo.clamp {} : {}", names(&operands), ty(&start.shape)),
                )
            };
            let scalar = Shape::scalar(DType::I32);
            let convert = signature(std::slice::from_ref(&small), std::slice::from_ref(&scalar));
            let number = w.helper(&scalar, &format!("stablehlo.convert {} : {convert}", small.name));
            let reshape = signature(std::slice::from_ref(&number), std::slice::from_ref(&item));
            w.helper(&item, &format!("stablehlo.reshape {} : {reshape}", number.name))
        })
        .collect();
    let vector = Shape::new(&[starts.len()], DType::I32);
    let signature = signature(&items, std::slice::from_ref(&vector));
    w.helper(&vector, &format!("stablehlo.concatenate {}, dim = 0 : {signature}", names(&items)))
}
