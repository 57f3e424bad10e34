//! The page docs/coreml-ops.md: which operations of ML Programs are written, for which ops, and why others are not.

use super::operations::{OPERATIONS, REASONS};
use rlx_coreml::Opset;
use std::collections::{BTreeMap, BTreeSet};

/// For each op, the operations that it became with their first opsets; graphs with several ops have an empty name.
pub type Table = BTreeMap<String, BTreeMap<String, Opset>>;

/// Maximum number of ops that are listed for an operation.
const NAMED: usize = 8;

/// Returns the system that introduced an opset.
fn system(opset: Opset) -> &'static str {
    match opset {
        Opset::Ios15 => "iOS 15",
        Opset::Ios16 => "iOS 16",
        Opset::Ios17 => "iOS 17",
        Opset::Ios18 => "iOS 18",
    }
}

/// Returns the page.
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

The operations of CoreML that RLX writes, and the ops that become them. `cargo run --release -p rlx-coreml --example round_trip -- --page` makes this
page from every case of the conformance table and from separate graphs. Each is written, read back and compared with the evaluator. `--page --check`
fails if the page is out of date. [coreml.md](coreml.md) describes how packages are written and how else they are tested.

";

const COLUMNS: &str = "\
Second column: the oldest system for which RLX writes the operation. Third column: the ops that become the operation or are written with it, in cases
with only that op; *graphs* if several ops of a graph become the operation; or why RLX does not write it.

| operation | since | for |
|---|---|---|
";

/// Returns the ops that are written with an operation, those with the fewest operations first.
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
        list.push(if kind == "const" { "known values" } else { "graphs" }.into());
    }
    list.join(", ")
}
