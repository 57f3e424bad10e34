//! Computes large products with a BLAS library, if the program is built with one.
//!
//! A product is divided into pieces of C in a way that depends only on its shape, and a thread computes one piece at a time: first the
//! library computes its sums, then our own code the epilogue, while the piece is in the cache. So a result does not depend on the number of
//! threads, unless the library's own result for one and the same piece does. It does depend on the library.

use rlx_pool::{Pool, Task};
use rlx_simd::isa::Cpu;

use super::Element;
use super::epilogue::{Epilogue, Finish, Sums};
use super::execute::Launch;
use super::plan::part;
use super::shape::{GemmShape, RhsForm, Steps};
use super::{LhsAt, execute::RhsSource};

/// Whether this program is built with a library.
pub(super) const BUILT_IN: bool = cfg!(feature = "_blas");

/// Returns the name of the library that this program is built with, as the library reports it.
pub fn name() -> Option<String> {
    #[cfg(feature = "_blas")]
    return Some(rlx_blas::describe());
    #[cfg(not(feature = "_blas"))]
    None
}

/// Products with fewer multiply-adds, or with a shorter side, are computed by our own code, because a library gains nothing.
const LARGE: usize = 1 << 21;
const SHORTEST: usize = 64;

/// Sums of more terms are computed by our own code. Libraries do not state how exact theirs are, and many add blocks of a few hundred terms
/// in one chain.
const MOST_TERMS: usize = 1 << 16;

/// Approximate multiply-adds of a piece, which take some tenths of a millisecond.
const PIECE: usize = 1 << 25;
/// The maximum number of pieces of one product, and the minimum side of a piece. Each piece packs its operands again.
const PIECES: usize = 64;
const PIECE_SIDE: usize = 192;

/// How a library computes a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlasPlan {
    /// Number of pieces along the rows of C, and along its columns.
    rows: usize,
    columns: usize,
    a: Stored,
    b: Stored,
}

/// How a matrix is stored: row by row or column by column, this many elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stored {
    step: i32,
    by_columns: bool,
}

impl Stored {
    fn of(steps: Steps, rows: usize, columns: usize) -> Option<Stored> {
        let (step, by_columns, length) = match steps {
            Steps { row, col: 1 } => (row, false, columns),
            Steps { row: 1, col } => (col, true, rows),
            _ => return None,
        };
        // With a step shorter than a row, matrices overlap themselves, such as repeated rows.
        let step = i32::try_from(step).ok().filter(|_| step >= length)?;
        Some(Stored { step, by_columns })
    }
}

impl BlasPlan {
    /// Plans the product for the library, if it can and should compute it.
    pub(super) fn new(shape: &GemmShape) -> Option<BlasPlan> {
        let &GemmShape { m, n, k, .. } = shape;
        let RhsForm::Strided(b) = shape.b else { return None };
        let work = m.checked_mul(n)?.checked_mul(k)?;
        if work < LARGE || m.min(n).min(k) < SHORTEST || k > MOST_TERMS {
            return None;
        }
        for size in [m, n, k, shape.c_row] {
            i32::try_from(size).ok()?;
        }
        let (a, b) = (Stored::of(shape.a, m, k)?, Stored::of(b, k, n)?);
        let (mut rows, mut columns) = (1, 1);
        let wanted = (work / PIECE).min(PIECES);
        while rows * columns < wanted {
            let (height, width) = (m / rows, n / columns);
            if height.max(width) < 2 * PIECE_SIDE {
                break;
            }
            if height > width { rows *= 2 } else { columns *= 2 }
        }
        Some(BlasPlan { rows, columns, a, b })
    }

    /// Returns whether the library can compute this run of the product: the operands must be in memory, and C must be able to hold sums
    /// before the residual is read.
    pub(super) fn takes<E: Element>(&self, launch: &Launch<'_, E>) -> bool {
        let strided = matches!((launch.a, launch.b), (LhsAt::Strided(_), RhsSource::Strided(..)));
        let apart = launch.epilogue.residual.is_none_or(|r| !std::ptr::eq(r.start, launch.c));
        strided && apart && !launch.epilogue.skips_store
    }

