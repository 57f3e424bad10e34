//! A first cost model: floating point operations and bytes against rough rates of one core.

use rlx_compile::Cost;
use rlx_ir::{Graph, Op};

/// Operations a second of one core, a plain AVX2 machine.
const FLOPS: f64 = 5e10;
/// Bytes a second of one core.
const BYTES: f64 = 1e10;

/// Seconds that one run of the graph takes on one core; unbound dimensions count as 1.
pub(crate) fn estimate(graph: &Graph) -> Cost {
    let seconds = graph.nodes().iter().map(|node| {
        let operands: f64 =
            node.inputs().iter().map(|&i| graph.shape(i).num_bytes().unwrap_or(8) as f64).sum();
        let bytes = operands + node.shape().num_bytes().unwrap_or(8) as f64;
        let flops = match node.op() {
            Op::DotGeneral { lhs_contract, .. } => {
                let lhs = graph.shape(node.inputs()[0]);
                let depth: f64 =
                    lhs_contract.iter().map(|&a| lhs.dim(a).as_static().unwrap_or(1) as f64).product();
                2.0 * depth * node.shape().num_elements().unwrap_or(1) as f64
            }
            _ => node.shape().num_elements().unwrap_or(1) as f64,
        };
        (flops / FLOPS).max(bytes / BYTES)
    });
    Cost { seconds: seconds.sum() }
}
