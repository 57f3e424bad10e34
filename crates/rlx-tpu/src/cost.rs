//! What a device of a platform does in a second, roughly, and what a run costs beside the work.

use rlx_compile::Cost;
use rlx_compile::cost::{Rates, roofline};
use rlx_ir::Graph;

/// Bytes a second between host and device.
const TRANSFER: f64 = 1e10;

/// A run by a plugin whose platform has this name: the call, inputs and outputs that go over the bus, and the work. A
/// plugin for the host's own processor is taken to be half as fast as the CPU backend, and so is not preferred to it
/// without being named.
pub(crate) fn estimate(platform: &str, graph: &Graph) -> Cost {
    let (call, rates) = match platform {
        "tpu" => (1e-4, Rates { flops: 5e13, bytes: 8e11 }),
        "cpu" => (1e-4, Rates { flops: 2.5e10, bytes: 5e9 }),
        _ => (1e-4, Rates { flops: 1e13, bytes: 5e11 }),
    };
    let inputs = graph.inputs().map(|n| n.shape().clone());
    let moved: f64 = inputs.chain(graph.output_shapes()).map(|s| s.num_bytes().unwrap_or(8) as f64).sum();
    Cost { seconds: call + moved / TRANSFER + roofline(graph, rates).seconds }
}