    /// Computes the product.
    ///
    /// # Safety
    /// The launch's operands are valid, and the library accepts it.
    pub(super) unsafe fn run<E: Element>(&self, pool: &Pool, cpu: Cpu, launch: &Launch<'_, E>) {
        let pieces = self.rows * self.columns;
        pool.run(launch.blocking.batches * pieces, |Task { index, .. }| {
            let piece = Piece::new(self, launch.shape, index / pieces, index % pieces);
            // SAFETY: the operands are valid, and pieces do not overlap.
            unsafe { piece.sums(self, launch) };
            if !launch.epilogue.is_none() {
                E::finish(cpu, finished(&piece, launch.shape, launch.c, launch.epilogue));
            }
        });
    }
}

/// A piece of C: the index of the product, and a range of rows and columns.
#[derive(Clone, Debug)]
struct Piece {
    batch: usize,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl Piece {
    fn new(cut: &BlasPlan, shape: &GemmShape, batch: usize, index: usize) -> Piece {
        let rows = part(shape.m, cut.rows, index / cut.columns);
        let columns = part(shape.n, cut.columns, index % cut.columns);
        Piece { batch, rows, columns }
    }

    /// Writes the sums of the piece to C.
    ///
    /// # Safety
    /// As for [`BlasPlan::run`], and nobody else uses this piece of C.
    unsafe fn sums<E: Element>(&self, cut: &BlasPlan, launch: &Launch<'_, E>) {
        let (LhsAt::Strided(a), RhsSource::Strided(b, b_steps)) = (launch.a, launch.b) else { return };
        let (shape, at) = (launch.shape, launch.shape.offsets(self.batch));
        let (row, column) = (self.rows.start, self.columns.start);
        let call = Call {
            // INVARIANT: sizes and steps were checked to fit `i32` when the product was planned.
            sizes: [self.rows.len(), self.columns.len(), shape.k].map(|size| size as i32),
            // In bounds: the piece begins inside each operand.
            a: (a.wrapping_add(at.a + row * shape.a.row), cut.a),
            b: (b.wrapping_add(at.b + column * b_steps.col), cut.b),
            c: launch.c.wrapping_add(at.c + row * shape.c_row + column),
            c_step: shape.c_row as i32,
        };
        // SAFETY: the caller vouches for the operands; the piece lies inside them, and no other task has this piece of C.
        unsafe { call.run() };
    }
}

/// A call of the library.
#[cfg_attr(not(feature = "_blas"), expect(dead_code, reason = "nothing to call"))]
struct Call<E> {
    sizes: [i32; 3],
    a: (*const E, Stored),
    b: (*const E, Stored),
    c: *mut E,
    c_step: i32,
}

#[cfg(feature = "_blas")]
impl<E: Element> Call<E> {
    /// # Safety
    /// As for `rlx_blas::sgemm`.
    unsafe fn run(self) {
        // SAFETY: the caller vouches for the operands, and elements are `f32` or `f64`, which their size distinguishes.
        unsafe {
            match size_of::<E>() {
                4 => rlx_blas::sgemm(&self.product()),
                _ => rlx_blas::dgemm(&self.product()),
            }
        }
    }

