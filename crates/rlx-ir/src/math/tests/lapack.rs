//! Factorizations compared with LAPACK, which has the same signs and pivots.

use super::super::linalg::*;
use super::complexes;
use super::linalg::{distance, size};
use super::tables::linalg as tables;

/// A matrix and LAPACK's factorizations of it.
struct Case<T> {
    m: usize,
    n: usize,
    a: Vec<T>,
    q: Vec<T>,
    r: Vec<T>,
    lu: Vec<T>,
    pivots: &'static [usize],
    s: &'static [f64],
}

impl<T: Field> Case<T> {
    fn check(&self) {
        let Case { m, n, .. } = *self;
        let tolerance = 4e-14 * size(&self.a);
        let (q, r) = qr(&self.a, m, n, true);
        assert!(distance(&q, &self.q) <= tolerance && distance(&r, &self.r) <= tolerance, "qr {m} × {n}");
        let got = lu(&self.a, m, n);
        assert!(distance(&got.lu, &self.lu) <= tolerance, "lu {m} × {n}");
        assert_eq!(got.pivots, self.pivots);
        assert!(distance(&singular_values(&self.a, m, n), self.s) <= tolerance, "svd {m} × {n}");
    }
}

#[rustfmt::skip]
#[test]
fn real_conventions() {
    use tables::*;
    let case = |m, n, [a, q, r, lu]: [&[f64]; 4], pivots, s| {
        Case { m, n, a: a.to_vec(), q: q.to_vec(), r: r.to_vec(), lu: lu.to_vec(), pivots, s }.check();
    };
    case(5, 3, [TALL_REAL, TALL_REAL_Q, TALL_REAL_R, TALL_REAL_LU], TALL_REAL_PIVOTS, TALL_REAL_S);
    case(3, 5, [WIDE_REAL, WIDE_REAL_Q, WIDE_REAL_R, WIDE_REAL_LU], WIDE_REAL_PIVOTS, WIDE_REAL_S);
    case(4, 4, [SQUARE_REAL, SQUARE_REAL_Q, SQUARE_REAL_R, SQUARE_REAL_LU], SQUARE_REAL_PIVOTS, SQUARE_REAL_S);
}

#[rustfmt::skip]
#[test]
fn complex_conventions() {
    use tables::*;
    let case = |m, n, pairs: [&[f64]; 4], pivots, s| {
        let [a, q, r, lu] = pairs.map(complexes);
        Case { m, n, a, q, r, lu, pivots, s }.check();
    };
    case(5, 3, [TALL_COMPLEX, TALL_COMPLEX_Q, TALL_COMPLEX_R, TALL_COMPLEX_LU], TALL_COMPLEX_PIVOTS, TALL_COMPLEX_S);
    case(3, 5, [WIDE_COMPLEX, WIDE_COMPLEX_Q, WIDE_COMPLEX_R, WIDE_COMPLEX_LU], WIDE_COMPLEX_PIVOTS, WIDE_COMPLEX_S);
    case(
        4, 4, [SQUARE_COMPLEX, SQUARE_COMPLEX_Q, SQUARE_COMPLEX_R, SQUARE_COMPLEX_LU],
        SQUARE_COMPLEX_PIVOTS, SQUARE_COMPLEX_S,
    );
}

#[test]
fn hermitian_factorizations() {
    use tables::*;
    assert!(distance(&cholesky(SQUARE_REAL_GRAM, 4), SQUARE_REAL_CHOLESKY) < 1e-13);
    let gram = complexes(SQUARE_COMPLEX_GRAM);
    assert!(distance(&cholesky(&gram, 4), &complexes(SQUARE_COMPLEX_CHOLESKY)) < 1e-13);
    assert!(distance(&eigh(SQUARE_REAL, 4).values, SQUARE_REAL_EIGENVALUES) < 1e-13);
    let values = eigh(&complexes(SQUARE_COMPLEX), 4).values;
    assert!(distance(&values, SQUARE_COMPLEX_EIGENVALUES) < 1e-13);
}
