//! Corner cases that the conformance table does not have, compared with the evaluator.

mod support;

use rlx_codegen::judge::judge;
use rlx_ir::{Builder, DType, Dim, GatherDims, Literal, Op, Shape, SubGraph, Tensor, WindowSpec};

/// Compares the kernels of a graph of these inputs with the evaluator, on numbers that do not round.
fn agrees(inputs: &[Literal], body: impl FnOnce(&[Tensor]) -> Tensor) {
    let shapes: Vec<Shape> = inputs.iter().map(|x| x.shape().clone()).collect();
    let graph = support::group(&shapes, |operands| vec![body(operands)]);
    let inputs: Vec<&Literal> = inputs.iter().collect();
    assert_eq!(judge(&graph, &inputs).unwrap_or_else(|e| panic!("{e}\n{graph}")), 0.0, "{graph}");
}

fn counted(dims: &[usize]) -> Literal {
    let count: usize = dims.iter().product();
    Literal::new(dims, &(1..=count).map(|i| i as f32).collect::<Vec<_>>()).unwrap()
}

#[test]
fn runs_that_overlap_add_up() {
    let sizes: [&[i64]; 3] = [&[3, -2, 3, 1], &[i64::MAX, 5, -3, 1], &[-4, 6, i64::MIN, 2]];
    for sizes in sizes {
        let sizes = Literal::new(&[4], sizes).unwrap();
        agrees(&[counted(&[5, 2]), counted(&[4, 2, 3]), sizes], |x| {
            x[0].apply(Op::RaggedDot { dtype: None }, &[&x[1], &x[2]])
        });
    }
    let sizes = Literal::new(&[2], &[1u64, u64::MAX]).unwrap();
    agrees(&[counted(&[5, 2]), counted(&[2, 2, 3]), sizes], |x| {
        x[0].apply(Op::RaggedDot { dtype: None }, &[&x[1], &x[2]])
    });
}

#[test]
fn offsets_beyond_signed_integers_are_moved_inside() {
    for start in [0, 1, 7, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        agrees(&[counted(&[5]), Literal::scalar(start)], |x| {
            x[0].apply(Op::DynamicSlice { sizes: vec![Dim::Static(2)] }, &[&x[1]])
        });
    }
}

#[test]
fn batch_axes_of_indices_may_stand_behind_the_index_vector() {
    let indices = Literal::new(&[1, 3, 2], &[0i32, 3, 1, 9, -1, 2]).unwrap();
    agrees(&[counted(&[3, 4, 2]), indices], |x| {
        let op = Op::Gather {
            dims: GatherDims {
                offset_dims: vec![2],
                collapsed_slice_dims: vec![1],
                operand_batching_dims: vec![0],
                start_indices_batching_dims: vec![1],
                start_index_map: vec![1],
                index_vector_dim: 0,
            },
            slice_sizes: vec![Dim::Static(1), Dim::Static(1), Dim::Static(2)],
        };
        x[0].apply(op, &[&x[1]])
    });
}

#[test]
fn what_a_window_does_not_see_does_not_count() {
    // 2·a + x has no identity.
    let b = Builder::new("body");
    let (a, x) = (b.input("a", Shape::scalar(DType::F32)), b.input("x", Shape::scalar(DType::F32)));
    let body = SubGraph::new(b.finish(&[&(&(&a + &a) + &x)]).unwrap());
    agrees(&[counted(&[6]), Literal::scalar(1.0f32)], |x| {
        let spec = WindowSpec {
            strides: vec![2],
            base_dilation: vec![2],
            low: vec![1],
            high: vec![2],
            ..WindowSpec::plain(&[3])
        };
        x[0].apply(Op::ReduceWindowGraph { body, spec }, &[&x[1]])
    });
}
