//! Runs the tasks of a planned product.

use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use rlx_simd::simd::{Kernel, Simd};

use super::buffer::{Carver, LINE};
use super::element::{Narrow, STREAM_AHEAD};
use super::epilogue::{self, Epilogue, Sums};
use super::pack::NarrowColumns;
use super::packed::{PanelLayout, Panels};
use super::plan::{Blocking, part};
use super::shape::{GemmShape, Offsets, Steps};
use super::tile::{self, A_STEP, Ahead, K_RUN, Onto, Tile};
use super::{Element, LhsAt, Rows, pack, unit};

/// The source of B.
#[derive(Clone, Copy)]
pub(super) enum RhsSource<'a, E: Element> {
    Strided(*const E, Steps),
    Narrow(Narrow, *const u16, Steps),
    Rows(&'a dyn Rows<E>),
    Packed(Panels<E>),
}

/// A planned product with its operands.
pub(super) struct Launch<'a, E: Element> {
    pub shape: &'a GemmShape,
    pub blocking: &'a Blocking,
    pub a: LhsAt<'a, E>,
    pub b: RhsSource<'a, E>,
    pub c: *mut E,
    pub epilogue: &'a Epilogue<'a, E>,
    /// Begins on a cache line; `bytes_per_thread` bytes for each thread.
    pub scratch: *mut u8,
    pub bytes_per_thread: usize,
}

// SAFETY: tasks write parts of C that do not overlap, and scratch memory of their own thread.
unsafe impl<E: Element> Sync for Launch<'_, E> {}

/// Says what a thread's packed block of A contains. It is stored at the start of the thread's scratch memory, so that a thread that gets
/// several chunks of one block packs it only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    pub start: usize,
    pub block: usize,
}

const NOTHING: Packed = Packed { start: 0, block: usize::MAX };

impl<E: Element> Launch<'_, E> {
    /// Marks the scratch memory of all threads as empty.
    ///
    /// # Safety
    /// No task is running, and `scratch` is valid for `threads` threads.
    pub(super) unsafe fn reset(&self, threads: usize) {
        for thread in 0..threads {
            // SAFETY: the caller vouches for the scratch memory, which is aligned to cache lines.
            unsafe { self.scratch.add(thread * self.bytes_per_thread).cast::<Packed>().write(NOTHING) };
        }
    }
}

/// One task of a launch.
pub struct RunTask<'a, E: Element> {
    pub(super) launch: &'a Launch<'a, E>,
    pub(super) task: usize,
    pub(super) worker: usize,
}

/// What a task computes, and the scratch memory of its thread.
pub(super) struct TaskRegion {
    pub batch: usize,
    pub block: usize,
    pub panels: std::ops::Range<usize>,
    pub scratch: *mut u8,
}

impl<E: Element> RunTask<'_, E> {
    pub(super) fn region(&self) -> TaskRegion {
        let blocking = self.launch.blocking;
        let (block_index, chunk) = (self.task / blocking.chunks, self.task % blocking.chunks);
        TaskRegion {
            batch: block_index / blocking.blocks,
            block: block_index % blocking.blocks,
            panels: part(blocking.panels, blocking.chunks, chunk),
            scratch: self.launch.scratch.wrapping_add(self.worker * self.launch.bytes_per_thread),
        }
    }
}

impl<E: Element> Kernel for RunTask<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let Launch { shape, blocking, .. } = *self.launch;
        if blocking.unit {
            return unit::run(token, &self);
        }
        let TaskRegion { batch, block, panels, scratch } = self.region();
        let parts = blocking.scratch_parts(shape.m);
        // SAFETY: the scratch memory of a thread has room for a cache line and the parts; see `bytes_per_thread`.
        let (a, b, sums) = unsafe {
            let mut carver = Carver::new(scratch.add(LINE));
            (carver.take(parts.a), carver.take(parts.b), carver.take(parts.sums))
        };
        let task = TaskState {
            token,
            launch: self.launch,
            at: shape.offsets(batch),
            batch,
            block,
            rows: part(shape.m, blocking.blocks, block),
            packed: scratch.cast(),
            a,
            b,
            sums,
            // In bounds: if K is split, there is room for both.
            low: sums.wrapping_add(blocking.sums(blocking.block_rows(shape.m))),
        };
        for start in panels.clone().step_by(blocking.group) {
            // SAFETY: the launch's operands are valid, and only this task writes these rows and panels.
            unsafe { task.group(start..(start + blocking.group).min(panels.end)) };
        }
    }
}

