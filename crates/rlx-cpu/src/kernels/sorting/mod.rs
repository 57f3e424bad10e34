//! Kernels of ops that order elements along an axis. Each line along the axis is processed separately, by one thread.

mod keys;

use super::elementwise::threads;
use super::{PrepareContext, Way, bodies, missing};
use crate::exec::{LaunchContext, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_elementwise::numbers::store;
use rlx_ir::eval::Scalar;
use rlx_ir::{ArgOp, DType, Op, OpKind, SortOrder};
use std::cmp::Ordering;
use std::ops::Range;

/// Picoseconds to examine an element, and to compare two elements in a sort.
const ELEMENT_PICOSECONDS: u64 = 2_000;
const COMPARISON_PICOSECONDS: u64 = 4_000;

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        Sort | TopK | ArgReduce => Way::Kernel(prepare),
        SortGraph => Way::Kernel(bodies::prepare),
        _ => return None,
    })
}

/// Prepares the kernel of a node that orders elements.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let x = cx.operand(0);
    match cx.node.op() {
        Op::ArgReduce { op, axis, dtype } => {
            let lines = Lines::new(&cx.dims(0), *axis);
            Ok(Box::new(ArgReduce { lines, op: *op, from: x.dtype(), to: *dtype }))
        }
        Op::Sort { axis, order, num_keys, .. } => {
            let types = (0..cx.node.inputs().len()).map(|i| cx.operand(i).dtype()).collect();
            let descending = *order == SortOrder::Descending;
            let lines = Lines::new(&cx.dims(0), *axis);
            Ok(Box::new(Sort { lines, types, keys: *num_keys, descending, threads: cx.threads }))
        }
        Op::TopK { k } => {
            let dims = cx.dims(0);
            let lines = Lines::new(&dims, dims.len().saturating_sub(1));
            Ok(Box::new(TopK { lines, k: *k, dtype: x.dtype(), threads: cx.threads }))
        }
        _ => missing(cx),
    }
}

/// The lines of a tensor along an axis, in row-major order of the other axes.
pub(crate) struct Lines {
    pub(crate) len: usize,
    /// Distance in elements between neighbors of a line; also the number of interleaved lines.
    stride: usize,
    pub(crate) count: usize,
}

impl Lines {
    /// Creates the lines of a tensor of these sizes along an axis.
    pub(crate) fn new(dims: &[usize], axis: usize) -> Lines {
        let len = dims.get(axis).copied().unwrap_or(1);
        let others = dims.iter().enumerate().filter(|&(a, _)| a != axis);
        let empty = others.clone().any(|(_, &n)| n == 0);
        let count = if empty { 0 } else { others.map(|(_, &n)| n).product() };
        let stride = if empty { 1 } else { dims.iter().skip(axis + 1).product() };
        Lines { len, stride, count }
    }

    /// Returns a line, for elements of `size` bytes.
    pub(crate) fn line(&self, which: usize, size: usize) -> LinePlace {
        let first = which / self.stride * self.len * self.stride + which % self.stride;
        LinePlace { first: first * size, step: self.stride * size, len: self.len }
    }

    fn nanoseconds(&self) -> u64 {
        (self.count as u64).saturating_mul(self.len as u64 * ELEMENT_PICOSECONDS) / 1_000
    }

    fn sort_nanoseconds(&self) -> u64 {
        let comparisons = self.len as u64 * u64::from(self.len.max(2).ilog2());
        (self.count as u64).saturating_mul(comparisons * COMPARISON_PICOSECONDS) / 1_000
    }

