//! `reorder`: puts the axes of one loop in another order.
//!
//! *Obligation*: every index once. Iterations of parallel loops know nothing of each other, so any order gives the same. A reduction
//! gives the same where its combiner is one of integers that is known to commute. Ordered loops have one axis.

use super::commute::commutes;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Combiner, Definition, Kernel, ScalarId, Stmt};
use rlx_ir::{BinaryOp, DType, Op, Symbol};

impl Scheduled {
    pub fn reorder(&mut self, order: &[Symbol]) -> Done {
        let Some(first) = order.first() else { return Err("no axes are named".into()) };
        self.change(first, |s, mut stmt, _| {
            match &mut stmt {
                Stmt::Par { axes, .. } => permute(axes, order)?,
                Stmt::Reduce { axes, combiner, .. } => {
                    if order.len() > 1 && !(commutes(&s.kernel, combiner) && is_exact(&s.kernel, combiner)) {
                        return Err("the combiner is not known to be exact and to commute".into());
                    }
                    permute(axes, order)?;
                }
                _ => return Err(format!("`{first}` is the axis of an ordered loop, which has no other")),
            }
            Ok(vec![stmt])
        })
    }
}

/// Puts the named axes into the places that they have together.
fn permute(axes: &mut [Axis], order: &[Symbol]) -> Done {
    let mut places = Vec::with_capacity(order.len());
    for symbol in order {
        let Some(place) = axes.iter().position(|axis| axis.symbol == *symbol) else {
            return Err(format!("`{symbol}` is no axis of the loop of `{}`", order[0]));
        };
        if places.contains(&place) {
            return Err(format!("`{symbol}` is named twice"));
        }
        places.push(place);
    }
    let moved: Vec<Axis> = places.iter().map(|&place| axes[place].clone()).collect();
    places.sort_unstable();
    places.into_iter().zip(moved).for_each(|(place, axis)| axes[place] = axis);
    Ok(())
}

/// Whether a combiner gives the same to the bit however elements are grouped.
fn is_exact(kernel: &Kernel, combiner: &Combiner) -> bool {
    let exact = |&scalar| kernel.dtype(scalar).is_int() || kernel.dtype(scalar) == DType::Bool;
    combiner.step.results.iter().all(exact)
}

/// What a function of two scalars is, and of which.
pub(super) fn binary(value: &Definition) -> Option<(BinaryOp, [ScalarId; 2])> {
    let Definition::Apply { op, args } = value else { return None };
    match (&**op, &args[..]) {
        (Op::Binary { op }, &[a, b]) => Some((*op, [a, b])),
        _ => None,
    }
}
