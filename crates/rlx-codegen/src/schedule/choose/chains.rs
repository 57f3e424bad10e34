//! Schedules long sums and products of floats in chains, so that rounding errors grow at most with the square
//! root of the number of terms.

use super::plan::Plan;
use super::runs::Runs;
use crate::kernel::{Axis, Combiner, Definition, Kernel, Stmt};
use crate::monoid::binary;
use crate::schedule::{Partition, Step};
use crate::visit::for_each_stmt;
use rlx_ir::BinaryOp;

/// The number of terms that one chain may always have.
pub(super) const SHORT: u64 = 2048;
/// The minimum number of terms in a run.
pub(super) const RUN: u64 = 512;
/// The number of terms that is assumed for a sum of unknown size.
const UNKNOWN: u64 = 1 << 20;

/// Divides the long sums of a kernel into runs. `least` returns the minimum number of terms in a run, given the axes and the body of a sum.
pub(super) fn chains(plan: &mut Plan, least: impl Fn(&[Axis], &[Stmt]) -> u64) {
    for (axis, by) in long(&plan.kernel, least) {
        let into = plan.names();
        // Sums that cannot be divided stay as they are.
        let _ = plan.step(Step::Chains(Partition { axis, by, into }));
    }
}

/// Returns the axes by which sums are divided, and the lengths of the runs.
fn long(kernel: &Kernel, least: impl Fn(&[Axis], &[Stmt]) -> u64) -> Vec<(rlx_ir::Symbol, u32)> {
    let mut found = Vec::new();
    for_each_stmt(&kernel.body, &mut |stmt| {
        let Stmt::Reduce { axes, combiner, body, .. } = stmt else { return };
        let is_whole = !body.iter().any(|stmt| matches!(stmt, Stmt::Reduce { .. }));
        if !is_whole || !rounds(kernel, combiner) {
            return;
        }
        let sizes: Vec<u64> = axes.iter().map(|axis| most(kernel, axis)).collect();
        let total = sizes.iter().copied().fold(1, u64::saturating_mul);
        let run = least(axes, body).max(total.isqrt());
        if total <= SHORT.max(2 * run) {
            return;
        }
        // The innermost axes together make a run, with as many indices of the axis before them as a run has room for.
        let mut inner = 1;
        for (axis, &size) in axes.iter().zip(&sizes).rev() {
            if inner * size > run {
                let by = u32::try_from((run / inner).max(1)).unwrap_or(u32::MAX);
                found.push((axis.symbol.clone(), by));
                return;
            }
            inner *= size;
        }
    });
    found
}

fn most(kernel: &Kernel, axis: &Axis) -> u64 {
    match (Runs::of(kernel, axis), axis.extent.as_static()) {
        (Some(runs), _) => u64::from(runs.most()),
        (None, Some(size)) => size.max(1) as u64,
        (None, None) => UNKNOWN,
    }
}

/// Returns whether the merging of two states adds or multiplies floats.
fn rounds(kernel: &Kernel, combiner: &Combiner) -> bool {
    combiner.merge.body.iter().any(|stmt| {
        let Stmt::Let { scalar, value } = stmt else { return false };
        let dtype = kernel.dtype(*scalar);
        let adds = matches!(binary(value), Some((BinaryOp::Add | BinaryOp::Mul, _)));
        matches!(value, Definition::Fma(_)) || adds && (dtype.is_float() || dtype.is_complex())
    })
}
