//! The rules of every op: tangents, transpose and vectorization. They are in the file of the op's family, next to each other,
//! with one row per op.

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
mod normalization;
mod pointwise;
mod quantized;
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
use rlx_ir::{Graph, Op, OpClass, OpFamily, OpKind, Shape, Tensor};

/// How an op transforms tangents.
#[derive(Clone, Copy)]
pub(crate) enum Jvp {
    /// The results are integers, or constant wherever they have a derivative, so their tangents are zero by definition.
    Zero,
    /// A rule from values and tangents (at least one operand has one) to those of the results.
    Rule(fn(&Forward<'_>, &Op, &[Dual]) -> Result<Vec<Dual>, Error>),
    /// The op computes the values, and an equivalent graph their tangents.
    Equivalent(Equivalent),
    /// What the op table says. If the op is linear in the operands that have tangents, these go through the op itself; any other
    /// composite is decomposed.
    Table,
}

/// A graph, in ops that have rules, that computes the same as the op on operands of these shapes.
pub(crate) type Equivalent = fn(&Op, Vec<Shape>, &Options) -> Result<Graph, Error>;

/// How a linear op is transposed.
#[derive(Clone, Copy)]
pub(crate) enum Transpose {
    /// A rule from cotangents of the results to those of the linear operands, one per operand (`None` for known ones, and for
    /// zeros).
    Rule(fn(&Backward<'_>, &Op, &[Arg], &Cotangents<'_>) -> Result<Vec<Option<Tensor>>, Error>),
    /// Through an equivalent graph.
    Equivalent(Equivalent),
    /// Not a linear op, or a composite that is transposed through its decomposition.
    None,
}

/// How an op runs over a batch.
#[derive(Clone, Copy)]
pub(crate) enum Batch {
    /// The op treats all axes alike: operands get the batch axis as their first axis.
    Elementwise,
    /// A rule. At least one operand is batched, or the op names the axis.
    Rule(fn(&Batching<'_>, &Op, &[Batched]) -> Result<Vec<Batched>, Error>),
    /// What the op table says. Elementwise ops treat all axes alike; any other composite is decomposed.
    Table,
}

/// The rules of one op.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) jvp: Jvp,
    pub(crate) transpose: Transpose,
    pub(crate) batch: Batch,
}

/// What the op table says. A composite is transposed through its decomposition.
const TABLE: Rules = Rules { jvp: Jvp::Table, transpose: Transpose::None, batch: Batch::Table };

/// The rules of an op.
pub(crate) fn of(op: &Op) -> Rules {
    rules(op.kind()).unwrap_or(TABLE)
}

/// The rules of an op that has its own, from the file of its family.
const fn rules(kind: OpKind) -> Option<Rules> {
    macro_rules! first {
        ($($module:ident)*) => {{
            $(if let Some(rules) = $module::rules(kind) {
                return Some(rules);
            })*
            None
        }};
    }
    match kind.family() {
        OpFamily::Leaf => leaf::rules(kind),
        OpFamily::Elementwise => elementwise::rules(kind),
        OpFamily::Types => types::rules(kind),
        OpFamily::Shaping => shaping::rules(kind),
        OpFamily::Indexing => indexing::rules(kind),
        OpFamily::Sorting => sorting::rules(kind),
        OpFamily::Contraction => contraction::rules(kind),
        OpFamily::Reduction => reduction::rules(kind),
        OpFamily::Window => window::rules(kind),
        OpFamily::Linalg => linalg::rules(kind),
        OpFamily::Quantized => quantized::rules(kind),
        OpFamily::Fourier => fourier::rules(kind),
        OpFamily::Random => random::rules(kind),
        OpFamily::Control => control::rules(kind),
        OpFamily::Collective => collective::rules(kind),
        // Composites that have rules of their own, with the family that their rules belong to.
        OpFamily::Composite => first! {
            activation attention collective linalg loss matmul normalization quantized random reduction sorting taking window
        },
    }
}

/// Fails to compile if a primitive has no row; the message is its name.
const _: () = {
    let mut i = 0;
    while i < OpKind::ALL.len() {
        let kind = OpKind::ALL[i];
        assert!(!matches!(kind.class(), OpClass::Primitive) || rules(kind).is_some(), "{}", kind.name());
        i += 1;
    }
};

/// Whether the op, or an op in a graph inside it, is a collective over the axis of this name.
pub(crate) fn names_axis(op: &Op, name: &str) -> bool {
    let mut found = op.axis_name() == Some(name);
    op.for_each_graph(&mut |body| found = found || body.nodes().iter().any(|n| names_axis(n.op(), name)));
    found
}
