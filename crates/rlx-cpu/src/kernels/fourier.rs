//! Discrete Fourier transforms: stages along one axis each, lines shared between threads. Numbers are complex f64 from the
//! first stage to the last, and are rounded once, as the evaluator does.

use super::elementwise::threads;
use super::{Site, missing};
use crate::exec::{Cx, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::math::Complex64;
use rlx_ir::math::fft::{Plan, complete_half};
use rlx_ir::{DType, FftKind, Op};
use std::ops::Range;

/// Picoseconds of an element, times the logarithm of the length.
const ELEMENT_PICOSECONDS: u64 = 2_500;

/// Where the lines of a stage are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// The operand or the result, with its element type.
    Outside(DType),
    /// Complex f64 in scratch memory.
    Buffer,
}

/// The transforms along one axis.
struct Stage {
    plan: Plan,
    /// Length of the transform, and of its lines where it reads and writes.
    n: usize,
    lengths: [usize; 2],
    places: [Place; 2],
    inverse: bool,
    /// The lines are the first coefficients of real sequences.
    half: bool,
    /// Elements between neighbours of a line.
    stride: usize,
    lines: usize,
}

struct Fft {
    stages: Vec<Stage>,
    /// Elements of the largest array between stages.
    buffer: usize,
    threads: usize,
}

/// The kernel of a transform.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let &Op::Fft { kind, ref lengths } = site.node.op() else { return missing(site) };
    let (dims, out) = (site.dims(0), site.out_dims());
    if out.contains(&0) {
        return Ok(Box::new(Fft { stages: Vec::new(), buffer: 0, threads: 1 }));
    }
    let last = dims.len() - 1;
    let others = dims.len() - lengths.len()..last;
    let axes: Vec<usize> = match kind {
        FftKind::Rfft => [last].into_iter().chain(others).collect(),
        _ => others.chain([last]).collect(),
    };
    let mut shape = dims.clone();
    let mut stages = Vec::with_capacity(axes.len());
    let mut buffer = 0;
    for (i, &axis) in axes.iter().enumerate() {
        let real = axis == last && matches!(kind, FftKind::Rfft | FftKind::Irfft);
        let (from, to) = (shape[axis], out[axis]);
        let n = lengths[axis + lengths.len() - dims.len()];
        let elements: usize = shape.iter().product();
        shape[axis] = to;
        let place = |end: bool, dtype| if end { Place::Outside(dtype) } else { Place::Buffer };
        let source = place(i == 0, site.operand(0).dtype());
        let target = place(i + 1 == axes.len(), site.node.shape().dtype());
        if target == Place::Buffer {
            buffer = buffer.max(shape.iter().product());
        }
        stages.push(Stage {
            plan: Plan::new(n),
            n,
            lengths: [from, to],
            places: [source, target],
            inverse: matches!(kind, FftKind::Ifft | FftKind::Irfft),
            half: real && kind == FftKind::Irfft,
            stride: shape[axis + 1..].iter().product(),
            lines: elements / from,
        });
    }
    Ok(Box::new(Fft { stages, buffer, threads: site.threads }))
}

impl Stage {
    /// Scratch bytes of a task: a line, and what the plan works with.
    fn scratch_bytes(&self) -> usize {
        ((self.n + self.plan.work()) * size_of::<Complex64>()).next_multiple_of(ALIGNMENT)
    }

    fn nanoseconds(&self) -> u64 {
        let elements = (self.lines as u64).saturating_mul(self.n as u64);
        elements.saturating_mul(ELEMENT_PICOSECONDS * u64::from(self.n.max(2).ilog2())) / 1_000
    }

