//! Writes docs/transforms.md: a table per check, a row per op, a column per group of element types.

use super::{CHECKS, reasons};
use crate::report::{Counts, Report};
use rlx_ir::DType;
use std::collections::{BTreeMap, BTreeSet};

const HEAD: &str = "\
# Transforms

Written by `cargo xtask conformance transforms --docs`. Every case of every op of the conformance table is transformed, in every element
type; a cell counts the cases that passed.

- **jvp**: in f64 and c128, tangents against differences of values at three steps, extrapolated, within a bound that follows from the
  differences and from the rounding of the values (at a kink every subgradient is right); in narrower types, tangents against those in
  f64, within the error bound that is derived from the graph of the tangents.
- **vjp**: ⟨Jv, u⟩ = ⟨v, Jᵀu⟩ within 1e-10 of the magnitude of the terms in f64 and c128; in narrower types cotangents against those in f64, as
  with jvp. The product of complex numbers is the real part without conjugation, as in JAX.
- **vmap**: each operand mapped alone, all of them, and two axes one over the other, with batches of one, two and three along the first and the last axis,
  against the op on each slice: bit for bit where nothing rounds.
- **second order**: forward mode over the gradient of a weighted sum of the results, against differences of the gradient, and
  ⟨Hv, u⟩ = ⟨Hu, v⟩; in f64 and c128.
- **compiled**: of a fifth of the cases the graphs of jvp and vjp on the CPU, against the evaluator within the bound derived from the graph.

A check fails where it could judge less than 90 % of the elements of its case (an element is judged where some value of it would be
refused: not where a derivative is infinite, or where no bound follows from the differences); the exceptions are below. What could be
checked and is not is skipped: debt, with a number for each reason that may not grow. What there is nothing to check of is not
applicable.

✓ with the number of cases; – where none was checked: the reasons are below.

";

/// Columns: a name and its element types.
const GROUPS: &[(&str, &[DType])] = &[
    ("f64", &[DType::F64]),
    ("f32", &[DType::F32]),
    ("f16", &[DType::F16]),
    ("bf16", &[DType::BF16]),
    ("f8", &[DType::F8E4M3, DType::F8E5M2]),
    ("complex", &[DType::C64, DType::C128]),
    (
        "others",
        &[
            DType::Bool,
            DType::I8,
            DType::I16,
            DType::I32,
            DType::I64,
            DType::U8,
            DType::U16,
            DType::U32,
            DType::U64,
        ],
    ),
];

fn sum(report: &Report, op: &str, check: &str, dtypes: &[DType]) -> Counts {
    let mut all = Counts::default();
    for dtype in dtypes {
        all += report.counts(op, check, *dtype);
    }
    all
}

fn cell(counts: Counts) -> String {
    match counts {
        Counts { failed: 0, passed: 0, .. } => "–".into(),
        Counts { failed: 0, passed, .. } => format!("✓ {passed}"),
        Counts { failed, passed, .. } => format!("**✗ {failed} of {}**", passed + failed),
    }
}

/// The tables alone, as Markdown.
pub fn matrix(report: &Report) -> String {
    let mut out = String::new();
    for check in CHECKS {
        // Only vectorization is about integers.
        let groups = if check == "vmap" { GROUPS } else { &GROUPS[..GROUPS.len() - 1] };
        let names: Vec<&str> = groups.iter().map(|g| g.0).collect();
        out +=
            &format!("## {check}\n\n| op | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
        for op in report.ops() {
            let cells: Vec<String> = groups.iter().map(|g| cell(sum(report, op, check, g.1))).collect();
            out += &format!("| {op} | {} |\n", cells.join(" | "));
        }
        out.push('\n');
    }
    out
}

/// The page about a whole run.
pub fn page(report: &Report) -> String {
    let mut out = HEAD.to_string() + &matrix(report);
    out += "## Ops without a check\n\nNo case of these ops is checked, and why.\n\n| op | check | reason |\n|---|---|---|\n";
    let mut why: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for note in report.skips().iter().chain(report.not_applicable()) {
        why.entry((note.op.as_str(), note.target.as_str())).or_default().insert(&note.message);
    }
    let everything: Vec<DType> = DType::ALL.into_iter().collect();
    for op in report.ops() {
        // The same reason for several checks is one row.
        let mut rows: Vec<(Vec<&str>, String)> = Vec::new();
        for check in CHECKS {
            let counts = sum(report, op, check, &everything);
            if counts.passed + counts.failed > 0 || counts == Counts::default() {
                continue;
            }
            let reasons = why
                .get(&(op, check))
                .map_or(String::new(), |r| r.iter().copied().collect::<Vec<_>>().join("; "));
            match rows.iter_mut().find(|(_, r)| *r == reasons) {
                Some((checks, _)) => checks.push(check),
                None => rows.push((vec![check], reasons)),
            }
        }
        for (checks, reason) in rows {
            out += &format!("| {op} | {} | {reason} |\n", checks.join(", "));
        }
    }
    out += "\n## Operands without a derivative\n\nThe op refuses to be differentiated by some operand, with this error; the others are checked.\n\n| op | the error says |\n|---|---|\n";
    for reasons::Refusal { op, why, .. } in reasons::STATED {
        out += &format!("| {op} | … {why} … |\n");
    }
    out += "\n## Smaller shares\n\nOf these at least so many of the elements are judged, instead of 90 %.\n\n| cases | checks | share | why |\n|---|---|---|---|\n";
    for (cases, checks, least, why) in reasons::LESS {
        out += &format!("| {cases} … | {} | {} % | {why} |\n", checks.join(", "), 100.0 * least);
    }
    out + "\n" + &report.debt_table() + &report.summary() + "\n"
}
