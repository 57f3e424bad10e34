//! Eigenvalues of Hermitian matrices and singular values, by reduction to few diagonals and divide and conquer. Real matrices use
//! algorithms of this crate ([`real`]), which threads share. Complex ones ([`complex`]) use `faer`'s, on one thread, except for the
//! singular values of the bidiagonal matrices that they are reduced to.

mod complex;
mod real;

use super::number::Number;
use super::qr::{self, Work, power_of_two};
use faer::dyn_stack::{MemStack, StackReq};
use faer::{MatMut, MatRef, c64};
use rlx_driver::LINE;
use rlx_pool::Pool;
use rlx_simd::isa::Cpu;

/// A number type whose matrices have their eigenvalues and singular values computed.
pub(super) trait Spectrum: Number {
    /// Returns the working memory that [`eigenvalues`](Spectrum::eigenvalues) needs for matrices of this order.
    fn eigh_scratch(n: usize) -> StackReq;

    /// Returns the working memory that [`singular_values`](Spectrum::singular_values) needs for matrices of this size.
    fn svd_scratch(m: usize, n: usize, full: bool) -> StackReq;

    /// Computes eigenvalues in ascending order, and eigenvectors as columns, of the Hermitian matrix in the lower triangle of `a`, which is
    /// stored column by column and has zeros above the diagonal. Returns whether they were found.
    fn eigenvalues(
        on: (Cpu, &Pool),
        a: &mut [Self],
        n: usize,
        values: &mut [Self],
        vectors: &mut [Self],
        stack: &mut MemStack,
    ) -> bool;

    /// Computes singular values in descending order, and left and right singular vectors as columns, of an `m × n` matrix that is stored
    /// column by column. Returns whether they were found.
    fn singular_values(
        on: (Cpu, &Pool),
        a: &mut [Self],
        size: [usize; 2],
        results: (&mut [Self], &mut [Self], &mut [Self]),
        stack: &mut MemStack,
    ) -> bool;
}

/// Implements [`Spectrum`] with the functions of a module.
macro_rules! spectrum {
    ($module:ident: $($number:ty)*) => {
        $(impl Spectrum for $number {
            fn eigh_scratch(n: usize) -> StackReq {
                $module::eigh_scratch::<$number>(n)
            }
            fn svd_scratch(m: usize, n: usize, full: bool) -> StackReq {
                $module::svd_scratch::<$number>(m, n, full)
            }
            fn eigenvalues(
                on: (Cpu, &Pool),
                a: &mut [$number],
                n: usize,
                values: &mut [$number],
                vectors: &mut [$number],
                stack: &mut MemStack,
            ) -> bool {
                $module::eigh(on, a, n, (values, vectors), stack)
            }
            fn singular_values(
                on: (Cpu, &Pool),
                a: &mut [$number],
                size: [usize; 2],
                results: (&mut [$number], &mut [$number], &mut [$number]),
                stack: &mut MemStack,
            ) -> bool {
                $module::svd(on, a, size, results, stack)
            }
        })*
    };
}
spectrum!(real: f32 f64);
spectrum!(complex: c64);

fn request<T>(len: usize) -> StackReq {
    StackReq::new_aligned::<T>(len, LINE)
}

/// Makes a list of zeros on the stack.
macro_rules! list {
    ($stack:ident, $number:ty, $len:expr) => {{
        let (list, rest) = $stack.make_aligned_with::<$number>($len, LINE, |_| <$number>::default());
        $stack = rest;
        list
    }};
}
use list;

/// Returns the working memory for multiplying `columns` columns of `m` rows by reflectors.
fn reflectors_scratch<T>(m: usize, columns: usize) -> StackReq {
    StackReq::all_of(&Work::<T>::lengths(m, columns).map(request::<T>))
}

/// Calls `body` with the working memory for reflections of `columns` columns of `m` rows.
fn with_work<T: Number + Default>(
    pool: &Pool,
    [m, columns]: [usize; 2],
    mut stack: &mut MemStack,
    body: impl FnOnce(&mut Work<'_, T>),
) {
    let [v, products, s] = Work::<T>::lengths(m, columns);
    let mut lists = (list!(stack, T, v), list!(stack, T, products), list!(stack, T, s));
    let _ = stack;
    body(&mut Work { pool, v: &mut lists.0, products: &mut lists.1, s: &mut lists.2 });
}

/// Multiplies the columns of `b` by the product of reflectors.
fn multiply<T: Number + Default>(
    pool: &Pool,
    packed: MatRef<'_, T>,
    taus: &[T],
    b: MatMut<'_, T>,
    stack: &mut MemStack,
) {
    with_work(pool, [b.nrows(), b.ncols()], stack, |work| qr::multiply(packed, taus, b, work));
}

/// A matrix with more than this many rows per three columns is reduced to a triangle first.
const TALL: usize = 5;

fn is_tall(m: usize, n: usize) -> bool {
    3 * m > TALL * n
}

/// Scales a matrix of extreme size so that squares neither overflow nor underflow, and returns the factor. Returns `None` if an element is
/// not finite.
fn scale<T: Number>(a: &mut [T]) -> Option<f64> {
    // The maximum ignores NaN.
    let (largest, finite) =
        a.iter().fold((0f64, true), |(m, finite), x| (m.max(x.abs1()), finite && x.is_finite()));
    if !finite {
        return None;
    }
    if largest == 0.0 || (T::SMALL..1.0 / T::SMALL).contains(&largest) {
        return Some(1.0);
    }
    let factor = power_of_two(largest);
    a.iter_mut().for_each(|x| *x = x.scaled(factor));
    Some(factor)
}

/// Computes eigenvalues in ascending order, and eigenvectors as columns, of the Hermitian matrix in the lower triangle of `a`, which is
/// stored column by column and may contain anything above the diagonal. All results are NaN if the matrix is not finite.
pub(super) fn eigh<T: Spectrum>(
    on: (Cpu, &Pool),
    a: &mut [T],
    n: usize,
    (values, vectors): (&mut [T], &mut [T]),
    stack: &mut MemStack,
) {
    for j in 0..n {
        // Elements that are not read must not influence the scale.
        a[j * n..j * n + j].fill(T::ZERO);
        a[j * n + j] = T::from_parts(a[j * n + j].parts().0, 0.0);
    }
    let factor = scale(a);
    match factor.filter(|_| n > 0 && T::eigenvalues(on, a, n, values, vectors, stack)) {
        Some(factor) => values.iter_mut().for_each(|x| *x = x.scaled(1.0 / factor)),
        None => {
            values.fill(T::nan());
            vectors.fill(T::nan());
        }
    }
}

/// Computes singular values in descending order, and left and right singular vectors as columns, of an `m × n` matrix that is stored column
/// by column. All results are NaN if the matrix is not finite.
pub(super) fn singular<T: Spectrum>(
    on: (Cpu, &Pool),
    a: &mut [T],
    size: [usize; 2],
    (u, s, v): (&mut [T], &mut [T], &mut [T]),
    stack: &mut MemStack,
) {
    let factor = scale(a);
    match factor.filter(|_| T::singular_values(on, a, size, (u, s, v), stack)) {
        Some(factor) => s.iter_mut().for_each(|x| *x = x.scaled(1.0 / factor)),
        None => {
            u.fill(T::nan());
            s.fill(T::nan());
            v.fill(T::nan());
        }
    }
}
