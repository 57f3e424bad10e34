//! Whether a combiner commutes, so that the order of elements only affects rounding.
//!
//! It does if its `merge` gives the same expressions with the two states exchanged. Expressions are compared by
//! structure, where the operands of commutative functions may be in either order.

use crate::build::is_symmetric;
use crate::kernel::{Combiner, Definition, Function, Kernel, ScalarId, Stmt};
use rlx_ir::{DType, Op};
use std::collections::HashMap;
use std::sync::Arc;

/// Returns whether a combiner is known to commute.
pub(super) fn commutes(kernel: &Kernel, combiner: &Combiner) -> bool {
    let merge = &combiner.merge;
    let states = merge.params.len() / 2;
    if merge.params.len() != 2 * states || merge.results.len() != states {
        return false;
    }
    let mut expressions = Expressions::default();
    let swapped: Vec<usize> = (states..2 * states).chain(0..states).collect();
    let given: Vec<usize> = (0..2 * states).collect();
    let [ours, theirs] = [given, swapped].map(|params| expressions.results(kernel, merge, &params));
    ours.is_some() && ours == theirs
}

/// The definition of a scalar, with its operands as numbers.
#[derive(PartialEq)]
enum Expression {
    Param(usize),
    /// The type, and the value as text, which distinguishes zeros.
    Constant(DType, String),
    Applied(Arc<Op>, Vec<usize>),
    Fused([usize; 3]),
}

/// Expressions, each stored once. Equal expressions have the same number.
#[derive(Default)]
struct Expressions(Vec<Expression>);

impl Expressions {
    fn number(&mut self, expression: Expression) -> usize {
        let known = self.0.iter().position(|other| *other == expression);
        known.unwrap_or_else(|| {
            self.0.push(expression);
            self.0.len() - 1
        })
    }

    /// Returns the results of a function for these parameters, or `None` if it contains something that cannot be compared.
    fn results(&mut self, kernel: &Kernel, function: &Function, params: &[usize]) -> Option<Vec<usize>> {
        let params = params.iter().map(|&param| self.number(Expression::Param(param)));
        let mut known: HashMap<ScalarId, usize> = function.params.iter().copied().zip(params).collect();
        for stmt in &function.body {
            let Stmt::Let { scalar, value } = stmt else { return None };
            let of = |scalar: &ScalarId| known.get(scalar).copied();
            let expression = match value {
                Definition::Constant(value) => {
                    Expression::Constant(kernel.dtype(*scalar), format!("{value:?}"))
                }
                Definition::Apply { op, args } => {
                    let args = args.iter().map(of).collect::<Option<Vec<usize>>>()?;
                    applied(op, args)
                }
                Definition::Fma([a, b, c]) => {
                    let (a, b) = (of(a)?, of(b)?);
                    Expression::Fused([a.min(b), a.max(b), of(c)?])
                }
                _ => return None,
            };
            known.insert(*scalar, self.number(expression));
        }
        function.results.iter().map(|result| known.get(result).copied()).collect()
    }
}

/// Returns an application. If the order of its operands does not matter, they are sorted.
fn applied(op: &Arc<Op>, mut args: Vec<usize>) -> Expression {
    let either = is_symmetric(op);
    if either {
        args.sort_unstable();
    }
    Expression::Applied(op.clone(), args)
}
