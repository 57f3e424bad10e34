//! The singular value decomposition by one-sided Jacobi rotations (Golub & Van Loan, section 8.6.3).

use super::qr::{geqrf_in_place, householder_product_into};
use super::{Field, adjoint_into, dot, inverse_power_of_two, largest, norm};

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

/// Sweeps over all pairs of columns. Ten are plenty; convergence is ultimately quadratic.
const SWEEPS: usize = 60;

/// Columns with a smaller norm have no meaningful direction when the largest entry is near one.
const NULL: f64 = 1e-150;

/// The singular value decomposition of an `m × n` matrix, with square `U` and `V` if `full_matrices`.
///
/// Singular vectors are unique up to a common phase (and rotations within equal singular values); which ones are returned is not
/// specified. All results are NaN for a matrix that contains an infinity or a NaN.
pub fn svd<T: Field>(a: &[T], m: usize, n: usize, full_matrices: bool) -> Svd<T> {
    let least = m.min(n);
    let (left, right) = if full_matrices { (m, n) } else { (least, least) };
    let (mut u, mut s, mut vh) = (vec![T::ZERO; m * left], vec![0.0; least], vec![T::ZERO; right * n]);
    let mut work = vec![T::ZERO; svd_work(m, n, full_matrices)];
    let (mut norms, mut order) = (vec![0.0; least], vec![0; least]);
    let results = (&mut u[..], &mut s[..], &mut vh[..]);
    svd_into(a, [m, n], full_matrices, results, (&mut work, &mut norms, &mut order));
    Svd { u, s, vh }
}

/// Number of elements of the field that [`svd_into`] needs as working memory.
pub fn svd_work(m: usize, n: usize, full_matrices: bool) -> usize {
    let (rows, least) = (m.max(n), m.min(n));
    let columns = if full_matrices { rows } else { least };
    // A matrix of columns and one for QR, the rotations, τ, and the working memory of QR.
    let tall = 2 * rows * least + least * least + least + rows + columns.max(least);
    if m < n { tall + rows * least + rows * columns + least * least } else { tall }
}

/// [`svd`] into given slices: U, s and Vᴴ. The working memory is `svd_work(…)` elements, and one real and one index per singular
/// value.
pub fn svd_into<T: Field>(
    a: &[T],
    [m, n]: [usize; 2],
    full_matrices: bool,
    (u, s, vh): (&mut [T], &mut [f64], &mut [T]),
    (work, norms, order): (&mut [T], &mut [f64], &mut [usize]),
) {
    if m >= n {
        return svd_tall(a, [m, n], full_matrices, (u, s, vh), (work, norms, order));
    }
    // Aᴴ = V diag(s) Uᴴ.
    let columns = if full_matrices { n } else { m };
    let (transposed, work) = work.split_at_mut(m * n);
    let (v, work) = work.split_at_mut(n * columns);
    let (uh, work) = work.split_at_mut(m * m);
    adjoint_into(a, m, n, transposed);
    svd_tall(transposed, [n, m], full_matrices, (v, s, uh), (work, norms, order));
    adjoint_into(uh, m, m, u);
    adjoint_into(v, n, columns, vh);
}

fn svd_tall<T: Field>(
    a: &[T],
    [m, n]: [usize; 2],
    full_matrices: bool,
    (u, s, vh): (&mut [T], &mut [f64], &mut [T]),
    (work, norms, order): (&mut [T], &mut [f64], &mut [usize]),
) {
    let columns = if full_matrices { m } else { n };
    let a = &a[..m * n];
    if !a.iter().all(|v| v.is_finite()) {
        u[..m * columns].fill(T::nan());
        s[..n].fill(f64::NAN);
        vh[..n * n].fill(T::nan());
        return;
    }
    let (w, work) = work.split_at_mut(m * n);
    let (right, work) = work.split_at_mut(n * n);
    let (norms, order) = (&mut norms[..n], &mut order[..n]);
    let scale = orthogonalise(a, m, n, w, right);
    (0..n).for_each(|j| norms[j] = norm(&w[j * m..(j + 1) * m]));
    order.iter_mut().enumerate().for_each(|(i, o)| *o = i);
    order.sort_unstable_by(|&i, &j| norms[j].total_cmp(&norms[i]).then(i.cmp(&j)));
    for (place, &i) in order.iter().enumerate() {
        s[place] = norms[i] / scale;
        (0..n).for_each(|k| vh[place * n + k] = right[i * n + k].conj());
    }
    orthonormal_columns((w, order, norms), m, columns, u, work);
}

/// The singular values of an `m × n` matrix, in descending order.
pub fn singular_values<T: Field>(a: &[T], m: usize, n: usize) -> Vec<f64> {
    svd(a, m, n, false).s
}

/// Rotates pairs of columns until all are orthogonal to working accuracy, relative to their norms: `scale A V = W` with
/// orthogonal columns of `W`. Columns are stored as rows. Returns the scale.
fn orthogonalise<T: Field>(a: &[T], m: usize, n: usize, columns: &mut [T], right: &mut [T]) -> f64 {
    let scale = inverse_power_of_two(largest(a));
    (0..m * n).for_each(|k| columns[k] = a[k % m * n + k / m].scale(scale));
    right.fill(T::ZERO);
    right.iter_mut().step_by(n + 1).for_each(|v| *v = T::ONE);
    let tolerance = f64::EPSILON * (m as f64).sqrt();
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                rotated |= rotate_pair(columns, right, m, n, p, q, tolerance);
            }
        }
        if !rotated {
            break;
        }
    }
    scale
}

/// Makes columns `p < q` orthogonal to each other. Returns false if they already are.
///
/// With `γ = w_pᴴ w_q`, and its phase removed from `w_q`, the angle is that of the symmetric 2 × 2 problem.
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

/// The rows `p < q` of a matrix with rows of the given length.
fn pair<T>(rows: &mut [T], length: usize, p: usize, q: usize) -> (&mut [T], &mut [T]) {
    let (head, tail) = rows.split_at_mut(q * length);
    (&mut head[p * length..(p + 1) * length], &mut tail[..length])
}

/// An `m × columns` matrix with orthonormal columns. It begins with the directions of the given orthogonal vectors (rows of a
/// matrix, in an order, with their norms), longest first. Null vectors and missing columns are filled from the orthogonal
/// complement.
fn orthonormal_columns<T: Field>(
    (vectors, order, norms): (&[T], &[usize], &[f64]),
    m: usize,
    columns: usize,
    u: &mut [T],
    work: &mut [T],
) {
    let rank = order.iter().take_while(|&&i| norms[i] >= NULL).count();
    let unit = |j: usize, i: usize| vectors[order[j] * m + i].div_real(norms[order[j]]);
    if rank < columns {
        // The trailing columns of a full QR factorization span the complement.
        let (known, work) = work.split_at_mut(m * rank);
        let (taus, work) = work.split_at_mut(rank);
        (0..m * rank).for_each(|k| known[k] = unit(k % rank, k / rank));
        geqrf_in_place(known, taus, m, rank, work);
        householder_product_into(known, taus, [m, rank, columns], u, work);
    }
    for i in 0..m {
        (0..rank).for_each(|j| u[i * columns + j] = unit(j, i));
    }
}
