//! An elementwise graph over scalars, made one over vectors of scalars that are independent of each other.

use rlx_ir::NodeId;
use rlx_ir::rewrite::remove_dead;
use rlx_ir::{Dim, FusionKind, Graph, Op, Shape, SubGraph};

/// Groups with more nodes than this run node by node.
const MAX_FUSED: usize = 48;

/// The graph on `lanes` elements of each input; `None` if it has other ops than elementwise ones.
pub(super) fn lifted(graph: &Graph, lanes: usize) -> Option<Graph> {
    let wide = widened(graph, lanes)?;
    if wide.nodes().len() > MAX_FUSED {
        return Some(wide);
    }
    let mut fused = Graph::new(graph.name());
    let inputs: Vec<NodeId> =
        wide.inputs().enumerate().map(|(i, n)| fused.input(format!("x{i}"), n.shape().clone())).collect();
    let mut outputs = Vec::with_capacity(wide.outputs().len());
    for &output in wide.outputs() {
        if let Some(input) = wide.inputs().position(|n| n.id() == output) {
            outputs.push(inputs[input]);
            continue;
        }
        let mut body = wide.clone();
        body.set_outputs(vec![output]);
        let op = Op::Fusion { kind: FusionKind::Elementwise, body: SubGraph::new(remove_dead(&body)) };
        outputs.push(fused.try_add(op, inputs.clone()).ok()?);
    }
    fused.set_outputs(outputs);
    Some(fused)
}

/// The same ops on vectors, constants repeated.
fn widened(graph: &Graph, lanes: usize) -> Option<Graph> {
    let dims = vec![Dim::Static(lanes)];
    let mut wide = Graph::new(graph.name());
    let mut map: Vec<NodeId> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let inputs: Vec<NodeId> = node.inputs().iter().map(|i| map[i.index()]).collect();
        let id = match node.op() {
            Op::Input { .. } if node.shape().is_scalar() => {
                wide.input(format!("x{}", map.len()), Shape::new(&[lanes], node.shape().dtype()))
            }
            Op::Constant { value } if value.shape().is_scalar() => {
                let one = wide.constant(value.clone());
                let repeat = Op::BroadcastInDim { dims: dims.clone(), axes: Vec::new() };
                wide.try_add(repeat, vec![one]).ok()?
            }
            op if crate::kernels::is_elementwise(op) => wide.try_add(op.clone(), inputs).ok()?,
            _ => return None,
        };
        map.push(id);
    }
    wide.set_outputs(graph.outputs().iter().map(|o| map[o.index()]).collect());
    Some(wide)
}
