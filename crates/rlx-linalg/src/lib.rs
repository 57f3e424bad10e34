//! Factorisations of matrices on slices, in the precision of their numbers: `f32`, `f64` and complex numbers of two `f64`.
//!
//! They are blocked algorithms on [`faer`](https://docs.rs/faer)'s products, solvers and decompositions. Of a large matrix
//! elimination, reflections and the reduction to few diagonals are shared between threads, in tasks that depend on its size alone,
//! so results do not depend on the number of threads. `faer` picks its instructions by what the processor has. On x86-64 its
//! products keep their packed operands in memory of each thread that lasts; elsewhere they allocate.
//!
//! This crate knows nothing of graphs or element types: [`Factorise`] is what a caller sees.

mod factorise;
mod halves;
mod lu;
mod number;
mod qr;
mod reduction;
mod share;
mod spectrum;

pub use factorise::{Factorise, Triangle};
pub use faer::c64;
pub use number::Number;
pub use qr::{PANEL, Work};

use faer::MatMut;

/// Column `j` of a matrix whose columns are contiguous.
fn column<T: Number>(a: MatMut<'_, T>, j: usize) -> &mut [T] {
    let column = a.col_mut(j);
    assert!(column.row_stride() == 1 || column.nrows() < 2, "columns are contiguous");
    let (at, len) = (column.as_ptr_mut(), column.nrows());
    // SAFETY: the view is of these elements alone, which lie one after the other.
    unsafe { std::slice::from_raw_parts_mut(at, len) }
}
