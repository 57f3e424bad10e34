//! Whether a combiner commutes, so that the order of elements affects nothing but rounding.
//!
//! It does where its `merge` gives the same expressions with the two states exchanged. Expressions are compared by what they are made of, so that
//! operands of functions that commute may stand in either order.

use crate::build::is_symmetric;
use crate::kernel::{Combiner, Definition, Function, Kernel, ScalarId, Stmt};
use rlx_ir::{DType, Op};
use std::collections::HashMap;
use std::sync::Arc;

/// Whether a combiner is known to commute.
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

/// What a scalar is, by the numbers of what it is made of.
#[derive(PartialEq)]
enum Expression {
    Param(usize),
    /// Its type, and the number as text, which tells zeros apart.
    Constant(DType, String),
    Applied(Arc<Op>, Vec<usize>),
    Fused([usize; 3]),
}

/// Expressions, each once: equal ones have one number.
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

    /// What a function gives for parameters of these numbers; `None` where it has what is not compared.
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

/// An application, with operands in one order where that does not count.
fn applied(op: &Arc<Op>, mut args: Vec<usize>) -> Expression {
    let either = is_symmetric(op);
    if either {
        args.sort_unstable();
    }
    Expression::Applied(op.clone(), args)
}
