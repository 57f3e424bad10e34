//! Transforms of closures on tensors, for use inside an expression of the front end. A function is the same kind of closure that
//! branches and loops take, so transforms nest: `vmap(b, &|b, x| grad(b, &f, x, &[0]), …)`. As everywhere in the front end, the
//! builder collects errors, and results after an error are void.
//!
//! ```
//! use rlx_autodiff::func;
//! use rlx_ir::{Builder, DType, Shape, Tensor};
//!
//! let energy = |_: &Builder, x: &[Tensor]| vec![(&x[0] * &x[0]).sin()];
//! let b = Builder::new("force");
//! let x = b.input("x", Shape::new(&[8], DType::F32));
//! let force = func::vmap(&b, &|b, x| func::grad(b, &energy, x, &[0]), &[x], &Default::default());
//! let graph = b.finish(&[&force[0]]).unwrap();
//! assert_eq!(graph.output_shapes(), [Shape::new(&[8], DType::F32)]);
//! ```
//!
//! A closure builds a separate graph, and can use only its arguments. Using a tensor of the surrounding graph is an error that
//! names the tensor. Pass everything else that the closure needs as one more argument, which you leave out of `wrt`:
//!
//! ```
//! use rlx_autodiff::func;
//! use rlx_ir::{Builder, DType, ReduceOp, Shape, Tensor};
//!
//! let b = Builder::new("weighted");
//! let x = b.input("x", Shape::new(&[5], DType::F32));
//! let w = b.param("w", Shape::new(&[5], DType::F32));
//! let captured = func::grad(&b, &|_, x| vec![(&x[0] * &w).reduce(ReduceOp::Sum, &[0], false)], &[x.clone()], &[0]);
//! let error = b.clone().finish(&[&captured[0]]).unwrap_err().to_string();
//! assert!(error.contains("operand 1 (\"w\", f32[5]) belongs to another builder"));
//!
//! let b = Builder::new("weighted");
//! let x = b.input("x", Shape::new(&[5], DType::F32));
//! let w = b.param("w", Shape::new(&[5], DType::F32));
//! let weighted = |_: &Builder, x: &[Tensor]| vec![(&x[0] * &x[1]).reduce(ReduceOp::Sum, &[0], false)];
//! let gradient = func::grad(&b, &weighted, &[x, w], &[0]);
//! assert!(b.finish(&[&gradient[0]]).is_ok());
//! ```

use crate::derivative::Linearized;
use crate::error::Error;
use crate::options::Options;
use crate::trace;
use crate::vmap::{VmapAxes, mapped_size, vmap_with, without_axis};
use rlx_ir::{Body, Builder, Graph, Shape, Tensor};

/// Gradients of the first result of `f`, a scalar, with respect to the arguments at `wrt`. An argument that `f` does not use has
/// a gradient of zeros.
pub fn grad(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize]) -> Vec<Tensor> {
    let to = |graph: &Graph| crate::grad_with(graph, wrt, &used_or_not());
    transformed(b, "grad", f, args, &[], to).truncated(wrt.len())
}

/// The results of `f`, then the gradients of the first result with respect to the arguments at `wrt`.
pub fn value_and_grad(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize]) -> Vec<Tensor> {
    let to = |graph: &Graph| crate::value_and_grad_with(graph, wrt, &used_or_not());
    transformed(b, "value_and_grad", f, args, &[], to).0
}

/// The results of `f`, and the tangents of those that are floats or complex numbers, given a tangent of each argument (`None` is
/// zero).
pub fn jvp(
    b: &Builder,
    f: Body<'_>,
    args: &[Tensor],
    tangents: &[Option<Tensor>],
) -> (Vec<Tensor>, Vec<Tensor>) {
    let wrt: Vec<usize> = (0..tangents.len()).filter(|&i| tangents[i].is_some()).collect();
    let given: Vec<Tensor> = tangents.iter().flatten().cloned().collect();
    let mut count = 0;
    let to = |graph: &Graph| {
        count = graph.outputs().len();
        crate::jvp_with(graph, &wrt[..], &used_or_not())
    };
    let mut results = transformed(b, "jvp", f, args, &given, to).0;
    let tangents = results.split_off(count.min(results.len()));
    (results, tangents)
}

/// The Hessian of the first result of `f`, a scalar, with respect to the arguments at `wrt`, times a tangent of each of them.
pub fn hvp(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize], tangents: &[Tensor]) -> Vec<Tensor> {
    let to = |graph: &Graph| crate::hvp_with(graph, wrt, &used_or_not());
    transformed(b, "hvp", f, args, tangents, to).truncated(wrt.len())
}

/// The derivatives of each result of `f` that is a float or complex number with respect to each argument at `wrt`, in forward
/// mode. Order and dimensions are those of [`crate::jacfwd`].
pub fn jacfwd(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize]) -> Vec<Tensor> {
    let to = |graph: &Graph| crate::jacfwd_with(graph, wrt, &used_or_not());
    transformed(b, "jacfwd", f, args, &[], to).0
}

/// [`jacfwd`] in reverse mode.
pub fn jacrev(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize]) -> Vec<Tensor> {
    let to = |graph: &Graph| crate::jacrev_with(graph, wrt, &used_or_not());
    transformed(b, "jacrev", f, args, &[], to).0
}

