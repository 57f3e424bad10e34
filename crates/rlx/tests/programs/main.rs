//! Programs that users already have, as listed by their forms in the design's `api.md`. There is one module per row,
//! each with the imports of its programs.

mod devices;
mod dispatch;
mod errors;
mod forms;
mod graphs;
mod model_config;
mod ops;
mod precision;
mod session;
mod timing;
mod training;
mod training_forms;
mod transforms;

use rlx::prelude::*;

fn f32s(dims: &[usize]) -> Shape {
    Shape::new(dims, DType::F32)
}

/// A classifier with everything explicit: builders, shapes, reductions, and a loss.
fn explicit() -> Graph {
    let mut g = Graph::new("explicit");
    let x = g.input("x", f32s(&[2, 4]));
    let labels = g.input("labels", f32s(&[2]));
    let w = g.param("w", f32s(&[4, 3]));
    let b = g.param("b", f32s(&[3]));
    let h = g.matmul(x, w, f32s(&[2, 3]));
    let h = g.binary(BinaryOp::Add, h, b, f32s(&[2, 3]));
    let h = g.activation(Activation::Gelu, h, f32s(&[2, 3]));
    let flat = g.reshape(h, vec![6], f32s(&[6]));
    let total = g.reduce(flat, ReduceOp::Sum, vec![0], false, f32s(&[]));
    let mean = g.reduce(h, ReduceOp::Mean, vec![1], true, f32s(&[2, 1]));
    let loss = g.softmax_cross_entropy_with_logits(h, labels);
    g.set_outputs(vec![loss, total, mean]);
    g
}

const W: [f32; 12] = [0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9, -1.0, 1.1, 1.2];

fn compiled(device: Device) -> CompiledGraph {
    let mut compiled = Session::new(device).compile(explicit());
    compiled.set_param("w", &W);
    compiled.set_param("b", &[0.5, -0.5, 0.25]);
    compiled
}
