//! Reads matrices of any element type as the numbers in which they are factorized, and writes them.

use rlx_elementwise::numbers::{load, store};
use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;
use rlx_linalg::{Factorize, c64};

/// A number type in which elements are factorized.
pub(super) trait Elements: Factorize {
    /// The element type with the same representation.
    const NATIVE: DType;

    fn of(x: Scalar) -> Self;
    fn scalar(self) -> Scalar;
}

macro_rules! real {
    ($t:ty, $dtype:expr) => {
        impl Elements for $t {
            const NATIVE: DType = $dtype;

            fn of(x: Scalar) -> $t {
                x.to_f64() as $t
            }
            fn scalar(self) -> Scalar {
                Scalar::Float(f64::from(self))
            }
        }
    };
}
real!(f32, DType::F32);
real!(f64, DType::F64);

impl Elements for c64 {
    const NATIVE: DType = DType::C128;

    fn of(x: Scalar) -> c64 {
        match x {
            Scalar::Complex(z) => c64::new(z.re, z.im),
            x => c64::new(x.to_f64(), 0.0),
        }
    }
    fn scalar(self) -> Scalar {
        Scalar::Complex(Complex64::new(self.re, self.im))
    }
}

/// Number of rows and columns in the squares in which matrices are transposed.
const SQUARE: usize = 16;

/// Calls `each` for all rows and columns, one square at a time.
fn by_squares(rows: usize, cols: usize, mut each: impl FnMut(usize, usize)) {
    for top in (0..rows).step_by(SQUARE) {
        for left in (0..cols).step_by(SQUARE) {
            for i in top..rows.min(top + SQUARE) {
                (left..cols.min(left + SQUARE)).for_each(|j| each(i, j));
            }
        }
    }
}

/// Reads elements in the order in which they are stored.
///
/// # Safety
/// `from` points to that many elements of type `dtype`, at any alignment.
pub(super) unsafe fn read<T: Elements>(dtype: DType, from: *const u8, to: &mut [T]) {
    if dtype == T::NATIVE {
        // SAFETY: the caller's promise; the element type has the representation of `T`, in which all bytes are valid.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr().cast::<u8>(), size_of_val(to)) };
        return;
    }
    for (k, x) in to.iter_mut().enumerate() {
        // SAFETY: the caller's promise.
        *x = T::of(unsafe { load(dtype, from.add(k * dtype.size())) });
    }
}

/// Reads a row-major `rows × cols` matrix in column-major order.
///
/// # Safety
/// `from` points to its elements of type `dtype`, at any alignment.
pub(super) unsafe fn read_transposed<T: Elements>(
    dtype: DType,
    from: *const u8,
    [rows, cols]: [usize; 2],
    to: &mut [T],
) {
    if dtype == T::NATIVE {
        by_squares(rows, cols, |i, j| {
            // SAFETY: the caller's promise; the element type has the representation of `T`.
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
/// `to` is valid for writes of that many elements of type `dtype`, at any alignment.
pub(super) unsafe fn write<T: Elements>(dtype: DType, from: &[T], to: *mut u8) {
    if dtype == T::NATIVE {
        // SAFETY: the caller's promise; the element type has the representation of `T`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr().cast::<u8>(), to, size_of_val(from)) };
        return;
    }
    // SAFETY: the caller's promise.
    from.iter().enumerate().for_each(|(k, x)| unsafe { store(dtype, x.scalar(), to.add(k * dtype.size())) });
}

/// Writes the first `rows` rows of a column-major matrix, which has `stride` elements per column, in row-major order. For element x in row
/// i and column j, `value(i, j, x)` is written.
///
/// # Safety
/// `to` is valid for writes of `rows × cols` elements of type `dtype`, at any alignment.
pub(super) unsafe fn write_transposed<T: Elements>(
    dtype: DType,
    (from, stride): (&[T], usize),
    [rows, cols]: [usize; 2],
    to: *mut u8,
    value: impl Fn(usize, usize, T) -> T,
) {
    if dtype == T::NATIVE {
        by_squares(rows, cols, |i, j| {
            let x = value(i, j, from[j * stride + i]);
            // SAFETY: the caller's promise; the element type has the representation of `T`.
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
