//! Values to which the functions of the op table can be applied, tensors and scalars of kernels, and the arithmetic of block formats on
//! them.

use rlx_ir::{BinaryOp, CompareOp, DType, UnaryOp};
use rlx_quant::arithmetic::{Float, Int};

/// Values to which the functions of the op table can be applied.
pub trait Applied: Clone {
    /// An i32 constant.
    fn int(&self, value: i32) -> Self;
    /// An f32 constant.
    fn float(&self, value: f32) -> Self;
    /// Applies a function.
    fn unary(&self, op: UnaryOp) -> Self;
    /// Applies a function of two values.
    fn binary(&self, op: BinaryOp, other: &Self) -> Self;
    /// Applies a comparison.
    fn compare(&self, op: CompareOp, other: &Self) -> Self;
    /// Returns `yes` where this boolean holds, and `no` elsewhere.
    fn select(&self, yes: &Self, no: &Self) -> Self;
    /// Converts to another type.
    fn convert(&self, dtype: DType) -> Self;
    /// Reinterprets the bits as another type.
    fn bitcast(&self, dtype: DType) -> Self;

    /// Returns whether [`mul_add`](Applied::mul_add) rounds once.
    fn is_fused(&self) -> bool {
        false
    }

    /// Computes `self · factor + addend`.
    fn mul_add(&self, factor: &Self, addend: &Self) -> Self {
        self.binary(BinaryOp::Mul, factor).binary(BinaryOp::Add, addend)
    }
}

/// Values with which tables can be indexed.
pub trait Lookup: Applied {
    /// Looks up an entry of a table.
    fn lookup(&self, table: &'static [u16]) -> Self;
}

/// An integer or a float of a decoder, stored as i32 or f32.
#[derive(Clone, Copy, Debug)]
pub struct BlockValue<V>(pub V);

impl<V: Applied> BlockValue<V> {
    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        BlockValue(self.0.binary(op, &other.0))
    }
}

impl<V: Lookup> Int for BlockValue<V> {
    type Float = Self;

    fn constant(&self, value: i32) -> Self {
        BlockValue(self.0.int(value))
    }

    fn plus(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Add, other)
    }

    fn minus(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Sub, other)
    }

    fn times(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Mul, other)
    }

    fn and(&self, other: &Self) -> Self {
        self.binary(BinaryOp::And, other)
    }

    fn or(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Or, other)
    }

    fn xor(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Xor, other)
    }

    fn shl(&self, distance: &Self) -> Self {
        self.binary(BinaryOp::ShiftLeft, distance)
    }

    fn shr(&self, distance: &Self) -> Self {
        self.binary(BinaryOp::ShiftRightLogical, distance)
    }

    fn below(&self, limit: i32) -> Self {
        BlockValue(self.0.compare(CompareOp::Lt, &self.0.int(limit)).convert(DType::I32))
    }

    fn lookup(&self, table: &'static [u16]) -> Self {
        BlockValue(self.0.lookup(table))
    }

    fn float(&self) -> Self {
        BlockValue(self.0.convert(DType::F32))
    }

    fn half(&self) -> Self {
        BlockValue(self.0.convert(DType::U16).bitcast(DType::F16).convert(DType::F32))
    }

    fn single(&self) -> Self {
        BlockValue(self.0.bitcast(DType::F32))
    }
}

impl<V: Applied> Float for BlockValue<V> {
    fn plus(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Add, other)
    }

    fn minus(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Sub, other)
    }

    fn times(&self, other: &Self) -> Self {
        self.binary(BinaryOp::Mul, other)
    }

    fn scaled(&self, factor: f32) -> Self {
        BlockValue(self.0.binary(BinaryOp::Mul, &self.0.float(factor)))
    }

    fn offset(&self, distance: f32) -> Self {
        BlockValue(self.0.binary(BinaryOp::Add, &self.0.float(distance)))
    }
}
