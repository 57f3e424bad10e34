//! Code that tests of lowering share.

use rlx_ir::{Builder, Graph, Shape, Tensor};

/// Returns a graph of inputs `x0`, `x1`, … of these shapes.
pub fn group(inputs: &[Shape], body: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let b = Builder::new("group");
    let inputs = inputs.iter().enumerate();
    let inputs: Vec<Tensor> = inputs.map(|(i, shape)| b.input(format!("x{i}"), shape.clone())).collect();
    let outputs = body(&inputs);
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap_or_else(|e| panic!("{e}"))
}
