//! Rewrites the graphs inside ops, with any pass.

use rlx_ir::rewrite::rewrite;
use rlx_ir::{Graph, Op, SubGraph};

/// Returns the op with `pass` applied to each of its graphs, or `None` if it has none.
pub(crate) fn with_bodies<E>(
    op: &Op,
    pass: impl FnMut(&SubGraph) -> Result<Graph, E>,
) -> Result<Option<Op>, E> {
    let mut bodies = Vec::new();
    op.for_each_graph(&mut |body| bodies.push(body));
    if bodies.is_empty() {
        return Ok(None);
    }
    let made: Result<Vec<Graph>, E> = bodies.into_iter().map(pass).collect();
    let mut made = made?.into_iter();
    let mut op = op.clone();
    op.for_each_graph_mut(&mut |body| {
        if let Some(graph) = made.next() {
            *body = SubGraph::new(graph);
        }
    });
    Ok(Some(op))
}

/// Returns the graph with `pass` applied to each graph inside a node, or `None` if there are none. Fused groups are not changed.
pub(crate) fn map_bodies<E>(
    graph: &Graph,
    mut pass: impl FnMut(&Op, &Graph) -> Result<Graph, E>,
) -> Result<Option<Graph>, E> {
    rewrite(graph, |rw, node, inputs| {
        if matches!(node.op(), Op::Fusion { .. }) {
            return Ok(None);
        }
        let Some(op) = with_bodies(node.op(), |body| pass(node.op(), body))? else { return Ok(None) };
        let id = rw.graph().push(op, inputs.to_vec(), node.results().to_vec());
        Ok(Some(rw.graph().project(id)))
    })
}
