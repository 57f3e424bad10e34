//! Divide and conquer for eigenvalues of symmetric tridiagonal matrices and singular values of bidiagonal ones. A matrix is halved until
//! its parts are small, the parts are solved by sweeps of rotations, and halves are merged by finding the roots of a secular equation.
//!
//! Subtrees, ranges of roots and blocks of columns are tasks that depend only on the sizes, so results do not depend on the number of
//! threads.

pub(super) mod bidiagonal;
mod merge;
mod secular;
mod sweep;
#[cfg(test)]
mod tests;
mod threads;
pub(super) mod tridiagonal;

use super::number::Real;
pub(super) use threads::Threads;

/// Working memory: as many numbers and indices as [`tridiagonal::lengths`] or [`bidiagonal::lengths`] returns, with any contents.
pub(super) struct Work<'a, R> {
    pub(super) reals: &'a mut [R],
    pub(super) indices: &'a mut [usize],
}

/// Returns the power of two by which to multiply some numbers so that the largest is between one half and two. Returns `None` if a number
/// is not finite, and 1 if all are zero. The factor itself is representable, so extremely small numbers remain small.
fn scale<'a, R: Real>(numbers: impl Iterator<Item = &'a R>) -> Option<f64> {
    let mut largest = 0.0;
    for x in numbers {
        if !x.is_finite() {
            return None;
        }
        largest = x.to_f64().abs().max(largest);
    }
    let exponent = if largest == 0.0 { 0 } else { -(largest.log2().floor() as i32) };
    Some(2f64.powi(exponent.clamp(-1021, 1021)))
}
