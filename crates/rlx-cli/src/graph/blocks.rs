//! Finds the blocks of a model from the labels of its nodes, and counts what each one contains.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use rlx_ir::{Graph, Node, NodeId};

use super::shortened;
use crate::units;

/// Maximum number of rows in the table.
const ROWS: usize = 16;

/// The block of a node: its label up to the first number (`encoder.layer.0`), or the first part if there is no number
/// (`embeddings`). For a parameter without a label, its name is used.
pub fn of(node: &Node) -> &str {
    let path = match (node.label(), node.name()) {
        ("", Some(name)) => name.rsplit_once('.').map_or("", |(path, _)| path),
        (label, _) => label,
    };
    let mut end = 0;
    for part in path.split('.') {
        end += part.len() + usize::from(end > 0);
        if is_number(part) {
            return path.get(..end).unwrap_or(path);
        }
    }
    path.split('.').next().unwrap_or_default()
}

fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())
}

/// Blocks with the same counts, and the same name except for the number.
#[derive(Debug, PartialEq)]
struct Row<'g> {
    first: &'g str,
    last: &'g str,
    times: usize,
    ops: usize,
    parameters: usize,
    bytes: usize,
}

impl<'g> Row<'g> {
    /// What similar blocks have in common; `None` for a block without a number.
    fn kind(&self) -> Option<(&'g str, usize, usize, usize)> {
        let (stem, _) = self.first.rsplit_once('.').filter(|(_, number)| is_number(number))?;
        Some((stem, self.ops, self.parameters, self.bytes))
    }

    fn name(&self) -> String {
        match self.last.rsplit_once('.') {
            Some((_, number)) if self.times > 1 => {
                format!("{} … {}", shortened(self.first), shortened(number))
            }
            _ if self.first.is_empty() => "(no block)".into(),
            _ => shortened(self.first),
        }
    }
}

/// The rows of the table, in the order of the graph.
fn rows(graph: &Graph) -> Vec<Row<'_>> {
    let inputs: HashSet<NodeId> = graph.inputs().map(Node::id).collect();
    let (mut rows, mut places) = (Vec::<Row<'_>>::new(), HashMap::new());
    for node in graph.nodes().iter().filter(|n| !inputs.contains(&n.id())) {
        let name = of(node);
        let at = *places.entry(name).or_insert(rows.len());
        if at == rows.len() {
            rows.push(Row { first: name, last: name, times: 1, ops: 0, parameters: 0, bytes: 0 });
        }
        let row = &mut rows[at];
        if node.name().is_some() {
            row.parameters = row.parameters.saturating_add(node.shape().num_elements().unwrap_or(0));
            row.bytes = row.bytes.saturating_add(node.shape().num_bytes().unwrap_or(0));
        } else {
            row.ops += 1;
        }
    }
    merged(rows)
}

/// Merges similar blocks into one row.
fn merged(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let (mut merged, mut places) = (Vec::<Row<'_>>::new(), HashMap::new());
    for row in rows {
        let known = row.kind().map(|kind| *places.entry(kind).or_insert(merged.len()));
        match known.and_then(|at| merged.get_mut(at)) {
            Some(alike) => {
                alike.times += 1;
                alike.last = row.last;
            }
            None => merged.push(row),
        }
    }
    merged
}

/// The table; empty for a graph without labels.
pub fn table(graph: &Graph) -> String {
    let rows = rows(graph);
    if rows.iter().all(|row| row.first.is_empty()) {
        return String::new();
    }
    let width = rows.iter().take(ROWS).map(|row| row.name().chars().count()).max().unwrap_or(0).max(5);
    let mut text = format!(
        "\n  {:<width$}  {:>4}  {:>5}  {:>10}  {:>11}\n",
        "block", "×", "ops", "parameters", "memory"
    );
    for row in rows.iter().take(ROWS) {
        let Row { times, ops, parameters, bytes, .. } = row;
        let (parameters, bytes) = (units::count(*parameters), units::bytes(*bytes));
        let each = if *times > 1 { " each" } else { "" };
        let _ = writeln!(
            text,
            "  {:<width$}  {times:>4}  {ops:>5}  {parameters:>10}  {bytes:>11}{each}",
            row.name()
        );
    }
    if rows.len() > ROWS {
        let _ = writeln!(text, "  … {} more blocks", rows.len() - ROWS);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_named_by_labels_and_alike_ones_counted() {
        let mut text = String::from("graph \"g\" {\n  %0 = input {name = \"x\"} : f32[4]\n");
        let mut last = 0;
        for layer in 0..3 {
            text.push_str(&format!(
                "  %{} = param {{name = \"h.{layer}.w\"}} : f32[4]\n  %{} = add %{last}, %{} : f32[4] @ \"h.{layer}.mlp\"\n",
                last + 1, last + 2, last + 1
            ));
            last += 2;
        }
        text.push_str(&format!(
            "  %{} = neg %{last} : f32[4] @ \"head.out\"\n  %{} = exp %{} : f32[4]\n",
            last + 1,
            last + 2,
            last + 1
        ));
        text.push_str(&format!("  return %{}\n}}\n", last + 2));
        let graph = Graph::parse(&text).unwrap();
        let found: Vec<_> =
            rows(&graph).iter().map(|r| (r.name(), r.times, r.ops, r.parameters, r.bytes)).collect();
        let expected = [("h.0 … 2", 3, 1, 4, 16), ("head", 1, 1, 0, 0), ("(no block)", 1, 1, 0, 0)];
        assert_eq!(found, expected.map(|(name, a, b, c, d)| (name.to_string(), a, b, c, d)));
        assert!(
            table(&graph).contains("h.0 … 2        3      1           4     16 bytes each\n"),
            "{}",
            table(&graph)
        );
    }

    #[test]
    fn a_graph_without_labels_has_no_table() {
        let graph = Graph::parse(
            "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[4]\n  %1 = neg %0 : f32[4]\n  return %1\n}",
        )
        .unwrap();
        assert!(table(&graph).is_empty());
    }
}