    /// Calls `line` for each line to be sorted, with scratch memory of `scratch_bytes`, divided among threads.
    ///
    /// # Safety
    /// `line` may be called on several threads at the same time: it writes only the results of its line and its scratch memory.
    unsafe fn each(
        &self,
        cx: &LaunchContext<'_>,
        scratch_bytes: usize,
        line: impl Fn(&LaunchContext<'_>, usize, *mut u8) + Sync,
    ) {
        if self.len == 0 {
            return;
        }
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, scratch: *mut u8| {
            range.for_each(|which| line(cx, which, scratch));
        };
        // SAFETY: the caller vouches that `line` writes only the results of its line and its scratch memory; a line is in one range.
        unsafe { threads::for_ranges(cx, scratch_bytes, self.sort_nanoseconds(), self.count, 1, body) };
    }
}

/// The position of a line in a tensor: its first element, and the bytes from one element to the next.
#[derive(Clone, Copy)]
pub(crate) struct LinePlace {
    first: usize,
    step: usize,
    len: usize,
}

impl LinePlace {
    /// Returns a pointer to element `i` of the line in the tensor that starts at `start`.
    pub(crate) fn at(&self, start: *const u8, i: usize) -> *const u8 {
        start.wrapping_add(self.first + i * self.step)
    }
}

struct ArgReduce {
    lines: Lines,
    op: ArgOp,
    from: DType,
    to: DType,
}

impl OpKernel for ArgReduce {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, _: *mut u8| {
            for which in range {
                // SAFETY: the line belongs to operand 0, and only this task writes its result.
                unsafe {
                    let found = self.extreme(cx.input_ptr(0), self.lines.line(which, self.from.size()));
                    let to = cx.output_ptr(0).add(which * self.to.size());
                    store(self.to, Scalar::Int(found as i128), to);
                }
            }
        };
        // SAFETY: each line belongs to one range, which alone writes its result.
        unsafe { threads::for_ranges(cx, 0, self.lines.nanoseconds(), self.lines.count, 1, body) };
        Ok(())
    }
}

impl ArgReduce {
    /// # Safety
    /// The line belongs to the operand that starts at `start`.
    unsafe fn extreme(&self, start: *const u8, line: LinePlace) -> usize {
        let word = |i: usize| {
            // SAFETY: the caller's promise.
            let word = unsafe { keys::sorting(self.from, line.at(start, i), 0) };
            match self.op {
                ArgOp::Max => word,
                // NaN comes first in both cases, and no other float has its word.
                ArgOp::Min if self.from.is_float() && word == u64::MAX => u64::MAX,
                ArgOp::Min => !word,
            }
        };
        let (mut best, mut found) = (0, 0);
        for i in 0..line.len {
            let word = word(i);
            if i == 0 || word > best {
                (best, found) = (word, i);
            }
        }
        found
    }
}

struct TopK {
    lines: Lines,
    k: usize,
    dtype: DType,
    threads: usize,
}

impl TopK {
    fn line_bytes(&self) -> usize {
        self.lines.len.saturating_mul(size_of::<[u64; 2]>())
    }

    /// # Safety
    /// `which` is a line, and `scratch` has `line_bytes` that belong to this task.
    unsafe fn line(&self, cx: &LaunchContext<'_>, which: usize, scratch: *mut u8) {
        let (size, line) = (self.dtype.size(), self.lines.line(which, self.dtype.size()));
        let start = cx.input_ptr(0);
        let pairs = scratch.cast::<[u64; 2]>();
        // SAFETY: the caller's promise; scratch memory is aligned to a cache line, and a line's share of it to pairs.
        let pairs = unsafe {
            (0..line.len)
                .for_each(|i| pairs.add(i).write([!keys::totally(self.dtype, line.at(start, i)), i as u64]));
            std::slice::from_raw_parts_mut(pairs, line.len)
        };
        // Equal words are ordered by index, so an unstable sort gives the stable order.
        if self.k > 0 && self.k < pairs.len() {
            pairs.select_nth_unstable(self.k - 1);
        }
        let first = self.k.min(pairs.len());
        pairs[..first].sort_unstable();
        for (j, pair) in pairs[..first].iter().enumerate() {
            let place = which * self.k + j;
            // SAFETY: results have k elements per line, which only this task writes.
            unsafe {
                let to = cx.output_ptr(0).add(place * size);
                std::ptr::copy_nonoverlapping(line.at(start, pair[1] as usize), to, size);
                cx.output_ptr(1).cast::<i32>().add(place).write_unaligned(pair[1] as i32);
            }
        }
    }
}

impl OpKernel for TopK {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.line_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        // SAFETY: each line writes its own results and the scratch memory that is passed to it.
        unsafe {
            self.lines.each(cx, self.line_bytes(), |cx, which, scratch| self.line(cx, which, scratch));
        }
        Ok(())
    }
}

struct Sort {
    lines: Lines,
    types: Vec<DType>,
    keys: usize,
    descending: bool,
    threads: usize,
}

