//! Verifies scalars.

use super::Verifier;
use crate::kernel::{Definition, ScalarId, Stmt};
use rlx_ir::{Access, DType, Op, Shape};

/// Returns whether a statement defines a scalar from scalars and sizes.
pub(super) fn is_pure(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let { value, .. } if !matches!(value, Definition::Load { .. }))
}

impl<'k> Verifier<'k> {
    /// Checks the value of a scalar: its operands and its type.
    pub(super) fn value(&mut self, scalar: ScalarId, value: &'k Definition) {
        let Some(dtype) = self.dtype(scalar) else { return };
        match value {
            Definition::Constant(constant) => {
                // Compared as text, which shows every bit.
                if constant.convert(dtype).to_string() != constant.to_string() {
                    self.report(format!("{constant} is not a number of {dtype}; convert it"));
                }
            }
            Definition::Index(index) => {
                self.dim(index, "the index");
                if !dtype.is_int() {
                    self.report(format!("an index must be an integer, not {dtype}"));
                }
            }
            Definition::Load { cell, guard, fill } => {
                self.guard(guard);
                self.cell(cell);
                fill.iter().for_each(|&fill| self.used_as(fill, scalar));
                let Some(buffer) = self.kernel.buffers.get(cell.buffer.index()) else { return };
                if !buffer.place.is_read() {
                    self.report(format!("`{}` is an output, which cannot be loaded from", buffer.name));
                }
                if buffer.dtype != dtype {
                    self.report(format!(
                        "{} is loaded from `{}` of {}",
                        self.typed(scalar),
                        buffer.name,
                        buffer.dtype
                    ));
                }
            }
            Definition::Apply { op, args } => {
                args.iter().for_each(|&arg| self.used(arg));
                self.apply(op, args, dtype);
            }
            Definition::Fma(args) => {
                args.iter().for_each(|&arg| self.used_as(arg, scalar));
                if !dtype.is_float() {
                    self.report(format!("fma is defined on floats, not on {dtype}"));
                }
            }
            Definition::Bitcast(x) => {
                self.used(*x);
                if self.dtype(*x).is_some_and(|from| from.size() != dtype.size()) {
                    self.report(format!(
                        "{} and {} have bits of different widths",
                        self.typed(*x),
                        self.typed(scalar)
                    ));
                }
            }
            Definition::Holds(guard) => {
                self.guard(guard);
                if dtype != DType::Bool {
                    self.report(format!("the result of a guard is a boolean, not {dtype}"));
                }
            }
        }
    }

    fn apply(&mut self, op: &Op, args: &[ScalarId], dtype: DType) {
        let name = op.mnemonic();
        if op.kind().access() != Access::Elementwise {
            return self.report(format!("`{name}` is not a function of single elements"));
        }
        let operands: Option<Vec<Shape>> =
            args.iter().map(|&arg| self.dtype(arg).map(Shape::scalar)).collect();
        let Some(operands) = operands else { return };
        match op.infer(&operands) {
            Err(error) => self.report(format!("`{name}`: {error}")),
            Ok(results) => match &results[..] {
                [one] if one.dtype() == dtype => {}
                [one] => self.report(format!("`{name}` gives {} here, not {dtype}", one.dtype())),
                _ => self.report(format!("`{name}` gives {} results, but a scalar is one", results.len())),
            },
        }
    }
}
