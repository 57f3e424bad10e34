//! Sums of products, in the numbers that the evaluator uses for an element type.

use crate::dtype::Class;
use crate::eval::{EvalCx, Value};
use crate::math::complex::Complex64;

/// A type of number in which products are summed.
pub(super) trait Number: Copy {
    const ZERO: Self;

    /// self + a·b. Integers wrap, which does not change the result after wrapping to the element type.
    fn add_product(self, a: Self, b: Self) -> Self;
}

impl Number for f64 {
    const ZERO: f64 = 0.0;

    fn add_product(self, a: f64, b: f64) -> f64 {
        self + a * b
    }
}

impl Number for i128 {
    const ZERO: i128 = 0;

    fn add_product(self, a: i128, b: i128) -> i128 {
        self.wrapping_add(a.wrapping_mul(b))
    }
}

impl Number for Complex64 {
    const ZERO: Complex64 = Complex64 { re: 0.0, im: 0.0 };

    fn add_product(self, a: Complex64, b: Complex64) -> Complex64 {
        self + a * b
    }
}

/// A plan that sums products of elements of two tensors, and returns all results in row-major order.
pub(super) trait Sums {
    fn run<T: Number>(&self, lhs: &[T], rhs: &[T]) -> Vec<T>;
}

/// Computes the sums and rounds each once to the result's element type. Sums of booleans count the products that are true, so a
/// sum is true if any product is.
pub(super) fn eval(cx: &EvalCx<'_>, lhs: &Value, rhs: &Value, sums: &impl Sums) -> Value {
    let (dims, dtype) = (cx.dims(), cx.out().dtype());
    match dtype.class() {
        Class::Float => Value::floats(dims, dtype, sums.run(&lhs.to_f64s(), &rhs.to_f64s())),
        Class::Complex => Value::complexes(dims, dtype, sums.run(&lhs.to_complexes(), &rhs.to_complexes())),
        Class::Signed | Class::Unsigned | Class::Bool => {
            Value::ints(dims, dtype, sums.run(&lhs.to_ints(), &rhs.to_ints()))
        }
    }
}
