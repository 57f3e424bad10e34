//! A reduction by a graph over elements. Where the graph is elementwise, many results are computed side by side; few
//! results of many elements are computed in parts, which are combined in their order: the graph is associative. All of
//! this follows from sizes alone.

use super::Failure;
use super::combine::Combine;
use super::lanes::lifted;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::threads;
use crate::kernels::nested::Body;
use crate::kernels::space::{Axis, count, merged, offsets};
use crate::kernels::{PrepareContext, lines_of};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::Graph;
use rlx_ir::shape::row_major_strides;
use std::ops::Range;

/// Most results or parts that are computed side by side.
const LANES: usize = 256;
/// Fewer results than this are computed one by one, unless there are parts.
const FEW: usize = 8;
/// Parts, if results are few; from so many elements on; and elements of a part at least.
const PARTS: usize = 1024;
const MANY_ELEMENTS: usize = 4096;
const PART_ELEMENTS: usize = 32;

/// Axes with their strides in elements.
struct Space(Vec<Axis<[isize; 1]>>);

impl Space {
    fn len(&self) -> usize {
        count(&self.0)
    }

    /// The offset of an index in row-major order.
    fn offset(&self, index: usize) -> usize {
        offsets(&self.0, index)[0] as usize
    }
}

struct ReduceGraph {
    kept: Space,
    reduced: Space,
    /// Bytes of an element of each tensor.
    sizes: Vec<usize>,
    body: Combine,
    wide: Option<Wide>,
    threads: usize,
}

/// The body on many elements at once.
struct Wide {
    body: Body,
    lanes: usize,
    /// Parts of a result, and elements of each.
    parts: usize,
    steps: usize,
}

/// The kernel of a reduction by `body` along `axes`.
pub(super) fn prepare(
    cx: &PrepareContext<'_>,
    body: &Graph,
    axes: &[usize],
) -> Result<Box<dyn OpKernel>, BackendError> {
    let n = cx.node.inputs().len() / 2;
    let dims = cx.dims(0);
    let strides = row_major_strides(&dims);
    let space = |reduced: bool| {
        let chosen = (0..dims.len()).filter(|a| axes.contains(a) == reduced);
        Space(merged(chosen.map(|a| Axis { size: dims[a], steps: [strides[a] as isize] })))
    };
    let (kept, reduced) = (space(false), space(true));
    let wide = wide(cx, body, kept.len(), reduced.len())?;
    Ok(Box::new(ReduceGraph {
        kept,
        reduced,
        sizes: (0..n).map(|i| cx.operand(i).dtype().size()).collect(),
        body: Combine::new(cx, body)?,
        wide,
        threads: cx.threads,
    }))
}

fn wide(
    cx: &PrepareContext<'_>,
    body: &Graph,
    outputs: usize,
    len: usize,
) -> Result<Option<Wide>, BackendError> {
    let many = outputs > 0 && outputs < PARTS / 16 && len >= MANY_ELEMENTS;
    let parts = if many { (PARTS / outputs).min(len / PART_ELEMENTS) } else { 1 };
    if len == 0 || outputs * parts < FEW {
        return Ok(None);
    }
    let lanes = LANES.min(outputs * parts);
    let Some(graph) = lifted(body, lanes) else { return Ok(None) };
    Ok(Some(Wide { body: Body::new(cx, &graph, &[])?, lanes, parts, steps: len / parts }))
}

/// Scratch memory of one task on many elements: what the body needs, each lane's place, and for each tensor totals
/// twice and elements.
struct Parts {
    body: *mut u8,
    places: *mut usize,
    totals: *mut u8,
}

impl ReduceGraph {
    /// Bytes of the lanes of one tensor.
    fn lane_bytes(&self, wide: &Wide) -> usize {
        // The widest element has 16 bytes.
        lines_of::<[u8; 16]>(wide.lanes)
    }

    /// Scratch bytes of a task.
    fn task_bytes(&self) -> usize {
        let wide = self.wide.as_ref().map_or(0, |wide| {
            let places = lines_of::<usize>(wide.lanes);
            let tensors = self.lane_bytes(wide).saturating_mul(3 * self.sizes.len());
            wide.body.scratch_bytes().saturating_add(places).saturating_add(tensors)
        });
        wide.max(self.body.scratch_bytes())
    }

    /// Bytes of all parts of one tensor.
    fn part_bytes(&self, wide: &Wide) -> usize {
        lines_of::<[u8; 16]>(self.kept.len().saturating_mul(wide.parts))
    }

    fn parts(&self, wide: &Wide, scratch: *mut u8) -> Parts {
        let places = scratch.wrapping_add(wide.body.scratch_bytes());
        let bytes = lines_of::<usize>(wide.lanes);
        Parts { body: scratch, places: places.cast(), totals: places.wrapping_add(bytes) }
    }

