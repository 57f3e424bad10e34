//! Checks every factorization on matrices that are hard for their kind: of low rank, with equal rows, of blocks. The checks are the
//! definitions: a matrix is the product of its factors, and factors are orthogonal, up to n units of rounding (E. Anderson et al., "LAPACK
//! Users' Guide", section 4, has the bounds). Some sizes between 1 and 330 are tested, and all of them with `RLX_LINALG_SIZES=all`.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, c64};
use rlx_linalg::{Factorize, Work};
use rlx_pool::Pool;
use rlx_simd::isa::Cpu;
use std::cmp::Ordering;
use std::mem::MaybeUninit;

const KINDS: &[(&str, fn(usize, usize, usize) -> f64)] = &[
    ("ones", |_, _, _| 1.0),
    ("(7i + j) mod 3", |i, j, _| ((7 * i + j) % 3) as f64),
    ("rank 1", |i, j, _| ((i % 5 + 1) * (j % 7 + 1)) as f64),
    ("rank 2", |i, j, _| (i % 5 + 1) as f64 * (j % 3) as f64 + (i % 4) as f64),
    ("rank 3", |i, j, _| ((i % 2) * (j % 3) + (i % 3) * (j % 2) + i % 7) as f64),
    ("rank 4", |i, j, _| [3.0, -1.0, 4.0, 1.5][i % 4] + [2.0, 7.0, 1.0, -8.0][j % 4] * (i % 3) as f64),
    ("equal rows", |i, j, _| if i % 2 == 0 { ((j * j) % 11) as f64 } else { 1.0 }),
    ("equal columns", |i, j, _| if j % 2 == 0 { ((i * i) % 11) as f64 } else { -1.0 }),
    ("checkerboard", |i, j, _| ((i + j) % 2) as f64),
    ("blocks", |i, j, n| if (4 * i) / n == (4 * j) / n { 1.0 } else { 0.0 }),
    ("symmetric blocks", |i, j, _| ((i / 8 + j / 8) % 3) as f64),
    ("triangle", |i, j, _| if i <= j { 1.0 } else { 0.0 }),
    ("permutation", |i, j, n| if (i * 2 + 1) % n.max(1) == j { 1.0 } else { 0.0 }),
    ("zero", |_, _, _| 0.0),
    ("graded", |i, j, _| 0.5f64.powi((i + j) as i32)),
    ("nearly ones", |i, j, _| 1.0 + ((i * 31 + j * 17) % 13) as f64 * 1e-14),
    ("hilbert", |i, j, _| 1.0 / (i + j + 1) as f64),
];

fn sizes() -> Vec<usize> {
    if std::env::var("RLX_LINALG_SIZES").as_deref() == Ok("all") {
        return (1..=330).collect();
    }
    vec![1, 2, 3, 5, 15, 16, 17, 31, 33, 37, 48, 64, 65, 97, 103, 130]
}

/// A number type under test, with its parts as f64.
trait Tested: Factorize {
    const EPS: f64;
    fn of(x: f64) -> Self;
    fn to_complex(self) -> c64;
}

impl Tested for f32 {
    const EPS: f64 = f32::EPSILON as f64;
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn to_complex(self) -> c64 {
        c64::new(f64::from(self), 0.0)
    }
}

impl Tested for f64 {
    const EPS: f64 = f64::EPSILON;
    fn of(x: f64) -> f64 {
        x
    }
    fn to_complex(self) -> c64 {
        c64::new(self, 0.0)
    }
}

impl Tested for c64 {
    const EPS: f64 = f64::EPSILON;
    fn of(x: f64) -> c64 {
        c64::new(x, x * 0.5)
    }
    fn to_complex(self) -> c64 {
        self
    }
}

fn wide<T: Tested>(list: &[T], rows: usize) -> Mat<c64> {
    let columns = list.len().checked_div(rows).unwrap_or(0);
    Mat::from_fn(rows, columns, |i, j| list[j * rows + i].to_complex())
}

fn product(a: MatRef<'_, c64>, b: MatRef<'_, c64>) -> Mat<c64> {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    matmul(c.as_mut(), Accum::Replace, a, b, c64::new(1.0, 0.0), Par::Seq);
    c
}

fn largest(a: MatRef<'_, c64>) -> f64 {
    let mut largest = 0f64;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            let x = a[(i, j)].re.abs() + a[(i, j)].im.abs();
            largest = if x.is_nan() { f64::INFINITY } else { largest.max(x) };
        }
    }
    largest
}

