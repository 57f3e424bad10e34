//! Values without operands, and sizes.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::Op;

/// A value that depends on no operand: no transform ever reaches it.
const SOURCE: Rules = Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Table };

pub(super) const CONSTANT: Rules = SOURCE;
pub(super) const IOTA: Rules = SOURCE;
pub(super) const DIM_SIZE: Rules =
    Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(dim_size_batch) };

/// A size is the same for all.
fn dim_size_batch(_: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Op::DimSize { axis }, [x]) = (op, operands) else { return Ok(Vec::new()) };
    Ok(vec![Batched::shared(x.value.apply(Op::DimSize { axis: axis + usize::from(x.batched) }, &[]))])
}
