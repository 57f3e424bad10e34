//! Rules of `if` and `case`: each branch is transformed, and the choice stays. A choice that differs within a batch runs all
//! branches and selects.

use super::parts::{Parts, duals, has_tangent, primals, spread, tangents};
use crate::backward::{Arg, Backward, Cotangents, transpose_graph};
use crate::batching::{Batched, Batching, batch_graph};
use crate::error::Error;
use crate::forward::{Dual, Forward, Mode, jvp_graph};
use crate::split::{Residual, keep_all};
use crate::trace;
use rlx_ir::{Builder, CompareOp, Dim, Graph, NodeId, Op, Shape, SubGraph, Tensor, UnaryOp};
use std::collections::HashSet;

/// The branches of a conditional, or of a choice by index.
fn branches(op: &Op) -> Vec<&SubGraph> {
    let mut graphs = Vec::new();
    op.for_each_graph(&mut |g| graphs.push(g));
    graphs
}

/// The same choice between other graphs, applied to the operands after the selector.
fn choose(builder: &Builder, op: &Op, graphs: Vec<Graph>, selector: &Tensor, args: &[Tensor]) -> Vec<Tensor> {
    let mut op = op.clone();
    let mut graphs = graphs.into_iter();
    op.for_each_graph_mut(&mut |body| {
        if let Some(graph) = graphs.next() {
            *body = SubGraph::new(graph);
        }
    });
    let operands: Vec<&Tensor> = std::iter::once(selector).chain(args).collect();
    builder.apply_many(op, &operands)
}

/// The results of `make` for each branch, once all branches agree on which results exist. `make` is told which ones must exist,
/// and returns which ones do.
fn agreed<T>(
    branches: &[&SubGraph],
    count: usize,
    mut make: impl FnMut(&Graph, &[bool]) -> Result<(T, Vec<bool>), Error>,
) -> Result<(Vec<T>, Vec<bool>), Error> {
    let mut wants = vec![false; count];
    loop {
        let mut all = wants.clone();
        let mut made = Vec::with_capacity(branches.len());
        for branch in branches {
            let (one, has) = make(branch, &wants)?;
            all.iter_mut().zip(has).for_each(|(a, h)| *a |= h);
            made.push(one);
        }
        if all == wants {
            return Ok((made, wants));
        }
        wants = all;
    }
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let branches = branches(op);
    let (selector, args) = (&operands[0].primal, &operands[1..]);
    let has = has_tangent(args);
    let count = branches.first().map_or(0, |b| b.outputs().len());
    let (made, wants) = agreed(&branches, count, |body, wants| {
        let dual = jvp_graph(body, &has, wants, cx.mode, cx.options)?;
        let tangents = dual.tangents.clone();
        Ok((dual, tangents))
    })?;
    let (given, moved) = (primals(args), tangents(args, &has));
    if !wants.contains(&true) {
        return Ok(cx.apply(op, &primals(operands)).into_iter().map(Dual::constant).collect());
    }
    if cx.mode == Mode::Forward {
        let graphs = made.into_iter().map(|dual| dual.graph).collect();
        let mut results = choose(cx.builder, op, graphs, selector, &[given, moved].concat());
        let of_results = results.split_off(count.min(results.len()));
        return Ok(duals(&results, &wants, of_results));
    }
    let parts: Vec<Parts> =
        made.into_iter().map(|dual| Parts::split(dual, args.len(), &keep_all)).collect::<Result<_, _>>()?;
    let slots = ResidualSlots::of(&parts);
    let known = (0..parts.len()).map(|i| slots.known(&parts[i], i)).collect::<Result<_, _>>()?;
    let mut results = choose(cx.builder, op, known, selector, &given);
    let kept = results.split_off(count.min(results.len()));
    let direct = slots.inputs.iter().map(|&i| given[i].clone());
    let linear = (0..parts.len()).map(|i| slots.linear(&parts[i], i)).collect::<Result<_, _>>()?;
    let args: Vec<Tensor> = direct.chain(kept).chain(moved).collect();
    let of_results = choose(cx.builder, op, linear, selector, &args);
    Ok(duals(&results, &wants, of_results))
}

/// Where the residuals of all branches are stored. Operands are passed unchanged, and values share a slot if their shapes agree.
struct ResidualSlots {
    /// The operands that any branch needs.
    inputs: Vec<usize>,
    /// Shapes of the slots.
    shapes: Vec<Shape>,
    /// For each branch, the slots of its computed residuals, in order.
    taken: Vec<Vec<usize>>,
}

