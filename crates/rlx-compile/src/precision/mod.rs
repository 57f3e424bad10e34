//! Precision: which element types a program computes in.
//!
//! This module owns the policies and the pass that applies them. A narrow type is used where it can represent the
//! numbers, in the same way on every device: each value is bounded from constants, types, lengths and the functions
//! between them (`range`, `ranges`). Values that the type cannot represent stay in f32, and so do sums along axes, angles,
//! and numbers that become positions (`narrow`). Backends do not narrow types in their rewrites.

mod narrow;
mod range;
mod ranges;
mod retype;

use crate::bodies::map_bodies;
use narrow::Plan;
use rlx_ir::rewrite::Rewrite;
use rlx_ir::{DType, Graph, NodeId, Op, OpError, OpKind};
use std::str::FromStr;

/// A named precision, for programs with a single setting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Precision {
    /// 32-bit floats.
    #[default]
    F32,
    /// 16-bit IEEE floats.
    F16,
    /// bfloat16.
    BF16,
}

impl Precision {
    /// The element type.
    pub const fn dtype(self) -> DType {
        match self {
            Precision::F32 => DType::F32,
            Precision::F16 => DType::F16,
            Precision::BF16 => DType::BF16,
        }
    }
}

/// How the f32 values of a program are computed. Inputs, parameters and outputs keep their declared types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PrecisionPolicy {
    /// Compute in the declared types.
    #[default]
    Declared,
    /// Compute f16 and bf16 values in f32, too.
    AlwaysF32,
    /// Compute everything in f16.
    AlwaysF16,
    /// Compute everything in bf16.
    AlwaysBF16,
    /// Compute contractions in f16 (accumulated in f32), and everything else in f32.
    AutoMixed,
    /// Compute contractions in bf16 (accumulated in f32), and everything else in f32.
    AutoMixedBF16,
    /// Compute in the declared types, but store weights of contractions in f16. This halves their memory, and the bytes that
    /// each run reads of it. Only weights are rounded, with a relative error of at most 2⁻¹¹; values that are too large for f16
    /// are not rounded. This affects backends that store weights in their own form (the CPU); others compute as declared.
    WeightsF16,
    /// The same with bf16, which can represent every f32, with a relative error of at most 2⁻⁸.
    WeightsBF16,
}

/// Each policy with its name.
const NAMES: [(&str, PrecisionPolicy); 8] = [
    ("declared", PrecisionPolicy::Declared),
    ("f32", PrecisionPolicy::AlwaysF32),
    ("f16", PrecisionPolicy::AlwaysF16),
    ("bf16", PrecisionPolicy::AlwaysBF16),
    ("mixed-f16", PrecisionPolicy::AutoMixed),
    ("mixed-bf16", PrecisionPolicy::AutoMixedBF16),
    ("weights-f16", PrecisionPolicy::WeightsF16),
    ("weights-bf16", PrecisionPolicy::WeightsBF16),
];

/// An unknown name of a policy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown precision \"{0}\": expected one of {names}", names = PrecisionPolicy::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownPrecision(pub String);

impl FromStr for PrecisionPolicy {
    type Err = UnknownPrecision;

    fn from_str(text: &str) -> Result<Self, UnknownPrecision> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, policy)| *policy).ok_or_else(|| UnknownPrecision(text.to_string()))
    }
}

impl From<Precision> for PrecisionPolicy {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::F32 => PrecisionPolicy::AlwaysF32,
            Precision::F16 => PrecisionPolicy::AlwaysF16,
            Precision::BF16 => PrecisionPolicy::AlwaysBF16,
        }
    }
}

impl PrecisionPolicy {
    /// Returns the names that [`FromStr`] accepts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// Returns the type that weights are stored in, if it differs from the type that they are computed in.
    pub const fn held(self) -> Option<DType> {
        match self {
            PrecisionPolicy::WeightsF16 => Some(DType::F16),
            PrecisionPolicy::WeightsBF16 => Some(DType::BF16),
            _ => None,
        }
    }

