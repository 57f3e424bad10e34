//! Constants and counters.

use super::program::Importer;
use super::site::{Outcome, Problem, Rule, Site, Val, one};
use super::types;
use crate::syntax::{Attribute, Dense};
use rlx_ir::{DType, Literal, NodeId, Op, Shape};

/// Constants of one repeated element that take more bytes than this become a scalar that is broadcast: the graph's memory
/// stays bounded by the text's.
const MAX_SPLAT: usize = 1 << 16;

/// The bytes that all smaller ones may take together.
const MAX_SPLATS: usize = 1 << 26;

/// The rule of an operation of this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.constant" | "chlo.constant" => constant,
        "stablehlo.iota" => iota,
        _ => return None,
    })
}

fn constant(site: &mut Site<'_, '_>) -> Outcome<Vec<Val>> {
    match site.op.attributes.get("value") {
        Some(Attribute::Dense(dense)) => one(dense_constant(site, dense)?),
        Some(_) => Err(Problem::unsupported("RLX has no constant of this form; write it as `dense<…>`")),
        None => Err(Problem::error("attribute `value` is missing")),
    }
}

/// A constant tensor.
pub(super) fn dense_constant(site: &mut Site<'_, '_>, dense: &Dense) -> Outcome<NodeId> {
    let dtype = types::dtype(&dense.element)?;
    let shape = Shape::new(&dense.dims, dtype);
    if !dense.splat {
        return site.literal(Literal::from_bytes(&shape, &dense.bytes)?);
    }
    match shape.num_bytes() {
        Some(bytes) if bytes <= MAX_SPLAT && spend(site.im, bytes) => {
            let count = bytes / dtype.size();
            site.literal(Literal::from_bytes(&shape, &dense.bytes.repeat(count))?)
        }
        Some(_) => {
            let scalar = site.literal(Literal::from_bytes(&Shape::scalar(dtype), &dense.bytes)?)?;
            site.spread(scalar, shape.dims())
        }
        None => Err(Problem::error(format!("the size of {shape} overflows"))),
    }
}

fn spend(im: &mut Importer<'_>, bytes: usize) -> bool {
    im.splats += bytes;
    im.splats <= MAX_SPLATS
}

fn iota(site: &mut Site<'_, '_>) -> Outcome<Vec<Val>> {
    let shape = site.fixed(0)?;
    let axis = site.fields().need_size("iota_dimension")?;
    one(counter(site, shape, axis)?)
}

/// 0, 1, 2, … along an axis.
pub(super) fn counter(site: &mut Site<'_, '_>, shape: Shape, axis: usize) -> Outcome<NodeId> {
    if shape.dtype() == DType::Bool {
        let numbers = site.add(Op::Iota { shape: shape.with_dtype(DType::I32), axis }, &[])?;
        return site.convert(numbers, DType::Bool);
    }
    site.add(Op::Iota { shape, axis }, &[])
}
