//! Factorizations checked with the equations that define them.

use super::super::Complex64;
use super::super::linalg::*;
use super::{complexes, stream};

/// The product of an `m × k` and a `k × n` matrix, stored as vectors, given one extent.
fn times<T: Field>(a: &[T], b: &[T], m: usize, k: usize, n: usize) -> Vec<T> {
    let entry = |i: usize, j: usize| (0..k).fold(T::ZERO, |sum, l| sum + a[i * k + l] * b[l * n + j]);
    (0..m * n).map(|at| entry(at / n, at % n)).collect()
}

fn adjoint<T: Field>(a: &[T], m: usize, n: usize) -> Vec<T> {
    (0..n * m).map(|at| a[at % m * n + at / m].conj()).collect()
}

/// The largest modulus of a difference; NaN counts as infinite.
pub(super) fn distance<T: Field>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |worst, (x, y)| {
        let d = (*x - *y).abs();
        if d.is_nan() { f64::INFINITY } else { f64::max(worst, d) }
    })
}

pub(super) fn size<T: Field>(a: &[T]) -> f64 {
    a.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

fn identity<T: Field>(n: usize) -> Vec<T> {
    (0..n * n).map(|k| if k / n == k % n { T::ONE } else { T::ZERO }).collect()
}

/// Whether the columns of an `m × n` matrix are orthonormal.
fn assert_orthonormal<T: Field>(q: &[T], m: usize, n: usize, what: &str) {
    let gram = times(&adjoint(q, m, n), q, n, m, n);
    let error = distance(&gram, &identity(n));
    assert!(error < 1e-14 * (m.max(4) as f64), "{what}: {m} × {n} not orthonormal by {error:e}");
}

/// Runs a check on real and complex random matrices of many shapes, and on ones of rank one and zero, graded, huge and tiny ones.
fn for_matrices(
    shapes: &[(usize, usize)],
    real: impl Fn(&[f64], usize, usize),
    complex: impl Fn(&[Complex64], usize, usize),
) {
    for &(m, n) in shapes {
        let a = stream((m * 100 + n) as u64, m * n);
        let b = complexes(&stream((m * 100 + n) as u64 + 50, 2 * m * n));
        let graded = a.iter().enumerate().map(|(k, v)| v * 0.1f64.powi((k % n) as i32));
        real(&a, m, n);
        real(&vec![1.0; m * n], m, n);
        real(&vec![0.0; m * n], m, n);
        real(&graded.collect::<Vec<_>>(), m, n);
        real(&a.iter().map(|v| v * 1e300).collect::<Vec<_>>(), m, n);
        complex(&b, m, n);
        complex(&vec![Complex64::new(1.0, -2.0); m * n], m, n);
        complex(&b.iter().map(|v| v.scale(1e-300)).collect::<Vec<_>>(), m, n);
    }
}

#[rustfmt::skip]
const SHAPES: [(usize, usize); 13] = [
    (0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (4, 1), (2, 2), (3, 3), (5, 3), (3, 5), (8, 8), (17, 12), (12, 30),
];
const SQUARE: [(usize, usize); 7] = [(0, 0), (1, 1), (2, 2), (3, 3), (7, 7), (16, 16), (40, 40)];

#[test]
fn qr_reconstructs() {
    fn check<T: Field>(a: &[T], m: usize, n: usize) {
        for full in [false, true] {
            let (q, r) = qr(a, m, n, full);
            let inner = if full { m } else { m.min(n) };
            assert_orthonormal(&q, m, inner, "Q");
            let error = distance(&times(&q, &r, m, inner, n), a);
            assert!(error <= 1e-14 * size(a) * (m + n) as f64, "{m} × {n}: {error:e}");
            assert!((0..inner * n).all(|k| k / n <= k % n || r[k] == T::ZERO), "R is upper triangular");
        }
    }
    for_matrices(&SHAPES, check, check);
}

#[test]
fn lu_reconstructs() {
    fn check<T: Field>(a: &[T], m: usize, n: usize) {
        let Lu { lu: packed, pivots, permutation } = lu(a, m, n);
        let k = m.min(n);
        let lower = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => T::ZERO,
            std::cmp::Ordering::Equal => T::ONE,
            std::cmp::Ordering::Greater => packed[i * n + j],
        };
        let l: Vec<T> = (0..m * k).map(|at| lower(at / k, at % k)).collect();
        let u: Vec<T> = (0..k * n).map(|at| if at / n <= at % n { packed[at] } else { T::ZERO }).collect();
        let permuted: Vec<T> = permutation.iter().flat_map(|i| a[i * n..(i + 1) * n].to_vec()).collect();
        assert!(
            distance(&times(&l, &u, m, k, n), &permuted) <= 1e-14 * size(a) * (m + n) as f64,
            "{m} × {n}"
        );
        assert!(l.iter().all(|v| v.abs() < 1.415), "multipliers are bounded by the pivot");
        let mut order: Vec<usize> = (0..m).collect();
        pivots.iter().enumerate().for_each(|(i, p)| order.swap(i, *p));
        assert_eq!(order, permutation);
    }
    for_matrices(&SHAPES, check, check);
}

#[test]
fn cholesky_reconstructs() {
    fn check<T: Field>(a: &[T], n: usize) {
        let mut gram = times(a, &adjoint(a, n, n), n, n, n);
        (0..n).for_each(|i| gram[i * n + i] += T::ONE);
        let l = cholesky(&gram, n);
        assert!(distance(&times(&l, &adjoint(&l, n, n), n, n, n), &gram) <= 1e-14 * size(&gram) * n as f64);
        // Only the lower triangle matters.
        (0..n * n).filter(|k| k / n < k % n).for_each(|k| gram[k] = T::nan());
        assert_eq!(cholesky(&gram, n), l);
    }
    for (n, _) in SQUARE {
        check(&stream(n as u64, n * n), n);
        check(&complexes(&stream(n as u64, 2 * n * n)), n);
    }
}

#[test]
fn cholesky_fails_with_nan() {
    for a in
        [[1.0, 0.0, 2.0, 1.0], [0.0, 0.0, 0.0, 1.0], [f64::NAN, 0.0, 1.0, 1.0], [1.0, 0.0, f64::NAN, 1.0]]
    {
        let l = cholesky(&a, 2);
        assert!(l[0].is_nan() && l[2].is_nan() && l[3].is_nan() && l[1] == 0.0, "{a:?}: {l:?}");
    }
}

#[test]
fn eigh_reconstructs() {
    fn check<T: Field>(a: &[T], n: usize, _: usize) {
        let hermitian: Vec<T> = a.iter().zip(adjoint(a, n, n)).map(|(x, y)| (*x + y).scale(0.5)).collect();
        let Eigh { values, vectors } = eigh(&hermitian, n);
        assert!(values.is_sorted());
        assert_orthonormal(&vectors, n, n, "V");
        let scaled: Vec<T> = vectors.iter().enumerate().map(|(k, v)| v.scale(values[k % n])).collect();
        let error = distance(&times(&hermitian, &vectors, n, n, n), &scaled);
        assert!(error <= 1e-14 * size(a) * n as f64, "{n}: {error:e}");
        let lower: Vec<T> = (0..n * n).map(|k| if k / n < k % n { T::nan() } else { hermitian[k] }).collect();
        assert_eq!(eigh(&lower, n).values, values, "only the lower triangle counts");
    }
    for_matrices(&SQUARE, check, check);
}

#[test]
fn svd_reconstructs() {
    fn check<T: Field>(a: &[T], m: usize, n: usize) {
        let k = m.min(n);
        for full in [false, true] {
            let Svd { u, s, vh } = svd(a, m, n, full);
            let (columns, rows) = if full { (m, n) } else { (k, k) };
            assert_eq!((u.len(), s.len(), vh.len()), (m * columns, k, rows * n));
            assert!(s.iter().all(|v| *v >= 0.0) && s.is_sorted_by(|x, y| x >= y));
            assert_orthonormal(&u, m, columns, "U");
            assert_orthonormal(&adjoint(&vh, rows, n), n, rows, "V");
            let us: Vec<T> = (0..m * k).map(|at| u[at / k * columns + at % k].scale(s[at % k])).collect();
            let error = distance(&times(&us, &vh[..k * n], m, k, n), a);
            assert!(error <= 1e-14 * size(a) * (m + n) as f64, "{m} × {n}: {error:e}");
            assert_eq!(singular_values(a, m, n), s);
        }
    }
    for_matrices(&SHAPES, check, check);
    for_matrices(&[(40, 40)], check, check);
}

#[test]
fn small_singular_values_keep_their_digits() {
    // A diagonal matrix with scaled columns, disguised by a rotation from the left.
    let (c, s) = (0.6, 0.8);
    let a = [c, -s * 1e-20, s, c * 1e-20];
    let values = singular_values(&a, 2, 2);
    assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] / 1e-20 - 1.0).abs() < 1e-14, "{values:?}");
}

