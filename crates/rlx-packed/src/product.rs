//! Computes the product: activations are quantized, then tasks take panels and process a few blocks at a time.

use crate::activations::{Scale, quantize};
use crate::lanes::{Lanes, Work, dispatch};
use crate::layout::{GROUP, PanelFormat, ROWS};
use crate::stream::{IsMade, Stream};
use crate::tile::{CHUNK, SPAN, TileOperands, Totals, tile};
use crate::unpack::{Unpacked, unpack};
use crate::weights::{Blocks, PackedWeights};
use rlx_driver::LINE;
use rlx_pool::{Pool, SharedPtr};
use rlx_quant::QuantScheme;
use rlx_simd::isa::Cpu;
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The maximum number of panels in any tile.
const MOST_PANELS: usize = 2;

/// Approximate bytes of panels in a task of a product of one row, and approximate bytes per nanosecond.
const STREAMED: usize = 128 << 10;
const BYTES_PER_NANOSECOND: u64 = 16;

/// Bytes of codes that a thread unpacks at a time.
const CODES: usize = MOST_PANELS * CHUNK * ROWS;
/// Number of factors that a thread unpacks at a time, and of minimums.
const FACTORS: usize = MOST_PANELS * CHUNK;

/// A product X · Wᵀ of `rows` rows, planned for some number of threads.
#[derive(Clone, Copy, Debug)]
pub struct PackedProduct {
    cpu: Cpu,
    rows: usize,
    depth: usize,
    threads: usize,
    /// Bytes of a panel that a thread packs for itself; 0 if it packs none.
    panel_bytes: usize,
}

/// Why a product cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProductError {
    /// Operands, result or scratch memory are smaller than the product was planned for.
    Size {
        /// Which of them.
        operand: &'static str,
        /// Elements needed.
        needed: usize,
        /// Elements given.
        given: usize,
    },
}

impl fmt::Display for ProductError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProductError::Size { operand, needed, given } = self;
        write!(f, "a product with packed weights needs {needed} elements of {operand}, but got {given}")
    }
}

impl std::error::Error for ProductError {}

impl PackedProduct {
    /// Plans a product of `rows` rows of `depth` values for up to `threads` threads.
    pub fn new(cpu: Cpu, rows: usize, depth: usize, threads: usize) -> PackedProduct {
        PackedProduct { cpu, rows, depth, threads: threads.max(1), panel_bytes: 0 }
    }

    /// Adds scratch memory for weights that are stored as in a file, in blocks of this format. A few panels at a time are packed there, and
    /// are not kept.
    pub fn for_blocks(self, scheme: QuantScheme) -> PackedProduct {
        PackedProduct { panel_bytes: PanelFormat::of(scheme).panel_bytes(self.depth), ..self }
    }

    /// Returns the processor that it was planned for.
    pub fn cpu(&self) -> Cpu {
        self.cpu
    }

    /// Returns the bytes of scratch memory for a run, at any alignment, or the maximum if that does not fit a `usize`.
    pub fn scratch_bytes(&self) -> usize {
        let all = self.thread_bytes().saturating_mul(self.threads);
        all.saturating_add(self.activation_bytes()).saturating_add(LINE)
    }

    fn activation_bytes(&self) -> usize {
        let rows = self.depth.saturating_add(self.depth / GROUP * size_of::<Scale>());
        rows.saturating_mul(self.rows).saturating_add(2 * LINE)
    }

    /// Number of sums of a task.
    fn sums(&self) -> usize {
        self.rows.saturating_mul(MOST_PANELS * ROWS)
    }

    /// Bytes of the totals of a task, if rows are longer than a span.
    fn totals_bytes(&self) -> usize {
        if self.depth > SPAN { self.sums().saturating_mul(size_of::<Totals>()) } else { 0 }
    }

