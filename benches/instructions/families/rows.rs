//! Kernels that read whole rows or columns: norms, softmax and sums.

use rlx_instructions::{Isa, Program, counted, on_numbers};
use rlx_ir::{BinaryOp, DType, Graph, Op, ReduceOp, Shape};

const ROWS: usize = 128;
const WIDTH: usize = 384;

/// The norm of a sum, as after each part of a transformer.
fn layer_norm(isa: Isa) -> Program {
    let mut graph = Graph::new("layer_norm");
    let mut input = |name, dims: &[usize]| graph.input(name, Shape::new(dims, DType::F32));
    let (x, residual) = (input("x", &[ROWS, WIDTH]), input("residual", &[ROWS, WIDTH]));
    let (weight, shift) = (input("weight", &[WIDTH]), input("shift", &[WIDTH]));
    let sum = graph.try_add(Op::Binary { op: BinaryOp::Add }, vec![x, residual]).expect("equal sizes");
    let norm = Op::LayerNorm { axis: 1, eps: 1e-5 };
    let norm = graph.try_add(norm, vec![sum, weight, shift]).expect("a weight for each column");
    graph.set_outputs(vec![norm]);
    on_numbers(isa, &graph)
}

fn softmax(isa: Isa) -> Program {
    one(isa, Op::Softmax { axis: 1 })
}

fn sum_of_rows(isa: Isa) -> Program {
    one(isa, Op::Reduce { kind: ReduceOp::Sum, axes: vec![1] })
}

fn sum_of_columns(isa: Isa) -> Program {
    one(isa, Op::Reduce { kind: ReduceOp::Sum, axes: vec![0] })
}

/// An op on one matrix.
fn one(isa: Isa, op: Op) -> Program {
    let mut graph = Graph::new("rows");
    let x = graph.input("x", Shape::new(&[ROWS, WIDTH], DType::F32));
    let result = graph.try_add(op, vec![x]).expect("an op on a matrix");
    graph.set_outputs(vec![result]);
    on_numbers(isa, &graph)
}

counted!(Program: layer_norm, softmax, sum_of_rows, sum_of_columns);
