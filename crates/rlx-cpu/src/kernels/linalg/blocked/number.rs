//! The numbers that blocked algorithms compute in, and matrices of them read from and written to memory of any element type.

use crate::kernels::numbers::{load, store};
use crate::simd::{Simd, Vector};
use faer::c64;
use faer::traits::{ComplexField, RealField};
use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real or complex number of the machine.
pub(super) trait Number:
    ComplexField
    + Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// The element type with the same bytes.
    const NATIVE: DType;
    const ZERO: Self;
    const ONE: Self;
    /// Squares of numbers below this and above its inverse keep their digits.
    const SMALL: f64;

    fn of(x: Scalar) -> Self;
    fn scalar(self) -> Scalar;
    /// Real and imaginary part.
    fn parts(self) -> (f64, f64);
    fn from_parts(re: f64, im: f64) -> Self;

    fn conj(self) -> Self {
        let (re, im) = self.parts();
        Self::from_parts(re, -im)
    }

    /// NaN in all parts.
    fn nan() -> Self {
        Self::from_parts(f64::NAN, f64::NAN)
    }

    /// The product with a real number.
    fn scaled(self, factor: f64) -> Self {
        let (re, im) = self.parts();
        Self::from_parts(re * factor, im * factor)
    }

    /// `|re| + |im|`.
    fn abs1(self) -> f64 {
        let (re, im) = self.parts();
        re.abs() + im.abs()
    }

    fn norm_squared(self) -> f64 {
        let (re, im) = self.parts();
        re * re + im * im
    }

    fn is_finite(self) -> bool {
        let (re, im) = self.parts();
        re.is_finite() && im.is_finite()
    }
}

macro_rules! real_number {
    ($t:ty, $dtype:expr, $small:expr) => {
        impl Number for $t {
            const NATIVE: DType = $dtype;
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const SMALL: f64 = $small;

            fn of(x: Scalar) -> $t {
                x.to_f64() as $t
            }
            fn scalar(self) -> Scalar {
                Scalar::Float(f64::from(self))
            }
            fn parts(self) -> (f64, f64) {
                (f64::from(self), 0.0)
            }
            fn from_parts(re: f64, _: f64) -> $t {
                re as $t
            }
            fn conj(self) -> $t {
                self
            }
        }
    };
}
real_number!(f32, DType::F32, 1e-12);
real_number!(f64, DType::F64, 1e-120);

/// A real number, and the vectors of it.
pub(super) trait Real: Number + RealField + PartialOrd + Default {
    type Vector<S: Simd>: Vector<Elem = Self, Token = S>;
    const INFINITY: Self;
    /// The distance from one to the next number.
    const EPSILON: Self;
    /// A tenth of the cube root of [`EPSILON`](Self::EPSILON).
    const CUBE_ROOT: Self;
    /// Squares of numbers above this keep their digits.
    const TINY: Self;