fn adjoint(a: &Mat<c64>) -> Mat<c64> {
    a.adjoint().to_owned()
}

/// Returns how far columns are from being orthonormal.
fn orthogonality(q: &Mat<c64>) -> f64 {
    let gram = product(adjoint(q).as_ref(), q.as_ref());
    largest((&gram - Mat::<c64>::identity(q.ncols(), q.ncols())).as_ref())
}

struct Checked {
    failed: Vec<String>,
    pool: Pool,
    cpu: Cpu,
}

impl Checked {
    fn judge<T: Tested>(&mut self, what: &str, kind: &str, n: usize, norm: f64, error: f64) {
        let bound = T::EPS * (n as f64 + 8.0) * norm;
        if error.is_nan() || error > bound {
            let name = std::any::type_name::<T>();
            self.failed.push(format!("{what} of {kind}, n = {n}, {name}: {error:.2e}, allowed {bound:.2e}"));
        }
    }

    fn svd<T: Tested>(&mut self, kind: &str, list: &[T], [m, n]: [usize; 2]) {
        let least = m.min(n);
        let (mut u, mut s, mut v) =
            (vec![T::of(0.0); m * least], vec![T::of(0.0); least], vec![T::of(0.0); n * least]);
        let mut stack = vec![MaybeUninit::uninit(); T::svd_bytes([m, n], false)];
        T::svd((self.cpu, &self.pool), &mut list.to_vec(), [m, n], (&mut u, &mut s, &mut v), &mut stack);
        let (a, u, v) = (wide(list, m), wide(&u, m), wide(&v, n));
        let scaled = Mat::from_fn(m, least, |i, j| u[(i, j)] * s[j].to_complex());
        let error = largest((&product(scaled.as_ref(), adjoint(&v).as_ref()) - &a).as_ref());
        let norm = s.first().map_or(0.0, |s| s.to_complex().re);
        let order = m.max(n);
        self.judge::<T>("svd", kind, order, norm.max(f64::MIN_POSITIVE), error);
        self.judge::<T>("left vectors", kind, order, 1.0, orthogonality(&u));
        self.judge::<T>("right vectors", kind, order, 1.0, orthogonality(&v));
        let falls = s.windows(2).all(|pair| pair[0].to_complex().re >= pair[1].to_complex().re);
        if !falls || s.iter().any(|s| s.to_complex().re < 0.0) {
            self.failed.push(format!("singular values of {kind}, n = {n}: {s:?}"));
        }
    }

    fn eigh<T: Tested>(&mut self, kind: &str, list: &[T], n: usize) {
        let given: Mat<c64> = Mat::from_fn(n, n, |i, j| {
            let (row, column) = (i.max(j), i.min(j));
            let x = list[column * n + row].to_complex();
            match i.cmp(&j) {
                Ordering::Less => x.conj(),
                Ordering::Equal => c64::new(x.re, 0.0),
                Ordering::Greater => x,
            }
        });
        let (mut values, mut vectors) = (vec![T::of(0.0); n], vec![T::of(0.0); n * n]);
        let mut stack = vec![MaybeUninit::uninit(); T::eigh_bytes(n)];
        T::eigh((self.cpu, &self.pool), &mut list.to_vec(), n, (&mut values, &mut vectors), &mut stack);
        let v = wide(&vectors, n);
        let scaled = Mat::from_fn(n, n, |i, j| v[(i, j)] * values[j].to_complex());
        let error = largest((&product(given.as_ref(), v.as_ref()) - &scaled).as_ref());
        let norm = values.iter().fold(0f64, |m, x| m.max(x.to_complex().re.abs()));
        self.judge::<T>("eigh", kind, n, norm.max(f64::MIN_POSITIVE), error);
        self.judge::<T>("eigenvectors", kind, n, 1.0, orthogonality(&v));
    }

    fn qr<T: Tested>(&mut self, kind: &str, list: &[T], [m, n]: [usize; 2]) {
        let least = m.min(n);
        let lengths = Work::<T>::lengths(m, m.max(n));
        let [mut a, mut b, mut c] = lengths.map(|len| vec![T::of(0.0); len]);
        let (mut packed, mut taus, mut q) =
            (list.to_vec(), vec![T::of(0.0); least], vec![T::of(0.0); m * least]);
        let mut work = Work { pool: &self.pool, v: &mut a, products: &mut b, s: &mut c };
        T::qr(&mut packed, [m, n], &mut taus, &mut work);
        T::product_of_reflectors(&packed, [m, n], &taus, &mut q, &mut work);
        let (a, q, packed) = (wide(list, m), wide(&q, m), wide(&packed, m));
        let r = Mat::from_fn(least, n, |i, j| if i <= j { packed[(i, j)] } else { c64::new(0.0, 0.0) });
        let error = largest((&product(q.as_ref(), r.as_ref()) - &a).as_ref());
        let norm = largest(a.as_ref()) * (m as f64).sqrt();
        self.judge::<T>("qr", kind, m.max(n), norm.max(f64::MIN_POSITIVE), error);
        self.judge::<T>("q", kind, m.max(n), 1.0, orthogonality(&q));
    }

