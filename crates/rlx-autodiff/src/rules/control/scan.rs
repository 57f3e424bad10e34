//! Rules of `scan`: values and tangents in the same loop, or, for transposition, a loop that stacks residuals and a linear loop
//! that uses them.

use super::parts::{Parts, duals, has_tangent, primals, tangents};
use super::scan_memory::remembering;
use crate::error::Error;
use crate::forward::{Dual, Forward, JvpGraph, Mode, jvp_graph};
use crate::split::{Residual, keep_all, mark};
use crate::trace;
use rlx_ir::{Builder, Dim, Graph, Op, SubGraph, Tensor};

/// How a loop uses an operand or a result of its body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Role {
    /// The same in each step.
    Const,
    /// Carried from step to step.
    Carry,
    /// One slice per step: an x or a y.
    Slice,
}

/// The parts of a scan.
#[derive(Clone)]
pub(super) struct Scan {
    pub(super) body: SubGraph,
    pub(super) length: Dim,
    pub(super) reverse: bool,
    /// Number of operands that are consts.
    pub(super) consts: usize,
    /// Number of operands that are carried.
    pub(super) carry: usize,
}

impl Scan {
    pub(super) fn of(op: &Op) -> Result<Scan, Error> {
        match op {
            Op::Scan { body, length, num_consts, num_carry, reverse } => Ok(Scan {
                body: body.clone(),
                length: length.clone(),
                reverse: *reverse,
                consts: *num_consts,
                carry: *num_carry,
            }),
            _ => Err(Error::no_rule("rule of a loop", "it is not a scan")),
        }
    }

    /// The role of each operand.
    pub(super) fn roles(&self) -> Vec<Role> {
        let role = |i: usize| match i {
            i if i < self.consts => Role::Const,
            i if i < self.consts + self.carry => Role::Carry,
            _ => Role::Slice,
        };
        (0..self.body.inputs().count()).map(role).collect()
    }

    /// The role of each result.
    pub(super) fn result_roles(&self) -> Vec<Role> {
        let role = |i: usize| if i < self.carry { Role::Carry } else { Role::Slice };
        (0..self.body.outputs().len()).map(role).collect()
    }

    /// Propagates marks of operands through the steps: from `marked`, and from each carried value to its input in the next step.
    /// `step` maps the marks of the body's inputs to those of its outputs.
    pub(super) fn spread<T>(
        &self,
        mut marked: Vec<bool>,
        mut step: impl FnMut(&[bool]) -> Result<(T, Vec<bool>), Error>,
    ) -> Result<(T, Vec<bool>), Error> {
        loop {
            let (made, outputs) = step(&marked)?;
            let carried = &mut marked[self.consts..self.consts + self.carry];
            let before = carried.to_vec();
            carried.iter_mut().zip(outputs).for_each(|(c, o)| *c |= o);
            if *carried == before[..] {
                return Ok((made, marked));
            }
        }
    }
}

/// Runs a loop with the length and direction of `scan`, whose body takes and returns values in any order; `roles` and
/// `result_roles` say what they are. It carries as many values as `scan`, in the same order. Operands and results are in the
/// order of the body's.
pub(super) fn run(
    builder: &Builder,
    scan: &Scan,
    body: &Graph,
    roles: &[Role],
    result_roles: &[Role],
    operands: &[Tensor],
) -> Result<Vec<Tensor>, Error> {
    let order = by_role(roles);
    let result_order = by_role(result_roles);
    let shapes = body.input_shapes();
    let sorted = trace::graph(body.name(), order.iter().map(|&i| shapes[i].clone()).collect(), |b, xs| {
        let mut args = vec![None; xs.len()];
        order.iter().zip(xs).for_each(|(&i, x)| args[i] = Some(x.clone()));
        let results = b.inline(body, &args.into_iter().flatten().collect::<Vec<_>>())?;
        Ok(result_order.iter().map(|&i| results[i].clone()).collect())
    })?;
    let count = |role: Role| roles.iter().filter(|r| **r == role).count();
    let op = Op::Scan {
        body: SubGraph::new(sorted),
        length: scan.length.clone(),
        num_consts: count(Role::Const),
        num_carry: count(Role::Carry),
        reverse: scan.reverse,
    };
    let operands: Vec<&Tensor> = order.iter().map(|&i| &operands[i]).collect();
    let mut results: Vec<Option<Tensor>> = vec![None; result_order.len()];
    let given = builder.apply_many(op, &operands);
    result_order.iter().zip(given).for_each(|(&i, r)| results[i] = Some(r));
    Ok(results.into_iter().flatten().collect())
}

/// Consts, then carried values, then slices, each in their original order.
fn by_role(roles: &[Role]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..roles.len()).collect();
    order.sort_by_key(|&i| roles[i]);
    order
}

/// The items that are marked.
pub(super) fn marked<T: Clone>(items: &[T], marks: &[bool]) -> Vec<T> {
    items.iter().zip(marks).filter(|(_, m)| **m).map(|(item, _)| item.clone()).collect()
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let scan = Scan::of(op)?;
    match cx.mode {
        Mode::Forward => joint(cx, &scan, operands),
        Mode::Linearize => match remembering(&scan, cx.options)? {
            Some((graph, options)) => {
                Forward { builder: cx.builder, mode: cx.mode, options: &options }.graph(&graph, operands, &[])
            }
            None => parted(cx, &scan, operands),
        },
    }
}