impl ResidualSlots {
    fn of(parts: &[Parts]) -> ResidualSlots {
        let mut slots = ResidualSlots { inputs: Vec::new(), shapes: Vec::new(), taken: Vec::new() };
        for part in parts {
            let first = part.tangents.len();
            let mut computed = part.known.output_shapes().split_off(first).into_iter();
            let mut taken: Vec<usize> = Vec::new();
            for residual in &part.residuals {
                match residual {
                    Residual::Input(i) if slots.inputs.contains(i) => {}
                    Residual::Input(i) => slots.inputs.push(*i),
                    Residual::Value => {
                        // INVARIANT: the known part returns each computed residual.
                        let Some(shape) = computed.next() else { continue };
                        let free = |(slot, s): (usize, &Shape)| {
                            (*s == shape && !taken.contains(&slot)).then_some(slot)
                        };
                        let slot = slots.shapes.iter().enumerate().find_map(free).unwrap_or_else(|| {
                            slots.shapes.push(shape);
                            slots.shapes.len() - 1
                        });
                        taken.push(slot);
                    }
                }
            }
            slots.taken.push(taken);
        }
        slots
    }

    /// The known part of a branch, with its residuals in their slots, and zeros in the other slots.
    fn known(&self, part: &Parts, branch: usize) -> Result<Graph, Error> {
        let count = part.tangents.len();
        trace::graph(part.known.name(), part.known.input_shapes(), |builder, xs| {
            let mut results = builder.inline(&part.known, xs)?;
            let residuals = results.split_off(count);
            let of_slot = |(slot, shape): (usize, &Shape)| {
                let own = self.taken[branch].iter().position(|&s| s == slot);
                own.map_or_else(|| trace::zeros(builder, shape), |i| residuals[i].clone())
            };
            results.extend(self.shapes.iter().enumerate().map(of_slot));
            Ok(results)
        })
    }

    /// The linear part of a branch, from (operands that any branch needs…, slots…, tangents…).
    fn linear(&self, part: &Parts, branch: usize) -> Result<Graph, Error> {
        let own = part.linear.input_shapes();
        let (of_residuals, of_tangents) = own.split_at(part.residuals.len());
        let inputs = self.inputs.iter().map(|&i| part.known.input_shapes()[i].clone());
        let shapes: Vec<Shape> =
            inputs.chain(self.shapes.iter().cloned()).chain(of_tangents.iter().cloned()).collect();
        debug_assert_eq!(of_residuals.len(), part.residuals.len());
        trace::graph(part.linear.name(), shapes, |builder, xs| {
            let mut taken = self.taken[branch].iter();
            let place = |residual: &Residual| match residual {
                Residual::Input(i) => self.inputs.iter().position(|x| x == i),
                Residual::Value => taken.next().map(|slot| self.inputs.len() + slot),
            };
            let places: Vec<usize> = part.residuals.iter().filter_map(place).collect();
            let first = self.inputs.len() + self.shapes.len();
            let args: Vec<Tensor> =
                places.into_iter().chain(first..xs.len()).map(|i| xs[i].clone()).collect();
            Ok(builder.inline(&part.linear, &args)?)
        })
    }
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (selector, args) = (operands[0].known()?, &operands[1..]);
    let linear: Vec<bool> = args.iter().map(Arg::is_linear).collect();
    let has: Vec<bool> = cts.each().iter().map(Option::is_some).collect();
    let (made, given) = agreed(&branches(op), args.len(), |body, wants| {
        Ok(match transpose_graph(body, &linear, &has, wants, cx.options)? {
            Some(transposed) => (Some(transposed.graph), transposed.given),
            None => (None, vec![false; args.len()]),
        })
    })?;
    let Some(graphs) = made.into_iter().collect::<Option<Vec<Graph>>>() else {
        return Ok(vec![None; operands.len()]);
    };
    let known = args.iter().filter_map(|a| a.known().ok());
    let args: Vec<Tensor> = known.chain(cts.each().iter().flatten()).cloned().collect();
    let results = choose(cx.builder, op, graphs, selector, &args);
    Ok(std::iter::once(None).chain(spread(&given, results)).collect())
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let branches = branches(op);
    let (selector, args) = (&operands[0], &operands[1..]);
    let batched: Vec<bool> = args.iter().map(|x| x.batched).collect();
    let values: Vec<Tensor> = args.iter().map(|x| x.value.clone()).collect();
    let count = branches.first().map_or(0, |b| b.outputs().len());
    if selector.batched {
        let wants = vec![true; count];
        let mut results = Vec::with_capacity(branches.len());
        for (i, branch) in branches.iter().enumerate() {
            let here = chosen(op, &selector.value, i, branches.len());
            let used = used_inputs(branch);
            let args: Vec<Batched> = args
                .iter()
                .zip(used)
                .map(|(x, used)| if used { only_of(cx, &here, x) } else { x.clone() })
                .collect();
            let batched: Vec<bool> = args.iter().map(|x| x.batched).collect();
            let values: Vec<Tensor> = args.into_iter().map(|x| x.value).collect();
            let mapped = batch_graph(cx, branch, &batched, &wants)?;
            results.push(cx.builder.inline(&mapped.graph, &values)?);
        }
        return Ok(select(op, &selector.value, results).into_iter().map(Batched::each).collect());
    }
    let (graphs, batched) = agreed(&branches, count, |body, wants| {
        let mapped = batch_graph(cx, body, &batched, wants)?;
        Ok((mapped.graph, mapped.batched))
    })?;
    let results = choose(cx.builder, op, graphs, &selector.value, &values);
    let result = |(value, batched): (Tensor, bool)| Batched { value, batched };
    Ok(results.into_iter().zip(batched).map(result).collect())
}

