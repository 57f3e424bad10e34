//! The questions that passes ask about what a backend can run (PASS-1). Knows no backend.

use rlx_ir::{DType, FusionKind, Graph, Op, OpClass, OpError, Shape};

/// A backend's answers about ops, dtypes and fused nodes.
pub trait Claims: Send + Sync {
    /// Whether the backend has a kernel for `op` on these operands. A claimed composite is kept whole.
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool;

    /// The graph with ops taken apart that the backend has in another way than whole; none where there are none. Asked first of all, before types
    /// are chosen.
    fn opened(&self, _graph: &Graph) -> Option<Graph> {
        None
    }

    /// The graph with ops of the backend's own for what several ops of it say; none where it says nothing so. Asked when the types are
    /// what they are to be, before anything is taken apart.
    fn recognize(&self, _graph: &Graph) -> Option<Graph> {
        None
    }

    /// Why the backend has no values of a type, where it has none: inputs and parameters of it are then unsupported.
    fn refused_type(&self, _dtype: DType) -> Option<String> {
        None
    }

    /// Why an op that is claimed runs on the host beside the device, where it does.
    fn on_host(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> Option<String> {
        None
    }

    /// Why the backend has no kernel for `op` on these operands, in words, where it can say.
    fn refusal(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> Option<String> {
        None
    }

    /// A primitive that the backend has not, in other ops, with an input per operand: asked before what rewrites it for any backend. `None` where there is
    /// nothing that this backend alone needs.
    ///
    /// # Errors
    /// Why the backend cannot run it, which is told where nothing else rewrites it.
    fn rewritten(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> Option<Result<Graph, OpError>> {
        None
    }

    /// Whether the backend must know every size of `op` before it prepares it. Asked where shapes or attributes have symbols, graphs
    /// inside ops included; where one node needs it, the whole graph is prepared once per binding.
    fn static_sizes(&self, _op: &Op, _operands: &[Shape], _results: &[Shape]) -> bool {
        false
    }

    /// Whether the backend runs fused nodes of this kind: without it no group of the kind is looked for.
    fn fuses(&self, _kind: FusionKind) -> bool {
        false
    }

    /// Whether the backend has one kernel for this body, whose sizes may be symbols. Asked before a group is made: one that is refused
    /// becomes smaller, or stays the nodes that it is. Beside members that were [claimed](Claims::elementwise) one by one a body may
    /// have others that move elements, several reductions of the same rows along any axes, and several outputs.
    fn accepts(&self, kind: FusionKind, _body: &Graph) -> bool {
        self.fuses(kind)
    }

    /// Whether `op` may stand inside an elementwise program on this element type.
    fn elementwise(&self, _op: &Op, _dtype: DType) -> bool {
        false
    }
}

/// Whether a node has symbols, in its shapes or in its attributes, where the backend needs static sizes.
pub fn needs_static_sizes(claims: &dyn Claims, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
    let mut is_static = operands.iter().chain(results).all(Shape::is_static);
    if is_static {
        op.for_each_dim(&mut |dim| is_static &= dim.as_static().is_some());
    }
    !is_static && claims.static_sizes(op, operands, results)
}

/// Claims every primitive and no composite: what a backend has that only follows the meaning of the primitives.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClaimsNone;

impl Claims for ClaimsNone {
    fn native(&self, op: &Op, _: &[Shape], _: &[Shape]) -> bool {
        op.kind().class() != OpClass::Composite
    }
}

/// Claims everything, fused nodes included: for tests of passes without a device.
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
