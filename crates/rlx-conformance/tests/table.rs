//! The table itself: it covers every op, and every row and name in it has a purpose.

use rlx_conformance::cases::{FAMILIES, all};
use rlx_ir::OpKind;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_op_has_cases() {
    let mut covered: BTreeSet<OpKind> = all().iter().map(|c| c.kind()).collect();
    // Every op with several results is projected, so that `output` occurs in the graphs of the table.
    covered.extend([OpKind::Input, OpKind::Param, OpKind::Output]);
    let missing: Vec<&str> = OpKind::ALL.iter().filter(|k| !covered.contains(k)).map(|k| k.name()).collect();
    assert!(missing.is_empty(), "ops without cases: {}", missing.join(", "));
}

#[test]
fn every_row_accepts_an_element_type() {
    let mut none = Vec::new();
    for family in FAMILIES {
        let rows = family.rows();
        none.extend(rows.iter().filter(|r| r.expand(family.name).is_empty()).map(|r| r.describe()));
    }
    assert!(none.is_empty(), "rows without a case:\n{}", none.join("\n"));
}

#[test]
fn names_are_unique() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    all().into_iter().for_each(|case| *seen.entry(case.name).or_default() += 1);
    let twice: Vec<_> = seen.into_iter().filter(|(_, n)| *n > 1).collect();
    assert!(twice.is_empty(), "names used twice: {twice:?}");
}
