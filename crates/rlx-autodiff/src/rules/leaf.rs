//! Rules of values without operands, and of sizes.

use super::{Batch, Jvp, Rules, TABLE, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::{Op, OpKind};

/// A value that does not depend on any operand, so no transform ever reaches it.
const SOURCE: Rules = Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Table };

const CONSTANT: Rules = SOURCE;
const IOTA: Rules = SOURCE;
const DIM_SIZE: Rules =
    Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(dim_size_batch) };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Constant => CONSTANT,
        OpKind::Iota => IOTA,
        OpKind::DimSize => DIM_SIZE,
        // Traversals of graphs handle it.
        OpKind::Output => TABLE,
        _ => return None,
    })
}

/// A size is the same for the whole batch.
fn dim_size_batch(_: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Op::DimSize { axis }, [x]) = (op, operands) else { return Ok(Vec::new()) };
    Ok(vec![Batched::shared(x.value.apply(Op::DimSize { axis: axis + usize::from(x.batched) }, &[]))])
}
