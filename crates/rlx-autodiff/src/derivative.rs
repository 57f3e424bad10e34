//! Entry points for derivatives of graphs. Results keep the inputs and parameters of the given graph. Tangents and cotangents are
//! additional inputs after those, named `x.tangent` for an input or parameter `x`, and `out0.cotangent` for output 0.

use crate::backward::{Arg, Backward};
use crate::error::Error;
use crate::forward::{Dual, Forward, Mode};
use crate::options::Options;
use crate::split::{Split, keep_all, split};
use crate::trace;
use crate::wrt::{Leaf, Wrt, leaves};
use rlx_ir::{Builder, Graph, Shape, Tensor};
use std::collections::{HashMap, HashSet};

/// Forward mode: a graph that also takes a tangent (of the same shape and type) for each of `wrt`. It returns the outputs, then
/// the tangents of the outputs that are floats or complex numbers, that is, the Jacobian times the tangents.
///
/// ```
/// use rlx_autodiff::jvp;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("cube");
/// let x = b.input("x", Shape::scalar(DType::F64));
/// let graph = b.finish(&[&(&x * &x * &x)]).unwrap();
///
/// let moved = jvp(&graph, "x")?;
/// let out = eval(&moved, &[("x", &Literal::scalar(2.0)), ("x.tangent", &Literal::scalar(10.0))])?;
/// // x³ and 3x² · 10.
/// assert_eq!((out[0].as_slice::<f64>()?, out[1].as_slice::<f64>()?), (&[8.0][..], &[120.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn jvp(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    jvp_with(graph, wrt, &Options::new())
}

/// [`jvp`] with options.
pub fn jvp_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    let dual = dual_graph(graph, &wrt.into(), Mode::Forward, options)?;
    trace::verified(dual.graph)
}

/// The gradient of a scalar output (the first, unless [`Options::loss`] selects another): a graph with the same inputs that
/// returns one gradient per entry of `wrt`, of the same shape and type.
///
/// For complex inputs this is the conjugate of the direction of steepest ascent, as in JAX.
///
/// ```
/// use rlx_autodiff::grad;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("cube");
/// let x = b.input("x", Shape::scalar(DType::F64));
/// let graph = b.finish(&[&(&x * &x * &x)]).unwrap();
///
/// let slope = grad(&graph, "x")?;
/// assert_eq!(eval(&slope, &[("x", &Literal::scalar(2.0))])?[0].as_slice::<f64>()?, [12.0]);
/// // Of any order.
/// let curvature = grad(&slope, "x")?;
/// assert_eq!(eval(&curvature, &[("x", &Literal::scalar(2.0))])?[0].as_slice::<f64>()?, [12.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn grad(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    grad_with(graph, wrt, &Options::new())
}

/// [`grad`] with options.
pub fn grad_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    gradient(graph, &wrt.into(), options, false)
}

/// A graph that returns the outputs of the given graph, then the gradients of [`grad`].
///
/// ```
/// use rlx_autodiff::value_and_grad;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("cube");
/// let x = b.input("x", Shape::scalar(DType::F64));
/// let graph = b.finish(&[&(&x * &x * &x)]).unwrap();
///
/// let both = value_and_grad(&graph, "x")?;
/// let out = eval(&both, &[("x", &Literal::scalar(-1.0))])?;
/// assert_eq!((out[0].as_slice::<f64>()?, out[1].as_slice::<f64>()?), (&[-1.0][..], &[3.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn value_and_grad(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    value_and_grad_with(graph, wrt, &Options::new())
}

/// [`value_and_grad`] with options.
pub fn value_and_grad_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    gradient(graph, &wrt.into(), options, true)
}

fn gradient(graph: &Graph, wrt: &Wrt, options: &Options, values: bool) -> Result<Graph, Error> {
    let outputs = graph.output_shapes();
    let loss = options.loss;
    let Some(shape) = outputs.get(loss) else {
        return Err(Error::NoOutput { graph: graph.name().into(), outputs: outputs.len(), output: loss });
    };
    if !shape.is_scalar() || !shape.dtype().is_float() {
        return Err(Error::NotScalar { graph: graph.name().into(), output: loss, shape: shape.clone() });
    }
    let seed = |builder: &Builder| {
        let mut cts = vec![None; outputs.len()];
        cts[loss] = Some(builder.scalar(1.0, shape.dtype()));
        cts
    };
    pulled(graph, wrt, options, values, &seed)
}

