//! Solves small tridiagonal and bidiagonal matrices by sweeps of rotations. The method is implicit QR (Golub and Van Loan, "Matrix
//! computations", sections 8.3 and 8.6; without shift: J. Demmel and W. Kahan, "Accurate singular values of bidiagonal matrices", 1990).
//! The matrices are parts of a matrix whose norm is near one.

use crate::number::Real;

/// The maximum order.
pub(super) const LEAF: usize = 16;

/// A square matrix, column by column.
pub(super) type Square<R> = [[R; LEAF]; LEAF];

/// The minimum norm that a part is assumed to have. It is less than the norm of the whole matrix, which is near one.
pub(super) const WHOLE: f64 = 0.0625;

/// Number of sweeps per row after which the iteration gives up.
const SWEEPS: usize = 40;

/// Number of sweeps per row after which ignored elements may be twice as large, because rounding may keep them above the limit.
const PATIENCE: usize = 8;

/// Returns the identity.
pub(super) fn identity<R: Real>() -> Square<R> {
    let mut square = [[R::ZERO; LEAF]; LEAF];
    (0..LEAF).for_each(|i| square[i][i] = R::ONE);
    square
}

/// Returns the cosine and sine of the rotation that maps `(x, y)` to `(r, 0)`, and r. One step of Newton's method removes the error that
/// cosine and sine share, because it would grow with the number of rotations.
#[inline(always)]
pub(super) fn rotation<R: Real>(x: R, y: R) -> (R, R, R) {
    let r = x.hypotenuse(y);
    if r == R::ZERO {
        return (R::ONE, R::ZERO, r);
    }
    let (c, s) = (x / r, y / r);
    let half = s.fused(s, c.fused(c, -R::ONE)) * R::real(-0.5);
    (c.fused(half, c), s.fused(half, s), r)
}

/// Replaces columns a and b by `c a + s b` and `c b - s a`.
#[inline(always)]
fn rotate<R: Real>(q: &mut Square<R>, first: usize, second: usize, c: R, s: R) {
    let (a, b) = (q[first], q[second]);
    q[first] = std::array::from_fn(|i| c * a[i] + s * b[i]);
    q[second] = std::array::from_fn(|i| c * b[i] - s * a[i]);
}

/// Diagonalizes a tridiagonal matrix: its eigenvalues in `d`, unsorted, and the rotations in `q`. Returns false if it takes too long.
#[inline(always)]
pub(super) fn tridiagonal<R: Real>(d: &mut [R], e: &mut [R], q: &mut Square<R>) -> bool {
    let mut unit = R::EPSILON * R::real(0.5);
    let mut end = d.len() - 1;
    for sweep in 1..=SWEEPS * d.len() {
        let negligible =
            |d: &[R], e: &[R], i: usize| e[i].abs() <= unit * (d[i].abs() + d[i + 1].abs() + unit);
        while end > 0 && negligible(d, e, end - 1) {
            end -= 1;
        }
        if end == 0 {
            return true;
        }
        let start = (0..end - 1).rev().find(|&i| negligible(d, e, i)).map_or(0, |i| i + 1);
        tridiagonal_sweep(d, e, [start, end], q);
        if sweep % (PATIENCE * d.len()) == 0 {
            unit = unit + unit;
        }
    }
    false
}

/// One implicit QR step with Wilkinson's shift on rows `start..=end`.
#[inline(always)]
fn tridiagonal_sweep<R: Real>(d: &mut [R], e: &mut [R], [start, end]: [usize; 2], q: &mut Square<R>) {
    let (half, last) = ((d[end - 1] - d[end]) * R::real(0.5), e[end - 1]);
    let root = half.hypotenuse(last);
    let shift = d[end] - last * (last / if half < R::ZERO { half - root } else { half + root });
    let (mut x, mut y) = (d[start] - shift, e[start]);
    for k in start..end {
        let (c, s, r) = rotation(x, y);
        if k > start {
            e[k - 1] = r;
        }
        let (p, middle, t) = (d[k], e[k], d[k + 1]);
        // The change of the diagonal, which does not change its sum.
        let g = s * (t - p) + (c + c) * middle;
        d[k] = p + s * g;
        d[k + 1] = t - s * g;
        e[k] = c * g - middle;
        x = e[k];
        if k + 1 < end {
            y = s * e[k + 1];
            e[k + 1] = c * e[k + 1];
        }
        rotate(q, k, k + 1, c, s);
    }
}

