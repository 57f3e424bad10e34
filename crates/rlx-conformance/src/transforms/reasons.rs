//! Why ops have no derivative. An op that is refused for a reason that is not here has a hole, and fails.

/// An op (its name in the text form), and a part of the reason that is given.
pub(super) const STATED: &[(&str, &str)] = &[
    ("nextafter", "from one representable number to the next"),
    ("polygamma", "its order is an integer"),
    ("all_reduce", "only sums, and maxima and minima that all get"),
    ("reduce_scatter", "only sums, and maxima and minima that all get"),
];

/// Whether the refusal is on the list.
pub(super) fn stated(op: &str, why: &str) -> bool {
    STATED.iter().any(|(name, part)| *name == op && why.contains(part))
}
