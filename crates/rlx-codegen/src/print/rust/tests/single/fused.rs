//! With a multiply-add that rounds once.

use super::libm;

fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

// Compiled once per multiply-add, which it takes from the enclosing module.
#[allow(clippy::duplicate_mod)]
#[path = "../../single.rs"]
pub mod functions;