/// Reverse mode: a graph that also takes a cotangent for each output that is a float or complex number. It returns the outputs,
/// then a cotangent for each of `wrt`, that is, the cotangents times the Jacobian.
///
/// ```
/// use rlx_autodiff::vjp;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("products");
/// let x = b.input("x", Shape::new(&[2], DType::F64));
/// let graph = b.finish(&[&(&x * &x)]).unwrap();
///
/// let pulled = vjp(&graph, "x")?;
/// let (x, cotangent) = (Literal::new(&[2], &[3.0, 4.0])?, Literal::new(&[2], &[1.0, 0.5])?);
/// let out = eval(&pulled, &[("x", &x), ("out0.cotangent", &cotangent)])?;
/// assert_eq!((out[0].as_slice::<f64>()?, out[1].as_slice::<f64>()?), (&[9.0, 16.0][..], &[6.0, 4.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn vjp(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    vjp_with(graph, wrt, &Options::new())
}

/// [`vjp`] with options.
pub fn vjp_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    let seed = |builder: &Builder| cotangent_inputs(builder, graph);
    pulled(graph, &wrt.into(), options, true, &seed)
}

/// The product of the Hessian of a scalar output and tangents: a graph that also takes a tangent for each of `wrt`, and returns a
/// product for each of them. Uses forward mode over reverse mode.
///
/// ```
/// use rlx_autodiff::hvp;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("cube");
/// let x = b.input("x", Shape::scalar(DType::F64));
/// let graph = b.finish(&[&(&x * &x * &x)]).unwrap();
///
/// let product = hvp(&graph, "x")?;
/// let out = eval(&product, &[("x", &Literal::scalar(2.0)), ("x.tangent", &Literal::scalar(0.5))])?;
/// // 6x · 0.5.
/// assert_eq!(out[0].as_slice::<f64>()?, [6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hvp(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    hvp_with(graph, wrt, &Options::new())
}

/// [`hvp`] with options.
pub fn hvp_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    let wrt = wrt.into();
    let gradient = grad_with(graph, wrt.clone(), options)?;
    let dual = dual_graph(&gradient, &wrt, Mode::Forward, &options.clone().allow_unused())?;
    let mut product = dual.graph;
    product.set_outputs(product.outputs()[gradient.outputs().len()..].to_vec());
    product.remove_dead();
    trace::verified(product)
}

/// A function split into a part that does not depend on tangents and a part that is linear in them.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearized {
    /// From the inputs to the outputs, followed by the residuals, which are the values that `linear` needs.
    pub forward: Graph,
    /// From (residuals…, tangents of `wrt`…) to the tangents of the outputs that are floats or complex numbers; or, in the result
    /// of [`pullback`], from (residuals…, cotangents of those outputs…) to the cotangents of `wrt`. It may be run any number of
    /// times.
    pub linear: Graph,
    /// Number of residuals, which are the last outputs of `forward`.
    pub residuals: usize,
}

/// The function at a point, and its derivative there as a linear function of tangents that can be run any number of times.
///
/// ```
/// use rlx_autodiff::linearize;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("cube");
/// let x = b.input("x", Shape::scalar(DType::F64));
/// let graph = b.finish(&[&(&x * &x * &x)]).unwrap();
///
/// let at = linearize(&graph, "x")?;
/// // The value and the residuals are computed once; the derivative may be run any number of times.
/// let out = eval(&at.forward, &[("x", &Literal::scalar(2.0))])?;
/// assert_eq!((out[0].as_slice::<f64>()?, out.len()), (&[8.0][..], 1 + at.residuals));
/// let names: Vec<String> = at.linear.inputs().filter_map(|n| n.name().map(String::from)).collect();
/// for tangent in [1.0, -2.0] {
///     let tangent_literal = Literal::scalar(tangent);
///     let values = out[1..].iter().chain([&tangent_literal]);
///     let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(values).collect();
///     assert_eq!(eval(&at.linear, &given)?[0].as_slice::<f64>()?, [12.0 * tangent]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn linearize(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Linearized, Error> {
    linearize_with(graph, wrt, &Options::new())
}

