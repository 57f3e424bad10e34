//! Dense linear algebra on small row-major matrices, real and complex.
//!
//! There is one plain algorithm per operation, which both fields share through [`Field`]. Conventions (signs, pivots, NaN on
//! failure) are those of `jax.lax.linalg` over LAPACK. An `m × n` matrix is a slice of `m * n` elements; extents may be zero.
//! Functions take the extents and index within them. A slice that is too short is a bug of the caller and panics.

pub mod batch;
pub mod cholesky;
pub mod eig;
pub mod eigh;
pub mod lu;
pub mod pivoted_qr;
pub mod qr;
pub mod schur;
pub mod svd;
pub mod triangular;
pub mod tridiagonal;

pub use batch::{Buffers, Factorization, Lengths, Task};
pub use cholesky::cholesky;
pub use eigh::{Eigh, eigh};
pub use lu::{Lu, lu};
pub use qr::{geqrf, householder_product, qr};
pub use schur::Spectral;
pub use svd::{Svd, singular_values, svd};
pub use triangular::{Transpose, TriangularSolve, triangular_solve};

use super::complex::Complex64;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// The real or the complex numbers.
pub trait Field:
    Copy
    + PartialEq
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + From<f64>
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The complex conjugate, which is the number itself if it is real.
    fn conj(self) -> Self;
    /// The real part.
    fn re(self) -> f64;
    /// The imaginary part, which is zero if the number is real.
    fn im(self) -> f64;
    /// The modulus.
    fn abs(self) -> f64;
    /// The product with a real number.
    fn scale(self, factor: f64) -> Self;

    /// The quotient by a real number.
    fn div_real(self, divisor: f64) -> Self;

    /// `|re| + |im|`, which LAPACK uses instead of the modulus to choose a pivot.
    fn abs1(self) -> f64 {
        self.re().abs() + self.im().abs()
    }

    /// `|z|²`.
    fn norm_squared(self) -> f64 {
        self.re() * self.re() + self.im() * self.im()
    }

    /// Whether the number is neither infinite nor NaN.
    fn is_finite(self) -> bool {
        self.re().is_finite() && self.im().is_finite()
    }

    /// NaN (in both parts).
    fn nan() -> Self;
}

impl Field for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    fn conj(self) -> f64 {
        self
    }
    fn re(self) -> f64 {
        self
    }
    fn im(self) -> f64 {
        0.0
    }
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    fn scale(self, factor: f64) -> f64 {
        self * factor
    }
    fn div_real(self, divisor: f64) -> f64 {
        self / divisor
    }
    fn nan() -> f64 {
        f64::NAN
    }
}

impl Field for Complex64 {
    const ZERO: Complex64 = Complex64::ZERO;
    const ONE: Complex64 = Complex64::ONE;

    fn conj(self) -> Complex64 {
        Complex64::conj(self)
    }
    fn re(self) -> f64 {
        self.re
    }
    fn im(self) -> f64 {
        self.im
    }
    fn abs(self) -> f64 {
        Complex64::abs(self)
    }
    fn scale(self, factor: f64) -> Complex64 {
        Complex64::scale(self, factor)
    }
    fn div_real(self, divisor: f64) -> Complex64 {
        Complex64::new(self.re / divisor, self.im / divisor)
    }
    fn nan() -> Complex64 {
        Complex64::new(f64::NAN, f64::NAN)
    }
}

/// `Σ conj(xᵢ) yᵢ`.
fn dot<T: Field>(x: &[T], y: &[T]) -> T {
    x.iter().zip(y).fold(T::ZERO, |sum, (a, b)| sum + a.conj() * *b)
}

/// The Euclidean norm, without undue overflow or underflow.
fn norm<T: Field>(x: &[T]) -> f64 {
    let factor = inverse_power_of_two(largest(x));
    x.iter().map(|v| v.scale(factor).norm_squared()).sum::<f64>().sqrt() / factor
}

/// The largest `|re|` or `|im|`; NaN entries are ignored.
fn largest<T: Field>(x: &[T]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.re().abs()).max(v.im().abs()))
}

/// A power of two `p` with `p * x` near one; one for zero, ∞ and NaN. Multiplying by it is exact.
fn inverse_power_of_two(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return 1.0;
    }
    libm::ldexp(1.0, (-libm::ilogb(x)).clamp(-1022, 1022))
}

/// Writes the conjugate transpose of an `m × n` matrix to another matrix.
fn adjoint_into<T: Field>(a: &[T], m: usize, n: usize, to: &mut [T]) {
    (0..m * n).for_each(|k| to[k] = a[k % m * n + k / m].conj());
}
