//! Index expressions as short programs over numbered symbols.

use super::FaultKind;
use rlx_ir::{Dim, DimError, SizeArithmetic, Symbol};

/// An index expression whose symbols are indices into a table.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Index {
    Constant(i64),
    Symbol(usize),
    /// Operations in order. The result of the last one is the value.
    Program(Vec<Operation>),
}

/// An operation on the results of earlier operations, which are identified by index.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Operation {
    Constant(i64),
    Symbol(usize),
    Add(usize, usize),
    Multiply(usize, usize),
    FloorDivide(usize, usize),
    Larger(usize, usize),
}

impl Index {
    /// Compiles an expression. `place` returns the table index of a symbol, or `None` if it is not known.
    pub(super) fn compile(index: &Dim, place: &dyn Fn(&Symbol) -> Option<usize>) -> Result<Index, DimError> {
        let mut emitter = Emitter { place, operations: Vec::new(), unknown: None };
        index.compute(&mut emitter)?;
        if let Some(symbol) = emitter.unknown {
            return Err(DimError::Unbound(symbol));
        }
        Ok(match emitter.operations[..] {
            [Operation::Constant(value)] => Index::Constant(value),
            [Operation::Symbol(place)] => Index::Symbol(place),
            _ => Index::Program(emitter.operations),
        })
    }

    /// Evaluates the expression. `scratch` is memory for intermediate results.
    pub(super) fn value(&self, symbols: &[i64], scratch: &mut Vec<i64>) -> Result<i64, FaultKind> {
        match self {
            Index::Constant(value) => Ok(*value),
            Index::Symbol(place) => Ok(symbols[*place]),
            Index::Program(operations) => {
                scratch.clear();
                for operation in operations {
                    let result = operation.result(symbols, scratch).ok_or(FaultKind::Arithmetic)?;
                    scratch.push(result);
                }
                scratch.last().copied().ok_or(FaultKind::Arithmetic)
            }
        }
    }
}

impl Operation {
    fn result(self, symbols: &[i64], before: &[i64]) -> Option<i64> {
        match self {
            Operation::Constant(value) => Some(value),
            Operation::Symbol(place) => Some(symbols[place]),
            Operation::Add(a, b) => before[a].checked_add(before[b]),
            Operation::Multiply(a, b) => before[a].checked_mul(before[b]),
            Operation::FloorDivide(a, b) => (before[b] > 0).then(|| before[a].div_euclid(before[b])),
            Operation::Larger(a, b) => Some(before[a].max(before[b])),
        }
    }
}

struct Emitter<'a> {
    place: &'a dyn Fn(&Symbol) -> Option<usize>,
    operations: Vec<Operation>,
    unknown: Option<Symbol>,
}

impl Emitter<'_> {
    fn emit(&mut self, operation: Operation) -> usize {
        self.operations.push(operation);
        self.operations.len() - 1
    }
}

impl SizeArithmetic for Emitter<'_> {
    /// The index of the operation that computes the number.
    type Number = usize;

    fn constant(&mut self, value: i64) -> usize {
        self.emit(Operation::Constant(value))
    }

    fn symbol(&mut self, symbol: &Symbol) -> usize {
        match (self.place)(symbol) {
            Some(place) => self.emit(Operation::Symbol(place)),
            None => {
                self.unknown = Some(symbol.clone());
                self.emit(Operation::Constant(0))
            }
        }
    }

    fn add(&mut self, a: &usize, b: &usize) -> usize {
        self.emit(Operation::Add(*a, *b))
    }

    fn multiply(&mut self, a: &usize, b: &usize) -> usize {
        self.emit(Operation::Multiply(*a, *b))
    }

    fn floor_divide(&mut self, a: &usize, b: &usize, _: Option<i64>) -> usize {
        self.emit(Operation::FloorDivide(*a, *b))
    }

    fn larger(&mut self, a: &usize, b: &usize) -> usize {
        self.emit(Operation::Larger(*a, *b))
    }
}
