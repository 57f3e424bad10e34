//! Why ops have no derivative, and why some are checked less than others. An op that is refused for a reason that is
//! not listed here fails.

use crate::case::Judged;

/// A known refusal to differentiate.
pub(super) struct Refusal {
    /// The op, as named in the text form.
    pub(super) op: &'static str,
    /// A part of the reason in the error.
    pub(super) why: &'static str,
    /// Whether the derivative exists, but its rule is missing.
    pub(super) missing: bool,
}

const fn none(op: &'static str, why: &'static str) -> Refusal {
    Refusal { op, why, missing: false }
}

const fn missing(op: &'static str, why: &'static str) -> Refusal {
    Refusal { op, why, missing: true }
}

/// All known refusals.
pub(super) const STATED: &[Refusal] = &[
    none("nextafter", "from one representable number to the next"),
    none("polygamma", "its order is an integer"),
    missing("all_reduce", "only sums, and maxima and minima that every participant gets"),
    missing("reduce_scatter", "only sums, and maxima and minima that every participant gets"),
];

/// Returns the refusal from the list.
pub(super) fn stated(op: &str, why: &str) -> Option<&'static Refusal> {
    STATED.iter().find(|row| row.op == op && why.contains(row.why))
}

/// Prefixes of names of cases (the parts between `…` may follow anywhere), the checks, the minimum share of elements
/// that these judge if it is not the table's, and why. A share of 0 is debt: if nothing is judged, the case counts as
/// skipped.
pub(super) const LESS: &[(&str, &[&str], f64, &str)] = &[
    ("cumulative (logsumexp…f8", &["jvp", "vjp", "compiled"], 0.0, SHORT),
    ("cumulative (logsumexp) bf16: bf16[5,257]", &["jvp", "vjp"], 0.0, SHORT),
    ("zeta", &["jvp"], 0.0, UNBOUNDED),
    ("zeta", &["vjp", "compiled"], 0.5, UNBOUNDED),
    ("zeta", &["second order"], 0.8, UNBOUNDED),
    ("quantize (to f8", &["jvp"], 0.4, EIGHT_BITS),
    ("cbrt f8e5m2", &["jvp", "vjp"], 0.0, TWO_DIGITS),
    ("cbrt f8e5m2", &["compiled"], 0.5, TWO_DIGITS),
    ("dequant_…iq4_xs…f8e4m3", &["vjp"], 0.6, EIGHT_BITS),
    ("dequant_…iq4_xs…f8e4m3", &["jvp"], 0.1, EIGHT_BITS),
    ("dequant_…_K…f8e4m3", &["jvp"], 0.1, EIGHT_BITS),
    ("reduce_graph (larger pair [0]) f8e4m3: f8e4m3[3,401]", &["jvp", "vjp"], 0.0, LOOP_OF_EIGHT_BITS),
    (
        "reduce_window (max [1] by [1] base [3] window [1] padding [2] [2]) f8e4m3",
        &["jvp", "vjp"],
        0.0,
        FINITE,
    ),
    (
        "reduce_window (min [1] by [1] base [3] window [1] padding [2] [2]) f8e4m3",
        &["jvp", "vjp"],
        0.0,
        FINITE,
    ),
    (
        "reduce_window (min [3]",
        &["second order"],
        0.8,
        "next to an infinity, no difference of the gradient is finite",
    ),
    ("sample ([TopK(5)…f8", &["jvp"], 0.2, EQUAL),
    ("sample (…Typical…f8", &["jvp"], 0.5, EQUAL),
    ("acos f64: f64[45] Special", &["jvp"], 0.7, SPECIAL),
    ("sinh f8e4m3: f8e4m3[45] Special", &["jvp", "vjp"], 0.8, SPECIAL),
    ("cosh f8e4m3: f8e4m3[45] Special", &["jvp", "vjp"], 0.8, SPECIAL),
    ("erf_inv f8", &["jvp", "vjp"], 0.7, SPECIAL),
    ("mul f8e4m3: f8e4m3[225] Left", &["jvp"], 0.8, SPECIAL),
    ("polygamma f8e4m3: f8e4m3[225] Left", &["jvp", "vjp"], 0.7, SPECIAL),
    ("pow f8e4m3: f8e4m3[225] Left", &["jvp", "vjp"], 0.8, SPECIAL),
    ("pow f8e5m2…Ints", &["compiled"], 0.8, SPECIAL),
    ("pow f…Ints", &["jvp", "vjp"], 0.4, SPECIAL),
    (
        "pow c128…Ints",
        &["second order"],
        0.05,
        "at powers of 20, rounding hides the differences of the gradient",
    ),
];

const TWO_DIGITS: &str = "with two digits, the bound of the root, which is a divisor, extends past zero";
const EIGHT_BITS: &str = "the bound of its derivative exceeds the largest 8-bit number";
const LOOP_OF_EIGHT_BITS: &str = "no bound is derived for a loop with this many steps, and units of rounding of the largest result exceed the largest 8-bit number";
const EQUAL: &str = "some of the numbers are equal in 8 bits, and rounding decides which comes first";
const SPECIAL: &str = "at the ends of domains and of types, derivatives jump or overflow";
const SHORT: &str = "with two or three digits, the bound of a running sum is as large as the sum, so its logarithm has no bound";
const UNBOUNDED: &str = "in narrow types, no finite bound is derived for the rounding of its derivative";
const FINITE: &str =
    "an empty window gives the largest number of the type, and no bound of it fits into the type";

/// Returns what a check of a case must judge.
pub(super) fn judged(case: &str, check: &str) -> Judged {
    let named = |pattern: &str| {
        let mut parts = pattern.split('…');
        let begins = parts.next().is_some_and(|first| case.starts_with(first));
        begins && parts.all(|part| case.contains(part))
    };
    let row = LESS.iter().find(|row| named(row.0) && row.1.contains(&check));
    row.map_or(Judged::TABLE, |&(_, _, least, reason)| Judged { least, reason })
}
