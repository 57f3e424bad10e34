//! Computes the product of one row of activations, and reads each byte of a panel once. The numbers are those of the tile, bit for bit.

use crate::activations::Scale;
use crate::lanes::{Lanes, Work};
use crate::layout::{ForFormat, GROUP, PanelFormat, ROWS};
use crate::tile::{CHUNK, SPAN, Totals};
use crate::unpack;
use crate::weights::PackedWeights;
use rlx_quant::Format;
use std::ops::Range;

/// How far ahead of their use bytes are prefetched: outside of huge pages, hardware does not read ahead across pages.
const AHEAD: usize = 4096;

/// The product of some panels and a row of activations.
pub(crate) struct Stream<'a> {
    pub(crate) weights: &'a PackedWeights,
    pub(crate) panels: Range<usize>,
    /// The activations, with a factor for each [`GROUP`] of them.
    pub(crate) bytes: &'a [i8],
    pub(crate) scales: &'a [Scale],
    /// The elements of the result for these panels.
    pub(crate) out: &'a mut [f32],
}

impl Work for Stream<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        if !L::STREAMS {
            return;
        }
        PanelFormat::compiled_for(self.weights.scheme, StreamIn { lanes, of: self });
    }
}

/// Asks whether an instruction set computes such products.
pub(crate) struct IsMade;

impl Work for IsMade {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> bool {
        L::STREAMS
    }
}

/// [`Stream`] with an instruction set.
struct StreamIn<'a, L> {
    lanes: L,
    of: Stream<'a>,
}

impl<L: Lanes> ForFormat for StreamIn<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run<F: Format>(self) {
        let layout = const { PanelFormat::of(F::SCHEME) };
        let (lanes, Stream { weights, panels, bytes, scales, out }) = (self.lanes, self.of);
        let groups = layout.block / GROUP;
        for (panel, out) in panels.zip(out.chunks_mut(ROWS)) {
            let mut from = weights.panel(panel);
            let mut totals = [Totals::default(); ROWS];
            let mut sums = [0.0; ROWS];
            for (bytes, scales) in bytes.chunks(SPAN).zip(scales.chunks(SPAN / GROUP)) {
                let mut of_span = lanes.floats(0.0);
                for (bytes, scales) in bytes.chunks(CHUNK).zip(scales.chunks(CHUNK / GROUP)) {
                    let mut sum = lanes.floats(0.0);
                    let blocks = bytes.chunks_exact(layout.block).zip(scales.chunks_exact(groups));
                    for (bytes, scales) in blocks {
                        // SAFETY: panels have a block for this many activations, and slices have the size of a block of the layout.
                        sum = unsafe { block(lanes, layout, from, bytes.as_ptr(), scales.as_ptr(), sum) };
                        from = from.wrapping_add(layout.places.end);
                    }
                    of_span = lanes.add_floats(of_span, sum);
                }
                // SAFETY: the array has the 64 bytes of a vector.
                unsafe { lanes.store_floats(of_span, sums.as_mut_ptr()) };
                if weights.depth > SPAN {
                    totals.iter_mut().zip(sums).for_each(|(total, sum)| total.add([sum]));
                }
            }
            if weights.depth > SPAN {
                sums = totals.map(|total| total.get()[0]);
            }
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}

/// Returns `sum` plus the products of a block.
///
/// # Safety
/// All pointers are valid for a block of the layout.
#[inline(always)]
unsafe fn block<L: Lanes>(
    lanes: L,
    layout: &'static PanelFormat,
    from: *const u8,
    bytes: *const i8,
    scales: *const Scale,
    mut sum: L::Floats,
) -> L::Floats {
    let (groups, lines) = (layout.block / GROUP, layout.places.end.div_ceil(layout.block / GROUP * 64));
    // SAFETY: the caller vouches for a block.
    unsafe {
        let factors = Factors::of(lanes, layout, from);
        for group in 0..groups {
            for line in 0..lines {
                lanes.prefetch(from.wrapping_add(AHEAD + (group * lines + line) * 64));
            }
            let Scale { factor, sums, offsets, offset } = *scales.add(group);
            let codes = unpack::codes(lanes, layout, from, group);
            let x = bytes.add(group * GROUP);
            let lowest = |sum: i32| lanes.ints(layout.lowest * sum);
            if layout.part == GROUP {
                let dot = dot(lanes, layout, lowest(sums[0] + sums[1]), &codes[..4], x);
                let dot =
                    lanes.add_ints(dot, self::dot(lanes, layout, lanes.ints(0), &codes[4..], x.add(16)));
                sum = factors.add(group, dot, factor, offset, sum);
            } else {
                let first = dot(lanes, layout, lowest(sums[0]), &codes[..4], x);
                sum = factors.add(2 * group, first, factor, offsets[0], sum);
                let second = dot(lanes, layout, lowest(sums[1]), &codes[4..], x.add(16));
                sum = factors.add(2 * group + 1, second, factor, offsets[1], sum);
            }
        }
    }
    sum
}

/// Returns `sum` plus the products of 16 values of each row.
#[inline(always)]
unsafe fn dot<L: Lanes>(
    lanes: L,
    layout: &'static PanelFormat,
    mut sum: L::Ints,
    codes: &[L::Bytes],
    x: *const i8,
) -> L::Ints {
    for (four, &codes) in codes.iter().enumerate() {
        // SAFETY: the caller vouches for that many activations.
        let x = unsafe { x.add(four * 4).cast::<i32>().read_unaligned() };
        sum =
            if layout.is_wide { lanes.dot::<true>(sum, codes, x) } else { lanes.dot::<false>(sum, codes, x) };
    }
    sum
}

/// The factors of a block of a panel.
struct Factors<L: Lanes> {
    lanes: L,
    layout: &'static PanelFormat,
    from: *const u8,
    whole: L::Floats,
    min_whole: L::Floats,
}

impl<L: Lanes> Factors<L> {
    /// Returns the factors of the block at `from`.
    #[inline(always)]
    unsafe fn of(lanes: L, layout: &'static PanelFormat, from: *const u8) -> Factors<L> {
        // SAFETY: the caller vouches for a block.
        unsafe {
            let whole = unpack::whole(lanes, layout, from);
            let min_whole = if layout.min.is_some() { unpack::min_whole(lanes, layout, from) } else { whole };
            Factors { lanes, layout, from, whole, min_whole }
        }
    }

    /// Returns `sum` plus the products of part `p`, given their sum as an integer, the factor of the activations, and the activations' sum.
    #[inline(always)]
    unsafe fn add(&self, p: usize, dot: L::Ints, factor: f32, offset: f32, sum: L::Floats) -> L::Floats {
        let Factors { lanes, layout, from, whole, min_whole } = *self;
        // SAFETY: the code that created this vouches for the block.
        unsafe {
            let part = unpack::part(lanes, layout.factor, from.add(layout.places.factors), p, whole);
            let x = lanes.mul(lanes.to_floats(dot), lanes.floats(factor));
            let sum = lanes.mul_add(x, part, sum);
            let Some(min) = layout.min else { return sum };
            let min = unpack::part(lanes, min, from.add(layout.places.mins), p, min_whole);
            lanes.mul_add(lanes.floats(offset), min, sum)
        }
    }
}
