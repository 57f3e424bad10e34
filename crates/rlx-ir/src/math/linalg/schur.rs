//! The Schur form A = Z T Zᴴ of any square matrix (Golub & Van Loan, sections 7.4 and 7.5). The matrix is reduced to Hessenberg
//! form by Householder reflections. QR steps with implicit shifts follow: double shifts on real matrices, which stay real until
//! only blocks of two are left, and single shifts on complex matrices.

use super::qr::{Reflector, reflect_columns, reflect_rows, reflector};
use super::{Complex64, Field, inverse_power_of_two, largest};

/// QR steps allowed per eigenvalue; two or three are usual.
const STEPS: usize = 60;

/// After this many steps without an eigenvalue, one step uses a shift that does not depend on the symmetries of the matrix.
const UNUSUAL: usize = 10;

/// Entries below this are negligible when the largest entry is near one.
const NEGLIGIBLE: f64 = 1e-280;

/// A field, and how its QR steps differ from those of the other field.
pub trait Spectral: Field {
    /// Number of rows of the bulge that a step moves down the matrix.
    const BULGE: usize;
    /// Whether eigenvalues may be complex although the matrix is not.
    const REAL: bool;

    /// The first column of the shifted matrix of the block `first..=last`. If `unusual`, the shift is not Wilkinson's.
    fn shifted(h: &[Self], n: usize, first: usize, last: usize, unusual: bool) -> [Self; 3];

    /// The number as a complex one.
    fn to_complex(self) -> Complex64;
}

impl Spectral for f64 {
    const BULGE: usize = 3;
    const REAL: bool = true;

    fn shifted(h: &[f64], n: usize, first: usize, last: usize, unusual: bool) -> [f64; 3] {
        let at = |i: usize, j: usize| h[i * n + j];
        let (trace, determinant) = if unusual {
            let size = at(last, last - 1).abs() + at(last - 1, last - 2).abs();
            (1.5 * size, size * size)
        } else {
            let trace = at(last - 1, last - 1) + at(last, last);
            (trace, at(last - 1, last - 1) * at(last, last) - at(last - 1, last) * at(last, last - 1))
        };
        let (a, b, c, d) =
            (at(first, first), at(first, first + 1), at(first + 1, first), at(first + 1, first + 1));
        [a * a + b * c - trace * a + determinant, c * (a + d - trace), c * at(first + 2, first + 1)]
    }

    fn to_complex(self) -> Complex64 {
        Complex64::from(self)
    }
}

impl Spectral for Complex64 {
    const BULGE: usize = 2;
    const REAL: bool = false;

    fn shifted(h: &[Complex64], n: usize, first: usize, last: usize, unusual: bool) -> [Complex64; 3] {
        let at = |i: usize, j: usize| h[i * n + j];
        let corner = at(last, last);
        let shift = if unusual {
            corner + Complex64::from(0.75 * at(last, last - 1).abs1())
        } else {
            // The eigenvalue of the last 2 × 2 block that is nearer to its corner.
            let half = (at(last - 1, last - 1) - corner).scale(0.5);
            let product = at(last - 1, last) * at(last, last - 1);
            let root = (half * half + product).sqrt();
            let sum = if (half.conj() * root).re < 0.0 { half - root } else { half + root };
            if sum == Complex64::ZERO { corner } else { corner - product / sum }
        };
        [at(first, first) - shift, at(first + 1, first), Complex64::ZERO]
    }

    fn to_complex(self) -> Complex64 {
        self
    }
}

/// Computes the complex Schur form of an `n × n` matrix of finite numbers: T into `t` and Z into `z`. Returns false if an entry
/// below the diagonal does not converge to zero. The complex eigenvalues of a real matrix come in adjacent conjugate pairs on the
/// diagonal, the one with the positive imaginary part first; the others are real. `work` has room for `schur_work(n)` elements.
pub(super) fn schur<T: Spectral>(
    a: &[T],
    n: usize,
    t: &mut [Complex64],
    z: &mut [Complex64],
    work: &mut [T],
) -> bool {
    let (h, rest) = work.split_at_mut(n * n);
    let (basis, rest) = rest.split_at_mut(n * n);
    let scale = inverse_power_of_two(largest(&a[..n * n]));
    h.iter_mut().zip(a).for_each(|(to, x)| *to = x.scale(scale));
    hessenberg(h, n, basis, rest);
    let found = iterate(h, n, basis, rest);
    t.iter_mut().zip(&*h).for_each(|(to, x)| *to = x.to_complex());
    z.iter_mut().zip(&*basis).for_each(|(to, x)| *to = x.to_complex());
    (1..n).for_each(|k| split_pair(t, z, n, k - 1));
    t.iter_mut().for_each(|x| *x = x.div_real(scale));
    found
}

/// Number of elements of working memory that [`schur`] needs.
pub(super) fn schur_work(n: usize) -> usize {
    2 * n * n + 2 * n
}

