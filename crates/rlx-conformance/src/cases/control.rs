//! Ops that hold or order other ops.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{BinaryOp, Builder, DType, FusionKind, Op, Reducer, Shape, SubGraph, UnaryOp};

/// e^(a + b), and its sum along axis 1: two results of one body.
fn fused_body(dtype: DType) -> SubGraph {
    let b = Builder::new("body");
    let x = b.input("x", Shape::new(&[3, 5], dtype));
    let y = b.input("y", Shape::new(&[3, 5], dtype));
    let e = x.binary(BinaryOp::Add, &y).unary(UnaryOp::Exp);
    let sum = e.reduce(Reducer::Sum, &[1], false);
    match b.finish(&[&e, &sum]) {
        Ok(graph) => graph.into(),
        // The types that the body does not accept are not those that the op accepts.
        Err(_) => rlx_ir::Graph::new("none").into(),
    }
}

pub(super) fn rows() -> Vec<Row> {
    let barrier = || Row::new(Op::OptimizationBarrier {});
    let fusion = |kind| Row::of(move |dtype| Op::Fusion { kind, body: fused_body(dtype) });
    vec![
        barrier().x(&[3, 5], Gen::Bits),
        barrier().x(&[3, 5], Gen::Bits).is(DType::I32, &[], Gen::Bits).x(&[0], Gen::Bits),
        fusion(FusionKind::Reduction).x(&[3, 5], Gen::Uniform(-1.0, 1.0)).x(&[3, 5], Gen::Uniform(-1.0, 1.0)),
    ]
}
