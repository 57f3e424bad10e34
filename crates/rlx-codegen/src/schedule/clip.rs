//! `clip`: sums products only over the indices for which their guards hold.
//!
//! *Obligation*: what is left out adds nothing. Both factors are 0 there, and a sum that begins with 0 and has 0 added to it is what it was, to
//! the bit: it is no negative 0.

use super::rename::Renaming;
use super::reorder::binary;
use super::{Done, Scheduled};
use crate::build::is_conversion;
use crate::kernel::{Block, Combiner, Definition, Guard, ScalarId, Stmt};
use crate::range::Ranges;
use crate::text::for_each_stmt;
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
                return Err(format!("`{axis}` is no axis of a reduction"));
            };
            if !(is_sum(&combiner) && combiner.identity.iter().all(|scalar| zeros.contains(scalar))) {
                return Err(format!("the reduction over `{axis}` is no sum that begins with 0"));
            }
            let [element] = &elements[..] else { return Err("a sum has one element".into()) };
            let shared = guards(&body, *element, &zeros).unwrap_or_default();
            let Some(extent) = axes[place].extent.as_static().and_then(|extent| i64::try_from(extent).ok())
            else {
                return Err(format!("the extent of `{axis}` is no number"));
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
                return Err(format!("no guard that both factors have bounds `{axis}` by numbers"));
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

/// Whether a number is 0, and no negative one.
fn is_zero(value: Scalar) -> bool {
    match value {
        Scalar::Int(value) => value == 0,
        Scalar::Float(value) => value.to_bits() == 0,
        Scalar::Complex(_) => false,
    }
}

/// Whether elements are added up as they are.
fn is_sum(combiner: &Combiner) -> bool {
    let step = &combiner.step;
    let [Stmt::Let { scalar, value }] = &step.body[..] else { return false };
    let of_both = |args: [ScalarId; 2]| args[..] == step.params[..] || args.iter().rev().eq(&step.params);
    matches!(binary(value), Some((BinaryOp::Add, args)) if of_both(args)) && step.results[..] == [*scalar]
}

/// The conditions without which both factors of a product are 0.
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

/// What a scalar is that may have been converted: 0 stays 0.
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

/// For which indices a condition holds.
enum Bound {
    From(i64),
    Below(i64),
}

/// The bound that a condition is which knows no other symbol.
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

/// An expression without symbols, which may be negative.
pub(super) fn number(dim: &Dim) -> Option<i64> {
    Ranges::default().of(dim).value()
}