/// Solves with one combination of options and multiplies back; entries that must not be read are NaN.
fn check_triangular<T: Field>(a: &[T], b: &[T], m: usize, n: usize, options: TriangularSolve) {
    let TriangularSolve { left_side, lower, unit_diagonal, transpose } = options;
    let order = if left_side { m } else { n };
    let matrix = |hidden: T, unit: T| -> Vec<T> {
        let entry = |i: usize, j: usize| {
            if i == j {
                return if unit_diagonal { unit } else { a[i * order + i] + T::from(3.0) };
            }
            if (i > j) == lower { a[i * order + j] } else { hidden }
        };
        (0..order * order).map(|k| entry(k / order, k % order)).collect()
    };
    let mut x = b.to_vec();
    triangular_solve(&matrix(T::nan(), T::nan()), &mut x, m, n, options);
    let triangle = matrix(T::ZERO, T::ONE);
    let op: Vec<T> = match transpose {
        Transpose::No => triangle,
        Transpose::Adjoint => adjoint(&triangle, order, order),
        Transpose::Transpose => adjoint(&triangle, order, order).iter().map(|v| v.conj()).collect(),
    };
    let product = if left_side { times(&op, &x, m, m, n) } else { times(&x, &op, m, n, n) };
    assert!(distance(&product, b) <= 1e-13 * size(&x).max(1.0), "{options:?} {m} × {n}");
}

