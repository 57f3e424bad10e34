//! Every case of the conformance table whose op has an expansion: the graph with the op expanded as far as it goes, under
//! the evaluator, within the bound that backends are held to.

mod expanded;

use expanded::{Expanded, has_expansion};
use rlx_conformance::Outcome;
use rlx_conformance::cases::FAMILIES;
use rlx_conformance::{Case, judge};
use std::collections::BTreeMap;

/// The cases of these families whose ops have expansions; fails at the end with all that went wrong.
fn check(families: &[&str]) {
    let wanted = std::env::var("EXPAND_ONLY").unwrap_or_default();
    let (mut failures, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for family in FAMILIES.iter().filter(|f| families.contains(&f.name)) {
        let cases: Vec<Case> = family.cases();
        for case in cases.iter().filter(|c| has_expansion(&c.op, &c.operands())) {
            if !case.name.starts_with(&wanted) {
                continue;
            }
            *counts.entry(case.op.mnemonic()).or_default() += 1;
            match judge(&Expanded, case, 0) {
                Outcome::Passed => {}
                Outcome::Failed(why) => failures.push(format!("{}: {why}", case.name)),
                Outcome::Skipped(why) => failures.push(format!("{}: skipped: {why}", case.name)),
            }
        }
    }
    assert!(!counts.is_empty());
    assert!(failures.is_empty(), "{} of {counts:?} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn sorts() {
    check(&["sorting"]);
}

#[test]
fn running_reductions() {
    check(&["window"]);
}

#[test]
fn products_of_runs() {
    check(&["convolution"]);
}

#[test]
fn loops() {
    check(&["control"]);
}

#[test]
fn packed_blocks() {
    check(&["quantised"]);
}

#[test]
fn random_bits() {
    check(&["transforms"]);
}

#[test]
fn factorisations() {
    check(&["linalg"]);
}

#[test]
fn functions_of_one_number() {
    check(&["unary"]);
}

#[test]
fn functions_of_two_numbers() {
    check(&["binary"]);
}

#[test]
fn comparisons_and_functions_of_three_numbers() {
    check(&["compare"]);
}
