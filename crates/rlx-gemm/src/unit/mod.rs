//! Products of f32 on the matrix unit (AMX-BF16), which multiplies bf16 and sums in f32 at sixteen times the
//! rate of vectors.
//!
//! A number is the sum of three bf16 (`split`), so that a product of numbers is nine products of parts, of which the six largest are
//! taken: what is left out is some 2⁻²⁴ of the product, no more than what rounding a sum of f32 loses. (Henry, Tang and Heinecke,
//! *Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations*, 2019.) Where B is stored as bf16
//! its numbers have one part, and three products are exact.
//!
//! The unit takes numbers below 2⁻¹²⁶ as zeros, parts of numbers among them, and knows no infinity times a part that is zero: where a
//! row of A or a panel of B holds an infinity or NaN (or a number near the largest), the sums are made without it, as IEEE 754 says.
//!
//! K is cut into parts of [`K_BLOCK`], whose parts of B stay in the first-level cache while the rows of a block pass by; meanwhile
//! the next are taken apart, by vectors, which the unit leaves idle. At most [`CHAIN`] numbers are summed in one chain; the sums of
//! chains are added by vectors, with the errors of that (see [`add_part`]). An element of C is the same sum wherever its row and its
//! panel fall.

mod split;
mod tiles;

use std::ops::Range;

use rlx_simd::isa::Isa;
use rlx_simd::simd::{Simd, Vector};
use rlx_simd::sums::add_part;

use super::buffer::{Carver, LINE, whole_lines};
use super::element::Narrow;
use super::epilogue::{self, Sums};
use super::execute::{Launch, Packed, RhsSource, RunTask, TaskRegion, read_panel, widened_panel};
use super::packed::{PanelLayout, Panels};
use super::plan::{Blocking, part};
use super::shape::{GemmShape, Offsets};
use super::{Element, LhsAt, pack};
use split::{Numbers, Splitting, WIDTH};
use tiles::{Block, K_STEP, SIDE};

/// Numbers of K whose parts of B lie in the first-level cache together: 24 KiB.
const K_BLOCK: usize = 128;
/// Numbers of K that one chain sums at most: whole blocks.
const CHAIN: usize = 8 * K_BLOCK;
/// Bytes of a number in parts.
const BYTES: usize = 3 * size_of::<u16>();
/// Bytes of a block of B in parts.
const B_BLOCK: usize = K_BLOCK * WIDTH * BYTES;
/// Products with fewer rows are for vectors: taking B apart would take longer than the product.
const FEWEST_ROWS: usize = 33;
/// The same where B is stored as bf16, and has only to be arranged.
const FEWEST_ROWS_OF_BF16: usize = 9;
/// Products with fewer columns or a shorter K fill tiles badly.
const SHORTEST: usize = 32;

/// A block of rows has at least as many, so that a block of B is taken apart for some work.
pub(super) const FEWEST_ROWS_OF_BLOCK: usize = 128;
/// Multiply-adds in a nanosecond, typically, of one thread.
pub(super) const MULTIPLY_ADDS: f64 = 150.0;

/// Whether products of these sizes are for the unit; `bf16` says that B is packed as bf16.
pub(super) fn takes<E: Element>(shape: &GemmShape, bf16: bool) -> bool {
    let fewest = if bf16 { FEWEST_ROWS_OF_BF16 } else { FEWEST_ROWS };
    size_of::<E>() == size_of::<f32>() && shape.m >= fewest && shape.n.min(shape.k) >= SHORTEST
}

/// Bytes of a row of a block of A, over `k` numbers.
pub(super) fn bytes_per_row(k: usize) -> usize {
    k.next_multiple_of(K_STEP) * BYTES
}

/// Bytes of each part of a thread's scratch memory.
struct Parts {
    /// A block of A in parts.
    a: usize,
    /// For each tile of its rows and block of K, the rows that are odd.
    odd: usize,
    /// Rows of A on their way into the block, or a block of B on its way into parts.
    arranged: usize,
    /// Two blocks of B in parts: one that is multiplied, and the next.
    b: usize,
    /// Sums of a chain, or those that wait for the epilogue.
    sums: usize,
    /// Where there are several chains: the sums of those before, and as many errors.
    totals: usize,
}

