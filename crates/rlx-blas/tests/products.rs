//! Compares the library with a plain loop, in every form, from several threads at the same time.
#![cfg(any(feature = "openblas", feature = "mkl", feature = "accelerate"))]

use rlx_blas::{Matrix, Product, calls, dgemm, sgemm};

const SIZES: [usize; 3] = [37, 53, 91];

/// Integers, so that every order of the sum is exact.
fn number(i: usize) -> f64 {
    ((i * 7919 + 13) % 17) as f64 - 8.0
}

/// Returns the steps of a matrix with gaps: its step, and the steps from row to row and from column to column.
fn steps(rows: usize, columns: usize, by_columns: bool) -> (usize, usize, usize) {
    if by_columns { (rows + 3, 1, rows + 3) } else { (columns + 5, columns + 5, 1) }
}

fn check<T: Copy>(of: impl Fn(f64) -> T, to: impl Fn(T) -> f64, gemm: unsafe fn(&Product<T>)) {
    let [m, n, k] = SIZES;
    for (a_by, b_by) in [(false, false), (false, true), (true, false), (true, true)] {
        let (a_step, a_row, a_col) = steps(m, k, a_by);
        let (b_step, b_row, b_col) = steps(k, n, b_by);
        let a: Vec<T> = (0..a_step * m.max(k)).map(|i| of(number(i))).collect();
        let b: Vec<T> = (0..b_step * k.max(n)).map(|i| of(number(i + 5))).collect();
        let c_step = n + 2;
        // The old contents of C are not read, not even NaN.
        let mut c = vec![of(f64::NAN); m * c_step];
        let matrix = |start, step: usize, by_columns| Matrix { start, step: step as i32, by_columns };
        let product = Product {
            m: m as i32,
            n: n as i32,
            k: k as i32,
            a: matrix(a.as_ptr(), a_step, a_by),
            b: matrix(b.as_ptr(), b_step, b_by),
            c: c.as_mut_ptr(),
            c_step: c_step as i32,
        };
        // SAFETY: the vectors hold the matrices at these steps.
        unsafe { gemm(&product) };
        for (row, column) in (0..m).flat_map(|row| (0..c_step).map(move |column| (row, column))) {
            let got = to(c[row * c_step + column]);
            if column >= n {
                assert!(got.is_nan(), "wrote between rows");
                continue;
            }
            let terms = (0..k).map(|i| to(a[row * a_row + i * a_col]) * to(b[i * b_row + column * b_col]));
            assert_eq!(got, terms.sum::<f64>(), "C[{row}][{column}], by columns: {a_by}, {b_by}");
        }
    }
}

#[test]
fn products_are_exact_in_every_form_and_from_several_threads() {
    let before = calls();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| check(|x| x as f32, f64::from, sgemm));
            scope.spawn(|| check(|x| x, |x| x, dgemm));
        }
    });
    assert_eq!(calls() - before, 4 * 2 * 4);
}
