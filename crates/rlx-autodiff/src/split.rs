//! Splits a linearized graph into a part that does not depend on its linear inputs and a part that is linear in them.

use crate::error::Error;
use rlx_ir::{Builder, Graph, Node, Op, Tensor};

/// The parts of a graph.
pub(crate) struct Split {
    /// From the known inputs to the known outputs, followed by the residuals.
    pub(crate) known: Graph,
    /// From (residuals…, linear inputs…) to the linear outputs.
    pub(crate) linear: Graph,
    /// Where each residual comes from.
    pub(crate) residuals: Vec<Residual>,
}

/// Where a residual comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Residual {
    /// It is the known input with this index, counting only known inputs.
    Input(usize),
    /// It is computed.
    Value,
}

/// Whether a known value may be kept. If not, the linear part recomputes it.
pub(crate) type Keep<'a> = &'a dyn Fn(&Graph, &Node) -> bool;

/// Every value may be kept.
pub(crate) fn keep_all(_: &Graph, _: &Node) -> bool {
    true
}

/// Splits `graph` into a part that depends on the inputs that `linear` marks and a part that does not. An output is linear if it
/// depends on them, or if `forced` marks it. Parameters belong to the known part.
///
/// Residuals are the known values that linear nodes use, except those that are cheaper to recompute than to keep (constants, and
/// nodes that repeat, reorder or rename a smaller value), and those that `keep` rejects. The linear part recomputes those.
pub(crate) fn split(graph: &Graph, linear: &[bool], forced: &[bool], keep: Keep<'_>) -> Result<Split, Error> {
    let marks = mark(graph, linear);
    let linear_outputs: Vec<bool> =
        graph.outputs().iter().zip(forced).map(|(o, &f)| f || marks[o.index()]).collect();

    let mut wanted = vec![false; graph.nodes().len()];
    for (output, _) in graph.outputs().iter().zip(&linear_outputs).filter(|(_, l)| **l) {
        wanted[output.index()] = true;
    }
    let mut residual = vec![false; graph.nodes().len()];
    let constant = constants(graph);
    for node in graph.nodes().iter().rev() {
        let index = node.id().index();
        if !wanted[index] {
            continue;
        }
        let leaf = matches!(node.op(), Op::Input { .. } | Op::Param { .. });
        let kept = leaf || !(remade(node) || node.is_tuple()) && keep(graph, node);
        if marks[index] || constant[index] || !kept {
            node.inputs().iter().for_each(|i| wanted[i.index()] = true);
        } else {
            residual[index] = true;
        }
    }

    let known_builder = Builder::new(graph.name()).sharing_constants();
    let values = replay(graph, &known_builder, &|node| !marks[node.id().index()], &[]);
    let mut known_outputs: Vec<&Tensor> = Vec::new();
    for (output, is_linear) in graph.outputs().iter().zip(&linear_outputs) {
        if !is_linear {
            known_outputs.push(&values[output.index()][0]);
        }
    }
    let kept: Vec<usize> = (0..residual.len()).filter(|&i| residual[i]).collect();
    known_outputs.extend(kept.iter().map(|&i| &values[i][0]));
    let known = known_builder.intermediate(&known_outputs)?;

    let builder = Builder::new(graph.name()).sharing_constants();
    let given: Vec<(usize, Tensor)> = kept
        .iter()
        .enumerate()
        .map(|(n, &i)| (i, builder.input(format!("r{n}"), graph.nodes()[i].shape().clone())))
        .collect();
    let in_linear = |node: &Node| wanted[node.id().index()] || (marks[node.id().index()] && is_input(node));
    let values = replay(graph, &builder, &in_linear, &given);
    let outputs: Vec<&Tensor> = graph
        .outputs()
        .iter()
        .zip(&linear_outputs)
        .filter(|(_, l)| **l)
        .map(|(o, _)| &values[o.index()][0])
        .collect();
    let linear = builder.intermediate(&outputs)?;
    Ok(Split { known, linear, residuals: sources(graph, &marks, &kept) })
}

/// Where the values of these nodes come from.
fn sources(graph: &Graph, marks: &[bool], nodes: &[usize]) -> Vec<Residual> {
    let inputs = graph.inputs().map(|n| n.id().index()).filter(|&i| !marks[i]);
    let inputs: Vec<usize> = inputs.collect();
    let source = |node: &usize| inputs.binary_search(node).map_or(Residual::Value, Residual::Input);
    nodes.iter().map(source).collect()
}

fn is_input(node: &Node) -> bool {
    matches!(node.op(), Op::Input { .. })
}

/// Which nodes depend on the marked inputs.
pub(crate) fn mark(graph: &Graph, linear: &[bool]) -> Vec<bool> {
    let mut next = linear.iter();
    let mut marks: Vec<bool> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let marked = match node.op() {
            Op::Input { .. } => next.next().copied().unwrap_or(false),
            _ => node.inputs().iter().any(|i| marks[i.index()]),
        };
        marks.push(marked);
    }
    marks
}

/// Which nodes do not depend on any input or parameter.
fn constants(graph: &Graph) -> Vec<bool> {
    let mut constant: Vec<bool> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let leaf = matches!(node.op(), Op::Input { .. } | Op::Param { .. });
        constant.push(!leaf && node.inputs().iter().all(|i| constant[i.index()]));
    }
    constant
}

/// Whether a value is recomputed from its operand instead of kept.
fn remade(node: &Node) -> bool {
    matches!(node.op(), Op::BroadcastInDim { .. } | Op::Reshape { .. } | Op::Transpose { .. })
}

/// Adds the nodes that `keep` marks. `given` has the values that replace some of them, in their order.
fn replay(
    graph: &Graph,
    builder: &Builder,
    keep: &dyn Fn(&Node) -> bool,
    given: &[(usize, Tensor)],
) -> Vec<Vec<Tensor>> {
    let mut env: Vec<Vec<Tensor>> = Vec::with_capacity(graph.nodes().len());
    let mut given = given.iter().peekable();
    for node in graph.nodes() {
        if let Some((_, value)) = given.next_if(|(i, _)| *i == node.id().index()) {
            env.push(vec![value.clone()]);
            continue;
        }
        if !keep(node) {
            env.push(Vec::new());
            continue;
        }
        env.push(match node.op() {
            Op::Input { name } => vec![builder.input(name, node.shape().clone())],
            Op::Param { name } => vec![builder.param(name, node.shape().clone())],
            Op::Output { index } => vec![env[node.inputs()[0].index()][*index].clone()],
            _ => {
                let operands: Vec<Tensor> = node.inputs().iter().map(|i| env[i.index()][0].clone()).collect();
                builder.copy(node, &operands)
            }
        });
    }
    env
}
