//! Rules of composites that select elements by index (`take`, `embedding`, …). They are kept whole if a batch is just one more
//! axis to them, so that a backend with a kernel for them can use it. Everything else goes through their decomposition.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::{Op, OpKind, Tensor};

const KEPT: Rules = Rules { jvp: Jvp::Table, transpose: Transpose::None, batch: Batch::Rule(batch) };

const EMBEDDING: Rules = KEPT;
const TAKE: Rules = KEPT;
const GATHER_AXIS: Rules = KEPT;
const CUMSUM: Rules = KEPT;
const SCATTER_ADD: Rules = KEPT;
const KV_APPEND: Rules = KEPT;
const ONE_HOT: Rules = Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(batch) };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Embedding => EMBEDDING,
        OpKind::Take => TAKE,
        OpKind::GatherAxis => GATHER_AXIS,
        OpKind::ScatterAdd => SCATTER_ADD,
        OpKind::OneHot => ONE_HOT,
        OpKind::KvAppend => KV_APPEND,
        OpKind::Cumsum => CUMSUM,
        _ => return None,
    })
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let batched: Vec<bool> = operands.iter().map(|x| x.batched).collect();
    let kept = match (op, &batched[..]) {
        // Ids may have any shape.
        (Op::Embedding {}, [false, true])
        | (Op::Take { axis: 0 }, [false, true])
        | (Op::OneHot { .. }, _) => op.clone(),
        (Op::Take { axis }, [true, false]) => Op::Take { axis: axis + 1 },
        (Op::GatherAxis { axis }, [true, true]) => Op::GatherAxis { axis: axis + 1 },
        (Op::Cumsum { axis }, _) => Op::Cumsum { axis: axis + 1 },
        (Op::ScatterAdd { axis }, [_, false, _]) if operands[1].value.rank() == 1 => {
            return Ok(in_front(cx, Op::ScatterAdd { axis: axis + 1 }, operands, &[0, 2]));
        }
        (Op::ScatterAdd { axis }, [_, true, _]) if operands[1].value.rank() > 2 => {
            return Ok(in_front(cx, Op::ScatterAdd { axis: axis + 1 }, operands, &[0, 2]));
        }
        (Op::KvAppend { axis }, [_, _, own]) if operands[2].own_shape().rank() == 0 => {
            let which: &[usize] = if *own { &[0, 1, 2] } else { &[0, 1] };
            return Ok(in_front(cx, Op::KvAppend { axis: axis + 1 }, operands, which));
        }
        _ => return cx.decomposed(op, operands),
    };
    let operands: Vec<Tensor> = operands.iter().map(|x| x.value.clone()).collect();
    Ok(cx.apply(kept, &operands))
}

/// The op with a leading batch axis in front of these operands.
fn in_front(cx: &Batching<'_>, op: Op, operands: &[Batched], which: &[usize]) -> Vec<Batched> {
    let given = |(i, x): (usize, &Batched)| if which.contains(&i) { cx.front(x) } else { x.value.clone() };
    let operands: Vec<Tensor> = operands.iter().enumerate().map(given).collect();
    cx.apply(op, &operands)
}