/// The body on values and tangents, and which of its inputs have a tangent. A carried value has one if it gets one in any step.
fn dual_body(cx: &Forward<'_>, scan: &Scan, operands: &[Dual]) -> Result<(JvpGraph, Vec<bool>), Error> {
    let ys = scan.body.outputs().len() - scan.carry;
    scan.spread(has_tangent(operands), |has| {
        let carried = &has[scan.consts..scan.consts + scan.carry];
        let wants = [carried, &vec![false; ys]].concat();
        let dual = jvp_graph(&scan.body, has, &wants, cx.mode, cx.options)?;
        let tangents = dual.tangents.clone();
        Ok((dual, tangents))
    })
}

fn joint(cx: &Forward<'_>, scan: &Scan, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (dual, has) = dual_body(cx, scan, operands)?;
    let (own, given) = (scan.roles(), scan.result_roles());
    let roles = [own.clone(), marked(&own, &has)].concat();
    let result_roles = [given.clone(), marked(&given, &dual.tangents)].concat();
    let args = [primals(operands), tangents(operands, &has)].concat();
    let mut results = run(cx.builder, scan, &dual.graph, &roles, &result_roles, &args)?;
    let of_results = results.split_off(given.len().min(results.len()));
    Ok(duals(&results, &dual.tangents, of_results))
}

/// A known loop and a linear loop. Residuals that are the same in each step are computed once, outside the loop. Those that are
/// slices of an operand are taken from it, and the others are stacked.
pub(super) fn parted(cx: &Forward<'_>, scan: &Scan, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (dual, has) = dual_body(cx, scan, operands)?;
    let given = primals(operands);
    if !dual.tangents.contains(&true) {
        let results = run(cx.builder, scan, &scan.body, &scan.roles(), &scan.result_roles(), &given)?;
        return Ok(results.into_iter().map(Dual::constant).collect());
    }
    let (own, own_results) = (scan.roles(), scan.result_roles());
    let parts = Parts::split(dual, own.len(), &keep_all)?;
    let Residuals { stacked, outside, sources } = Residuals::of(scan, &parts)?;
    let hoisted = match &outside {
        Some(graph) => cx.builder.inline(graph, &given[..scan.consts])?,
        None => Vec::new(),
    };
    let known_roles =
        [own_results.clone(), vec![Role::Slice; stacked.outputs().len() - own_results.len()]].concat();
    let mut results = run(cx.builder, scan, &stacked, &own, &known_roles, &given)?;
    let ys = results.split_off(own_results.len().min(results.len()));
    let residual = |source: &ResidualSource| match source {
        ResidualSource::Operand(i) => (own[*i], given[*i].clone()),
        ResidualSource::Outside(i) => (Role::Const, hoisted[*i].clone()),
        ResidualSource::Stacked(i) => (Role::Slice, ys[*i].clone()),
    };
    let (mut roles, mut args): (Vec<Role>, Vec<Tensor>) = sources.iter().map(residual).unzip();
    roles.extend(marked(&own, &has));
    args.extend(tangents(operands, &has));
    let tangent_roles = marked(&own_results, &parts.tangents);
    let of_results = run(cx.builder, scan, &parts.linear, &roles, &tangent_roles, &args)?;
    Ok(duals(&results, &parts.tangents, of_results))
}

/// Where a residual of a loop comes from.
enum ResidualSource {
    /// It is an operand: a const, or an x, of which each step uses its slice.
    Operand(usize),
    /// It is computed once, outside the loop.
    Outside(usize),
    /// It is one of the ys that were added.
    Stacked(usize),
}

/// The residuals of a loop.
struct Residuals {
    /// The known body, with the additional ys that are stacked.
    stacked: Graph,
    /// From the consts to the residuals that are computed once.
    outside: Option<Graph>,
    sources: Vec<ResidualSource>,
}

impl Residuals {
    fn of(scan: &Scan, parts: &Parts) -> Result<Residuals, Error> {
        let (known, own) = (&parts.known, scan.roles());
        let varies: Vec<bool> = own.iter().map(|r| *r != Role::Const).collect();
        let varying = mark(known, &varies);
        let first = parts.tangents.len();
        let inputs: Vec<_> = known.inputs().map(rlx_ir::Node::id).collect();
        let (mut stacked, mut outside) = (known.outputs()[..first].to_vec(), Vec::new());
        let mut computed = known.outputs()[first..].iter();
        let mut sources = Vec::with_capacity(parts.residuals.len());
        for residual in &parts.residuals {
            let node = match residual {
                Residual::Input(i) if own[*i] != Role::Carry => {
                    sources.push(ResidualSource::Operand(*i));
                    continue;
                }
                Residual::Input(i) => Some(&inputs[*i]),
                Residual::Value => computed.next(),
            };
            // INVARIANT: the known part returns each computed residual.
            let Some(&node) = node else { continue };
            if varying[node.index()] {
                sources.push(ResidualSource::Stacked(stacked.len() - first));
                stacked.push(node);
            } else {
                sources.push(ResidualSource::Outside(outside.len()));
                outside.push(node);
            }
        }
        let outside = match outside.is_empty() {
            true => None,
            false => Some(restricted(known, scan.consts, &outside)?),
        };
        let mut graph = known.clone();
        graph.set_outputs(stacked);
        Ok(Residuals { stacked: rlx_ir::rewrite::remove_dead(&graph), outside, sources })
    }
}

/// A graph of these nodes, which depend only on the first `inputs` inputs, that takes only those inputs.
fn restricted(graph: &Graph, inputs: usize, nodes: &[rlx_ir::NodeId]) -> Result<Graph, Error> {
    let mut whole = graph.clone();
    whole.set_outputs(nodes.to_vec());
    let shapes = graph.input_shapes();
    trace::graph(graph.name(), shapes[..inputs].to_vec(), |builder, xs| {
        let unused = shapes[inputs..].iter().map(|s| trace::zeros(builder, s));
        let args: Vec<Tensor> = xs.iter().cloned().chain(unused).collect();
        Ok(builder.inline(&whole, &args)?)
    })
}
