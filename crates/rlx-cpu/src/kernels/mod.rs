//! The CPU kernels, one family per file. This module only delegates: which family prepares a node, and what is claimed.

mod attention;
mod bodies;
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
mod movement;
mod nested;
mod norm;
mod numbers;
mod quantised;
mod random;
mod reduce;
mod softmax;
mod sorting;
mod stored;
mod window;

use crate::exec::{Host, OpKernel};
use crate::isa::Cpu;
pub(crate) use limits::num_bytes;
use limits::{lines, lines_of, sizes};
use rlx_compile::{BackendError, Budget};
use rlx_ir::{DType, FusionKind, Graph, Node, NodeId, Op, Shape};

type Prepared = Result<Option<Box<dyn OpKernel>>, BackendError>;

/// What a family is given to prepare a kernel.
pub(crate) struct PrepareContext<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) node: &'g Node,
    pub(crate) cpu: Cpu,
    pub(crate) threads: usize,
    /// The memory that the program may take: asked before a table is made that grows with sizes.
    pub(crate) budget: &'g Budget,
    /// Inputs that keep their values between runs, in their order.
    pub(crate) fixed: &'g [NodeId],
}

impl PrepareContext<'_> {
    /// The shape of operand `i`.
    pub(crate) fn operand(&self, i: usize) -> &Shape {
        self.graph.shape(self.node.inputs()[i])
    }

    /// Whether a node has the same value in each run.
    pub(crate) fn is_fixed(&self, id: NodeId) -> bool {
        matches!(self.graph.node(id).op(), Op::Param { .. } | Op::Constant { .. })
            || self.fixed.binary_search(&id).is_ok()
    }

    /// The sizes of operand `i`.
    pub(crate) fn dims(&self, i: usize) -> Vec<usize> {
        sizes(self.operand(i))
    }

    /// The sizes of the first result.
    pub(crate) fn out_dims(&self) -> Vec<usize> {
        sizes(self.node.shape())
    }
}

impl<'g> PrepareContext<'g> {
    /// What a graph inside the node is prepared for.
    pub(crate) fn host(&self) -> Host<'g> {
        Host { cpu: self.cpu, threads: self.threads, budget: self.budget }
    }

    /// The op with the shapes of its operands, as errors name it.
    pub(crate) fn described(&self) -> String {
        let operands: Vec<String> =
            self.node.inputs().iter().map(|&i| self.graph.shape(i).to_string()).collect();
        let label =
            if self.node.label().is_empty() { String::new() } else { format!(" at {}", self.node.label()) };
        format!("`{}` of ({}){label}", self.node.op().mnemonic(), operands.join(", "))
    }
}

/// The error of a node that no kernel takes, though it is claimed.
pub(crate) fn missing<T>(cx: &PrepareContext<'_>) -> Result<T, BackendError> {
    Err(BackendError::Unsupported(format!(
        "{} has no CPU kernel; this is a fault of the backend, which claims it: please report the graph",
        cx.described()
    )))
}

/// The kernel of a node; `None` for nodes that need no work.
pub(crate) fn prepare(graph: &Graph, node: &Node, host: Host<'_>, fixed: &[NodeId]) -> Prepared {
    let Host { cpu, threads, budget } = host;
    let cx = PrepareContext { graph, node, cpu, threads, budget, fixed };
    limits::check_shapes(&cx)?;
    // A kernel may take the time of its sizes, of which one is 0 and others may be large.
    if limits::has_work(node.op()) && node.results().iter().all(|shape| num_bytes(shape) == 0) {
        return Ok(Some(Box::new(leaf::Nothing)));
    }
    let kernel = kernel_of(&cx)?;
    kernel.as_deref().map_or(Ok(()), |kernel| limits::check_needs(&cx, kernel))?;
    Ok(kernel)
}

fn kernel_of(cx: &PrepareContext<'_>) -> Prepared {
    if !limits::has_work(cx.node.op()) {
        return Ok(None);
    }
    match family(cx.node.op()) {
        Some(prepare) => prepare(cx).map(Some),
        None => missing(cx),
    }
}

/// How a family prepares a node.
type Prepare = fn(&PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError>;

/// The family that runs the op. What no family names has no kernel, and is not claimed.
fn family(op: &Op) -> Option<Prepare> {
    Some(match op {
        Op::DotGeneral { .. } => contraction::prepare,
        Op::Convolution { .. } => convolution::prepare,
        Op::RaggedDot { .. } => contraction::prepare_ragged,
        Op::BitcastConvert { .. } => elementwise::bitcast,
        Op::Reduce { .. } => reduce::prepare,
        Op::LayerNorm { .. } | Op::RmsNorm { .. } => norm::prepare,
        Op::Softmax { .. } | Op::LogSoftmax { .. } => softmax::prepare,
        Op::Attention { .. } | Op::AttentionBackward { .. } => attention::prepare,
        Op::DimSize { .. } => leaf::prepare,
        Op::RngBits { .. } | Op::Threefry2x32 {} => random::prepare,
        Op::DequantizeBlocks { .. } => quantised::prepare,
        Op::Custom { .. } => custom::prepare,
        Op::Cumulative { .. } => cumulative::prepare,
        Op::Fft { .. } => fourier::prepare,
        Op::Fusion { kind, .. } => return fused(*kind),
        op if window::claims(op) => window::prepare,
        op if linalg::claims(op) => linalg::prepare,
        op if bodies::claims(op) => bodies::prepare,
        op if control::claims(op) => control::prepare,
        op if indexing::claims(op) => indexing::prepare,
        op if sorting::claims(op) => sorting::prepare,
        op if movement::claims(op) => movement::prepare,
        op if elementwise::claims(op) => elementwise::prepare,
        _ => return None,
    })
}

/// Whether a kernel runs the op whole.
pub(crate) fn claims(op: &Op, operands: &[Shape], _results: &[Shape]) -> bool {
    match op {
        Op::LayerNorm { .. } | Op::RmsNorm { .. } => norm::claims(operands),
        Op::Softmax { .. } | Op::LogSoftmax { .. } => softmax::claims(op, operands),
        Op::Attention { .. } | Op::AttentionBackward { .. } => attention::claims(op, operands),
        // Passes make them, asking for their kinds.
        Op::Fusion { .. } => false,
        op => !limits::has_work(op) || family(op).is_some(),
    }
}

/// The family that runs fused nodes of a kind; none where it has no kernel.
fn fused(kind: FusionKind) -> Option<Prepare> {
    Some(match kind {
        FusionKind::Contraction => contraction::prepare_fused,
        FusionKind::Reduction => reduce::prepare,
        FusionKind::Elementwise => elementwise::prepare,
        FusionKind::Norm => norm::prepare_fused,
    })
}

/// Whether fused nodes of this kind have a kernel.
pub(crate) fn fuses(kind: FusionKind) -> bool {
    fused(kind).is_some()
}

/// Whether one kernel runs the body of a fused node.
pub(crate) fn accepts(kind: FusionKind, body: &Graph) -> bool {
    match kind {
        FusionKind::Contraction => contraction::accepts(body),
        FusionKind::Norm => norm::accepts(body),
        FusionKind::Reduction => reduce::accepts(body),
        FusionKind::Elementwise => elementwise::accepts(body),
    }
}

/// Whether elementwise programs take the op on this element type.
pub(crate) fn elementwise_claims(op: &Op, _: DType) -> bool {
    elementwise::claims(op)
}
