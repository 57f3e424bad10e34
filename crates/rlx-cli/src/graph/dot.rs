//! Writes a graph in the DOT language of Graphviz (<https://graphviz.org/doc/info/lang.html>).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rlx_escape::graphviz_string as quoted;
use rlx_ir::{Graph, Node, Op};

use super::{blocks, name};
use crate::arrays;

/// Constants with at most this many elements are shown with their values.
const SMALL: usize = 8;
/// Maximum characters of an op's attributes.
const ATTRIBUTES: usize = 60;

/// One box per node, one arrow per operand, one cluster per block of the model. Boxes show the attributes of ops and
/// the values of small constants.
pub fn dot(graph: &Graph) -> String {
    let mut text =
        format!("digraph {} {{\n  node [shape=box, fontname=\"monospace\"];\n", quoted(graph.name()));
    let mut clusters: BTreeMap<&str, Vec<&Node>> = BTreeMap::new();
    for node in graph.nodes() {
        clusters.entry(blocks::of(node)).or_default().push(node);
    }
    for (block, nodes) in &clusters {
        let indent = if block.is_empty() { "  " } else { "    " };
        if !block.is_empty() {
            let (id, label) = (quoted(&format!("cluster_{block}")), quoted(block));
            let _ = writeln!(text, "  subgraph {id} {{\n    label={label};");
        }
        for node in nodes {
            let _ = writeln!(text, "{indent}n{} [label={}];", node.id().index(), quoted(&label(node, block)));
        }
        if !block.is_empty() {
            text.push_str("  }\n");
        }
    }
    for node in graph.nodes() {
        for input in node.inputs() {
            let _ = writeln!(text, "  n{} -> n{};", input.index(), node.id().index());
        }
    }
    for (i, output) in graph.outputs().iter().enumerate() {
        let _ = writeln!(text, "  out{i} [shape=ellipse];\n  n{} -> out{i};", output.index());
    }
    text.push_str("}\n");
    text
}

/// The text in the box of a node: op and name, attributes, shape, and its label within the block.
fn label(node: &Node, block: &str) -> String {
    let attributes = match node.op() {
        Op::Constant { value } if value.len() <= SMALL => arrays::text(value, true).replace('\n', ""),
        Op::Constant { .. } => String::new(),
        _ if node.name().is_some() => String::new(),
        op => shortened(&op.attributes_text()),
    };
    // The name of a tensor includes the label.
    let label = if node.name().is_some() { "" } else { node.label() };
    let within = label.strip_prefix(block).map_or(label, |rest| rest.trim_start_matches('.'));
    let lines = [
        format!("{} {}", node.op().mnemonic(), name(node)),
        attributes,
        node.shape().to_string(),
        within.into(),
    ];
    let lines: Vec<&str> = lines.iter().map(|l| l.trim()).filter(|l| !l.is_empty()).collect();
    lines.join("\n")
}

/// The text on one line of limited length.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(ATTRIBUTES) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_drawn() {
        let graph = Graph::parse(
            "graph \"a\\\"b\" {\n  %0 = input {name = \"x\"} : f32[2]\n  %1 = add %0, %0 : f32[2] @ \"here\"\n  \
             %2 = constant {value = f32[2] [0.5, 3.0]} : f32[2]\n  %3 = reduce %1 {kind = sum, axes = [0]} : f32[] @ \"h.3.mlp.out\"\n  \
             return %1, %3\n}",
        )
        .unwrap();
        let text = dot(&graph);
        assert!(text.starts_with("digraph \"a\\\"b\" {\n"), "{text}");
        for part in [
            "  subgraph \"cluster_here\" {\n    label=\"here\";\n    n1 [label=\"add\\nf32[2]\"];\n  }\n",
            "  subgraph \"cluster_h.3\" {\n    label=\"h.3\";\n    n3 [label=\"reduce\\n{kind = sum, axes = [0]}\\nf32[]\\nmlp.out\"];\n  }\n",
            "  n2 [label=\"constant\\n[0.5 3. ]\\nf32[2]\"];\n",
            "  n0 [label=\"input \\\"x\\\"\\nf32[2]\"];\n",
        ] {
            assert!(text.contains(part), "{text}\nneeds {part}");
        }
        assert_eq!(
            (text.matches("n0 -> n1;").count(), text.matches("n1 -> out0;").count()),
            (2, 1),
            "{text}"
        );
    }

    #[test]
    fn long_attributes_are_cut_between_characters() {
        assert_eq!(shortened("{a = 1,\n   b = 2}"), "{a = 1, b = 2}");
        assert_eq!(shortened(&"é".repeat(100)), "é".repeat(60) + "…");
    }
}
