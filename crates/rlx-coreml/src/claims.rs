//! What ML Programs of an opset express natively.

use crate::packed;
use rlx_compile::{Claim, Claims, Rewrites};
use rlx_ir::{Bindings, Graph, Op, OpError, Shape};
use rlx_mil::emit::{Dialect, declined};
use rlx_mil::{recognize, rewrite};

/// The size used for a symbol if an op is asked for before its sizes are known. It is asked for again when they are.
const ANY_SIZE: usize = 8;

/// Claims the ops that programs of a dialect have operations for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoremlClaims {
    /// How operations are written.
    pub dialect: Dialect,
}

impl Claims for CoremlClaims {
    // MIL-1: the family that writes the op decides.
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        let mut bindings = Bindings::new();
        let shapes = operands.iter().chain(results);
        shapes.flat_map(Shape::symbols).for_each(|symbol| {
            bindings.insert(symbol, ANY_SIZE);
        });
        if bindings.is_empty() {
            return Claim::unless(declined(op, operands, results, self.dialect));
        }
        let bound = |shapes: &[Shape]| shapes.iter().map(|shape| shape.bind(&bindings)).collect::<Vec<_>>();
        let mut op = op.clone();
        op.bind(&bindings);
        Claim::unless(declined(&op, &bound(operands), &bound(results), self.dialect))
    }

    fn rewrites(&self) -> Option<&dyn Rewrites> {
        Some(self)
    }

    fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
    }
}

impl Rewrites for CoremlClaims {
    fn opened(&self, graph: &Graph) -> Option<Graph> {
        packed::opened(graph).ok().flatten()
    }

    fn recognize(&self, graph: &Graph) -> Option<Graph> {
        recognize(graph, self.dialect)
    }

    fn rewritten(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Option<Result<Graph, OpError>> {
        rewrite::rewritten(op, operands, results, self.dialect)
    }
}
