//! Kernels of reductions, with elementwise functions before and after them. One program computes tiles of elements, which are accumulated,
//! and a second program computes the results from the totals.
//!
//! How elements are accumulated is in [`fold`], and in which order is in [`geometry`].

mod fold;
mod geometry;

use super::elementwise::dag::{ExprDag, OperandRef, is_read};
use super::elementwise::program::{LONG_ROW, Run, Target, TileProgram};
use super::elementwise::{BYTE_PICOSECONDS, single, sources, threads};
use super::{PrepareContext, Way, bodies, is_elementwise, missing, sizes};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::isa::Cpu;
use fold::{FoldCode, FoldFn};
use geometry::{Extents, LoopOrder, Tasks};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_elementwise::compute_type::{ComputeType, register_form};
use rlx_elementwise::tile::{self, narrow};
use rlx_ir::eval::scalar;
use rlx_ir::shape::checked_product;
use rlx_ir::{DType, Graph, NodeId, Op, OpKind, ReduceOp};

/// Number of results that are finished together.
const BLOCK: usize = 256;

struct Reduce {
    /// Computes the accumulated elements from operands.
    prologue: TileProgram,
    /// Computes results from totals.
    epilogue: TileProgram,
    fold: FoldCode,
    /// Rounds totals to a narrow type.
    round: Option<tile::Code>,
    order: LoopOrder,
    /// Number of results, and the size in bytes of a result and of a total in its register.
    results: usize,
    size: usize,
    held: usize,
    /// The result if there is nothing to accumulate.
    empty: Option<[u8; 16]>,
    threads: usize,
    nanoseconds: u64,
}

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        Reduce => Way::Kernel(prepare),
        ReduceGraph => Way::Kernel(bodies::prepare),
        _ => return None,
    })
}

/// Prepares a reduction, alone or with what was fused to it.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let made = match cx.node.op() {
        Op::Fusion { body, .. } => Reduce::new(cx, body),
        _ => single(cx).and_then(|graph| Reduce::new(cx, &graph)),
    };
    match made {
        Some(kernel) => Ok(Box::new(kernel)),
        None => missing(cx),
    }
}

/// Returns whether the body is one reduction over trailing axes with programs around it: one of what it reads, and one of its result and of
/// operands that are broadcast to it.
pub(crate) fn accepts(body: &Graph) -> bool {
    let mut reductions = body.nodes().iter().filter(|node| matches!(node.op(), Op::Reduce { .. }));
    let (Some(reduction), None) = (reductions.next(), reductions.next()) else { return false };
    let Op::Reduce { axes, .. } = reduction.op() else { return false };
    let full = body.shape(reduction.inputs()[0]).dims();
    let (rank, kept) = (full.len(), reduction.shape().dims());
    let mut behind = vec![false; body.nodes().len()];
    behind[reduction.id().index()] = true;
    let mut members = body.nodes().iter().filter(|node| node.id() != reduction.id());
    let all_run = members.all(|node| {
        let (mut inputs, dims) = (node.inputs().iter(), node.shape().dims());
        if !is_elementwise(node.op()) {
            return is_read(node.op());
        }
        let follows = inputs.clone().any(|input| behind[input.index()]);
        behind[node.id().index()] = follows;
        let is_operand = |id: &NodeId| body.node(*id).name().is_some();
        let is_there = |input: &NodeId| behind[input.index()] || !is_operand(input);
        if follows { dims == kept && inputs.all(is_there) } else { dims == full }
    });
    let is_trailing = !axes.is_empty() && (rank - axes.len()..rank).all(|axis| axes.contains(&axis));
    all_run && is_trailing && matches!(body.outputs(), [root] if behind[root.index()])
}

/// The index of the totals among the operands of the second program; they are not an operand of the node.
const TOTALS: usize = usize::MAX;

