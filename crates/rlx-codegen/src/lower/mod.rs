//! Lowering: turns a group of nodes (one op, or a fused body) into launches of kernels.
//!
//! Most ops describe how one element of their result is computed ([`Reader::element`]) from elements of their operands.
//! A group is therefore lowered by asking for the elements of its outputs: producers are written where they are read,
//! and movement is arithmetic on indices. Ops that do not compute their elements separately (sorts, scatters, running
//! sums) are whole ops. They have their own launches (in `whole`), but their operands may still be computed where they
//! are read. `stored` decides which other values are stored between launches, and why. `frame` assembles the launches.
//!
//! Two kinds of groups need less memory than that: outputs that consist of rows and of reductions of those (`rows`, and
//! `online` for two reductions in one pass), and products with normalized exponentials (`attention`).

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

/// Why a group cannot be lowered to kernels.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LowerError {
    /// The op is not lowered, because it is control flow, is expanded to simpler ops first, or is computed by a library.
    #[error("`{op}` is not lowered to a kernel: {why}")]
    NotLowered {
        /// The op.
        op: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// The op can be lowered, but not for these operands.
    #[error("`{op}` is not lowered to a kernel on {operands}: {why}")]
    Operands {
        /// The op.
        op: &'static str,
        /// Shapes of its operands.
        operands: String,
        /// The reason.
        why: &'static str,
    },
    /// An index is too large to be written.
    #[error("an index of the kernel has no expression: {0}")]
    Index(#[source] DimError),
    /// The schedule for the machine does not apply.
    #[error(transparent)]
    Schedule(Box<ScheduleError>),
}

impl LowerError {
    /// The node has no rule, or a number of operands that does not fit its op.
    fn unruled(node: &Node) -> LowerError {
        LowerError::NotLowered { op: node.op().mnemonic(), why: "there is no rule for its elements" }
    }

    /// The op can be lowered, but not for operands of these shapes.
    fn operands(op: &Op, operands: &[Shape], why: &'static str) -> LowerError {
        let operands: Vec<String> = operands.iter().map(Shape::to_string).collect();
        LowerError::Operands { op: op.mnemonic(), operands: operands.join(", "), why }
    }
}

/// The scalar that holds an element.
type Lowered = Result<ScalarId, LowerError>;

/// An argument of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// An input of the group.
    Input(usize),
    /// An output of the group.
    Output(usize),
    /// Memory that is used from the first launch to the last.
    Temporary(usize),
    /// A constant of the group.
    Constant(usize),
}

/// One launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// The kernel to run.
    pub kernel: Kernel,
    /// The arguments, one per parameter.
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
    /// Values that the launches read and that are not inputs.
    pub constants: Vec<Literal>,
}

/// Lowers a group, which is a graph of inputs and of nodes without control flow.
pub fn lower(group: &Graph) -> Result<Launches, LowerError> {
    lowered(group, None)
}

/// Lowers a group for a machine with groups of lanes and without a library. Matrix products are tiled.
pub fn lower_for(group: &Graph, machine: &Gpu) -> Result<Launches, LowerError> {
    lowered(group, Some(machine))
}

fn lowered(group: &Graph, machine: Option<&Gpu>) -> Result<Launches, LowerError> {
    let group = expanded(group)?;
    let launches = launches(&group, machine)?;
    debug_assert_eq!(crate::verify::verify_launches(&launches), Ok(()), "{launches}");
    Ok(launches)
}

/// Lowers a group without composites.
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

/// Replaces every composite without a rule by its decomposition.
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
    // Decompositions may contain composites again.
    while let Some(simpler) = rewrite(&graph, decomposed)? {
        graph = Cow::Owned(simpler);
    }
    Ok(graph)
}

/// Returns whether a group can be lowered.
pub fn lowers(group: &Graph) -> bool {
    lower(group).is_ok()
}

/// Returns the op as a group with an input per operand.
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
