//! Imports `chlo.top_k` and custom calls with the same meaning.

use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Val, many};
use super::sizes::Size;
use rlx_ir::{Dim, NodeId, Op};

/// Adds the k largest elements along the last axis, and their indices.
pub(super) fn largest(cx: &mut ImportContext<'_, '_>, x: NodeId, k: usize) -> Outcome<Vec<NodeId>> {
    let mut results = cx.add_all(Op::TopK { k }, &[x])?;
    if let Some(indices) = results.get_mut(1) {
        *indices = cx.convert(*indices, cx.declared(1)?.dtype)?;
    }
    Ok(results)
}

/// Imports `mhlo.topk` and `TopK`. The results determine the number of elements.
pub(super) fn by_results(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let config = cx.fields().fields("mhlo.attributes")?;
    if config.and_then(|c| c.0.get("largest").map(|_| c.flag("largest"))) == Some(Ok(false)) {
        return Err(Problem::unsupported(
            "RLX finds the largest elements, not the smallest; negate the operand",
        ));
    }
    let declared = cx.declared(0)?;
    let Some(k) = declared.dims.last().copied().flatten() else {
        return Err(Problem::error(format!(
            "its result {declared} does not determine the number of elements"
        )));
    };
    many(largest(cx, x, k)?)
}

/// Imports `stablehlo.dynamic_top_k`. The second operand is the number of elements.
pub(super) fn by_operand(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, k] = cx.operands()?;
    let known = cx.im.scope.sizes.get(&k).and_then(|s| s.first().and_then(Size::value));
    let k = known.and_then(|k| usize::try_from(k).ok());
    let k = k.ok_or_else(|| {
        Problem::unsupported("the number of elements is not a constant, which RLX needs here")
    })?;
    many(largest(cx, x, k)?)
}

/// Imports `ApproxTopK`. RLX finds the exact elements, which the approximation approaches.
pub(super) fn approximate(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let shapes = cx.fields().axes("indices_of_shape_operands")?;
    let kept =
        cx.args.iter().enumerate().filter(|(i, _)| !shapes.contains(i)).map(|(_, v)| v.clone()).collect();
    let [x, indices, init, first] = {
        cx.args = kept;
        cx.operands()?
    };
    let config = cx.fields().need_fields("mhlo.backend_config")?;
    if !config.flag("aggregate_to_topk")? {
        return Err(Problem::unsupported(
            "RLX cannot return the partial results of an approximate search; set aggregate_to_topk",
        ));
    }
    let (axis, k) = (config.need_size("reduction_dim")?, config.need_size("top_k")?);
    let pair = [init, init, first, first].map(Val::Tensor);
    let comparator = cx.called(&pair)?;
    let order = match bodies::plain_order(&comparator) {
        Some(order) => order,
        None => {
            return Err(Problem::unsupported("its comparator is neither `<` nor `>` of the first operand"));
        }
    };
    let dims = cx.shape(x).dims().to_vec();
    if axis >= dims.len() {
        return Err(Problem::error(format!("axis {axis} is out of range for rank {}", dims.len())));
    }
    let sorted = cx.add_all(Op::Sort { axis, order, num_keys: 1, stable: true }, &[x, indices])?;
    let mut limits = dims.clone();
    limits[axis] = Dim::Static(k);
    let cut = Op::Slice { starts: vec![Dim::Static(0); dims.len()], limits, strides: vec![1; dims.len()] };
    many(vec![cx.add(cut.clone(), &[sorted[0]])?, cx.add(cut, &[sorted[1]])?])
}
