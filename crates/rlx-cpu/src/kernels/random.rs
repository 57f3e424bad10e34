//! Kernels of random bits: blocks of a counter-based generator, computed on any thread.

use super::elementwise::threads;
use super::{PrepareContext, Way, sizes};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::simd::{Kernel, Simd};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::math::random::{Algorithm, BitWidth, Draw, threefry2x32_lanes};
use rlx_ir::{Op, OpKind, RngAlgorithm};
use std::ops::Range;

/// Picoseconds for a block of Threefry when it is computed together with others, and for storing a block of a generator.
const BLOCK_PICOSECONDS: u64 = 5_000;
const DRAW_PICOSECONDS: u64 = 20_000;
const LANES: usize = 16;
/// Number of words in the longest state.
const STATE_WORDS: usize = 3;

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        RngBits | Threefry2x32 => Way::Kernel(prepare),
        _ => return None,
    })
}

/// Prepares the kernel of a generator or of its block function.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let Op::RngBits { algorithm, shape } = cx.node.op() else {
        return Ok(Box::new(Threefry { len: sizes(cx.node.shape()).iter().product() }));
    };
    let algorithm = match algorithm {
        RngAlgorithm::Threefry => Algorithm::ThreeFry,
        RngAlgorithm::Philox => Algorithm::Philox,
    };
    let size = shape.dtype().size();
    let width = match size {
        1 => BitWidth::W8,
        2 => BitWidth::W16,
        4 => BitWidth::W32,
        _ => BitWidth::W64,
    };
    let words = cx.dims(0).iter().product();
    let draw = Draw::new(algorithm, words, &sizes(&cx.node.results()[1]), width).ok_or_else(|| {
        BackendError::Unsupported(format!("`rng_bits` cannot use a state of {words} words"))
    })?;
    Ok(Box::new(Bits { draw, width, words }))
}

struct Bits {
    draw: Draw,
    /// Number of words in the state.
    words: usize,
    width: BitWidth,
}

/// Some blocks of a draw.
struct Blocks<'k> {
    draw: &'k Draw,
    width: BitWidth,
    state: &'k [u64],
    blocks: Range<usize>,
    out: *mut u8,
}

impl Kernel for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Blocks { draw, width, state, blocks, out } = self;
        // SAFETY: the elements of the blocks lie in the result, whose elements have this width.
        unsafe {
            match width {
                BitWidth::W8 => draw.blocks_of(state, blocks, |i, bits| out.add(i).write(bits as u8)),
                BitWidth::W16 => {
                    draw.blocks_of(state, blocks, |i, bits| out.cast::<u16>().add(i).write(bits as u16));
                }
                BitWidth::W32 => {
                    draw.blocks_of(state, blocks, |i, bits| out.cast::<u32>().add(i).write(bits as u32));
                }
                BitWidth::W64 => {
                    draw.blocks_of(state, blocks, |i, bits| out.cast::<u64>().add(i).write(bits))
                }
            }
        }
    }
}

impl OpKernel for Bits {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let count = self.draw.blocks();
        let nanoseconds = (count as u64).saturating_mul(DRAW_PICOSECONDS) / 1_000;
        let body = |cx: &LaunchContext<'_>, blocks: Range<usize>, _: *mut u8| {
            let (state, out) = (cx.input::<u64>(0), cx.output_ptr(1));
            cx.cpu.dispatch(Blocks { draw: &self.draw, width: self.width, state, blocks, out });
        };
        // SAFETY: no two blocks compute the same element.
        unsafe { threads::for_ranges(cx, 0, nanoseconds, count, 4 * LANES, body) };
        let mut next = [0; STATE_WORDS];
        let next = &mut next[..self.words];
        self.draw.next_state(cx.input(0), next);
        cx.output(0).copy_from_slice(next);
        Ok(())
    }
}

struct Threefry {
    len: usize,
}

/// Some elements of the block function.
struct Elements {
    keys: [*const u32; 2],
    counters: [*const u32; 2],
    out: [*mut u32; 2],
    range: Range<usize>,
}

impl Kernel for Elements {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Range { start, end } = self.range;
        let whole = start + (end - start) / LANES * LANES;
        // SAFETY: the range lies in operands and results of one shape.
        unsafe {
            for at in (start..whole).step_by(LANES) {
                let load = |from: *const u32| from.add(at).cast::<[u32; LANES]>().read_unaligned();
                let made = threefry2x32_lanes(self.keys.map(load), self.counters.map(load));
                let pairs = self.out.into_iter().zip(made);
                pairs.for_each(|(to, x)| to.add(at).cast::<[u32; LANES]>().write_unaligned(x));
            }
            for at in whole..end {
                let load = |from: *const u32| [from.add(at).read()];
                let made = threefry2x32_lanes(self.keys.map(load), self.counters.map(load));
                self.out.into_iter().zip(made).for_each(|(to, [x])| to.add(at).write(x));
            }
        }
    }
}

impl OpKernel for Threefry {
    fn needs(&self) -> Needs {
        // An element is read before it is written.
        Needs { scratch_bytes: 0, in_place: vec![2, 3, 0, 1] }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let nanoseconds = (self.len as u64).saturating_mul(BLOCK_PICOSECONDS) / 1_000;
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, _: *mut u8| {
            let from = |i: usize| cx.input_ptr(i).cast::<u32>();
            cx.cpu.dispatch(Elements {
                keys: [from(0), from(1)],
                counters: [from(2), from(3)],
                out: [cx.output_ptr(0).cast(), cx.output_ptr(1).cast()],
                range,
            });
        };
        // SAFETY: each element belongs to one range, which alone writes it.
        unsafe { threads::for_ranges(cx, 0, nanoseconds, self.len, LANES, body) };
        Ok(())
    }
}
