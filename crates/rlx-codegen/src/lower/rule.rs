//! Which part of lowering handles each primitive, by family.

use rlx_ir::{OpClass, OpFamily, OpKind};

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
        if matches!(kind.class(), OpClass::Composite) {
            return None;
        }
        Some(match kind.family() {
            OpFamily::Leaf => match kind {
                Input | Param => Rule::None(GIVEN),
                Output => Rule::Movement,
                _ => Rule::Leaf,
            },
            OpFamily::Elementwise => Rule::Elementwise,
            OpFamily::Types => match kind {
                BitcastConvert => Rule::Bits,
                _ => Rule::Elementwise,
            },
            OpFamily::Shaping => match kind {
                DynamicSlice | DynamicUpdateSlice => Rule::Indexing,
                _ => Rule::Movement,
            },
            OpFamily::Indexing => match kind {
                Gather => Rule::Indexing,
                _ => Rule::Whole,
            },
            OpFamily::Sorting => match kind {
                ArgReduce => Rule::Reduction,
                _ => Rule::Whole,
            },
            OpFamily::Contraction => Rule::Contraction,
            OpFamily::Reduction => Rule::Reduction,
            OpFamily::Window => match kind {
                ReduceWindow | ReduceWindowGraph => Rule::Window,
                _ => Rule::Whole,
            },
            OpFamily::Linalg | OpFamily::Fourier => Rule::None(LIBRARY),
            OpFamily::Quantized => Rule::Bits,
            OpFamily::Random => match kind {
                Threefry2x32 => Rule::Elementwise,
                _ => Rule::Whole,
            },
            OpFamily::Control => match kind {
                OptimizationBarrier => Rule::Movement,
                Custom => Rule::None("the program that registered it provides its kernels"),
                _ => Rule::None(CONTROL),
            },
            OpFamily::Collective => Rule::Movement,
            OpFamily::Composite => return None,
        })
    }
}
