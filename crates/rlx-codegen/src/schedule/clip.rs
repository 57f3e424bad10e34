//! `clip`: sums products only over the indices for which their guards hold.
//!
//! *Obligation*: the indices that are left out add nothing. Both factors are 0 there, and adding 0 to a sum that starts
//! with 0 does not change it, to the bit, because it is not a negative 0.

use super::rename::Renaming;
use super::{Done, Scheduled};
use crate::build::is_conversion;
use crate::kernel::{Block, Combiner, Definition, Guard, ScalarId, Stmt};
use crate::monoid::binary;
use crate::range::Ranges;
use crate::visit::for_each_stmt;
use rlx_ir::{BinaryOp, Dim, Scalar, Symbol};
use std::collections::HashSet;

impl Scheduled {
    pub fn clip(&mut self, axis: &Symbol) -> Done {
        let mut zeros = HashSet::new();
        for_each_stmt(&self.kernel.body, &mut |stmt| {
            if let Stmt::Let { scalar, value: Definition::Constant(value) } = stmt
                && is_zero(*value)
            {
                zeros.insert(*scalar);
            }
        });
        self.change(axis, |s, stmt, place| {
            let Stmt::Reduce { mut axes, combiner, mut body, elements, results } = stmt else {
                return Err(format!("`{axis}` is not an axis of a reduction"));
            };
            if !(is_sum(&combiner) && combiner.identity.iter().all(|scalar| zeros.contains(scalar))) {
                return Err(format!("the reduction over `{axis}` is not a sum that starts with 0"));
            }
            let [element] = &elements[..] else { return Err("a sum has one element".into()) };
            let shared = guards(&body, *element, &zeros).unwrap_or_default();
            let Some(extent) = axes[place].extent.as_static().and_then(|extent| i64::try_from(extent).ok())
            else {
                return Err(format!("the extent of `{axis}` is not static"));
            };
            let (mut first, mut end) = (0, extent);
            let mut held = Vec::new();
            for condition in shared {
                match bound(&condition, axis) {
                    Some(Bound::From(index)) => first = first.max(index),
                    Some(Bound::Below(index)) => end = end.min(index),
                    None => continue,
                }
                held.push(condition);
            }
            if held.is_empty() {
                return Err(format!("no common guard of both factors bounds `{axis}` by numbers"));
            }
            let [first, count] = [first, (end - first).max(0)].map(|number| number.max(0) as usize);
            axes[place].extent = Dim::Static(count);
            for stmt in &mut body {
                if let Stmt::Let { value: Definition::Load { guard, fill, .. }, .. } = stmt {
                    guard.0.retain(|condition| !held.contains(condition));
                    *fill = fill.filter(|_| !guard.is_empty());
                }
            }
            let index = &Dim::Dynamic(axis.clone()) + &Dim::Static(first);
            s.substitute(&Renaming::symbol(axis, index), &mut body);
            Ok(vec![Stmt::Reduce { axes, combiner, body, elements, results }])
        })
    }
}

/// Returns whether a number is 0, but not −0.
fn is_zero(value: Scalar) -> bool {
    match value {
        Scalar::Int(value) => value == 0,
        Scalar::Float(value) => value.to_bits() == 0,
        Scalar::Complex(_) => false,
    }
}

/// Returns whether elements are added unchanged.
fn is_sum(combiner: &Combiner) -> bool {
    let step = &combiner.step;
    let [Stmt::Let { scalar, value }] = &step.body[..] else { return false };
    let of_both = |args: [ScalarId; 2]| args[..] == step.params[..] || args.iter().rev().eq(&step.params);
    matches!(binary(value), Some((BinaryOp::Add, args)) if of_both(args)) && step.results[..] == [*scalar]
}

/// Returns the conditions without which both factors of a product are 0.
fn guards(body: &Block, element: ScalarId, zeros: &HashSet<ScalarId>) -> Option<Vec<Dim>> {
    let (_, factors) = binary(unconverted(body, element)?).filter(|(op, _)| *op == BinaryOp::Mul)?;
    let [a, b] = factors.map(|factor| match unconverted(body, factor) {
        Some(Definition::Load { guard: Guard(conditions), fill: Some(fill), .. }) if zeros.contains(fill) => {
            conditions.clone()
        }
        _ => Vec::new(),
    });
    Some(a.into_iter().filter(|condition| b.contains(condition)).collect())
}

/// Returns the definition of a scalar before conversions, which leave 0 unchanged.
fn unconverted(body: &Block, scalar: ScalarId) -> Option<&Definition> {
    let defined = body.iter().find_map(|stmt| match stmt {
        Stmt::Let { scalar: other, value } if *other == scalar => Some(value),
        _ => None,
    })?;
    match defined {
        Definition::Apply { op, args } if is_conversion(op) => unconverted(body, *args.first()?),
        other => Some(other),
    }
}

/// The indices for which a condition holds.
enum Bound {
    From(i64),
    Below(i64),
}

/// Returns the bound that a condition states, if it contains no other symbol.
fn bound(condition: &Dim, axis: &Symbol) -> Option<Bound> {
    let at = |index: usize| {
        let of = |symbol: &Symbol| match symbol == axis {
            true => Dim::Static(index),
            false => Dim::Dynamic(symbol.clone()),
        };
        number(&condition.substitute(&of))
    };
    let (rest, step) = (at(0)?, at(1)?.checked_sub(at(0)?)?);
    let linear = at(2)?.checked_sub(rest)? == step.checked_mul(2)?;
    match step {
        1.. if linear => {
            Some(Bound::From(rest.checked_neg()?.div_euclid(step) + i64::from(rest.rem_euclid(step) != 0)))
        }
        ..=-1 if linear => Some(Bound::Below(rest.div_euclid(step.checked_neg()?) + 1)),
        _ => None,
    }
}

/// Returns the value of an expression without symbols, which may be negative.
pub(super) fn number(dim: &Dim) -> Option<i64> {
    Ranges::default().of(dim).value()
}
