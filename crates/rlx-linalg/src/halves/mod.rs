//! Divide and conquer for symmetric tridiagonal eigenvalues and bidiagonal singular values. A matrix is halved
//! until its parts are small, the parts are solved by sweeps of rotations, and halves are merged by the roots
//! of a secular equation.
//!
//! Subtrees, ranges of roots and blocks of columns are tasks that the sizes alone decide on, so results do not depend on the
//! number of threads.

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

/// Working memory: as many numbers and indices as [`tridiagonal::lengths`] or [`bidiagonal::lengths`] say, with any content.
pub(super) struct Work<'a, R> {
    pub(super) reals: &'a mut [R],
    pub(super) indices: &'a mut [usize],
}

/// The power of two that brings the largest of some numbers between one half and two, and `None` if one is not finite; one for
/// zeros alone. The factor itself is representable, so extremely small numbers remain small.
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