/// [`linearize`] with options.
pub fn linearize_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Linearized, Error> {
    let dual = dual_graph(graph, &wrt.into(), Mode::Linearize, options)?;
    let outputs = graph.outputs().len();
    let inputs = dual.graph.inputs().count();
    let mut linear = vec![false; inputs];
    linear[inputs - dual.wrt..].fill(true);
    let mut forced = vec![false; dual.graph.outputs().len()];
    forced[outputs..].fill(true);
    let Split { known, linear, residuals } = split(&dual.graph, &linear, &forced, &keep_all)?;
    Ok(Linearized {
        forward: trace::verified(known)?,
        linear: trace::verified(linear)?,
        residuals: residuals.len(),
    })
}

/// The function at a point, and the transpose of its derivative there as a function of cotangents that can be run any number of
/// times.
///
/// ```
/// use rlx_autodiff::pullback;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("cube");
/// let x = b.input("x", Shape::scalar(DType::F64));
/// let graph = b.finish(&[&(&x * &x * &x)]).unwrap();
///
/// let at = pullback(&graph, "x")?;
/// let out = eval(&at.forward, &[("x", &Literal::scalar(2.0))])?;
/// let names: Vec<String> = at.linear.inputs().filter_map(|n| n.name().map(String::from)).collect();
/// let cotangent = Literal::scalar(0.5);
/// let values = out[1..].iter().chain([&cotangent]);
/// let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(values).collect();
/// assert_eq!(eval(&at.linear, &given)?[0].as_slice::<f64>()?, [6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pullback(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Linearized, Error> {
    pullback_with(graph, wrt, &Options::new())
}

/// [`pullback`] with options.
pub fn pullback_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Linearized, Error> {
    let Linearized { forward, linear, residuals } = linearize_with(graph, wrt, options)?;
    let is_linear: Vec<bool> = (0..linear.inputs().count()).map(|i| i >= residuals).collect();
    let transposed = crate::backward::transpose_all(&linear, &is_linear, options)?;
    Ok(Linearized { forward, linear: trace::verified(transposed)?, residuals })
}

/// A graph of values and tangents.
struct DualGraph {
    /// Inputs, then tangents of `wrt`; outputs, then tangents of the outputs that can have one, with explicit zeros.
    graph: Graph,
    /// Number of tangents that it takes.
    wrt: usize,
}

fn dual_graph(graph: &Graph, wrt: &Wrt, mode: Mode, options: &Options) -> Result<DualGraph, Error> {
    let wrt = wrt.differentiable(graph)?;
    let builder = Builder::new(graph.name()).sharing_constants();
    let all: Vec<(Leaf, Tensor)> =
        leaves(graph).into_iter().map(|l| (l.clone(), add_leaf(&builder, &l))).collect();
    let mut taken: HashSet<String> = all.iter().map(|(l, _)| l.name.clone()).collect();
    let mut tangents: HashMap<String, Tensor> = HashMap::new();
    for leaf in &wrt {
        let name = unique(&mut taken, format!("{}.tangent", leaf.name));
        tangents.insert(leaf.name.clone(), builder.input(name, leaf.shape.clone()));
    }
    let dual = |(leaf, primal): &(Leaf, Tensor)| Dual {
        primal: primal.clone(),
        tangent: tangents.get(&leaf.name).cloned(),
    };
    let inputs: Vec<Dual> = all.iter().filter(|(l, _)| !l.is_param).map(dual).collect();
    let params: Vec<(&str, Dual)> =
        all.iter().filter(|(l, _)| l.is_param).map(|p| (p.0.name.as_str(), dual(p))).collect();
    let cx = Forward { builder: &builder, mode, options };
    let results = cx.graph(graph, &inputs, &params)?;
    let mut outputs: Vec<Tensor> = results.iter().map(|d| d.primal.clone()).collect();
    let inexact = results.iter().filter(|d| trace::is_inexact(&d.primal));
    outputs.extend(inexact.map(Dual::tangent_or_zeros));
    let graph = builder.intermediate(&outputs.iter().collect::<Vec<_>>())?;
    Ok(DualGraph { graph, wrt: wrt.len() })
}

