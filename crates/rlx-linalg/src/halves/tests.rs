//! Checks residuals and orthogonality, in units of ε, for kinds of matrices that are hard in different ways.

use super::{Threads, Work, bidiagonal, tridiagonal};
use crate::number::Real;
use faer::MatMut;
use rlx_pool::Pool;
use rlx_simd::isa::Cpu;
use std::sync::OnceLock;

/// The maximum error.
const RESIDUAL: f64 = 15.0;
const ORTHOGONALITY: f64 = 30.0;

fn team() -> Threads<'static> {
    static POOL: OnceLock<Pool> = OnceLock::new();
    Threads::new((Cpu::detect(), POOL.get_or_init(|| Pool::eager(3).unwrap())))
}

fn alone() -> Threads<'static> {
    team().alone()
}

struct Random(u64);

impl Random {
    /// A number between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A name, a diagonal and the elements next to it.
type Matrix = (&'static str, Vec<f64>, Vec<f64>);

fn matrix(name: &'static str, n: usize, d: impl FnMut(usize) -> f64, e: impl FnMut(usize) -> f64) -> Matrix {
    (name, (0..n).map(d).collect(), (0..n.saturating_sub(1)).map(e).collect())
}

/// Returns matrices of every kind.
fn matrices(n: usize) -> Vec<Matrix> {
    let mut random = Random(n as u64 * 7919 + 12345);
    let mut other = Random(n as u64 * 104729 + 54321);
    let graded = |i: usize| 10f64.powf(-16.0 * i as f64 / n as f64);
    let wilkinson = |i: usize| ((i % 21) as f64 - 10.0).abs();
    let glue = |i: usize| if i % 21 == 20 { 1e-9 } else { 1.0 };
    let sparse = |i: usize, x: f64| if i.is_multiple_of(3) { 0.0 } else { x };
    vec![
        matrix("zero", n, |_| 0.0, |_| 0.0),
        matrix("identity", n, |_| 1.0, |_| 0.0),
        matrix("random", n, |_| random.next(), |_| other.next()),
        matrix("positive", n, |_| random.next().abs(), |_| other.next().abs()),
        matrix("small couplings", n, |_| random.next(), |_| 1e-8 * other.next()),
        matrix("split", n, |_| random.next(), |i| sparse(i, other.next())),
        matrix("toeplitz", n, |_| 2.0, |_| -1.0),
        matrix("no diagonal", n, |_| 0.0, |_| 1.0),
        matrix("constant", n, |_| 1.0, |_| 1.0),
        matrix("nearly constant", n, |_| 1.0, |_| 1e-7),
        matrix("wilkinson", n, |i| (i as f64 - n as f64 / 2.0).abs(), |_| 1.0),
        matrix("glued wilkinson", n, wilkinson, glue),
        matrix("graded", n, graded, |i| graded(i) * 0.5),
        matrix("graded up", n, |i| graded(n - i), |i| graded(n - i) * 0.5),
        matrix(
            "far graded",
            n,
            |i| 10f64.powf(-30.0 * i as f64 / n as f64),
            |i| 10f64.powf(-30.0 * i as f64 / n as f64),
        ),
        matrix("singular", n, |i| sparse(i, random.next()), |_| other.next()),
        matrix("singular last", n, |i| if i + 1 == n { 0.0 } else { 1.0 }, |_| 0.5),
        matrix("rank one", n, |i| f64::from(i == n / 2), |i| f64::from(i == n / 2)),
        matrix("equal pairs", n, |i| (i / 2) as f64 / n as f64, |i| if i % 2 == 0 { 0.0 } else { 1e-15 }),
        matrix("hilbert", n, |i| 1.0 / (i + 1) as f64, |i| 1.0 / (i + 2) as f64),
        matrix("tiny", n, |_| random.next() * 1e-36, |_| other.next() * 1e-36),
        matrix("huge", n, |_| random.next() * 1e37, |_| other.next() * 1e37),
    ]
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

/// Returns the largest element of `VᵀV - I`.
fn orthogonality<R: Real>(v: &[R], n: usize) -> f64 {
    let v: Vec<f64> = v.iter().map(|x| x.to_f64()).collect();
    let v = faer::MatRef::from_column_major_slice(&v, n, n);
    let mut gram = faer::Mat::<f64>::identity(n, n);
    faer::linalg::matmul::matmul(gram.as_mut(), faer::Accum::Add, v.transpose(), v, -1.0, faer::Par::Seq);
    largest((0..n * n).map(|i| gram[(i % n, i / n)]))
}

fn square<R: Real>(list: &mut [R], n: usize) -> MatMut<'_, R> {
    MatMut::from_column_major_slice_mut(list, n, n)
}

/// Checks that errors are small.
fn judge(what: &str, name: &str, n: usize, epsilon: f64, residual: f64, others: &[f64]) {
    let (residual, worst) = (residual / epsilon, largest(others.iter().copied()) / epsilon);
    assert!(
        residual <= RESIDUAL && worst <= ORTHOGONALITY,
        "{what} {name} n={n} ε={epsilon:.0e}: {residual} {worst}"
    );
}

/// Solves and checks a tridiagonal matrix.
fn check_eigen<R: Real>((name, d, e): &Matrix, on: Threads<'_>) -> (Vec<R>, Vec<R>) {
    let n = d.len();
    let [d, e] = [d, e].map(|x| x.iter().map(|&x| R::real(x)).collect::<Vec<R>>());
    let (mut values, mut off, mut v) = (d.clone(), e.clone(), vec![R::real(f64::NAN); n * n]);
    let [reals, indices] = tridiagonal::lengths(n);
    let (mut reals, mut indices) = (vec![R::real(f64::NAN); reals], vec![usize::MAX; indices]);
    let work = Work { reals: &mut reals, indices: &mut indices };
    assert!(tridiagonal::eigen(&mut values, &mut off, square(&mut v, n), work, on), "{name} {n}");
    assert!(values.is_sorted(), "{name} {n}");
    let norm = largest(values.iter().map(|x| x.to_f64()));
    let mut residual = 0f64;
    for (j, &value) in values.iter().enumerate() {
        let x: Vec<f64> = v[j * n..(j + 1) * n].iter().map(|x| x.to_f64()).collect();
        residual = largest((0..n).map(|i| {
            let above = if i > 0 { e[i - 1].to_f64() * x[i - 1] } else { 0.0 };
            let below = if i + 1 < n { e[i].to_f64() * x[i + 1] } else { 0.0 };
            (d[i].to_f64() - value.to_f64()) * x[i] + above + below
        }))
        .max(residual);
    }
    let residual = if norm > 0.0 { residual / norm } else { residual };
    judge("eigen", name, n, R::EPSILON.to_f64(), residual, &[orthogonality(&v, n)]);
    (values, v)
}

/// Solves and checks a bidiagonal matrix.
fn check_singular<R: Real>((name, d, e): &Matrix, on: Threads<'_>) -> (Vec<R>, Vec<R>, Vec<R>) {
    let n = d.len();
    let [d, e] = [d, e].map(|x| x.iter().map(|&x| R::real(x)).collect::<Vec<R>>());
    let (mut values, mut off) = (d.clone(), e.clone());
    let (mut u, mut v) = (vec![R::real(f64::NAN); n * n], vec![R::real(f64::NAN); n * n]);
    let [reals, indices] = bidiagonal::lengths(n);
    let (mut reals, mut indices) = (vec![R::real(f64::NAN); reals], vec![usize::MAX; indices]);
    let work = Work { reals: &mut reals, indices: &mut indices };
    let done = bidiagonal::singular(&mut values, &mut off, square(&mut u, n), square(&mut v, n), work, on);
    assert!(done, "{name} {n}");
    assert!(values.iter().rev().is_sorted() && values.iter().all(|&x| x >= R::ZERO), "{name} {n}");
    let norm = largest(values.iter().map(|x| x.to_f64()));
    let mut residual = 0f64;
    for (j, &value) in values.iter().enumerate() {
        let [x, y] = [&v, &u].map(|m| m[j * n..(j + 1) * n].iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
        residual = largest((0..n).map(|i| {
            let next = if i + 1 < n { e[i].to_f64() * x[i + 1] } else { 0.0 };
            d[i].to_f64() * x[i] + next - value.to_f64() * y[i]
        }))
        .max(residual);
    }
    let residual = if norm > 0.0 { residual / norm } else { residual };
    judge("singular", name, n, R::EPSILON.to_f64(), residual, &[orthogonality(&u, n), orthogonality(&v, n)]);
    (values, u, v)
}

fn check<R: Real>(n: usize) {
    for matrix in matrices(n) {
        check_eigen::<R>(&matrix, alone());
        check_singular::<R>(&matrix, alone());
    }
}

#[test]
fn small() {
    (0..=40).for_each(check::<f64>);
    (0..=40).for_each(check::<f32>);
}

#[test]
fn larger() {
    for n in [63, 64, 65, 95, 96, 97, 100, 129, 257] {
        check::<f64>(n);
        check::<f32>(n);
    }
}

#[test]
fn large() {
    check::<f64>(513);
    check::<f32>(513);
}

#[test]
fn teams_agree() {
    for n in [100, 257, 400] {
        for matrix in matrices(n).into_iter().skip(2).take(4) {
            assert!(check_eigen::<f64>(&matrix, alone()) == check_eigen::<f64>(&matrix, team()));
            assert!(check_singular::<f64>(&matrix, alone()) == check_singular::<f64>(&matrix, team()));
        }
    }
}

#[test]
fn known_values() {
    let n = 200;
    let toeplitz = matrix("toeplitz", n, |_| 2.0, |_| -1.0);
    let (values, _) = check_eigen::<f64>(&toeplitz, alone());
    for (k, value) in values.iter().enumerate() {
        let angle = (k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64;
        assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14);
    }
}

#[test]
fn not_finite() {
    for n in [1, 2, 33, 150] {
        for bad in [f64::NAN, f64::INFINITY] {
            let (d, e) = (vec![1.0; n], vec![1.0; n - 1]);
            let (mut bad_d, mut bad_e) = (d.clone(), e.clone());
            bad_d[n / 2] = bad;
            bad_e.iter_mut().take(1).for_each(|x| *x = bad);
            for (mut d, mut e) in [(bad_d, e), (d, bad_e)] {
                if n == 1 && d[0] == 1.0 {
                    continue;
                }
                let [reals, indices] = bidiagonal::lengths(n);
                let (mut reals, mut indices) = (vec![0.0; reals], vec![0; indices]);
                let (mut u, mut v) = (vec![0.0; n * n], vec![0.0; n * n]);
                let work = Work { reals: &mut reals, indices: &mut indices };
                let vectors = square(&mut v, n);
                assert!(!tridiagonal::eigen(&mut d.clone(), &mut e.clone(), vectors, work, alone()));
                let work = Work { reals: &mut reals, indices: &mut indices };
                let (u, v) = (square(&mut u, n), square(&mut v, n));
                assert!(!bidiagonal::singular(&mut d, &mut e, u, v, work, alone()));
            }
        }
    }
}

#[test]
fn extreme() {
    for factor in [f64::MIN_POSITIVE * 4.0, f64::MAX / 8.0, 1e-320] {
        for n in [1, 2, 5, 70] {
            let mut random = Random(n as u64 + 77);
            let mut other = Random(n as u64 + 78);
            let draw = |random: &mut Random| if factor > 1e-310 { random.next() * factor } else { factor };
            let (d, e): (Vec<f64>, Vec<f64>) =
                ((0..n).map(|_| draw(&mut random)).collect(), (1..n).map(|_| draw(&mut other)).collect());
            let matrix = ("extreme", d, e);
            // Products of the elements with vectors are only exact to the smallest number, so only orthogonality is checked.
            if factor > 1e-300 {
                check_eigen::<f64>(&matrix, alone());
                check_singular::<f64>(&matrix, alone());
            } else {
                let (mut d, mut e, mut v) = (matrix.1, matrix.2, vec![0.0; n * n]);
                let [reals, indices] = tridiagonal::lengths(n);
                let (mut reals, mut indices) = (vec![0.0; reals], vec![0; indices]);
                let work = Work { reals: &mut reals, indices: &mut indices };
                assert!(tridiagonal::eigen(&mut d, &mut e, square(&mut v, n), work, alone()));
                assert!(orthogonality(&v, n) < ORTHOGONALITY * f64::EPSILON);
            }
        }
    }
}