/// The second derivatives of the first result of `f`, a scalar, with respect to each pair of arguments at `wrt`.
pub fn hessian(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize]) -> Vec<Tensor> {
    let to = |graph: &Graph| crate::hessian_with(graph, wrt, &used_or_not());
    transformed(b, "hessian", f, args, &[], to).0
}

/// The derivative of a function at a point, as a linear function of tangents (from [`linearize`]) or of cotangents (from
/// [`vjp`]).
#[derive(Clone)]
pub struct Linear {
    builder: Builder,
    graph: Option<Graph>,
    residuals: Vec<Tensor>,
}

impl Linear {
    /// Applies the linear function to these values. It may be called any number of times; the values that it needs of the point
    /// are computed only once.
    pub fn apply(&self, values: &[Tensor]) -> Vec<Tensor> {
        let Some(graph) = &self.graph else { return Vec::new() };
        let args: Vec<Tensor> = self.residuals.iter().chain(values).cloned().collect();
        inlined(&self.builder, "linear", Ok(graph.clone()), &args).0
    }
}

/// The results of `f`, and its derivative with respect to the arguments at `wrt`, which maps their tangents to those of the
/// results.
pub fn linearize(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize]) -> (Vec<Tensor>, Linear) {
    parted(b, "linearize", f, args, |graph| crate::linearize_with(graph, wrt, &used_or_not()))
}

/// The results of `f`, and its pullback, which maps cotangents of the results to those of the arguments at `wrt`.
pub fn vjp(b: &Builder, f: Body<'_>, args: &[Tensor], wrt: &[usize]) -> (Vec<Tensor>, Linear) {
    parted(b, "vjp", f, args, |graph| crate::pullback_with(graph, wrt, &used_or_not()))
}

/// Applies `f` to each slice of the arguments along their mapped axes (axis 0 of each, unless `axes` says otherwise), and stacks
/// the results. The size of the mapped axis follows from the arguments.
pub fn vmap(b: &Builder, f: Body<'_>, args: &[Tensor], axes: &VmapAxes) -> Vec<Tensor> {
    let shapes: Vec<Shape> = args.iter().map(Tensor::shape).collect();
    let to = || -> Result<Graph, Error> {
        let in_axes = axes.positional(args.len())?;
        let size = mapped_size(&shapes, &in_axes, axes)?;
        let own: Vec<Shape> = shapes
            .iter()
            .zip(&in_axes)
            .map(|(s, axis)| axis.map_or(Ok(s.clone()), |a| without_axis(s, a)))
            .collect::<Result<_, _>>()?;
        vmap_with(&traced(f, &own)?, &axes.clone().size(size), &Options::new())
    };
    if args.iter().any(|a| a.id().is_none()) {
        return args.to_vec();
    }
    inlined(b, "vmap", to(), args).0
}

/// In an expression, an argument that a function does not use has a gradient of zeros instead of an error.
fn used_or_not() -> Options {
    Options::new().allow_unused()
}

/// The results of a transform in an expression.
struct Results(Vec<Tensor>);

impl Results {
    fn truncated(mut self, len: usize) -> Vec<Tensor> {
        if let Some(last) = self.0.last().cloned() {
            self.0.resize(len, last);
        }
        self.0
    }
}

/// The graph of `f` for arguments of these shapes.
fn traced(f: Body<'_>, shapes: &[Shape]) -> Result<Graph, Error> {
    let inner = Builder::new("function").sharing_constants();
    let inputs = trace::inputs(&inner, "x", shapes.to_vec());
    let outputs = f(&inner, &inputs);
    Ok(inner.finish(&outputs.iter().collect::<Vec<_>>())?)
}

/// Applies the transform of `f` to its arguments, and to additional ones.
fn transformed(
    b: &Builder,
    name: &str,
    f: Body<'_>,
    args: &[Tensor],
    more: &[Tensor],
    to: impl FnOnce(&Graph) -> Result<Graph, Error>,
) -> Results {
    let all: Vec<Tensor> = args.iter().chain(more).cloned().collect();
    if all.iter().any(|a| a.id().is_none()) {
        return Results(all);
    }
    let shapes: Vec<Shape> = args.iter().map(Tensor::shape).collect();
    inlined(b, name, traced(f, &shapes).and_then(|graph| to(&graph)), &all)
}

/// Applies a graph to values. Records an error and returns one void value if the graph could not be made.
fn inlined(b: &Builder, name: &str, graph: Result<Graph, Error>, args: &[Tensor]) -> Results {
    let results =
        graph.map_err(|e| e.to_string()).and_then(|graph| b.inline(&graph, args).map_err(|e| e.to_string()));
    Results(results.unwrap_or_else(|message| vec![b.error(name, message)]))
}

fn parted(
    b: &Builder,
    name: &str,
    f: Body<'_>,
    args: &[Tensor],
    to: impl FnOnce(&Graph) -> Result<Linearized, Error>,
) -> (Vec<Tensor>, Linear) {
    let mut linear = None;
    let mut residuals = 0;
    let forward = |graph: &Graph| {
        let parts = to(graph)?;
        (linear, residuals) = (Some(parts.linear), parts.residuals);
        Ok(parts.forward)
    };
    let mut results = transformed(b, name, f, args, &[], forward).0;
    let residuals = results.split_off(results.len().saturating_sub(residuals));
    (results, Linear { builder: b.clone(), graph: linear, residuals })
}
