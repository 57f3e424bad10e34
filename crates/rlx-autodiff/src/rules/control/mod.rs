//! Ops that hold graphs, and ops that only order. A rule rebuilds the graphs inside, and leaves the op in place: a loop stays a
//! loop, a branch not taken does not run.
//!
//! To be transposed, a graph inside is linearised and parted: a known one that gives residuals besides its results, and one
//! that takes them and is linear in tangents.

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

pub(super) const OPTIMIZATION_BARRIER: Rules = Rules {
    jvp: Jvp::Rule(order::jvp),
    transpose: Transpose::Rule(order::transpose),
    batch: Batch::Rule(order::batch),
};
pub(super) const IF: Rules = Rules {
    jvp: Jvp::Rule(branch::jvp),
    transpose: Transpose::Rule(branch::transpose),
    batch: Batch::Rule(branch::batch),
};
pub(super) const CASE: Rules = IF;
pub(super) const WHILE: Rules =
    Rules { jvp: Jvp::Rule(looping::jvp), transpose: Transpose::None, batch: Batch::Rule(looping::batch) };
pub(super) const SCAN: Rules = Rules {
    jvp: Jvp::Rule(scan::jvp),
    transpose: Transpose::Rule(scan_transpose::transpose),
    batch: Batch::Rule(scan_batch::batch),
};
pub(super) const CALL: Rules = Rules {
    jvp: Jvp::Rule(call::jvp),
    transpose: Transpose::Rule(call::transpose),
    batch: Batch::Rule(call::batch),
};
pub(super) const CHECKPOINT: Rules = CALL;
pub(super) const CUSTOM_FN: Rules =
    Rules { jvp: Jvp::Rule(custom::jvp), transpose: Transpose::None, batch: Batch::Rule(custom::batch) };
pub(super) const CUSTOM: Rules = CUSTOM_FN;
pub(super) const LINEAR_CALL: Rules = Rules {
    jvp: Jvp::Rule(linear_call::jvp),
    transpose: Transpose::Rule(linear_call::transpose),
    batch: Batch::Rule(linear_call::batch),
};