impl Parts {
    fn new(blocking: &Blocking, shape: &GemmShape) -> Parts {
        let (m, sums) = (shape.m, sums_bytes(blocking, shape.m));
        let rows = blocking.block_rows(m).next_multiple_of(SIDE);
        let k = blocking.k_part.next_multiple_of(K_STEP);
        Parts {
            a: rows * k * BYTES,
            odd: rows / SIDE * k.div_ceil(K_BLOCK) * size_of::<u32>(),
            arranged: K_BLOCK * WIDTH * size_of::<f32>(),
            b: 2 * B_BLOCK,
            sums,
            totals: if shape.k > CHAIN { 2 * sums } else { 0 },
        }
    }
}

/// Bytes of the sums of a block of rows in panels whose sums rest together.
fn sums_bytes(blocking: &Blocking, m: usize) -> usize {
    blocking.block_rows(m).next_multiple_of(SIDE) * blocking.group * WIDTH * size_of::<f32>()
}

/// Bytes of scratch memory of one thread: a line that says what is packed, then the parts.
pub(super) fn bytes_per_thread(blocking: &Blocking, shape: &GemmShape) -> usize {
    let Parts { a, odd, arranged, b, sums, totals } = Parts::new(blocking, shape);
    [a, odd, arranged, b, sums, totals].into_iter().map(whole_lines).sum::<usize>() + LINE
}

/// Runs a task of a launch that is for the unit.
#[inline(always)]
pub(super) fn run<S: Simd, E: Element>(token: S, task: &RunTask<'_, E>) {
    if S::ISA != Isa::Avx512 {
        debug_assert!(false, "a product was planned for a unit that is not there");
        return;
    }
    let Launch { shape, blocking, .. } = *task.launch;
    let TaskRegion { batch, block, panels, scratch } = task.region();
    let parts = Parts::new(blocking, shape);
    // SAFETY: the scratch memory of a thread has room for a line and the parts; see `bytes_per_thread`.
    let state = unsafe {
        let mut carver = Carver::new(scratch.add(LINE));
        UnitTask {
            token,
            launch: task.launch,
            at: shape.offsets(batch),
            batch,
            block,
            rows: part(shape.m, blocking.blocks, block),
            packed: scratch.cast(),
            a: carver.take::<u8>(parts.a),
            odd: carver.take::<u8>(parts.odd).cast(),
            arranged: carver.take::<u8>(parts.arranged).cast(),
            b: carver.take::<u8>(parts.b),
            sums: carver.take::<u8>(parts.sums).cast(),
            totals: carver.take::<u8>(parts.totals).cast(),
        }
    };
    // SAFETY: a launch is given to the unit only where there is one; its operands are valid, and this task alone writes these rows
    // and panels.
    unsafe {
        tiles::begin();
        state.panels(panels);
        tiles::end();
    }
}

struct UnitTask<'a, S, E: Element> {
    token: S,
    launch: &'a Launch<'a, E>,
    at: Offsets,
    batch: usize,
    block: usize,
    rows: Range<usize>,
    packed: *mut Packed,
    a: *mut u8,
    odd: *mut u32,
    arranged: *mut E,
    b: *mut u8,
    sums: *mut E,
    totals: *mut E,
}

/// A block of B in parts.
#[derive(Clone, Copy)]
struct BlockOfB {
    start: *const u8,
    parts: usize,
    /// Whether it is odd; see [`Splitting::finish`].
    odd: bool,
}

/// A block of B, and when its turn is.
#[derive(Clone, Debug)]
struct Turn {
    panel: usize,
    /// Which of the panels whose sums rest together.
    in_group: usize,
    /// The part of K for which rows of A are packed.
    k_part: Range<usize>,
    k_block: Range<usize>,
}

impl Turn {
    /// Whether a chain of sums begins with it.
    fn begins_chain(&self) -> bool {
        (self.k_block.start - self.k_part.start).is_multiple_of(CHAIN)
    }

    /// Whether a chain of sums ends with it.
    fn ends_chain(&self) -> bool {
        self.k_block.end == self.k_part.end || (self.k_block.end - self.k_part.start).is_multiple_of(CHAIN)
    }
}

/// The blocks of B in some panels, in the order in which they are multiplied.
fn turns(panels: Range<usize>, blocking: &Blocking, k: usize) -> impl Iterator<Item = Turn> {
    let &Blocking { group, k_part, .. } = blocking;
    let pieces = |range: Range<usize>, len: usize| {
        let end = range.end;
        range.step_by(len).map(move |start| start..(start + len).min(end))
    };
    pieces(panels, group).flat_map(move |group| {
        pieces(0..k, k_part).flat_map(move |k_part| {
            let first = group.start;
            group.clone().flat_map(move |panel| {
                let k_part = k_part.clone();
                pieces(k_part.clone(), K_BLOCK).map(move |k_block| Turn {
                    panel,
                    in_group: panel - first,
                    k_part: k_part.clone(),
                    k_block,
                })
            })
        })
    })
}

