//! A graph for people: a summary in text, and a picture for Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rlx_ir::{Graph, Node};

/// Inputs, parameters, outputs, and how often each op stands in the graph.
pub fn summary(graph: &Graph) -> String {
    let mut text = format!("graph {:?}\n", graph.name());
    for node in graph.inputs() {
        let _ = writeln!(text, "  input   {} {}", name(node), node.shape());
    }
    let mut numbers = 0usize;
    for node in graph.params() {
        let _ = writeln!(text, "  param   {} {}", name(node), node.shape());
        numbers = numbers.saturating_add(node.shape().num_elements().unwrap_or(0));
    }
    for (i, shape) in graph.output_shapes().iter().enumerate() {
        let _ = writeln!(text, "  output  out{i} {shape}");
    }
    let mut ops: BTreeMap<&str, usize> = BTreeMap::new();
    for node in graph.nodes().iter().filter(|n| n.name().is_none()) {
        *ops.entry(node.op().mnemonic()).or_default() += 1;
    }
    let total: usize = ops.values().sum();
    let mut ops: Vec<_> = ops.into_iter().collect();
    ops.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let ops: Vec<String> = ops.iter().map(|(op, count)| format!("{op} {count}")).collect();
    let _ = writeln!(text, "  {numbers} numbers in parameters");
    let _ = writeln!(text, "  {total} ops: {}", ops.join(", "));
    text
}

fn name(node: &Node) -> String {
    node.name().map_or_else(String::new, |name| format!("{name:?}"))
}

/// The graph in the language of Graphviz: a box per node, an arrow per operand.
pub fn dot(graph: &Graph) -> String {
    let mut text =
        format!("digraph {} {{\n  node [shape=box, fontname=\"monospace\"];\n", quoted(graph.name()));
    for node in graph.nodes() {
        let id = node.id().index();
        let lines = [
            format!("{} {}", node.op().mnemonic(), name(node)),
            node.shape().to_string(),
            node.label().into(),
        ];
        let lines: Vec<&str> = lines.iter().map(|l| l.trim()).filter(|l| !l.is_empty()).collect();
        let _ = writeln!(text, "  n{id} [label={}];", quoted(&lines.join("\n")));
        for input in node.inputs() {
            let _ = writeln!(text, "  n{} -> n{id};", input.index());
        }
    }
    for (i, output) in graph.outputs().iter().enumerate() {
        let _ = writeln!(text, "  out{i} [shape=ellipse];\n  n{} -> out{i};", output.index());
    }
    text.push_str("}\n");
    text
}

/// Text as Graphviz quotes it.
fn quoted(text: &str) -> String {
    format!(
        "\"{}\"",
        text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\0', "\u{fffd}")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        let text = "graph \"a\\\"b\" {\n  %0 = input {name = \"x\"} : f32[2]\n  %1 = add %0, %0 : f32[2] @ \"here\"\n  return %1\n}";
        Graph::parse(text).unwrap()
    }

    #[test]
    fn a_graph_is_summed_up() {
        let text = summary(&graph());
        for line in ["graph \"a\\\"b\"", "  input   \"x\" f32[2]", "  output  out0 f32[2]", "  1 ops: add 1"]
        {
            assert!(text.contains(line), "{text}\nneeds {line}");
        }
    }

    #[test]
    fn a_graph_is_drawn() {
        let text = dot(&graph());
        assert!(text.starts_with("digraph \"a\\\"b\" {\n"), "{text}");
        assert!(text.contains("n1 [label=\"add\\nf32[2]\\nhere\"];"), "{text}");
        assert_eq!(
            (text.matches("n0 -> n1;").count(), text.matches("n1 -> out0;").count()),
            (2, 1),
            "{text}"
        );
    }
}
