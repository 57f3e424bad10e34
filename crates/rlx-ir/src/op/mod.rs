//! The closed set of ops: the table, the enums they carry, their attributes, and the calls to their rules.
//! `table` lists them, one row per op; `family` divides them; `kinds` has the enums that they carry; `attr` says how attributes are
//! printed and parsed, and `structure` declares attributes that are several values; `rules` calls the rules of a row. What an op
//! *does* is in `ops`.

mod attention_options;
mod attr;
mod convolution;
mod dot_dims;
mod family;
mod indexing_dims;
mod key;
pub mod kinds;
mod logit_filter;
mod recent;
mod rules;
mod structure;
mod table;
mod window_spec;

pub use attention_options::{AttentionOptions, UnpackedAttention};
pub use attr::Attr;
pub use convolution::{ConvolutionAxes, ConvolutionSpec};
pub use dot_dims::{DotDims, DotSide};
pub use family::OpFamily;
pub use indexing_dims::{GatherDims, ScatterDims, WindowAxes};
pub use key::Key;
pub use kinds::*;
pub use logit_filter::LogitFilter;
pub use recent::Recent;
pub use rules::{OpError, Operand};
pub(crate) use rules::{Operands, Take};
pub use window_spec::{RunningAxis, UndilatedWindow, WindowSpec};

pub use table::{Op, OpKind};

use std::sync::{Arc, LazyLock};

/// Whether an op has its own rules, or is defined by its decomposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpClass {
    /// A name for a value from outside: an input or a parameter.
    Leaf,
    /// Has its own shape rule and evaluation.
    Primitive,
    /// Is the graph of other ops that its function builds.
    Composite,
}

/// What an element of a result is computed from. Fusion, the cost of ops, derivatives and the devices' error bounds depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// The elements of all operands, which have the result's shape, at the element's own index.
    Elementwise,
    /// One element of an operand, unchanged, or a fill value; shapes and attributes say which. The operands with such elements
    /// are those in which the op is linear.
    Movement,
    /// As `Movement`, but the values of other operands say which element.
    Indexed,
    /// All elements along some axes of the operands.
    Reduction,
    /// Sums of products, each of an element of the first operand and an element of the second.
    Contraction,
    /// The elements in a window: one that moves, or all elements up to the element's own index.
    Window,
    /// Anything else.
    General,
}

/// The marks of a row.
struct Marks {
    access: Access,
    stablehlo: bool,
}

impl Marks {
    const fn new(marks: &[&str]) -> Marks {
        let mut all = Marks { access: Access::General, stablehlo: false };
        let mut i = 0;
        while i < marks.len() {
            match marks[i].as_bytes() {
                b"elementwise" => all.access = Access::Elementwise,
                b"movement" => all.access = Access::Movement,
                b"indexed" => all.access = Access::Indexed,
                b"reduction" => all.access = Access::Reduction,
                b"contraction" => all.access = Access::Contraction,
                b"window" => all.access = Access::Window,
                b"stablehlo" => all.stablehlo = true,
                _ => panic!("a mark of an op is the name of its access in lower case, or `stablehlo`"),
            }
            i += 1;
        }
        all
    }
}

impl OpKind {
    /// Whether the op is linear in this operand, taken together with the others in which it is linear.
    pub fn is_linear_in(self, operand: usize) -> bool {
        let operands = self.operands();
        let row = operands.get(operand).or(operands.last().filter(|last| last.variadic));
        row.is_some_and(|row| row.linear)
    }

    /// Whether the op is linear in some of its operands.
    pub fn is_linear(self) -> bool {
        self.operands().iter().any(|row| row.linear)
    }
}

impl Op {
    /// The name that the op prints as: that of its kind, or for the elementwise families that of the function.
    pub fn mnemonic(&self) -> &'static str {
        use kinds::Named;
        match self {
            Op::Unary { op } => op.name(),
            Op::Binary { op } => op.name(),
            other => other.kind().name(),
        }
    }

    /// Whether the op's graphs run as separate programs, rather than say how single elements are combined.
    pub fn is_control(&self) -> bool {
        matches!(self, Op::If { .. } | Op::Case { .. } | Op::While { .. } | Op::Scan { .. })
    }

    /// The op, shared between nodes. Functions of single numbers, which large graphs mostly consist of, have one shared value
    /// each.
    pub(crate) fn shared(self) -> Arc<Op> {
        static UNARY: LazyLock<Vec<Arc<Op>>> =
            LazyLock::new(|| UnaryOp::VARIANTS.iter().map(|&op| Arc::new(Op::Unary { op })).collect());
        static BINARY: LazyLock<Vec<Arc<Op>>> =
            LazyLock::new(|| BinaryOp::VARIANTS.iter().map(|&op| Arc::new(Op::Binary { op })).collect());
        let known = match &self {
            Op::Unary { op } => UNARY.get(*op as usize),
            Op::Binary { op } => BINARY.get(*op as usize),
            _ => None,
        };
        known.filter(|known| ***known == self).cloned().unwrap_or_else(|| Arc::new(self))
    }

    /// Fails if a sub-graph nests too deep or is too large.
    pub(crate) fn check_nesting(&self, limit: usize) -> Result<(), OpError> {
        let mut checked = Ok(());
        self.for_each_graph(&mut |body| checked = checked.clone().and(body.check_extent(limit)));
        checked
    }
}

impl std::fmt::Display for OpKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
