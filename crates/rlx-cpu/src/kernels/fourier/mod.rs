//! Kernels of discrete Fourier transforms, along one axis after the other. The transforms of single lines are `rustfft`'s, in the precision
//! of the element type, or those of [`plain`]. This module iterates over the axes, and handles half spectra ([`half`]) and scaling.

mod half;
mod plain;

use super::elementwise::threads;
use super::{PrepareContext, Way, missing};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::isa::{Cpu, Isa};
use half::Half;
use plain::Plain;
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::{DType, FftKind, Op, OpKind};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftNum, FftPlannerAvx, FftPlannerNeon};
use std::ops::Range;
use std::sync::Arc;

/// Picoseconds per element, multiplied by the logarithm of the length.
const ELEMENT_PICOSECONDS: u64 = 400;

/// Bytes of adjacent lines that are read and written together: a cache line.
const GROUP_BYTES: usize = 64;

/// The real numbers that transforms are computed in.
pub(super) trait Real: FftNum {
    /// Returns the nearest number of this type.
    fn rounded(x: f64) -> Self;
    fn wide(self) -> f64;
}

impl Real for f32 {
    fn rounded(x: f64) -> f32 {
        x as f32
    }

    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn rounded(x: f64) -> f64 {
        x
    }

    fn wide(self) -> f64 {
        self
    }
}

/// Where the lines of a stage are stored: elements of the operand's or the result's type, or complex numbers between the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LineStorage {
    Operand,
    Buffer,
    Result,
}

/// What a stage reads and writes along its axis.
enum Lines<T: Real> {
    /// The same number of complex numbers on both sides.
    Whole(Arc<dyn Fft<T>>),
    /// Real numbers and the first half of their coefficients, in either direction.
    Half(Half<T>),
}

/// The transforms along one axis.
struct Stage<T: Real> {
    lines: Lines<T>,
    /// Length of the transform.
    n: usize,
    places: [LineStorage; 2],
    /// Distance between the elements of a line; 1 if a half spectrum is read or written.
    stride: usize,
    /// The number of sets of lines; the lines of a set have the same indices along all axes before this one.
    sets: usize,
    /// The factor of results: the inverse of the product of all lengths, in the last stage of an inverse transform.
    factor: Option<T>,
}

struct Fourier<T: Real> {
    stages: Vec<Stage<T>>,
    /// Size in bytes of the array between stages that do not fit into the result.
    buffer_bytes: usize,
    task_bytes: usize,
    scratch_bytes: usize,
}

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        Fft => Way::Kernel(prepare),
        _ => return None,
    })
}

/// Prepares the kernel of a transform.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match cx.operand(0).dtype().real() {
        DType::F64 => kernel::<f64>(cx),
        _ => kernel::<f32>(cx),
    }
}

fn kernel<T: Real>(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let &Op::Fft { kind, ref lengths } = cx.node.op() else { return missing(cx) };
    let (mut shape, out) = (cx.dims(0), cx.out_dims());
    if out.contains(&0) {
        let (stages, bytes) = (Vec::<Stage<T>>::new(), 0);
        return Ok(Box::new(Fourier {
            stages,
            buffer_bytes: bytes,
            task_bytes: bytes,
            scratch_bytes: bytes,
        }));
    }
    let last = shape.len() - 1;
    let others = shape.len() - lengths.len()..last;
    // A half spectrum is smaller than the real sequence, so the forward transform handles the last axis first.
    let axes: Vec<usize> = match kind {
        FftKind::Rfft => [last].into_iter().chain(others).collect(),
        _ => others.chain([last]).collect(),
    };
    let inverse = matches!(kind, FftKind::Ifft | FftKind::Irfft);
    let total: f64 = lengths.iter().map(|&n| n as f64).product();
    let mut stages = Vec::with_capacity(axes.len());
    let mut buffer = 0;
    for (i, &axis) in axes.iter().enumerate() {
        let half = axis == last && matches!(kind, FftKind::Rfft | FftKind::Irfft);
        let n = lengths[axis + lengths.len() - shape.len()];
        let end = i + 1 == axes.len();
        let between = |elements: &[usize]| match kind {
            FftKind::Irfft => (LineStorage::Buffer, elements.iter().product()),
            _ => (LineStorage::Result, 0),
        };
        let source = if i == 0 { LineStorage::Operand } else { between(&shape).0 };
        let sets = shape[..axis].iter().product();
        shape[axis] = out[axis];
        let target = if end { LineStorage::Result } else { between(&shape).0 };
        buffer = buffer.max(if end { 0 } else { between(&shape).1 });
        let lines = if half {
            let [transform, roots] = half::tables(n);
            take_tables::<T>(cx, transform, roots)?;
            Lines::Half(Half::new(cx.cpu, n, inverse))
        } else {
            take_tables::<T>(cx, n, 0)?;
            Lines::Whole(plan(cx.cpu, n, inverse))
        };
        stages.push(Stage {
            lines,
            n,
            places: [source, target],
            stride: shape[axis + 1..].iter().product(),
            sets,
            factor: (inverse && end).then(|| T::rounded(1.0 / total)),
        });
    }
    let sizes = || {
        let buffer_bytes = bytes_of::<T>(buffer)?;
        let each = stages.iter().map(Stage::scratch_bytes).collect::<Option<Vec<usize>>>()?;
        let task_bytes = each.into_iter().max().unwrap_or(0);
        let scratch_bytes = task_bytes.checked_mul(cx.threads)?.checked_add(buffer_bytes)?;
        Some((buffer_bytes, task_bytes, scratch_bytes))
    };
    let Some((buffer_bytes, task_bytes, scratch_bytes)) = sizes() else {
        return Err(BackendError::Unsupported(format!(
            "`fft` of {} needs more working memory than can be addressed",
            cx.operand(0)
        )));
    };
    Ok(Box::new(Fourier { stages, buffer_bytes, task_bytes, scratch_bytes }))
}

