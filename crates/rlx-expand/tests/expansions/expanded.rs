//! A target that runs a graph with every op expanded as far as possible.

use rlx_conformance::{Target, TargetError};
use rlx_expand::{expand, expand_graph};
use rlx_ir::rewrite::rewrite;
use rlx_ir::{Builder, Graph, Literal, Op, OpError, Shape, SubGraph, Tensor};

/// The evaluator, after full expansion.
pub struct Expanded;

/// Whether the op on these operands is expanded.
pub fn has_expansion(op: &Op, operands: &[Shape]) -> bool {
    let builder = Builder::new("probe");
    let named = operands.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone()));
    expand(op, &named.collect::<Vec<Tensor>>()).is_some()
}

/// The graph with each op expanded, and the expansions in turn, including those in sub-graphs.
pub fn expand_all(graph: &Graph, depth: usize) -> Result<Graph, OpError> {
    assert!(depth < 40, "an expansion does not end");
    let made = rewrite(graph, |rw, node, inputs| {
        let operands: Vec<Shape> = inputs.iter().map(|&i| rw.graph().shape(i).clone()).collect();
        if let Some(body) = expand_graph(node.op(), &operands) {
            let body = expand_all(&body?, depth + 1)?;
            return Ok::<_, OpError>(Some(rw.graph().inline(&body, inputs)));
        }
        let mut op = node.op().clone();
        let (mut problem, mut some) = (None, false);
        op.for_each_graph_mut(&mut |body| match expand_all(body, depth + 1) {
            Ok(graph) => {
                some = true;
                *body = SubGraph::new(graph);
            }
            Err(e) => problem = Some(e),
        });
        if let Some(e) = problem {
            return Err(e);
        }
        if !some {
            return Ok(None);
        }
        let results = node.results().to_vec();
        let id = rw.graph().push(op, inputs.to_vec(), results.clone());
        if results.len() == 1 {
            return Ok(Some(vec![id]));
        }
        let project = |(index, shape)| rw.graph().push(Op::Output { index }, vec![id], vec![shape]);
        Ok(Some(results.into_iter().enumerate().map(project).collect()))
    })?;
    Ok(made.unwrap_or_else(|| graph.clone()))
}

impl Target for Expanded {
    fn name(&self) -> &str {
        "expanded"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let expanded = expand_all(graph, 0).map_err(|e| TargetError::Failed(e.to_string()))?;
        rlx_ir::eval(&expanded, inputs).map_err(|e| TargetError::Failed(e.to_string()))
    }
}
