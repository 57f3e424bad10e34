//! Which inputs a program keeps between runs: the ones that it is told to donate, each with the output that takes its place.

use crate::options::CompileOptions;
use rlx_ir::{Graph, Op};

/// An input whose memory belongs to the program, and the output that is written over it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// Index among the inputs.
    pub input: usize,
    /// Index among the outputs.
    pub output: usize,
}

/// The output that an input of this name takes its next value from: `out{i}` of output i.
pub fn feeding_output(name: &str) -> Option<usize> {
    name.strip_prefix("out")?.parse().ok()
}

/// The inputs of a static graph that are named `out{i}` and have the shape of output i, if they are donated.
pub(crate) fn kept_inputs(graph: &Graph, options: &CompileOptions) -> Vec<Kept> {
    if !options.donate_handles {
        return Vec::new();
    }
    let outputs = graph.output_shapes();
    let kept = |(input, node): (usize, &rlx_ir::Node)| {
        let Op::Input { name } = node.op() else { return None };
        let output = feeding_output(name)?;
        (outputs.get(output) == Some(node.shape())).then_some(Kept { input, output })
    };
    graph.inputs().enumerate().filter_map(kept).collect()
}
