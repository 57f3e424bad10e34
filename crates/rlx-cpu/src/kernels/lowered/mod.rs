//! Runs kernels of the kernel language on tiles of lanes, for ops without a handwritten kernel. A lane is an index of a launch's parallel
//! loops, which threads share; ordered loops and reductions keep their carried values in the registers of the lanes.

mod compile;
mod lanes;
mod parts;
mod place;
mod program;
mod run;

use super::elementwise::threads;
use super::{PrepareContext, lines};
use crate::exec::{LaunchContext, OpKernel, RunError};
use compile::{Begin, Section, sections};
use parts::in_parts;
use rlx_codegen::lower::{Argument, Launches, lower, single};
use rlx_compile::memory::Needs;
use rlx_ir::{Literal, Shape};
use run::{Layout, SectionRun};
use std::ops::Range;

/// Maximum bytes of registers, which leaves room for operands and results in the first-level caches.
const REGISTER_BYTES: usize = 20 << 10;
/// Range of lanes in a tile: few enough that rows which they read together stay in the second-level cache, and enough to hide the cost of
/// starting an instruction.
const LANES: Range<usize> = 64..256;
/// Rows of at least this length are divided into separate tiles, in which elements are contiguous.
const LONG_ROW: usize = 128;

/// Where a buffer of a launch is.
#[derive(Clone, Copy)]
enum BufferMemory {
    Input(usize),
    Output(usize),
    /// At this offset in the memory of the temporaries, in bytes.
    Temporary(usize),
    Constant(usize),
}

struct LoweredLoop {
    section: Section,
    buffers: Vec<BufferMemory>,
    layout: Layout,
    lanes: usize,
    total: usize,
}

/// The launches of a group.
pub(crate) struct Lowered {
    parts: Vec<LoweredLoop>,
    constants: Vec<Literal>,
    /// Size in bytes of the memory that launches share.
    temporaries: usize,
    threads: usize,
}

/// Prepares the kernel of a node; returns `None` if the executor does not support it.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Option<Box<dyn OpKernel>> {
    Some(Box::new(Lowered::new(launches(cx)?, Begin::Identity, cx.threads).ok()?))
}

/// Like [`prepare`], for a reduction whose elements are states: if there are few results, each is computed in parts.
pub(crate) fn prepare_reduction(cx: &PrepareContext<'_>) -> Option<Box<dyn OpKernel>> {
    let (launches, begin) = in_parts(launches(cx)?);
    Some(Box::new(Lowered::new(launches, begin, cx.threads).ok()?))
}

fn launches(cx: &PrepareContext<'_>) -> Option<Launches> {
    let operands: Vec<Shape> = (0..cx.node.inputs().len()).map(|i| cx.operand(i).clone()).collect();
    lower(&single(cx.node.op(), &operands, cx.node.results())).ok()
}

impl Lowered {
    /// Prepares the kernel of launches, where reductions of the first launch begin with `begin`.
    fn new(launches: Launches, begin: Begin, threads: usize) -> Result<Lowered, compile::Refusal> {
        let mut temporaries = 0usize;
        let mut starts = Vec::with_capacity(launches.temporaries.len());
        for temporary in &launches.temporaries {
            starts.push(temporaries);
            let shape = Shape::from_dims(&temporary.extents, temporary.dtype);
            let bytes = shape.num_bytes().ok_or("memory between launches has a size that is not known")?;
            temporaries = temporaries.saturating_add(lines(bytes));
        }
        let memory = |argument: &Argument| match *argument {
            Argument::Input(i) => BufferMemory::Input(i),
            Argument::Output(i) => BufferMemory::Output(i),
            Argument::Temporary(i) => BufferMemory::Temporary(starts[i]),
            Argument::Constant(i) => BufferMemory::Constant(i),
        };
        let mut parts = Vec::new();
        for (i, launch) in launches.launches.iter().enumerate() {
            let begin = if i == 0 { begin } else { Begin::Identity };
            for section in sections(&launch.kernel, begin)? {
                parts.push(LoweredLoop::new(section, launch.arguments.iter().map(memory).collect()));
            }
        }
        Ok(Lowered { parts, constants: launches.constants, temporaries, threads })
    }

    fn task_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.layout.bytes).max().unwrap_or(0)
    }
}

impl LoweredLoop {
    fn new(section: Section, buffers: Vec<BufferMemory>) -> LoweredLoop {
        let total = section.extents.iter().product::<usize>();
        let row = section.extents.last().copied().unwrap_or(1);
        let most = (REGISTER_BYTES / section.bytes.max(1)).clamp(LANES.start, LANES.end);
        let of = if row >= LONG_ROW { row } else { total };
        // Tiles of approximately equal length.
        let lanes = of.div_ceil(of.div_ceil(most).max(1)).max(1);
        LoweredLoop { layout: Layout::new(&section, lanes), section, buffers, lanes, total }
    }

    /// Returns how many of the indices from `at` to `end` are in the next tile.
    fn next(&self, at: usize, end: usize) -> usize {
        let row = self.section.extents.last().copied().unwrap_or(1);
        let left = self.lanes.min(end - at);
        if row >= LONG_ROW { left.min(row - at % row) } else { left }
    }
}

impl OpKernel for Lowered {
    fn needs(&self) -> Needs {
        let tasks = self.task_bytes().saturating_mul(self.threads);
        Needs { scratch_bytes: tasks.saturating_add(self.temporaries), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let task_bytes = self.task_bytes();
        let shared = task_bytes * self.threads;
        for part in &self.parts {
            let body = |cx: &LaunchContext<'_>, range: Range<usize>, scratch: *mut u8| {
                let buffer = |i: usize| match part.buffers[i] {
                    BufferMemory::Input(i) => cx.input_ptr(i).cast_mut(),
                    BufferMemory::Output(i) => cx.output_ptr(i),
                    BufferMemory::Temporary(start) => cx.scratch_ptr().wrapping_add(shared + start),
                    BufferMemory::Constant(i) => self.constants[i].bytes().as_ptr().cast_mut(),
                };
                // SAFETY: buffers are those that the kernel was lowered for; no two indices of a parallel loop write the same element, or
                // read what another one writes; the scratch memory belongs to this task.
                unsafe {
                    let mut run = SectionRun::begin(&part.section, cx.cpu, &buffer, part.layout, scratch);
                    let mut at = range.start;
                    while at < range.end {
                        let len = part.next(at, range.end);
                        run.tile(at, len);
                        at += len;
                    }
                }
            };
            let nanoseconds = (part.total as u64).saturating_mul(part.section.picoseconds) / 1_000;
            // SAFETY: what the indices of a range write is written only by the task of that range.
            unsafe { threads::for_ranges(cx, task_bytes, nanoseconds, part.total, part.lanes, body) };
        }
        Ok(())
    }
}
