//! Graphs, builders with an explicit output shape, shapes.

use crate::{compiled, f32s};
use rlx_ir::op::{Activation, BinaryOp, ReduceOp};
use rlx_ir::{DType, Graph, NodeId, Shape};
use rlx_runtime::{Device, Session};

#[test]
fn explicit_builders_compile_and_run() {
    let x = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.25, 2.0];
    let out = compiled(Device::Cpu).run(&[("x", &x), ("labels", &[2.0, 0.0])]);
    // NumPy/SciPy: see scripts/api_reference.py.
    let expected: [&[f32]; 3] = [&[0.826_336_9, 3.160_789_3], &[18.237_515], &[4.598_577, 1.480_594_5]];
    for (got, want) in out.iter().zip(expected) {
        assert_eq!(got.len(), want.len());
        got.iter().zip(want).for_each(|(g, w)| assert!((g - w).abs() < 1e-4, "{out:?}"));
    }
}

#[test]
fn a_first_program_computes_what_it_says() {
    let mut g = Graph::new("first");
    let x: NodeId = g.input("x", f32s(&[1, 3]));
    let w: NodeId = g.param("w", f32s(&[3, 2]));
    let y = g.matmul(x, w, f32s(&[1, 2]));
    let y = g.activation(Activation::Relu, y, f32s(&[1, 2]));
    let y = g.binary(BinaryOp::Mul, y, y, f32s(&[1, 2]));
    let total = g.reduce(y, ReduceOp::Sum, vec![1], false, f32s(&[1]));
    let flat = g.reshape(total, vec![-1], f32s(&[1]));
    g.set_outputs(vec![flat]);
    let mut compiled = Session::new(Device::Cpu).compile(g);
    compiled.set_param("w", &[1.0, -1.0, 0.5, 0.0, 0.0, -2.0]);
    assert_eq!(compiled.run(&[("x", &[2.0, 4.0, 1.0])]), [[16.0]]);
}

#[test]
fn shapes_are_made_of_sizes_and_dims() {
    assert_eq!(Shape::from_dims(&[], DType::F32).rank(), 0);
    assert_eq!(Shape::from_dims(&[3.into(), 5.into()], DType::F32), f32s(&[3, 5]));
}
