//! Matrix factorizations on slices, in `f32`, `f64` and complex numbers of two `f64`.
//!
//! They are blocked algorithms on top of the products, solvers and decompositions of [`faer`](https://docs.rs/faer). For a large matrix,
//! threads share elimination, reflections and the reduction to few diagonals. How these are divided into tasks depends only on the size, so
//! results do not depend on the number of threads. `faer` chooses its instructions at run time. On x86-64 its products keep packed operands
//! in memory that each thread reuses; on other processors they allocate.
//!
//! `faer` reduces complex matrices; their singular values are then found as those of real ones. This crate knows nothing of graphs or
//! element types. Its interface is [`Factorize`].

mod factorize;
mod halves;
mod lu;
mod number;
mod qr;
mod reduction;
mod share;
mod spectrum;

pub use factorize::{Factorize, Triangle};
pub use faer::c64;
pub use number::Number;
pub use qr::{PANEL, Work};

use faer::MatMut;

/// Returns column `j` of a matrix whose columns are contiguous.
fn column<T: Number>(a: MatMut<'_, T>, j: usize) -> &mut [T] {
    let column = a.col_mut(j);
    assert!(column.row_stride() == 1 || column.nrows() < 2, "columns must be contiguous");
    let (at, len) = (column.as_ptr_mut(), column.nrows());
    // SAFETY: the view consists of exactly these elements, which follow one another.
    unsafe { std::slice::from_raw_parts_mut(at, len) }
}
