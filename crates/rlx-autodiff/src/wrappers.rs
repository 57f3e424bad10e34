//! Graphs with a say in their derivatives: what reverse mode keeps of them, or rules of their own. A wrapped graph has the
//! inputs, parameters and outputs of the graph that was given.

use crate::error::Error;
use crate::forward::{Dual, Forward, Mode};
use crate::options::Options;
use crate::trace;
use crate::wrt::{Leaf, leaves};
use rlx_ir::{Builder, CheckpointPolicy, Graph, Op, SubGraph, Tensor};

/// The graph as one that reverse mode keeps no more of than `policy` says: the rest is computed again where it is used.
pub fn checkpoint(graph: &Graph, policy: CheckpointPolicy) -> Result<Graph, Error> {
    wrapped(graph, |body| Op::Checkpoint { body, policy })
}

/// The graph with a derivative of its own: `jvp` takes (inputs…, parameters…, outputs…, tangents of inputs and parameters…) to
/// the tangents of outputs, and is linear in the tangents. Only floats and complex numbers have tangents, of their own
/// shape and type. Reverse mode transposes it.
pub fn custom_jvp(forward: &Graph, jvp: &Graph) -> Result<Graph, Error> {
    let jvp = Some(SubGraph::new(jvp.clone()));
    wrapped(forward, |forward| Op::CustomFn { forward, jvp, vjp: None })
}

/// The graph with a derivative of its own: `vjp` takes (inputs…, parameters…, outputs…, cotangents of outputs…) to the
/// cotangents of inputs and parameters, and is linear in the cotangents. Only floats and complex numbers have cotangents, of
/// their own shape and type. Forward mode transposes it.
pub fn custom_vjp(forward: &Graph, vjp: &Graph) -> Result<Graph, Error> {
    let vjp = Some(SubGraph::new(vjp.clone()));
    wrapped(forward, |forward| Op::CustomFn { forward, jvp: None, vjp })
}

/// One op around the graph, whose parameters become arguments after the inputs.
fn wrapped(graph: &Graph, op: impl FnOnce(SubGraph) -> Op) -> Result<Graph, Error> {
    let all = leaves(graph);
    let body = Builder::new(graph.name());
    let values: Vec<Dual> =
        all.iter().map(|l| Dual::constant(body.input(l.name.clone(), l.shape.clone()))).collect();
    let (inputs, params) = values.split_at(all.iter().filter(|l| !l.is_param).count());
    let names = all[inputs.len()..].iter().map(|l| l.name.as_str());
    let params: Vec<(&str, Dual)> = names.zip(params.iter().cloned()).collect();
    let cx = Forward { builder: &body, mode: Mode::Forward, options: &Options::new() };
    let results = cx.graph(graph, inputs, &params)?;
    let body = trace::finish(&body, &results.iter().map(|d| &d.primal).collect::<Vec<_>>())?;
    let builder = Builder::new(graph.name());
    let leaf = |l: &Leaf| match l.is_param {
        true => builder.param(l.name.clone(), l.shape.clone()),
        false => builder.input(l.name.clone(), l.shape.clone()),
    };
    let args: Vec<Tensor> = all.iter().map(leaf).collect();
    let results = builder.apply_many(op(SubGraph::new(body)), &args.iter().collect::<Vec<_>>());
    trace::finish(&builder, &results.iter().collect::<Vec<_>>())
}
