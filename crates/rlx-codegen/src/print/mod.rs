//! Printers: write kernels as source text of a language, which is a table of spellings. [`print`](print()) walks a
//! kernel, and the [`Language`] has one method for the text of each statement and scalar. A language is a folder;
//! [`rust`] is the example.
//!
//! Code that depends on kernels but not on a language is here: which op is an operator, and what is rounded when
//! (`scalars.rs`), index expressions with their parentheses ([`expression`]), identifiers ([`Names`]), the sizes that a
//! kernel takes ([`sizes`]), and the slices that a loop may take ([`runs`]).

mod expression;
mod language;
mod names;
mod printer;
mod runs;
pub mod rust;
mod scalars;
#[cfg(test)]
mod tests;

use expression::expression_in;
pub use expression::{Notation, expression, is_word};
pub use language::{
    Array, BufferPart, Head, Language, LoopHead, MemoryParam, ScalarFunction, Scalars, Statements, Variable,
};
pub use names::{NameKind, Names};
pub use printer::{PrintedFunction, Scratch, print};
pub use runs::{Run, place, runs};

use crate::kernel::{Buffer, Definition, Kernel, Stmt};
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, DimError, Symbol, Symbols};

/// Why a kernel cannot be printed in a language.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PrintError {
    /// The language has no function for an op.
    #[error("kernel {kernel:?}: `{op}` has no text in {language}")]
    Op {
        /// The kernel.
        kernel: String,
        /// The op.
        op: &'static str,
        /// The language.
        language: &'static str,
    },
    /// The language cannot express a statement.
    #[error("kernel {kernel:?}: {language} has no {what}")]
    Statement {
        /// The kernel.
        kernel: String,
        /// What it lacks, and what to do.
        what: &'static str,
        /// The language.
        language: &'static str,
    },
    /// An array cannot be made: it is too large for the stack, and its size is only known inside the kernel.
    #[error("kernel {kernel:?}: the array `{array}` is large, and its extents depend on more than sizes")]
    Array {
        /// The kernel.
        kernel: String,
        /// The array.
        array: String,
    },
    /// An expression is too large.
    #[error("kernel {kernel:?}: {error}")]
    Size {
        /// The kernel.
        kernel: String,
        /// The error.
        error: DimError,
    },
}

/// Returns the sizes that a kernel takes, in order: those in its parameters' extents, followed by others in its body.
pub fn sizes(kernel: &Kernel) -> Vec<Symbol> {
    let (mut sizes, mut counted) = (Symbols::default(), Symbols::default());
    kernel.params().flat_map(|buffer| &buffer.extents).for_each(|extent| extent.symbols(&mut sizes));
    for_each_stmt(&kernel.body, &mut |stmt| {
        for_each_dim(kernel, stmt, &mut |dim| dim.symbols(&mut sizes));
        stmt.counted().for_each(|axis| counted.add(&axis.symbol));
        if let Stmt::Name { symbol, .. } = stmt {
            counted.add(symbol);
        }
    });
    sizes.into_vec().into_iter().filter(|symbol| !counted.contains(symbol)).collect()
}

/// Returns whether a caller that passes these sizes knows the extents of a buffer.
pub fn is_of_sizes(buffer: &Buffer, sizes: &[Symbol]) -> bool {
    let mut symbols = Symbols::default();
    buffer.extents.iter().for_each(|extent| extent.symbols(&mut symbols));
    symbols.into_vec().iter().all(|symbol| sizes.contains(symbol))
}

/// Calls `visit` with each expression of a statement, but not with those of nested statements.
fn for_each_dim(kernel: &Kernel, stmt: &Stmt, visit: &mut dyn FnMut(&Dim)) {
    stmt.counted().for_each(|axis| visit(&axis.extent));
    match stmt {
        Stmt::Let { value, .. } => match value {
            Definition::Index(index) => visit(index),
            Definition::Load { cell, guard, .. } => cell.at.iter().chain(&guard.0).for_each(visit),
            Definition::Holds(guard) => guard.0.iter().for_each(visit),
            Definition::Constant(_)
            | Definition::Apply { .. }
            | Definition::Fma(_)
            | Definition::Bitcast(_) => {}
        },
        Stmt::Name { extent, .. } => visit(extent),
        Stmt::Array(array) => kernel.buffers[array.index()].extents.iter().for_each(visit),
        Stmt::Store { cell, guard, .. } => cell.at.iter().chain(&guard.0).for_each(visit),
        Stmt::Tile(tile) => {
            tile.cells().iter().flat_map(|cell| &cell.at).chain(tile.dims()).for_each(visit);
        }
        Stmt::While { bound, .. } => visit(bound),
        Stmt::Par { .. } | Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::If { .. } | Stmt::Barrier => {}
    }
}