    /// # Safety
    /// `from` and `to` hold this stage's lines; `line` is one of them, which no other task writes. `scratch` is this
    /// task's.
    unsafe fn one(&self, from: *const u8, to: *mut u8, line: usize, scratch: *mut u8) {
        let first =
            |which: usize| line / self.stride * self.lengths[which] * self.stride + line % self.stride;
        // SAFETY: the caller's promise; any bytes are numbers.
        unsafe {
            let start = scratch.cast::<Complex64>();
            let data = std::slice::from_raw_parts_mut(start, self.n);
            let work = std::slice::from_raw_parts_mut(start.add(self.n), self.plan.work());
            read(self.places[0], from, first(0), self.stride, &mut data[..self.lengths[0]]);
            if self.half {
                complete_half(data);
            }
            if self.inverse {
                self.plan.inverse(data, work);
            } else {
                self.plan.forward(data, work);
            }
            write(self.places[1], to, first(1), self.stride, &data[..self.lengths[1]]);
        }
    }
}

/// Reads a line.
///
/// # Safety
/// The line lies behind `from`, whose elements are of the place's type.
unsafe fn read(place: Place, from: *const u8, first: usize, stride: usize, line: &mut [Complex64]) {
    macro_rules! each {
        ($t:ty, $x:ident => $number:expr) => {
            for (k, to) in line.iter_mut().enumerate() {
                // SAFETY: the caller's promise; no alignment is assumed.
                let $x = unsafe { from.cast::<$t>().add(first + k * stride).read_unaligned() };
                *to = $number;
            }
        };
    }
    match place {
        Place::Outside(DType::F32) => each!(f32, x => Complex64::new(x.into(), 0.0)),
        Place::Outside(DType::F64) => each!(f64, x => Complex64::new(x, 0.0)),
        Place::Outside(DType::C64) => each!([f32; 2], x => Complex64::new(x[0].into(), x[1].into())),
        _ => each!([f64; 2], x => Complex64::new(x[0], x[1])),
    }
}

/// Writes a line; of a complex number that becomes a real one its real part.
///
/// # Safety
/// As for [`read`].
unsafe fn write(place: Place, to: *mut u8, first: usize, stride: usize, line: &[Complex64]) {
    macro_rules! each {
        ($t:ty, $z:ident => $number:expr) => {
            for (k, $z) in line.iter().enumerate() {
                // SAFETY: the caller's promise; no alignment is assumed.
                unsafe { to.cast::<$t>().add(first + k * stride).write_unaligned($number) };
            }
        };
    }
    match place {
        Place::Outside(DType::F32) => each!(f32, z => z.re as f32),
        Place::Outside(DType::F64) => each!(f64, z => z.re),
        Place::Outside(DType::C64) => each!([f32; 2], z => [z.re as f32, z.im as f32]),
        _ => each!([f64; 2], z => [z.re, z.im]),
    }
}

impl Fft {
    fn task_bytes(&self) -> usize {
        self.stages.iter().map(Stage::scratch_bytes).max().unwrap_or(0)
    }
}

impl OpKernel for Fft {
    fn needs(&self) -> Needs {
        let scratch_bytes = self.task_bytes() * self.threads + self.buffer * size_of::<Complex64>();
        Needs { scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        let task_bytes = self.task_bytes();
        let buffer_at = task_bytes * self.threads;
        for stage in &self.stages {
            let body = |cx: &Cx<'_>, lines: Range<usize>, scratch: *mut u8| {
                let buffer = cx.scratch_ptr().wrapping_add(buffer_at);
                let from = if stage.places[0] == Place::Buffer { buffer } else { cx.input_ptr(0).cast_mut() };
                let to = if stage.places[1] == Place::Buffer { buffer } else { cx.output_ptr(0) };
                // SAFETY: operand, buffer and result hold the lines; each is read and written by one task.
                lines.for_each(|line| unsafe { stage.one(from, to, line, scratch) });
            };
            // SAFETY: the results of a line are written by the range that has it alone, and the stages run one after
            // another.
            unsafe { threads::for_ranges(cx, task_bytes, stage.nanoseconds(), stage.lines, 1, body) };
        }
        Ok(())
    }
}