impl Reduce {
    /// Returns `None` if the body is not one reduction with programs around it.
    fn new(cx: &PrepareContext<'_>, body: &Graph) -> Option<Reduce> {
        let mut reductions = body.nodes().iter().filter(|n| matches!(n.op(), Op::Reduce { .. }));
        let (reduction, None) = (reductions.next()?, reductions.next()) else { return None };
        let Op::Reduce { kind, axes } = reduction.op() else { return None };
        let &[root] = body.outputs() else { return None };
        let operand = reduction.inputs()[0];
        let (dims, kept) = (sizes(body.shape(operand)), sizes(reduction.shape()));
        let dtype = reduction.shape().dtype();

        let mut dag = ExprDag::new(body, &[operand], &sources(body), &dims)?;
        let (extents, order, splits) = arrange(&dims, axes);
        dag.permute(&order);
        let prologue = TileProgram::new(&dag, &splits, Target::InRegisters, cx.cpu);
        let epilogue = epilogue(body, root, (reduction.id(), dtype, &kept), cx.cpu)?;
        let fold = fold::fold_of(*kind, dtype)?;
        let elements = checked_product(&dims)?;
        let operands: usize = (0..cx.node.inputs().len()).map(|i| cx.operand(i).dtype().size()).sum();
        let picoseconds = prologue.picoseconds() + fold.picoseconds + BYTE_PICOSECONDS * operands as u64;
        Some(Reduce {
            order: LoopOrder::new(extents, prologue.tile(), prologue.row(), LONG_ROW),
            round: narrow::round(dtype).filter(|_| matches!(kind, ReduceOp::Sum | ReduceOp::Prod)),
            results: checked_product(&kept)?,
            size: cx.node.shape().dtype().size(),
            held: ComputeType::of(dtype).size(),
            empty: if elements == 0 {
                Some(register_form(scalar::identity(*kind, dtype)?, dtype))
            } else {
                None
            },
            threads: cx.threads,
            nanoseconds: (elements as u64).saturating_mul(picoseconds) / 1_000,
            prologue,
            epilogue,
            fold,
        })
    }
}

/// Returns the order of axes in which a reduction runs (axes of outer results, reduced axes, axes of inner results), the sizes of the three
/// groups, and where the second and the third group begin.
fn arrange(dims: &[usize], axes: &[usize]) -> (Extents, Vec<usize>, [usize; 2]) {
    let is_reduced = |axis: &usize| axes.contains(axis);
    let inner_from = dims.len() - (0..dims.len()).rev().take_while(|a| !is_reduced(a)).count();
    // If no axis is reduced, every result is a row of one element.
    let inner_from = if axes.is_empty() { dims.len() } else { inner_from };
    let outer = (0..inner_from).filter(|a| !is_reduced(a));
    let order: Vec<usize> =
        outer.chain((0..inner_from).filter(is_reduced)).chain(inner_from..dims.len()).collect();
    let reduced_from = inner_from - axes.len();
    let product = |range: std::ops::Range<usize>| order[range].iter().map(|&a| dims[a]).product();
    let extents = Extents {
        outer: product(0..reduced_from),
        reduced: product(reduced_from..inner_from),
        inner: product(inner_from..dims.len()),
    };
    (extents, order, [reduced_from, inner_from])
}

/// Builds the program that computes results from totals.
fn epilogue(
    body: &Graph,
    root: NodeId,
    (reduction, dtype, kept): (NodeId, DType, &[usize]),
    cpu: Cpu,
) -> Option<TileProgram> {
    let totals = OperandRef { operand: TOTALS, dtype, dims: kept.to_vec(), in_registers: true };
    let mut known = sources(body);
    known.insert(reduction, totals);
    let dag = ExprDag::new(body, &[root], &known, kept)?;
    Some(TileProgram::new(&dag, &[], Target::Stored, cpu))
}

/// The part of a run on one thread.
struct Worker<'a> {
    kernel: &'a Reduce,
    cx: &'a LaunchContext<'a>,
    prologue: Run<'a>,
    epilogue: Run<'a>,
    totals: *mut u8,
    /// A block of results in the form that registers hold.
    block: *mut u8,
}

impl Reduce {
    /// Returns the bytes of running totals that a task needs.
    fn totals_bytes(&self) -> usize {
        let width = match &self.order {
            LoopOrder::Tasks(tasks) => tasks.results * tasks.totals,
            LoopOrder::Rows { .. } => 0,
        };
        (width * self.fold.total_size).next_multiple_of(64)
    }

    fn block_bytes(&self) -> usize {
        let count = match &self.order {
            LoopOrder::Tasks(tasks) => tasks.results,
            LoopOrder::Rows { rows, .. } => BLOCK.max(*rows),
        };
        (count.max(BLOCK) * self.held).next_multiple_of(64)
    }

    /// Returns the scratch memory of one thread in bytes.
    fn scratch_bytes(&self) -> usize {
        let programs = self.prologue.scratch_bytes() + self.epilogue.scratch_bytes();
        programs + self.totals_bytes() + self.block_bytes()
    }

