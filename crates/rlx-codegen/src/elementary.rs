//! Writes elementary functions of floats as operators of kernels, with the formulas of `rlx-math`.
//!
//! A language that lacks a function, or f64 to compute it in, then needs only arithmetic, comparisons, selections, conversions between
//! f32 and i32, and operators on i32.

use crate::kernel::{Block, Definition, Kernel, ScalarId, Stmt};
use crate::schedule::find::blocks;
use crate::schedule::rename::renumber;
use crate::text::for_each_stmt;
use rlx_ir::{BinaryOp, CompareOp, DType, Op, Scalar, UnaryOp};
use rlx_math::{Int, Mask, Number, Separate, Single};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

/// Returns the kernel with functions of f32 and narrower floats written as operators on f32, if `lacks` holds for them and `rlx-math` has
/// them; `None` if there are none. `fused` says whether a multiply-add rounds once. Functions of f64 and of complex numbers stay as they
/// are.
pub fn with_operators(kernel: &Kernel, fused: bool, lacks: &dyn Fn(UnaryOp) -> bool) -> Option<Kernel> {
    let mut is_there = false;
    for_each_stmt(&kernel.body, &mut |stmt| is_there |= lacking(kernel, stmt, lacks).is_some());
    if !is_there {
        return None;
    }
    let mut kernel = kernel.clone();
    let mut body = std::mem::take(&mut kernel.body);
    let mut rewriter = Rewriter { writing: RefCell::new(Writing::new(kernel, fused)), lacks };
    rewriter.block(&mut body);
    let mut kernel = Kernel { body, ..rewriter.writing.into_inner().kernel };
    renumber(&mut kernel);
    Some(kernel)
}

/// Returns the function that a statement applies, its operand and its result, if it is to be written as operators.
fn lacking(
    kernel: &Kernel,
    stmt: &Stmt,
    lacks: &dyn Fn(UnaryOp) -> bool,
) -> Option<(UnaryOp, ScalarId, ScalarId)> {
    let Stmt::Let { scalar, value: Definition::Apply { op, args } } = stmt else { return None };
    let (Op::Unary { op }, [x]) = (&**op, &args[..]) else { return None };
    let dtype = kernel.dtype(*scalar);
    let has_function = || function(*op, Single::<Separate>::new(0.0)).is_some();
    let is_lacking = dtype.is_float() && dtype != DType::F64 && lacks(*op) && has_function();
    is_lacking.then_some((*op, *x, *scalar))
}

/// Returns a function of a number, if `rlx-math` has it.
fn function<N: Number>(op: UnaryOp, x: N) -> Option<N> {
    Some(match op {
        UnaryOp::Exp => rlx_math::exp(x),
        UnaryOp::Expm1 => rlx_math::expm1(x),
        UnaryOp::Log => rlx_math::log(x),
        UnaryOp::Log1p => rlx_math::log1p(x),
        UnaryOp::Tanh => rlx_math::tanh(x),
        UnaryOp::Logistic => rlx_math::sigmoid(x),
        UnaryOp::Erf => rlx_math::erf(x),
        UnaryOp::Erfc => rlx_math::erfc(x),
        UnaryOp::Sin => rlx_math::sin(x),
        UnaryOp::Cos => rlx_math::cos(x),
        UnaryOp::Rsqrt => rlx_math::rsqrt(x),
        _ => return None,
    })
}

struct Rewriter<'a> {
    writing: RefCell<Writing>,
    lacks: &'a dyn Fn(UnaryOp) -> bool,
}

impl Rewriter<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(block) {
            if let Some(definitions) = self.written(&stmt) {
                block.extend(definitions);
                continue;
            }
            blocks(&mut stmt).into_iter().for_each(|inner| self.block(inner));
            if let Stmt::Reduce { combiner, .. } = &mut stmt {
                self.block(&mut combiner.step.body);
                self.block(&mut combiner.merge.body);
            }
            block.push(stmt);
        }
    }

    /// Returns the statements that define the same scalar with operators, if it is a function that the language lacks.
    fn written(&mut self, stmt: &Stmt) -> Option<Block> {
        let (op, x, scalar) = lacking(&self.writing.borrow().kernel, stmt, self.lacks)?;
        let x = Value { writing: &self.writing, scalar: x };
        let Float(result) = function(op, Float(x.convert(DType::F32)))?;
        let dtype = x.dtype_of(scalar);
        let result = result.convert(dtype).scalar;
        let Writing { written, constants, .. } = self.writing.get_mut();
        constants.clear();
        let mut written = std::mem::take(written);
        match written.last_mut() {
            Some(Stmt::Let { scalar: last, .. }) if *last == result => *last = scalar,
            _ => written.push(Stmt::Let { scalar, value: Definition::Bitcast(result) }),
        }
        Some(written)
    }
}

