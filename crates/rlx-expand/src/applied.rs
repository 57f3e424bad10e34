//! The arithmetic of block formats in functions of the op table, for tensors or scalars of a kernel.

use rlx_ir::{BinaryOp, CompareOp, DType};
use rlx_quant::arithmetic::{Float, Int};

/// Values to which functions of the op table are applied.
pub trait Applied: Clone {
    /// A constant of i32.
    fn int(&self, value: i32) -> Self;
    /// A constant of f32.
    fn float(&self, value: f32) -> Self;
    /// A function of two.
    fn binary(&self, op: BinaryOp, other: &Self) -> Self;
    /// A comparison.
    fn compare(&self, op: CompareOp, other: &Self) -> Self;
    /// The same in another type.
    fn convert(&self, dtype: DType) -> Self;
    /// The same bits in another type.
    fn bitcast(&self, dtype: DType) -> Self;
    /// The entry of a table.
    fn lookup(&self, table: &'static [u16]) -> Self;
}

/// An integer or a float of a decoder: values of i32 or of f32.
#[derive(Clone, Copy, Debug)]
pub struct BlockValue<V>(pub V);

impl<V: Applied> BlockValue<V> {
    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        BlockValue(self.0.binary(op, &other.0))
    }
}

impl<V: Applied> Int for BlockValue<V> {
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
