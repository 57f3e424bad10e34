//! The multiply-add of scalars that rounds twice.

use super::scalar::MultiplyAdd;

/// A product and a sum, which are both rounded.
#[derive(Clone, Copy, Debug)]
pub struct Separate;

impl MultiplyAdd for Separate {
    const FUSED: bool = false;

    #[inline(always)]
    fn single(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

    #[inline(always)]
    fn double(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}
