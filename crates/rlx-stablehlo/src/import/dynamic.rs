//! Imports operations whose sizes are operands. The sizes follow from what is known about the operands, or from the
//! declared result.

use super::constants::counter;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, one};
use super::convolution;
use super::indexing;
use super::shape::repeat;
use super::sizes::{self, Size};
use rlx_ir::{DType, Dim, NodeId, Op, Shape};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.dynamic_reshape" => dynamic_reshape,
        "stablehlo.dynamic_broadcast_in_dim" => dynamic_broadcast,
        "stablehlo.dynamic_iota" => dynamic_iota,
        "stablehlo.dynamic_pad" => dynamic_pad,
        "stablehlo.real_dynamic_slice" => real_dynamic_slice,
        "stablehlo.dynamic_gather" => dynamic_gather,
        "stablehlo.dynamic_conv" => dynamic_conv,
        _ => return None,
    })
}

impl ImportContext<'_, '_> {
    /// Returns the elements of a value as far as they are known.
    fn known(&self, id: NodeId) -> Option<Vec<Size>> {
        if self.shape(id).num_elements() == Some(0) {
            return Some(Vec::new());
        }
        self.im.scope.sizes.get(&id).map(|s| s.to_vec())
    }

    /// Returns the elements of a value, which must follow from sizes.
    pub(super) fn dims_of(&self, id: NodeId, what: &str) -> Outcome<Vec<Dim>> {
        let known = self.known(id).filter(|list| list.iter().all(|s| !sizes::is_unknown(&s.dim)));
        let dims = known.map(|list| list.into_iter().map(|s| s.dim).collect());
        dims.ok_or_else(|| {
            Problem::unsupported(format!(
                "{what} depends on run-time values, but RLX's shapes must follow from those of the inputs"
            ))
        })
    }

    /// Returns the elements of a value, which must be constants.
    fn constants_of(&self, id: NodeId, what: &str) -> Outcome<Vec<i64>> {
        let known = self.known(id).and_then(|list| list.iter().map(Size::value).collect());
        known.ok_or_else(|| Problem::unsupported(format!("{what} is not a constant, which RLX needs here")))
    }

    /// Returns the sizes of the result: the declared ones, and for open ones the elements of the operand `id`.
    fn result_dims(&self, id: NodeId) -> Outcome<Vec<Dim>> {
        let declared = self.declared(0)?;
        if let Some(shape) = declared.fixed() {
            return Ok(shape.dims().to_vec());
        }
        let dims = self.dims_of(id, "the shape of its result")?;
        if dims.len() != declared.dims.len() {
            return Err(Problem::error(format!(
                "the shape has {} sizes, but its result is {declared}",
                dims.len()
            )));
        }
        Ok(declared.dims.iter().zip(dims).map(|(d, dim)| d.map_or(dim, Dim::Static)).collect())
    }
}

fn dynamic_reshape(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, shape] = cx.operands()?;
    let dims = cx.result_dims(shape)?;
    one(cx.reshape(x, &dims)?)
}

fn dynamic_broadcast(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, shape] = cx.operands()?;
    let axes = cx.fields().axes("broadcast_dimensions")?;
    let dims = cx.result_dims(shape)?;
    one(repeat(cx, x, &dims, axes)?)
}

fn dynamic_iota(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [shape] = cx.operands()?;
    let axis = cx.fields().need_size("iota_dimension")?;
    let shape = Shape::from_dims(&cx.result_dims(shape)?, cx.declared(0)?.dtype);
    one(counter(cx, shape, axis)?)
}

fn dynamic_pad(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, value, low, high, interior] = cx.operands()?;
    let interior =
        super::attributes::naturals("interior_padding", cx.constants_of(interior, "the interior padding")?)?;
    let low = cx.dims_of(low, "the padding")?;
    let high = cx.dims_of(high, "the padding")?;
    if [low.len(), high.len(), interior.len()] != [cx.rank(x); 3] {
        return Err(Problem::error("the paddings must each have one element per axis"));
    }
    // RLX has an op for constant padding. Symbolic padding becomes a tensor that is concatenated.
    let fixed = |dims: &[Dim]| -> Vec<i64> { dims.iter().map(|d| sizes::constant(d).unwrap_or(0)).collect() };
    let mut padded = cx.add(Op::Pad { low: fixed(&low), high: fixed(&high), interior }, &[x, value])?;
    for axis in 0..low.len() {
        for (before, amount) in [(true, &low[axis]), (false, &high[axis])] {
            if sizes::constant(amount).is_some() {
                continue;
            }
            let mut dims = cx.shape(padded).dims().to_vec();
            dims[axis] = amount.clone();
            let edge = cx.spread(value, &dims)?;
            let parts = if before { [edge, padded] } else { [padded, edge] };
            padded = cx.add(Op::Concatenate { axis }, &parts)?;
        }
    }
    one(padded)
}

fn real_dynamic_slice(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, starts, limits, strides] = cx.operands()?;
    let strides = super::attributes::naturals("strides", cx.constants_of(strides, "the stride")?)?;
    if let (Ok(starts), Ok(limits)) = (cx.dims_of(starts, "the start"), cx.dims_of(limits, "the limit")) {
        return one(cx.add(Op::Slice { starts, limits, strides }, &[x])?);
    }
    // The start may depend on values as long as the size, limit − start, does not.
    let what = "the size of the slice";
    let problem = || {
        Problem::unsupported(format!(
            "{what} depends on run-time values, but RLX's shapes must follow from those of the inputs"
        ))
    };
    let declared = cx.declared(0)?;
    let known = (cx.known(starts), cx.known(limits));
    let sizes: Vec<Dim> = match (declared.fixed(), known) {
        (Some(shape), _) => shape.dims().to_vec(),
        (None, (Some(a), Some(b))) => a.iter().zip(&b).map(|(a, b)| &b.dim - &a.dim).collect(),
        _ => return Err(problem()),
    };
    if sizes.iter().any(sizes::is_unknown) {
        return Err(problem());
    }
    if strides.iter().any(|&s| s != 1) {
        return Err(Problem::unsupported("the start of a slice with strides depends on run-time values"));
    }
    let mut args = vec![x];
    for axis in 0..sizes.len() {
        let (start, limit) = (Dim::Static(axis), Dim::Static(axis + 1));
        let item =
            cx.add(Op::Slice { starts: vec![start], limits: vec![limit], strides: vec![1] }, &[starts])?;
        args.push(cx.reshape(item, &[])?);
    }
    one(cx.add(Op::DynamicSlice { sizes }, &args)?)
}

fn dynamic_gather(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, indices, sizes] = cx.operands()?;
    let dims = cx.dims_of(sizes, "the size of the slices")?;
    one(indexing::gather_with(cx, x, indices, dims)?)
}

fn dynamic_conv(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, kernel, padding] = cx.operands()?;
    // The padding is a matrix, and only constant matrices are tracked.
    let list = match cx.im.scope.graph.node(padding).op() {
        Op::Constant { value } => rlx_ir::eval::Value::from_literal(&value.convert(DType::I64)).to_ints(),
        _ => return Err(Problem::unsupported("the padding is not a constant, which RLX needs here")),
    };
    let list: Vec<i64> = list.into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
    let low = list.iter().step_by(2).copied().collect();
    let high = list.iter().skip(1).step_by(2).copied().collect();
    one(convolution::convolve(cx, x, kernel, low, high)?)
}
