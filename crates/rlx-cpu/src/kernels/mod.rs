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
use rlx_ir::{DType, FusionKind, Graph, Node, NodeId, Op, OpClass, Shape};

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
    match cx.node.op() {
        op if !limits::has_work(op) => Ok(None),
        Op::DotGeneral { .. } => contraction::prepare(cx).map(Some),
        Op::Convolution { .. } => convolution::prepare(cx).map(Some),
        Op::RaggedDot { .. } => contraction::prepare_ragged(cx).map(Some),
        Op::Fusion { kind: FusionKind::Contraction, body } => contraction::prepare_fused(cx, body).map(Some),
        Op::BitcastConvert { .. } => elementwise::bitcast(cx).map(Some),
        Op::Reduce { .. } | Op::Fusion { kind: FusionKind::Reduction, .. } => reduce::prepare(cx).map(Some),
        Op::Fusion { kind: FusionKind::Elementwise, .. } => elementwise::prepare(cx).map(Some),
        Op::LayerNorm { .. } | Op::RmsNorm { .. } => norm::prepare(cx).map(Some),
        Op::Fusion { kind: FusionKind::Norm, body } => norm::prepare_fused(cx, body).map(Some),
        Op::Softmax { .. } | Op::LogSoftmax { .. } => softmax::prepare(cx).map(Some),
        Op::Attention { .. } | Op::AttentionBackward { .. } => attention::prepare(cx).map(Some),
        Op::DimSize { .. } => leaf::prepare(cx).map(Some),
        Op::RngBits { .. } | Op::Threefry2x32 {} => random::prepare(cx).map(Some),
        Op::DequantizeBlocks { .. } => quantised::prepare(cx).map(Some),
        Op::Custom { .. } => custom::prepare(cx).map(Some),
        Op::Cumulative { .. } => cumulative::prepare(cx).map(Some),
        op if window::claims(op) => window::prepare(cx).map(Some),
        Op::Fft { .. } => fourier::prepare(cx).map(Some),
        op if linalg::claims(op) => linalg::prepare(cx).map(Some),
        op if bodies::claims(op) => bodies::prepare(cx).map(Some),
        op if control::claims(op) => control::prepare(cx).map(Some),
        op if indexing::claims(op) => indexing::prepare(cx).map(Some),
        op if sorting::claims(op) => sorting::prepare(cx).map(Some),
        op if movement::claims(op) => movement::prepare(cx).map(Some),
        op if elementwise::claims(op) => elementwise::prepare(cx).map(Some),
        _ => missing(cx).map(Some),
    }
}

/// Whether a kernel runs the op whole.
pub(crate) fn claims(op: &Op, operands: &[Shape], _results: &[Shape]) -> bool {
    match op {
        Op::Activation { .. } => true,
        Op::LayerNorm { .. } | Op::RmsNorm { .. } => norm::claims(operands),
        Op::Softmax { .. } | Op::LogSoftmax { .. } => softmax::claims(op, operands),
        Op::Attention { .. } | Op::AttentionBackward { .. } => attention::claims(op, operands),
        op => op.kind().class() != OpClass::Composite,
    }
}

/// Whether fused nodes of this kind have a kernel.
pub(crate) fn fuses(kind: FusionKind) -> bool {
    matches!(
        kind,
        FusionKind::Contraction | FusionKind::Elementwise | FusionKind::Norm | FusionKind::Reduction
    )
}

/// Whether elementwise programs take the op on this element type.
pub(crate) fn elementwise_claims(op: &Op, _: DType) -> bool {
    elementwise::claims(op)
}