/// Packs B, which is the only matrix and not packed yet, into `target` on the threads of the pool.
///
/// # Safety
/// B is valid for the layout, and `target` for writes of all its panels.
pub(super) unsafe fn pack_panels<E: Element>(
    pool: &Pool,
    cpu: Cpu,
    source: RhsSource<'_, E>,
    layout: PanelLayout,
    target: *mut E,
) {
    let (shared, target) = (SharedRhs(source), SharedPtr::new(target));
    pool.run_ranges(layout.nanoseconds::<E>(), layout.panels(), 1, |panels| {
        let (source, target) = (shared.get(), target.get());
        E::pack_panels(cpu, PackPanels { source, layout, panels, target });
    });
}

/// Packs B, which consists of 16-bit floats at these steps, into `target` on the threads of the pool.
///
/// # Safety
/// B is valid for the layout, and `target` for writes of all its panels.
pub(super) unsafe fn pack_narrow_panels(
    pool: &Pool,
    cpu: Cpu,
    source: *const u16,
    steps: Steps,
    layout: PanelLayout,
    target: *mut u16,
) {
    let (source, target) = (SharedPtr::new(source.cast_mut()), SharedPtr::new(target));
    pool.run_ranges(layout.nanoseconds::<u16>(), layout.panels(), 1, |panels| {
        let (source, target) = (source.get().cast_const(), target.get());
        cpu.dispatch(PackNarrowPanels { source, steps, layout, panels, target });
    });
}

/// Packs some panels of B from 16-bit floats.
struct PackNarrowPanels {
    source: *const u16,
    steps: Steps,
    layout: PanelLayout,
    panels: std::ops::Range<usize>,
    target: *mut u16,
}

impl Kernel for PackNarrowPanels {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let PackNarrowPanels { source, steps, layout, panels, target } = self;
        // Without rows there is no element to begin at.
        let panels = if layout.k == 0 { 0..0 } else { panels };
        for panel in panels {
            let (columns, width) = (layout.columns(panel), layout.width(panel));
            // SAFETY: the code that makes this kernel vouches for B and for room for all panels.
            unsafe {
                let source = source.add(panel * layout.tile.width * steps.col);
                let target = target.add(layout.start(panel));
                let of = NarrowColumns { source, steps, k: layout.k, columns, width, is_fetched: false };
                pack::narrow_panel(token, of, target);
            }
        }
    }
}

/// A right-hand side that threads share.
struct SharedRhs<'a, E: Element>(RhsSource<'a, E>);

impl<'a, E: Element> SharedRhs<'a, E> {
    fn get(&self) -> RhsSource<'a, E> {
        self.0
    }
}

// SAFETY: the threads only read what it points to, and functions that provide rows are `Sync`.
unsafe impl<E: Element> Sync for SharedRhs<'_, E> {}

/// Packs some panels of B into the memory that all threads share.
pub struct PackPanels<'a, E: Element> {
    source: RhsSource<'a, E>,
    layout: PanelLayout,
    panels: std::ops::Range<usize>,
    target: *mut E,
}

impl<E: Element> Kernel for PackPanels<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let layout = self.layout;
        // Without rows there is no element to begin at.
        let panels = if layout.k == 0 { 0..0 } else { self.panels };
        for panel in panels {
            let (columns, width) = (layout.columns(panel), layout.width(panel));
            let column = panel * layout.tile.width;
            // SAFETY: the code that makes this kernel vouches for B and for room for all panels.
            unsafe {
                let target = self.target.add(layout.start(panel));
                match self.source {
                    RhsSource::Strided(start, steps) => pack::panel_of_b::<S, E::Vec<S>>(
                        token,
                        start.add(column * steps.col),
                        steps,
                        layout.k,
                        columns,
                        width,
                        target,
                    ),
                    RhsSource::Narrow(form, start, steps) => {
                        let source = start.add(column * steps.col);
                        let of =
                            NarrowColumns { source, steps, k: layout.k, columns, width, is_fetched: false };
                        widened_panel(token, form, of, target);
                    }
                    RhsSource::Rows(rows) => read_panel(rows, 0, 0..layout.k, column, columns, width, target),
                    RhsSource::Packed(_) => debug_assert!(false, "a packed matrix is not packed again"),
                }
            }
        }
    }
}

