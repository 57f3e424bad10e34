//! Imports operations that move elements, if the text states their sizes.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, one};
use super::sizes;
use rlx_ir::{DType, Dim, NodeId, Op};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.reshape" => reshape,
        "stablehlo.transpose" => transpose,
        "stablehlo.broadcast_in_dim" => broadcast_in_dim,
        "stablehlo.broadcast" => broadcast,
        "stablehlo.slice" => slice,
        "stablehlo.pad" => pad,
        "stablehlo.concatenate" => concatenate,
        "stablehlo.reverse" => reverse,
        "stablehlo.dynamic_slice" => dynamic_slice,
        "stablehlo.dynamic_update_slice" => dynamic_update_slice,
        "stablehlo.get_dimension_size" => get_dimension_size,
        "stablehlo.set_dimension_size" => set_dimension_size,
        _ => return None,
    })
}

fn reshape(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let declared = cx.declared(0)?;
    let dims = match declared.fixed() {
        Some(shape) => shape.dims().to_vec(),
        None => rest(cx.shape(x).dims(), &declared.dims).ok_or_else(|| {
            Problem::unsupported(format!(
                "the sizes of its result {declared} do not follow from its operand; use dynamic_reshape"
            ))
        })?,
    };
    one(cx.reshape(x, &dims)?)
}

/// Returns the sizes of a reshape in which only one is open.
fn rest(from: &[Dim], to: &[Option<usize>]) -> Option<Vec<Dim>> {
    let known: usize = to.iter().flatten().try_fold(1usize, |acc, &n| acc.checked_mul(n))?;
    if to.iter().filter(|d| d.is_none()).count() != 1 || known == 0 {
        return None;
    }
    let total = from.iter().fold(Dim::Static(1), |acc, d| &acc * d);
    let open = total.floor_div(&Dim::Static(known));
    Some(to.iter().map(|d| d.map_or_else(|| open.clone(), Dim::Static)).collect())
}

fn transpose(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let perm = cx.fields().axes("permutation")?;
    one(cx.add(Op::Transpose { perm }, &[x])?)
}

fn broadcast_in_dim(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let axes = cx.fields().axes("broadcast_dimensions")?;
    let declared = cx.declared(0)?;
    let own = cx.shape(x);
    let dims = declared.with(|axis| {
        let from = axes.iter().position(|&a| a == axis);
        from.and_then(|i| own.dims().get(i).cloned()).unwrap_or(Dim::Static(1))
    });
    one(repeat(cx, x, dims.dims(), axes)?)
}

/// Adds a broadcast if it is needed.
pub(super) fn repeat(
    cx: &mut ImportContext<'_, '_>,
    x: NodeId,
    dims: &[Dim],
    axes: Vec<usize>,
) -> Outcome<NodeId> {
    let same = cx.shape(x).dims() == dims && axes.iter().copied().eq(0..dims.len());
    if same { Ok(x) } else { cx.add(Op::BroadcastInDim { dims: dims.to_vec(), axes }, &[x]) }
}

fn broadcast(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let sizes = cx.fields().axes("broadcast_sizes")?;
    let own = cx.shape(x).dims().to_vec();
    let axes = (sizes.len()..sizes.len() + own.len()).collect();
    let dims = [sizes.into_iter().map(Dim::Static).collect(), own].concat();
    one(repeat(cx, x, &dims, axes)?)
}

fn slice(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let (fields, rank) = (cx.fields(), cx.rank(x));
    let starts = fields.axes("start_indices")?.into_iter().map(Dim::Static).collect();
    let limits = fields.axes("limit_indices")?.into_iter().map(Dim::Static).collect();
    let strides = fields.sizes_or("strides", rank, 1)?;
    one(cx.add(Op::Slice { starts, limits, strides }, &[x])?)
}

fn pad(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, value] = cx.operands()?;
    let (fields, rank) = (cx.fields(), cx.rank(x));
    let low = fields.ints_or("edge_padding_low", rank, 0)?;
    let high = fields.ints_or("edge_padding_high", rank, 0)?;
    let interior = fields.sizes_or("interior_padding", rank, 0)?;
    one(cx.add(Op::Pad { low, high, interior }, &[x, value])?)
}

fn concatenate(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let xs = cx.tensors()?;
    let axis = cx.fields().need_size("dimension")?;
    one(cx.add(Op::Concatenate { axis }, &xs)?)
}

fn reverse(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let axes = cx.fields().axes("dimensions")?;
    one(cx.add(Op::Reverse { axes }, &[x])?)
}

fn dynamic_slice(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = cx.tensors()?;
    let sizes = cx.fields().axes("slice_sizes")?.into_iter().map(Dim::Static).collect();
    one(cx.add(Op::DynamicSlice { sizes }, &args)?)
}

fn dynamic_update_slice(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = cx.tensors()?;
    one(cx.add(Op::DynamicUpdateSlice {}, &args)?)
}

fn get_dimension_size(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let axis = cx.fields().need_size("dimension")?;
    let size = match cx.shape(x).dims().get(axis) {
        Some(Dim::Static(n)) => {
            let n = i64::try_from(*n).map_err(|_| Problem::error("the size does not fit 64 bits"))?;
            cx.integer(n, DType::I32)?
        }
        _ => {
            let size = cx.add(Op::DimSize { axis }, &[x])?;
            cx.convert(size, DType::I32)?
        }
    };
    one(size)
}

/// Sets the size of an axis. RLX's tensors have no sizes smaller than their memory, so that a smaller size becomes a slice.
fn set_dimension_size(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, size] = cx.operands()?;
    let axis = cx.fields().need_size("dimension")?;
    let known = cx.im.scope.sizes.get(&size).and_then(|s| s.first().cloned());
    let now = cx.shape(x).dims().get(axis).cloned();
    match (known, now) {
        (_, None) => Err(Problem::error(format!("there is no axis {axis}"))),
        (Some(known), Some(now)) if known.dim == now => one(x),
        (Some(known), Some(Dim::Static(n))) if !sizes::is_unknown(&known.dim) => {
            // A size smaller than the memory shortens the axis.
            let rank = cx.rank(x);
            let mut limits = cx.shape(x).dims().to_vec();
            match known.value() {
                Some(value) if usize::try_from(value).is_ok_and(|v| v <= n) => limits[axis] = known.dim,
                _ => return Err(Problem::error("the size is larger than the axis")),
            }
            let op = Op::Slice { starts: vec![Dim::Static(0); rank], limits, strides: vec![1; rank] };
            one(cx.add(op, &[x])?)
        }
        _ => Err(Problem::unsupported(
            "the size depends on run-time values, but RLX's shapes must follow from those of the inputs",
        )),
    }
}
