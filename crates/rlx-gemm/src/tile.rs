//! The innermost loop of every matrix product: one tile of C, held in registers while K runs.
//!
//! For each [chain](Element::CHAIN) of K an element of C is `acc = a[k]·b[k] + acc` over rising `k`, and the sums of the chains are
//! added: the rounding errors of a long K do not grow with its length as those of one chain would. Chains begin at multiples of
//! their length whatever the tile is, which is why a result does not depend on how M and N are split.

use std::mem::MaybeUninit;

use rlx_simd::isa::Cpu;
use rlx_simd::simd::{F32Vector, Kernel, Simd, Vector};
use rlx_simd::sums::add_vector;

use super::Element;
use super::buffer::LINE;

/// Elements of K that lie together in a row of a packed A block.
pub const K_RUN: usize = 256;

/// Elements from one row of a packed A block to the next: a constant, so that the rows of a tile are
/// addressed from one pointer, and not a power of two, so that they fall into different cache sets.
pub const A_STEP: usize = K_RUN + 16;

/// The size of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSize {
    /// Rows of C.
    pub rows: usize,
    /// Columns of C.
    pub width: usize,
    /// Columns in a vector.
    pub lanes: usize,
}

impl TileSize {
    /// The size for an element type on an instruction set.
    pub fn of<E: Element>(cpu: Cpu) -> TileSize {
        struct Size<E>(std::marker::PhantomData<E>);

        impl<E: Element> Kernel for Size<E> {
            type Output = TileSize;

            #[inline(always)]
            fn run<S: Simd>(self, _token: S) -> TileSize {
                let lanes = E::Vec::<S>::LANES;
                TileSize { rows: S::TILE_ROWS, width: S::TILE_VECTORS * lanes, lanes }
            }
        }

        cpu.dispatch(Size::<E>(std::marker::PhantomData))
    }
}

/// How the columns of B lie in memory.
pub(crate) trait Columns<V: Vector> {
    /// An element as it is stored.
    type Stored;

    /// The most rows of a tile that is made of such columns.
    const MOST_ROWS: usize;

    /// Reads a vector of them.
    ///
    /// # Safety
    /// `source` is valid for reads of a vector's lanes.
    unsafe fn load(token: V::Token, source: *const Self::Stored) -> V;
}

/// Columns in the product's own type.
pub(crate) struct Own;

/// Columns of IEEE half precision, widened in registers. More rows than a few would widen the same elements again: they take copies that are
/// widened once.
pub(crate) struct F16;

/// Columns of bfloat16, widened in registers.
pub(crate) struct Bf16;

impl<V: Vector> Columns<V> for Own {
    type Stored = V::Elem;
    const MOST_ROWS: usize = usize::MAX;

    #[inline(always)]
    unsafe fn load(token: V::Token, source: *const V::Elem) -> V {
        // SAFETY: passed on from the caller.
        unsafe { V::load(token, source) }
    }
}

/// The most rows of a tile whose columns are widened in registers.
pub(crate) const MOST_NARROW_ROWS: usize = 4;

macro_rules! narrow {
    ($($columns:ident $load:ident)*) => {$(
        impl<V: F32Vector> Columns<V> for $columns {
            type Stored = u16;
            const MOST_ROWS: usize = MOST_NARROW_ROWS;

            #[inline(always)]
            unsafe fn load(token: V::Token, source: *const u16) -> V {
                // SAFETY: passed on from the caller.
                unsafe { V::$load(token, source) }
            }
        }
    )*};
}
narrow!(F16 load_f16 Bf16 load_bf16);

/// Steps of K between two looks at the loop counter.
const UNROLL: usize = 4;

