//! StableHLO as a target: writes a graph, reads it back, and compares the two.

use crate::target::{Target, TargetError};
use rlx_ir::rewrite::{remove_dead, rewrite};
use rlx_ir::{Graph, Literal, Op, SubGraph};
use rlx_stablehlo::{ExportOptions, export, exported_form, import, restored};
use std::convert::Infallible;

/// Evaluates what the importer reads of the exporter's text. The graph that comes back must be the one that was written
/// ([`exported_form`], with functions [`restored`]), except for the names of sub-graphs and of their inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reimported;

impl Target for Reimported {
    fn name(&self) -> &str {
        "stablehlo"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: String| TargetError::Failed(e);
        let form = exported_form(graph).map_err(|e| failed(e.to_string()))?;
        let text = export(graph, &ExportOptions::default()).map_err(|e| failed(e.to_string()))?;
        let imported = import(&text).map_err(|e| failed(e.to_string()))?.graph;
        let (got, want) = (nameless(&imported), nameless(&restored(form)));
        if got != want {
            return Err(failed(difference(&got.to_string(), &want.to_string())));
        }
        rlx_ir::eval(&imported, inputs).map_err(|e| failed(e.to_string()))
    }
}

/// Returns the first line in which two texts differ.
fn difference(got: &str, want: &str) -> String {
    let differing = got.lines().zip(want.lines()).find(|(g, w)| g != w);
    match differing {
        Some((got, want)) => format!("read back `{}`, written `{}`", got.trim(), want.trim()),
        None => format!("read back {} lines, written {}", got.lines().count(), want.lines().count()),
    }
}

/// Returns the graph with the names of its sub-graphs and of their inputs replaced, because they do not change the meaning of a program.
fn nameless(graph: &Graph) -> Graph {
    let renamed = rewrite::<Infallible>(graph, |rw, node, inputs| {
        let mut op = node.op().clone();
        let mut bodies = 0;
        op.for_each_graph_mut(&mut |body| {
            *body = SubGraph::new(anonymous(&nameless(body)));
            bodies += 1;
        });
        if bodies == 0 {
            return Ok(None);
        }
        let id = rw.graph().push(op, inputs.to_vec(), node.results().to_vec());
        Ok(Some(rw.graph().project(id)))
    });
    match renamed {
        Ok(renamed) => remove_dead(renamed.as_ref().unwrap_or(graph)),
        Err(never) => match never {},
    }
}

/// Returns the graph without a name and with its inputs numbered.
fn anonymous(graph: &Graph) -> Graph {
    let mut new = Graph::new("");
    let mut count = 0;
    for node in graph.nodes() {
        match node.op() {
            Op::Input { .. } => {
                new.set_label(node.label_arc().clone());
                new.input(format!("x{count}"), node.shape().clone());
                count += 1;
            }
            _ => {
                new.push_copy(node, node.inputs().into());
            }
        }
    }
    new.set_outputs(graph.outputs().to_vec());
    new
}
