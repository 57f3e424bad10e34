//! Packed blocks: integers, without derivatives.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::Op;

pub(super) const DEQUANTIZE_BLOCKS: Rules =
    Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(batch) };

/// Any number of rows is unpacked alike.
fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    Ok(cx.apply(op.clone(), &[operands[0].value.clone()]))
}