    fn real(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// `self * factor + term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
    fn order(&self, other: &Self) -> Ordering;

    /// The larger of two numbers, of which neither is NaN.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    /// `√(x² + y²)`, also where the squares of `x` and `y` vanish, unless they overflow.
    #[inline(always)]
    fn hypotenuse(self, other: Self) -> Self {
        let square = self * self + other * other;
        if square > Self::TINY * Self::TINY { square.sqrt() } else { self.scaled_hypotenuse(other) }
    }

    /// `√(x² + y²)` without squares that vanish.
    #[cold]
    fn scaled_hypotenuse(self, other: Self) -> Self {
        let (x, y) = (self.abs(), other.abs());
        let (small, large) = if x < y { (x, y) } else { (y, x) };
        if large == Self::ZERO {
            return Self::ZERO;
        }
        let ratio = small / large;
        large * (Self::ONE + ratio * ratio).sqrt()
    }
}

macro_rules! real {
    ($t:ident, $vector:ident, $cube_root:expr, $tiny:expr) => {
        impl Real for $t {
            type Vector<S: Simd> = S::$vector;
            const INFINITY: $t = $t::INFINITY;
            const EPSILON: $t = $t::EPSILON;
            const CUBE_ROOT: $t = $cube_root;
            const TINY: $t = $tiny;

            #[inline(always)]
            fn real(x: f64) -> $t {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn abs(self) -> $t {
                $t::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> $t {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn fused(self, factor: $t, term: $t) -> $t {
                $t::mul_add(self, factor, term)
            }
            fn order(&self, other: &$t) -> Ordering {
                self.total_cmp(other)
            }
        }
    };
}
real!(f32, F32, 4.9e-4, 1e-15);
real!(f64, F64, 6e-7, 1e-140);

impl Number for c64 {
    const NATIVE: DType = DType::C128;
    const ZERO: c64 = c64::new(0.0, 0.0);
    const ONE: c64 = c64::new(1.0, 0.0);
    const SMALL: f64 = 1e-120;

    fn of(x: Scalar) -> c64 {
        match x {
            Scalar::Complex(z) => c64::new(z.re, z.im),
            x => c64::new(x.to_f64(), 0.0),
        }
    }
    fn scalar(self) -> Scalar {
        Scalar::Complex(Complex64::new(self.re, self.im))
    }
    fn parts(self) -> (f64, f64) {
        (self.re, self.im)
    }
    fn from_parts(re: f64, im: f64) -> c64 {
        c64::new(re, im)
    }
}

/// Rows and columns of the squares in which matrices are transposed.
const SQUARE: usize = 16;

/// Calls `each` for all rows and columns, a square at a time.
fn by_squares(rows: usize, cols: usize, mut each: impl FnMut(usize, usize)) {
    for top in (0..rows).step_by(SQUARE) {
        for left in (0..cols).step_by(SQUARE) {
            for i in top..rows.min(top + SQUARE) {
                (left..cols.min(left + SQUARE)).for_each(|j| each(i, j));
            }
        }
    }
}

/// Reads elements as they lie.
///
/// # Safety
/// `from` points to as many elements of type `dtype`, at any alignment.
pub(super) unsafe fn read<T: Number>(dtype: DType, from: *const u8, to: &mut [T]) {
    if dtype == T::NATIVE {
        // SAFETY: the caller's promise; the element type has the bytes of `T`, of which all are numbers.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr().cast::<u8>(), size_of_val(to)) };
        return;
    }
    for (k, x) in to.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *x = T::of(unsafe { load(dtype, from.add(k * dtype.size())) });
    }
}

/// Reads a `rows × cols` matrix that lies row by row, column by column.
///
/// # Safety
/// `from` points to its elements of type `dtype`, at any alignment.
pub(super) unsafe fn read_transposed<T: Number>(
    dtype: DType,
    from: *const u8,
    [rows, cols]: [usize; 2],
    to: &mut [T],
) {
    if dtype == T::NATIVE {
        by_squares(rows, cols, |i, j| {
            // SAFETY: the caller's promise; the element type has the bytes of `T`.
            to[j * rows + i] = unsafe { from.cast::<T>().add(i * cols + j).read_unaligned() }
        });
        return;
    }
    by_squares(rows, cols, |i, j| {
        // SAFETY: the caller's promise.
        to[j * rows + i] = T::of(unsafe { load(dtype, from.add((i * cols + j) * dtype.size())) });
    });
}

/// Writes a list of elements, rounded to their type.
///
/// # Safety
/// `to` points to the place of as many elements of type `dtype`, at any alignment.
pub(super) unsafe fn write<T: Number>(dtype: DType, from: &[T], to: *mut u8) {
    if dtype == T::NATIVE {
        // SAFETY: the caller's promise; the element type has the bytes of `T`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr().cast::<u8>(), to, size_of_val(from)) };
        return;
    }
    // SAFETY: the caller's promise.
    from.iter().enumerate().for_each(|(k, x)| unsafe { store(dtype, x.scalar(), to.add(k * dtype.size())) });
}

/// Writes the first `rows` rows of a matrix that lies column by column, `stride` elements per column, row by row; what is
/// written of the element in row i and column j is `value(i, j, x)`.
///
/// # Safety
/// `to` points to the place of `rows × cols` elements of type `dtype`, at any alignment.
pub(super) unsafe fn write_transposed<T: Number>(
    dtype: DType,
    (from, stride): (&[T], usize),
    [rows, cols]: [usize; 2],
    to: *mut u8,
    value: impl Fn(usize, usize, T) -> T,
) {
    if dtype == T::NATIVE {
        by_squares(rows, cols, |i, j| {
            let x = value(i, j, from[j * stride + i]);
            // SAFETY: the caller's promise; the element type has the bytes of `T`.
            unsafe { to.cast::<T>().add(i * cols + j).write_unaligned(x) };
        });
        return;
    }
    by_squares(rows, cols, |i, j| {
        let x = value(i, j, from[j * stride + i]).scalar();
        // SAFETY: the caller's promise.
        unsafe { store(dtype, x, to.add((i * cols + j) * dtype.size())) };
    });
}
