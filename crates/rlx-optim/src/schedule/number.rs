//! The numbers that schedules compute with: a number on the host, or a scalar of a graph.

use rlx_ir::Tensor;
use std::ops::{Add, Div, Mul, Sub};

/// A number that a schedule computes with.
pub(super) trait Number:
    Clone + Add<f64, Output = Self> + Sub<f64, Output = Self> + Mul<f64, Output = Self> + Div<f64, Output = Self>
{
    /// Returns a constant of the same kind as this number.
    fn of(&self, value: f64) -> Self;
    fn at_least(self, least: f64) -> Self;
    fn at_most(self, most: f64) -> Self;
    fn floor(self) -> Self;
    fn cos(self) -> Self;
    /// Raises this number to a power.
    fn power(self, exponent: f64) -> Self;
    /// Raises a base to the power of this number.
    fn power_of(self, base: f64) -> Self;
    /// Returns `then` if this number is below the bound, otherwise `otherwise`.
    fn if_below(&self, bound: f64, then: Self, otherwise: Self) -> Self;
}

impl Number for f64 {
    fn of(&self, value: f64) -> f64 {
        value
    }
    fn at_least(self, least: f64) -> f64 {
        self.max(least)
    }
    fn at_most(self, most: f64) -> f64 {
        self.min(most)
    }
    fn floor(self) -> f64 {
        f64::floor(self)
    }
    fn cos(self) -> f64 {
        f64::cos(self)
    }
    fn power(self, exponent: f64) -> f64 {
        self.powf(exponent)
    }
    fn power_of(self, base: f64) -> f64 {
        base.powf(self)
    }
    fn if_below(&self, bound: f64, then: f64, otherwise: f64) -> f64 {
        if *self < bound { then } else { otherwise }
    }
}

impl Number for Tensor {
    fn of(&self, value: f64) -> Tensor {
        self.scalar_like(value)
    }
    fn at_least(self, least: f64) -> Tensor {
        self.maximum(&self.scalar_like(least))
    }
    fn at_most(self, most: f64) -> Tensor {
        self.minimum(&self.scalar_like(most))
    }
    fn floor(self) -> Tensor {
        Tensor::floor(&self)
    }
    fn cos(self) -> Tensor {
        Tensor::cos(&self)
    }
    fn power(self, exponent: f64) -> Tensor {
        self.pow(&self.scalar_like(exponent))
    }
    fn power_of(self, base: f64) -> Tensor {
        self.scalar_like(base).pow(&self)
    }
    fn if_below(&self, bound: f64, then: Tensor, otherwise: Tensor) -> Tensor {
        self.less(&self.scalar_like(bound)).select(&then, &otherwise)
    }
}
