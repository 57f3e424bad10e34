//! Whole Jacobians and Hessians: derivatives along every unit vector at once, using vectorization.

use crate::batching::{Batched, Batching};
use crate::derivative::{add_leaf, check_used, grad_with, jvp_with, vjp_with};
use crate::error::Error;
use crate::options::Options;
use crate::trace;
use crate::vmap::move_axis;
use crate::wrt::{Leaf, Wrt, leaves};
use rlx_ir::{Builder, DType, Dim, Graph, Shape, Tensor};

/// The Jacobian in forward mode, which suits functions with fewer inputs than outputs. For each output that is a float or complex
/// number, and each of `wrt` (outputs outermost), returns the derivatives, with the dimensions of the output followed by those of
/// the input.
///
/// Sizes of `wrt` must be static. For complex numbers, this is the derivative of a holomorphic function.
///
/// ```
/// use rlx_autodiff::jacfwd;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("products");
/// let x = b.input("x", Shape::new(&[2], DType::F64));
/// let graph = b.finish(&[&(&x * &x)]).unwrap();
///
/// let jacobian = jacfwd(&graph, "x")?;
/// assert_eq!(jacobian.output_shapes(), [Shape::new(&[2, 2], DType::F64)]);
/// let x = Literal::new(&[2], &[3.0, 4.0])?;
/// assert_eq!(eval(&jacobian, &[("x", &x)])?[0].as_slice::<f64>()?, [6.0, 0.0, 0.0, 8.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn jacfwd(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    jacfwd_with(graph, wrt, &Options::new())
}

/// [`jacfwd`] with options.
pub fn jacfwd_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    let wrt = wrt.into().differentiable(graph)?;
    let builder = Builder::new(graph.name()).sharing_constants();
    let inputs = Inputs::new(&builder, graph);
    let outputs = graph.output_shapes();
    let mut columns: Vec<Vec<Tensor>> = Vec::new();
    for leaf in &wrt {
        let along = jvp_with(graph, leaf.name.as_str(), options)?;
        let size = elements(leaf.shape.dims(), &format!("`{}`", leaf.name))?;
        let basis = Batched::each(units(&builder, &leaf.shape, size));
        let derivatives = inputs.mapped(&along, vec![basis], size, options)?;
        let column = derivatives[outputs.len()..].iter().map(|d| {
            let last = move_axis(d, 0, d.rank() - 1);
            let own = d.dims()[1..].to_vec();
            last.reshape(&[own, leaf.shape.dims().to_vec()].concat())
        });
        columns.push(column.collect());
    }
    let rows = columns.first().map_or(0, Vec::len);
    let entries: Vec<&Tensor> = (0..rows).flat_map(|i| columns.iter().map(move |c| &c[i])).collect();
    trace::finish(&builder, &entries)
}

/// The Jacobian in reverse mode, which suits functions with fewer outputs than inputs. For each output that is a float or complex
/// number, and each of `wrt` (outputs outermost), returns the derivatives, with the dimensions of the output followed by those of
/// the input.
///
/// Sizes of the outputs must be static.
///
/// ```
/// use rlx_autodiff::jacrev;
/// use rlx_ir::{Builder, DType, Literal, Shape, eval};
///
/// let b = Builder::new("products");
/// let x = b.input("x", Shape::new(&[2], DType::F64));
/// let graph = b.finish(&[&(&x * &x)]).unwrap();
///
/// let jacobian = jacrev(&graph, "x")?;
/// assert_eq!(jacobian.output_shapes(), [Shape::new(&[2, 2], DType::F64)]);
/// let x = Literal::new(&[2], &[3.0, 4.0])?;
/// assert_eq!(eval(&jacobian, &[("x", &x)])?[0].as_slice::<f64>()?, [6.0, 0.0, 0.0, 8.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn jacrev(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    jacrev_with(graph, wrt, &Options::new())
}

