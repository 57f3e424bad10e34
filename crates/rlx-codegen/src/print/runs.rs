//! Finds runs: buffer elements that are contiguous along a loop's axis, so that a language can take a slice
//! once per loop.

use crate::kernel::{Axis, BufferId, Cell, Definition, Guard, Kernel, Stmt};
use rlx_ir::{Dim, Symbol, Symbols};

/// The elements of a buffer starting at `first`. Iteration i of a loop accesses element i of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The buffer.
    pub buffer: BufferId,
    /// The row-major position of the first element.
    pub first: Dim,
    /// Whether the loop stores to it.
    pub is_written: bool,
}

/// Returns the row-major position of an element in its buffer.
pub fn place(kernel: &Kernel, cell: &Cell) -> Dim {
    let extents = &kernel.buffers[cell.buffer.index()].extents;
    cell.at.iter().zip(extents).fold(Dim::Static(0), |place, (at, extent)| &(&place * extent) + at)
}

/// Returns the runs that a loop accesses along its axis, if it runs at all. Its body is a loop over `others`, if there
/// are any, around `body`. If the loop stores to a buffer, any other access to that buffer would conflict with a slice,
/// so there is no run of it.
pub fn runs(kernel: &Kernel, axis: &Symbol, others: &[Axis], body: &[Stmt]) -> Vec<Run> {
    let mut found = Finder { kernel, axis, inner: Symbols::default(), runs: Vec::new(), others: Vec::new() };
    found.inside(others, body, true);
    let Finder { mut runs, others, .. } = found;
    let all = runs.clone();
    runs.retain(|run| {
        let same = || all.iter().filter(|other| other.buffer == run.buffer);
        let other = || others.iter().filter(|(buffer, _)| *buffer == run.buffer);
        let is_written = same().any(|other| other.is_written) || other().any(|&(_, written)| written);
        !is_written || (other().next().is_none() && same().all(|other| other.first == run.first))
    });
    let mut merged: Vec<Run> = Vec::new();
    for run in runs {
        match merged.iter_mut().find(|known| known.buffer == run.buffer && known.first == run.first) {
            Some(known) => known.is_written |= run.is_written,
            None => merged.push(run),
        }
    }
    merged
}

struct Finder<'k> {
    kernel: &'k Kernel,
    axis: &'k Symbol,
    /// The symbols that the body defines.
    inner: Symbols,
    runs: Vec<Run>,
    /// The other accesses: the buffer, and whether it is stored to.
    others: Vec<(BufferId, bool)>,
}

impl Finder<'_> {
    /// `always` says whether every iteration executes the block.
    fn block(&mut self, block: &[Stmt], always: bool) {
        for stmt in block {
            match stmt {
                Stmt::Let { value: Definition::Load { cell, guard, .. }, .. } => {
                    self.access(cell, guard, false, always);
                }
                Stmt::Store { cell, guard, .. } => self.access(cell, guard, true, always),
                Stmt::Let { .. } | Stmt::Array(_) | Stmt::Barrier | Stmt::Tile(_) => {}
                Stmt::Name { symbol, .. } => self.inner.add(symbol),
                Stmt::Par { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => {
                    self.inside(stmt.axes(), body, always);
                }
                Stmt::While { .. } | Stmt::If { .. } => {
                    stmt.blocks().for_each(|inner| self.block(inner, false));
                }
            }
        }
    }

    fn inside(&mut self, axes: &[Axis], body: &[Stmt], always: bool) {
        axes.iter().for_each(|axis| self.inner.add(&axis.symbol));
        let runs = axes.iter().all(|axis| axis.extent.as_static().is_some_and(|extent| extent > 0));
        self.block(body, always && runs);
    }

    fn access(&mut self, cell: &Cell, guard: &Guard, is_written: bool, always: bool) {
        let first = &place(self.kernel, cell) - &Dim::Dynamic(self.axis.clone());
        let mut symbols = Symbols::default();
        first.symbols(&mut symbols);
        let varies = |symbol: &Symbol| symbol == self.axis || self.inner.contains(symbol);
        if always && guard.is_empty() && !symbols.into_vec().iter().any(varies) {
            self.runs.push(Run { buffer: cell.buffer, first, is_written });
        } else {
            self.others.push((cell.buffer, is_written));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the runs of the outermost loop of a kernel, with the names of buffers.
    fn found(text: &str) -> Vec<String> {
        let kernel = Kernel::parse(text).unwrap();
        let [Stmt::Par { axes, body }] = &kernel.body[..] else { panic!("{text}") };
        let name = |run: &Run| kernel.buffers[run.buffer.index()].name.clone();
        let text = |run: &Run| {
            format!("{}{} from {}", if run.is_written { "mut " } else { "" }, name(run), run.first)
        };
        runs(&kernel, &axes[0].symbol, &axes[1..], body).iter().map(text).collect()
    }

    #[test]
    fn what_lies_along_an_axis_is_a_run() {
        let text = "kernel k(x: in f32[m,n], z: in f32[n,m], s: inout f32[n], y: out f32[m,n]) {
          par j<n {
            %0 = load x[1,j] %1 = load x[2,j] %2 = load z[j,0] %3 = load s[j]
            par k<4 { %4 = load x[1,k] %5 = load x[k,j] }
            store s[j] = %0 store y[0,j] = %3
          }
        }";
        assert_eq!(found(text), ["x from n", "x from 2*n", "mut s from 0", "mut y from 0"]);
    }

    #[test]
    fn what_may_not_be_there_or_is_touched_elsewhere_is_none() {
        let text = "kernel k(x: in f32[n], s: inout f32[n], t: inout f32[n]) {
          par j<n {
            %0 = load s[0] %1 = load t[j] store s[j] = %0 store t[j] = %1 where j-1>=0
            par k<n { %2 = load x[j] }
          }
        }";
        assert_eq!(found(text), Vec::<String>::new());
    }
}
