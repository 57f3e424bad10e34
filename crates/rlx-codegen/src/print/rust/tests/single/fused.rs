//! With a multiply-add that rounds once.

use super::libm;

fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

#[path = "../../single.rs"]
pub mod functions;
