//! Lowering: a group of nodes, be it one op or a fused body, becomes launches of kernels.
//!
//! Most ops say what one element of their result is ([`Reader::element`]), in terms of elements of their operands. So a group is
//! lowered by asking for the elements of its outputs: producers are written where they are read, and what movement does is
//! arithmetic on indices. Ops whose elements are not made one by one (sorts, scatters, running sums) are kernels of their own
//! (in `whole`), whose operands may still be computed where they are read.

mod elementwise;
mod movement;
mod reader;

pub use reader::Reader;

use crate::build::Writer;
use crate::kernel::{BufferId, Kernel, Place};
use rlx_ir::{DType, Dim, Graph, NodeId, Op};

/// Why a group has no kernel.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LowerError {
    /// The op is not lowered: it is control flow, it is written in simpler ops before, or it is a library's.
    #[error("`{op}` is not lowered to a kernel: {why}")]
    NotLowered {
        /// The op.
        op: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// The op has a kernel, but not on these operands.
    #[error("`{op}` is not lowered to a kernel on {operands}: {why}")]
    Operands {
        /// The op.
        op: &'static str,
        /// Shapes of its operands.
        operands: String,
        /// Why not.
        why: &'static str,
    },
}

/// What a launch passes for a parameter of its kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// An input of the group.
    Input(usize),
    /// An output of the group.
    Output(usize),
    /// Memory that lives from the first launch to the last.
    Temporary(usize),
}

/// One launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// What runs.
    pub kernel: Kernel,
    /// What it is passed, one per parameter.
    pub arguments: Vec<Argument>,
}

/// Memory between launches.
#[derive(Clone, PartialEq, Debug)]
pub struct Temporary {
    /// The type of its elements.
    pub dtype: DType,
    /// Its sizes.
    pub extents: Vec<Dim>,
}

/// A lowered group.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Launches {
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// Memory that they share.
    pub temporaries: Vec<Temporary>,
}

/// Lowers a group: a graph of inputs and of nodes without control flow.
pub fn lower(group: &Graph) -> Result<Launches, LowerError> {
    let mut w = Writer::new(group.name());
    let mut arguments = Vec::new();
    let mut buffers: Vec<Option<BufferId>> = vec![None; group.nodes().len()];
    for (i, node) in group.inputs().enumerate() {
        let shape = node.shape();
        let buffer = w.param(&format!("x{i}"), shape.dtype(), shape.dims(), Place::In);
        buffers[node.id().index()] = Some(buffer);
        arguments.push(Argument::Input(i));
    }
    let outputs: Vec<(NodeId, BufferId)> = (group.outputs().iter().enumerate())
        .map(|(i, &id)| {
            let shape = group.shape(id);
            arguments.push(Argument::Output(i));
            (id, w.param(&format!("y{i}"), shape.dtype(), shape.dims(), Place::Out))
        })
        .collect();
    let mut reader = Reader::new(group, buffers);
    // Outputs over one index space are computed together.
    let mut left = outputs;
    while let Some(&(first, _)) = left.first() {
        let dims = group.shape(first).dims().to_vec();
        let (together, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(id, _)| group.shape(*id).dims() == dims);
        left = others;
        w.par(&dims, |w, at| {
            for &(id, buffer) in &together {
                let scalar = reader.element(w, id, at)?;
                w.store(buffer, at, scalar);
            }
            Ok::<(), LowerError>(())
        })?;
    }
    let launches =
        Launches { launches: vec![Launch { kernel: w.finish(), arguments }], temporaries: Vec::new() };
    debug_assert_eq!(crate::verify::verify_launches(&launches), Ok(()), "{launches}");
    Ok(launches)
}

/// Whether a group can be lowered.
pub fn lowers(group: &Graph) -> bool {
    lower(group).is_ok()
}

/// The op as a group, with an input per operand.
pub fn single(op: &Op, operands: &[rlx_ir::Shape], results: &[rlx_ir::Shape]) -> Graph {
    let mut group = Graph::new(op.mnemonic());
    let inputs = operands
        .iter()
        .enumerate()
        .map(|(i, shape)| group.push(Op::Input { name: format!("x{i}") }, Vec::new(), vec![shape.clone()]));
    let inputs: Vec<NodeId> = inputs.collect();
    let node = group.push(op.clone(), inputs, results.to_vec());
    let outputs = match results.len() {
        1 => vec![node],
        _ => results
            .iter()
            .enumerate()
            .map(|(index, shape)| group.push(Op::Output { index }, vec![node], vec![shape.clone()]))
            .collect(),
    };
    group.set_outputs(outputs);
    group
}