/// Where a tile reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Tile<E, B = E> {
    /// Row 0 of the tile in a packed A block: rows `A_STEP` apart, runs of K `a_run_step` apart.
    pub a: *const E,
    /// Elements from one run of K to the next.
    pub a_run_step: usize,
    /// Row 0 of the columns of B.
    pub b: *const B,
    /// Elements from one row of B to the next.
    pub b_step: usize,
    /// Length of K.
    pub k: usize,
    /// Where the tile goes, whole vectors wide.
    pub c: *mut E,
    /// Elements from one row there to the next.
    pub c_step: usize,
    /// What the sums are added to.
    pub onto: Onto<E>,
    /// Where the finished tile will be stored, for prefetching; null if it is in the cache.
    pub target: *const E,
    /// Elements from one row there to the next.
    pub target_step: usize,
    /// What to prefetch while K runs.
    pub ahead: Ahead,
}

impl<E: Copy, B> Tile<E, B> {
    /// The same tile on the columns at `b`.
    pub(crate) fn on<C>(&self, b: *const C) -> Tile<E, C> {
        let &Tile { a, a_run_step, b: _, b_step, k, c, c_step, onto, target, target_step, ahead } = self;
        Tile { a, a_run_step, b, b_step, k, c, c_step, onto, target, target_step, ahead }
    }
}

/// What the sums of a tile are added to.
#[derive(Clone, Copy, Debug)]
pub enum Onto<E> {
    /// Nothing: they are stored.
    Nothing,
    /// What is in `c`, chain by chain.
    Total,
    /// What is in `c`, with the rounding error of that addition collected at `low`, in rows as far apart as those of `c`. So the
    /// number of parts that K is divided into does not count.
    Parts {
        /// The errors so far.
        low: *mut E,
        /// Whether there is no part before: `c` and `low` are written, not read.
        is_first: bool,
        /// Whether there is no part after: `c` becomes the sum of both.
        is_last: bool,
    },
}

/// Memory that will be read soon, in cache lines: `lines` of it every few steps of K.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Where it begins. Any address will do.
    pub start: *const u8,
    /// Cache lines.
    pub lines: usize,
}

impl Ahead {
    /// No memory.
    pub const NOTHING: Ahead = Ahead { start: std::ptr::null(), lines: 0 };

    /// Share `index` of `shares` of the `bytes` at `start`, spread over the loop of a tile of length `k`.
    #[inline]
    pub fn share(start: *const u8, bytes: usize, k: usize, index: usize, shares: usize) -> Ahead {
        let turns = (k / UNROLL).max(1);
        let lines = bytes.div_ceil(LINE * turns * shares);
        Ahead { start: start.wrapping_add(index * lines * turns * LINE), lines }
    }
}

/// A tile of a product of `E`, to be computed in code of its own (see [`Simd::outlined`]). `TURNED` says that A lies by columns: the
/// elements of a row of the tile are [`A_STEP`] apart, and its rows side by side.
#[derive(Debug)]
pub struct OneTile<'a, E, const TURNED: bool> {
    rows: usize,
    vectors: usize,
    tile: &'a Tile<E>,
}

impl<'a, E, const TURNED: bool> OneTile<'a, E, TURNED> {
    /// Rows and vectors of the tile, and where it lies.
    ///
    /// # Safety
    /// Until the tile has been computed: `rows` and `vectors` are at least 1 and at most those of the register tile, and the pointers
    /// of `tile` are valid for what it describes.
    #[inline(always)]
    pub unsafe fn new(rows: usize, vectors: usize, tile: &'a Tile<E>) -> Self {
        OneTile { rows, vectors, tile }
    }
}

impl<E: Element, const TURNED: bool> Kernel for OneTile<'_, E, TURNED> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        // SAFETY: whoever made this vouches for it.
        unsafe { compute::<S, E::Vec<S>, Own, TURNED>(token, self.rows, self.vectors, self.tile) }
    }
}

