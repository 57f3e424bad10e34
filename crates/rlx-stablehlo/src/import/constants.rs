//! Imports constants and iotas.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, one};
use super::program::Importer;
use super::types;
use crate::syntax::{Attribute, Dense};
use rlx_ir::{DType, Literal, NodeId, Op, Shape};

/// Constants of one repeated element that take more bytes than this become a broadcast scalar, so that the memory of
/// the graph is bounded by that of the text.
const MAX_SPLAT: usize = 1 << 16;

/// The total number of bytes that all smaller ones may take.
const MAX_SPLATS: usize = 1 << 26;

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.constant" | "chlo.constant" => constant,
        "stablehlo.iota" => iota,
        _ => return None,
    })
}

fn constant(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    match cx.op.attributes.get("value") {
        Some(Attribute::Dense(dense)) => one(dense_constant(cx, dense)?),
        Some(_) => Err(Problem::unsupported("RLX does not read constants in this form; write `dense<…>`")),
        None => Err(Problem::error("attribute `value` is missing")),
    }
}

/// Adds a constant tensor.
pub(super) fn dense_constant(cx: &mut ImportContext<'_, '_>, dense: &Dense) -> Outcome<NodeId> {
    let dtype = types::dtype(&dense.element)?;
    let shape = Shape::new(&dense.dims, dtype);
    if !dense.splat {
        return cx.literal(Literal::from_bytes(&shape, &dense.bytes)?);
    }
    match shape.num_bytes() {
        Some(bytes) if bytes <= MAX_SPLAT && spend(cx.im, bytes) => {
            let count = bytes / dtype.size();
            cx.literal(Literal::from_bytes(&shape, &dense.bytes.repeat(count))?)
        }
        Some(_) => {
            let scalar = cx.literal(Literal::from_bytes(&Shape::scalar(dtype), &dense.bytes)?)?;
            cx.spread(scalar, shape.dims())
        }
        None => Err(Problem::error(format!("the size of {shape} overflows"))),
    }
}

fn spend(im: &mut Importer<'_>, bytes: usize) -> bool {
    im.splats += bytes;
    im.splats <= MAX_SPLATS
}

fn iota(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let shape = cx.fixed(0)?;
    let axis = cx.fields().need_size("iota_dimension")?;
    one(counter(cx, shape, axis)?)
}

/// Adds 0, 1, 2, … along an axis.
pub(super) fn counter(cx: &mut ImportContext<'_, '_>, shape: Shape, axis: usize) -> Outcome<NodeId> {
    if shape.dtype() == DType::Bool {
        let numbers = cx.add(Op::Iota { shape: shape.with_dtype(DType::I32), axis }, &[])?;
        return cx.convert(numbers, DType::Bool);
    }
    cx.add(Op::Iota { shape, axis }, &[])
}
