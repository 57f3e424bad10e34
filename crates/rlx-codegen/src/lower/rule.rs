//! Which part of lowering handles each primitive: one row per primitive.

use rlx_ir::{OpClass, OpKind};

/// The part of lowering that handles an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// A value without operands, or one that depends only on sizes.
    Leaf,
    /// The same function at every index.
    Elementwise,
    /// Elements of operands at other indices.
    Movement,
    /// Elements of operands at indices that are values.
    Indexing,
    /// Bytes of operands.
    Bits,
    /// A loop over axes.
    Reduction,
    /// A loop over axes, of products.
    Contraction,
    /// A loop over a window.
    Window,
    /// Separate launches, because elements are not computed separately.
    Whole,
    /// Nothing, for this reason.
    None(&'static str),
}

const LIBRARY: &str = "a library computes it, or it is expanded to simpler ops first";
const CONTROL: &str = "control flow belongs to the program, and kernels run inside it";
const GIVEN: &str = "its value is not an input of the group";

impl Rule {
    /// Returns the rule of an op, or `None` for composites, which are decomposed first.
    pub(super) const fn of(kind: OpKind) -> Option<Rule> {
        use OpKind::*;
        Some(match kind {
            Constant | Iota | DimSize => Rule::Leaf,
            Unary | Binary | Compare | Select | Clamp | Betainc | Convert | ReducePrecision
            | Threefry2x32 => Rule::Elementwise,
            Output | Reshape | Transpose | BroadcastInDim | Slice | Pad | Concatenate | Reverse
            | OptimizationBarrier | AllReduce | AllGather | ReduceScatter | AllToAll | Permute => {
                Rule::Movement
            }
            DynamicSlice | DynamicUpdateSlice | Gather => Rule::Indexing,
            BitcastConvert | DequantizeBlocks => Rule::Bits,
            Reduce | ReduceGraph | ArgReduce => Rule::Reduction,
            DotGeneral | RaggedDot | Convolution => Rule::Contraction,
            ReduceWindow | ReduceWindowGraph => Rule::Window,
            Scatter | ScatterGraph | Sort | SortGraph | TopK | SelectAndScatter | Cumulative | RngBits => {
                Rule::Whole
            }
            Cholesky | TriangularSolve | TridiagonalSolve | Lu | Qr | Geqrf | Geqp3 | HouseholderProduct
            | Eigh | Eig | Svd | Fft => Rule::None(LIBRARY),
            If | Case | While | Scan => Rule::None(CONTROL),
            Input | Param => Rule::None(GIVEN),
            Custom => Rule::None("the program that registered it provides its kernels"),
            _ => return None,
        })
    }
}

/// A primitive or a leaf without a row does not compile. The message is its name.
const _: () = {
    let mut i = 0;
    while i < OpKind::ALL.len() {
        let kind = OpKind::ALL[i];
        let is_composite = matches!(kind.class(), OpClass::Composite);
        assert!(is_composite || Rule::of(kind).is_some(), "{}", kind.name());
        i += 1;
    }
};
