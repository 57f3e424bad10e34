//! Reduces real matrices to few diagonals with reflectors, in panels. See Dongarra, Hammarling and Sorensen, "Block reduction of matrices
//! to condensed forms for eigenvalue computations", 1989.
//!
//! Half of the work is to multiply a vector by all of the matrix that is left, which reads the matrix once. Threads share these products,
//! and the updates after panels, in tasks that depend only on the sizes, so results do not depend on the number of threads.

pub(super) mod bidiagonal;
mod columns;
pub(super) mod tridiagonal;

pub(super) use columns::{PAD, padded};

/// Number of columns in one task of the update after a panel.
const BLOCK: usize = 128;

/// Maximum number of tasks of a product with the matrix.
const STRIPES: usize = 8;

/// Up to this many rows and columns, one thread does the work: waking another would cost more than it saves.
const ALONE: usize = 384;

/// Returns the number of tasks of a product with the last `m` rows or columns of the matrix. The order of sums depends on it.
fn stripes(m: usize) -> usize {
    (2 * m / ALONE).clamp(1, STRIPES)
}
