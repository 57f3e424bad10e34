//! Why ops have no derivative, and why less of one is judged than of others. An op that is refused for a reason that is not here has a
//! hole, and fails.

use crate::case::Judged;

/// A refusal to differentiate that is known.
pub(super) struct Refusal {
    /// The op, as the text form names it.
    pub(super) op: &'static str,
    /// A part of the reason that is given.
    pub(super) why: &'static str,
    /// Whether there is a derivative, for which a rule is missing.
    pub(super) missing: bool,
}

const fn none(op: &'static str, why: &'static str) -> Refusal {
    Refusal { op, why, missing: false }
}

const fn missing(op: &'static str, why: &'static str) -> Refusal {
    Refusal { op, why, missing: true }
}

/// Every refusal.
pub(super) const STATED: &[Refusal] = &[
    none("nextafter", "from one representable number to the next"),
    none("polygamma", "its order is an integer"),
    missing("all_reduce", "only sums, and maxima and minima that all get"),
    missing("reduce_scatter", "only sums, and maxima and minima that all get"),
];

/// The refusal on the list.
pub(super) fn stated(op: &str, why: &str) -> Option<&'static Refusal> {
    STATED.iter().find(|row| row.op == op && why.contains(row.why))
}

/// Ops, the check, and the least share of elements that it judges, where that is not the table's.
pub(super) const LESS: &[(&str, &str, f64, &str)] = &[];

/// What a check of an op must judge.
pub(super) fn judged(op: &str, check: &str) -> Judged {
    let row = LESS.iter().find(|row| row.0 == op && row.1 == check);
    row.map_or(Judged::TABLE, |&(_, _, least, reason)| Judged { least, reason })
}