/// Reduces `A = Q H Qᴴ` in place to an `H` with zeros below the first subdiagonal. `work` has room for two vectors.
fn hessenberg<T: Field>(a: &mut [T], n: usize, basis: &mut [T], work: &mut [T]) {
    basis.fill(T::ZERO);
    basis.iter_mut().step_by(n + 1).for_each(|x| *x = T::ONE);
    let (v, products) = work.split_at_mut(n);
    for k in 1..n.saturating_sub(1) {
        let v = &mut v[..n - k];
        v.iter_mut().zip(k..n).for_each(|(value, i)| *value = a[i * n + k - 1]);
        let Reflector { tau, beta } = reflector(v);
        v[0] = T::ONE;
        a[k * n + k - 1] = beta;
        (k + 1..n).for_each(|i| a[i * n + k - 1] = T::ZERO);
        reflect_rows(a, n, k, k, v, tau.conj(), products);
        reflect_columns(a, n, n, k, v, tau);
        reflect_columns(basis, n, n, k, v, tau);
    }
}

/// Runs QR steps until the matrix is triangular, except for 2 × 2 blocks if the field is real.
fn iterate<T: Spectral>(h: &mut [T], n: usize, basis: &mut [T], work: &mut [T]) -> bool {
    let block = if T::REAL { 2 } else { 1 };
    let mut end = n;
    let mut steps = 0;
    while end > 1 {
        let first = active(h, n, end - 1);
        if end - first <= block {
            (end, steps) = (first, 0);
            continue;
        }
        steps += 1;
        if steps > STEPS {
            return false;
        }
        step(h, n, basis, (first, end - 1), steps % UNUSUAL == 0, work);
    }
    true
}

/// The first row of the block that ends with row `last`. Sets the negligible entry below the diagonal that separates it to zero.
fn active<T: Field>(h: &mut [T], n: usize, last: usize) -> usize {
    for k in (1..=last).rev() {
        let around = h[(k - 1) * n + k - 1].abs1() + h[k * n + k].abs1();
        if h[k * n + k - 1].abs1() <= (f64::EPSILON * around).max(NEGLIGIBLE) {
            h[k * n + k - 1] = T::ZERO;
            return k;
        }
    }
    0
}

/// One QR step on the block `first..=last`: a reflection creates a bulge at its top, and further reflections chase it out at the
/// bottom.
fn step<T: Spectral>(
    h: &mut [T],
    n: usize,
    basis: &mut [T],
    (first, last): (usize, usize),
    unusual: bool,
    work: &mut [T],
) {
    let mut start = T::shifted(h, n, first, last, unusual);
    for k in first..last {
        let rows = T::BULGE.min(last + 1 - k);
        let left = k.saturating_sub(1).max(first);
        if k > first {
            (0..rows).for_each(|i| start[i] = h[(k + i) * n + left]);
        }
        let v = &mut start[..rows];
        let Reflector { tau, .. } = reflector(v);
        v[0] = T::ONE;
        reflect_rows(h, n, k, left, v, tau.conj(), work);
        reflect_columns(h, n, (k + rows + 1).min(last + 1), k, v, tau);
        reflect_columns(basis, n, n, k, v, tau);
        if k > first {
            (1..rows).for_each(|i| h[(k + i) * n + left] = T::ZERO);
        }
    }
}

/// Makes the 2 × 2 block from row `k` on triangular, unless it already is. Its eigenvalues are real or conjugates of each other.
fn split_pair(t: &mut [Complex64], z: &mut [Complex64], n: usize, k: usize) {
    let (at, next) = (k * n + k, (k + 1) * n + k);
    let (a, b, c, d) = (t[at].re, t[at + 1].re, t[next].re, t[next + 1].re);
    if c == 0.0 {
        return;
    }
    let half = (a - d) / 2.0;
    let discriminant = half * half + b * c;
    let root = discriminant.abs().sqrt();
    let (first, second, vector) = if discriminant < 0.0 {
        let value = Complex64::new(d + half, root);
        (value, value.conj(), Complex64::new(half, root))
    } else {
        let sum = half + root.copysign(half);
        let second = if sum == 0.0 { d } else { d - b * c / sum };
        (Complex64::from(d + sum), Complex64::from(second), Complex64::from(sum))
    };
    // The eigenvector (x, y) of the first eigenvalue, and a vector orthogonal to it.
    let norm = libm::hypot(vector.abs(), c);
    let (x, y) = (vector.div_real(norm), c / norm);
    for j in k..n {
        let (p, q) = (t[k * n + j], t[(k + 1) * n + j]);
        t[k * n + j] = x.conj() * p + q.scale(y);
        t[(k + 1) * n + j] = x * q - p.scale(y);
    }
    let columns = |m: &mut [Complex64], rows: usize| {
        for row in m.chunks_exact_mut(n).take(rows) {
            let (p, q) = (row[k], row[k + 1]);
            row[k] = p * x + q.scale(y);
            row[k + 1] = q * x.conj() - p.scale(y);
        }
    };
    columns(t, k + 2);
    columns(z, n);
    (t[at], t[next], t[next + 1]) = (first, Complex64::ZERO, second);
}
