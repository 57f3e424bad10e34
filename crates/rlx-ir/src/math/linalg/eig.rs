//! Eigenvalues and eigenvectors of any square matrix, from its Schur form (Golub & Van Loan, section 7.6.4).
//! The conventions are those of LAPACK's geev.

use super::schur::{Spectral, schur, schur_work};
use super::{Complex64, Field, inverse_power_of_two, largest, norm};

/// When an element of a vector exceeds this, the vector is rescaled, because its next elements might overflow.
const LARGE: f64 = 1e100;

/// Smaller differences of eigenvalues, relative to the largest eigenvalue, are replaced by this.
const LEAST: f64 = 1e-150;

/// Number of elements of working memory that [`eig_into`] needs: elements of the field, and complex ones.
pub fn eig_work(n: usize) -> (usize, usize) {
    (schur_work(n), 2 * n * n + n)
}

/// Computes the eigenvalues λ of an `n × n` matrix, and as columns the left eigenvectors u, uᴴ A = λ uᴴ, and the right
/// eigenvectors v, A v = λ v, if slices of `n²` elements are given for them. Vectors have norm 1 and a real largest element.
/// Those of a real matrix are real if λ is; complex λ and their vectors come in adjacent conjugate pairs, the λ with the positive
/// imaginary part first.
///
/// All results are NaN if the matrix contains an infinity or a NaN, or if the iteration does not converge.
pub fn eig_into<T: Spectral>(
    a: &[T],
    n: usize,
    [values, left, right]: [&mut [Complex64]; 3],
    (field, complex): (&mut [T], &mut [Complex64]),
) {
    let (t, rest) = complex.split_at_mut(n * n);
    let (z, x) = rest.split_at_mut(n * n);
    let finite = a[..n * n].iter().all(|x| x.is_finite());
    if !finite || !schur(a, n, t, z, field) {
        [values, left, right].into_iter().for_each(|list| list.fill(<Complex64 as Field>::nan()));
        return;
    }
    (0..n).for_each(|k| values[k] = t[k * n + k]);
    // Without scaling, the Schur form of a tiny matrix would underflow in the quotients below, and that of a huge one would
    // overflow.
    let scale = inverse_power_of_two(largest(t));
    t.iter_mut().for_each(|v| *v = Field::scale(*v, scale));
    for (vectors, is_left) in [(left, true), (right, false)] {
        if vectors.is_empty() {
            continue;
        }
        for k in 0..n {
            let of_pair = T::REAL && values[k].im < 0.0;
            if of_pair {
                (0..n).for_each(|i| vectors[i * n + k] = vectors[i * n + k - 1].conj());
                continue;
            }
            if is_left {
                left_vector(t, n, k, x)
            } else {
                right_vector(t, n, k, x)
            }
            let x = &mut x[..n];
            for i in 0..n {
                let row = &z[i * n..(i + 1) * n];
                vectors[i * n + k] = row.iter().zip(&*x).fold(Complex64::ZERO, |sum, (z, x)| sum + *z * *x);
            }
            x.iter_mut().enumerate().for_each(|(i, to)| *to = vectors[i * n + k]);
            normalize(x, T::REAL && values[k].im == 0.0);
            x.iter().enumerate().for_each(|(i, v)| vectors[i * n + k] = *v);
        }
    }
}

/// λᵢ − λₖ, moved away from zero if it is too small.
fn difference(t: &[Complex64], n: usize, i: usize, k: usize) -> Complex64 {
    let of = t[k * n + k];
    let (difference, least) = (t[i * n + i] - of, (f64::EPSILON * of.abs1()).max(LEAST));
    if difference.abs1() < least { Complex64::from(least) } else { difference }
}

/// The x with T x = λₖ x, for upper triangular T.
fn right_vector(t: &[Complex64], n: usize, k: usize, x: &mut [Complex64]) {
    x[..n].fill(Complex64::ZERO);
    x[k] = Complex64::ONE;
    for i in (0..k).rev() {
        let sum = (i + 1..=k).fold(Complex64::ZERO, |sum, j| sum + t[i * n + j] * x[j]);
        x[i] = -sum / difference(t, n, i, k);
        limit(x, i);
    }
}

/// The x with xᴴ T = λₖ xᴴ, for upper triangular T.
fn left_vector(t: &[Complex64], n: usize, k: usize, x: &mut [Complex64]) {
    x[..n].fill(Complex64::ZERO);
    x[k] = Complex64::ONE;
    for j in k + 1..n {
        let sum = (k..j).fold(Complex64::ZERO, |sum, i| sum + x[i].conj() * t[i * n + j]);
        x[j] = (-sum / difference(t, n, j, k)).conj();
        limit(x, j);
    }
}

/// Scales a vector down if its latest element is large.
fn limit(x: &mut [Complex64], latest: usize) {
    let size = x[latest].abs1();
    if size > LARGE {
        let factor = inverse_power_of_two(size);
        x.iter_mut().for_each(|v| *v = Field::scale(*v, factor));
    }
}

/// Scales a vector to norm 1 and a real largest element. If `real`, the vector is real up to a factor, and becomes real.
fn normalize(x: &mut [Complex64], real: bool) {
    let length = norm(x);
    x.iter_mut().for_each(|v| *v = v.div_real(length));
    let square = |i: usize| x[i].norm_squared();
    let Some(top) = (0..x.len()).reduce(|best, i| if square(i) > square(best) { i } else { best }) else {
        return;
    };
    let phase = x[top].conj().div_real(x[top].abs());
    x.iter_mut().for_each(|v| *v *= phase);
    x[top].im = 0.0;
    if real {
        x.iter_mut().for_each(|v| v.im = 0.0);
        let length = norm(x);
        x.iter_mut().for_each(|v| *v = v.div_real(length));
    }
}