    fn thread_bytes(&self) -> usize {
        let sums = self.sums().saturating_mul(size_of::<f32>()).saturating_add(self.totals_bytes());
        let panels = self.panel_bytes.saturating_mul(MOST_PANELS).saturating_add(LINE);
        let all = sums.saturating_add(CODES + 2 * FACTORS * size_of::<f32>()).saturating_add(panels);
        all.checked_next_multiple_of(LINE).unwrap_or(usize::MAX)
    }

    /// Computes `out = x · Wᵀ` with x `[rows, depth]` and out `[rows, n]`. The contents of `scratch` before and after have no meaning. The
    /// bits of the result do not depend on how the weights are stored.
    ///
    /// # Errors
    /// A [`ProductError`] if anything is too short, if the weights have another depth, or if they are blocks and the product was not
    /// planned [for blocks](Self::for_blocks).
    pub fn run<'w>(
        &self,
        pool: &Pool,
        x: &[f32],
        weights: impl Into<Weights<'w>>,
        out: &mut [f32],
        scratch: &mut [u8],
    ) -> Result<(), ProductError> {
        let weights = weights.into();
        if let Weights::Blocks(blocks) = weights {
            enough("scratch memory for a panel", blocks.layout().panel_bytes(self.depth), self.panel_bytes)?;
        }
        let (n, depth) = weights.size();
        enough("a row of the weights", self.depth, depth)?;
        enough("a row of x", depth, self.depth)?;
        enough("x", self.rows.saturating_mul(self.depth), x.len())?;
        enough("the result", self.rows.saturating_mul(n), out.len())?;
        enough("the scratch memory", self.scratch_bytes(), scratch.len())?;
        enough("threads", pool.threads(), self.threads)?;
        let start = scratch.as_mut_ptr().wrapping_add(scratch.as_ptr().align_offset(LINE));
        let scales = SharedPtr::new(start.cast::<Scale>());
        let scales_bytes = (self.rows * (self.depth / GROUP) * size_of::<Scale>()).next_multiple_of(LINE);
        let bytes = SharedPtr::new(start.wrapping_add(scales_bytes).cast::<i8>());
        let threads = SharedPtr::new(
            start.wrapping_add(scales_bytes + (self.rows * self.depth).next_multiple_of(LINE)),
        );
        let groups = self.depth / GROUP;
        pool.run_if_worth((self.rows * self.depth) as u64 / 2, self.rows, |task| {
            // SAFETY: the row's bytes and scales, which no other task writes, are inside the scratch memory.
            let (bytes, scales) = unsafe {
                let bytes = std::slice::from_raw_parts_mut(bytes.add(task.index * self.depth), self.depth);
                (bytes, std::slice::from_raw_parts_mut(scales.add(task.index * groups), groups))
            };
            dispatch(self.cpu, Quantize { row: &x[task.index * self.depth..][..self.depth], bytes, scales });
        });
        let out = SharedPtr::new(out.as_mut_ptr());
        let panels = n.div_ceil(ROWS);
        if let (1, Weights::Packed(weights)) = (self.rows, weights)
            && dispatch(self.cpu, IsMade)
        {
            self.stream(pool, weights, bytes, scales, out);
            return Ok(());
        }
        let nanoseconds = (n as u64).saturating_mul(self.depth as u64).saturating_mul(self.rows as u64) / 32;
        pool.run_if_worth(nanoseconds, panels.div_ceil(MOST_PANELS), |task| {
            let scratch = threads.add(task.worker * self.thread_bytes());
            let panels = Panels {
                product: self,
                weights,
                first: task.index * MOST_PANELS,
                bytes: bytes.get(),
                scales: scales.get(),
                out: out.get(),
                scratch,
            };
            dispatch(self.cpu, panels);
        });
        Ok(())
    }

    /// Computes the product of one row from its bytes and scales.
    fn stream(
        &self,
        pool: &Pool,
        weights: &PackedWeights,
        bytes: SharedPtr<i8>,
        scales: SharedPtr<Scale>,
        out: SharedPtr<f32>,
    ) {
        let (n, panels) = (weights.rows, weights.rows.div_ceil(ROWS));
        let at_a_time =
            (STREAMED / weights.panel_bytes().max(1)).clamp(1, panels.div_ceil(4 * self.threads).max(1));
        let nanoseconds = weights.bytes() as u64 / BYTES_PER_NANOSECOND;
        pool.run_if_worth(nanoseconds, panels.div_ceil(at_a_time), |task| {
            let panels = task.index * at_a_time..panels.min((task.index + 1) * at_a_time);
            let columns = panels.start * ROWS..n.min(panels.end * ROWS);
            // SAFETY: `run` has checked sizes and written bytes and scales; these columns of the result belong to this task.
            let (bytes, scales, out) = unsafe {
                let bytes = std::slice::from_raw_parts(bytes.get(), self.depth);
                let scales = std::slice::from_raw_parts(scales.get(), self.depth / GROUP);
                (bytes, scales, std::slice::from_raw_parts_mut(out.add(columns.start), columns.len()))
            };
            dispatch(self.cpu, Stream { weights, panels, bytes, scales, out });
        });
    }
}

