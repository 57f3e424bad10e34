//! Shows graphs to users: a summary as text, and a picture for Graphviz.

mod blocks;
mod dot;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rlx_ir::{Graph, Node};

use crate::units;

pub use dot::dot;

/// Maximum number of inputs, parameters and outputs to list, unless all are requested.
const LISTED: usize = 8;
/// Maximum number of op kinds to list.
const KINDS: usize = 12;

/// Inputs, parameters, outputs, the count of each op, and blocks. With `all`, every tensor is listed.
pub fn summary(graph: &Graph, all: bool) -> String {
    let mut text = format!("graph {:?}\n", graph.name());
    let line = |what: &str, node: &Node| format!("  {what:<7} {} {}\n", name(node), node.shape());
    list(&mut text, graph.inputs().map(|node| line("input", node)).collect(), "inputs", all);
    let params: Vec<&Node> = graph.params().collect();
    if all || params.len() <= LISTED {
        text.extend(params.iter().map(|node| line("param", node)));
    }
    let outputs = graph.output_shapes().into_iter().enumerate();
    list(
        &mut text,
        outputs.map(|(i, shape)| format!("  output  out{i} {shape}\n")).collect(),
        "outputs",
        all,
    );
    text + &parameters(&params) + &ops(graph) + &blocks::table(graph)
}

/// The lines, or the first ones if there are many.
fn list(text: &mut String, lines: Vec<String>, what: &str, all: bool) {
    let shown = if all { lines.len() } else { LISTED.min(lines.len()) };
    text.extend(lines.iter().take(shown).map(String::as_str));
    if shown < lines.len() {
        let _ = writeln!(text, "  … {} more {what}; --tensors lists them", lines.len() - shown);
    }
}

/// The totals of the parameters.
fn parameters(params: &[&Node]) -> String {
    let total = |of: fn(&Node) -> Option<usize>| {
        params.iter().filter_map(|param| of(param)).fold(0, usize::saturating_add)
    };
    let (numbers, bytes) = (total(|p| p.shape().num_elements()), total(|p| p.shape().num_bytes()));
    match params.len() {
        0 => "  no parameters\n".into(),
        tensors => {
            let s = if tensors == 1 { "" } else { "s" };
            let (numbers, bytes) = (units::count(numbers), units::bytes(bytes));
            format!("  {numbers} parameters in {tensors} tensor{s}, {bytes}\n")
        }
    }
}

/// The number of occurrences of each op, the most frequent first.
fn ops(graph: &Graph) -> String {
    let mut ops: BTreeMap<&str, usize> = BTreeMap::new();
    for node in graph.nodes().iter().filter(|n| n.name().is_none()) {
        *ops.entry(node.op().mnemonic()).or_default() += 1;
    }
    let total: usize = ops.values().sum();
    let mut ops: Vec<_> = ops.into_iter().collect();
    ops.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut listed: Vec<String> = ops.iter().take(KINDS).map(|(op, count)| format!("{op} {count}")).collect();
    if ops.len() > KINDS {
        listed.push(format!("{} other kinds", ops.len() - KINDS));
    }
    let colon = if total > 0 { ": " } else { "" };
    format!("  {total} ops{colon}{}\n", listed.join(", "))
}

fn name(node: &Node) -> String {
    node.name().map_or_else(String::new, |name| format!("{name:?}"))
}

/// Maximum characters of a label or name in a table.
const NAME: usize = 80;

/// A label or name as a table cell: on one line, shortened if it is too long.
pub fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(NAME).flat_map(char::escape_debug).collect();
    if text.chars().nth(NAME).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_summed_up() {
        let text = "graph \"a\\\"b\" {\n  %0 = input {name = \"x\"} : f32[2]\n  %1 = add %0, %0 : f32[2]\n  return %1\n}";
        let text = summary(&Graph::parse(text).unwrap(), false);
        let expected = "graph \"a\\\"b\"\n  input   \"x\" f32[2]\n  output  out0 f32[2]\n  no parameters\n  1 ops: add 1\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn labels_of_any_length_fit_into_tables() {
        let long = "x".repeat(70_000);
        let text = format!(
            "graph \"g\" {{\n  %0 = input {{name = \"x\"}} : f32[4]\n  %1 = neg %0 : f32[4] @ \"{long}\"\n  \
             %2 = exp %1 : f32[4] @ \"a\\nb.0\"\n  return %2\n}}"
        );
        let shown = summary(&Graph::parse(&text).unwrap(), false);
        assert!(shown.contains(&format!("{}…", "x".repeat(NAME))) && shown.contains("a\\nb.0"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    }

    #[test]
    fn long_lists_are_cut_unless_all_is_asked_for() {
        let mut text = String::from("graph \"g\" {\n");
        (0..20).for_each(|i| text.push_str(&format!("  %{i} = input {{name = \"x{i}\"}} : f32[2]\n")));
        let graph = Graph::parse(&(text + "  return %0\n}")).unwrap();
        let short = summary(&graph, false);
        assert!(short.contains("\"x7\"") && !short.contains("\"x8\""), "{short}");
        assert!(short.contains("… 12 more inputs; --tensors lists them\n"), "{short}");
        let all = summary(&graph, true);
        assert!(all.contains("\"x19\"") && !all.contains("more inputs"), "{all}");
    }
}
