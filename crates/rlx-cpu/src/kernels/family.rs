//! Which family of kernels runs an op: one row per op.

use super::{
    Prepare, attention, bodies, contraction, control, convolution, cumulative, custom, elementwise, fourier,
    indexing, leaf, linalg, movement, norm, quantised, random, reduce, softmax, sorting, window,
};
use rlx_ir::{Op, OpClass, OpKind, Shape};

/// What the backend does about an op.
#[derive(Clone, Copy)]
pub(super) enum Family {
    /// Nothing: its results are there already, or are its operand.
    Nothing,
    /// A kernel, on every type and shape that the op accepts.
    Kernel(Prepare),
    /// A kernel of a program of instructions, which groups of such ops are too.
    Elementwise,
    /// A kernel on those that it claims.
    Claiming(Prepare, fn(&Op, &[Shape]) -> bool),
    /// What the passes that made it say it is.
    Fused,
}

impl Family {
    /// The family of an op; `None` for composites that run as what they are made of.
    pub(super) const fn of(kind: OpKind) -> Option<Family> {
        use Family::{Claiming, Elementwise, Fused, Kernel, Nothing};
        use OpKind::*;
        Some(match kind {
            Input | Param | Constant | Output | Reshape => Nothing,
            DimSize => Kernel(leaf::prepare),
            Unary | Binary | Compare | Select | Clamp | Betainc | Convert | ReducePrecision | Activation => {
                Elementwise
            }
            BitcastConvert => Kernel(elementwise::bitcast),
            Iota | Transpose | BroadcastInDim | Slice | Pad | Concatenate | Reverse | DynamicSlice
            | DynamicUpdateSlice | OptimizationBarrier | AllReduce | AllGather | ReduceScatter | AllToAll
            | Permute => Kernel(movement::prepare),
            Gather | Scatter => Kernel(indexing::prepare),
            Sort | TopK | ArgReduce => Kernel(sorting::prepare),
            ReduceGraph | ScatterGraph | SortGraph => Kernel(bodies::prepare),
            DotGeneral => Kernel(contraction::prepare),
            RaggedDot => Kernel(contraction::prepare_ragged),
            Convolution => Kernel(convolution::prepare),
            Reduce => Kernel(reduce::prepare),
            ReduceWindow | ReduceWindowGraph | SelectAndScatter => Kernel(window::prepare),
            Cumulative => Kernel(cumulative::prepare),
            Cholesky | TriangularSolve | TridiagonalSolve | Lu | Qr | Geqrf | Geqp3 | HouseholderProduct
            | Eigh | Eig | Svd => Kernel(linalg::prepare),
            Fft => Kernel(fourier::prepare),
            DequantizeBlocks => Kernel(quantised::prepare),
            RngBits | Threefry2x32 => Kernel(random::prepare),
            If | Case | While | Scan => Kernel(control::prepare),
            Custom => Kernel(custom::prepare),
            LayerNorm | RmsNorm => Claiming(norm::prepare, norm::claims),
            Softmax | LogSoftmax => Claiming(softmax::prepare, softmax::claims),
            Attention | AttentionBackward => Claiming(attention::prepare, attention::claims),
            Fusion => Fused,
            _ => return None,
        })
    }
}

/// A primitive or a leaf without a row does not compile; the message is its name.
const _: () = {
    let mut i = 0;
    while i < OpKind::ALL.len() {
        let kind = OpKind::ALL[i];
        let is_composite = matches!(kind.class(), OpClass::Composite);
        assert!(is_composite || Family::of(kind).is_some(), "{}", kind.name());
        i += 1;
    }
};