#[test]
fn triangular_systems_are_solved() {
    for (m, n) in [(0, 0), (0, 2), (2, 0), (1, 1), (3, 2), (2, 3), (6, 4)] {
        let square = m.max(n) * m.max(n);
        for choice in 0..8 {
            for transpose in [Transpose::No, Transpose::Transpose, Transpose::Adjoint] {
                let [left_side, lower, unit_diagonal] = [1, 2, 4].map(|bit| choice & bit != 0);
                let options = TriangularSolve { left_side, lower, unit_diagonal, transpose };
                check_triangular(&stream(1, square), &stream(2, m * n), m, n, options);
                let (a, b) = (complexes(&stream(3, 2 * square)), complexes(&stream(4, 2 * m * n)));
                check_triangular(&a, &b, m, n, options);
            }
        }
    }
}

#[test]
fn singular_triangles_give_infinities() {
    let options =
        TriangularSolve { left_side: true, lower: true, unit_diagonal: false, transpose: Transpose::No };
    let mut b = [1.0, 0.0];
    triangular_solve(&[0.0, 0.0, 0.0, 1.0], &mut b, 2, 1, options);
    assert!(b[0] == f64::INFINITY && b[1].is_nan());
}

#[test]
fn a_real_reflector_of_a_multiple_of_the_first_axis_is_the_identity() {
    let (q, r) = qr(&[-2.0, 1.0, 0.0, 3.0], 2, 2, true);
    assert_eq!((q, r), (vec![1.0, 0.0, 0.0, 1.0], vec![-2.0, 1.0, 0.0, 3.0]));
}

#[test]
fn nan_and_infinity_terminate() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for at in 0..12 {
            let mut a = stream(9, 16);
            a[at] = bad;
            let b: Vec<Complex64> = a.iter().map(|v| Complex64::new(1.0, *v)).collect();
            qr(&a, 4, 4, true);
            lu(&b, 4, 4);
            cholesky(&b, 4);
            assert!(svd(&a, 4, 3, true).s.iter().all(|v| v.is_nan()));
            assert!(svd(&b, 3, 4, false).u.iter().all(|v| v.is_nan()));
            let lower = at % 4 <= at / 4;
            assert_eq!(eigh(&a, 4).values.iter().any(|v| v.is_nan()), lower);
            eigh(&b, 4);
        }
    }
}
