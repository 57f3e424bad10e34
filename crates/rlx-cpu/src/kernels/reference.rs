//! Ops without a kernel of their own run by the evaluator, which is their meaning: exact, but slow and allocating.

use super::Site;
use crate::exec::{Cx, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_ir::{Graph, Literal, NodeId, Op, Shape};

struct Reference {
    /// One node on inputs `x0`, `x1`, …
    graph: Graph,
    names: Vec<String>,
    shapes: Vec<Shape>,
}

/// The evaluator on this node.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let mut graph = Graph::new("reference");
    let shapes: Vec<Shape> = site.node.inputs().iter().map(|&i| site.graph.shape(i).clone()).collect();
    let names: Vec<String> = (0..shapes.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<NodeId> = names.iter().zip(&shapes).map(|(n, s)| graph.input(n, s.clone())).collect();
    let node = graph
        .try_add(site.node.op().clone(), inputs)
        .map_err(|e| BackendError::Unsupported(format!("`{}`: {e}", site.node.op().mnemonic())))?;
    let results = graph.node(node).results().to_vec();
    let outputs = match results.len() {
        1 => vec![node],
        _ => {
            let parts = results.into_iter().enumerate();
            parts.map(|(index, shape)| graph.push(Op::Output { index }, vec![node], vec![shape])).collect()
        }
    };
    graph.set_outputs(outputs);
    Ok(Box::new(Reference { graph, names, shapes }))
}

impl OpKernel for Reference {
    fn run(&self, cx: &Cx<'_>) -> Result<(), RunError> {
        let literals: Result<Vec<Literal>, _> = self
            .shapes
            .iter()
            .enumerate()
            .map(|(i, shape)| Literal::from_bytes(shape, cx.input::<u8>(i)))
            .collect();
        let literals = literals.map_err(|e| e.to_string())?;
        let values: Vec<(&str, &Literal)> = self.names.iter().map(String::as_str).zip(&literals).collect();
        let results = rlx_ir::eval(&self.graph, &values).map_err(|e| e.to_string())?;
        for (i, result) in results.iter().enumerate() {
            cx.output::<u8>(i).copy_from_slice(result.bytes());
        }
        Ok(())
    }
}
