//! The CPU kernels, with one family of ops per file. This module only delegates: it determines which family prepares a node, and what is
//! claimed.

mod attention;
mod bodies;
mod composite;
mod contraction;
mod control;
mod convolution;
mod cumulative;
mod custom;
mod elementwise;
mod fourier;
mod indexing;
mod leaf;
mod limits;
mod linalg;
mod lowered;
mod movement;
mod nested;
mod norm;
mod packed;
mod packed_groups;
mod quantized;
mod random;
mod reduce;
mod runs;
mod sample;
mod softmax;
mod sorting;
mod space;
mod window;

use crate::exec::{Host, OpKernel};
use crate::isa::Cpu;
pub(crate) use limits::num_bytes;
use limits::{lines, lines_of, sizes};
use rlx_compile::{BackendError, Budget};
use rlx_ir::{FusionKind, Graph, Node, NodeId, Op, OpClass, OpFamily, OpKind, Shape};

type Prepared = Result<Option<Box<dyn OpKernel>>, BackendError>;

/// What a family uses to prepare a kernel.
pub(crate) struct PrepareContext<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) node: &'g Node,
    pub(crate) cpu: Cpu,
    pub(crate) threads: usize,
    /// The memory that the program may use. It is checked before a table is made whose size depends on sizes in the graph.
    pub(crate) budget: &'g Budget,
    /// Inputs that keep their values between runs, in order.
    pub(crate) fixed: &'g [NodeId],
}

impl PrepareContext<'_> {
    /// Returns the shape of operand `i`.
    pub(crate) fn operand(&self, i: usize) -> &Shape {
        self.graph.shape(self.node.inputs()[i])
    }

    /// Returns whether a node has the same value in each run.
    pub(crate) fn is_fixed(&self, id: NodeId) -> bool {
        matches!(self.graph.node(id).op(), Op::Param { .. } | Op::Constant { .. })
            || self.fixed.binary_search(&id).is_ok()
    }

    /// Returns the sizes of operand `i`.
    pub(crate) fn dims(&self, i: usize) -> Vec<usize> {
        sizes(self.operand(i))
    }

    /// Returns the sizes of the first result.
    pub(crate) fn out_dims(&self) -> Vec<usize> {
        sizes(self.node.shape())
    }
}

impl<'g> PrepareContext<'g> {
    /// Returns what a graph inside the node is prepared for.
    pub(crate) fn host(&self) -> Host<'g> {
        Host { cpu: self.cpu, threads: self.threads, budget: self.budget }
    }

    /// Returns the op and the shapes of its operands, for errors.
    pub(crate) fn described(&self) -> String {
        let operands: Vec<String> =
            self.node.inputs().iter().map(|&i| self.graph.shape(i).to_string()).collect();
        let label = self.node.at_label();
        format!("`{}` of ({}){label}", self.node.op().mnemonic(), operands.join(", "))
    }
}

/// Returns the error for a node that is claimed but that no kernel supports.
pub(crate) fn missing<T>(cx: &PrepareContext<'_>) -> Result<T, BackendError> {
    Err(BackendError::Unsupported(format!(
        "{} has no CPU kernel although the backend claims it; this is a bug, please report the graph",
        cx.described()
    )))
}

/// Checks the shapes of a node that needs no kernel.
pub(crate) fn check(graph: &Graph, node: &Node, host: Host<'_>) -> Result<(), BackendError> {
    let Host { cpu, threads, budget } = host;
    limits::check_shapes(&PrepareContext { graph, node, cpu, threads, budget, fixed: &[] })
}

/// Prepares the kernel of a node; returns `None` for nodes that need no work.
pub(crate) fn prepare(graph: &Graph, node: &Node, host: Host<'_>, fixed: &[NodeId]) -> Prepared {
    let Host { cpu, threads, budget } = host;
    let cx = PrepareContext { graph, node, cpu, threads, budget, fixed };
    limits::check_shapes(&cx)?;
    // The time that a kernel takes may depend on all of its sizes. If one is 0, others may be large.
    if limits::has_work(node.op().kind()) && node.results().iter().all(|shape| num_bytes(shape) == 0) {
        return Ok(Some(Box::new(leaf::Nothing)));
    }
    let kernel = kernel_of(&cx)?;
    kernel.as_deref().map_or(Ok(()), |kernel| limits::check_needs(&cx, kernel))?;
    Ok(kernel)
}

