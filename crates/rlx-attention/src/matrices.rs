//! Matrices in a thread's scratch memory, in the order in which the register tile of products reads them. The left side consists of rows,
//! the right side of panels. The tile is that of `gemm`; the caller says where its results go.

use rlx_gemm::PanelLayout;
use rlx_gemm::Steps;
use rlx_gemm::pack;
use rlx_gemm::tile::{A_STEP, Ahead, K_RUN, OneTile, Onto, Tile, TileSize};
use rlx_simd::isa::Cpu;
use rlx_simd::simd::Simd;
use std::ops::Range;

/// Returns the register tile for scores. A run is a multiple of its width, so each tile of scores lies in one run.
pub(super) fn tile_size(cpu: Cpu) -> TileSize {
    let tile = TileSize::of::<f32>(cpu);
    let vectors = (1..=tile.width / tile.lanes).rev().find(|v| K_RUN.is_multiple_of(v * tile.lanes));
    TileSize { width: vectors.unwrap_or(1) * tile.lanes, ..tile }
}

/// Rows in runs of [`K_RUN`] elements. Within each run the rows follow each other, [`A_STEP`] apart. A run has room for one more vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    start: *mut f32,
    rows: usize,
}

impl Rows {
    /// Number of elements that `rows` rows of `len` elements take.
    pub(super) fn elements(rows: usize, len: usize) -> usize {
        rows * len.div_ceil(K_RUN) * A_STEP
    }

    /// Creates rows that begin at `start`.
    pub(super) fn new(start: *mut f32, rows: usize) -> Rows {
        Rows { start, rows }
    }

    /// Returns a pointer to element `at` of a row.
    #[inline(always)]
    pub(super) fn at(self, row: usize, at: usize) -> *mut f32 {
        self.start.wrapping_add((at / K_RUN * self.rows + row) * A_STEP + at % K_RUN)
    }

    /// Elements from one run to the next.
    #[inline(always)]
    pub(super) fn run_step(self) -> usize {
        self.rows * A_STEP
    }

    /// Splits `from..to` where runs end. For each part, returns where it starts, its length, and a pointer into `row`.
    #[inline(always)]
    pub(super) fn runs(
        self,
        row: usize,
        from: usize,
        to: usize,
    ) -> impl Iterator<Item = (usize, usize, *mut f32)> {
        let mut next = from;
        std::iter::from_fn(move || {
            let at = next;
            next = ((at / K_RUN + 1) * K_RUN).min(to);
            (at < to).then(|| (at, next - at, self.at(row, at)))
        })
    }

    /// Sets the elements `from..to` of a row to 0.
    ///
    /// # Safety
    /// The row has them.
    #[inline(always)]
    pub(super) unsafe fn clear(self, row: usize, from: usize, to: usize) {
        for (_, len, start) in self.runs(row, from, to) {
            // SAFETY: the caller vouches for the row.
            unsafe { start.write_bytes(0, len) };
        }
    }

    /// Copies the runs of all rows of `len` elements.
    ///
    /// # Safety
    /// Both have the same number of rows of that length.
    pub(super) unsafe fn copy(self, from: Rows, len: usize) {
        // SAFETY: the caller vouches for both.
        unsafe { self.start.copy_from_nonoverlapping(from.start, Rows::elements(self.rows, len)) };
    }

    /// Copies rows of `len` elements, which are `step` apart, to the rows starting at `row`.
    ///
    /// # Safety
    /// `source` is valid for the rows, and there is room for them.
    #[inline(always)]
    pub(super) unsafe fn fill<S: Simd>(
        self,
        token: S,
        row: usize,
        source: *const f32,
        (count, step, len): (usize, usize, usize),
    ) {
        for (at, len, start) in self.runs(row, 0, len) {
            let steps = Steps { row: step, col: 1 };
            // SAFETY: the caller vouches for both.
            unsafe { pack::turn::<S, S::F32>(token, source.add(at), steps, count, len, start, A_STEP) };
        }
    }
}

