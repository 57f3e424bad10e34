//! What expansions need besides tensor methods: bits and shifts, constants, and positions.

use rlx_ir::{BinaryOp, DType, Dim, Op, ReduceOp, Tensor, UnaryOp};

/// The unsigned type of this many bits.
pub(crate) fn unsigned(bits: u32) -> DType {
    match bits {
        8 => DType::U8,
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    }
}

/// The signed type of this many bits.
pub(crate) fn signed(bits: u32) -> DType {
    match bits {
        8 => DType::I8,
        16 => DType::I16,
        32 => DType::I32,
        _ => DType::I64,
    }
}

/// Expressions for which the front end has no short form.
pub(crate) trait Expression {
    /// An integer of this tensor's type, broadcast to its dimensions.
    fn int_like(&self, value: i64) -> Tensor;
    /// This tensor with all elements replaced by a number.
    fn filled(&self, value: f64) -> Tensor;
    /// Shifts bits left.
    fn shl(&self, distance: i64) -> Tensor;
    /// Shifts bits right, filling with zeros.
    fn shr(&self, distance: i64) -> Tensor;
    /// Exclusive or.
    fn xor(&self, rhs: &Tensor) -> Tensor;
    /// Reinterprets the bytes as another type.
    fn bitcast(&self, dtype: DType) -> Tensor;
    /// 0, 1, 2, … along an axis, with the dimensions of this tensor.
    fn positions(&self, axis: usize, dtype: DType) -> Tensor;
    /// The size of an axis, as an i64 scalar.
    fn extent(&self, axis: usize) -> Tensor;
    /// Whether each element is NaN.
    fn is_nan(&self) -> Tensor;
    /// Whether each element is neither infinite nor NaN.
    fn is_finite(&self) -> Tensor;
    /// The element `index` along an axis, which disappears.
    fn at(&self, axis: usize, index: usize) -> Tensor;
    /// The sum along an axis, which stays with size 1 if `keep`.
    fn sum(&self, axis: usize, keep: bool) -> Tensor;
    /// The real part; real numbers are returned unchanged.
    fn re(&self) -> Tensor;
    /// The imaginary part.
    fn im(&self) -> Tensor;
    /// The conjugate; real numbers are returned unchanged.
    fn conj(&self) -> Tensor;
    /// This magnitude with the sign of `sign`.
    fn copysign(&self, sign: &Tensor) -> Tensor;
    /// Whether the sign bit is set.
    fn sign_bit(&self) -> Tensor;
    /// This scalar repeated to the dimensions of another tensor.
    fn spread(&self, like: &Tensor) -> Tensor;
}

impl Expression for Tensor {
    fn int_like(&self, value: i64) -> Tensor {
        self.builder().int(value, self.dtype())
    }

    fn filled(&self, value: f64) -> Tensor {
        self.scalar_like(value).spread(self)
    }

    fn shl(&self, distance: i64) -> Tensor {
        self.binary(BinaryOp::ShiftLeft, &self.int_like(distance))
    }

    fn shr(&self, distance: i64) -> Tensor {
        self.binary(BinaryOp::ShiftRightLogical, &self.int_like(distance))
    }

    fn xor(&self, rhs: &Tensor) -> Tensor {
        self.binary(BinaryOp::Xor, rhs)
    }

    fn bitcast(&self, dtype: DType) -> Tensor {
        self.apply(Op::BitcastConvert { dtype }, &[])
    }

    fn positions(&self, axis: usize, dtype: DType) -> Tensor {
        self.builder().iota(self.shape().with_dtype(dtype), axis)
    }

    fn extent(&self, axis: usize) -> Tensor {
        match self.dim(axis) {
            Dim::Static(n) => self.builder().int(i64::try_from(n).unwrap_or(i64::MAX), DType::I64),
            _ => self.apply(Op::DimSize { axis }, &[]),
        }
    }

    fn is_nan(&self) -> Tensor {
        self.not_equal(self)
    }

    fn is_finite(&self) -> Tensor {
        self.unary(UnaryOp::IsFinite)
    }

    fn at(&self, axis: usize, index: usize) -> Tensor {
        self.slice_axis(axis, index, index + 1).squeeze(axis)
    }

    fn sum(&self, axis: usize, keep: bool) -> Tensor {
        self.reduce(ReduceOp::Sum, &[axis], keep)
    }

    fn re(&self) -> Tensor {
        if self.dtype().is_complex() { self.unary(UnaryOp::Real) } else { self.clone() }
    }

    fn im(&self) -> Tensor {
        if self.dtype().is_complex() { self.unary(UnaryOp::Imag) } else { self.filled(0.0) }
    }

    fn conj(&self) -> Tensor {
        if self.dtype().is_complex() { self.unary(UnaryOp::Conj) } else { self.clone() }
    }

    fn copysign(&self, sign: &Tensor) -> Tensor {
        let magnitude = self.abs();
        sign.sign_bit().select(&-&magnitude, &magnitude)
    }

    fn sign_bit(&self) -> Tensor {
        let bits = self.bitcast(signed(self.dtype().bits()));
        bits.less(&bits.int_like(0))
    }

    fn spread(&self, like: &Tensor) -> Tensor {
        self.broadcast_to(&like.dims())
    }
}

/// Evaluates a polynomial by Horner's rule. The coefficient of the highest power comes first.
pub(crate) fn horner(x: &Tensor, coefficients: &[f64]) -> Tensor {
    let (first, rest) = coefficients.split_first().unwrap_or((&0.0, &[]));
    rest.iter().fold(x.filled(*first), |sum, &c| sum * x + c)
}