fn kernel_of(cx: &PrepareContext<'_>) -> Prepared {
    let prepare = match (Way::of(cx.node.op().kind()), cx.node.op()) {
        (Some(Way::Nothing), _) => return Ok(None),
        (Some(Way::Kernel(prepare) | Way::Claiming(prepare, _)), _) => prepare,
        (Some(Way::Fused), Op::Fusion { kind, .. }) => fused(*kind),
        (Some(Way::Fused | Way::Walked) | None, _) => return missing(cx),
    };
    prepare(cx).map(Some)
}

/// The function with which a family prepares a node.
type Prepare = fn(&PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError>;

/// How an op is handled.
#[derive(Clone, Copy)]
enum Way {
    /// Nothing to do: its results exist already, or are its operand.
    Nothing,
    /// A kernel, on every type and shape that the op accepts.
    Kernel(Prepare),
    /// A kernel on the types and shapes that it claims.
    Claiming(Prepare, fn(&Op, &[Shape]) -> bool),
    /// The passes that create it say what it is.
    Fused,
    /// Actions of the program: `rlx_exec::walk` takes branches and runs loops.
    Walked,
}

impl Way {
    /// Returns how an op is handled, from the file of its family; `None` for composites that run as their decompositions.
    const fn of(kind: OpKind) -> Option<Way> {
        if !limits::has_work(kind) {
            return Some(Way::Nothing);
        }
        match kind.family() {
            OpFamily::Leaf => leaf::way(kind),
            OpFamily::Elementwise | OpFamily::Types => elementwise::way(kind),
            OpFamily::Shaping | OpFamily::Collective => movement::way(kind),
            OpFamily::Indexing => indexing::way(kind),
            OpFamily::Sorting => sorting::way(kind),
            OpFamily::Contraction => contraction::way(kind),
            OpFamily::Reduction => reduce::way(kind),
            OpFamily::Window => window::way(kind),
            OpFamily::Linalg => linalg::way(kind),
            OpFamily::Quantized => quantized::way(kind),
            OpFamily::Fourier => fourier::way(kind),
            OpFamily::Random => random::way(kind),
            OpFamily::Control => control::way(kind),
            OpFamily::Composite => composite::way(kind),
        }
    }
}

/// Fails to compile if no family claims a primitive or a leaf; the message is the op's name.
const _: () = {
    let mut i = 0;
    while i < OpKind::ALL.len() {
        let kind = OpKind::ALL[i];
        let is_composite = matches!(kind.class(), OpClass::Composite);
        assert!(is_composite || Way::of(kind).is_some(), "{}", kind.name());
        i += 1;
    }
};

/// Returns whether a kernel runs the whole op.
pub(crate) fn claims(op: &Op, operands: &[Shape]) -> bool {
    match Way::of(op.kind()) {
        Some(Way::Nothing | Way::Kernel(_) | Way::Walked) => true,
        Some(Way::Claiming(_, claims)) => claims(op, operands),
        // Passes create these, and ask about their kinds.
        Some(Way::Fused) | None => false,
    }
}

/// Returns whether elementwise programs run the op, which they do on every element type that it accepts.
pub(crate) fn is_elementwise(op: &Op) -> bool {
    elementwise::claims(op.kind())
}

/// Returns the family that runs fused nodes of a kind.
fn fused(kind: FusionKind) -> Prepare {
    match kind {
        FusionKind::Contraction => contraction::prepare_fused,
        FusionKind::Reduction => reduce::prepare,
        FusionKind::Elementwise => elementwise::prepare,
        FusionKind::Norm => norm::prepare_fused,
    }
}

/// Returns whether one kernel runs the body of a fused node.
pub(crate) fn accepts(kind: FusionKind, body: &Graph) -> bool {
    match kind {
        FusionKind::Contraction => contraction::accepts(body),
        FusionKind::Norm => norm::accepts(body),
        FusionKind::Reduction => reduce::accepts(body),
        FusionKind::Elementwise => elementwise::accepts(body),
    }
}
