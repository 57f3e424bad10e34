//! How a reduction iterates over its operand: which indices each task combines, in what order, and with how many running totals. All of it
//! depends only on sizes, so that results do not depend on threads (CPU-1). This module knows no particular reduction.

/// Number of pieces of work that keep any usual number of threads busy.
const ENOUGH_WORK: usize = 8;
/// Number of elements in a part of a reduction that is worth a separate thread.
const PART: usize = 1 << 16;
/// Number of parallel running totals if only one result is computed, enough to hide the latency of an addition.
const SIDE_BY_SIDE: usize = 64;
/// Minimum number of columns in a piece of work.
const COLUMNS: usize = 256;
/// Maximum number of rows that share a tile.
const MOST_ROWS: usize = 256;

/// The index space of a reduction, row-major: `outer` results by `reduced` elements by `inner` results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extents {
    pub(crate) outer: usize,
    pub(crate) reduced: usize,
    pub(crate) inner: usize,
}

/// The order of iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LoopOrder {
    /// Rows that are short enough for a tile: `rows` whole rows per tile.
    Rows { len: usize, rows: usize },
    /// Tasks that each compute some results, in parts that are merged afterwards.
    Tasks(Tasks),
}

/// Independent pieces of work. A task processes its units one after the other; unit u of a task begins `step` indices after unit u − 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tasks {
    extents: Extents,
    /// Number of tasks that share the inner results of one outer index.
    pub(crate) slices: usize,
    /// Number of results of a task; the last slice may have fewer.
    pub(crate) results: usize,
    /// Number of running totals per result.
    pub(crate) totals: usize,
    units: usize,
    unit_len: usize,
    step: usize,
    /// Number of parts of a task that may run at the same time.
    pub(crate) parts: usize,
}

impl LoopOrder {
    /// Chooses the order over an index space whose tiles hold `tile` elements. Tiles should not cross rows of `row` elements, but rows
    /// shorter than `long` may share a tile.
    pub(crate) fn new(extents: Extents, tile: usize, row: usize, long: usize) -> LoopOrder {
        let Extents { outer, reduced, inner } = extents;
        if outer == 0 || reduced == 0 || inner == 0 {
            return LoopOrder::Rows { len: 0, rows: MOST_ROWS };
        }
        if inner == 1 && reduced <= tile {
            return LoopOrder::Rows { len: reduced, rows: (tile / reduced).clamp(1, MOST_ROWS) };
        }
        let tasks = if inner < long && inner <= tile {
            let side_by_side = (SIDE_BY_SIDE / inner).min(tile / inner).max(1);
            // A power of two, so that totals can be merged by halves.
            let totals = 1 << side_by_side.ilog2();
            let (period, len) = (inner * totals, reduced * inner);
            let unit = match () {
                () if inner > 1 => tile / period * period,
                () if row <= tile => tile / row * row,
                () if row == reduced => tile,
                () => row,
            };
            Tasks::new(extents, (1, inner, totals), (len.div_ceil(unit), unit, unit))
        } else {
            let columns = tile.min((inner / ENOUGH_WORK).next_multiple_of(32).max(COLUMNS));
            Tasks::new(extents, (inner.div_ceil(columns), columns, 1), (reduced, columns, inner))
        };
        LoopOrder::Tasks(tasks)
    }
}

impl Tasks {
    fn new(
        extents: Extents,
        (slices, results, totals): (usize, usize, usize),
        (units, unit_len, step): (usize, usize, usize),
    ) -> Tasks {
        let tasks = extents.outer * slices;
        let total = extents.outer * extents.reduced * extents.inner;
        let parts =
            if tasks < ENOUGH_WORK { (total / PART).min(ENOUGH_WORK.div_ceil(tasks.max(1))) } else { 1 };
        Tasks { extents, slices, results, totals, units, unit_len, step, parts: parts.clamp(1, units.max(1)) }
    }

    /// Number of tasks.
    pub(crate) fn count(&self) -> usize {
        self.extents.outer * self.slices
    }

    /// Returns the results of a task: the index of the first one, and their number.
    pub(crate) fn results_of(&self, task: usize) -> (usize, usize) {
        let (outer, first) = (task / self.slices, task % self.slices * self.results);
        (outer * self.extents.inner + first, self.results.min(self.extents.inner - first))
    }

    /// Returns the number of running totals of a task.
    pub(crate) fn width(&self, task: usize) -> usize {
        self.results_of(task).1 * self.totals
    }

    /// Returns the units of one part of a task.
    pub(crate) fn units_of(&self, part: usize) -> std::ops::Range<usize> {
        part * self.units / self.parts..(part + 1) * self.units / self.parts
    }

    /// Returns the indices of a unit: the first, and one past the last.
    pub(crate) fn unit(&self, task: usize, unit: usize) -> (usize, usize) {
        let Extents { reduced, inner, .. } = self.extents;
        let (outer, slice) = (task / self.slices, task % self.slices);
        let base = outer * reduced * inner;
        if self.slices == 1 && self.step == self.unit_len {
            let start = unit * self.step;
            return (base + start, base + (start + self.unit_len).min(reduced * inner));
        }
        let first = slice * self.results;
        let start = base + unit * self.step + first;
        (start, start + self.unit_len.min(inner - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every index is combined once, by the task of its result and into the right running total.
    fn check(outer: usize, reduced: usize, inner: usize, tile: usize, row: usize) {
        let extents = Extents { outer, reduced, inner };
        let LoopOrder::Tasks(tasks) = LoopOrder::new(extents, tile, row, 256) else {
            assert!(inner == 1 && reduced <= tile);
            return;
        };
        let mut seen = vec![0; outer * reduced * inner];
        let mut results = vec![0; outer * inner];
        for task in 0..tasks.count() {
            let (first, count) = tasks.results_of(task);
            results[first..first + count].iter_mut().for_each(|r| *r += 1);
            for part in 0..tasks.parts {
                for unit in tasks.units_of(part) {
                    let (start, end) = tasks.unit(task, unit);
                    for (i, index) in (start..end).enumerate() {
                        seen[index] += 1;
                        let result = index / (reduced * inner) * inner + index % inner;
                        assert_eq!(result, first + i % tasks.width(task) % count);
                    }
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1) && results.iter().all(|&n| n == 1), "{extents:?} {tasks:?}");
    }

    #[test]
    fn loop_orders_take_in_every_index_once() {
        for (outer, reduced, inner) in [
            (1, 5000, 1),
            (3, 5000, 1),
            (2, 700, 3),
            (1, 33, 100),
            (4, 9, 255),
            (2, 7, 300),
            (1, 3, 9000),
            (1, 90000, 2),
        ] {
            for tile in [256, 1024, 2048, 16384] {
                let row = if inner == 1 { reduced } else { inner };
                check(outer, reduced, inner, tile, row);
            }
        }
        // Rows that consist of several pieces.
        check(2, 40 * 300, 1, 320, 300);
        check(2, 4000 * 3, 1, 1023, 3);
    }
}
