//! Kernel of `sort_graph`: sorts each line along the axis with a comparator, on one thread.

use super::Failure;
use super::combine::Combine;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::threads;
use crate::kernels::sorting::Lines;
use crate::kernels::{PrepareContext, lines_of};
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::Graph;
use std::ops::Range;

struct SortGraph {
    lines: Lines,
    /// Size of an element of each operand in bytes.
    sizes: Vec<usize>,
    before: Combine,
    threads: usize,
}

/// Prepares the kernel of a sort with `comparator`.
pub(super) fn prepare(
    cx: &PrepareContext<'_>,
    axis: usize,
    comparator: &Graph,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let sizes = (0..cx.node.inputs().len()).map(|i| cx.operand(i).dtype().size()).collect();
    let lines = Lines::new(&cx.dims(0), axis);
    Ok(Box::new(SortGraph { lines, sizes, before: Combine::new(cx, comparator)?, threads: cx.threads }))
}

/// Scratch memory of one task: what the comparator needs, a place for its result, and the order twice.
struct Parts {
    combine: *mut u8,
    answer: *mut u8,
    order: *mut usize,
    spare: *mut usize,
}

impl SortGraph {
    fn order_bytes(&self) -> usize {
        lines_of::<usize>(self.lines.len)
    }

    fn scratch_bytes(&self) -> usize {
        let orders = self.order_bytes().saturating_mul(2).saturating_add(ALIGNMENT);
        self.before.scratch_bytes().saturating_add(orders)
    }

    fn parts(&self, scratch: *mut u8) -> Parts {
        let answer = scratch.wrapping_add(self.before.scratch_bytes());
        let order = answer.wrapping_add(ALIGNMENT);
        let spare = order.wrapping_add(self.order_bytes());
        Parts { combine: scratch, answer, order: order.cast(), spare: spare.cast() }
    }

    /// Returns a pointer to element `i` of a line of an operand.
    fn element(&self, start: *const u8, operand: usize, line: usize, i: usize) -> *const u8 {
        self.lines.line(line, self.sizes[operand]).at(start, i)
    }

    /// # Safety
    /// `line` is one of the operands' lines, and no other task writes its results; `scratch` belongs to this task.
    unsafe fn sort(&self, cx: &LaunchContext<'_>, line: usize, parts: &Parts) -> Result<(), RunError> {
        let len = self.lines.len;
        // SAFETY: the scratch memory has room for both.
        let (order, spare) = unsafe {
            (0..len).for_each(|i| parts.order.add(i).write(i));
            (0..len).for_each(|i| parts.spare.add(i).write(i));
            (
                std::slice::from_raw_parts_mut(parts.order, len),
                std::slice::from_raw_parts_mut(parts.spare, len),
            )
        };
        let mut before = |a: usize, b: usize| {
            // The comparator takes two elements of the first operand, two of the second, and so on.
            let element = |i: usize| {
                self.element(cx.input_ptr(i / 2), i / 2, line, if i.is_multiple_of(2) { a } else { b })
            };
            // SAFETY: elements belong to the operands; the result has separate memory.
            unsafe {
                self.before.run(cx, parts.combine, element, |_| parts.answer)?;
                Ok(parts.answer.read() == 1)
            }
        };
        merge_sort(order, spare, &mut before)?;
        for (operand, &size) in self.sizes.iter().enumerate() {
            for (to, &from) in order.iter().enumerate() {
                let from = self.element(cx.input_ptr(operand), operand, line, from);
                let to = self.element(cx.output_ptr(operand), operand, line, to).cast_mut();
                // SAFETY: both are elements of tensors of the same shape, which do not overlap.
                unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
            }
        }
        Ok(())
    }
}

/// A stable sort that terminates with some permutation, whatever `before` returns. It makes the same comparisons as the evaluator's sort.
/// `spare` has the same contents as `order`.
fn merge_sort(
    order: &mut [usize],
    spare: &mut [usize],
    before: &mut impl FnMut(usize, usize) -> Result<bool, RunError>,
) -> Result<(), RunError> {
    if order.len() < 2 {
        return Ok(());
    }
    let middle = order.len() / 2;
    {
        let (left, right) = spare.split_at_mut(middle);
        let (spare_left, spare_right) = order.split_at_mut(middle);
        merge_sort(left, spare_left, before)?;
        merge_sort(right, spare_right, before)?;
    }
    let (left, right) = spare.split_at(middle);
    let (mut l, mut r) = (0, 0);
    for place in order.iter_mut() {
        let from_right = r < right.len() && (l == left.len() || before(right[r], left[l])?);
        if from_right {
            (*place, r) = (right[r], r + 1);
        } else {
            (*place, l) = (left[l], l + 1);
        }
    }
    Ok(())
}

impl OpKernel for SortGraph {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let failure = Failure::default();
        let comparisons =
            self.lines.count as u64 * self.lines.len as u64 * u64::from(self.lines.len.max(2).ilog2());
        let nanoseconds = comparisons.saturating_mul(self.before.nanoseconds());
        let body = |cx: &LaunchContext<'_>, lines: Range<usize>, scratch: *mut u8| {
            let parts = self.parts(scratch);
            // SAFETY: the scratch memory belongs to this task, and only it writes its lines.
            unsafe {
                self.before.begin(parts.combine);
                failure.note(lines.into_iter().try_for_each(|line| self.sort(cx, line, &parts)));
            }
        };
        // SAFETY: each line belongs to one range, which alone writes it.
        unsafe {
            threads::for_ranges(cx, self.scratch_bytes(), nanoseconds, self.lines.count, 1, body);
        }
        failure.outcome()
    }
}