    /// Where the result of lane `lane` of tensor `i` goes: to the results, or to the parts.
    fn target(&self, cx: &LaunchContext<'_>, wide: &Wide, i: usize, lane: usize) -> *mut u8 {
        let start = match wide.parts {
            1 => cx.output_ptr(i),
            _ => cx.scratch_ptr().wrapping_add(self.task_bytes() * self.threads + i * self.part_bytes(wide)),
        };
        start.wrapping_add(lane * self.sizes[i])
    }

    /// Results one after the other, element by element.
    ///
    /// # Safety
    /// No other task writes these results; `scratch` is this task's.
    unsafe fn one_by_one(
        &self,
        cx: &LaunchContext<'_>,
        outputs: Range<usize>,
        scratch: *mut u8,
    ) -> Result<(), RunError> {
        // SAFETY: the caller's promise; elements lie inside the tensors.
        unsafe {
            self.body.begin(scratch);
            for output in outputs {
                self.begin_output(cx, output);
                self.take_in(cx, output, 0..self.reduced.len(), scratch)?;
            }
        }
        Ok(())
    }

    /// # Safety
    /// As for [`one_by_one`](Self::one_by_one).
    unsafe fn begin_output(&self, cx: &LaunchContext<'_>, output: usize) {
        for (i, &size) in self.sizes.iter().enumerate() {
            let to = cx.output_ptr(i).wrapping_add(output * size);
            // SAFETY: the initial value is an element of the tensor's type.
            unsafe { std::ptr::copy_nonoverlapping(cx.input_ptr(self.sizes.len() + i), to, size) };
        }
    }

    /// Combines elements into a result.
    ///
    /// # Safety
    /// As for [`one_by_one`](Self::one_by_one); the body's scratch memory was begun.
    unsafe fn take_in(
        &self,
        cx: &LaunchContext<'_>,
        output: usize,
        elements: Range<usize>,
        scratch: *mut u8,
    ) -> Result<(), RunError> {
        let (n, base) = (self.sizes.len(), self.kept.offset(output));
        let total = |i: usize| cx.output_ptr(i).wrapping_add(output * self.sizes[i]);
        for element in elements {
            let at = base + self.reduced.offset(element);
            let input = |i: usize| match i.checked_sub(n) {
                None => total(i).cast_const(),
                Some(i) => cx.input_ptr(i).wrapping_add(at * self.sizes[i]),
            };
            // SAFETY: the caller's promise.
            unsafe { self.body.run(cx, scratch, input, total)? };
        }
        Ok(())
    }

    /// The lanes from `first` on, as many as a run takes.
    ///
    /// # Safety
    /// No other task writes these lanes; `scratch` is this task's.
    unsafe fn side_by_side(
        &self,
        cx: &LaunchContext<'_>,
        wide: &Wide,
        first: usize,
        scratch: *mut u8,
    ) -> Result<(), RunError> {
        let (n, bytes) = (self.sizes.len(), self.lane_bytes(wide));
        let parts = self.parts(wide, scratch);
        let count = wide.lanes.min(self.kept.len() * wide.parts - first);
        // SAFETY: the scratch memory has room for a place per lane.
        let places = unsafe {
            for lane in 0..wide.lanes {
                // Lanes too many repeat the last.
                let index = first + lane.min(count - 1);
                let part = self.reduced.offset(index % wide.parts * wide.steps);
                parts.places.add(lane).write(self.kept.offset(index / wide.parts) + part);
            }
            std::slice::from_raw_parts(parts.places, wide.lanes)
        };
        let dense = count == wide.lanes && places.windows(2).all(|w| w[1] == w[0] + 1);
        // With several axes a part's elements are not at the same distances in each part.
        let uniform = wide.parts == 1 || self.reduced.0.len() <= 1;
        let [mut now, mut next, elements] =
            [0, 1, 2].map(|which| parts.totals.wrapping_add(which * n * bytes));
        let begun = usize::from(wide.parts > 1);
        // SAFETY: places are of elements; totals and elements have room for the lanes.
        unsafe {
            for (i, &size) in self.sizes.iter().enumerate() {
                if begun == 1 {
                    gather(size, cx.input_ptr(i), |lane| places[lane], wide.lanes, now.add(i * bytes));
                } else {
                    gather(size, cx.input_ptr(n + i), |_| 0, wide.lanes, now.add(i * bytes));
                }
            }
            for step in begun..wide.steps {
                let offset = self.reduced.offset(step);
                let place = |lane: usize| {
                    if uniform {
                        return places[lane] + offset;
                    }
                    let index = first + lane.min(count - 1);
                    let element = index % wide.parts * wide.steps + step;
                    self.kept.offset(index / wide.parts) + self.reduced.offset(element)
                };
                for (i, &size) in self.sizes.iter().enumerate().filter(|_| !dense || !uniform) {
                    gather(size, cx.input_ptr(i), place, wide.lanes, elements.add(i * bytes));
                }
                let input = |i: usize| match i.checked_sub(n) {
                    None => now.add(i * bytes).cast_const(),
                    Some(i) if dense && uniform => cx.input_ptr(i).add(place(0) * self.sizes[i]),
                    Some(i) => elements.add(i * bytes).cast_const(),
                };
                wide.body.run(cx, parts.body, &input, &|i| next.add(i * bytes))?;
                (now, next) = (next, now);
            }
            for (i, &size) in self.sizes.iter().enumerate() {
                let to = self.target(cx, wide, i, first);
                std::ptr::copy_nonoverlapping(now.add(i * bytes), to, count * size);
            }
        }
        Ok(())
    }

