//! Estimates with formulas what the interpreter would count for a kernel, without running it.
//!
//! If all extents are numbers or sizes, and nothing is guarded, the formulas give exactly the interpreter's counts.
//! Otherwise they give upper bounds: every guard is assumed to hold, both branches to run, loops to run as often as
//! possible, and an unknown size to be the maximum that the kernel's facts allow.

use crate::interp::Counts;
use crate::interp::of_floats;
use crate::kernel::{Axis, Block, Cell, Definition, Kernel, Stmt};
use crate::range::Ranges;
use rlx_ir::{Bindings, Dim};

/// Estimates the loads, stores, iterations, statements and applications of a launch at these sizes. The formulas do not
/// cover transactions and bank conflicts, which stay 0. Tiles are counted once they are
/// [expanded](crate::tile::expand()).
pub fn estimate(kernel: &Kernel, sizes: &Bindings) -> Counts {
    let mut estimate =
        Estimate { kernel, sizes, ranges: Ranges::of_facts(&kernel.facts), counts: Counts::default() };
    estimate.block(&kernel.body, 1);
    estimate.counts
}

struct Estimate<'a> {
    kernel: &'a Kernel,
    sizes: &'a Bindings,
    /// The ranges of sizes and of the enclosing axes.
    ranges: Ranges,
    counts: Counts,
}

impl Estimate<'_> {
    /// Counts statements that run `times` times.
    fn block(&mut self, block: &Block, times: u64) {
        add(&mut self.counts.statements, times.saturating_mul(block.len() as u64));
        for stmt in block {
            self.stmt(stmt, times);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, times: u64) {
        match stmt {
            Stmt::Let { scalar, value } => match value {
                Definition::Load { cell, .. } => {
                    add(&mut self.counts.loads, times);
                    let bytes = times.saturating_mul(self.bytes(cell));
                    add(&mut self.counts.bytes_loaded, bytes);
                }
                Definition::Apply { op, .. } => {
                    let flops = of_floats(op, self.kernel.dtype(*scalar));
                    self.applied(op.mnemonic(), times, flops);
                }
                Definition::Fma(_) => self.applied("fma", times, 2),
                Definition::Bitcast(_) => self.applied("bitcast", times, 0),
                Definition::Constant(_) | Definition::Index(_) | Definition::Holds(_) => {}
            },
            Stmt::Store { cell, .. } => {
                add(&mut self.counts.stores, times);
                let bytes = times.saturating_mul(self.bytes(cell));
                add(&mut self.counts.bytes_stored, bytes);
            }
            Stmt::Name { symbol, extent, .. } => {
                let extent = self.at_sizes(extent);
                self.ranges.count(symbol, &extent);
            }
            Stmt::Array(_) | Stmt::Barrier | Stmt::Tile(_) => {}
            Stmt::Par { axes, body } => {
                let times = self.iterations(axes, times);
                self.block(body, times);
            }
            Stmt::For { axis, body, .. } => {
                let times = self.iterations(std::slice::from_ref(axis), times);
                self.block(body, times);
            }
            Stmt::While { condition, body, bound, .. } => {
                let rounds = times.saturating_mul(self.most(bound));
                self.block(condition, rounds.saturating_add(times));
                add(&mut self.counts.iterations, rounds);
                self.block(body, rounds);
            }
            Stmt::If { then, otherwise, .. } => {
                self.block(then, times);
                self.block(otherwise, times);
            }
            Stmt::Reduce { axes, combiner, body, .. } => {
                let elements = self.iterations(axes, times);
                self.block(body, elements);
                self.block(&combiner.step.body, elements);
            }
        }
    }

    fn applied(&mut self, name: &'static str, times: u64, flops: u64) {
        add(&mut self.counts.flops, times.saturating_mul(flops));
        add(self.counts.applications.entry(name).or_default(), times);
    }

    fn bytes(&self, cell: &Cell) -> u64 {
        self.kernel.buffers[cell.buffer.index()].dtype.size() as u64
    }

    /// Returns how often the body of a loop runs in total if the loop itself runs `times` times, and counts those
    /// iterations. The loop's axes are in scope from here on.
    fn iterations(&mut self, axes: &[Axis], times: u64) -> u64 {
        let mut iterations = times;
        for axis in axes {
            let extent = self.at_sizes(&axis.extent);
            iterations = iterations.saturating_mul(self.most(&extent));
            self.ranges.count(&axis.symbol, &extent);
        }
        add(&mut self.counts.iterations, iterations);
        iterations
    }

    fn at_sizes(&self, dim: &Dim) -> Dim {
        dim.bind(self.sizes)
    }

    /// Returns the maximum value of an extent.
    fn most(&self, extent: &Dim) -> u64 {
        let high = self.ranges.of(&self.at_sizes(extent)).high;
        high.map_or(u64::MAX, |high| u64::try_from(high).unwrap_or(0))
    }
}

fn add(count: &mut u64, more: u64) {
    *count = count.saturating_add(more);
}
