//! Matrix products with a BLAS library: OpenBLAS, MKL or Accelerate, selected by a feature at build time.
//!
//! If the build script does not find the library, the build fails. A product runs only on the calling thread; callers that have several
//! threads divide the work. OpenBLAS has one thread count for the whole process, which is set to 1 if the calling thread finds another
//! value. MKL and Accelerate have one per thread, which is restored after the call.
//!
//! This crate knows nothing of graphs or threads, and does not decide which shapes are worth a call.
#![cfg(any(feature = "openblas", feature = "mkl", feature = "accelerate"))]

mod threads;

use cblas_sys::{
    CBLAS_LAYOUT, CBLAS_TRANSPOSE, CblasNoTrans, CblasRowMajor, CblasTrans, cblas_dgemm, cblas_sgemm,
};
use std::sync::atomic::{AtomicU64, Ordering};

pub use threads::describe;

/// A matrix in memory, stored row by row or column by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix<T> {
    /// Its first element.
    pub start: *const T,
    /// Elements from one row to the next, or from one column to the next; at least the number of elements of a row or column.
    pub step: i32,
    /// Whether it is stored column by column.
    pub by_columns: bool,
}

/// `C[m,n] = A[m,k]·B[k,n]`. The old contents of C are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product<T> {
    /// Rows of C.
    pub m: i32,
    /// Columns of C.
    pub n: i32,
    /// Columns of A.
    pub k: i32,
    /// The left-hand side.
    pub a: Matrix<T>,
    /// The right-hand side.
    pub b: Matrix<T>,
    /// The first element of C, which is stored row by row.
    pub c: *mut T,
    /// Elements from one row of C to the next, at least n.
    pub c_step: i32,
}

/// Returns the number of products that the library has computed in this process.
pub fn calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

static CALLS: AtomicU64 = AtomicU64::new(0);

type Routine<T> = unsafe extern "C" fn(
    CBLAS_LAYOUT,
    CBLAS_TRANSPOSE,
    CBLAS_TRANSPOSE,
    i32,
    i32,
    i32,
    T,
    *const T,
    i32,
    *const T,
    i32,
    T,
    *mut T,
    i32,
);

/// Computes a product of `f32` with `cblas_sgemm`.
///
/// # Safety
/// The matrices are valid for their elements, the steps satisfy what the docs of their fields require, and C overlaps neither A nor B.
pub unsafe fn sgemm(product: &Product<f32>) {
    // SAFETY: the caller vouches for the matrices, and `cblas_sgemm` is the routine for `f32`.
    unsafe { call(cblas_sgemm, product, 1.0, 0.0) }
}

/// Computes a product of `f64` with `cblas_dgemm`.
///
/// # Safety
/// As for [`sgemm`].
pub unsafe fn dgemm(product: &Product<f64>) {
    // SAFETY: the caller vouches for the matrices, and `cblas_dgemm` is the routine for `f64`.
    unsafe { call(cblas_dgemm, product, 1.0, 0.0) }
}

/// # Safety
/// As for [`sgemm`]; `gemm` is the library's routine for `T`.
unsafe fn call<T: Copy>(gemm: Routine<T>, product: &Product<T>, one: T, zero: T) {
    let Product { m, n, k, a, b, c, c_step } = *product;
    let form = |matrix: Matrix<T>| if matrix.by_columns { CblasTrans } else { CblasNoTrans };
    threads::alone(|| {
        // SAFETY: the caller vouches for the matrices.
        unsafe {
            gemm(
                CblasRowMajor,
                form(a),
                form(b),
                m,
                n,
                k,
                one,
                a.start,
                a.step,
                b.start,
                b.step,
                zero,
                c,
                c_step,
            );
        }
    });
    CALLS.fetch_add(1, Ordering::Relaxed);
}