    /// # Safety
    /// `scratch` has [`scratch_bytes`](Reduce::scratch_bytes) bytes, is aligned to a cache line, and is used by this worker only.
    unsafe fn worker<'a>(&'a self, cx: &'a LaunchContext<'a>, scratch: *mut u8) -> Worker<'a> {
        // SAFETY: the four pieces make up the scratch memory; the operands are what the plan says.
        unsafe {
            let second = scratch.add(self.prologue.scratch_bytes());
            let totals = second.add(self.epilogue.scratch_bytes());
            Worker {
                kernel: self,
                cx,
                prologue: self.prologue.begin(cx.cpu, cx.operands(), scratch),
                epilogue: self.epilogue.begin(cx.cpu, cx.operands(), second),
                totals,
                block: totals.add(self.totals_bytes()),
            }
        }
    }
}

impl Worker<'_> {
    fn fold(&self, f: FoldFn, src: *const u8, dst: *mut u8, len: usize, width: usize) {
        let call = fold::Call { cpu: self.cx.cpu, totals: self.totals, src, dst, len, width };
        // SAFETY: each of the callers below stays within the totals, the tile and the block.
        unsafe { f(&call) }
    }

    /// Reduces rows `first..last`, each of which is at most a tile.
    ///
    /// # Safety
    /// Nobody else writes the results of these rows.
    unsafe fn rows(&mut self, len: usize, rows: usize, first: usize, last: usize) {
        let kernel = self.kernel;
        let mut row = first;
        while row < last {
            let block_end = last.min(row + BLOCK.max(rows));
            let start = row;
            while row < block_end {
                let count = rows.min(block_end - row);
                // SAFETY: the rows exist and fit a tile; only registers are written.
                let src = unsafe { self.prologue.tile(row * len, count * len, |_| std::ptr::null_mut()) };
                let dst = self.block.wrapping_add((row - start) * kernel.held);
                self.fold(kernel.fold.rows, src, dst, len, count);
                row += count;
            }
            // SAFETY: the caller vouches for the results.
            unsafe { self.emit(start, block_end - start) };
        }
    }

    /// Accumulates a part of a task, and merges its totals to one per result.
    fn accumulate(&self, tasks: &Tasks, task: usize, part: usize) {
        let kernel = self.kernel;
        let (width, results) = (tasks.width(task), tasks.results_of(task).1);
        let none = (std::ptr::null(), std::ptr::null_mut());
        self.fold(kernel.fold.clear, none.0, none.1, 0, width);
        for unit in tasks.units_of(part) {
            let (start, end) = tasks.unit(task, unit);
            let mut at = start;
            while at < end {
                let len = kernel.prologue.next(at, end);
                // SAFETY: the indices exist and fit a tile; only registers are written.
                let src = unsafe { self.prologue.tile(at, len, |_| std::ptr::null_mut()) };
                // A unit with one total per element may still consist of several tiles.
                let first = if tasks.totals == 1 { at - start } else { 0 };
                let totals = self.totals.wrapping_add(first * kernel.fold.total_size);
                let call =
                    fold::Call { cpu: self.cx.cpu, totals, src, dst: none.1, len, width: width - first };
                // SAFETY: there are `width` totals, and the tile has `len` elements.
                unsafe { (kernel.fold.columns)(&call) };
                at += len;
            }
        }
        self.fold(kernel.fold.halve, none.0, none.1, results, width);
    }

    /// Converts the totals of a task to results.
    ///
    /// # Safety
    /// Nobody else writes the task's results.
    unsafe fn finish(&mut self, tasks: &Tasks, task: usize) {
        let (first, count) = tasks.results_of(task);
        self.fold(self.kernel.fold.finish, std::ptr::null(), self.block, count, 0);
        // SAFETY: the caller vouches for the results.
        unsafe { self.emit(first, count) };
    }

    /// Computes results `first..first + count` from the block.
    ///
    /// # Safety
    /// Nobody else writes them, and the block holds that many.
    unsafe fn emit(&mut self, first: usize, count: usize) {
        let (kernel, block) = (self.kernel, self.block);
        if let Some(code) = kernel.round {
            let extra = code.extra;
            let call = tile::Call { cpu: self.cx.cpu, dst: block, src: [block; 3], len: count, extra };
            // SAFETY: the block holds `count` elements.
            unsafe { (code.run)(&call) };
        }
        self.epilogue.set_in_registers(block.wrapping_sub(first * kernel.held));
        let (mut at, end) = (first, first + count);
        while at < end {
            let len = kernel.epilogue.next(at, end);
            // SAFETY: the caller vouches for the results.
            unsafe { self.epilogue.tile(at, len, |_| self.cx.output_ptr(0).add(at * kernel.size)) };
            at += len;
        }
    }

    /// Writes results `first..last` for a reduction of no elements.
    ///
    /// # Safety
    /// Nobody else writes them.
    unsafe fn fill(&mut self, bytes: &[u8; 16], first: usize, last: usize) {
        let held = self.kernel.held;
        for i in 0..BLOCK {
            // SAFETY: the block holds that many elements of `held` bytes, which is at most 16.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.block.add(i * held), held) };
        }
        for at in (first..last).step_by(BLOCK) {
            // SAFETY: the caller vouches for the results.
            unsafe { self.emit(at, BLOCK.min(last - at)) };
        }
    }
}

