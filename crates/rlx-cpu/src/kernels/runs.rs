//! Runs of rows whose lengths are in an operand.

use crate::exec::LaunchContext;
use rlx_elementwise::numbers::load;
use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use std::ops::Range;

/// Runs one after another, the first from row 0 on. Where lengths are negative, they overlap.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// Which operand has the lengths, one for each run.
    pub(crate) operand: usize,
    /// The type of the lengths.
    pub(crate) dtype: DType,
    pub(crate) count: usize,
    /// How many rows there are: what is outside is left out.
    pub(crate) rows: usize,
}

impl Runs {
    /// The rows of each run in turn, with its number.
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

    /// Whether a row may be in several runs.
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
