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

/// Beginnings of names of cases (parts between `…` follow anywhere), the checks, the least share of elements that these judge, where that is not the table's, and why. A
/// share of 0 is debt: a case of which nothing is judged counts as skipped.
pub(super) const LESS: &[(&str, &[&str], f64, &str)] = &[];

const CHOLESKY: &[&str] = &["jvp", "vjp", "second order"];
const ALL: &[&str] = &["jvp", "vjp", "second order"];
const EIGHT_BITS: &str = "the bound of its derivative reaches over the largest number of 8 bits";
const SPECIAL: &str = "at the ends of domains and of types derivatives jump, or overflow";
const BENT: &str = "at 0 one side is bent and the other is not, so that differences settle slowly";
const KINKS: &str = "at a kink or a tie the gradient jumps, and there is no second derivative";
const SHORT: &str =
    "with two or three digits the bound of a running sum is as large as the sum, and the logarithm of it has none";
const UNBOUNDED: &str = "no finite bound of its derivative's rounding is derived in narrow types";
const FINITE: &str =
    "a window that sees nothing gives the largest number of the type, and no bound of it fits into the type";
const INDEFINITE: &str = "a matrix that is not definite has no factor, and results of NaN have no product";

/// What a check of a case must judge.
pub(super) fn judged(case: &str, check: &str) -> Judged {
    let named = |pattern: &str| {
        let mut parts = pattern.split('…');
        let begins = parts.next().is_some_and(|first| case.starts_with(first));
        begins && parts.all(|part| case.contains(part))
    };
    let row = LESS.iter().find(|row| named(row.0) && row.1.contains(&check));
    row.map_or(Judged::TABLE, |&(_, _, least, reason)| Judged { least, reason })
}
