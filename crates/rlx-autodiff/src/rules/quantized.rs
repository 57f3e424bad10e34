//! Rules of packed blocks, which are integers without derivatives.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::{Op, OpKind};

const DEQUANTIZE_BLOCKS: Rules =
    Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(batch) };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::DequantizeBlocks => DEQUANTIZE_BLOCKS,
        _ => return None,
    })
}

/// The op unpacks any number of rows in the same way.
fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    Ok(cx.apply(op.clone(), &[operands[0].value.clone()]))
}