/// Computes a tile of `rows` rows and `vectors` vectors. `TURNED` says that A lies by columns: the elements of a row of the
/// tile are [`A_STEP`] apart, and its rows side by side.
///
/// # Safety
/// `1 <= rows <= S::TILE_ROWS.min(B::MOST_ROWS)`, `1 <= vectors <= S::TILE_VECTORS`, and the pointers of `tile` are valid for
/// what it describes.
#[inline(always)]
pub(crate) unsafe fn compute<
    S: Simd,
    V: Vector<Token = S, Elem: Element>,
    B: Columns<V>,
    const TURNED: bool,
>(
    token: S,
    rows: usize,
    vectors: usize,
    tile: &Tile<V::Elem, B::Stored>,
) {
    // SAFETY: the caller vouches for the tile; the arm chosen has as many vectors as it describes.
    unsafe {
        match vectors {
            1 => rows_of::<S, V, B, 1, TURNED>(token, rows, tile),
            2 if const { S::TILE_VECTORS >= 2 } => rows_of::<S, V, B, 2, TURNED>(token, rows, tile),
            3 if const { S::TILE_VECTORS >= 3 } => rows_of::<S, V, B, 3, TURNED>(token, rows, tile),
            _ => debug_assert!(false, "no tile of {vectors} vectors"),
        }
    }
}

/// # Safety
/// As [`compute`].
#[inline(always)]
unsafe fn rows_of<
    S: Simd,
    V: Vector<Token = S, Elem: Element>,
    B: Columns<V>,
    const VECTORS: usize,
    const TURNED: bool,
>(
    token: S,
    rows: usize,
    tile: &Tile<V::Elem, B::Stored>,
) {
    macro_rules! by_rows {
        ($($n:literal)*) => {
            match rows {
                // SAFETY: the caller vouches for the tile; the arm chosen has as many rows as it describes.
                $($n if const { S::TILE_ROWS >= $n && B::MOST_ROWS >= $n } => unsafe {
                    fixed::<S, V, B, $n, VECTORS, TURNED>(token, tile)
                },)*
                _ => debug_assert!(false, "no tile of {rows} rows"),
            }
        };
    }
    by_rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
}

/// # Safety
/// As [`compute`], for a tile of `ROWS` rows and `VECTORS` vectors.
#[inline(always)]
unsafe fn fixed<
    S: Simd,
    V: Vector<Token = S, Elem: Element>,
    B: Columns<V>,
    const ROWS: usize,
    const VECTORS: usize,
    const TURNED: bool,
