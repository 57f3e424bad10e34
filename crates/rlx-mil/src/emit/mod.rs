//! Graphs to programs. `nodes` says which family writes an op, and the families write one kind of ops each; `writer` owns blocks, names and
//! constants. An op has a form where its family does not decline it: that is asked with values that stand for its operands.

mod broadcast;
mod composite;
mod contraction;
mod constants;
mod control;
mod elementwise;
mod indexing;
mod nodes;
mod recurrent;
mod reduction;
mod shaping;
mod value;
mod writer;

pub use constants::ParamBytes;
pub use writer::Opset;

use rlx_ir::{Op, Shape};
use std::sync::Arc;
use value::{Held, Known, Var, sizes};
use writer::Writer;

/// Whether programs of an opset have operations for an op on operands, and with results, of these shapes, whose sizes are known, if operands that
/// must be constants are. Of branches and loops the graphs inside are asked on their own.
pub fn has_form(op: &Op, operands: &[Shape], results: &[Shape], opset: Opset) -> bool {
    let known = |shape: &Shape| sizes(shape).is_ok();
    if !operands.iter().chain(results).all(known) {
        return false;
    }
    if matches!(op, Op::If { .. } | Op::Case { .. } | Op::While { .. }) {
        return true;
    }
    let operand = |(i, shape): (usize, &Shape)| {
        let (elem, dims) = sizes(shape).ok()?;
        let name: Arc<str> = format!("x{i}").into();
        let known = Some(Known::Param { name: name.clone(), stored: shape.dtype() });
        Some(Held::whole(Var { name, elem, dims, known }))
    };
    let Some(operands) = operands.iter().enumerate().map(operand).collect::<Option<Vec<Held>>>() else { return false };
    nodes::op(&mut Writer::new(opset), op, &operands, results).is_ok()
}