/// Where branch `i` of `count` is chosen. The last branch is also chosen if the index is out of range.
fn chosen(op: &Op, selector: &Tensor, i: usize, count: usize) -> Tensor {
    match op {
        Op::If { .. } if i == 0 => selector.clone(),
        Op::If { .. } => selector.unary(UnaryOp::Not),
        _ if i + 1 < count => is_index(selector, i),
        // INVARIANT: there is at least one branch.
        _ => (0..i)
            .map(|i| is_index(selector, i))
            .reduce(|a, b| a.or(&b))
            .map_or_else(|| selector.equal(selector), |earlier| earlier.unary(UnaryOp::Not)),
    }
}

fn is_index(selector: &Tensor, i: usize) -> Tensor {
    selector.compare(CompareOp::Eq, &selector.builder().int(i as i64, selector.dtype()))
}

/// Which inputs a graph uses.
pub(super) fn used_inputs(body: &Graph) -> Vec<bool> {
    let used: HashSet<NodeId> = body.nodes().iter().flat_map(|n| n.inputs()).copied().collect();
    body.inputs().map(|input| used.contains(&input.id())).collect()
}

/// The value for the rows that `here` marks, which are the only ones that pass on derivatives. The other rows run too, on the
/// same values. Their results are not selected, but a derivative that is not finite there would be NaN when multiplied by the
/// zero cotangent of such a row. A value that all rows share is repeated: its derivative is the sum over the rows, after each was
/// selected.
pub(super) fn only_of(cx: &Batching<'_>, here: &Tensor, x: &Batched) -> Batched {
    if !trace::is_inexact(&x.value) {
        return x.clone();
    }
    let each = cx.front(x);
    Batched::each(select_rows(here, &each, &each.stop_gradient()))
}

/// For each result, that of the branch chosen in each row: the last one, except where an earlier one is chosen.
fn select(op: &Op, selector: &Tensor, mut results: Vec<Vec<Tensor>>) -> Vec<Tensor> {
    let Some(mut chosen) = results.pop() else { return Vec::new() };
    for (i, branch) in results.into_iter().enumerate() {
        let here = match op {
            Op::If { .. } => selector.clone(),
            _ => is_index(selector, i),
        };
        let pick = |(a, b): (&Tensor, Tensor)| select_rows(&here, a, &b);
        chosen = branch.iter().zip(chosen).map(pick).collect();
    }
    chosen
}

/// Selects rows along axis 0 from one tensor or the other, with one boolean per row.
pub(super) fn select_rows(here: &Tensor, on_true: &Tensor, on_false: &Tensor) -> Tensor {
    let dims: Vec<Dim> = on_true.dims();
    here.broadcast_in_dim(&dims, &[0]).select(on_true, on_false)
}
