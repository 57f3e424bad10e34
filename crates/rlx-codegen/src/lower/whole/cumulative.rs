//! Lowers running reductions: each line in order, all lines in parallel.

use crate::build::Writer;
use crate::kernel::{Place, ScalarId};
use crate::lower::frame::Frame;
use crate::lower::reduction::{accumulator, chain_accumulator};
use crate::lower::{Argument, LowerError};
use rlx_ir::eval::scalar::identity;
use rlx_ir::{BinaryOp, CompareOp, DType, Node, Op, ReduceOp, Scalar, UnaryOp};

pub(super) fn lower(
    frame: &mut Frame<'_>,
    node: &Node,
    results: &[Option<Argument>],
) -> Result<(), LowerError> {
    let (&Op::Cumulative { op, axis, exclusive, reverse }, &[Some(to)]) = (node.op(), results) else {
        return Ok(());
    };
    let x = node.inputs()[0];
    let shape = frame.shape(x);
    let mut lines = shape.dims().to_vec();
    let length = lines.remove(axis);
    let wide = match op {
        ReduceOp::Max | ReduceOp::Min => shape.dtype(),
        ReduceOp::Sum | ReduceOp::Prod => chain_accumulator(shape.dtype()),
        _ => accumulator(shape.dtype()),
    };
    frame.launch(&[x], &[(to, Place::Out)], |w, reader, buffers| {
        w.par(&lines, |w, line| {
            let first = start(w, op, shape.dtype(), wide);
            w.repeat(&length, reverse, &[first], |w, index, carried| {
                let mut at = line.to_vec();
                at.insert(axis, index.clone());
                let x = reader.element(w, x, &at)?;
                let x = w.convert(x, wide);
                let next = step(w, op, carried[0], x);
                let result = w.convert(if exclusive { carried[0] } else { next }, shape.dtype());
                w.store(buffers[0], &at, result);
                Ok::<_, LowerError>(vec![next])
            })?;
            Ok(())
        })
    })
}

/// Returns the reduction of no elements.
fn start(w: &mut Writer, op: ReduceOp, dtype: DType, wide: DType) -> ScalarId {
    let nothing = match op {
        // Also for formats without infinities: the logarithm of an empty sum.
        ReduceOp::LogSumExp => Scalar::Float(f64::NEG_INFINITY),
        // INVARIANT of `infer`: the other reductions with a running form have identities.
        _ => identity(op, dtype).unwrap_or(Scalar::Int(0)),
    };
    w.constant(wide, nothing)
}

fn step(w: &mut Writer, op: ReduceOp, total: ScalarId, x: ScalarId) -> ScalarId {
    match op.binary() {
        Some(binary) => w.binary(binary, total, x),
        None => log_add_exp(w, total, x),
    }
}

/// Computes log(e^a + e^b) without overflow.
pub(in crate::lower) fn log_add_exp(w: &mut Writer, a: ScalarId, b: ScalarId) -> ScalarId {
    let (large, small) = (w.binary(BinaryOp::Max, a, b), w.binary(BinaryOp::Min, a, b));
    let below = w.binary(BinaryOp::Sub, small, large);
    let ratio = w.unary(UnaryOp::Exp, below);
    let more = w.unary(UnaryOp::Log1p, ratio);
    let sum = w.binary(BinaryOp::Add, large, more);
    // The difference of two infinities is NaN.
    let infinity = w.constant(w.dtype(large), Scalar::Float(f64::INFINITY));
    let size = w.unary(UnaryOp::Abs, large);
    let infinite = w.compare(CompareOp::Eq, size, infinity);
    w.select(infinite, large, sum)
}
