//! Every case of the conformance table with an op that has an expansion. The op is expanded as far as possible, and the
//! evaluator's results must be within the bounds of backends.

use crate::expanded::{Expanded, has_expansion};
use rlx_conformance::cases::FAMILIES;
use rlx_conformance::{Case, Outcome, judge};
use std::collections::BTreeMap;

/// Checks the cases of a family whose ops have expansions. Fails at the end with everything that went wrong, and if it did not
/// see exactly these ops.
fn check(family: &str, ops: &[&str]) {
    let (mut failures, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
    let cases: Vec<Case> = FAMILIES.iter().filter(|f| f.name == family).flat_map(|f| f.cases()).collect();
    for case in cases.iter().filter(|c| has_expansion(&c.op, &c.operands())) {
        *counts.entry(case.op.mnemonic()).or_default() += 1;
        match judge(&Expanded, case, 0) {
            // Expansions get no allowances, so that no case passes because of one.
            Outcome::Passed | Outcome::Allowed(_) => {}
            Outcome::Failed(why) => failures.push(format!("{}: {why}", case.name)),
            Outcome::Skipped(why) | Outcome::NotApplicable(why) => {
                failures.push(format!("{}: not judged: {why}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {counts:?} failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), ops);
}

#[test]
fn functions_of_one_number() {
    let ops = [
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "bessel_i0e",
        "bessel_i1e",
        "cbrt",
        "clz",
        "conj",
        "cosh",
        "digamma",
        "erf",
        "erf_inv",
        "erfc",
        "expm1",
        "is_finite",
        "lgamma",
        "log1p",
        "logistic",
        "popcnt",
        "round_away",
        "round_even",
        "sinh",
        "tan",
        "tanh",
    ];
    check("unary", &ops);
}

#[test]
fn functions_of_two_numbers() {
    check("binary", &["igamma", "igammac", "max", "min", "nextafter", "polygamma", "zeta"]);
}

#[test]
fn functions_of_three_numbers() {
    check("compare", &["betainc"]);
}

#[test]
fn sorts() {
    check("sorting", &["argreduce", "sort", "top_k"]);
}

#[test]
fn running_reductions() {
    check("window", &["cumulative"]);
}

#[test]
fn products_of_runs() {
    check("convolution", &["ragged_dot"]);
}

#[test]
fn factorizations() {
    let ops = [
        "cholesky",
        "eig",
        "eigh",
        "geqp3",
        "geqrf",
        "householder_product",
        "lu",
        "qr",
        "svd",
        "triangular_solve",
        "tridiagonal_solve",
    ];
    check("linalg", &ops);
}

#[test]
fn transforms_and_random_bits() {
    check("transforms", &["fft", "rng_bits", "threefry2x32"]);
}

#[test]
fn packed_blocks() {
    check("quantized", &["dequantize_blocks"]);
}

#[test]
fn loops() {
    check("control", &["scan"]);
}

#[test]
fn collectives_of_one_participant() {
    check("collective", &["all_gather", "all_reduce", "all_to_all", "permute", "reduce_scatter"]);
}

#[test]
fn no_other_family_has_expansions() {
    let seen = [
        "unary",
        "binary",
        "compare",
        "sorting",
        "window",
        "convolution",
        "linalg",
        "transforms",
        "quantized",
        "control",
        "collective",
    ];
    for family in FAMILIES.iter().filter(|f| !seen.contains(&f.name)) {
        let case = family.cases().into_iter().find(|c| has_expansion(&c.op, &c.operands()));
        assert!(case.is_none(), "{}", case.map_or(String::new(), |c| c.name));
    }
}