    fn lu<T: Tested>(&mut self, kind: &str, list: &[T], [m, n]: [usize; 2]) {
        let least = m.min(n);
        let (mut packed, mut pivots) = (list.to_vec(), vec![0; least]);
        T::lu(&self.pool, &mut packed, [m, n], &mut pivots);
        let (mut a, packed) = (wide(list, m), wide(&packed, m));
        for (k, &pivot) in pivots.iter().enumerate() {
            for j in 0..n {
                let x = a[(k, j)];
                a[(k, j)] = a[(pivot, j)];
                a[(pivot, j)] = x;
            }
        }
        let (zero, one) = (c64::new(0.0, 0.0), c64::new(1.0, 0.0));
        let l = Mat::from_fn(m, least, |i, j| {
            if i > j {
                packed[(i, j)]
            } else if i == j {
                one
            } else {
                zero
            }
        });
        let u = Mat::from_fn(least, n, |i, j| if i <= j { packed[(i, j)] } else { zero });
        let error = largest((&product(l.as_ref(), u.as_ref()) - &a).as_ref());
        // With partial pivoting, elements grow little; for the triangle of ones they do not grow at all.
        let norm = largest(u.as_ref()).max(largest(a.as_ref())).max(f64::MIN_POSITIVE);
        self.judge::<T>("lu", kind, m.max(n), norm, error);
    }

    fn cholesky<T: Tested>(&mut self, kind: &str, list: &[T], n: usize) {
        let a = wide(list, n);
        let mut gram = product(adjoint(&a).as_ref(), a.as_ref());
        let shift = largest(gram.as_ref()).max(1.0);
        (0..n).for_each(|i| gram[(i, i)] += shift);
        // Real numbers only: here complex ones are built from reals.
        let mut lower: Vec<T> = (0..n * n).map(|at| T::of(gram[(at % n, at / n)].re)).collect();
        if lower.iter().any(|x| x.to_complex().im != 0.0) {
            return;
        }
        let given = wide(&lower, n);
        let mut stack = vec![MaybeUninit::uninit(); T::cholesky_bytes(n)];
        let found = T::cholesky(&mut lower, n, &mut stack);
        let l = wide(&lower, n);
        let l = Mat::from_fn(n, n, |i, j| if i >= j { l[(i, j)] } else { c64::new(0.0, 0.0) });
        let error = largest((&product(l.as_ref(), adjoint(&l).as_ref()) - &given).as_ref());
        let error = if found { error } else { f64::INFINITY };
        self.judge::<T>("cholesky", kind, n, largest(given.as_ref()), error);
    }
}

fn check<T: Tested>() {
    let mut checked = Checked { failed: Vec::new(), pool: Pool::eager(2).unwrap(), cpu: Cpu::detect() };
    for n in sizes() {
        for (kind, element) in KINDS {
            let matrix = |m: usize, n: usize| -> Vec<T> {
                (0..m * n).map(|at| T::of(element(at % m, at / m, m.max(n)))).collect()
            };
            let square = matrix(n, n);
            checked.svd(kind, &square, [n, n]);
            checked.eigh(kind, &square, n);
            checked.qr(kind, &square, [n, n]);
            checked.lu(kind, &square, [n, n]);
            checked.cholesky(kind, &square, n);
            for size in [[n, n.div_ceil(2)], [n.div_ceil(3), n]] {
                let list = matrix(size[0], size[1]);
                checked.svd(kind, &list, size);
                checked.qr(kind, &list, size);
                checked.lu(kind, &list, size);
            }
        }
    }
    assert!(checked.failed.is_empty(), "{}:\n{}", checked.failed.len(), checked.failed.join("\n"));
}

#[test]
fn f32_of_every_kind() {
    check::<f32>();
}

#[test]
fn f64_of_every_kind() {
    check::<f64>();
}

#[test]
fn complex_numbers_of_every_kind() {
    check::<c64>();
}