/// The definitions of one function.
struct Writing {
    kernel: Kernel,
    fused: bool,
    written: Block,
    /// The constants that are defined so far, by type and bits.
    constants: HashMap<(DType, u32), ScalarId>,
}

impl Writing {
    fn new(kernel: Kernel, fused: bool) -> Writing {
        Writing { kernel, fused, written: Block::new(), constants: HashMap::new() }
    }

    fn define(&mut self, dtype: DType, value: Definition) -> ScalarId {
        let scalar = self.kernel.scalar(dtype);
        self.written.push(Stmt::Let { scalar, value });
        scalar
    }

    fn constant(&mut self, dtype: DType, bits: u32, value: Scalar) -> ScalarId {
        if let Some(&known) = self.constants.get(&(dtype, bits)) {
            return known;
        }
        let scalar = self.define(dtype, Definition::Constant(value));
        self.constants.insert((dtype, bits), scalar);
        scalar
    }
}

/// A scalar of the kernel.
#[derive(Clone, Copy)]
struct Value<'w> {
    writing: &'w RefCell<Writing>,
    scalar: ScalarId,
}

impl<'w> Value<'w> {
    fn define(self, dtype: DType, value: Definition) -> Self {
        let scalar = self.writing.borrow_mut().define(dtype, value);
        Value { scalar, ..self }
    }

    fn apply(self, dtype: DType, op: Op, args: Vec<ScalarId>) -> Self {
        self.define(dtype, Definition::Apply { op: Arc::new(op), args })
    }

    fn dtype(self) -> DType {
        self.dtype_of(self.scalar)
    }

    fn dtype_of(self, scalar: ScalarId) -> DType {
        self.writing.borrow().kernel.dtype(scalar)
    }

    fn unary(self, op: UnaryOp) -> Self {
        self.apply(self.dtype(), Op::Unary { op }, vec![self.scalar])
    }

    fn binary(self, op: BinaryOp, other: Self) -> Self {
        self.apply(self.dtype(), Op::Binary { op }, vec![self.scalar, other.scalar])
    }

    fn compare(self, op: CompareOp, other: Self) -> Self {
        let op = Op::Compare { op, total_order: false };
        self.apply(DType::Bool, op, vec![self.scalar, other.scalar])
    }

    fn select(self, yes: Self, no: Self) -> Self {
        self.apply(yes.dtype(), Op::Select {}, vec![self.scalar, yes.scalar, no.scalar])
    }

    fn convert(self, dtype: DType) -> Self {
        if self.dtype() == dtype { self } else { self.apply(dtype, Op::Convert { dtype }, vec![self.scalar]) }
    }

    fn bitcast(self, dtype: DType) -> Self {
        self.define(dtype, Definition::Bitcast(self.scalar))
    }

    fn fma(self, factor: Self, addend: Self) -> Self {
        self.define(self.dtype(), Definition::Fma([self, factor, addend].map(|value| value.scalar)))
    }

    fn float(self, value: f32) -> Self {
        let constant = Scalar::Float(value.into());
        let scalar = self.writing.borrow_mut().constant(DType::F32, value.to_bits(), constant);
        Value { scalar, ..self }
    }

    fn int(self, value: i32) -> Self {
        let constant = Scalar::Int(value.into());
        let scalar = self.writing.borrow_mut().constant(DType::I32, value.cast_unsigned(), constant);
        Value { scalar, ..self }
    }

    fn is_fused(self) -> bool {
        self.writing.borrow().fused
    }
}

/// A scalar of type f32.
#[derive(Clone, Copy)]
struct Float<'w>(Value<'w>);

/// A scalar of type i32.
#[derive(Clone, Copy)]
struct Integer<'w>(Value<'w>);

/// A boolean.
#[derive(Clone, Copy)]
struct Truth<'w>(Value<'w>);

macro_rules! operators {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait for Float<'_> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Float(self.0.binary(BinaryOp::$trait, other.0))
            }
        }
    )*};
}
operators!(Add add Sub sub Mul mul Div div);

