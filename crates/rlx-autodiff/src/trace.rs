//! What all transforms need to build graphs: zeros, inputs, finished graphs.

use crate::error::Error;
use rlx_ir::{Builder, Class, DType, Dim, Graph, Node, Op, Shape, Tensor, verify};

/// Whether values of this type have derivatives.
pub(crate) fn has_derivative(dtype: DType) -> bool {
    matches!(dtype.class(), Class::Float | Class::Complex)
}

/// Whether the tensor has a type that has derivatives.
pub(crate) fn is_inexact(x: &Tensor) -> bool {
    has_derivative(x.dtype())
}

/// Zeros of a shape.
pub(crate) fn zeros(builder: &Builder, shape: &Shape) -> Tensor {
    builder.scalar(0.0, shape.dtype()).broadcast_to(shape.dims())
}

/// Zeros of a tensor's shape.
pub(crate) fn zeros_like(x: &Tensor) -> Tensor {
    zeros(&x.builder(), &x.shape())
}

/// A number in the type of a tensor, repeated to its shape.
pub(crate) fn full_like(x: &Tensor, value: f64) -> Tensor {
    x.scalar_like(value).broadcast_to(&x.dims())
}

/// The sum of the terms that are not `None`; `None` if there are none.
pub(crate) fn sum(terms: impl IntoIterator<Item = Option<Tensor>>) -> Option<Tensor> {
    terms.into_iter().flatten().reduce(|a, b| a + b)
}

/// The shape with a leading axis of this size.
pub(crate) fn with_leading(shape: &Shape, size: &Dim) -> Shape {
    let dims: Vec<Dim> = std::iter::once(size.clone()).chain(shape.dims().iter().cloned()).collect();
    Shape::from_dims(&dims, shape.dtype())
}

/// Inputs `prefix0`, `prefix1`, … of these shapes.
pub(crate) fn inputs(builder: &Builder, prefix: &str, shapes: Vec<Shape>) -> Vec<Tensor> {
    shapes.into_iter().enumerate().map(|(i, s)| builder.input(format!("{prefix}{i}"), s)).collect()
}

/// The verified graph with these outputs, without the nodes that none of them needs.
pub(crate) fn finish(builder: &Builder, outputs: &[&Tensor]) -> Result<Graph, Error> {
    verified(builder.intermediate(outputs)?)
}

/// Returns the graph if it is valid.
pub(crate) fn verified(graph: Graph) -> Result<Graph, Error> {
    verify(&graph)?;
    Ok(graph)
}

/// Traverses a graph from values of its inputs (in order) to those of its outputs. `param` returns the value of a parameter by
/// name, and `step` the results of any other node.
pub(crate) fn replay<V: Clone>(
    graph: &Graph,
    inputs: &[V],
    param: &dyn Fn(&Node, &str) -> V,
    step: &dyn Fn(&Node, Vec<V>) -> Result<Vec<V>, Error>,
) -> Result<Vec<V>, Error> {
    let mut env: Vec<Vec<V>> = Vec::with_capacity(graph.nodes().len());
    let mut next = inputs.iter();
    for node in graph.nodes() {
        let results = match node.op() {
            Op::Input { name } => {
                let missing = || Error::Arguments(format!("no value for input `{name}`"));
                vec![next.next().cloned().ok_or_else(missing)?]
            }
            Op::Param { name } => vec![param(node, name)],
            Op::Output { index } => vec![env[node.inputs()[0].index()][*index].clone()],
            _ => step(node, node.inputs().iter().map(|i| env[i.index()][0].clone()).collect())?,
        };
        env.push(results);
    }
    Ok(graph.outputs().iter().map(|o| env[o.index()][0].clone()).collect())
}

/// Runs a rule for a node under its label. Returns the results, or what is wrong with what the rule built.
pub(crate) fn applied<V>(
    builder: &Builder,
    node: &Node,
    rule: impl FnOnce() -> Result<Vec<V>, Error>,
) -> Result<Vec<V>, Error> {
    let results = builder.labeled(node.label_arc(), rule).map_err(|e| e.at(node))?;
    if results.len() == node.results().len() {
        return Ok(results);
    }
    builder.intermediate(&[])?;
    let why = format!("it returned {} of {} result(s)", results.len(), node.results().len());
    Err(Error::no_rule("complete rule", why).at(node))
}

/// A graph from inputs of these shapes to the results of `f`.
pub(crate) fn graph(
    name: &str,
    shapes: Vec<Shape>,
    f: impl FnOnce(&Builder, &[Tensor]) -> Result<Vec<Tensor>, Error>,
) -> Result<Graph, Error> {
    let builder = Builder::new(name).sharing_constants();
    let inputs = inputs(&builder, "x", shapes);
    let outputs = f(&builder, &inputs)?;
    finish(&builder, &outputs.iter().collect::<Vec<_>>())
}

/// A dimension as an i64 scalar.
pub(crate) fn size(builder: &Builder, dim: &Dim) -> Tensor {
    match dim.as_static() {
        Some(n) => builder.int(i64::try_from(n).unwrap_or(i64::MAX), DType::I64),
        None => {
            let counted = builder.iota(Shape::from_dims(std::slice::from_ref(dim), DType::I64), 0);
            counted.apply(Op::DimSize { axis: 0 }, &[])
        }
    }
}

/// The integer type that is wide enough for positions among this many elements.
pub(crate) fn position_type(count: &Dim) -> DType {
    match count.as_static() {
        Some(n) if i32::try_from(n).is_ok() => DType::I32,
        _ => DType::I64,
    }
}

/// Axes shifted by one for a leading axis.
pub(crate) fn up(axes: &[usize]) -> Vec<usize> {
    axes.iter().map(|a| a + 1).collect()
}
