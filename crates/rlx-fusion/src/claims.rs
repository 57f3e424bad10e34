//! The questions that passes ask about what a backend can run (PASS-1). Does not know any backend.

use rlx_ir::{DType, FusionKind, Graph, Op, OpClass, OpError, Shape};

/// A backend's answers about ops, dtypes and fused nodes.
pub trait Claims: Send + Sync {
    /// Whether the backend has a kernel for `op` on these operands. A claimed composite is kept whole.
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool;

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

    /// Why the backend does not support values of a type, if it does not. Inputs and parameters of that type are then
    /// unsupported.
    fn refused_type(&self, _dtype: DType) -> Option<String> {
        None
    }

    /// Why a claimed op runs on the host next to the device, if it does.
    fn on_host(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> Option<String> {
        None
    }

    /// Why the backend has no kernel for `op` on these operands, in words, if it can say.
    fn refusal(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> Option<String> {
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
    fn native(&self, op: &Op, _: &[Shape], _: &[Shape]) -> bool {
        op.kind().class() != OpClass::Composite
    }
}

/// Claims everything, including fused nodes; for tests of passes without a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimsAll;

impl Claims for ClaimsAll {
    fn native(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
    }

    fn fuses(&self, _: FusionKind) -> bool {
        true
    }

    fn elementwise(&self, op: &Op, _: DType) -> bool {
        crate::is_elementwise(op)
    }
}
