//! Rules of random bits, which are integers without derivatives.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::{Op, OpKind, ScanOperands};

const RNG_BITS: Rules =
    Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(rng_bits_batch) };
const THREEFRY2X32: Rules = Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Table };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::RngBits => RNG_BITS,
        OpKind::Threefry2x32 => THREEFRY2X32,
        _ => return None,
    })
}

/// The bits of each state, one state after the other, because the generator takes only one.
fn rng_bits_batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let xs = [operands[0].value.clone()];
    let operands = ScanOperands { xs: &xs, ..ScanOperands::default() };
    let results =
        cx.builder.scan(operands, cx.size.clone(), false, &|_, state| state[0].apply_many(op.clone(), &[]));
    Ok(results.into_iter().map(Batched::each).collect())
}
