//! Rules of ops that contain graphs (branches, loops, calls), and of ops that only order. A rule rebuilds the graphs inside, and
//! keeps the op: a loop stays a loop, and a branch that is not taken does not run.
//!
//! To be transposed, a graph inside an op is linearized and split into a known graph, which also returns residuals, and a graph
//! that takes the residuals and is linear in the tangents.

mod branch;
mod call;
mod custom;
mod linear_call;
mod looping;
mod looping_memory;
mod order;
mod parts;
mod scan;
mod scan_batch;
mod scan_memory;
mod scan_transpose;

use super::{Batch, Jvp, Rules, Transpose};
use rlx_ir::OpKind;

const OPTIMIZATION_BARRIER: Rules = Rules {
    jvp: Jvp::Rule(order::jvp),
    transpose: Transpose::Rule(order::transpose),
    batch: Batch::Rule(order::batch),
};
const IF: Rules = Rules {
    jvp: Jvp::Rule(branch::jvp),
    transpose: Transpose::Rule(branch::transpose),
    batch: Batch::Rule(branch::batch),
};
const CASE: Rules = IF;
const WHILE: Rules =
    Rules { jvp: Jvp::Rule(looping::jvp), transpose: Transpose::None, batch: Batch::Rule(looping::batch) };
const SCAN: Rules = Rules {
    jvp: Jvp::Rule(scan::jvp),
    transpose: Transpose::Rule(scan_transpose::transpose),
    batch: Batch::Rule(scan_batch::batch),
};
const CALL: Rules = Rules {
    jvp: Jvp::Rule(call::jvp),
    transpose: Transpose::Rule(call::transpose),
    batch: Batch::Rule(call::batch),
};
const CHECKPOINT: Rules = CALL;
const CUSTOM_FN: Rules =
    Rules { jvp: Jvp::Rule(custom::jvp), transpose: Transpose::None, batch: Batch::Rule(custom::batch) };
const CUSTOM: Rules = CUSTOM_FN;
const LINEAR_CALL: Rules = Rules {
    jvp: Jvp::Rule(linear_call::jvp),
    transpose: Transpose::Rule(linear_call::transpose),
    batch: Batch::Rule(linear_call::batch),
};

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::OptimizationBarrier => OPTIMIZATION_BARRIER,
        OpKind::If => IF,
        OpKind::Case => CASE,
        OpKind::While => WHILE,
        OpKind::Scan => SCAN,
        OpKind::Custom => CUSTOM,
        OpKind::Call => CALL,
        OpKind::CustomFn => CUSTOM_FN,
        OpKind::Checkpoint => CHECKPOINT,
        OpKind::LinearCall => LINEAR_CALL,
        _ => return None,
    })
}
