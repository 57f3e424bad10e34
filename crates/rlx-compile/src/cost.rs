//! A first estimate of how long a graph runs: operations and bytes of each node against the rates of a machine.

use crate::backend::Cost;
use rlx_ir::{Graph, Op};

/// What a machine does in a second.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// Floating point operations.
    pub flops: f64,
    /// Bytes read or written.
    pub bytes: f64,
}

/// One run of the graph, each node as long as its operations or its bytes take, whichever is longer; unbound dimensions
/// count as 1.
pub fn roofline(graph: &Graph, rates: Rates) -> Cost {
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
        (flops / rates.flops).max(bytes / rates.bytes)
    });
    Cost { seconds: seconds.sum() }
}