/// Panels of the right side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panels {
    pub(super) start: *mut f32,
    pub(super) layout: PanelLayout,
}

impl Panels {
    /// Number of elements that panels of `k` rows of `n` elements take.
    pub(super) fn elements(k: usize, n: usize, tile: TileSize) -> usize {
        k * n.next_multiple_of(tile.lanes)
    }

    /// Creates panels of `k` rows of `n` elements that begin at `start`.
    pub(super) fn new(start: *mut f32, k: usize, n: usize, tile: TileSize) -> Panels {
        Panels { start, layout: PanelLayout { k, n, tile } }
    }

    /// Writes rows `rows` from a matrix with these steps, whose first element belongs to row `rows.start`.
    ///
    /// # Safety
    /// The matrix has the rows, and the panels lie in scratch memory.
    #[inline(always)]
    pub(super) unsafe fn fill<S: Simd>(self, token: S, rows: Range<usize>, source: *const f32, steps: Steps) {
        for panel in 0..self.layout.panels() {
            // SAFETY: the caller vouches for both.
            unsafe {
                let from = source.add(panel * self.layout.tile.width * steps.col);
                self.fill_panel(token, panel, rows.clone(), from, steps);
            }
        }
    }

    /// Writes rows `rows` of one panel from a matrix with these steps, whose first element belongs to row `rows.start` and to the first
    /// column of the panel.
    ///
    /// # Safety
    /// As for [`fill`](Panels::fill).
    #[inline(always)]
    pub(super) unsafe fn fill_panel<S: Simd>(
        self,
        token: S,
        panel: usize,
        rows: Range<usize>,
        source: *const f32,
        steps: Steps,
    ) {
        let (columns, width) = (self.layout.columns(panel), self.layout.width(panel));
        // SAFETY: the caller vouches for both.
        unsafe {
            let to = self.start.add(self.layout.start(panel) + rows.start * width);
            pack::panel_of_b::<S, S::F32>(token, source, steps, rows.len(), columns, width, to);
        }
    }
}

/// A product of some rows and panels.
pub(super) struct Product {
    /// Number of rows of the result, at most those of a tile.
    pub(super) rows: usize,
    /// The first element of the left side: of [`Rows`] or, with `TURNED`, of their columns, [`A_STEP`] apart.
    pub(super) left: *const f32,
    /// Elements from one run of the left side to the next.
    pub(super) run_step: usize,
    pub(super) right: Panels,
    /// The elements that are multiplied start at row `from` of the panels.
    pub(super) from: usize,
    pub(super) k: usize,
    /// Elements from one row of the result to the next.
    pub(super) step: usize,
    /// Whether to add to what the result contains.
    pub(super) resume: bool,
}

impl Product {
    /// Computes the columns of some panels; `to` returns where a column of the first row goes.
    ///
    /// # Safety
    /// Both sides hold the elements, and the result has room for whole vectors of columns.
    #[inline(always)]
    pub(super) unsafe fn run<S: Simd, const TURNED: bool>(
        &self,
        token: S,
        panels: Range<usize>,
        to: impl Fn(usize) -> *mut f32,
    ) {
        let layout = self.right.layout;
        for panel in panels {
            let width = layout.width(panel);
            let c = to(panel * layout.tile.width);
            let tile = Tile {
                a: self.left,
                a_run_step: self.run_step,
                b: self.right.start.wrapping_add(layout.start(panel) + self.from * width).cast_const(),
                b_step: width,
                k: self.k,
                c,
                c_step: self.step,
                onto: if self.resume { Onto::Total } else { Onto::Nothing },
                target: std::ptr::null(),
                target_step: 0,
                ahead: Ahead::NOTHING,
            };
            // SAFETY: the caller vouches for the matrices; rows and vectors are those of a tile.
            token.outlined(unsafe {
                OneTile::<f32, TURNED>::new(self.rows, width / layout.tile.lanes, &tile)
            });
        }
    }
}
