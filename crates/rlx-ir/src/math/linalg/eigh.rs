//! Eigenvalues and eigenvectors of Hermitian matrices, by tridiagonalization and implicitly shifted QR (Golub &
//! Van Loan, section 8.3).

use super::qr::{Reflector, reflector};
use super::{Field, dot, inverse_power_of_two, largest};

/// `A V = V diag(λ)` with unitary `V`.
#[derive(Clone, PartialEq, Debug)]
pub struct Eigh<T> {
    /// The eigenvalues in ascending order.
    pub values: Vec<f64>,
    /// The eigenvectors as the columns of an `n × n` matrix.
    pub vectors: Vec<T>,
}

/// Entries below this are negligible when the largest entry is near one.
const NEGLIGIBLE: f64 = 1e-200;

/// QR steps allowed per eigenvalue; two or three are usual.
const STEPS: usize = 60;

/// The eigendecomposition of a Hermitian `n × n` matrix. Only the lower triangle and the real part of the diagonal are read.
///
/// Eigenvectors are unique up to a phase (and rotations within equal eigenvalues); which ones are returned is not specified. All
/// results are NaN for a matrix that contains an infinity or a NaN.
pub fn eigh<T: Field>(a: &[T], n: usize) -> Eigh<T> {
    let (mut values, mut vectors) = (vec![0.0; n], vec![T::ZERO; n * n]);
    let (mut work, mut real, mut order) = (vec![T::ZERO; eigh_work(n)], vec![0.0; 2 * n], vec![0; n]);
    eigh_into(a, n, true, &mut values, &mut vectors, (&mut work, &mut real, &mut order));
    Eigh { values, vectors }
}

/// Number of elements of the field that [`eigh_into`] needs as working memory.
pub fn eigh_work(n: usize) -> usize {
    3 * n * n + 2 * n
}

/// [`eigh`] into given slices, from either triangle. The working memory is `eigh_work(n)` elements, `2 n` reals and `n` indices.
pub fn eigh_into<T: Field>(
    a: &[T],
    n: usize,
    lower: bool,
    values: &mut [f64],
    vectors: &mut [T],
    (work, real, order): (&mut [T], &mut [f64], &mut [usize]),
) {
    let (full, rest) = work.split_at_mut(n * n);
    let (reflectors, rest) = rest.split_at_mut(n * n);
    let (basis, rest) = rest.split_at_mut(n * n);
    let (diagonal, off) = real.split_at_mut(n);
    full_from_triangle(a, n, lower, full);
    if !full.iter().all(|v| v.is_finite()) {
        values[..n].fill(f64::NAN);
        vectors[..n * n].fill(T::nan());
        return;
    }
    let scale = inverse_power_of_two(largest(full));
    full.iter_mut().for_each(|v| *v = v.scale(scale));
    // Row i of `basis` is the i-th basis vector: the columns of V are stored as rows, so that rotations are cheap.
    tridiagonalise(full, n, diagonal, off, basis, (reflectors, rest));
    if !diagonalise(&mut diagonal[..n], off, basis) {
        values[..n].fill(f64::NAN);
        vectors[..n * n].fill(T::nan());
        return;
    }
    order[..n].iter_mut().enumerate().for_each(|(i, o)| *o = i);
    order[..n].sort_unstable_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]).then(i.cmp(&j)));
    for (place, &i) in order[..n].iter().enumerate() {
        values[place] = diagonal[i] / scale;
        (0..n).for_each(|row| vectors[row * n + place] = basis[i * n + row]);
    }
}

/// The full Hermitian matrix with the given triangle.
fn full_from_triangle<T: Field>(a: &[T], n: usize, lower: bool, full: &mut [T]) {
    for k in 0..n * n {
        let (i, j) = (k / n, k % n);
        full[k] = match i.cmp(&j) {
            std::cmp::Ordering::Equal => T::from(a[k].re()),
            order if order.is_gt() == lower => a[k],
            _ => a[j * n + i].conj(),
        };
    }
}

/// Reduces `A = Q T Qᴴ` to a real tridiagonal `T`. Stores its diagonal, its off-diagonal, and `Qᵀ`. The working memory has room
/// for a matrix and for two vectors.
fn tridiagonalise<T: Field>(
    a: &mut [T],
    n: usize,
    diagonal: &mut [f64],
    off: &mut [f64],
    basis: &mut [T],
    (reflectors, work): (&mut [T], &mut [T]),
) {
    let (taus, work) = work.split_at_mut(n);
    // The vector of step k is stored at the end of row k.
    for k in 0..n.saturating_sub(1) {
        let v = &mut reflectors[k * n + k + 1..(k + 1) * n];
        v.iter_mut().zip(k + 1..n).for_each(|(value, i)| *value = a[i * n + k]);
        let Reflector { tau, beta } = reflector(v);
        v[0] = T::ONE;
        off[k] = beta.re();
        reflect_both_sides(a, n, k + 1, v, tau, work);
        taus[k] = tau;
    }
    (0..n).for_each(|i| diagonal[i] = a[i * n + i].re());
    // Q = H₀ (H₁ (… I)); each row here is a column of Q.
    basis.fill(T::ZERO);
    basis.iter_mut().step_by(n + 1).for_each(|v| *v = T::ONE);
    for k in (0..n.saturating_sub(1)).rev() {
        let v = &reflectors[k * n + k + 1..(k + 1) * n];
        for row in basis.chunks_exact_mut(n) {
            let part = &mut row[k + 1..];
            let factor = dot(v, part) * taus[k];
            part.iter_mut().zip(v).for_each(|(value, vi)| *value -= factor * *vi);
        }
    }
}

