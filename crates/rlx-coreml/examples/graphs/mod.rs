//! Graphs for operations that no case of the conformance table becomes: each is written as one operation. The example `round_trip` runs
//! them after the table, and a test compares each with the evaluator.

mod axes;
mod images;
mod kept;
mod layers;
mod motion;
mod nets;
mod open;
mod opened;
mod operations;
mod page;
mod signals;

pub use kept::{KeptExample, kept};
pub use open::{OpenExample, open};
pub use opened::{SIZE, opened, repeated};
pub use page::{Table, page};
use rlx_coreml::Opset;
use rlx_ir::{Builder, DType, Graph, Literal, Shape, Tensor};

/// A graph that becomes an operation.
pub struct Example {
    /// The operation.
    pub kind: &'static str,
    /// An operation that must not be written then, if that matters.
    pub gone: &'static str,
    /// The first opset in which the graph becomes the operation.
    pub since: Opset,
    /// The graph.
    pub graph: Graph,
    /// The values of its inputs and parameters.
    pub values: Vec<(String, Literal)>,
}

/// Returns reproducible floats of these sizes, positive and negative.
pub fn floats(seed: usize, dims: &[usize]) -> Literal {
    let count = dims.iter().product();
    let number = |i: usize| ((i * 37 + seed * 11) % 29) as f32 / 7.0 - 1.75;
    Literal::new(dims, &(0..count).map(number).collect::<Vec<f32>>()).unwrap()
}

/// Creates an example from a function of an input x and of parameters of these sizes.
pub fn example(
    kind: &'static str,
    gone: &'static str,
    x: &[usize],
    params: &[&[usize]],
    f: impl FnOnce(&Tensor, &[Tensor]) -> Tensor,
) -> Example {
    let params: Vec<Literal> = params.iter().enumerate().map(|(i, dims)| floats(i + 1, dims)).collect();
    with_values(kind, gone, floats(0, x), params, f)
}

/// Creates an example with the given values of x and the parameters.
pub fn with_values(
    kind: &'static str,
    gone: &'static str,
    x: Literal,
    params: Vec<Literal>,
    f: impl FnOnce(&Tensor, &[Tensor]) -> Tensor,
) -> Example {
    let builder = Builder::new("main");
    let input = builder.input("x", x.shape().clone());
    let names: Vec<String> = (0..params.len()).map(|i| format!("p{i}")).collect();
    let tensors: Vec<Tensor> =
        names.iter().zip(&params).map(|(name, value)| builder.param(name, value.shape().clone())).collect();
    let graph = builder.finish(&[&f(&input, &tensors)]).unwrap();
    let values = names.into_iter().zip(params).chain([("x".to_string(), x)]).collect();
    Example { kind, gone, since: Opset::Ios15, graph, values }
}

impl Example {
    /// Sets the first opset in which the graph becomes the operation.
    pub fn since(mut self, opset: Opset) -> Example {
        self.since = opset;
        self
    }
}

/// Returns a scalar repeated to the sizes of x.
pub fn number(x: &Tensor, value: f64) -> Tensor {
    x.scalar_like(value).broadcast_in_dim(&x.dims(), &[])
}

/// Returns 0, 1, 2, … along an axis of x, as i32.
pub fn places(x: &Tensor, axis: usize) -> Tensor {
    x.builder().iota(Shape::from_dims(&x.dims(), DType::I32), axis)
}

/// Returns all examples.
pub fn all() -> Vec<Example> {
    [axes::all(), signals::all(), layers::all(), images::all(), motion::all(), nets::all()]
        .into_iter()
        .flatten()
        .collect()
}
