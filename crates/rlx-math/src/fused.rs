//! The multiply-add of scalars that rounds once.

use super::scalar::MultiplyAdd;

/// A multiply-add that rounds once. It is slow where it is not an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Fused;

impl MultiplyAdd for Fused {
    const FUSED: bool = true;

    #[inline(always)]
    fn single(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn double(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}