impl Neg for Float<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        Float(self.0.unary(UnaryOp::Neg))
    }
}

impl<'w> Number for Float<'w> {
    type Mask = Truth<'w>;
    type Int = Integer<'w>;

    fn lit(self, value: f32) -> Self {
        Float(self.0.float(value))
    }

    fn mul_add(self, factor: Self, addend: Self) -> Self {
        if self.0.is_fused() { Float(self.0.fma(factor.0, addend.0)) } else { self * factor + addend }
    }

    fn sqrt(self) -> Self {
        Float(self.0.unary(UnaryOp::Sqrt))
    }

    fn abs(self) -> Self {
        Float(self.0.unary(UnaryOp::Abs))
    }

    fn copysign(self, sign: Self) -> Self {
        let (magnitude, sign) = (self.to_bits(), sign.to_bits());
        let sign = sign.and(sign.lit(i32::MIN));
        Self::from_bits(magnitude.and(magnitude.lit(i32::MAX)).or(sign))
    }

    fn lt(self, other: Self) -> Truth<'w> {
        Truth(self.0.compare(CompareOp::Lt, other.0))
    }

    fn eq(self, other: Self) -> Truth<'w> {
        Truth(self.0.compare(CompareOp::Eq, other.0))
    }

    fn select(Truth(mask): Truth<'w>, yes: Self, no: Self) -> Self {
        Float(mask.select(yes.0, no.0))
    }

    fn select_int(Truth(mask): Truth<'w>, yes: Integer<'w>, no: Integer<'w>) -> Integer<'w> {
        Integer(mask.select(yes.0, no.0))
    }

    fn to_bits(self) -> Integer<'w> {
        Integer(self.0.bitcast(DType::I32))
    }

    fn from_bits(Integer(bits): Integer<'w>) -> Self {
        Float(bits.bitcast(DType::F32))
    }

    fn to_int(self) -> Integer<'w> {
        Integer(self.0.convert(DType::I32))
    }

    fn from_int(Integer(int): Integer<'w>) -> Self {
        Float(int.convert(DType::F32))
    }

    /// Without a fused multiply-add this gives the same result as adding a large number, which compilers may cancel.
    fn nearest_multiple(self, factor: f32) -> Self {
        let factor = self.lit(factor);
        if self.0.is_fused() {
            let magic = self.lit(12_582_912.0);
            return self.mul_add(factor, magic) - magic;
        }
        Float((self * factor).0.unary(UnaryOp::RoundEven))
    }

    fn square_parts(self) -> (Self, Self) {
        if self.0.is_fused() {
            let square = self * self;
            return (square, self.mul_add(self, -square));
        }
        rlx_math::split_square(self)
    }
}

impl Mask for Truth<'_> {
    fn or(self, other: Self) -> Self {
        Truth(self.0.binary(BinaryOp::Or, other.0))
    }

    fn not(self) -> Self {
        Truth(self.0.unary(UnaryOp::Not))
    }
}

impl Integer<'_> {
    fn shift(self, op: BinaryOp, bits: i32) -> Self {
        Integer(self.0.binary(op, self.0.int(bits)))
    }
}

impl Int for Integer<'_> {
    fn lit(self, value: i32) -> Self {
        Integer(self.0.int(value))
    }

    fn add(self, other: Self) -> Self {
        Integer(self.0.binary(BinaryOp::Add, other.0))
    }

    fn sub(self, other: Self) -> Self {
        Integer(self.0.binary(BinaryOp::Sub, other.0))
    }

    fn mul(self, other: Self) -> Self {
        Integer(self.0.binary(BinaryOp::Mul, other.0))
    }

    fn and(self, other: Self) -> Self {
        Integer(self.0.binary(BinaryOp::And, other.0))
    }

    fn or(self, other: Self) -> Self {
        Integer(self.0.binary(BinaryOp::Or, other.0))
    }

    fn xor(self, other: Self) -> Self {
        Integer(self.0.binary(BinaryOp::Xor, other.0))
    }

    fn shift_left(self, bits: i32) -> Self {
        self.shift(BinaryOp::ShiftLeft, bits)
    }

    fn shift_right(self, bits: i32) -> Self {
        self.shift(BinaryOp::ShiftRightLogical, bits)
    }

    fn shift_right_signed(self, bits: i32) -> Self {
        self.shift(BinaryOp::ShiftRightArithmetic, bits)
    }
}

#[cfg(test)]
mod tests;