/// Diagonalizes an upper bidiagonal matrix, which is square or, if `e` has as many elements as `d`, has one more column. The singular
/// values are in `d`, unsorted, and the rotations in `u` and `v`. With one more column, the last column of `v` is the null vector.
#[inline(always)]
pub(super) fn bidiagonal<R: Real>(d: &mut [R], e: &mut [R], [u, v]: [&mut Square<R>; 2]) -> bool {
    let n = d.len();
    if e.len() == n {
        drop_column(d, e, v);
    }
    // Part of a matrix of low rank may consist only of noise whose squares underflow, and shifts with them. As when halves are merged,
    // anything below a unit of rounding of the whole matrix is ignored.
    let norm = d.iter().chain(&*e).fold(R::real(WHOLE), |m, x| m.larger(x.abs()));
    let mut tiny = norm * R::EPSILON * R::real(0.25);
    let mut end = n - 1;
    for count in 1..=SWEEPS * n {
        while end > 0 && e[end - 1].abs() <= tiny {
            end -= 1;
        }
        if end == 0 {
            make_positive(d, v);
            return true;
        }
        let start = (0..end - 1).rev().find(|&i| e[i].abs() <= tiny).map_or(0, |i| i + 1);
        let mut singular = false;
        for x in &mut d[start..=end] {
            if x.abs() <= tiny {
                (*x, singular) = (R::ZERO, true);
            }
        }
        // Not a pointer to one of the functions, because that would not be inlined.
        if singular {
            unshifted_sweep(d, e, [start, end], u, v);
        } else {
            bidiagonal_sweep(d, e, [start, end], u, v);
        }
        if count % (PATIENCE * n) == 0 {
            tiny = tiny + tiny;
        }
    }
    false
}

/// Eliminates the element to the right of the last diagonal element with rotations, going up.
#[inline(always)]
fn drop_column<R: Real>(d: &mut [R], e: &mut [R], v: &mut Square<R>) {
    let n = d.len();
    let mut x = e[n - 1];
    for j in (0..n).rev() {
        let (c, s, r) = rotation(d[j], x);
        d[j] = r;
        rotate(v, j, n, c, s);
        if j > 0 {
            x = -s * e[j - 1];
            e[j - 1] = c * e[j - 1];
        }
    }
}

/// Changes the signs of negative values and of their right vectors.
#[inline(always)]
fn make_positive<R: Real>(d: &mut [R], v: &mut Square<R>) {
    for (x, column) in d.iter_mut().zip(v) {
        if *x < R::ZERO {
            *x = -*x;
            *column = column.map(|y| -y);
        }
    }
}

/// Does one implicit QR step on rows `start..=end`, with the shift of the last two columns (Golub and Kahan, 1965).
#[inline(always)]
fn bidiagonal_sweep<R: Real>(
    d: &mut [R],
    e: &mut [R],
    [start, end]: [usize; 2],
    u: &mut Square<R>,
    v: &mut Square<R>,
) {
    let above = if end - 1 > start { e[end - 2] } else { R::ZERO };
    let (p, t, g) = (
        d[end - 1] * d[end - 1] + above * above,
        d[end] * d[end] + e[end - 1] * e[end - 1],
        d[end - 1] * e[end - 1],
    );
    let half = (p - t) * R::real(0.5);
    let root = half.hypotenuse(g);
    let divisor = if half < R::ZERO { half - root } else { half + root };
    let shift = if divisor == R::ZERO { t } else { t - g * (g / divisor) };
    let (mut x, mut y) = (d[start] - shift / d[start], e[start]);
    for k in start..end {
        let (c, s, r) = rotation(x, y);
        if k > start {
            e[k - 1] = r;
        }
        let upper = c * d[k] + s * e[k];
        e[k] = c * e[k] - s * d[k];
        let bulge = s * d[k + 1];
        d[k + 1] = c * d[k + 1];
        rotate(v, k, k + 1, c, s);
        let (c, s, r) = rotation(upper, bulge);
        d[k] = r;
        x = c * e[k] + s * d[k + 1];
        d[k + 1] = c * d[k + 1] - s * e[k];
        e[k] = x;
        if k + 1 < end {
            y = s * e[k + 1];
            e[k + 1] = c * e[k + 1];
        }
        rotate(u, k, k + 1, c, s);
    }
}

/// Does one implicit QR step without shift on rows `start..=end`. After it, the last row of a singular block is zero.
#[inline(always)]
fn unshifted_sweep<R: Real>(
    d: &mut [R],
    e: &mut [R],
    [start, end]: [usize; 2],
    u: &mut Square<R>,
    v: &mut Square<R>,
) {
    let (mut c, mut old_c, mut old_s) = (R::ONE, R::ONE, R::ZERO);
    for k in start..end {
        let (new_c, s, r) = rotation(d[k] * c, e[k]);
        c = new_c;
        if k > start {
            e[k - 1] = old_s * r;
        }
        rotate(v, k, k + 1, c, s);
        (old_c, old_s, d[k]) = rotation(old_c * r, d[k + 1] * s);
        rotate(u, k, k + 1, old_c, old_s);
    }
    let h = d[end] * c;
    d[end] = h * old_c;
    e[end - 1] = h * old_s;
}