/// Writes rows `part` of some columns of matrix `batch` to a panel that is `width` wide.
///
/// # Safety
/// The part lies in the matrix, and `target` has room for that many rows of the panel.
pub(super) unsafe fn read_panel<E: Element>(
    rows: &dyn Rows<E>,
    batch: usize,
    part: std::ops::Range<usize>,
    column: usize,
    columns: usize,
    width: usize,
    target: *mut E,
) {
    // SAFETY: the caller vouches for both.
    unsafe {
        if columns < width {
            std::ptr::write_bytes(target, 0, part.len() * width);
        }
        rows.read(batch, part, column..column + columns, target, width);
    }
}

/// Writes columns of 16-bit floats to a panel, and widens them.
///
/// # Safety
/// The columns are valid, and so is `target` for `k · width` elements; `width` is a multiple of the lanes.
#[inline(always)]
pub(super) unsafe fn widened_panel<S: Simd, E: Element>(
    token: S,
    form: Narrow,
    of: NarrowColumns,
    target: *mut E,
) {
    let len = of.k * of.width;
    // SAFETY: the caller vouches for both.
    unsafe {
        if pack::turn_widened(token, form, of, target) {
            return;
        }
        // The 16-bit numbers are first stored at the end of the panel, which has room for them, so that widened numbers never overwrite
        // those that are not widened yet.
        let narrow = target.wrapping_byte_add(len * (size_of::<E>() - size_of::<u16>())).cast::<u16>();
        pack::narrow_panel(token, of, narrow);
        E::widen(token, form, narrow, len, target);
    }
}

struct TaskState<'a, S, E: Element> {
    token: S,
    launch: &'a Launch<'a, E>,
    at: Offsets,
    batch: usize,
    block: usize,
    rows: std::ops::Range<usize>,
    packed: *mut Packed,
    a: *mut E,
    b: *mut E,
    sums: *mut E,
    /// Errors of the sums, if K is split.
    low: *mut E,
}

