//! Runs of rows whose lengths are in an operand.

use crate::exec::LaunchContext;
use rlx_elementwise::numbers::load;
use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use std::ops::Range;

/// Consecutive runs; the first starts at row 0. If lengths are negative, runs overlap.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// The index of the operand that contains the lengths, one for each run.
    pub(crate) operand: usize,
    /// The type of the lengths.
    pub(crate) dtype: DType,
    pub(crate) count: usize,
    /// Number of rows; parts of runs outside of them are ignored.
    pub(crate) rows: usize,
}

impl Runs {
    /// Iterates over the rows of each run, with the index of the run.
    pub(crate) fn of<'a>(
        self,
        cx: &'a LaunchContext<'_>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + use<'a> {
        let row = move |n: i128| n.clamp(0, self.rows as i128) as usize;
        let mut end = 0i128;
        (0..self.count).map(move |run| {
            let start = end;
            end = end.saturating_add(self.length(cx, run));
            (run, row(start)..row(end))
        })
    }

    /// Returns whether a row may be in several runs.
    pub(crate) fn overlap(self, cx: &LaunchContext<'_>) -> bool {
        (0..self.count).any(|run| self.length(cx, run) < 0)
    }

    fn length(self, cx: &LaunchContext<'_>, run: usize) -> i128 {
        // SAFETY: there is a length for each run.
        match unsafe { load(self.dtype, cx.input_ptr(self.operand).add(run * self.dtype.size())) } {
            Scalar::Int(length) => length,
            other => other.to_f64() as i128,
        }
    }
}
