//! Householder QR factorization in LAPACK's conventions, by panels whose reflectors are applied together. Their product is `I - V S⁻¹ Vᴴ`,
//! where S is the upper triangle of `Vᴴ V` with the inverses of τ on its diagonal (Schreiber and Van Loan, "A storage-efficient WY
//! representation for products of Householder transformations", 1989; Puglisi, 1992).
//!
//! `faer`'s own factorization leaves out columns that depend on others and makes R's diagonal complex, and its products of reflectors
//! support only unitary ones.

use super::column;
use super::number::Number;
use super::share::by_columns;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::*;
use faer::{Accum, MatMut, MatRef, Par};
use rlx_pool::{Pool, SharedPtr};

/// Number of reflectors that are applied together.
pub const PANEL: usize = 32;

/// Maximum number of columns of a panel that are reflected one at a time.
const FEW: usize = 4;

/// Working memory for reflections, with any contents, and the threads to use. The lists V, `Vᴴ B` and S have the numbers of elements that
/// [`lengths`](Work::lengths) returns.
#[derive(Debug)]
pub struct Work<'a, T> {
    /// The threads.
    pub pool: &'a Pool,
    /// V.
    pub v: &'a mut [T],
    /// `Vᴴ B`.
    pub products: &'a mut [T],
    /// S.
    pub s: &'a mut [T],
}

impl<T> Work<'_, T> {
    /// Returns the number of elements of each list, for matrices of `m` rows whose reflectors are applied to up to `columns` columns.
    pub fn lengths(m: usize, columns: usize) -> [usize; 3] {
        [m * PANEL, columns * PANEL, PANEL * PANEL]
    }
}

/// Replaces an `m × n` matrix with contiguous columns by R and its reflectors, packed.
pub(super) fn factorize<T: Number>(mut a: MatMut<'_, T>, taus: &mut [T], work: &mut Work<'_, T>) {
    for (which, taus) in taus.chunks_mut(PANEL).enumerate() {
        let (first, width) = (which * PANEL, taus.len());
        let (mut panel, rest) = a.rb_mut().get_mut(first.., first..).split_at_col_mut(width);
        factorize_panel(panel.rb_mut(), taus, work);
        reflect(panel.rb(), taus, rest, true, work);
    }
}

/// Factorizes a panel by halves.
fn factorize_panel<T: Number>(mut panel: MatMut<'_, T>, taus: &mut [T], work: &mut Work<'_, T>) {
    let n = panel.ncols();
    if n <= FEW {
        return one_by_one(panel, taus);
    }
    let (first, second) = taus.split_at_mut(n / 2);
    let (mut left, mut right) = panel.rb_mut().split_at_col_mut(n / 2);
    factorize_panel(left.rb_mut(), first, work);
    reflect(left.rb(), first, right.rb_mut(), true, work);
    factorize_panel(right.get_mut(n / 2.., ..), second, work);
}

fn one_by_one<T: Number>(mut panel: MatMut<'_, T>, taus: &mut [T]) {
    for (k, tau) in taus.iter_mut().enumerate() {
        let (left, mut right) = panel.rb_mut().split_at_col_mut(k + 1);
        let x = &mut column(left, k)[k..];
        let beta;
        (*tau, beta) = reflector(x);
        x[0] = T::ONE;
        for j in 0..right.ncols() {
            let other = &mut column(right.rb_mut(), j)[k..];
            let factor = tau.conj() * dot(x, other);
            other.iter_mut().zip(&*x).for_each(|(y, &v)| *y -= factor * v);
        }
        x[0] = beta;
    }
}

