//! Precision: which element types a program computes in.
//!
//! This module owns the policies and the pass that applies them. A narrow type is used where it can hold the
//! numbers, on every device alike: each value is bounded from constants, types, lengths and the functions
//! between them (`range`, `ranges`). What the type cannot hold stays in f32, and so do sums along axes, angles,
//! and numbers that become positions (`narrow`). Rewrites of backends do not narrow types themselves.

mod narrow;
mod range;
mod ranges;
mod retype;

use crate::bodies::map_bodies;
use narrow::Plan;
use rlx_ir::rewrite::Rewrite;
use rlx_ir::{DType, Graph, NodeId, Op, OpError, OpKind};
use std::str::FromStr;

/// A named precision, for programs that want one knob.
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
    /// As the graph declares.
    #[default]
    Declared,
    /// f16 and bf16 values are computed in f32 as well.
    AlwaysF32,
    /// Everything in f16.
    AlwaysF16,
    /// Everything in bf16.
    AlwaysBF16,
    /// Contractions in f16 (accumulated in f32), everything else in f32.
    AutoMixed,
    /// Contractions in bf16 (accumulated in f32), everything else in f32.
    AutoMixedBF16,
    /// Everything is computed as the graph declares, but weights of contractions are held in f16: half the memory, and half of
    /// what is read of it in each run. Only weights are rounded, relative to themselves by at most 2⁻¹¹; what is too large for f16
    /// stays as it is. For backends that hold weights in a form of their own (the CPU); others compute as declared.
    WeightsF16,
    /// The same with bf16: any f32 has a place in it, rounded by at most 2⁻⁸.
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

/// A name that no policy has.
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
    /// The names that [`FromStr`] accepts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The type that weights are held in, if it is not the one that they are computed in.
    pub const fn held(self) -> Option<DType> {
        match self {
            PrecisionPolicy::WeightsF16 => Some(DType::F16),
            PrecisionPolicy::WeightsBF16 => Some(DType::BF16),
            _ => None,
        }
    }

    /// Whether the graph's element types stay as they are.
    const fn keeps_types(self) -> bool {
        matches!(self, PrecisionPolicy::Declared) || self.held().is_some()
    }

    /// Whether the policy is about contractions alone. Composites show theirs only when they are decomposed: it applies
    /// after legalization.
    pub const fn is_mixed(self) -> bool {
        matches!(self, PrecisionPolicy::AutoMixed | PrecisionPolicy::AutoMixedBF16)
    }
}

/// The graph in the precision of `policy`; `None` if it is as declared. Ops that would no longer be valid keep their types.
///
/// Values that the narrow type does not hold stay as they are, and are read as they are: constants, counts and positions beyond it,
/// small numbers that would become 0 and what is computed of them, sums along axes, angles. So a graph of ordinary inputs gives what
/// it gives in f32, as far as the digits of the narrow type go. Nothing is known of inputs and parameters but that they are of the
/// order of 1, up to some hundreds; what they hold beyond f16 (65,504) becomes infinite there.
///
/// The graphs of branches and loops are programs like any other; their inputs and outputs keep their types too.
pub fn apply_precision(graph: &Graph, policy: PrecisionPolicy) -> Result<Option<Graph>, OpError> {
    applied(graph, policy, false)
}

/// The same of a graph whose outputs are what a loop carries on, or not.
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

/// Whether the op's attributes or sub-graphs fix element types, so that its operands keep theirs.
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

/// The element type that a contraction accumulates in, where it is one that says so.
fn accumulator(op: &mut Op) -> Option<&mut Option<DType>> {
    match op {
        Op::DotGeneral { dtype, .. } | Op::Convolution { dtype, .. } | Op::RaggedDot { dtype } => Some(dtype),
        _ => None,
    }
}
