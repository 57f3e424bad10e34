//! Values with more axes than programs support.

use super::{Example, example, number, with_values};
use rlx_ir::{ArgOp, DType, Dim, DotDims, Literal, Op, ReduceOp, SortOrder, Tensor};

fn dims(list: &[usize]) -> Vec<Dim> {
    list.iter().map(|&n| Dim::Static(n)).collect()
}

pub(super) fn all() -> Vec<Example> {
    [moved(), along(), several(), indexed()].into_iter().flatten().collect()
}

fn moved() -> Vec<Example> {
    vec![
        example("transpose", "", &[2, 3, 4, 2, 3, 5], &[], |x, _| x.transpose(&[5, 3, 1, 4, 2, 0])),
        example("transpose", "", &[2, 3, 1, 4, 2, 3, 2], &[], |x, _| x.transpose(&[3, 4, 0, 1, 2, 6, 5])),
        // Windows of an image, and back.
        example("transpose", "", &[2, 8, 12, 3], &[], |x, _| {
            let parts = x.reshape(&dims(&[2, 2, 4, 3, 4, 3])).transpose(&[0, 1, 3, 2, 4, 5]);
            let windows = parts.reshape(&dims(&[12, 16, 3])) * 2.0;
            let parts = windows.reshape(&dims(&[2, 2, 3, 4, 4, 3])).transpose(&[0, 1, 3, 2, 4, 5]);
            parts.reshape(&dims(&[2, 8, 12, 3]))
        }),
        example("mul", "", &[2, 3, 4, 1, 2, 2], &[&[2, 3, 4, 1, 2, 2]], |x, p| {
            (x * &p[0]).exp() + number(x, 1.0)
        }),
        example("mul", "", &[2, 3, 2], &[&[2, 4, 3, 5, 2, 2]], |x, p| {
            let wide = x.broadcast_in_dim(&dims(&[2, 4, 3, 5, 2, 2]), &[0, 2, 5]);
            wide * &p[0]
        }),
        example("transpose", "", &[2, 3, 2], &[], |x, _| {
            x.broadcast_in_dim(&dims(&[2, 2, 2, 3, 2, 3, 2]), &[6, 3, 1])
        }),
    ]
}

fn along() -> Vec<Example> {
    vec![
        example("slice_by_index", "", &[2, 5, 2, 3, 2, 6], &[], |x, _| {
            x.slice_axis(1, 1, 4).slice_axis(5, 2, 5)
        }),
        example("pad", "", &[2, 3, 2, 2, 1, 2], &[], |x, _| {
            let op = Op::Pad {
                low: vec![0, 1, 0, 0, 2, 0],
                high: vec![0, 0, 1, 0, 0, 0],
                interior: vec![0, 0, 0, 1, 0, 0],
            };
            x.apply(op, &[&x.scalar_like(7.0)])
        }),
        example("reverse", "", &[2, 3, 2, 2, 2, 2], &[], |x, _| {
            x.apply(Op::Reverse { axes: vec![1, 4] }, &[])
        }),
        example("concat", "", &[2, 3, 2, 2, 2, 2], &[&[2, 3, 2, 1, 2, 2]], |x, p| {
            x.apply(Op::Concatenate { axis: 3 }, &[&p[0]])
        }),
        example("cumsum", "", &[2, 3, 2, 4, 2, 2], &[], |x, _| {
            x.apply(Op::Cumulative { op: ReduceOp::Sum, axis: 3, exclusive: false, reverse: true }, &[])
        }),
        example("argsort", "", &[2, 3, 2, 4, 2, 2], &[], |x, _| {
            x.apply(Op::Sort { axis: 3, order: SortOrder::Descending, num_keys: 1, stable: true }, &[])
        }),
        example("topk", "", &[2, 3, 1, 2, 2, 5], &[], |x, _| {
            let (values, places) = x.top_k(3);
            values + places.convert(DType::F32)
        }),
        example("reduce_argmax", "", &[2, 3, 2, 4, 2, 2], &[], |x, _| {
            x.apply(Op::ArgReduce { op: ArgOp::Max, axis: 3, dtype: DType::I32 }, &[])
        }),
    ]
}

fn several() -> Vec<Example> {
    vec![
        example("reduce_sum", "", &[2, 3, 2, 4, 2, 2, 3], &[], |x, _| {
            x.reduce(ReduceOp::Sum, &[1, 3, 4, 6], false)
        }),
        example("reduce_max", "", &[2, 3, 2, 4, 2, 2], &[], |x, _| x.reduce(ReduceOp::Max, &[0, 2, 5], true)),
        example("real_div", "", &[2, 3, 2, 4, 2, 2], &[], |x, _| x.reduce(ReduceOp::Mean, &[1, 3], false)),
        example("matmul", "", &[2, 3, 4, 2, 5, 3], &[&[3, 2, 5, 2, 4]], |x, p| {
            let dims = DotDims {
                lhs_batch: vec![0],
                rhs_batch: vec![3],
                lhs_contract: vec![4, 2],
                rhs_contract: vec![2, 4],
            };
            let op = Op::DotGeneral { dims, dtype: None };
            x.apply(op, &[&p[0]])
        }),
    ]
}

fn ints(list: &[i32], sizes: &[usize]) -> Literal {
    Literal::new(sizes, list).unwrap()
}

fn taken(x: &Tensor, axis: usize, places: Literal) -> Tensor {
    x.apply(Op::Take { axis }, &[&x.builder().constant(places)])
}

fn indexed() -> Vec<Example> {
    let starts = |x: &Tensor, list: &[i64]| {
        list.iter().map(|&n| x.builder().int(n, DType::I32)).collect::<Vec<Tensor>>()
    };
    let two = || vec![ints(&[3, 0, 2, 1], &[2, 2])];
    vec![
        example("gather", "", &[2, 3, 4, 2, 2], &[], |x, _| taken(x, 2, ints(&[3, 0, 2, 9, 1, 1], &[3, 2]))),
        with_values("gather", "", ints(&[1, 2, 3, 4, 5, 6], &[1, 1, 2, 1, 1, 3]), two(), |x, p| {
            x.apply(Op::Take { axis: 5 }, &[&p[0]])
        }),
        example("slice_by_size", "", &[3, 2, 4, 2, 2, 5], &[], |x, _| {
            let at = starts(x, &[1, 0, 9, 0, 0, 2]);
            x.apply(Op::DynamicSlice { sizes: dims(&[2, 2, 2, 2, 2, 2]) }, &at.iter().collect::<Vec<_>>())
        }),
        example("transpose", "", &[3, 2, 4, 2, 2, 5], &[&[2, 2, 3, 2, 2, 5]], |x, p| {
            let at = starts(x, &[1, 0, 9, 0, 0, 0]);
            let others: Vec<&Tensor> = std::iter::once(&p[0]).chain(&at).collect();
            x.apply(Op::DynamicUpdateSlice {}, &others).transpose(&[5, 4, 3, 2, 1, 0])
        }),
    ]
}