impl<S: Simd, E: Element> UnitTask<'_, S, E> {
    /// Computes the rows of the task in some panels.
    ///
    /// # Safety
    /// After [`tiles::begin`]; the launch's operands are valid, and no other thread writes this part of C.
    #[inline(always)]
    unsafe fn panels(&self, panels: Range<usize>) {
        let mut turns = turns(panels, self.launch.blocking, self.launch.shape.k).peekable();
        let Some(first) = turns.peek() else { return };
        // SAFETY: the caller vouches for the configured tiles, the operands and this part of C; the two halves of the
        // memory for B, of `B_BLOCK` bytes each, take turns.
        unsafe {
            let (mut now, mut later) = (self.b, self.b.add(B_BLOCK));
            let mut splitting = self.block_of_b(first, now);
            let mut b = BlockOfB { start: now, parts: splitting.parts(), odd: splitting.finish() };
            while let Some(turn) = turns.next() {
                if turn.in_group == 0 && turn.k_block.start == turn.k_part.start {
                    self.pack_a(turn.k_part.clone());
                }
                splitting = match turns.peek() {
                    Some(next) => self.block_of_b(next, later),
                    None => Splitting::nothing(),
                };
                self.rows(&turn, b, &mut splitting);
                if self.launch.shape.k > CHAIN && turn.ends_chain() {
                    self.add_chain(&turn);
                }
                if turn.k_block.end == self.launch.shape.k {
                    self.finish(&turn);
                }
                b = BlockOfB { start: later, parts: splitting.parts(), odd: splitting.finish() };
                (now, later) = (later, now);
            }
        }
    }

    /// Takes the rows of the task apart, over one part of K.
    ///
    /// # Safety
    /// A is valid.
    #[inline(always)]
    unsafe fn pack_a(&self, k_part: Range<usize>) {
        let Launch { shape, blocking, a, .. } = *self.launch;
        // Where K is cut, the block changes from part to part.
        let whole = blocking.k_part >= shape.k;
        let start = if let LhsAt::Strided(_) = a { self.at.a } else { self.batch };
        let wanted = Packed { start, block: self.block };
        let rows = self.rows.len();
        // SAFETY: the mark is on a cache line of this thread; the block and the marks of odd rows fit; the rows and the part lie in A.
        unsafe {
            if whole && *self.packed == wanted {
                return;
            }
            *self.packed = wanted;
            for (tile, row) in (0..rows).step_by(SIDE).enumerate() {
                let count = (rows - row).min(SIDE);
                let row = self.rows.start + row;
                let to = self.a.add(tile * self.a_step(k_part.len()));
                if count < SIDE {
                    std::ptr::write_bytes(to, 0, self.a_step(k_part.len()));
                }
                for (index, start) in k_part.clone().step_by(K_BLOCK).enumerate() {
                    let columns = start..(start + K_BLOCK).min(k_part.end);
                    let len = columns.len();
                    let (source, step) = match a {
                        LhsAt::Strided(a) => {
                            let source = a.add(self.at.a + row * shape.a.row + start * shape.a.col);
                            if shape.a.col == 1 {
                                (source, shape.a.row)
                            } else {
                                let (to, step) = (self.arranged, K_BLOCK);
                                pack::turn::<S, E::Vec<S>>(self.token, source, shape.a, count, len, to, step);
                                (to.cast_const(), step)
                            }
                        }
                        LhsAt::Rows(a) => {
                            a.read(self.batch, row..row + count, columns, self.arranged, K_BLOCK);
                            (self.arranged.cast_const(), K_BLOCK)
                        }
                    };
                    let to = to.add(index * K_BLOCK * SIDE * BYTES);
                    *self.odd_rows(tile, index) = split::rows_of_a(source.cast(), step, count, len, to);
                }
            }
        }
    }

    /// Bytes from one tile of rows of the block of A to the next.
    #[inline(always)]
    fn a_step(&self, k: usize) -> usize {
        SIDE * bytes_per_row(k)
    }

    /// The mark of odd rows of a tile of rows and a block of K.
    #[inline(always)]
    fn odd_rows(&self, tile: usize, block: usize) -> *mut u32 {
        self.odd.wrapping_add(tile * self.launch.blocking.k_part.div_ceil(K_BLOCK) + block)
    }

    #[inline(always)]
    fn layout(&self) -> PanelLayout {
        let Launch { shape, blocking, .. } = *self.launch;
        PanelLayout { k: shape.k, n: shape.n, tile: blocking.tile }
    }

    /// Where the sums of a panel rest, and the elements from one row there to the next.
    #[inline(always)]
    fn sums(&self, turn: &Turn) -> (*mut E, usize) {
        (self.sums.wrapping_add(turn.in_group * WIDTH), self.launch.blocking.group * WIDTH)
    }

    /// Multiplies the rows of the task with a block of B.
    ///
    /// # Safety
    /// As [`panels`](Self::panels); the part of A is packed, and `b` is the block.
    #[inline(always)]
    unsafe fn rows(&self, turn: &Turn, b: BlockOfB, meanwhile: &mut Splitting) {
        let columns = self.layout().columns(turn.panel);
        let rows = self.rows.len();
        let (sums, sums_step) = self.sums(turn);
        let a_step = self.a_step(turn.k_part.len());
        let index = (turn.k_block.start - turn.k_part.start) / K_BLOCK;
        let mut block = Block {
            a: self.a.wrapping_add(index * K_BLOCK * SIDE * BYTES),
            a_step,
            b: b.start,
            b_parts: b.parts,
            steps: turn.k_block.len().div_ceil(K_STEP),
            c: sums.cast(),
            c_step: sums_step,
            resume: !turn.begins_chain(),
        };
        let pairs = meanwhile.pairs().div_ceil(block.products() * rows.div_ceil(2 * SIDE));
        for start in (0..rows).step_by(2 * SIDE) {
            let left = (rows - start).min(2 * SIDE);
            let odd = if b.odd { u32::MAX } else { self.odd_rows_of(start / SIDE, index, left) };
            // SAFETY: the rows lie in the packed block, and their sums in scratch memory.
            unsafe {
                if odd == 0 {
                    block.run(left > SIDE, columns > SIDE, meanwhile, pairs);
                } else {
                    self.with_odd_rows(&block, odd, left, columns, turn.k_block.len());
                }
            }
            block.a = block.a.wrapping_add(2 * a_step);
            block.c = block.c.wrapping_add(2 * SIDE * sums_step);
        }
    }

    /// Adds the sums of a chain to those of the chains before. Those of the last chain become the sums of all.
    ///
    /// # Safety
    /// As [`panels`](Self::panels), and there are several chains.
    #[inline(always)]
    unsafe fn add_chain(&self, turn: &Turn) {
        let (is_first, is_last) =
            (turn.k_block.start < CHAIN && turn.k_part.start == 0, turn.k_block.end == self.launch.shape.k);
        let (sums, step) = self.sums(turn);
        let errors_at = sums_bytes(self.launch.blocking, self.launch.shape.m) / size_of::<E>();
        let totals = self.totals.wrapping_add(turn.in_group * WIDTH);
        for at in (0..self.rows.len()).map(|row| row * step) {
            // SAFETY: the rows and columns of a panel are in the sums, and so in the totals and their errors.
            unsafe {
                let behind = [totals.add(at), totals.add(errors_at + at)];
                add_part::<E::Vec<S>>(self.token, sums.add(at), behind, WIDTH, [is_first, is_last]);
            }
        }
    }

    /// Finishes the sums of a panel.
    ///
    /// # Safety
    /// As [`panels`](Self::panels), and the sums are whole.
    #[inline(always)]
    unsafe fn finish(&self, turn: &Turn) {
        let Launch { shape, c, epilogue, .. } = *self.launch;
        let (sums, sums_step) = self.sums(turn);
        let column = turn.panel * WIDTH;
        let to = c.wrapping_add(self.at.c + self.rows.start * shape.c_row + column);
        let (to, to_step) = if epilogue.skips_store { (sums, sums_step) } else { (to, shape.c_row) };
        let sums = Sums {
            from: sums,
            from_step: sums_step,
            to,
            to_step,
            rows: self.rows.len(),
            columns: self.layout().columns(turn.panel),
            batch: self.batch,
            row: self.rows.start,
            column,
            residual_offset: self.at.residual,
        };
        // SAFETY: the panel lies in C, and the caller vouches for it and for the epilogue's operands.
        unsafe { epilogue::finish(self.token, epilogue, &sums) };
    }

    /// The odd rows of the tile and of the one below it, as bits.
    #[inline(always)]
    fn odd_rows_of(&self, tile: usize, block: usize, left: usize) -> u32 {
        // SAFETY: the marks of all tiles of rows were written when the block was packed.
        unsafe {
            let below = if left > SIDE { *self.odd_rows(tile + 1, block) } else { 0 };
            *self.odd_rows(tile, block) | below << SIDE
        }
    }

    /// A block of B, to be taken apart into `target`.
    ///
    /// # Safety
    /// B is valid, and `target` has room for the block.
    #[inline(always)]
    unsafe fn block_of_b(&self, turn: &Turn, target: *mut u8) -> Splitting {
        let Launch { b, .. } = *self.launch;
        let (panel, rows) = (turn.panel, turn.k_block.clone());
        let layout = self.layout();
        let (columns, width) = (layout.columns(panel), layout.width(panel));
        let in_panel = layout.start(panel) + rows.start * width;
        let (len, column) = (rows.len(), panel * WIDTH);
        let to = self.arranged;
        // SAFETY: the panel and the part lie in B; a block fits into the scratch memory.
        unsafe {
            let (start, step, columns) = match b {
                RhsSource::Packed(Panels::Native(start)) => (start.add(in_panel), width, width),
                RhsSource::Packed(Panels::Narrow(Narrow::Bf16, start)) => {
                    return Splitting::new(Numbers::Bf16(start.add(in_panel)), width, len, width, target);
                }
                RhsSource::Packed(Panels::Narrow(form, start)) => {
                    E::widen(self.token, form, start.add(in_panel), len * width, to);
                    (to.cast_const(), width, width)
                }
                RhsSource::Narrow(form, start, steps) => {
                    let source = start.add(self.at.b + rows.start * steps.row + column * steps.col);
                    let of = pack::NarrowColumns { source, steps, k: len, columns, width, is_fetched: false };
                    widened_panel(self.token, form, of, to);
                    (to.cast_const(), width, width)
                }
                RhsSource::Rows(b) => {
                    read_panel(b, self.batch, rows, column, columns, width, to);
                    (to.cast_const(), width, width)
                }
                RhsSource::Strided(start, steps) => {
                    let start = start.add(self.at.b + rows.start * steps.row + column * steps.col);
                    if steps.col == 1 {
                        (start, steps.row, columns)
                    } else {
                        pack::panel_of_b::<S, E::Vec<S>>(self.token, start, steps, len, columns, width, to);
                        (to.cast_const(), width, width)
                    }
                }
            };
            Splitting::new(Numbers::F32(start.cast()), step, len, columns, target)
        }
    }

    /// Computes a block of `rows` rows of which some are odd: those are summed without tiles, by multiply-adds over rising k.
    ///
    /// # Safety
    /// As [`Block::run`].
    #[inline(always)]
    unsafe fn with_odd_rows(&self, block: &Block, odd: u32, rows: usize, columns: usize, k: usize) {
        let token = self.token;
        let lanes = E::Vec::<S>::LANES;
        let c = block.c.cast::<E>();
        // SAFETY: the block has as many rows, columns and numbers.
        unsafe {
            let mut b = [[0.0_f32; WIDTH]; K_BLOCK];
            for (k, row) in b.iter_mut().enumerate().take(k) {
                *row = split::row_of_b(block.b, block.b_parts, k);
            }
            let mut before = [[0.0_f32; WIDTH]; 2 * SIDE];
            for (row, before) in before.iter_mut().enumerate().take(if block.resume { rows } else { 0 }) {
                std::ptr::copy_nonoverlapping(block.c.add(row * block.c_step), before.as_mut_ptr(), WIDTH);
            }
            block.run(rows > SIDE, columns > SIDE, &mut Splitting::nothing(), 0);
            for row in (0..rows).filter(|row| odd >> row & 1 == 1) {
                let tiles = block.a.add(row / SIDE * block.a_step);
                for at in (0..WIDTH).step_by(lanes) {
                    let mut sum = E::Vec::<S>::load(token, before[row].as_ptr().cast::<E>().add(at));
                    for (k, b) in b.iter().enumerate().take(k) {
                        let a = split::number_of_a(tiles, row % SIDE, k);
                        let a = E::Vec::<S>::splat(token, E::from_f64(f64::from(a)));
                        let b = E::Vec::<S>::load(token, b.as_ptr().cast::<E>().add(at));
                        sum = a.mul_add(b, sum);
                    }
                    sum.store(c.add(row * block.c_step + at));
                }
            }
        }
    }
}