    /// Returns whether the graph's element types stay as they are.
    const fn keeps_types(self) -> bool {
        matches!(self, PrecisionPolicy::Declared) || self.held().is_some()
    }

    /// Returns whether the policy only affects contractions. It is then applied after legalization, because the contractions in
    /// composites are visible only once these are decomposed.
    pub const fn is_mixed(self) -> bool {
        matches!(self, PrecisionPolicy::AutoMixed | PrecisionPolicy::AutoMixedBF16)
    }
}

/// Returns the graph in the precision of `policy`, or `None` if that does not change it. Ops that would no longer be valid keep their
/// types.
///
/// Values that the narrow type cannot represent are computed and read in their own type: constants, counts and positions beyond its
/// range, small numbers that would become 0 and values computed from them, sums along axes, angles. So with ordinary inputs, a graph
/// computes the same as in f32, up to the digits of the narrow type. Inputs and parameters are only assumed to be of the order of 1, up
/// to some hundreds. Elements of them beyond the range of f16 (65,504) become infinite there.
///
/// The graphs of branches and loops are handled like any other program; their inputs and outputs keep their types too.
pub fn apply_precision(graph: &Graph, policy: PrecisionPolicy) -> Result<Option<Graph>, OpError> {
    applied(graph, policy, false)
}

/// Does the same for a graph. `carries` says whether its outputs are the carried values of a loop.
fn applied(graph: &Graph, policy: PrecisionPolicy, carries: bool) -> Result<Option<Graph>, OpError> {
    let inner = match policy {
        _ if policy.keeps_types() => None,
        _ => map_bodies(graph, |op, body| {
            let carries = matches!(op, Op::While { .. } | Op::Scan { .. });
            let precise = if op.is_control() { applied(body, policy, carries)? } else { None };
            Ok(precise.unwrap_or_else(|| body.clone()))
        })?,
    };
    let graph = inner.as_ref().unwrap_or(graph);
    let precise = match policy {
        PrecisionPolicy::Declared | PrecisionPolicy::WeightsF16 | PrecisionPolicy::WeightsBF16 => None,
        PrecisionPolicy::AlwaysF32 => retype::widened(graph)?,
        PrecisionPolicy::AlwaysF16 => retype::narrowed(&Plan::new(graph, DType::F16, carries))?,
        PrecisionPolicy::AlwaysBF16 => retype::narrowed(&Plan::new(graph, DType::BF16, carries))?,
        PrecisionPolicy::AutoMixed => retype::contractions(&Plan::new(graph, DType::F16, carries))?,
        PrecisionPolicy::AutoMixedBF16 => retype::contractions(&Plan::new(graph, DType::BF16, carries))?,
    };
    Ok(precise.or(inner))
}

fn converted(rw: &mut Rewrite<'_>, id: NodeId, dtype: DType) -> NodeId {
    if rw.shape(id).dtype() == dtype { id } else { convert(rw.graph(), id, dtype) }
}

fn convert(graph: &mut Graph, id: NodeId, dtype: DType) -> NodeId {
    let shape = graph.shape(id).with_dtype(dtype);
    graph.push(Op::Convert { dtype }, vec![id], vec![shape])
}

/// Whether the op's attributes or sub-graphs determine element types, so that its operands keep theirs.
fn is_typed(op: &Op) -> bool {
    let mut has_graph = false;
    op.for_each_graph(&mut |_| has_graph = true);
    has_graph
        || matches!(
            op.kind(),
            OpKind::Convert
                | OpKind::BitcastConvert
                | OpKind::Iota
                | OpKind::Constant
                | OpKind::ReducePrecision
        )
}

/// Returns the element type that a contraction accumulates in, if the op specifies one.
fn accumulator(op: &mut Op) -> Option<&mut Option<DType>> {
    match op {
        Op::DotGeneral { dtype, .. } | Op::Convolution { dtype, .. } | Op::RaggedDot { dtype } => Some(dtype),
        _ => None,
    }
}
