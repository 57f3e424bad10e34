//! Lowering: turns a group of nodes (one op, or a fused body) into launches of kernels.
//!
//! Most ops say what one element of their result is ([`Reader::element`]), in terms of elements of their operands. So a group is
//! lowered by asking for the elements of its outputs: producers are written where they are read, and what movement does is
//! arithmetic on indices. Ops whose elements are not made one by one (sorts, scatters, running sums) are whole ops: they have
//! launches of their own (in `whole`), whose operands may still be computed where they are read. What else lies in memory between
//! launches, and why, stands in `stored`; the launches are put together in `frame`.
//!
//! Two shapes of groups need less memory than that: outputs that are made of rows and of reductions of those (`rows`, with what takes
//! two reductions in one pass in `online`), and products with normalized exponentials (`attention`).

mod attention;
mod bits;
mod contraction;
mod convolution;
mod elementwise;
mod frame;
mod indexing;
mod leaf;
mod movement;
mod online;
mod quantized;
mod random;
mod reader;
mod reduction;
mod rows;
mod rule;
mod stored;
mod tiled;
mod whole;
mod windows;

pub use reader::{Reader, Source};
pub use tiled::{APPLE, CDNA, GPUS, Gpu, SM80, WEBGPU};

use crate::kernel::{Kernel, ScalarId};
use crate::schedule::ScheduleError;
use rlx_ir::rewrite::{Rewrite, rewrite};
use rlx_ir::{DType, Dim, DimError, Graph, Literal, Node, NodeId, Op, OpClass, Shape};
use std::borrow::Cow;

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
    /// An index cannot be written.
    #[error("an index of the kernel has no expression: {0}")]
    Index(#[source] DimError),
    /// The schedule of the machine does not apply.
    #[error(transparent)]
    Schedule(Box<ScheduleError>),
}

impl LowerError {
    /// The node has no rule, or another number of operands than its op.
    fn unruled(node: &Node) -> LowerError {
        LowerError::NotLowered { op: node.op().mnemonic(), why: "there is no rule for its elements" }
    }

    /// The op has a kernel, but not on operands of these shapes.
    fn operands(op: &Op, operands: &[Shape], why: &'static str) -> LowerError {
        let operands: Vec<String> = operands.iter().map(Shape::to_string).collect();
        LowerError::Operands { op: op.mnemonic(), operands: operands.join(", "), why }
    }
}

/// A scalar that stands for an element.
type Lowered = Result<ScalarId, LowerError>;

/// What a launch passes for a parameter of its kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// An input of the group.
    Input(usize),
    /// An output of the group.
    Output(usize),
    /// Memory that lives from the first launch to the last.
    Temporary(usize),
    /// A constant of the group.
    Constant(usize),
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
    /// Values that they read and that are no inputs.
    pub constants: Vec<Literal>,
}

/// Lowers a group: a graph of inputs and of nodes without control flow.
pub fn lower(group: &Graph) -> Result<Launches, LowerError> {
    lowered(group, None)
}

/// Lowers a group for a machine whose lanes work in groups, and that has no library: products of matrices are made of tiles.
pub fn lower_for(group: &Graph, machine: &Gpu) -> Result<Launches, LowerError> {
    lowered(group, Some(machine))
}

fn lowered(group: &Graph, machine: Option<&Gpu>) -> Result<Launches, LowerError> {
    let group = expanded(group)?;
    let launches = launches(&group, machine)?;
    debug_assert_eq!(crate::verify::verify_launches(&launches), Ok(()), "{launches}");
    Ok(launches)
}

/// The launches of a group without composites.
fn launches(group: &Graph, machine: Option<&Gpu>) -> Result<Launches, LowerError> {
    let mut stored = stored::stored(group);
    let attentions = attention::Attention::all(group, &mut stored);
    if machine.is_some() {
        tiled::recompute(group, &mut stored);
    }
    let mut left = stored.clone();
    if let Some(rows) = rows::Rows::of(group, &mut left) {
        let launches = frame::launches(group, &left, (&attentions, Some(&rows)), machine)?;
        if rows.are_once(&launches) {
            return Ok(launches);
        }
    }
    frame::launches(group, &stored, (&attentions, None), machine)
}

/// The graph with every composite that has no rule of its own written as its decomposition.
fn expanded(graph: &Graph) -> Result<Cow<'_, Graph>, LowerError> {
    let mut graph = Cow::Borrowed(graph);
    let decomposed = |rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]| {
        if node.op().kind().class() != OpClass::Composite {
            return Ok(None);
        }
        let shapes: Vec<Shape> = inputs.iter().map(|&id| rw.shape(id).clone()).collect();
        match node.op().decompose(&shapes) {
            Ok(body) => Ok(Some(rw.graph().inline(&body, inputs))),
            Err(_) => Err(LowerError::operands(node.op(), &shapes, "its decomposition fails on them")),
        }
    };
    // Decompositions have composites in turn.
    while let Some(simpler) = rewrite(&graph, decomposed)? {
        graph = Cow::Owned(simpler);
    }
    Ok(graph)
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