/// The outputs (if `values`) and the cotangents of `wrt`, for the cotangents of the outputs that `seed` returns.
fn pulled(
    graph: &Graph,
    wrt: &Wrt,
    options: &Options,
    values: bool,
    seed: &dyn Fn(&Builder) -> Vec<Option<Tensor>>,
) -> Result<Graph, Error> {
    let dual = dual_graph(graph, wrt, Mode::Linearize, options)?;
    let builder = Builder::new(graph.name()).sharing_constants();
    let all = leaves(graph);
    let mut args: Vec<Arg> = Vec::new();
    for leaf in all.iter().filter(|l| !l.is_param) {
        args.push(Arg::Known(add_leaf(&builder, leaf)));
    }
    let wrt = wrt.resolve(graph)?;
    args.extend(wrt.iter().map(|l| Arg::Linear(l.shape.clone())));
    let of_outputs = seed(&builder);
    // Outputs of the dual graph: all values, then the tangents of those that have one.
    let tangents = graph.output_shapes().into_iter().zip(&of_outputs);
    let tangents = tangents.filter(|(s, _)| trace::has_derivative(s.dtype())).map(|(_, ct)| ct.clone());
    let cts: Vec<Option<Tensor>> = vec![None; graph.outputs().len()].into_iter().chain(tangents).collect();
    let cx = Backward { builder: &builder, options };
    let (known, given) = cx.graph_with_known(&dual.graph, &args, &cts, values)?;
    let mut outputs: Vec<Tensor> = known.into_iter().take(graph.outputs().len()).flatten().collect();
    let first = given.len() - dual.wrt;
    let without = wrt.iter().zip(&given[first..]).filter(|(_, ct)| ct.is_none());
    check_used(graph, &without.map(|(leaf, _)| leaf.clone()).collect::<Vec<_>>(), options)?;
    for (leaf, ct) in wrt.iter().zip(&given[first..]) {
        outputs.push(ct.clone().unwrap_or_else(|| trace::zeros(&builder, &leaf.shape)));
    }
    trace::finish(&builder, &outputs.iter().collect::<Vec<_>>())
}

/// Fails if no output depends on one of the leaves, unless the options allow that.
pub(crate) fn check_used(graph: &Graph, wrt: &[Leaf], options: &Options) -> Result<(), Error> {
    if wrt.is_empty() || options.allow_unused {
        return Ok(());
    }
    let used = used(graph);
    match wrt.iter().find(|leaf| !used.contains(leaf.name.as_str())) {
        Some(leaf) => Err(Error::Unused { graph: graph.name().into(), name: leaf.name.clone() }),
        None => Ok(()),
    }
}

/// The names of the leaves that some output depends on.
fn used(graph: &Graph) -> HashSet<&str> {
    let mut needed = vec![false; graph.nodes().len()];
    graph.outputs().iter().for_each(|output| needed[output.index()] = true);
    let mut names = HashSet::new();
    for node in graph.nodes().iter().rev() {
        if needed[node.id().index()] {
            node.inputs().iter().for_each(|i| needed[i.index()] = true);
            names.extend(node.name());
        }
    }
    names
}

/// An input for the cotangent of each output that can have one.
fn cotangent_inputs(builder: &Builder, graph: &Graph) -> Vec<Option<Tensor>> {
    let mut taken: HashSet<String> = leaves(graph).into_iter().map(|l| l.name).collect();
    let cotangent = |(i, shape): (usize, Shape)| {
        trace::has_derivative(shape.dtype())
            .then(|| builder.input(unique(&mut taken, format!("out{i}.cotangent")), shape))
    };
    graph.output_shapes().into_iter().enumerate().map(cotangent).collect()
}

pub(crate) fn add_leaf(builder: &Builder, leaf: &Leaf) -> Tensor {
    match leaf.is_param {
        true => builder.param(leaf.name.clone(), leaf.shape.clone()),
        false => builder.input(leaf.name.clone(), leaf.shape.clone()),
    }
}

/// The name, with a number appended if it is taken.
pub(crate) fn unique(taken: &mut HashSet<String>, name: String) -> String {
    let numbered = (2..).map(|n| format!("{name}.{n}"));
    // INVARIANT: the numbers are infinite.
    let free = std::iter::once(name.clone()).chain(numbered).find(|n| !taken.contains(n)).unwrap_or(name);
    taken.insert(free.clone());
    free
}
