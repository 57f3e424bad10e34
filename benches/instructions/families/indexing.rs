//! Gathers of rows of a table, as in an embedding, and the sum of gradients into such rows.

use rlx_instructions::{Isa, Program, counted, indices, numbers};
use rlx_ir::{Combiner, DType, Graph, Op, ScatterDims, Shape, ReduceOp};

/// Small compared with the number of tokens, so that copying the table with the C library's function is a small part of
/// a scatter.
const VOCABULARY: usize = 100;
const TOKENS: usize = 512;
const WIDTH: usize = 384;

fn gather(isa: Isa) -> Program {
    program(isa, Op::Embedding {}, &[])
}

/// Indices repeat, as tokens do.
fn scatter(isa: Isa) -> Program {
    let dims = ScatterDims {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
    };
    program(isa, Op::Scatter { dims, combiner: Combiner::Reduce(ReduceOp::Sum) }, &[&[TOKENS, WIDTH]])
}

/// `op` on the table, indices into it, and further operands of the given sizes.
fn program(isa: Isa, op: Op, more: &[&[usize]]) -> Program {
    let table = numbers(&Shape::new(&[VOCABULARY, WIDTH], DType::F32));
    let mut operands = vec![table, indices(&[TOKENS], VOCABULARY)];
    operands.extend(more.iter().map(|dims| numbers(&Shape::new(dims, DType::F32))));
    let mut graph = Graph::new("indexing");
    let inputs = operands.iter().enumerate();
    let inputs = inputs.map(|(i, x)| graph.input(format!("x{i}"), x.shape().clone())).collect();
    let result = graph.try_add(op, inputs).expect("rows of the table");
    graph.set_outputs(vec![result]);
    Program::new(isa, &graph, operands)
}

counted!(Program: gather, scatter);
