//! docs/coreml-ops.md: which operations of ML Programs are written, for what, and why others are not.

use super::operations::{OPERATIONS, REASONS};
use rlx_coreml::Opset;
use std::collections::{BTreeMap, BTreeSet};

/// The operations that ops became, each with the first opset; of graphs with several ops under no name.
pub type Table = BTreeMap<String, BTreeMap<String, Opset>>;

/// Ops that are named for an operation.
const NAMED: usize = 8;

/// The system that an opset came with.
fn system(opset: Opset) -> &'static str {
    match opset {
        Opset::Ios15 => "iOS 15",
        Opset::Ios16 => "iOS 16",
        Opset::Ios17 => "iOS 17",
        Opset::Ios18 => "iOS 18",
    }
}

/// The page.
pub fn page(table: &Table) -> String {
    let (mut rows, mut written) = (String::new(), 0);
    for kind in OPERATIONS {
        let first = table.values().filter_map(|row| row.get(kind)).min();
        let first = first.or((kind == "const").then_some(&Opset::Ios15));
        if let Some(first) = first {
            written += 1;
            rows += &format!("| `{kind}` | {} | {} |\n", system(*first), ops(table, kind));
        } else {
            let reason = REASONS.iter().find(|(of, _)| *of == kind).map_or("", |(_, reason)| reason);
            rows += &format!("| `{kind}` | – | {reason} |\n");
        }
    }
    format!("{HEAD}{written} of the {} operations are written.\n\n{COLUMNS}{rows}", OPERATIONS.len())
}

const HEAD: &str = "\
# Operations of ML Programs

Which of CoreML's operations RLX writes, and for what. `cargo run --release -p rlx-coreml --example round_trip -- --page` makes this page of every
case of the conformance table and of graphs of their own, each written, read back and held against the evaluator; `--page --check` fails where it is
out of date. [coreml.md](coreml.md) says how packages are written and what else holds them.

";

const COLUMNS: &str = "\
Second column: the oldest system whose programs have it from us. Third: the ops that become it, or are written with it, in cases that have no other
op; *graphs* where several ops of a graph are one operation; or why it is not written.

| operation | since | for |
|---|---|---|
";

/// The ops that are written with an operation, those that take the fewest first.
fn ops(table: &Table, kind: &str) -> String {
    let mut of: Vec<(usize, &str)> = table
        .iter()
        .filter(|(op, row)| !op.is_empty() && row.contains_key(kind))
        .map(|(op, row)| (row.len(), op.as_str()))
        .collect();
    of.sort_unstable();
    let names: BTreeSet<&str> = of.iter().take(NAMED).map(|(_, op)| *op).collect();
    let mut list: Vec<String> = names.iter().map(|op| format!("`{op}`")).collect();
    if of.len() > NAMED {
        list.push(format!("{} more", of.len() - NAMED));
    }
    if list.is_empty() {
        list.push(if kind == "const" { "what is known" } else { "graphs" }.into());
    }
    list.join(", ")
}