fn enough(operand: &'static str, needed: usize, given: usize) -> Result<(), ProductError> {
    if given < needed { Err(ProductError::Size { operand, needed, given }) } else { Ok(()) }
}

/// A row of activations that is to be quantized.
struct Quantize<'a> {
    row: &'a [f32],
    bytes: &'a mut [i8],
    scales: &'a mut [Scale],
}

impl Work for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        quantize(self.row, self.bytes, self.scales);
    }
}

/// The weights of a product.
#[derive(Clone, Copy)]
pub enum Weights<'a> {
    /// In panels.
    Packed(&'a PackedWeights),
    /// As they are stored in a file.
    Blocks(Blocks<'a>),
}

impl<'a> From<&'a PackedWeights> for Weights<'a> {
    fn from(weights: &'a PackedWeights) -> Weights<'a> {
        Weights::Packed(weights)
    }
}

impl<'a> From<Blocks<'a>> for Weights<'a> {
    fn from(weights: Blocks<'a>) -> Weights<'a> {
        Weights::Blocks(weights)
    }
}

impl Weights<'_> {
    /// Number of rows, and of values in each.
    fn size(self) -> (usize, usize) {
        match self {
            Weights::Packed(weights) => (weights.rows, weights.depth),
            Weights::Blocks(blocks) => (blocks.rows, blocks.depth),
        }
    }

    fn scheme(self) -> QuantScheme {
        match self {
            Weights::Packed(weights) => weights.scheme,
            Weights::Blocks(blocks) => blocks.scheme,
        }
    }
}

/// The product of all rows of activations and as many panels as a tile takes, starting at panel `first`.
struct Panels<'a> {
    product: &'a PackedProduct,
    weights: Weights<'a>,
    first: usize,
    bytes: *const i8,
    scales: *const Scale,
    out: *mut f32,
    scratch: *mut u8,
}

impl Work for Panels<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let layout = PanelFormat::of(self.weights.scheme());
        // SAFETY: `run` has checked sizes; the task's scratch memory, and the columns of the result that belong to its panels, are used by
        // this task only.
        unsafe {
            match (layout.part, layout.min.is_some(), layout.is_wide) {
                (16, false, _) => self.all::<L, true, false, false>(lanes),
                (16, true, _) => self.all::<L, true, true, false>(lanes),
                (_, false, false) => self.all::<L, false, false, false>(lanes),
                (_, false, true) => self.all::<L, false, false, true>(lanes),
                (_, true, _) => self.all::<L, false, true, false>(lanes),
            }
        }
    }
}