    /// Combines the parts of each result, and the elements that were left over.
    ///
    /// # Safety
    /// All parts are there, and no task runs.
    unsafe fn join(&self, cx: &LaunchContext<'_>, wide: &Wide) -> Result<(), RunError> {
        let n = self.sizes.len();
        // SAFETY: the scratch memory is this step's; results and parts are elements of the tensors' types.
        unsafe {
            self.body.begin(cx.scratch_ptr());
            for output in 0..self.kept.len() {
                self.begin_output(cx, output);
                let total = |i: usize| cx.output_ptr(i).wrapping_add(output * self.sizes[i]);
                for part in 0..wide.parts {
                    let lane = output * wide.parts + part;
                    let input = |i: usize| match i.checked_sub(n) {
                        None => total(i).cast_const(),
                        Some(i) => self.target(cx, wide, i, lane).cast_const(),
                    };
                    self.body.run(cx, cx.scratch_ptr(), input, total)?;
                }
                let rest = wide.parts * wide.steps..self.reduced.len();
                self.take_in(cx, output, rest, cx.scratch_ptr())?;
            }
        }
        Ok(())
    }
}

/// Copies an element for each lane.
///
/// # Safety
/// `place` gives elements of `size` bytes behind `from`; `to` has room for the lanes.
#[inline]
unsafe fn gather(size: usize, from: *const u8, place: impl Fn(usize) -> usize, lanes: usize, to: *mut u8) {
    macro_rules! each {
        ($t:ty) => {
            // SAFETY: the caller's promise; no alignment is assumed.
            (0..lanes).for_each(|lane| unsafe {
                let element = from.cast::<$t>().add(place(lane)).read_unaligned();
                to.cast::<$t>().add(lane).write_unaligned(element);
            })
        };
    }
    match size {
        1 => each!(u8),
        2 => each!(u16),
        4 => each!(u32),
        8 => each!(u64),
        _ => each!(u128),
    }
}

impl OpKernel for ReduceGraph {
    fn needs(&self) -> Needs {
        let joined = self.wide.as_ref().filter(|wide| wide.parts > 1);
        let parts = joined.map_or(0, |wide| self.part_bytes(wide).saturating_mul(self.sizes.len()));
        let scratch_bytes = self.task_bytes().saturating_mul(self.threads).saturating_add(parts);
        Needs { scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let failure = Failure::default();
        let elements = (self.kept.len() as u64).saturating_mul(self.reduced.len() as u64);
        let Some(wide) = &self.wide else {
            let body = |cx: &LaunchContext<'_>, outputs: Range<usize>, scratch: *mut u8| {
                // SAFETY: a range's results are written by it alone.
                failure.note(unsafe { self.one_by_one(cx, outputs, scratch) });
            };
            let nanoseconds = elements.saturating_mul(self.body.nanoseconds());
            // SAFETY: results of a range are written by it alone.
            unsafe { threads::for_ranges(cx, self.task_bytes(), nanoseconds, self.kept.len(), 1, body) };
            return failure.outcome();
        };
        let body = |cx: &LaunchContext<'_>, runs: Range<usize>, scratch: *mut u8| {
            for run in runs {
                // SAFETY: a run's lanes are written by it alone.
                failure.note(unsafe { self.side_by_side(cx, wide, run * wide.lanes, scratch) });
            }
        };
        let runs = (self.kept.len() * wide.parts).div_ceil(wide.lanes);
        // About a tenth of what instructions on single elements take.
        let nanoseconds = elements.saturating_mul(self.body.nanoseconds()) / 10;
        // SAFETY: lanes of a run are written by the range that has it alone; the parts are joined when all tasks are
        // done.
        unsafe {
            threads::for_ranges(cx, self.task_bytes(), nanoseconds, runs, 1, body);
            failure.outcome()?;
            if wide.parts > 1 { self.join(cx, wide) } else { Ok(()) }
        }
    }
}
