//! Writes elementary functions of floats as operators of kernels, with the formulas of `rlx-math`.
//!
//! A language that lacks a function, or f64 to compute it in, then needs only arithmetic, comparisons, selections, conversions between
//! f32 and i32, and operators on i32.

use crate::build::{Writer, function_of};
use crate::kernel::{Block, Definition, Kernel, ScalarId, Stmt};
use crate::schedule::rename::renumber;
use crate::visit::for_each_stmt;
use rlx_expand::{Applied, has_operators, in_operators};
use rlx_ir::{BinaryOp, CompareOp, DType, Scalar, UnaryOp};
use std::cell::RefCell;
use std::collections::HashMap;

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
    let writing = Writing { writer: Writer::among(kernel), fused, constants: HashMap::new() };
    let mut rewriter = Rewriter { writing: RefCell::new(writing), lacks };
    rewriter.block(&mut body);
    let mut kernel = Kernel { body, ..rewriter.writing.into_inner().writer.finish() };
    renumber(&mut kernel);
    Some(kernel)
}

/// A function that is applied to a scalar.
struct Application {
    function: UnaryOp,
    operand: ScalarId,
    result: ScalarId,
}

/// Returns the function that a statement applies if it is to be written as operators.
fn lacking(kernel: &Kernel, stmt: &Stmt, lacks: &dyn Fn(UnaryOp) -> bool) -> Option<Application> {
    let Stmt::Let { scalar: result, value: Definition::Apply { op, args } } = stmt else { return None };
    let (function, [operand]) = (function_of(op)?, &args[..]) else { return None };
    let dtype = kernel.dtype(*result);
    let is_lacking = dtype.is_float() && dtype != DType::F64 && lacks(function) && has_operators(function);
    is_lacking.then_some(Application { function, operand: *operand, result: *result })
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
            stmt.blocks_mut().for_each(|inner| self.block(inner));
            if let Stmt::Reduce { combiner, .. } = &mut stmt {
                self.block(&mut combiner.step.body);
                self.block(&mut combiner.merge.body);
            }
            block.push(stmt);
        }
    }

    /// Returns the statements that define the same scalar with operators, if it is a function that the language lacks.
    fn written(&mut self, stmt: &Stmt) -> Option<Block> {
        let Application { function, operand, result } =
            lacking(self.writing.get_mut().writer.kernel(), stmt, self.lacks)?;
        let x = KernelScalar { writing: &self.writing, scalar: operand };
        let dtype = KernelScalar { scalar: result, ..x }.dtype();
        let last = in_operators(function, x.convert(DType::F32))?.convert(dtype).scalar;
        let Writing { writer, constants, .. } = self.writing.get_mut();
        constants.clear();
        let mut written = writer.take();
        match written.last_mut() {
            Some(Stmt::Let { scalar, .. }) if *scalar == last => *scalar = result,
            _ => written.push(Stmt::Let { scalar: result, value: Definition::Bitcast(last) }),
        }
        Some(written)
    }
}

/// The definitions of one function.
struct Writing {
    writer: Writer,
    fused: bool,
    /// The constants that are defined so far, by type and bits.
    constants: HashMap<(DType, u32), ScalarId>,
}

/// A scalar of the kernel.
#[derive(Clone, Copy)]
struct KernelScalar<'w> {
    writing: &'w RefCell<Writing>,
    scalar: ScalarId,
}

impl KernelScalar<'_> {
    fn next(&self, write: impl FnOnce(&mut Writer) -> ScalarId) -> Self {
        let scalar = write(&mut self.writing.borrow_mut().writer);
        KernelScalar { scalar, ..*self }
    }

    fn constant(&self, dtype: DType, bits: u32, value: Scalar) -> Self {
        let mut writing = self.writing.borrow_mut();
        let Writing { writer, constants, .. } = &mut *writing;
        let scalar = *constants.entry((dtype, bits)).or_insert_with(|| writer.constant(dtype, value));
        KernelScalar { scalar, ..*self }
    }

    fn dtype(&self) -> DType {
        self.writing.borrow().writer.dtype(self.scalar)
    }
}

impl Applied for KernelScalar<'_> {
    fn int(&self, value: i32) -> Self {
        self.constant(DType::I32, value.cast_unsigned(), Scalar::Int(value.into()))
    }

    fn float(&self, value: f32) -> Self {
        self.constant(DType::F32, value.to_bits(), Scalar::Float(value.into()))
    }

    fn unary(&self, op: UnaryOp) -> Self {
        self.next(|w| w.unary(op, self.scalar))
    }

    fn binary(&self, op: BinaryOp, other: &Self) -> Self {
        self.next(|w| w.binary(op, self.scalar, other.scalar))
    }

    fn compare(&self, op: CompareOp, other: &Self) -> Self {
        self.next(|w| w.compare(op, self.scalar, other.scalar))
    }

    fn select(&self, yes: &Self, no: &Self) -> Self {
        self.next(|w| w.select(self.scalar, yes.scalar, no.scalar))
    }

    fn convert(&self, dtype: DType) -> Self {
        self.next(|w| w.convert(self.scalar, dtype))
    }

    fn bitcast(&self, dtype: DType) -> Self {
        self.next(|w| w.bitcast(self.scalar, dtype))
    }

    fn is_fused(&self) -> bool {
        self.writing.borrow().fused
    }

    fn mul_add(&self, factor: &Self, addend: &Self) -> Self {
        if self.is_fused() {
            return self.next(|w| w.fma([self, factor, addend].map(|value| value.scalar)));
        }
        self.binary(BinaryOp::Mul, factor).binary(BinaryOp::Add, addend)
    }
}

#[cfg(test)]
mod tests;
