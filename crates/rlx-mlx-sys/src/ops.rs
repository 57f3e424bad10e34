//! Evaluates arrays, and makes constants and elementwise functions of arrays. The other functions are in
//! `shapes`, `indices`, `reductions`, `contractions` and `fused`.

use crate::array::MlxArray;
use crate::check::Check;
use crate::codes::{Binary, ElementType, Unary};
use crate::error::MlxError;
use crate::ffi::{ArrayPtr, RawStream, Table};
use crate::function::is_tracing;
use crate::load::Mlx;
use crate::runtime::Stream;

pub(crate) type Made = Result<MlxArray, MlxError>;

/// Functions of arrays, with results that are computed on one stream.
#[derive(Clone, Copy, Debug)]
pub struct Ops<'a> {
    mlx: Mlx,
    stream: &'a Stream,
    cpu: &'a Stream,
}

pub(crate) fn pointers(arrays: &[&MlxArray]) -> Vec<ArrayPtr> {
    arrays.iter().map(|array| array.raw()).collect()
}

pub(crate) fn raw(array: Option<&MlxArray>) -> ArrayPtr {
    array.map_or(std::ptr::null_mut(), MlxArray::raw)
}

impl<'a> Ops<'a> {
    /// Creates functions with results computed on `stream`, or on `cpu`, a stream of the CPU, for functions that MLX only has there.
    pub fn new(stream: &'a Stream, cpu: &'a Stream) -> Ops<'a> {
        Ops { mlx: stream.mlx(), stream, cpu }
    }

    /// Returns the stream.
    pub fn stream(&self) -> &'a Stream {
        self.stream
    }

    /// Returns the MLX that computes.
    pub fn mlx(&self) -> Mlx {
        self.mlx
    }

    /// Returns the array that a call of the table makes. It is safe for calls that pass handles of live arrays, slices with their lengths,
    /// and numbers that MLX or [`Check`] checks. Nothing is computed before the sizes of the result are known to be valid.
    pub(crate) fn call(&self, call: impl FnOnce(&Table, RawStream, *mut ArrayPtr) -> i32) -> Made {
        // SAFETY: the table's functions write an owned handle if they succeed.
        let made = unsafe { MlxArray::made(self.mlx, |out| call(self.mlx.table(), self.stream.raw(), out)) }?;
        made.check_sizes()?;
        Ok(made)
    }

    /// Returns the stream of the CPU.
    pub(crate) fn cpu(&self) -> &'a Stream {
        self.cpu
    }

    // ---- computing

    /// Whether this thread is tracing a function, which means that nothing can be computed.
    pub fn is_tracing(&self) -> bool {
        is_tracing()
    }

    /// Computes arrays, and waits for them.
    pub fn eval(&self, arrays: &[&MlxArray]) -> Result<(), MlxError> {
        self.async_eval(arrays)?;
        self.stream.wait()?;
        let _one = self.mlx.exclusive();
        let list = pointers(arrays);
        // SAFETY: the handles live.
        self.mlx.checked(unsafe { (self.mlx.table().eval)(list.as_ptr(), list.len()) })
    }

    /// Starts computing arrays, on their streams.
    pub fn async_eval(&self, arrays: &[&MlxArray]) -> Result<(), MlxError> {
        self.mlx.check_process()?;
        if is_tracing() {
            return Err(MlxError::Argument("arrays cannot be computed while a function is traced".into()));
        }
        let _one = self.mlx.exclusive();
        let list = pointers(arrays);
        // SAFETY: the handles live.
        self.mlx.checked(unsafe { (self.mlx.table().async_eval)(list.as_ptr(), list.len()) })
    }

    /// Returns the bytes of an array, computing it first.
    pub fn bytes(&self, array: &MlxArray) -> Result<Vec<u8>, MlxError> {
        self.async_eval(&[array])?;
        let mut bytes = vec![0; array.len() * array.element_type().size()];
        array.read(self.stream, &mut bytes)?;
        Ok(bytes)
    }

    /// Creates a scalar array from the bytes of its value.
    pub fn scalar(&self, bytes: &[u8], element: ElementType) -> Made {
        MlxArray::from_bytes(self.mlx, bytes, &[], element)
    }

    /// Creates a scalar array from a 32-bit integer.
    pub fn int(&self, value: i32) -> Made {
        self.scalar(&value.to_le_bytes(), ElementType::I32)
    }

    /// Creates a scalar array from a small integer, in the type of `like`.
    pub fn number_like(&self, value: i32, like: &MlxArray) -> Made {
        self.astype(&self.int(value)?, like.element_type())
    }

    // ---- elementwise

    /// Applies a function to each element.
    pub fn unary(&self, op: Unary, a: &MlxArray) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.unary)(op.code(), a.raw(), s, out) })
    }

    pub(crate) fn raw_binary(&self, op: Binary, a: &MlxArray, b: &MlxArray) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.binary)(op.code(), a.raw(), b.raw(), s, out) })
    }

    /// Applies a function to pairs of elements, with broadcasting. Quotients, remainders, powers and shifts of integers have separate
    /// functions.
    pub fn binary(&self, op: Binary, a: &MlxArray, b: &MlxArray) -> Made {
        let of_integers = !a.element_type().is_float() || !b.element_type().is_float();
        let is_whole =
            |x: &MlxArray| x.element_type() == ElementType::Bool || x.element_type().integer().is_some();
        let is_signed = |x: &MlxArray| x.element_type().integer().is_some_and(|(_, signed)| signed);
        match op {
            Binary::Power if is_signed(b) && is_whole(a) => Err(Check::of("power", &[a, b])
                .error("MLX does not terminate for a negative exponent; use `power_integers` for integers")),
            Binary::Matmul => {
                // MLX merges the batch axes of a with its rows.
                let dims = a.dims();
                let rows = dims.iter().rev().skip(1).try_fold(1usize, |n, &d| n.checked_mul(d));
                Check::of("matmul", &[a, b]).dimension(rows)?;
                self.raw_binary(op, a, b)
            }
            Binary::FloorDivide | Binary::Remainder if of_integers => Err(MlxError::Argument(
                "for integers, use `divide_integers` and `remainder_integers` instead".into(),
            )),
            Binary::LeftShift | Binary::RightShift => Err(MlxError::Argument("use `Ops::shift`".into())),
            op => self.raw_binary(op, a, b),
        }
    }

    /// Divides integers, rounding toward zero. The result is a if b is 0, or if the quotient would overflow (the minimum divided by −1).
    pub fn divide_integers(&self, a: &MlxArray, b: &MlxArray) -> Made {
        let b = self.harmless(a, b)?;
        let quotient = self.raw_binary(Binary::FloorDivide, a, &b)?;
        if a.element_type().integer().is_none_or(|(_, signed)| !signed) {
            return Ok(quotient);
        }
        // Add one if the quotient was rounded down instead of toward zero: the remainder then has a sign other than that of a.
        let left =
            self.raw_binary(Binary::Subtract, a, &self.raw_binary(Binary::Multiply, &quotient, &b)?)?;
        let zero = self.number_like(0, a)?;
        let negative = |x: &MlxArray| self.raw_binary(Binary::Less, x, &zero);
        let differs = self.raw_binary(Binary::NotEqual, &negative(&left)?, &negative(a)?)?;
        let some = self.raw_binary(Binary::NotEqual, &left, &zero)?;
        let more = self.astype(&self.raw_binary(Binary::LogicalAnd, &differs, &some)?, a.element_type())?;
        self.raw_binary(Binary::Add, &quotient, &more)
    }

    /// Returns the remainder of integers, with the sign of a: a minus b times their quotient toward zero. It is 0 if b is 0.
    pub fn remainder_integers(&self, a: &MlxArray, b: &MlxArray) -> Made {
        let quotient = self.divide_integers(a, b)?;
        let b = self.harmless(a, b)?;
        self.raw_binary(Binary::Subtract, a, &self.raw_binary(Binary::Multiply, &quotient, &b)?)
    }

    /// Returns b, with 1 wherever a processor would trap on a / b.
    fn harmless(&self, a: &MlxArray, b: &MlxArray) -> Made {
        let traps = self.raw_binary(Binary::Equal, b, &self.number_like(0, b)?)?;
        let traps = match a.element_type().integer() {
            Some((bits, true)) => {
                let smallest = self.astype(
                    &self.scalar(&(-1i64 << (bits - 1)).to_le_bytes(), ElementType::I64)?,
                    a.element_type(),
                )?;
                let at_end = self.raw_binary(Binary::Equal, a, &smallest)?;
                let negates = self.raw_binary(Binary::Equal, b, &self.number_like(-1, b)?)?;
                self.raw_binary(
                    Binary::LogicalOr,
                    &traps,
                    &self.raw_binary(Binary::LogicalAnd, &at_end, &negates)?,
                )?
            }
            _ => traps,
        };
        self.select(&traps, &self.number_like(1, b)?, b)
    }

    /// Raises a to the power of b, both integers; results wrap. A negative exponent counts as 0.
    pub fn power_integers(&self, a: &MlxArray, b: &MlxArray) -> Made {
        let check = Check::of("power_integers", &[a, b]);
        check.integers(b)?;
        check.integers(a)?;
        let exponent = self.raw_binary(Binary::Maximum, b, &self.number_like(0, b)?)?;
        self.raw_binary(Binary::Power, a, &exponent)
    }

    /// Shifts a by b bits; only the bits of b below the width count.
    pub fn shift(&self, left: bool, a: &MlxArray, b: &MlxArray) -> Made {
        let bits = a.element_type().integer().map_or(8, |(bits, _)| bits);
        let distance = self.raw_binary(Binary::BitwiseAnd, b, &self.number_like(bits as i32 - 1, b)?)?;
        self.raw_binary(if left { Binary::LeftShift } else { Binary::RightShift }, a, &distance)
    }

    /// Selects `a` where `condition` is true, and `b` elsewhere.
    pub fn select(&self, condition: &MlxArray, a: &MlxArray, b: &MlxArray) -> Made {
        // SAFETY: the handles live.
        self.call(|t, s, out| unsafe { (t.select)(condition.raw(), a.raw(), b.raw(), s, out) })
    }

    /// Converts the elements to another type, as C++ does: floating-point numbers that do not fit in an integer become arbitrary values.
    pub fn astype(&self, a: &MlxArray, element: ElementType) -> Made {
        // SAFETY: the handle lives.
        self.call(|t, s, out| unsafe { (t.astype)(a.raw(), element.code(), s, out) })
    }

    /// Reinterprets the bits as another type; the last axis keeps its number of bytes.
    pub fn view(&self, a: &MlxArray, element: ElementType) -> Made {
        if element == ElementType::Bool && a.element_type() != ElementType::Bool {
            return Err(MlxError::Argument("bits of other types are not valid booleans".into()));
        }
        // SAFETY: the handle lives, and every bit pattern is a number.
        self.call(|t, s, out| unsafe { (t.view)(a.raw(), element.code(), s, out) })
    }
}
