//! Reduces real matrices to few diagonals by reflectors, in panels. See Dongarra, Hammarling and Sorensen,
//! "Block reduction of matrices to condensed forms for eigenvalue computations", 1989.
//!
//! Half of the work multiplies a vector with all of the matrix that is left; the matrix is read once for it. Threads share these
//! products, and the updates behind panels, in tasks that the sizes alone decide on, so results do not depend on the number of
//! threads.

pub(super) mod bidiagonal;
mod columns;
pub(super) mod tridiagonal;

pub(super) use columns::{PAD, padded};

/// Columns of one task of the update behind a panel.
const BLOCK: usize = 128;

/// Most tasks of a product with the matrix.
const STRIPES: usize = 8;

/// Up to so many rows and columns are worked on by one thread: what it would save is less than what it costs to wake another.
const ALONE: usize = 384;

/// In how many tasks a product with the last `m` rows or columns of the matrix is cut. What is summed depends on it.
fn stripes(m: usize) -> usize {
    (2 * m / ALONE).clamp(1, STRIPES)
}
