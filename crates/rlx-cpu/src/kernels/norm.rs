//! Kernels of layer and RMS norm of f32 over trailing axes, alone or together with the sum that they normalize.

use super::{PrepareContext, missing};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::norm::{RowKind, Rows};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{BinaryOp, DType, Graph, Node, NodeId, Op, Shape};

/// Approximate picoseconds per element.
const PICOSECONDS: u64 = 300;

/// Rows of a tensor that are normalized along its trailing axes. Operands are indices into the node's operands.
pub(super) struct Norm {
    kind: RowKind,
    rows: usize,
    len: usize,
    x: usize,
    residual: Option<usize>,
    gamma: Option<usize>,
    beta: Option<usize>,
    picoseconds: u64,
}

/// Returns whether there is a kernel for normalizations of these operands.
pub(crate) fn claims(_: &Op, operands: &[Shape]) -> bool {
    operands.iter().all(|s| s.dtype() == DType::F32)
}

/// Prepares a normalization without a sum.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let inputs = cx.node.inputs();
    let operand = |i: usize| (i < inputs.len()).then_some(i);
    match parts(cx.node.op()) {
        Some((kind, axis)) if inputs.iter().all(|&i| cx.graph.shape(i).dtype() == DType::F32) => {
            let norm = Norm::new(kind, axis, &cx.dims(0), 0, None);
            Ok(Box::new(Norm { gamma: operand(1), beta: operand(2), ..norm }))
        }
        _ => missing(cx),
    }
}

/// Returns whether the body of a fused node is the normalization of a sum for which there is a kernel.
pub(crate) fn accepts(body: &Graph) -> bool {
    of_sum(body).is_some()
}

/// Prepares the normalization of a sum.
pub(crate) fn prepare_fused(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let Op::Fusion { body, .. } = cx.node.op() else { return missing(cx) };
    let Some(NormOfSum { kind, axis, terms: [x, residual], weights }) = of_sum(body) else {
        return missing(cx);
    };
    let plain = Norm::new(kind, axis, &cx.out_dims(), x, Some(residual));
    Ok(Box::new(Norm { gamma: weights[0], beta: weights[1], ..plain }))
}

/// Returns how a normalization changes rows, and its first axis.
fn parts(op: &Op) -> Option<(RowKind, usize)> {
    match *op {
        Op::LayerNorm { axis, eps } => Some((RowKind::Layer { eps: eps as f32 }, axis)),
        Op::RmsNorm { axis, eps } => Some((RowKind::Rms { eps: eps as f32 }, axis)),
        _ => None,
    }
}

/// A body that consists of a sum of two operands and its normalization. Operands are indices into the fused node's operands.
struct NormOfSum {
    kind: RowKind,
    axis: usize,
    terms: [usize; 2],
    /// Scale and shift.
    weights: [Option<usize>; 2],
}

fn of_sum(body: &Graph) -> Option<NormOfSum> {
    let &[root] = body.outputs() else { return None };
    let norm = body.node(root);
    let (kind, axis) = parts(norm.op())?;
    let sum = body.node(norm.inputs()[0]);
    if !matches!(sum.op(), Op::Binary { op: BinaryOp::Add }) {
        return None;
    }
    let operand = |id: NodeId| body.inputs().position(|n: &Node| n.id() == id);
    let weight = |i: usize| norm.inputs().get(i).map_or(Some(None), |&id| operand(id).map(Some));
    let fits = |&id: &NodeId| body.shape(id) == sum.shape();
    let mut all = sum.inputs().iter().chain(norm.inputs());
    if !sum.inputs().iter().all(fits) || !all.all(|&id| body.shape(id).dtype() == DType::F32) {
        return None;
    }
    let terms = [operand(sum.inputs()[0])?, operand(sum.inputs()[1])?];
    Some(NormOfSum { kind, axis, terms, weights: [weight(1)?, weight(2)?] })
}

impl Norm {
    /// Prepares a kernel over the axes starting at `axis`, without weights.
    pub(super) fn new(kind: RowKind, axis: usize, dims: &[usize], x: usize, residual: Option<usize>) -> Norm {
        let (outer, inner) = dims.split_at(axis.min(dims.len()));
        let (rows, len) = (outer.iter().product(), inner.iter().product());
        let exponentials = matches!(kind, RowKind::Softmax | RowKind::LogSoftmax);
        let picoseconds = if exponentials { 4 * PICOSECONDS } else { PICOSECONDS };
        Norm { kind, rows, len, x, residual, gamma: None, beta: None, picoseconds }
    }

    fn row_operands(&self) -> impl Iterator<Item = usize> {
        [self.gamma, self.beta].into_iter().flatten()
    }
}

impl OpKernel for Norm {
    fn needs(&self) -> Needs {
        // With a single row, a weight may also be an operand of the sum, and is read after the first element of the result is written.
        let free = [Some(self.x), self.residual].into_iter().flatten();
        let free = free.filter(|i| !self.row_operands().any(|w| w == *i));
        Needs { scratch_bytes: 0, in_place: free.collect() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let at = |i: Option<usize>| i.map_or(std::ptr::null(), |i| cx.input_ptr(i).cast::<f32>());
        let rows = Rows {
            kind: self.kind,
            len: self.len,
            rows: self.rows,
            x: at(Some(self.x)),
            residual: at(self.residual),
            gamma: at(self.gamma),
            beta: at(self.beta),
            y: cx.output_ptr(0).cast(),
        };
        if self.rows * self.len == 0 {
            return Ok(());
        }
        let work = ((self.rows * self.len) as u64).saturating_mul(self.picoseconds) / 1_000;
        let cpu = cx.cpu;
        cx.pool.run_ranges(work, self.rows, 1, |range| {
            // SAFETY: the range lies within the rows; the plan gave operands and result these sizes, and the result overlaps only an
            // operand that `needs` names. No other thread writes to these rows.
            unsafe { rows.part(range).run(cpu) };
        });
        Ok(())
    }
}