/// Computes `Σ conj(xᵢ) yᵢ` as sums that fit a vector.
fn dot<T: Number>(x: &[T], y: &[T]) -> T {
    let mut sums = [T::ZERO; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest = xs.remainder().iter().zip(ys.remainder());
    let rest = rest.fold(T::ZERO, |sum, (&a, &b)| sum + a.conj() * b);
    for (a, b) in xs.zip(ys) {
        (0..8).for_each(|i| sums[i] += a[i].conj() * b[i]);
    }
    sums.into_iter().fold(rest, |sum, x| sum + x)
}

/// Makes the reflector `H = I - τ v vᴴ` of a vector, with `v₀ = 1` and `Hᴴ x = β e₀`, and overwrites `x[1..]` with `v[1..]`. β is real, and
/// its sign is opposite to that of `Re x₀`. If x already is a real multiple of `e₀`, H is the identity.
pub(super) fn reflector<T: Number>(x: &mut [T]) -> (T, T) {
    let largest = x.iter().map(|v| v.abs1()).fold(0.0, f64::max);
    let ordinary = largest == 0.0 || (T::SMALL..1.0 / T::SMALL).contains(&largest) || !largest.is_finite();
    // Scales if squares would lose their digits.
    let scale = if ordinary { 1.0 } else { power_of_two(largest) };
    let mut sums = [0f64; 8];
    for few in x[1..].chunks(8) {
        sums.iter_mut().zip(few).for_each(|(sum, v)| *sum += v.scaled(scale).norm_squared());
    }
    let rest = sums.iter().sum::<f64>().sqrt();
    let (re, im) = x[0].parts();
    let (re, im) = (re * scale, im * scale);
    if rest == 0.0 && im == 0.0 {
        return (T::ZERO, x[0]);
    }
    let beta = -re.hypot(im).hypot(rest).copysign(re);
    let difference = T::from_parts(re - beta, im);
    x[1..].iter_mut().for_each(|v| *v = v.scaled(scale) / difference);
    (T::from_parts((beta - re) / beta, -im / beta), T::from_parts(beta / scale, 0.0))
}

/// Returns a power of two that brings `x`, which is finite and nonzero, near one.
pub(super) fn power_of_two(x: f64) -> f64 {
    libm::ldexp(1.0, (-libm::ilogb(x)).clamp(-1022, 1022))
}

/// Multiplies `b` from the left by the reflectors packed in `packed`, first to last, or by the adjoint of their product.
fn reflect<T: Number>(
    packed: MatRef<'_, T>,
    taus: &[T],
    b: MatMut<'_, T>,
    adjoint: bool,
    work: &mut Work<'_, T>,
) {
    let (m, k, columns) = (packed.nrows(), taus.len(), b.ncols());
    if columns == 0 || k == 0 {
        return;
    }
    let mut v = MatMut::from_column_major_slice_mut(&mut work.v[..m * k], m, k);
    v.copy_from(packed);
    for j in 0..k {
        let column = column(v.rb_mut(), j);
        column[..j].fill(T::ZERO);
        column[j] = T::ONE;
    }
    let v = v.rb();
    let mut s = MatMut::from_column_major_slice_mut(&mut work.s[..k * k], k, k);
    matmul(s.rb_mut(), Accum::Replace, v.adjoint(), v, T::ONE, Par::Seq);
    // The solver multiplies by the inverse, which is zero for infinity. The reflector is the identity then.
    let inverse = |tau: T| if tau == T::ZERO { T::from_parts(f64::INFINITY, 0.0) } else { T::ONE / tau };
    taus.iter().enumerate().for_each(|(i, &tau)| s[(i, i)] = inverse(tau));
    let s = s.rb();
    let products = SharedPtr::new(work.products[..k * columns].as_mut_ptr());
    by_columns(work.pool, b, |first, mut b| {
        let columns = b.ncols();
        // SAFETY: the products have a column for each column of `b`, and each task uses its own columns.
        let products = unsafe { std::slice::from_raw_parts_mut(products.add(k * first), k * columns) };
        let mut products = MatMut::from_column_major_slice_mut(products, k, columns);
        matmul(products.rb_mut(), Accum::Replace, v.adjoint(), b.rb(), T::ONE, Par::Seq);
        if adjoint {
            solve_lower_triangular_in_place(s.adjoint(), products.rb_mut(), Par::Seq);
        } else {
            solve_upper_triangular_in_place(s, products.rb_mut(), Par::Seq);
        }
        matmul(b.rb_mut(), Accum::Add, v, products.rb(), -T::ONE, Par::Seq);
    });
}

/// Computes the first columns of the product of reflectors, as many as `q` has.
pub(super) fn product<T: Number>(
    packed: MatRef<'_, T>,
    taus: &[T],
    mut q: MatMut<'_, T>,
    work: &mut Work<'_, T>,
) {
    for j in 0..q.ncols() {
        let column = column(q.rb_mut(), j);
        column.fill(T::ZERO);
        column.iter_mut().skip(j).take(1).for_each(|x| *x = T::ONE);
    }
    for (which, taus) in taus.chunks(PANEL).enumerate().rev() {
        let first = which * PANEL;
        let packed = packed.get(first.., first..first + taus.len());
        // The columns before this one are still those of the identity, which these reflectors do not change.
        reflect(packed, taus, q.rb_mut().get_mut(first.., first..), false, work);
    }
}

/// Multiplies `b` from the left by the product of all reflectors.
pub(super) fn multiply<T: Number>(
    packed: MatRef<'_, T>,
    taus: &[T],
    mut b: MatMut<'_, T>,
    work: &mut Work<'_, T>,
) {
    for (which, taus) in taus.chunks(PANEL).enumerate().rev() {
        let first = which * PANEL;
        let packed = packed.get(first.., first..first + taus.len());
        reflect(packed, taus, b.rb_mut().get_mut(first.., ..), false, work);
    }
}
