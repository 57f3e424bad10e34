//! `reorder`: puts the axes of one loop in another order.
//!
//! *Obligation*: every index runs once. Iterations of parallel loops are independent, so any order gives the same
//! result. A reduction gives the same result if its combiner works on integers and is known to commute. Ordered loops
//! have one axis.

use super::commute::commutes;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Combiner, Kernel, Stmt};
use rlx_ir::{DType, Symbol};

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
                _ => return Err(format!("`{first}` is the only axis of an ordered loop")),
            }
            Ok(vec![stmt])
        })
    }
}

/// Puts the named axes into the positions that they occupy together.
fn permute(axes: &mut [Axis], order: &[Symbol]) -> Done {
    let mut places = Vec::with_capacity(order.len());
    for symbol in order {
        let Some(place) = axes.iter().position(|axis| axis.symbol == *symbol) else {
            return Err(format!("`{symbol}` is not an axis of the loop of `{}`", order[0]));
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

/// Returns whether a combiner gives the same bits however elements are grouped.
fn is_exact(kernel: &Kernel, combiner: &Combiner) -> bool {
    let exact = |&scalar| kernel.dtype(scalar).is_int() || kernel.dtype(scalar) == DType::Bool;
    combiner.step.results.iter().all(exact)
}
