//! Why ops have no derivative. An op that is refused for a reason that is not here has a hole, and fails.

/// An op (its name in the text form), and a part of the reason that is given.
pub(super) const STATED: &[(&str, &str)] = &[
    ("nextafter", "from one representable number to the next"),
    ("zeta", "by its second operand alone"),
    ("igamma", "by its second operand alone"),
    ("igammac", "by its second operand alone"),
    ("polygamma", "its order is an integer"),
    ("betainc", "by x alone"),
];

/// Whether the refusal is on the list.
pub(super) fn stated(op: &str, why: &str) -> bool {
    STATED.iter().any(|(name, part)| *name == op && why.contains(part))
}