impl Panels<'_> {
    /// # Safety
    /// What the fields point to is valid, and only this task uses what is written.
    #[inline(always)]
    unsafe fn all<L: Lanes, const HALVES: bool, const MINS: bool, const WIDE: bool>(self, lanes: L) {
        let PackedProduct { rows, depth, .. } = *self.product;
        let (scheme, (n, _)) = (self.weights.scheme(), self.weights.size());
        let layout = PanelFormat::of(scheme);
        let step = MOST_PANELS * ROWS;
        let codes = self.scratch;
        let factors = codes.wrapping_add(CODES).cast::<f32>();
        let mins = factors.wrapping_add(FACTORS);
        let sums = mins.wrapping_add(FACTORS);
        // SAFETY: the scratch memory of a thread has room for all four.
        unsafe { std::slice::from_raw_parts_mut(sums, rows * step).fill(0.0) };
        let panels = (n.div_ceil(ROWS) - self.first).min(MOST_PANELS);
        let behind = sums.wrapping_add(rows * step);
        let in_scratch = behind.cast::<u8>().wrapping_add(self.product.totals_bytes());
        let long = depth > SPAN;
        // SAFETY: the scratch memory of a thread has room for totals after the sums if rows are long; they are written before they are
        // read.
        let totals = unsafe {
            let len = if long { rows * step } else { 0 };
            let totals = std::slice::from_raw_parts_mut(behind.cast::<MaybeUninit<Totals>>(), len);
            totals.fill(MaybeUninit::new(Totals::default()));
            std::slice::from_raw_parts_mut(behind.cast::<Totals>(), len)
        };
        // SAFETY: the scratch memory of a thread has room for panels after those.
        let (packed, panel_bytes) = unsafe { self.packed(panels, in_scratch) };
        if depth == 0 {
            // SAFETY: these columns of the result belong to this task.
            unsafe { self.write(sums, 0..rows, 0..panels) };
        }
        for from in (0..depth).step_by(CHUNK) {
            let chunk = CHUNK.min(depth - from);
            for panel in 0..panels {
                let target = Unpacked {
                    codes: codes.wrapping_add(panel * CHUNK * ROWS),
                    factors: factors.wrapping_add(panel * CHUNK),
                    mins: mins.wrapping_add(panel * CHUNK),
                };
                // SAFETY: the chunk consists of whole blocks of the panel, and fits the scratch memory.
                unsafe {
                    let at = packed.add(panel * panel_bytes + from / layout.block * layout.places.end);
                    unpack(self.product.cpu, scheme, at, chunk / layout.block, target)
                };
            }
            let whole = TileOperands {
                codes,
                codes_step: CHUNK * ROWS,
                factors,
                mins,
                factors_step: CHUNK,
                depth: chunk,
                lowest: layout.lowest,
                bytes: self.bytes.wrapping_add(from),
                bytes_step: depth,
                scales: self.scales.wrapping_add(from / GROUP),
                scales_step: depth / GROUP,
                sums,
                sums_step: step,
            };
            // The sums of a tile are written while the next tile is computed.
            let is_last = from + chunk == depth && !long;
            let done = |rows: Range<usize>, panels: Range<usize>| {
                if is_last {
                    // SAFETY: these columns of the result belong to this task.
                    unsafe { self.write(sums, rows, panels) };
                }
            };
            for panel in (0..panels).step_by(L::TILE_PANELS) {
                let columns = panel..panels.min(panel + L::TILE_PANELS);
                let done = |rows| done(rows, columns.clone());
                // SAFETY: rows, panels and depth are those of the operands.
                unsafe {
                    let o = whole.at_panel(panel);
                    match L::TILE_PANELS {
                        2 => tall::<L, 2, HALVES, MINS, WIDE>(lanes, &o, rows, done),
                        _ => tall::<L, 1, HALVES, MINS, WIDE>(lanes, &o, rows, done),
                    }
                }
            }
            if long && ((from + chunk).is_multiple_of(SPAN) || from + chunk == depth) {
                // SAFETY: the sums belong to this task, and no tile is being computed.
                let sums = unsafe { std::slice::from_raw_parts_mut(sums, rows * step) };
                for (total, sum) in totals.iter_mut().zip(sums) {
                    total.add([*sum]);
                    *sum = 0.0;
                }
            }
        }
        if long {
            // SAFETY: as above; these columns of the result belong to this task.
            unsafe {
                let all = std::slice::from_raw_parts_mut(sums, rows * step);
                all.iter_mut().zip(totals).for_each(|(sum, total)| *sum = total.get()[0]);
                self.write(sums, 0..rows, 0..panels);
            }
        }
    }

    /// Returns the first byte of the task's panels, and the size of each in bytes. Packs blocks to `in_scratch`.
    ///
    /// # Safety
    /// The task's panels are in the weights, and `in_scratch` belongs to this task and has room for them.
    #[inline(always)]
    unsafe fn packed(&self, panels: usize, in_scratch: *mut u8) -> (*const u8, usize) {
        let blocks = match self.weights {
            Weights::Packed(weights) => return (weights.panel(self.first), weights.panel_bytes()),
            Weights::Blocks(blocks) => blocks,
        };
        let panel_bytes = self.product.panel_bytes;
        for panel in 0..panels {
            // SAFETY: the caller vouches for this.
            let out =
                unsafe { std::slice::from_raw_parts_mut(in_scratch.add(panel * panel_bytes), panel_bytes) };
            dispatch(self.product.cpu, blocks.panel(self.first + panel, out));
        }
        (in_scratch.cast_const(), panel_bytes)
    }

    /// Writes the sums of some rows of activations and some panels to the result.
    ///
    /// # Safety
    /// The sums are valid, and this part of the result belongs to this task.
    #[inline(always)]
    unsafe fn write(&self, sums: *const f32, rows: Range<usize>, panels: Range<usize>) {
        let (n, _) = self.weights.size();
        let columns = (self.first + panels.start) * ROWS..n.min((self.first + panels.end) * ROWS);
        for row in rows {
            let from = sums.wrapping_add(row * MOST_PANELS * ROWS + panels.start * ROWS);
            // SAFETY: the caller vouches for both.
            unsafe {
                let to = self.out.add(row * n + columns.start);
                std::ptr::copy_nonoverlapping(from, to, columns.len());
            }
        }
    }
}