impl Sort {
    /// Returns the number of words that determine the order of an element.
    fn words(&self) -> usize {
        self.types[..self.keys].iter().map(|&t| keys::words(t)).sum()
    }

    /// Returns the bytes for the words of a line, followed by the order of its elements.
    fn line_bytes(&self) -> usize {
        self.lines.len.saturating_mul((self.words() + 1) * size_of::<u64>())
    }

    /// Writes the words of a line: first all first words, then all second words.
    ///
    /// # Safety
    /// As for [`line`](Sort::line).
    unsafe fn write_words(&self, cx: &LaunchContext<'_>, which: usize, words: *mut u64) {
        let mut next = words;
        for (operand, &dtype) in self.types[..self.keys].iter().enumerate() {
            let line = self.lines.line(which, dtype.size());
            for part in 0..keys::words(dtype) {
                for i in 0..line.len {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let word = keys::sorting(dtype, line.at(cx.input_ptr(operand), i), part);
                        next.write(if self.descending { !word } else { word });
                        next = next.add(1);
                    }
                }
            }
        }
    }

    /// # Safety
    /// `which` is a line, and `scratch` has `line_bytes` that belong to this task.
    unsafe fn line(&self, cx: &LaunchContext<'_>, which: usize, scratch: *mut u8) {
        let (len, words) = (self.lines.len, self.words());
        let start = scratch.cast::<u64>();
        // SAFETY: the caller's promise; scratch memory is aligned to a cache line, and a line's share of it to words.
        let (words_of, order) = unsafe {
            self.write_words(cx, which, start);
            (0..len).for_each(|i| start.add(words * len + i).write(i as u64));
            let order = std::slice::from_raw_parts_mut(start.add(words * len), len);
            (std::slice::from_raw_parts(start, words * len), order)
        };
        if self.is_short() {
            self.sort_short(words_of, order);
        } else {
            self.sort_long(words_of, order);
        }
        for (operand, dtype) in self.types.iter().enumerate() {
            let (size, line) = (dtype.size(), self.lines.line(which, dtype.size()));
            for (i, &from) in order.iter().enumerate() {
                // SAFETY: results have the operands' shapes; only this task writes the line.
                unsafe {
                    let from = line.at(cx.input_ptr(operand), from as usize);
                    let to = line.at(cx.output_ptr(operand), i).cast_mut();
                    std::ptr::copy_nonoverlapping(from, to, size);
                }
            }
        }
    }

    /// Returns whether an element's word and its index fit into one word.
    fn is_short(&self) -> bool {
        self.words() == 1 && self.types[0].size() <= 4 && u32::try_from(self.lines.len).is_ok()
    }

    /// Sorts indices by one short word each. Word and index are compared together, as one word.
    fn sort_short(&self, words: &[u64], order: &mut [u64]) {
        let reverse = if self.descending { u64::MAX } else { 0 };
        for (i, (joint, &word)) in order.iter_mut().zip(words).enumerate() {
            // NaN has the largest word, and no other short float has the largest short word.
            let short = (word ^ reverse).min(u64::from(u32::MAX));
            *joint = (short ^ reverse) << 32 | i as u64;
        }
        order.sort_unstable();
        order.iter_mut().for_each(|joint| *joint &= u64::from(u32::MAX));
    }

    /// Sorts indices by several words, or by long ones.
    fn sort_long(&self, words_of: &[u64], order: &mut [u64]) {
        let (len, words) = (self.lines.len, self.words());
        let compare = |a: u64, b: u64| {
            let by = |word: usize| words_of[word * len + a as usize].cmp(&words_of[word * len + b as usize]);
            let first = (0..words).map(by).find(|o| o.is_ne());
            // Equal elements are ordered by index, so an unstable sort gives the stable order.
            first.unwrap_or(Ordering::Equal).then(a.cmp(&b))
        };
        order.sort_unstable_by(|&a, &b| compare(a, b));
    }
}

impl OpKernel for Sort {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.line_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        // SAFETY: each line writes its own results and the scratch memory that is passed to it.
        unsafe {
            self.lines.each(cx, self.line_bytes(), |cx, which, scratch| self.line(cx, which, scratch));
        }
        Ok(())
    }
}
