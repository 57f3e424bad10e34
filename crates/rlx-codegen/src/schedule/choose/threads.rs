//! Schedules launches for threads: the tasks of a product, and the layout of its result.
//!
//! The tasks of a product are tiles of rows, for which each thread reads all columns. If those are more to read than
//! the rows (weights, few rows), or if there is only one tile of rows, tasks are blocks of columns, and the result is
//! written block by block.

use super::Machine;
use crate::kernel::{Cell, Kernel, Place, Stmt};
use crate::lower::{Argument, Launches};
use crate::range::Ranges;
use crate::schedule::rename::Renaming;
use crate::schedule::tasks::{Tasks, tasks};
use crate::schedule::{Schedule, Step, apply_to_launch};
use crate::visit::for_each_stmt;
use rlx_ir::Dim;

/// The minimum time that a piece of a launch must take, in nanoseconds of one thread.
const PIECE: u64 = 7500;

impl Machine {
    /// Returns into how many pieces it is worthwhile to divide a launch for threads, at its maximum sizes. The result
    /// is 1 if it should not be divided.
    pub fn pieces(&self, kernel: &Kernel) -> usize {
        usize::try_from(self.nanoseconds(kernel) / PIECE).unwrap_or(usize::MAX).max(1)
    }
}

/// Returns the launches as the threads of a machine share them. `known` returns whether an argument of a launch is
/// known before the program runs. Launches that read nothing else are left alone.
pub fn for_threads(launches: &Launches, machine: &Machine, known: &dyn Fn(Argument) -> bool) -> Launches {
    let mut shared = launches.clone();
    let mut number = 0;
    while let Some(launch) = shared.launches.get(number) {
        let given = launch.kernel.params().zip(&launch.arguments);
        let read: Vec<Argument> =
            given.filter(|(b, _)| b.place == Place::In).map(|(_, &argument)| argument).collect();
        let is_early = !read.is_empty() && read.into_iter().all(known);
        number += 1;
        if is_early || machine.pieces(&launch.kernel) == 1 {
            continue;
        }
        if let Some(in_blocks) = by_blocks(&shared, number - 1, machine) {
            shared = in_blocks;
            number += 1;
        }
    }
    shared
}

/// Returns the launches with blocks of an output as the tasks of one of them, if that is better.
fn by_blocks(launches: &Launches, which: usize, machine: &Machine) -> Option<Launches> {
    let kernel = &launches.launches[which].kernel;
    let mut outputs = kernel.params().filter(|buffer| buffer.place != Place::In);
    let (output, None) = (outputs.next()?, outputs.next()) else { return None };
    let count = Ranges::of_facts(&kernel.facts).most(&Dim::product(output.extents.iter().cloned()))?;
    let bytes = count * output.dtype.size();
    let before = tasks(kernel);
    // If a single thread would run it otherwise, the copy must be small compared with the work that is shared.
    let pays = |common: usize| match &before {
        Some(before) => common + 2 * bytes < before.common_bytes,
        None => 8 * machine.copy_nanoseconds(bytes) < machine.nanoseconds(kernel),
    };
    let candidates = blocks(kernel, &output.name).into_iter().filter_map(|step| {
        let in_blocks = apply_to_launch(launches, which, &Schedule(vec![step])).ok()?;
        let Tasks { common_bytes, most, .. } = tasks(&in_blocks.launches[which].kernel)?;
        Some((in_blocks, common_bytes, most))
    });
    let better = candidates.filter(|(_, common, _)| pays(*common));
    better.min_by_key(|(_, common, most)| (*common, usize::MAX - most)).map(|(in_blocks, ..)| in_blocks)
}

/// Returns the blocks of an output that one iteration of an outermost axis fills.
fn blocks(kernel: &Kernel, output: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let Some(Stmt::Par { axes, body }) = kernel.body.iter().find(|stmt| matches!(stmt, Stmt::Par { .. }))
    else {
        return steps;
    };
    let Some(cell) = stored(kernel, body, output) else { return steps };
    for axis in axes {
        let next = Renaming::symbol(&axis.symbol, Dim::Dynamic(axis.symbol.clone()).offset(1));
        for (number, at) in (0..).zip(&cell.at) {
            let mut behind = at.clone();
            next.dim(&mut behind);
            let by = (&behind - at).as_static().and_then(|by| u32::try_from(by).ok());
            if let Some(by) = by.filter(|&by| by > 0) {
                steps.push(Step::Unpack { output: output.into(), axis: number, by });
            }
        }
    }
    steps
}

/// Returns where the first store to a buffer goes.
fn stored(kernel: &Kernel, body: &[Stmt], output: &str) -> Option<Cell> {
    let mut found = None;
    for_each_stmt(body, &mut |stmt| {
        if let Stmt::Store { cell, .. } = stmt
            && kernel.buffers[cell.buffer.index()].name == output
        {
            found.get_or_insert_with(|| cell.clone());
        }
    });
    found
}
