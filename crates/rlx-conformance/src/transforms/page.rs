//! Writes docs/transforms.md: a table per check, a row per op, a column per group of element types.

use super::{CHECKS, reasons};
use crate::report::{Counts, Report};
use rlx_ir::DType;
use std::collections::{BTreeMap, BTreeSet};

const HEAD: &str = "\
# Transforms

Written by `cargo xtask conformance transforms --docs`. Every case of every op of the conformance table is transformed in every element
type. A cell counts the cases that passed.

- **jvp**: in f64 and c128, tangents are compared with finite differences, which are extrapolated from three step sizes. The bound follows
  from the differences and from the rounding of the values; at a kink, every subgradient is correct. In narrower types, tangents are
  compared with tangents in f64, within the error bound that is derived from the graph of the tangents.
- **vjp**: in f64 and c128, ⟨Jv, u⟩ = ⟨v, Jᵀu⟩ must hold within 1e-10 of the magnitude of the terms. In narrower types, cotangents are
  compared with those in f64, as with jvp. The product of complex numbers is the real part without conjugation, as in JAX.
- **vmap**: each operand is mapped alone, all are mapped together, and two axes are nested, with batches of one, two and three along the
  first and the last axis. Results are compared with the op on each slice, bit for bit where nothing rounds.
- **second order**: in f64 and c128, forward mode over the gradient of a weighted sum of the results is compared with finite differences
  of the gradient, and ⟨Hv, u⟩ = ⟨Hu, v⟩ must hold.
- **compiled**: for a fifth of the cases, the graphs of jvp and vjp run on the CPU and are compared with the evaluator, within the bound
  derived from the graph.

A check fails if it judges less than 90 % of the elements of its case; the exceptions are listed below. An element is judged if the check
would reject at least one value for it. It would reject none where a derivative is infinite, or where no bound follows from the
differences. A check that could be made but is not counts as skipped: this is debt, and the number of skipped checks may not grow for any
reason. A check with nothing to judge is not applicable.

✓ is followed by the number of cases. – means that no case was checked, for the reasons below.

";

/// The columns: a name and its element types.
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

/// Returns only the tables, as Markdown.
pub fn matrix(report: &Report) -> String {
    let mut out = String::new();
    for check in CHECKS {
        // Only vectorization applies to integers.
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

/// Returns the page about a whole run.
pub fn page(report: &Report) -> String {
    let mut out = HEAD.to_string() + &matrix(report);
    out += "## Ops without a check\n\nNo case of these ops is checked, for these reasons.\n\n| op | check | reason |\n|---|---|---|\n";
    let mut why: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for note in report.skips().iter().chain(report.not_applicable()) {
        why.entry((note.op.as_str(), note.target.as_str())).or_default().insert(&note.message);
    }
    let everything: Vec<DType> = DType::ALL.into_iter().collect();
    for op in report.ops() {
        // A reason that several checks share becomes one row.
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
    out += "\n## Operands without a derivative\n\nThese ops refuse to be differentiated by some operands, with this error. Their other operands are checked.\n\n| op | the error says |\n|---|---|\n";
    for reasons::Refusal { op, why, .. } in reasons::STATED {
        out += &format!("| {op} | … {why} … |\n");
    }
    out += "\n## Smaller shares\n\nFor these cases, at least this share of the elements is judged, instead of 90 %.\n\n| cases | checks | share | why |\n|---|---|---|---|\n";
    for (cases, checks, least, why) in reasons::LESS {
        out += &format!("| {cases} … | {} | {} % | {why} |\n", checks.join(", "), 100.0 * least);
    }
    out + "\n" + &report.debt_table() + &report.summary() + "\n"
}
