//! The rules of every op: what it does to tangents, how it is transposed, how it runs over a batch. One row per op; the rules
//! stand in the file of its family, side by side.

mod activation;
mod attention;
mod collective;
mod contraction;
mod control;
mod elementwise;
mod folding;
mod fourier;
mod indexing;
mod leaf;
mod linalg;
mod loss;
mod matmul;
mod normalisation;
mod pointwise;
mod quantised;
mod random;
mod reduction;
mod shaping;
mod sorting;
mod taking;
mod types;
mod window;

use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::options::Options;
use rlx_ir::{Graph, Op, OpClass, OpKind, Shape, Tensor};

/// What an op does to tangents.
#[derive(Clone, Copy)]
pub(crate) enum Jvp {
    /// The results are integers, or constant wherever they have a derivative: their tangents are zero by definition.
    Zero,
    /// A rule: from values and tangents (at least one operand has one) to those of the results.
    Rule(fn(&Forward<'_>, &Op, &[Dual]) -> Result<Vec<Dual>, Error>),
    /// The op gives the values, and an equivalent graph their tangents.
    Equivalent(Equivalent),
    /// What the op table says: where the op is linear in the operands that have tangents, these go through the op itself; another
    /// composite is decomposed.
    Table,
}

/// A graph that computes what the op computes on operands of these shapes, in ops that have rules.
pub(crate) type Equivalent = fn(&Op, Vec<Shape>, &Options) -> Result<Graph, Error>;

/// How a linear op is transposed.
#[derive(Clone, Copy)]
pub(crate) enum Transpose {
    /// A rule: from cotangents of the results to those of the linear operands, one per operand (`None` for known ones, and
    /// where it is zero).
    Rule(fn(&Backward<'_>, &Op, &[Arg], &Cotangents<'_>) -> Result<Vec<Option<Tensor>>, Error>),
    /// Through an equivalent graph.
    Equivalent(Equivalent),
    /// Not a linear op; or a composite, transposed through its decomposition.
    None,
}

/// How an op runs over a batch.
#[derive(Clone, Copy)]
pub(crate) enum Batch {
    /// The op runs over any axes alike: operands of one shape get the axis in front.
    Elementwise,
    /// A rule. At least one operand is batched, or the op names the axis.
    Rule(fn(&Batching<'_>, &Op, &[Batched]) -> Result<Vec<Batched>, Error>),
    /// What the op table says: elementwise ops run over any axes alike; another composite is decomposed.
    Table,
}

/// The rules of one op.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) jvp: Jvp,
    pub(crate) transpose: Transpose,
    pub(crate) batch: Batch,
}

/// What the op table says; a composite is transposed through its decomposition.
const TABLE: Rules = Rules { jvp: Jvp::Table, transpose: Transpose::None, batch: Batch::Table };

/// The rules of an op.
pub(crate) fn of(op: &Op) -> Rules {
    rules(op.kind()).unwrap_or(TABLE)
}

/// The rules of an op that has some of its own.
const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        // The walks over graphs know them.
        OpKind::Output => TABLE,
        OpKind::Constant => leaf::CONSTANT,
        OpKind::Iota => leaf::IOTA,
        OpKind::DimSize => leaf::DIM_SIZE,
        OpKind::Unary => elementwise::UNARY,
        OpKind::Binary => elementwise::BINARY,
        OpKind::Compare => elementwise::COMPARE,
        OpKind::Select => elementwise::SELECT,
        OpKind::Clamp => elementwise::CLAMP,
        OpKind::Betainc => elementwise::BETAINC,
        OpKind::Convert => types::CONVERT,
        OpKind::BitcastConvert => types::BITCAST_CONVERT,
        OpKind::ReducePrecision => types::REDUCE_PRECISION,
        OpKind::Reshape => shaping::RESHAPE,
        OpKind::Transpose => shaping::TRANSPOSE,
        OpKind::BroadcastInDim => shaping::BROADCAST_IN_DIM,
        OpKind::Slice => shaping::SLICE,
        OpKind::Pad => shaping::PAD,
        OpKind::Concatenate => shaping::CONCATENATE,
        OpKind::Reverse => shaping::REVERSE,
        OpKind::DynamicSlice => shaping::DYNAMIC_SLICE,
        OpKind::DynamicUpdateSlice => shaping::DYNAMIC_UPDATE_SLICE,
        OpKind::Gather => indexing::GATHER,
        OpKind::Scatter => indexing::SCATTER,
        OpKind::ScatterGraph => indexing::SCATTER_GRAPH,
        OpKind::Sort => sorting::SORT,
        OpKind::SortGraph => sorting::SORT_GRAPH,
        OpKind::TopK => sorting::TOP_K,
        OpKind::ArgReduce => sorting::ARG_REDUCE,
        OpKind::Reduce => reduction::REDUCE,
        OpKind::ReduceGraph => reduction::REDUCE_GRAPH,
        OpKind::ReduceWindow => window::REDUCE_WINDOW,
        OpKind::ReduceWindowGraph => window::REDUCE_WINDOW_GRAPH,
        OpKind::SelectAndScatter => window::SELECT_AND_SCATTER,
        OpKind::Cumulative => window::CUMULATIVE,
        OpKind::DotGeneral => contraction::DOT_GENERAL,
        OpKind::Convolution => contraction::CONVOLUTION,
        OpKind::RaggedDot => contraction::RAGGED_DOT,
        OpKind::Cholesky => linalg::CHOLESKY,
        OpKind::TriangularSolve => linalg::TRIANGULAR_SOLVE,
        OpKind::TridiagonalSolve => linalg::TRIDIAGONAL_SOLVE,
        OpKind::Lu => linalg::LU,
        OpKind::Qr => linalg::QR,
        OpKind::Geqrf => linalg::GEQRF,
        OpKind::Geqp3 => linalg::GEQP3,
        OpKind::HouseholderProduct => linalg::HOUSEHOLDER_PRODUCT,
        OpKind::Eigh => linalg::EIGH,
        OpKind::Eig => linalg::EIG,
        OpKind::Svd => linalg::SVD,
        OpKind::Fft => fourier::FFT,
        OpKind::DequantizeBlocks => quantised::DEQUANTIZE_BLOCKS,
        OpKind::RngBits => random::RNG_BITS,
        OpKind::Threefry2x32 => random::THREEFRY2X32,
        OpKind::OptimizationBarrier => control::OPTIMIZATION_BARRIER,
        OpKind::If => control::IF,
        OpKind::Case => control::CASE,
        OpKind::While => control::WHILE,
        OpKind::Scan => control::SCAN,
        OpKind::Custom => control::CUSTOM,
        OpKind::Call => control::CALL,
        OpKind::CustomFn => control::CUSTOM_FN,
        OpKind::Checkpoint => control::CHECKPOINT,
        OpKind::LinearCall => control::LINEAR_CALL,
        OpKind::AllReduce | OpKind::ReduceScatter => collective::REDUCING,
        OpKind::AllGather | OpKind::AllToAll | OpKind::Permute => collective::MOVING,
        OpKind::AxisIndex => collective::AXIS_INDEX,
        OpKind::StopGradient => activation::STOP_GRADIENT,
        OpKind::Activation => activation::ACTIVATION,
        OpKind::Elu => activation::ELU,
        OpKind::Softmax => normalisation::SOFTMAX,
        OpKind::LogSoftmax => normalisation::LOG_SOFTMAX,
        OpKind::LogSumExp => normalisation::LOG_SUM_EXP,
        OpKind::LayerNorm => normalisation::LAYER_NORM,
        OpKind::RmsNorm => normalisation::RMS_NORM,
        OpKind::Attention => attention::ATTENTION,
        OpKind::AttentionBackward => attention::ATTENTION_BACKWARD,
        OpKind::SoftmaxCrossEntropy => loss::SOFTMAX_CROSS_ENTROPY,
        OpKind::Matmul => matmul::MATMUL,
        OpKind::DenseSolve | OpKind::BatchedDenseSolve => linalg::DENSE_SOLVE,
        OpKind::Embedding => taking::EMBEDDING,
        OpKind::Take => taking::TAKE,
        OpKind::GatherAxis => taking::GATHER_AXIS,
        OpKind::ScatterAdd => taking::SCATTER_ADD,
        OpKind::OneHot => taking::ONE_HOT,
        OpKind::KvAppend => taking::KV_APPEND,
        OpKind::Cumsum => taking::CUMSUM,
        _ => return None,
    })
}

/// A primitive without a row does not compile; the message is its name.
const _: () = {
    let mut i = 0;
    while i < OpKind::ALL.len() {
        let kind = OpKind::ALL[i];
        assert!(!matches!(kind.class(), OpClass::Primitive) || rules(kind).is_some(), "{}", kind.name());
        i += 1;
    }
};

/// Whether the op, or one in a graph inside it, is a collective over the axis of this name.
pub(crate) fn names_axis(op: &Op, name: &str) -> bool {
    let mut found = op.axis_name() == Some(name);
    op.for_each_graph(&mut |body| found = found || body.nodes().iter().any(|n| names_axis(n.op(), name)));
    found
}
