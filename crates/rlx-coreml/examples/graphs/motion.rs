//! Operations that move elements: windows, bands, sequences, indices.

use super::{Example, example, floats, number, places, with_values};
use rlx_ir::{
    ArgOp, BinaryOp, Combiner, CompareOp, DType, GatherDims, Literal, Op, ReduceOp, ScatterDims, Tensor,
};

pub(super) fn all() -> Vec<Example> {
    [moved(), indexed(), drawn()].into_iter().flatten().collect()
}

/// Returns indices, some of which are out of range.
fn indices(dims: &[usize], list: &[i32]) -> Literal {
    Literal::new(dims, list).unwrap()
}

fn indexed() -> Vec<Example> {
    let vectors = ScatterDims {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0, 1],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0, 1],
        index_vector_dim: 1,
    };
    let picked = Op::Gather {
        dims: GatherDims {
            offset_dims: vec![1],
            collapsed_slice_dims: vec![0, 1],
            operand_batching_dims: vec![],
            start_indices_batching_dims: vec![],
            start_index_map: vec![0, 1],
            index_vector_dim: 1,
        },
        slice_sizes: vec![1.into(), 1.into(), 5.into()],
    };
    let places = || indices(&[4, 2], &[0, 1, 2, 3, 1, 1, 2, 0]);
    vec![
        with_values(
            "scatter_nd",
            "scatter",
            floats(0, &[3, 4, 5]),
            vec![places(), floats(1, &[4, 5])],
            |x, p| {
                let combiner = Combiner::Reduce(ReduceOp::Sum);
                x.apply(Op::Scatter { dims: vectors, combiner }, &[&p[0], &p[1]])
            },
        ),
        with_values("gather_nd", "gather", floats(0, &[3, 4, 5]), vec![places()], |x, p| {
            x.apply(picked, &[&p[0]])
        }),
        with_values(
            "scatter_along_axis",
            "scatter",
            floats(0, &[3, 4]),
            vec![indices(&[3, 2], &[0, 3, 2, 2, -1, 4]), floats(1, &[3, 2])],
            |x, p| x.scatter_add(1, &p[0], &p[1]),
        ),
        with_values(
            "scatter",
            "reshape_like",
            floats(0, &[3, 4]),
            vec![indices(&[5], &[0, 3, 2, 2, 4]), floats(1, &[3, 5])],
            |x, p| x.scatter_add(1, &p[0], &p[1]),
        ),
        example("one_hot", "reduce_prod", &[3, 7], &[], |x, _| {
            let op = Op::ArgReduce { op: ArgOp::Max, axis: 1, dtype: DType::I32 };
            x.apply(op, &[]).one_hot(7, DType::F32)
        }),
        example("flatten2d", "reshape", &[3, 4, 2, 5], &[], |x, _| x.reshape(&[3.into(), 40.into()])),
    ]
}

/// Returns draws of numbers with a known key.
fn drawn() -> Vec<Example> {
    let key = |x: &Tensor| x.builder().constant(Literal::new(&[2], &[0u32, 42]).unwrap());
    vec![
        example("random_uniform", "cos", &[3, 8], &[], move |x, _| {
            let (low, high) = (x.scalar_like(-1.0), x.scalar_like(1.5));
            x + key(x).apply(Op::RngUniform { shape: x.shape() }, &[&low, &high])
        }),
        example("random_normal", "cos", &[3, 8], &[], move |x, _| {
            x + key(x).apply(Op::RngNormal { shape: x.shape() }, &[]) * 0.5
        }),
        example("random_categorical", "cos", &[3, 8], &[], move |x, _| {
            key(x).apply(Op::Categorical { axis: 1 }, &[x]).convert(DType::F32)
        }),
        example("random_bernoulli", "cos", &[3, 8], &[], move |x, _| {
            let draws = key(x).apply(Op::RngUniform { shape: x.shape() }, &[]);
            x * draws.compare(CompareOp::Lt, &number(x, 0.75)).convert(DType::F32)
        }),
    ]
}

fn moved() -> Vec<Example> {
    vec![
        example("sliding_windows", "gather", &[2, 9, 3], &[], |x, _| {
            let list: Vec<i32> = (0..3).flat_map(|window| (0..4).map(move |i| 2 * window + i)).collect();
            x.apply(Op::Take { axis: 1 }, &[&x.builder().constant(Literal::new(&[3, 4], &list).unwrap())])
        }),
        example("band_part", "select", &[2, 4, 6], &[], |x, _| {
            let below = places(x, 1).binary(BinaryOp::Sub, &places(x, 2));
            let inside = below.compare(CompareOp::Le, &below.scalar_like(1.0));
            let near = inside.select(x, &x.scalar_like(0.0));
            below.compare(CompareOp::Ge, &below.scalar_like(-2.0)).select(&near, &x.scalar_like(0.0))
        }),
        with_values(
            "reverse_sequence",
            "gather_along_axis",
            floats(0, &[3, 5, 2]),
            vec![Literal::new(&[3], &[2i32, 5, 0]).unwrap()],
            |x, p| {
                let lengths = p[0].broadcast_in_dim(&x.dims(), &[0]);
                let at = places(x, 1);
                let turned = lengths.binary(BinaryOp::Sub, &at).binary(BinaryOp::Sub, &at.scalar_like(1.0));
                let inside = at.compare(CompareOp::Lt, &lengths);
                x.apply(Op::GatherAxis { axis: 1 }, &[&inside.select(&turned, &at)])
            },
        ),
    ]
}