/// Computes `Hᴴ A H` on the trailing block from `top` on, as the rank-two update `A - v wᴴ - w vᴴ` with `p = τ A v` and
/// `w = p - ½ τ (pᴴ v) v`. `work` has room for a vector.
fn reflect_both_sides<T: Field>(a: &mut [T], n: usize, top: usize, v: &[T], tau: T, work: &mut [T]) {
    if tau == T::ZERO {
        return;
    }
    let product = |i: usize| {
        let row = &a[i * n + top..(i + 1) * n];
        row.iter().zip(v).fold(T::ZERO, |sum, (x, y)| sum + *x * *y) * tau
    };
    let w = &mut work[..n - top];
    w.iter_mut().zip(top..n).for_each(|(p, i)| *p = product(i));
    let half = (tau * dot(w, v)).scale(0.5);
    w.iter_mut().zip(v).for_each(|(p, vi)| *p -= half * *vi);
    for i in 0..v.len() {
        let row = &mut a[(top + i) * n + top..(top + i + 1) * n];
        for (j, value) in row.iter_mut().enumerate() {
            *value -= v[i] * w[j].conj() + w[i] * v[j].conj();
        }
    }
}

/// Diagonalizes a real symmetric tridiagonal matrix, and applies the rotations to the rows of `basis`. Returns false if an
/// off-diagonal entry does not converge to zero.
fn diagonalise<T: Field>(diagonal: &mut [f64], off: &mut [f64], basis: &mut [T]) -> bool {
    let n = diagonal.len();
    let mut last = n.saturating_sub(1);
    let mut steps = 0;
    while last > 0 {
        for k in 0..last {
            let scale = diagonal[k].abs() + diagonal[k + 1].abs();
            if off[k].abs() <= (f64::EPSILON * scale).max(NEGLIGIBLE) {
                off[k] = 0.0;
            }
        }
        if off[last - 1] == 0.0 {
            last -= 1;
            steps = 0;
            continue;
        }
        let first = (0..last).rev().find(|k| off[*k] == 0.0).map_or(0, |k| k + 1);
        qr_step(diagonal, off, basis, first, last);
        steps += 1;
        if steps > STEPS {
            return false;
        }
    }
    true
}

/// `c² + s² = 1` with `c x + s y = r` and `c y - s x = 0`.
struct Rotation {
    c: f64,
    s: f64,
    r: f64,
}

/// The rotation of `(x, y)` onto the first axis, orthogonal to the last digit even for tiny vectors.
fn rotation(x: f64, y: f64) -> Rotation {
    let scale = inverse_power_of_two(x.abs().max(y.abs()));
    let (x, y) = (x * scale, y * scale);
    let r = libm::hypot(x, y);
    if r == 0.0 { Rotation { c: 1.0, s: 0.0, r } } else { Rotation { c: x / r, s: y / r, r: r / scale } }
}

/// One implicit QR step with Wilkinson's shift on the unreduced block `first..=last` (algorithm 8.3.2).
fn qr_step<T: Field>(d: &mut [f64], e: &mut [f64], basis: &mut [T], first: usize, last: usize) {
    let n = d.len();
    let half = (d[last - 1] - d[last]) / 2.0;
    let corner = e[last - 1];
    let shift = d[last] - corner / (half + libm::hypot(half, corner).copysign(half)) * corner;
    let (mut x, mut bulge) = (d[first] - shift, e[first]);
    for k in first..last {
        let Rotation { c, s, r } = rotation(x, bulge);
        if k > first {
            e[k - 1] = r;
        }
        let (d0, d1, b) = (d[k], d[k + 1], e[k]);
        d[k] = c * c * d0 + 2.0 * c * s * b + s * s * d1;
        d[k + 1] = s * s * d0 - 2.0 * c * s * b + c * c * d1;
        e[k] = c * s * (d1 - d0) + (c * c - s * s) * b;
        if k + 1 < last {
            (x, bulge) = (e[k], s * e[k + 1]);
            e[k + 1] *= c;
        }
        let (upper, lower) = basis[k * n..(k + 2) * n].split_at_mut(n);
        for (p, q) in upper.iter_mut().zip(lower) {
            (*p, *q) = (p.scale(c) + q.scale(s), q.scale(c) - p.scale(s));
        }
    }
}
