//! The rules of every op: tangents, transpose, and vectorization. They stand in the file of its family, side by
//! side, with a row for the op.

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

/// The rules of an op that has some of its own, from the file of its family.
const fn rules(kind: OpKind) -> Option<Rules> {
    macro_rules! families {
        ($($family:ident)*) => {
            $(if let Some(rules) = $family::rules(kind) {
                return Some(rules);
            })*
        };
    }
    families! {
        activation attention collective contraction control elementwise fourier indexing leaf linalg
        loss matmul normalization quantized random reduction shaping sorting taking types window
    }
    // The walks over graphs know it.
    if matches!(kind, OpKind::Output) { Some(TABLE) } else { None }
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