impl<S: Simd, E: Element> TaskState<'_, S, E> {
    /// Computes the rows of the task in some panels. Their sums are stored together between the parts of K.
    ///
    /// # Safety
    /// The launch's operands are valid, and no other thread writes this part of C.
    #[inline(always)]
    unsafe fn group(&self, panels: std::ops::Range<usize>) {
        let (k, k_part) = (self.launch.shape.k, self.launch.blocking.k_part);
        let mut start = 0;
        loop {
            let part = start..(start + k_part).min(k);
            // SAFETY: the caller vouches for the operands and for this part of C; the panels and the part of K lie inside the product, and
            // scratch memory has room for their packed forms.
            unsafe {
                self.pack_a(part.clone());
                for panel in panels.clone() {
                    self.panel(panel, panel - panels.start, part.clone());
                }
            }
            start = part.end;
            if start >= k {
                return;
            }
        }
    }

    /// # Safety
    /// A is valid.
    #[inline(always)]
    unsafe fn pack_a(&self, part: std::ops::Range<usize>) {
        let Launch { shape, blocking, a, .. } = *self.launch;
        // If K is split, the block changes from part to part.
        let whole = blocking.k_part >= shape.k;
        let start = if let LhsAt::Strided(_) = a { self.at.a } else { self.batch };
        let wanted = Packed { start, block: self.block };
        // SAFETY: the mark is on a cache line of this thread; the block fits (see `scratch_parts`); the rows and the part lie in A.
        unsafe {
            if whole && *self.packed == wanted {
                return;
            }
            *self.packed = wanted;
            if part.is_empty() {
                return;
            }
            match a {
                LhsAt::Strided(a) => pack::block_of_a::<S, E::Vec<S>>(
                    self.token,
                    a.add(self.at.a + self.rows.start * shape.a.row + part.start * shape.a.col),
                    shape.a,
                    self.rows.len(),
                    part.len(),
                    self.a,
                ),
                LhsAt::Rows(a) => {
                    let runs = part.clone().step_by(K_RUN).enumerate();
                    for (run, start) in runs {
                        let columns = start..(start + K_RUN).min(part.end);
                        let target = self.a.add(run * self.rows.len() * A_STEP);
                        a.read(self.batch, self.rows.clone(), columns, target, A_STEP);
                    }
                }
            }
        }
    }

    /// Computes the rows of the task in one panel, over one part of K.
    ///
    /// # Safety
    /// As for [`group`](Self::group), and the part of A is packed.
    #[inline(always)]
    unsafe fn panel(&self, panel: usize, in_group: usize, part: std::ops::Range<usize>) {
        let Launch { shape, blocking, c, epilogue, .. } = *self.launch;
        let size = blocking.tile;
        let layout = PanelLayout { k: shape.k, n: shape.n, tile: size };
        let (columns, width) = (layout.columns(panel), layout.width(panel));
        let rows = self.rows.len();
        let tiles = rows.div_ceil(size.rows);
        let (first, last) = (part.start == 0, part.end == shape.k);
        let cut = blocking.cut;
        // SAFETY: the panel lies in B; tiles lie in the packed block, in the sums and in C, at rows below
        // `rows` and columns below `columns` (in scratch memory: `width`).
        unsafe {
            let PanelOfB { start: b, step: b_step, next } =
                self.panel_of_b(layout, panel, part.clone(), tiles);
            for index in 0..tiles {
                let tile_rows = super::plan::part(rows, tiles, index);
                let (row, column) = (self.rows.start + tile_rows.start, panel * size.width);
                let to = c.wrapping_add(self.at.c + row * shape.c_row + column);
                let direct = !cut && columns == width && epilogue.is_none();
                let sums_step = blocking.group * size.width;
                let waiting = if cut { tile_rows.start * sums_step + in_group * size.width } else { 0 };
                let onto = match cut {
                    true => Onto::Parts { low: self.low.add(waiting), is_first: first, is_last: last },
                    false => Onto::Nothing,
                };
                let (sums, step) =
                    if direct { (to, shape.c_row) } else { (self.sums.add(waiting), sums_step) };
                let ahead = next.map_or(Ahead::NOTHING, |(next, bytes)| {
                    Ahead::share(next, bytes, part.len(), index, tiles)
                });
                let tile = Tile {
                    a: self.a.add(tile_rows.start * A_STEP),
                    a_run_step: rows * A_STEP,
                    b: std::ptr::null::<E>(),
                    b_step,
                    k: part.len(),
                    c: sums,
                    c_step: step,
                    onto,
                    target: to,
                    target_step: shape.c_row,
                    ahead,
                };
                let (token, rows, vectors) = (self.token, tile_rows.len(), width / size.lanes);
                match b {
                    PanelStart::Own(b) => {
                        tile::compute::<S, E::Vec<S>, tile::Own, false>(token, rows, vectors, &tile.on(b));
                    }
                    PanelStart::Narrow(form, b) => E::narrow_tile(token, form, rows, vectors, &tile.on(b)),
                }
                if last && !direct {
                    let (to, to_step) = if epilogue.skips_store { (sums, step) } else { (to, shape.c_row) };
                    let sums = Sums {
                        from: sums,
                        from_step: step,
                        to,
                        to_step,
                        rows: tile_rows.len(),
                        columns,
                        batch: self.batch,
                        row,
                        column,
                        residual_offset: self.at.residual,
                    };
                    epilogue::finish(self.token, epilogue, &sums);
                }
            }
        }
    }

    /// Returns a panel of B over one part of K. Packs or widens it into scratch memory unless it can be read in place.
    ///
    /// # Safety
    /// B is valid.
    #[inline(always)]
    unsafe fn panel_of_b(
        &self,
        layout: PanelLayout,
        panel: usize,
        part: std::ops::Range<usize>,
        tiles: usize,
    ) -> PanelOfB<E> {
        let (columns, width) = (layout.columns(panel), layout.width(panel));
        let in_panel = layout.start(panel) + part.start * width;
        let in_scratch = PanelOfB { start: PanelStart::Own(self.b.cast_const()), step: width, next: None };
        if part.is_empty() {
            return in_scratch;
        }
        // SAFETY: the panel and the part lie in B; a panel fits into the scratch memory.
        unsafe {
            match self.launch.b {
                RhsSource::Packed(Panels::Native(start)) => {
                    let start = start.add(in_panel);
                    // A panel that is read only once is streamed: what follows it is read next. A panel that several tiles read stays in
                    // the cache, and between the tiles the next panel is prefetched.
                    let distance = if tiles == 1 { STREAM_AHEAD / size_of::<E>() } else { layout.k * width };
                    let next = start.wrapping_add(distance).cast();
                    let next = Some((next, part.len() * width * size_of::<E>()));
                    PanelOfB { start: PanelStart::Own(start), step: width, next }
                }
                RhsSource::Packed(Panels::Narrow(form, start)) if self.rows.len() <= E::MOST_NARROW_ROWS => {
                    let start = start.add(in_panel);
                    let next = start.cast::<u8>().wrapping_add(STREAM_AHEAD);
                    let next = Some((next, part.len() * width * size_of::<u16>()));
                    PanelOfB { start: PanelStart::Narrow(form, start), step: width, next }
                }
                RhsSource::Packed(Panels::Narrow(form, start)) => {
                    E::widen(self.token, form, start.add(in_panel), part.len() * width, self.b);
                    in_scratch
                }
                RhsSource::Narrow(form, start, steps) => {
                    let column = panel * layout.tile.width;
                    let source = start.add(self.at.b + part.start * steps.row + column * steps.col);
                    // If columns are contiguous, the next panel is prefetched while this one is multiplied.
                    let k = self.launch.shape.k;
                    let is_dense = steps.row == 1 && steps.col == k && self.launch.blocking.k_part >= k;
                    let next = is_dense.then(|| {
                        let after = start.wrapping_add(self.at.b + (column + columns) * k);
                        let bytes = columns * size_of::<u16>();
                        (after.cast::<u8>().wrapping_add(part.start * bytes), part.len() * bytes)
                    });
                    let of =
                        NarrowColumns { source, steps, k: part.len(), columns, width, is_fetched: is_dense };
                    if self.rows.len() > E::MOST_NARROW_ROWS {
                        widened_panel(self.token, form, of, self.b);
                        return PanelOfB { next, ..in_scratch };
                    }
                    let target = self.b.cast::<u16>();
                    pack::narrow_panel(self.token, of, target);
                    PanelOfB { start: PanelStart::Narrow(form, target), step: width, next }
                }
                RhsSource::Rows(rows) => {
                    let column = panel * layout.tile.width;
                    read_panel(rows, self.batch, part, column, columns, width, self.b);
                    in_scratch
                }
                RhsSource::Strided(start, steps) => {
                    let column = panel * layout.tile.width;
                    let source = start.add(self.at.b + part.start * steps.row + column * steps.col);
                    // Only one tile of rows reads the panel, so a copy would not pay.
                    if tiles == 1 && steps.col == 1 && columns == width {
                        return PanelOfB { start: PanelStart::Own(source), step: steps.row, next: None };
                    }
                    pack::panel_of_b::<S, E::Vec<S>>(
                        self.token,
                        source,
                        steps,
                        part.len(),
                        columns,
                        width,
                        self.b,
                    );
                    in_scratch
                }
            }
        }
    }
}

/// A panel of B that tiles can read.
struct PanelOfB<E> {
    start: PanelStart<E>,
    /// Elements from one row to the next.
    step: usize,
    /// What will be read next, and its size in bytes, if known.
    next: Option<(*const u8, usize)>,
}

/// The first element of a panel.
enum PanelStart<E> {
    Own(*const E),
    Narrow(Narrow, *const u16),
}

const _: () = assert!(size_of::<Packed>() <= LINE && K_RUN.is_multiple_of(16));