impl Reduce {
    /// Runs tasks that consist of one part each.
    fn run_tasks(&self, cx: &LaunchContext<'_>, tasks: &Tasks) {
        let body = |cx: &LaunchContext<'_>, range: std::ops::Range<usize>, scratch| {
            // SAFETY: the scratch memory belongs to this call, and so do the results of its tasks.
            unsafe {
                let mut worker = self.worker(cx, scratch);
                for task in range {
                    worker.accumulate(tasks, task, 0);
                    worker.finish(tasks, task);
                }
            }
        };
        // SAFETY: tasks write separate results.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds, tasks.count(), 1, body) };
    }

    /// Returns the bytes for the totals of all parts, which are stored after the scratch memory of the threads.
    fn parts_bytes(&self) -> usize {
        match &self.order {
            LoopOrder::Tasks(tasks) if tasks.parts > 1 => {
                let totals = tasks.count().saturating_mul(tasks.parts).saturating_mul(tasks.results);
                totals.saturating_mul(self.fold.total_size)
            }
            _ => 0,
        }
    }

    /// Runs the parts of tasks, and then merges them in order.
    fn run_parts(&self, cx: &LaunchContext<'_>, tasks: &Tasks) {
        let size = self.fold.total_size;
        let step = tasks.results * size;
        let parts_at = self.scratch_bytes() * self.threads;
        let body = |cx: &LaunchContext<'_>, range: std::ops::Range<usize>, scratch| {
            // SAFETY: the scratch memory belongs to this call, and so do the totals of its parts.
            unsafe {
                let worker = self.worker(cx, scratch);
                for i in range {
                    let (task, part) = (i / tasks.parts, i % tasks.parts);
                    worker.accumulate(tasks, task, part);
                    let kept = cx.scratch_ptr().add(parts_at + i * step);
                    std::ptr::copy_nonoverlapping(worker.totals, kept, tasks.results_of(task).1 * size);
                }
            }
        };
        let count = tasks.count() * tasks.parts;
        // SAFETY: parts have separate totals.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds, count, 1, body) };
        // SAFETY: no other thread is working any more; the totals were written above.
        unsafe {
            let mut worker = self.worker(cx, cx.scratch_ptr());
            for task in 0..tasks.count() {
                let results = tasks.results_of(task).1;
                worker.fold(self.fold.clear, std::ptr::null(), std::ptr::null_mut(), 0, results);
                for part in 0..tasks.parts {
                    let src = cx.scratch_ptr().add(parts_at + (task * tasks.parts + part) * step);
                    worker.fold(self.fold.merge, src, std::ptr::null_mut(), results, 0);
                }
                worker.finish(tasks, task);
            }
        }
    }

    /// Runs rows that are at most a tile, or results of no elements.
    fn run_rows(&self, cx: &LaunchContext<'_>, len: usize, rows: usize) {
        let body = |cx: &LaunchContext<'_>, range: std::ops::Range<usize>, scratch| {
            // SAFETY: the scratch memory belongs to this call, and so do the results of its rows.
            unsafe {
                let mut worker = self.worker(cx, scratch);
                match &self.empty {
                    Some(bytes) => worker.fill(bytes, range.start, range.end),
                    None => worker.rows(len, rows, range.start, range.end),
                }
            }
        };
        // SAFETY: rows write separate results.
        unsafe {
            threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds, self.results, rows, body);
        }
    }
}

impl OpKernel for Reduce {
    fn needs(&self) -> Needs {
        let scratch_bytes =
            self.scratch_bytes().saturating_mul(self.threads).saturating_add(self.parts_bytes());
        Needs { scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        match &self.order {
            LoopOrder::Tasks(tasks) if tasks.parts == 1 => self.run_tasks(cx, tasks),
            LoopOrder::Tasks(tasks) => self.run_parts(cx, tasks),
            LoopOrder::Rows { len, rows } => self.run_rows(cx, *len, *rows),
        }
        Ok(())
    }
}