>(
    token: S,
    tile: &Tile<V::Elem, B::Stored>,
) {
    let a_step = if TURNED { A_STEP } else { 1 };
    let zero = V::splat(token, Default::default());
    // The sums of the chains so far, which are added to once a chain: they are kept in memory, so that `acc` has the registers.
    let mut before = MaybeUninit::<[[V; VECTORS]; ROWS]>::uninit();
    let before = std::hint::black_box(before.as_mut_ptr()).cast::<V>();
    // SAFETY: the caller vouches for the pointers; `before` has room for all sums and is read after it was written.
    unsafe {
        let mut acc = [[zero; VECTORS]; ROWS];
        let mut has_before = matches!(tile.onto, Onto::Total);
        if has_before {
            for row in 0..ROWS {
                for vector in 0..VECTORS {
                    let total = V::load(token, tile.c.add(row * tile.c_step + vector * V::LANES));
                    before.add(row * VECTORS + vector).write(total);
                }
            }
        }
        for row in 0..if tile.target.is_null() { 0 } else { ROWS } {
            for vector in 0..VECTORS {
                token.prefetch(tile.target.wrapping_add(row * tile.target_step + vector * V::LANES));
            }
        }
        let mut ahead = tile.ahead.start;
        let (line_pairs, has_odd_line) = (tile.ahead.lines / 2, tile.ahead.lines % 2 == 1);
        let (mut a_run, mut b, mut left) = (tile.a, tile.b, tile.k);
        while left > 0 {
            let run = left.min(K_RUN);
            let mut a = a_run;
            // Unrolled by hand, so that counting takes few of the slots that multiply-adds could use.
            for _ in 0..run / UNROLL {
                for step in 0..UNROLL {
                    let a = a.add(step * a_step);
                    multiply::<V, B, ROWS, VECTORS, TURNED>(token, a, b, &mut acc);
                    b = b.add(tile.b_step);
                }
                if tile.ahead.lines > 0 {
                    for _ in 0..line_pairs {
                        token.prefetch(ahead);
                        token.prefetch(ahead.wrapping_add(LINE));
                        ahead = ahead.wrapping_add(2 * LINE);
                    }
                    if has_odd_line {
                        token.prefetch(ahead);
                        ahead = ahead.wrapping_add(LINE);
                    }
                }
                a = a.add(UNROLL * a_step);
            }
            for _ in 0..run % UNROLL {
                multiply::<V, B, ROWS, VECTORS, TURNED>(token, a, b, &mut acc);
                a = a.add(a_step);
                b = b.add(tile.b_step);
            }
            a_run = if TURNED { a } else { a_run.wrapping_add(tile.a_run_step) };
            left -= run;
            let ends_chain =
                const { V::Elem::CHAIN == K_RUN } || (tile.k - left).is_multiple_of(V::Elem::CHAIN);
            if left > 0 && ends_chain {
                // Rows and vectors by their numbers, as everywhere here: only so do the sums stay in registers.
                for (row, acc) in acc.iter_mut().enumerate() {
                    for (vector, acc) in acc.iter_mut().enumerate() {
                        let before = before.add(row * VECTORS + vector);
                        before.write(if has_before { before.read() + *acc } else { *acc });
                        *acc = zero;
                    }
                }
                has_before = true;
            }
        }
        if has_before {
            for (row, acc) in acc.iter_mut().enumerate() {
                for (vector, acc) in acc.iter_mut().enumerate() {
                    *acc = before.add(row * VECTORS + vector).read() + *acc;
                }
            }
        }
        let Onto::Parts { low, is_first, is_last } = tile.onto else {
            for (row, acc) in acc.iter().enumerate() {
                for (vector, acc) in acc.iter().enumerate() {
                    acc.store(tile.c.add(row * tile.c_step + vector * V::LANES));
                }
            }
            return;
        };
        // From memory: a loop with a longer body is not written out, and sums that it finds by number would not stay in registers.
        for (row, acc) in acc.iter().enumerate() {
            for (vector, &acc) in acc.iter().enumerate() {
                before.add(row * VECTORS + vector).write(acc);
            }
        }
        for row in 0..ROWS {
            for vector in 0..VECTORS {
                let at = row * tile.c_step + vector * V::LANES;
                let (sum, c) = (before.add(row * VECTORS + vector).read(), tile.c.add(at));
                add_vector(token, sum, [c, low.add(at)], c, [is_first, is_last]);
            }
        }
    }
}

/// Adds the product of one column of A and one row of B.
///
/// # Safety
/// `a` is valid for `ROWS` elements, `A_STEP` apart or side by side, `b` for `VECTORS` vectors.
#[inline(always)]
unsafe fn multiply<V: Vector, B: Columns<V>, const ROWS: usize, const VECTORS: usize, const TURNED: bool>(
    token: V::Token,
    a: *const V::Elem,
    b: *const B::Stored,
    acc: &mut [[V; VECTORS]; ROWS],
) {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        let mut columns = [V::splat(token, Default::default()); VECTORS];
        for (vector, column) in columns.iter_mut().enumerate() {
            *column = B::load(token, b.add(vector * V::LANES));
        }
        for (row, acc) in acc.iter_mut().enumerate() {
            let factor = V::splat(token, *a.add(row * if TURNED { 1 } else { A_STEP }));
            for (vector, acc) in acc.iter_mut().enumerate() {
                *acc = factor.mul_add(columns[vector], *acc);
            }
        }
    }
}
