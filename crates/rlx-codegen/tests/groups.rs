//! Lowered groups, run by the interpreter and compared with the evaluator.

mod support;

use rlx_codegen::judge::{judge, sizes};
use rlx_codegen::{Interpreter, lower};
use rlx_ir::{CompareOp, DType, Dim, Graph, Literal, Op, Shape, Tensor, UnaryOp};
use support::group;

fn floats(dims: &[usize], from: f32) -> Literal {
    let count = dims.iter().product();
    let elements: Vec<f32> =
        (0..count).map(|i| from + 0.37 * i as f32 - 0.05 * (i * i % 17) as f32).collect();
    Literal::new(dims, &elements).unwrap()
}

fn graph(inputs: &[(&[usize], DType)], body: impl FnOnce(&[Tensor]) -> Tensor) -> Graph {
    let shapes: Vec<Shape> = inputs.iter().map(|(dims, dtype)| Shape::new(dims, *dtype)).collect();
    group(&shapes, |x| vec![body(x)])
}

fn agrees(group: &Graph, inputs: &[&Literal]) {
    let difference = judge(group, inputs).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(difference, 0.0, "{group}");
}

#[test]
fn elementwise_chains_are_the_evaluators_bit_for_bit() {
    for dims in [&[][..], &[1], &[7], &[2, 3], &[0, 4]] {
        let (x, y) = (floats(dims, -1.0), floats(dims, 0.5));
        let group = graph(&[(dims, DType::F32), (dims, DType::F32)], |x| {
            let sum = &(&x[0] + &x[1]) * &x[0].unary(UnaryOp::Tanh);
            sum.compare(CompareOp::Gt, &x[1]).select(&sum, &x[1].unary(UnaryOp::Exp))
        });
        agrees(&group, &[&x, &y]);
    }
}

#[test]
fn movement_reads_elements_elsewhere() {
    let x = floats(&[3, 4], 0.0);
    let value = Literal::scalar(9.5f32);
    let group = graph(&[(&[3, 4], DType::F32), (&[], DType::F32)], |x| {
        let moved = x[0].transpose(&[1, 0]).apply(Op::Reverse { axes: vec![0] }, &[]);
        let pad = Op::Pad { low: vec![1, -1], high: vec![0, 2], interior: vec![1, 0] };
        let moved = moved.apply(pad, &[&x[1]]);
        let all = moved.apply(Op::Concatenate { axis: 1 }, &[&moved.unary(UnaryOp::Neg)]);
        all.slice_axis(0, 1, 7).reshape(&[Dim::Static(4), Dim::Static(12)])
    });
    agrees(&group, &[&x, &value]);
}

#[test]
fn sizes_may_be_symbols() {
    let shape = Shape::from_dims(&[Dim::dynamic("n"), Dim::Static(3)], DType::F32);
    let group = group(&[shape], |x| vec![x[0].apply(Op::Reverse { axes: vec![0] }, &[]).transpose(&[1, 0])]);
    for rows in [0, 1, 5] {
        agrees(&group, &[&floats(&[rows, 3], 1.0)]);
    }
}

#[test]
fn what_a_run_does_is_counted() {
    let x = floats(&[4, 2], 0.0);
    let group = graph(&[(&[4, 2], DType::F32)], |x| (&x[0] + &x[0]).unary(UnaryOp::Exp));
    let launches = lower(&group).unwrap();
    let inputs = [&x];
    let results = Interpreter::default()
        .run(&launches, &sizes(&group, &inputs), &inputs, &group.output_shapes())
        .unwrap();
    let counts = results.counts;
    assert_eq!((counts.loads, counts.stores, counts.iterations), (8, 8, 8));
    assert_eq!((counts.bytes_loaded, counts.bytes_stored), (32, 32));
    assert_eq!(counts.applications.into_iter().collect::<Vec<_>>(), [("add", 8), ("exp", 8)]);
}
