//! Wraps graphs to control their derivative: `checkpoint`, and functions with user-defined derivative rules. A wrapped graph has
//! the inputs, parameters and outputs of the original graph.

use crate::error::Error;
use crate::forward::{Dual, Forward, Mode};
use crate::options::Options;
use crate::trace;
use crate::wrt::{Leaf, leaves};
use rlx_ir::{Builder, CheckpointPolicy, Graph, Op, SubGraph, Tensor};

/// A graph for which reverse mode keeps only what `policy` says, and recomputes the rest where it is used.
///
/// ```
/// use rlx_autodiff::{checkpoint, grad};
/// use rlx_ir::{Builder, CheckpointPolicy, DType, Literal, Shape, eval};
///
/// let b = Builder::new("deep");
/// let x = b.input("x", Shape::scalar(DType::F64));
/// let graph = b.finish(&[&x.sin().exp().sin()]).unwrap();
///
/// // The same derivative, but fewer values are kept for it.
/// let again = checkpoint(&graph, CheckpointPolicy::Nothing)?;
/// let at = Literal::scalar(0.3);
/// let [kept, computed] = [&graph, &again].map(|graph| eval(&grad(graph, "x").unwrap(), &[("x", &at)]).unwrap());
/// assert_eq!(kept[0].as_slice::<f64>()?, computed[0].as_slice::<f64>()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn checkpoint(graph: &Graph, policy: CheckpointPolicy) -> Result<Graph, Error> {
    wrapped(graph, |body| Op::Checkpoint { body, policy })
}

/// The graph with a user-defined derivative. `jvp` takes (inputs…, parameters…, outputs…, tangents of inputs and parameters…),
/// returns the tangents of outputs, and is linear in the tangents. Only floats and complex numbers have tangents, of their own
/// shape and type. Reverse mode transposes `jvp`.
///
/// ```
/// use rlx_autodiff::{custom_jvp, grad};
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let scalar = || Shape::scalar(DType::F64);
/// let b = Builder::new("leaky");
/// let x = b.input("x", scalar());
/// let forward = b.finish(&[&x.relu()]).unwrap();
/// // A slope of one tenth below zero: maps x, the output and the tangent of x to the tangent of the output.
/// let b = Builder::new("rule");
/// let (x, _, t) = (b.input("x", scalar()), b.input("y", scalar()), b.input("t", scalar()));
/// let below = x.less(&x.scalar_like(0.0));
/// let rule = b.finish(&[&below.select(&(&t * 0.1), &t)]).unwrap();
///
/// let slope = grad(&custom_jvp(&forward, &rule)?, "x")?;
/// assert_eq!(eval(&slope, &[("x", &Literal::scalar(-3.0))])?[0].as_slice::<f64>()?, [0.1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn custom_jvp(forward: &Graph, jvp: &Graph) -> Result<Graph, Error> {
    let jvp = Some(SubGraph::new(jvp.clone()));
    wrapped(forward, |forward| Op::CustomFn { forward, jvp, vjp: None })
}

/// The graph with a user-defined derivative. `vjp` takes (inputs…, parameters…, outputs…, cotangents of outputs…), returns the
/// cotangents of inputs and parameters, and is linear in the cotangents. Only floats and complex numbers have cotangents, of
/// their own shape and type. Forward mode transposes `vjp`.
///
/// ```
/// use rlx_autodiff::{custom_vjp, grad};
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let scalar = || Shape::scalar(DType::F64);
/// let b = Builder::new("rounded");
/// let x = b.input("x", scalar());
/// let forward = b.finish(&[&x.floor()]).unwrap();
/// // The cotangent passes as if nothing had been rounded: maps x, the output and its cotangent to the cotangent of x.
/// let b = Builder::new("straight_through");
/// let (_, _, cotangent) = (b.input("x", scalar()), b.input("y", scalar()), b.input("c", scalar()));
/// let rule = b.finish(&[&cotangent]).unwrap();
///
/// let slope = grad(&custom_vjp(&forward, &rule)?, "x")?;
/// assert_eq!(eval(&slope, &[("x", &Literal::scalar(2.7))])?[0].as_slice::<f64>()?, [1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn custom_vjp(forward: &Graph, vjp: &Graph) -> Result<Graph, Error> {
    let vjp = Some(SubGraph::new(vjp.clone()));
    wrapped(forward, |forward| Op::CustomFn { forward, jvp: None, vjp })
}

/// A single op around the graph, whose parameters become arguments after the inputs.
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
    let body = body.intermediate(&results.iter().map(|d| &d.primal).collect::<Vec<_>>())?;
    let builder = Builder::new(graph.name());
    let leaf = |l: &Leaf| match l.is_param {
        true => builder.param(l.name.clone(), l.shape.clone()),
        false => builder.input(l.name.clone(), l.shape.clone()),
    };
    let args: Vec<Tensor> = all.iter().map(leaf).collect();
    let results = builder.apply_many(op(SubGraph::new(body)), &args.iter().collect::<Vec<_>>());
    trace::finish(&builder, &results.iter().collect::<Vec<_>>())
}
