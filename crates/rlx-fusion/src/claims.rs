//! The questions that passes ask about what a backend can run (PASS-1). Does not know any backend.

use rlx_ir::{DType, FusionKind, Graph, Op, OpClass, OpError, Shape};

/// Where an op runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// On the device, by a kernel of the backend.
    Native,
    /// On the host, beside the device, and why.
    Host(String),
    /// Nowhere: it is decomposed or rewritten, or the graph does not run. Why, where the backend can say.
    No(Option<String>),
}

impl Claim {
    /// [`Native`](Claim::Native), or [`No`](Claim::No) without a reason.
    pub fn native(is_native: bool) -> Claim {
        if is_native { Claim::Native } else { Claim::No(None) }
    }

    /// [`No`](Claim::No) with the reason why the backend declines an op, or [`Native`](Claim::Native) if there is none.
    pub fn unless(declined: Option<String>) -> Claim {
        declined.map_or(Claim::Native, |why| Claim::No(Some(why)))
    }

    /// Whether the op runs.
    pub fn runs(&self) -> bool {
        !matches!(self, Claim::No(_))
    }
}

/// How a backend rewrites graphs for itself.
pub trait Rewrites {
    /// Returns the graph with those ops decomposed that the backend runs in another form than whole, or `None` if there are none.
    /// Called first of all, before types are chosen.
    fn opened(&self, _graph: &Graph) -> Option<Graph> {
        None
    }

    /// Returns the graph with groups of ops replaced by ops of the backend's own, or `None` if there are none. Called when the
    /// types are final, before anything is decomposed.
    fn recognize(&self, _graph: &Graph) -> Option<Graph> {
        None
    }

    /// A graph of other ops, with one input per operand, for a primitive that the backend does not have. Called before the
    /// rewrites that apply to any backend. `None` if this backend does not need a rewrite of its own.
    ///
    /// # Errors
    /// Why the backend cannot run the op. It is reported if nothing else rewrites the op.
    fn rewritten(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> Option<Result<Graph, OpError>> {
        None
    }
}

/// A backend's answers about ops, dtypes and fused nodes.
pub trait Claims: Send + Sync {
    /// Where `op` runs on these operands. A composite that runs is kept whole.
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim;

    /// Whether `op` runs on these operands.
    fn runs(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        self.claim(op, operands, results).runs()
    }

    /// How the backend rewrites graphs for itself, if it does.
    fn rewrites(&self) -> Option<&dyn Rewrites> {
        None
    }

    /// Why the backend does not support values of a type, if it does not. Inputs and parameters of that type are then
    /// unsupported.
    fn refused_type(&self, _dtype: DType) -> Option<String> {
        None
    }

    /// Whether the backend must know every size of `op` before it prepares the graph. Called if shapes or attributes have
    /// symbols, including graphs inside ops. If one node needs it, the whole graph is prepared once per binding.
    fn static_sizes(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> bool {
        false
    }

    /// Whether the backend runs fused nodes of this kind. If not, passes do not look for groups of this kind.
    fn fuses(&self, _kind: FusionKind) -> bool {
        false
    }

    /// Whether the backend has one kernel for this body, whose sizes may be symbols. Called before a group is made. A group that
    /// is rejected becomes smaller, or its nodes stay separate. Besides members that were [claimed](Claims::elementwise)
    /// individually, a body may have others that move elements, several reductions of the same rows along any axes, and several
    /// outputs.
    fn accepts(&self, kind: FusionKind, _body: &Graph) -> bool {
        self.fuses(kind)
    }

    /// Whether `op` may be part of an elementwise program on this element type.
    fn elementwise(&self, _op: &Op, _dtype: DType) -> bool {
        false
    }
}

/// Whether a node has symbols, in its shapes or attributes, and the backend needs its sizes to be static.
pub fn needs_static_sizes(claims: &dyn Claims, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
    let mut is_static = operands.iter().chain(results).all(Shape::is_static);
    if is_static {
        op.for_each_dim(&mut |dim| is_static &= dim.as_static().is_some());
    }
    !is_static && claims.static_sizes(op, operands, results)
}

/// Claims every primitive and no composite, like a backend that only implements the primitives.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimsNone;

impl Claims for ClaimsNone {
    fn claim(&self, op: &Op, _: &[Shape], _: &[Shape]) -> Claim {
        Claim::native(op.kind().class() != OpClass::Composite)
    }
}

/// Claims everything, including fused nodes; for tests of passes without a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimsAll;

impl Claims for ClaimsAll {
    fn claim(&self, _: &Op, _: &[Shape], _: &[Shape]) -> Claim {
        Claim::Native
    }

    fn fuses(&self, _: FusionKind) -> bool {
        true
    }

    fn elementwise(&self, op: &Op, _: DType) -> bool {
        crate::is_elementwise(op)
    }
}