/// [`jacrev`] with options.
pub fn jacrev_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    let wrt = wrt.into();
    check_used(graph, &wrt.resolve(graph)?, options)?;
    // A single output need not depend on an input that others depend on: its rows are zeros.
    let alone = options.clone().allow_unused();
    let builder = Builder::new(graph.name()).sharing_constants();
    let inputs = Inputs::new(&builder, graph);
    let mut entries: Vec<Tensor> = Vec::new();
    for (i, shape) in graph.output_shapes().into_iter().enumerate() {
        if !trace::has_derivative(shape.dtype()) {
            continue;
        }
        let mut one = graph.clone();
        one.set_outputs(vec![graph.outputs()[i]]);
        let size = elements(shape.dims(), &format!("output {i}"))?;
        let pulled = vjp_with(&one, wrt.clone(), &alone)?;
        let basis = Batched::each(units(&builder, &shape, size));
        let rows = inputs.mapped(&pulled, vec![basis], size, options)?;
        entries.extend(rows[1..].iter().map(|row| {
            let own = row.dims()[1..].to_vec();
            row.reshape(&[shape.dims().to_vec(), own].concat())
        }));
    }
    trace::finish(&builder, &entries.iter().collect::<Vec<_>>())
}

/// The second derivatives of a scalar output. For each pair of `wrt` (the first outermost), returns a tensor with the dimensions
/// of the first followed by those of the second. Uses forward mode over reverse mode.
///
/// ```
/// use rlx_autodiff::hessian;
/// use rlx_ir::{Builder, DType, Literal, ReduceOp, Shape, eval};
///
/// let b = Builder::new("energy");
/// let x = b.input("x", Shape::new(&[2], DType::F64));
/// let graph = b.finish(&[&(&x * &x * &x).reduce(ReduceOp::Sum, &[0], false)]).unwrap();
///
/// let second = hessian(&graph, "x")?;
/// let x = Literal::new(&[2], &[1.0, -2.0])?;
/// assert_eq!(eval(&second, &[("x", &x)])?[0].as_slice::<f64>()?, [6.0, 0.0, 0.0, -12.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hessian(graph: &Graph, wrt: impl Into<Wrt>) -> Result<Graph, Error> {
    hessian_with(graph, wrt, &Options::new())
}

/// [`hessian`] with options.
pub fn hessian_with(graph: &Graph, wrt: impl Into<Wrt>, options: &Options) -> Result<Graph, Error> {
    let wrt = wrt.into();
    jacfwd_with(&grad_with(graph, wrt.clone(), options)?, wrt, options)
}

/// The inputs and parameters of a graph, each added only once.
struct Inputs<'a> {
    builder: &'a Builder,
    inputs: Vec<Tensor>,
    params: Vec<(Leaf, Tensor)>,
}

impl<'a> Inputs<'a> {
    fn new(builder: &'a Builder, graph: &Graph) -> Inputs<'a> {
        let (params, inputs): (Vec<Leaf>, Vec<Leaf>) = leaves(graph).into_iter().partition(|l| l.is_param);
        Inputs {
            builder,
            inputs: inputs.iter().map(|l| add_leaf(builder, l)).collect(),
            params: params.into_iter().map(|l| (l.clone(), add_leaf(builder, &l))).collect(),
        }
    }

    /// The outputs of a graph that takes these inputs and `more`, with a leading batch axis.
    fn mapped(
        &self,
        graph: &Graph,
        more: Vec<Batched>,
        size: usize,
        options: &Options,
    ) -> Result<Vec<Tensor>, Error> {
        let cx = Batching { builder: self.builder, size: Dim::Static(size), axis_name: None, options };
        let shared = self.inputs.iter().cloned().map(Batched::shared);
        let inputs: Vec<Batched> = shared.chain(more).collect();
        let params: Vec<(&str, Batched)> =
            self.params.iter().map(|(l, p)| (l.name.as_str(), Batched::shared(p.clone()))).collect();
        Ok(cx.graph(graph, &inputs, &params)?.iter().map(|r| cx.front(r)).collect())
    }
}

fn elements(dims: &[Dim], what: &str) -> Result<usize, Error> {
    let sizes: Option<Vec<usize>> = dims.iter().map(Dim::as_static).collect();
    sizes.and_then(|s| rlx_ir::shape::checked_product(&s)).ok_or_else(|| {
        Error::Axis(format!("the Jacobian needs static sizes of {what}; bind its symbols first"))
    })
}

/// The unit vectors of a shape with this many elements, along a leading axis.
fn units(builder: &Builder, shape: &Shape, size: usize) -> Tensor {
    let square = Shape::new(&[size, size], DType::I64);
    let diagonal = builder.iota(square.clone(), 0).equal(&builder.iota(square, 1));
    let dims: Vec<Dim> = std::iter::once(Dim::Static(size)).chain(shape.dims().iter().cloned()).collect();
    diagonal.convert(shape.dtype()).reshape(&dims)
}