/// Reserves memory in the budget for the tables of transforms of length `n` and for `roots` further roots of unity. Lengths with large
/// prime factors are transformed as convolutions of a larger length.
fn take_tables<T>(cx: &PrepareContext<'_>, n: usize, roots: usize) -> Result<(), BackendError> {
    let what = || format!("the tables of {}", cx.described());
    if cx.cpu.isa() == Isa::Baseline {
        let [tables, work] = Plain::bytes(n);
        cx.budget.check(tables.saturating_add(work.saturating_mul(cx.threads)), what)?;
        return cx.budget.take(tables.saturating_add(roots.saturating_mul(size_of::<Complex<T>>())), what);
    }
    let mut rest = n;
    for prime in [2, 3, 5, 7, 11] {
        while rest > 1 && rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    // Complex numbers per element while the tables are being made, and afterwards. Measured for all kinds of lengths up to 2²³.
    let [made, kept] = if rest == 1 { [3, 2] } else { [11, 6] };
    let bytes = |numbers: usize| {
        n.saturating_mul(numbers).saturating_add(roots).saturating_mul(size_of::<Complex<T>>())
    };
    cx.budget.check(bytes(made), what)?;
    cx.budget.take(bytes(kept), what)
}

/// Returns the transform of length `n` in the instruction set that the kernels use.
fn plan<T: Real>(cpu: Cpu, n: usize, inverse: bool) -> Arc<dyn Fft<T>> {
    let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
    let vector = match cpu.isa() {
        Isa::Avx2 | Isa::Avx512 | Isa::Amx => FftPlannerAvx::new().ok().map(|mut p| p.plan_fft(n, direction)),
        Isa::Neon => FftPlannerNeon::new().ok().map(|mut p| p.plan_fft(n, direction)),
        Isa::Baseline => None,
    };
    vector.unwrap_or_else(|| Arc::new(Plain::new(n, direction)))
}

/// Returns the bytes of `len` complex numbers, rounded up to whole cache lines.
fn bytes_of<T>(len: usize) -> Option<usize> {
    len.checked_mul(size_of::<Complex<T>>())?.checked_next_multiple_of(ALIGNMENT)
}

impl<T: Real> Stage<T> {
    /// Number of lines that are processed together.
    fn group(&self) -> usize {
        (GROUP_BYTES / size_of::<Complex<T>>()).min(self.stride)
    }

    /// Number of elements for a task's lines, if they are copied, and for the working memory of the transform itself.
    fn work(&self) -> [usize; 2] {
        match &self.lines {
            Lines::Half(half) => half.work(),
            Lines::Whole(fft) if self.stride == 1 => {
                [0, fft.get_inplace_scratch_len().max(fft.get_immutable_scratch_len())]
            }
            Lines::Whole(fft) => [self.n.saturating_mul(self.group()), fft.get_inplace_scratch_len()],
        }
    }

    fn scratch_bytes(&self) -> Option<usize> {
        let [lines, work] = self.work();
        bytes_of::<T>(lines)?.checked_add(bytes_of::<T>(work)?)
    }

    /// Number of groups of adjacent lines. A task has at least one group.
    fn groups(&self) -> usize {
        self.sets * self.stride.div_ceil(self.group())
    }

    fn nanoseconds(&self) -> u64 {
        let elements = (self.sets as u64).saturating_mul(self.stride as u64).saturating_mul(self.n as u64);
        elements.saturating_mul(ELEMENT_PICOSECONDS * u64::from(self.n.max(2).ilog2())) / 1_000
    }

    /// # Safety
    /// `from` and `to` hold this stage's lines, aligned to their elements, and no other task writes those of group `which`; `scratch`
    /// belongs to this task. The two are the same memory or do not overlap.
    unsafe fn one(&self, from: *const u8, to: *mut u8, which: usize, scratch: *mut u8) {
        let [lines, work] = self.work();
        let scratch = scratch.cast::<Complex<T>>();
        // SAFETY: the scratch memory has room for both lists of plain numbers, and the second begins on a cache line.
        let (lines, work) = unsafe {
            let behind = scratch.byte_add((lines * size_of::<Complex<T>>()).next_multiple_of(ALIGNMENT));
            (std::slice::from_raw_parts_mut(scratch, lines), std::slice::from_raw_parts_mut(behind, work))
        };
        let fft = match &self.lines {
            // SAFETY: the caller's promise; the lines of half spectra are contiguous.
            Lines::Half(half) => return unsafe { half.line(from, to, which, self.factor, [lines, work]) },
            Lines::Whole(fft) => fft,
        };
        let groups = self.stride.div_ceil(self.group());
        let (set, first) = (which / groups, which % groups * self.group());
        let count = self.group().min(self.stride - first);
        let (from, to) = (from.cast::<Complex<T>>(), to.cast::<Complex<T>>());
        let at = set * self.n * self.stride + first;
        if self.stride == 1 {
            // SAFETY: the caller's promise; only its task reads and writes a line.
            let line = unsafe { std::slice::from_raw_parts_mut(to.add(at), self.n) };
            if std::ptr::eq(from, to) {
                fft.process_with_scratch(line, &mut work[..fft.get_inplace_scratch_len()]);
            } else {
                // SAFETY: as for the line that is written, which is elsewhere.
                let source = unsafe { std::slice::from_raw_parts(from.add(at), self.n) };
                fft.process_immutable_with_scratch(
                    source,
                    line,
                    &mut work[..fft.get_immutable_scratch_len()],
                );
            }
            if let Some(factor) = self.factor {
                line.iter_mut().for_each(|z| *z = z.scale(factor));
            }
            return;
        }
        let lines = &mut lines[..count * self.n];
        for k in 0..self.n {
            // SAFETY: the caller's promise.
            let row = unsafe { std::slice::from_raw_parts(from.add(at + k * self.stride), count) };
            row.iter().enumerate().for_each(|(line, &z)| lines[line * self.n + k] = z);
        }
        fft.process_with_scratch(lines, work);
        let factor = self.factor.unwrap_or_else(T::one);
        for k in 0..self.n {
            // SAFETY: the caller's promise; these elements belong to the lines of this group.
            let row = unsafe { std::slice::from_raw_parts_mut(to.add(at + k * self.stride), count) };
            row.iter_mut().enumerate().for_each(|(line, z)| *z = lines[line * self.n + k].scale(factor));
        }
    }
}

impl<T: Real> OpKernel for Fourier<T> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        // After the memory of the tasks.
        let buffer_at = self.scratch_bytes - self.buffer_bytes;
        for stage in &self.stages {
            let body = |cx: &LaunchContext<'_>, groups: Range<usize>, scratch: *mut u8| {
                let [from, to] = stage.places.map(|place| match place {
                    LineStorage::Operand => cx.input_ptr(0).cast_mut(),
                    LineStorage::Buffer => cx.scratch_ptr().wrapping_add(buffer_at),
                    LineStorage::Result => cx.output_ptr(0),
                });
                // SAFETY: operand, buffer and result hold the lines, which are aligned; each is read and written only by the task that has
                // its group.
                groups.for_each(|which| unsafe { stage.one(from, to, which, scratch) });
            };
            // SAFETY: ranges of groups have no line in common, so tasks write different elements.
            unsafe { threads::for_ranges(cx, self.task_bytes, stage.nanoseconds(), stage.groups(), 1, body) };
        }
        Ok(())
    }
}
