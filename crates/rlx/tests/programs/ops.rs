//! Ops with named fields.

use crate::f32s;
use rlx::prelude::{Device, Session};
use rlx_ir::op::kinds::Named;
use rlx_ir::op::{MaskKind, ReduceOp};
use rlx_ir::{Graph, Op};
use std::collections::HashSet;

#[test]
fn named_fields_build_ops() {
    let mut g = Graph::new("pool");
    let x = g.input("x", f32s(&[1, 1, 4, 4]));
    let op =
        Op::Pool { kind: ReduceOp::Max, kernel_size: vec![2, 2], stride: vec![2, 2], padding: vec![0, 0] };
    let y = g.add_node(op, vec![x], f32s(&[1, 1, 2, 2]));
    g.set_outputs(vec![y]);
    let x: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let out = Session::new(Device::Cpu).compile(g).run(&[("x", &x)]);
    assert_eq!(out, [[5.0, 7.0, 13.0, 15.0]]);
}

#[test]
fn attention_takes_its_mask_by_kind() {
    let kinds = [MaskKind::None, MaskKind::Causal, MaskKind::SlidingWindow, MaskKind::Custom, MaskKind::Bias];
    let names: HashSet<&str> = kinds.iter().map(|kind| kind.name()).collect();
    assert_eq!(names.len(), kinds.len());
}