/// Multiplies all rows of activations by `P` panels; calls `done` with the rows that are finished.
///
/// # Safety
/// The operands are valid for that many rows.
#[inline(always)]
unsafe fn tall<L: Lanes, const P: usize, const HALVES: bool, const MINS: bool, const WIDE: bool>(
    lanes: L,
    o: &TileOperands,
    rows: usize,
    done: impl Fn(Range<usize>),
) {
    let tall = L::TILE_ROWS;
    let mut row = 0;
    // SAFETY: rows stay below `rows`, for which the caller vouches.
    unsafe {
        while row + tall <= rows {
            match tall {
                6 => tile::<L, 6, P, HALVES, MINS, WIDE>(lanes, &o.at_row(row)),
                4 => tile::<L, 4, P, HALVES, MINS, WIDE>(lanes, &o.at_row(row)),
                2 => tile::<L, 2, P, HALVES, MINS, WIDE>(lanes, &o.at_row(row)),
                _ => tile::<L, 1, P, HALVES, MINS, WIDE>(lanes, &o.at_row(row)),
            }
            done(row..row + tall);
            row += tall;
        }
        while row < rows {
            tile::<L, 1, P, HALVES, MINS, WIDE>(lanes, &o.at_row(row));
            done(row..row + 1);
            row += 1;
        }
    }
}

impl TileOperands {
    /// Returns the operands starting at another panel.
    fn at_panel(self, panel: usize) -> TileOperands {
        TileOperands {
            codes: self.codes.wrapping_add(panel * self.codes_step),
            factors: self.factors.wrapping_add(panel * self.factors_step),
            mins: self.mins.wrapping_add(panel * self.factors_step),
            sums: self.sums.wrapping_add(panel * ROWS),
            ..self
        }
    }

    /// Returns the operands starting at another row of activations.
    fn at_row(self, row: usize) -> TileOperands {
        TileOperands {
            bytes: self.bytes.wrapping_add(row * self.bytes_step),
            scales: self.scales.wrapping_add(row * self.scales_step),
            sums: self.sums.wrapping_add(row * self.sums_step),
            ..self
        }
    }
}
