//! Branches and loops: programs inside nodes that run on the bytes of the operands.

use crate::program::{Bytes, KernelProgram};
use rlx_codegen::Interpreter;
use rlx_compile::BackendError;
use rlx_ir::{Graph, Op};

type Ran = Result<Vec<Bytes>, String>;

/// A branch or a loop.
pub(crate) enum Control {
    /// Chooses by a boolean: the second program if it is true, otherwise the first.
    If([KernelProgram; 2]),
    Case(Vec<KernelProgram>),
    While {
        condition: KernelProgram,
        body: KernelProgram,
    },
    Scan(Scan),
}

/// A loop over the leading axis of operands and results.
pub(crate) struct Scan {
    body: KernelProgram,
    length: usize,
    reverse: bool,
    consts: usize,
    carries: usize,
    /// Bytes of one slice of each stacked result.
    ys: Vec<usize>,
}

impl Control {
    /// Prepares the graphs of an op with static sizes.
    pub(crate) fn new(op: &Op) -> Result<Control, BackendError> {
        Ok(match op {
            Op::If { then_branch, else_branch } => {
                Control::If([KernelProgram::nested(else_branch)?, KernelProgram::nested(then_branch)?])
            }
            Op::Case { branches } => {
                Control::Case(branches.iter().map(|b| KernelProgram::nested(b)).collect::<Result<_, _>>()?)
            }
            Op::While { cond, body } => {
                Control::While { condition: KernelProgram::nested(cond)?, body: KernelProgram::nested(body)? }
            }
            Op::Scan { body, length, num_consts, num_carry, reverse } => {
                let size = length.as_static().ok_or_else(|| {
                    BackendError::Unsupported(format!(
                        "`scan` has {length} steps, which is not a static size"
                    ))
                })?;
                Control::Scan(Scan {
                    ys: slice_bytes(body, *num_carry),
                    body: KernelProgram::nested(body)?,
                    length: size,
                    reverse: *reverse,
                    consts: *num_consts,
                    carries: *num_carry,
                })
            }
            op => {
                return Err(BackendError::Unsupported(format!("`{}` is not control flow", op.mnemonic())));
            }
        })
    }

    /// Returns the results for these operands.
    pub(crate) fn run(&self, mut operands: Vec<Bytes>, interpreter: &Interpreter) -> Ran {
        match self {
            Control::If(bodies) => {
                let condition = operands.remove(0);
                bodies[usize::from(condition.first() == Some(&1))].call(operands, interpreter)
            }
            Control::Case(bodies) => {
                let index = operands.remove(0);
                let index = index.first_chunk().map(|bytes| i32::from_le_bytes(*bytes));
                let index = index.and_then(|index| usize::try_from(index).ok());
                let body = index.and_then(|index| bodies.get(index)).or(bodies.last());
                body.ok_or("it has no branches")?.call(operands, interpreter)
            }
            Control::While { condition, body } => {
                while condition.call(operands.clone(), interpreter)? == [[1]] {
                    operands = body.call(operands, interpreter)?;
                }
                Ok(operands)
            }
            Control::Scan(scan) => scan.run(operands, interpreter),
        }
    }
}

impl Scan {
    fn run(&self, mut operands: Vec<Bytes>, interpreter: &Interpreter) -> Ran {
        let xs = operands.split_off(self.consts + self.carries);
        let mut carried = operands.split_off(self.consts);
        let mut ys: Vec<Bytes> = self.ys.iter().map(|bytes| vec![0; bytes * self.length]).collect();
        for step in 0..self.length {
            let at = if self.reverse { self.length - 1 - step } else { step };
            let slices = xs.iter().map(|x| {
                let bytes = x.len() / self.length;
                x[at * bytes..][..bytes].to_vec()
            });
            let inputs = operands.iter().cloned().chain(carried).chain(slices).collect();
            let mut results = self.body.call(inputs, interpreter)?;
            let given = results.split_off(self.carries);
            carried = results;
            for ((y, bytes), slice) in ys.iter_mut().zip(&self.ys).zip(given) {
                y[at * bytes..][..*bytes].copy_from_slice(&slice);
            }
        }
        Ok(carried.into_iter().chain(ys).collect())
    }
}

/// Returns the bytes of each output after the carried ones.
fn slice_bytes(body: &Graph, carries: usize) -> Vec<usize> {
    // The sizes are static, because planning the body fails otherwise.
    body.output_shapes()[carries..].iter().map(|shape| shape.num_bytes().unwrap_or(0)).collect()
}