    fn product<T>(self) -> rlx_blas::Product<T> {
        let [m, n, k] = self.sizes;
        let matrix = |(start, Stored { step, by_columns }): (*const E, Stored)| rlx_blas::Matrix {
            start: start.cast(),
            step,
            by_columns,
        };
        let (a, b) = (matrix(self.a), matrix(self.b));
        rlx_blas::Product { m, n, k, a, b, c: self.c.cast(), c_step: self.c_step }
    }
}

#[cfg(not(feature = "_blas"))]
impl<E: Element> Call<E> {
    /// Does nothing: without a library no product is planned for one.
    ///
    /// # Safety
    /// None.
    unsafe fn run(self) {
        debug_assert!(false, "a product was planned for a library that is not built in");
    }
}

/// Applies the epilogue to a piece whose sums are in C. The code that runs it vouches for the piece and for operands that cover it.
fn finished<'a, E: Element>(
    piece: &Piece,
    shape: &GemmShape,
    c: *mut E,
    epilogue: &'a Epilogue<'a, E>,
) -> Finish<'a, E> {
    let at = shape.offsets(piece.batch);
    let start = c.wrapping_add(at.c + piece.rows.start * shape.c_row + piece.columns.start);
    let sums = Sums {
        from: start.cast_const(),
        from_step: shape.c_row,
        to: start,
        to_step: shape.c_row,
        rows: piece.rows.len(),
        columns: piece.columns.len(),
        batch: piece.batch,
        row: piece.rows.start,
        column: piece.columns.start,
        residual_offset: at.residual,
    };
    Finish { epilogue, sums }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Given, Numbers};
    use super::super::{BatchDim, Gemm, Join, Rhs};
    use super::*;
    use crate::{Activation, PackedB};
    use rlx_simd::isa::Isa;

    fn cut(shape: &GemmShape) -> Option<(usize, usize)> {
        BlasPlan::new(shape).map(|cut| (cut.rows, cut.columns))
    }

    #[test]
    fn large_products_of_plain_matrices_are_cut_by_their_shape() {
        let plain = |m, n, k| cut(&GemmShape::row_major(m, n, k));
        assert_eq!(plain(128, 128, 127), None, "too small");
        assert_eq!(plain(63, 4000, 4000), None, "too flat");
        assert_eq!(plain(64, 64, MOST_TERMS + 1), None, "too many terms");
        assert_eq!(plain(64, 64, MOST_TERMS), Some((1, 1)));
        assert_eq!(plain(128, 128, 128), Some((1, 1)));
        assert_eq!(plain(128, 384, 1536), Some((1, 2)));
        assert_eq!(plain(1536, 384, 128), Some((2, 1)));
        assert_eq!(plain(1024, 1024, 1024), Some((4, 4)));
        assert_eq!(plain(9000, 9000, 9000), Some((8, 8)));
        assert_eq!(plain(usize::MAX / 2, usize::MAX / 2, 64), None, "too large for a library's integers");

        let square = GemmShape::row_major(200, 200, 200);
        let with_b = |b| cut(&GemmShape { b, ..square.clone() });
        assert_eq!(with_b(RhsForm::Strided(Steps { row: 1, col: 207 })), Some((1, 1)), "transposed");
        assert_eq!(with_b(RhsForm::Strided(Steps { row: 0, col: 1 })), None, "one row repeated");
        assert_eq!(with_b(RhsForm::Strided(Steps { row: 400, col: 2 })), None, "every other column");
        assert_eq!(with_b(RhsForm::Packed), None);
        assert_eq!(with_b(RhsForm::Rows), None);
    }

    fn run<E: Element>(gemm: &Gemm<E>, a: &[E], b: Rhs<'_, E>, c: &mut [E], epilogue: &Epilogue<'_, E>) {
        let mut scratch = vec![0xffu8; gemm.scratch_bytes()];
        gemm.run(&Pool::new(2).unwrap(), a, b, c, epilogue, &mut scratch).unwrap();
    }

    /// Given the same sums, an epilogue over finished pieces computes the same bits as one that is fused into the product.
    fn same_bits<E: Element>(cpu: Cpu) {
        let mut numbers = Numbers::new(3);
        let (m, n, k) = (131, 409, 260);
        let shape = GemmShape { c_row: n + 3, ..GemmShape::with_packed(m, n, k) };
        let reach = shape.extents().unwrap().c;
        let cut = BlasPlan { rows: 2, columns: 3, ..BlasPlan::new(&GemmShape::row_major(m, n, k)).unwrap() };
        let (a, b) = (numbers.fill::<E>(m * k), numbers.fill::<E>(k * n));
        let packed = PackedB::pack(&Pool::new(2).unwrap(), cpu, k, n, Steps::row_major(n), &b).unwrap();
        let (bias, residual) = (numbers.fill::<E>(n), numbers.fill::<E>(m * n));
        let gemm = Gemm::new(cpu, shape.clone(), 2).unwrap();
        let joins = [Join::AddBefore, Join::AddAfter, Join::MultiplyAfter];
        let activations = [Activation::Identity, Activation::Gelu, Activation::Silu];
        for (join, activation) in joins.into_iter().zip(activations) {
            let epilogue = Epilogue::none().scale(E::from_f64(0.3)).activation(activation);
            let epilogue = epilogue.column_bias(&bias).residual(join, &residual, n);
            let (mut fused, mut apart) = (vec![E::ZERO; reach], vec![E::ZERO; reach]);
            run(&gemm, &a, Rhs::Packed(&packed), &mut fused, &epilogue);
            run(&gemm, &a, Rhs::Packed(&packed), &mut apart, &Epilogue::none());
            for index in 0..cut.rows * cut.columns {
                let piece = Piece::new(&cut, &shape, 0, index);
                cpu.dispatch(finished(&piece, &shape, apart.as_mut_ptr(), &epilogue));
            }
            assert!(fused == apart, "{} {join:?} {activation:?}", cpu.isa());
        }
    }

    #[test]
    fn an_epilogue_over_pieces_has_the_bits_of_a_fused_one() {
        for isa in Isa::available() {
            let cpu = Cpu::with_isa(isa).unwrap();
            same_bits::<f32>(cpu);
            same_bits::<f64>(cpu);
        }
    }

    /// Compares batches of matrices in every form that a library accepts, with gaps, with the definition.
    fn by_definition<E: Element>(epsilon: f64) {
        let mut numbers = Numbers::new(5);
        let cpu = Cpu::detect();
        for (m, n, k) in [(130, 131, 129), (64, 513, 70), (401, 66, 100)] {
            let a_forms = [Steps { row: k + 1, col: 1 }, Steps { row: 1, col: m + 2 }];
            let b_forms = [Steps { row: n, col: 1 }, Steps { row: 1, col: k + 5 }];
            for (a_steps, steps) in a_forms.into_iter().flat_map(|a| b_forms.map(|b| (a, b))) {
                let far = 3 * (m + n + k) * (m + n + k);
                let dim = BatchDim { size: 2, a: far, b: far + 7, c: far, residual: far };
                let shape = GemmShape {
                    a: a_steps,
                    b: RhsForm::Strided(steps),
                    c_row: n + 1,
                    batch: vec![dim],
                    ..GemmShape::row_major(m, n, k)
                };
                let extents = shape.extents().unwrap();
                let (a, b) = (numbers.fill::<E>(extents.a), numbers.fill::<E>(extents.b));
                let residual = numbers.fill::<E>(extents.c);
                let gemm = Gemm::new(cpu, shape.clone(), 2).unwrap();
                assert_eq!(gemm.is_for_library(), BUILT_IN);
                let given = Given { shape: &shape, a: &a, b: &b, steps };
                let mut c = vec![E::from_f64(77.0); extents.c];
                run(&gemm, &a, Rhs::Strided(&b), &mut c, &Epilogue::none());
                given.check("library", &c, epsilon, |sum, _, _, _| sum);

                let other = |batch: usize, row: usize, column: usize| {
                    residual[batch * far + row * (n + 1) + column].to_f64()
                };
                let added = Epilogue::none().residual(Join::AddAfter, &residual, n + 1);
                let mut c = vec![E::from_f64(77.0); extents.c];
                run(&gemm, &a, Rhs::Strided(&b), &mut c, &added);
                given.check("residual", &c, epsilon, |sum, b, r, col| sum + other(b, r, col));

                // A residual in the place of C is read before sums are written.
                let mut c = residual.clone();
                // SAFETY: it is C.
                let added = unsafe { Epilogue::none().residual_at(Join::AddAfter, c.as_ptr(), n + 1) };
                run(&gemm, &a, Rhs::Strided(&b), &mut c, &added);
                let places = (0..2).flat_map(|b| (0..m).flat_map(move |r| (0..n).map(move |c| (b, r, c))));
                let mut in_place = vec![E::from_f64(77.0); extents.c];
                places.map(|(b, r, col)| b * far + r * (n + 1) + col).for_each(|at| in_place[at] = c[at]);
                given.check("in place", &in_place, epsilon, |sum, b, r, col| sum + other(b, r, col));
            }
        }
    }

    #[test]
    fn large_products_are_those_of_the_definition() {
        by_definition::<f32>(1.2e-7);
        by_definition::<f64>(2.3e-16);
    }
}
