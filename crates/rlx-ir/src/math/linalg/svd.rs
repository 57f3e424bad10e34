//! The singular value decomposition by one-sided Jacobi rotations (Golub & Van Loan, section 8.6.3).

use super::qr::qr;
use super::{Field, adjoint, dot, identity, inverse_power_of_two, largest, norm};

/// `A = U diag(s) Vᴴ`.
#[derive(Clone, PartialEq, Debug)]
pub struct Svd<T> {
    /// The left singular vectors as columns: `m × m`, or `m × min(m, n)` in the reduced form.
    pub u: Vec<T>,
    /// The `min(m, n)` singular values in descending order.
    pub s: Vec<f64>,
    /// `Vᴴ`, the right singular vectors as conjugated rows: `n × n`, or `min(m, n) × n` in the reduced form.
    pub vh: Vec<T>,
}

/// Sweeps over all pairs of columns; ten are plenty, and convergence is ultimately quadratic.
const SWEEPS: usize = 60;

/// Columns whose norm is below this, where the largest entry is near one, have no direction of their own.
const NULL: f64 = 1e-150;

/// The singular value decomposition of an `m × n` matrix, with square `U` and `V` if `full_matrices`.
///
/// Singular vectors are unique up to a common phase (and rotations within equal singular values); none is
/// preferred. All results are NaN for a matrix with an infinity or a NaN.
pub fn svd<T: Field>(a: &[T], m: usize, n: usize, full_matrices: bool) -> Svd<T> {
    if m < n {
        // Aᴴ = V diag(s) Uᴴ.
        let Svd { u, s, vh } = svd(&adjoint(a, m, n), n, m, full_matrices);
        let columns = if full_matrices { n } else { m };
        return Svd { u: adjoint(&vh, m, m), s, vh: adjoint(&u, n, columns) };
    }
    let columns = if full_matrices { m } else { n };
    if !a.iter().all(|v| v.is_finite()) {
        let nan = T::nan();
        return Svd { u: vec![nan; m * columns], s: vec![f64::NAN; n], vh: vec![nan; n * n] };
    }
    let Orthogonalised { columns: w, right, norms, scale } = orthogonalise(a, m, n);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| norms[*j].total_cmp(&norms[*i]));
    let s = order.iter().map(|i| norms[*i] / scale).collect();
    let vh = order.iter().flat_map(|i| right[i * n..(i + 1) * n].iter().map(|v| v.conj())).collect();
    let directions: Vec<&[T]> = order.iter().map(|i| &w[i * m..(i + 1) * m]).collect();
    Svd { u: orthonormal_columns(&directions, m, columns), s, vh }
}

/// The singular values of an `m × n` matrix, in descending order.
pub fn singular_values<T: Field>(a: &[T], m: usize, n: usize) -> Vec<f64> {
    svd(a, m, n, false).s
}

/// `scale A V = W` with orthogonal columns of `W`; columns are stored as rows.
struct Orthogonalised<T> {
    columns: Vec<T>,
    right: Vec<T>,
    norms: Vec<f64>,
    scale: f64,
}

/// Rotates pairs of columns until all are orthogonal to working accuracy, relative to their own norms.
fn orthogonalise<T: Field>(a: &[T], m: usize, n: usize) -> Orthogonalised<T> {
    let scale = inverse_power_of_two(largest(a));
    let mut columns: Vec<T> = (0..n).flat_map(|j| (0..m).map(move |i| a[i * n + j].scale(scale))).collect();
    let mut right = identity(n);
    let tolerance = f64::EPSILON * (m as f64).sqrt();
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                rotated |= rotate_pair(&mut columns, &mut right, m, n, p, q, tolerance);
            }
        }
        if !rotated {
            break;
        }
    }
    let norms = (0..n).map(|j| norm(&columns[j * m..(j + 1) * m])).collect();
    Orthogonalised { columns, right, norms, scale }
}

/// Makes columns `p < q` orthogonal to each other; false if they already are.
///
/// With `γ = w_pᴴ w_q` and its phase taken out of `w_q`, the angle is that of the symmetric 2 × 2 problem.
fn rotate_pair<T: Field>(
    columns: &mut [T],
    right: &mut [T],
    m: usize,
    n: usize,
    p: usize,
    q: usize,
    tolerance: f64,
) -> bool {
    let (wp, wq) = pair(columns, m, p, q);
    let alpha = dot(wp, wp).re();
    let beta = dot(wq, wq).re();
    let gamma = dot(wp, wq);
    let size = gamma.abs();
    if size <= tolerance * alpha.sqrt() * beta.sqrt() || size < NULL * NULL {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * size);
    let t = 1f64.copysign(zeta) / (zeta.abs() + libm::hypot(zeta, 1.0));
    let c = 1.0 / libm::hypot(t, 1.0);
    let s = c * t;
    let phase = gamma.div_real(size).conj();
    for (x, y) in [(wp, wq), pair(right, n, p, q)] {
        for (xi, yi) in x.iter_mut().zip(y) {
            let turned = *yi * phase;
            (*xi, *yi) = (xi.scale(c) - turned.scale(s), xi.scale(s) + turned.scale(c));
        }
    }
    true
}

/// Rows `p < q` of a matrix with rows of the given length.
fn pair<T>(rows: &mut [T], length: usize, p: usize, q: usize) -> (&mut [T], &mut [T]) {
    let (head, tail) = rows.split_at_mut(q * length);
    (&mut head[p * length..(p + 1) * length], &mut tail[..length])
}

/// An `m × columns` matrix with orthonormal columns that begins with the directions of the given orthogonal
/// vectors, longest first; null vectors and missing columns are filled from the orthogonal complement.
fn orthonormal_columns<T: Field>(vectors: &[&[T]], m: usize, columns: usize) -> Vec<T> {
    let rank = vectors.iter().take_while(|v| norm(v) >= NULL).count();
    let units: Vec<Vec<T>> = vectors[..rank]
        .iter()
        .map(|v| {
            let length = norm(v);
            v.iter().map(|x| x.div_real(length)).collect()
        })
        .collect();
    // The trailing columns of a full QR factorisation span what is left.
    let complement = if rank < columns {
        let known: Vec<T> = (0..m * rank).map(|k| units[k % rank][k / rank]).collect();
        qr(&known, m, rank, true).0
    } else {
        Vec::new()
    };
    let entry = |i: usize, j: usize| if j < rank { units[j][i] } else { complement[i * m + j] };
    (0..m * columns).map(|k| entry(k / columns, k % columns)).collect()
}
