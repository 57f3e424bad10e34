//! With a product and a sum.

use super::libm;

fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}

#[path = "../../single.rs"]
pub mod functions;
