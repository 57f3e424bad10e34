//! Sample groups of one op each, for tests of this crate.

use crate::lower::single;
use rlx_ir::{
    BinaryOp, CompareOp, DType, DTypeSet, Dim, Graph, Literal, Named, Op, Shape, SubGraph, UnaryOp,
};

/// Returns a group of `op` on operands of these shapes, or `None` if its rule refuses them.
fn group(op: Op, operands: &[Shape]) -> Option<Graph> {
    let results = op.infer(operands).ok()?;
    Some(single(&op, operands, &results))
}

/// Returns a graph that adds its two inputs.
pub fn adder() -> SubGraph {
    let x = Shape::scalar(DType::F32);
    SubGraph::new(single(&Op::Binary { op: BinaryOp::Add }, &[x.clone(), x.clone()], &[x]))
}

/// Returns every elementwise primitive in every type that it accepts, on operands of these dimensions.
pub fn elementwise(dims: &[usize]) -> Vec<Graph> {
    let mut groups = Vec::new();
    for dtype in DType::ALL {
        let x = Shape::new(dims, dtype);
        let two = [x.clone(), x.clone()];
        let three = [x.clone(), x.clone(), x.clone()];
        groups.extend(UnaryOp::VARIANTS.iter().filter_map(|&op| group(Op::Unary { op }, &two[..1])));
        groups.extend(BinaryOp::VARIANTS.iter().filter_map(|&op| group(Op::Binary { op }, &two)));
        for total_order in [false, true] {
            let compare = |&op: &CompareOp| group(Op::Compare { op, total_order }, &two);
            groups.extend(CompareOp::VARIANTS.iter().filter_map(compare));
        }
        groups.extend(group(Op::Select {}, &[x.with_dtype(DType::Bool), x.clone(), x.clone()]));
        groups.extend(group(Op::Clamp {}, &three));
        groups.extend(group(Op::Betainc {}, &three));
        groups.extend(DTypeSet::ALL.iter().filter_map(|to| group(Op::Convert { dtype: to }, &two[..1])));
        for (exponent_bits, mantissa_bits) in [(8, 7), (5, 10), (4, 3), (11, 52), (3, 0)] {
            groups.extend(group(Op::ReducePrecision { exponent_bits, mantissa_bits }, &two[..1]));
        }
    }
    groups
}

/// Returns leaves and ops that move elements, in a few types.
pub fn movement() -> Vec<Graph> {
    let dims = |sizes: &[usize]| sizes.iter().map(|&n| Dim::Static(n)).collect::<Vec<Dim>>();
    let mut groups = Vec::new();
    for dtype in [DType::F32, DType::BF16, DType::I8, DType::U64, DType::Bool, DType::C64] {
        let x = Shape::new(&[3, 4, 5], dtype);
        let rows = [
            (Op::Reshape { dims: dims(&[6, 10]) }, vec![x.clone()]),
            (Op::Reshape { dims: dims(&[5, 2, 1, 2, 3]) }, vec![x.clone()]),
            (Op::Transpose { perm: vec![2, 0, 1] }, vec![x.clone()]),
            (Op::BroadcastInDim { dims: dims(&[3, 2, 4, 5]), axes: vec![0, 2, 3] }, vec![x.clone()]),
            (Op::BroadcastInDim { dims: dims(&[2, 3]), axes: vec![1] }, vec![Shape::new(&[1], dtype)]),
            (
                Op::Slice { starts: dims(&[1, 0, 1]), limits: dims(&[3, 4, 5]), strides: vec![1, 3, 2] },
                vec![x.clone()],
            ),
            (
                Op::Pad { low: vec![1, -1, 0], high: vec![0, 2, -2], interior: vec![0, 1, 2] },
                vec![x.clone(), Shape::scalar(dtype)],
            ),
            (Op::Concatenate { axis: 1 }, vec![x.clone(), Shape::new(&[3, 1, 5], dtype), x.clone()]),
            (Op::Reverse { axes: vec![0, 2] }, vec![x.clone()]),
            (Op::Iota { shape: Shape::new(&[2, 7], dtype), axis: 1 }, vec![]),
        ];
        groups.extend(rows.into_iter().filter_map(|(op, operands)| group(op, &operands)));
    }
    groups.extend(group(Op::Constant { value: Literal::scalar(0.1f32) }, &[]));
    groups
}

/// Returns groups with symbolic sizes.
pub fn symbolic() -> Vec<Graph> {
    let (m, n) = (Dim::dynamic("m"), Dim::dynamic("n"));
    let x = Shape::from_dims(&[m.clone(), n.clone()], DType::F32);
    let rows = [
        (Op::Unary { op: UnaryOp::Tanh }, vec![x.clone()]),
        (Op::Transpose { perm: vec![1, 0] }, vec![x.clone()]),
        (Op::Reshape { dims: vec![&m * &n] }, vec![x.clone()]),
        (Op::Reverse { axes: vec![1] }, vec![x.clone()]),
        (Op::Concatenate { axis: 0 }, vec![x.clone(), x.clone()]),
        (
            Op::Pad { low: vec![1, 2], high: vec![0, -1], interior: vec![1, 0] },
            vec![x, Shape::scalar(DType::F32)],
        ),
    ];
    rows.into_iter().filter_map(|(op, operands)| group(op, &operands)).collect()
}

/// Returns all sample groups.
pub fn groups() -> Vec<Graph> {
    [elementwise(&[3, 5]), movement(), symbolic()].concat()
}
