//! The closed set of ops: the table, the enums they carry, their attributes, and the calls to their rules.
//! `table` lists them, one row per op; `kinds` holds the enums that they carry; `attr` says how attributes
//! print and parse; `rules` calls the row's rules. What an op *does* is in `ops`.

mod attr;
mod convolution;
mod key;
pub mod kinds;
mod logit_filter;
mod recent;
mod rules;
mod scatter_dims;
mod table;

pub use attr::Attr;
pub use convolution::{ConvolutionAttributes, ConvolutionAxes};
pub use key::Key;
pub use kinds::*;
pub use logit_filter::LogitFilter;
pub use recent::Recent;
pub use rules::{OpError, Operand};
pub use scatter_dims::ScatterDims;

pub use table::{Op, OpKind};

use std::sync::{Arc, LazyLock};

/// Whether an op has rules of its own or is defined by its decomposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpClass {
    /// A name for a value from outside: input, parameter.
    Leaf,
    /// Has its own shape rule and meaning.
    Primitive,
    /// Is the graph of other ops that its function builds.
    Composite,
}

/// What an element of a result is made of. Fusion, the cost of ops, derivatives and the devices' error bounds go by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Of the elements of all operands, which have the result's shape, at the element's own index.
    Elementwise,
    /// Of one element of an operand, as it is, or of a fill value; shapes and attributes say which. What holds such elements are the
    /// operands in which the op is linear.
    Movement,
    /// The same, but the values of other operands say which element.
    Indexed,
    /// Of all elements along some axes of the operands.
    Reduction,
    /// Of sums of products, each of an element of the first operand and one of the second.
    Contraction,
    /// Of the elements that a window sees: one that moves, or all up to the element's own index.
    Window,
    /// Of anything else.
    General,
}

/// What stands behind a row's class.
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
    /// Whether the op is linear in this operand, together with the others for which it is so.
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
    /// The name under which the op prints: its kind, or for the elementwise families the function's.
    pub fn mnemonic(&self) -> &'static str {
        use kinds::Named;
        match self {
            Op::Unary { op } => op.name(),
            Op::Binary { op } => op.name(),
            other => other.kind().name(),
        }
    }

    /// Whether the op's graphs run as programs of their own, rather than say what happens to single elements.
    pub fn is_control(&self) -> bool {
        matches!(self, Op::If { .. } | Op::Case { .. } | Op::While { .. } | Op::Scan { .. })
    }

    /// The op for many nodes: functions of single numbers, of which large graphs consist, are one value each.
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

    /// Fails where a sub-graph nests too deep, or is too large.
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
