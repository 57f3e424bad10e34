//! The ops that two backends run together, and which of the two runs an op.

use rlx_compile::{Claim, Claims, CompileOptions, LegalizeError, Rewrites, legalize};
use rlx_exec::Backend;
use rlx_ir::op::Key;
use rlx_ir::{DType, FusionKind, Graph, Op, OpClass, Shape};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Maximum number of remembered answers.
const MAX_KNOWN: usize = 4096;

/// The claims of a pair of backends. The second runs the ops that the first neither runs directly nor after decomposition, and those that
/// the first could only run as a loop of many small operations.
pub struct HybridClaims {
    first: Arc<dyn Backend>,
    second: Arc<dyn Backend>,
    /// Why the first does not run an op, by op and operands, for ops without graphs inside; `None` if it does.
    known: Mutex<HashMap<Vec<u8>, Option<String>>>,
}

impl HybridClaims {
    /// Creates the claims of two backends.
    pub fn new(first: Arc<dyn Backend>, second: Arc<dyn Backend>) -> HybridClaims {
        HybridClaims { first, second, known: Mutex::default() }
    }

    /// Returns why the first has no values of one of these shapes, if it has none.
    fn refused_shape(&self, operands: &[Shape], results: &[Shape]) -> Option<String> {
        let claims = self.first.claims();
        operands.iter().chain(results).find_map(|shape| claims.refused_type(shape.dtype()))
    }

    /// Returns why the device does not run an op, if it does not; `native` says whether it claims the op.
    fn why_not(&self, op: &Op, operands: &[Shape], results: &[Shape], native: bool) -> Option<String> {
        let mut inside = false;
        op.for_each_graph(&mut |_| inside = true);
        if native && !inside {
            return None;
        }
        if inside {
            return self.found(op, operands, results).or_else(|| self.body_why_not(op));
        }
        let mut key = Key::default();
        key.op(op);
        operands.iter().for_each(|shape| key.shape(shape));
        // An answer is either remembered completely or not at all.
        let lock = || rlx_pool::lock(&self.known);
        if let Some(known) = lock().get(key.bytes()) {
            return known.clone();
        }
        let found = self.found(op, operands, results);
        let mut known = lock();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key.bytes().to_vec(), found.clone());
        found
    }

    /// Computes the answer by legalizing the op alone.
    fn found(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Option<String> {
        let mut alone = Graph::new(op.mnemonic());
        let inputs = operands.iter().enumerate().map(|(i, s)| alone.input(format!("x{i}"), s.clone()));
        let inputs = inputs.collect();
        let id = alone.push(op.clone(), inputs, results.to_vec());
        let outputs = alone.project(id);
        alone.set_outputs(outputs);
        let claims = self.first.claims();
        match legalize(&alone, self.first.device().name(), claims, &CompileOptions::new()) {
            Ok((legal, _)) => {
                let loops = |graph: &Graph| graph.nodes().iter().any(|node| node.op().is_control());
                (!op.is_control() && loops(&legal))
                    .then(|| "the device can only run it as a loop of many small operations".into())
            }
            Err(LegalizeError::Unsupported(report)) => report.unsupported().next().map(|entry| {
                let shapes: Vec<String> = entry.operands.iter().map(Shape::to_string).collect();
                let reason = match claims.claim(op, operands, results) {
                    Claim::No(why) => why.filter(|_| entry.op == op.mnemonic()),
                    Claim::Native | Claim::Host(_) => None,
                };
                match reason {
                    Some(reason) => reason,
                    None => format!("the device has no `{}` for ({})", entry.op, shapes.join(", ")),
                }
            }),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Returns why the device does not run the graphs inside an op, if it does not.
    fn body_why_not(&self, op: &Op) -> Option<String> {
        let mut found = None;
        op.for_each_graph(&mut |body| {
            for node in body.nodes() {
                if found.is_some() || node.is_projection() || is_leaf(node.op()) {
                    continue;
                }
                let operands: Vec<Shape> = node.inputs().iter().map(|&i| body.shape(i).clone()).collect();
                let (op, results) = (node.op(), node.results());
                let why = self.refused_shape(&operands, results).or_else(|| {
                    let native = self.first.claims().runs(op, &operands, results);
                    self.why_not(op, &operands, results, native)
                });
                found = why.map(|why| format!("it contains `{}`: {why}", node.op().mnemonic()));
            }
        });
        found
    }

    /// Whether the second runs an op, directly or after decomposition.
    fn second_has(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        op.kind().class() == OpClass::Composite || self.second.claims().runs(op, operands, results)
    }
}

/// Whether an op only names a value from outside.
pub(crate) fn is_leaf(op: &Op) -> bool {
    op.kind().class() == OpClass::Leaf
}

/// Whether the op only wraps a graph, so that it is not placed as a whole.
fn is_bracket(op: &Op) -> bool {
    let mut inside = false;
    op.for_each_graph(&mut |_| inside = true);
    inside && op.kind().class() == OpClass::Composite
}

impl Claims for HybridClaims {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        let refused = if is_leaf(op) { None } else { self.refused_shape(operands, results) };
        let own = match &refused {
            Some(why) => Claim::No(Some(why.clone())),
            None => self.first.claims().claim(op, operands, results),
        };
        if is_leaf(op) || is_bracket(op) && !own.runs() {
            return own;
        }
        let why = refused.or_else(|| self.why_not(op, operands, results, own.runs()));
        let second_has = || self.second_has(op, operands, results);
        match (why, own) {
            // The first has a host of its own, and runs it there.
            (None, Claim::Host(_)) if !second_has() => Claim::Native,
            (None, own) => own,
            (Some(why), _) if is_bracket(op) || second_has() => Claim::Host(why),
            (Some(why), _) => Claim::No(Some(why)),
        }
    }

    fn rewrites(&self) -> Option<&dyn Rewrites> {
        self.first.claims().rewrites()
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        // Values of a type that the first does not support may still be the second's.
        let first = self.first.claims().refused_type(dtype);
        first.and_then(|_| self.second.claims().refused_type(dtype))
    }

    fn static_sizes(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        self.first.claims().static_sizes(op, operands, results)
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        self.first.claims().fuses(kind)
    }

    fn accepts(&self, kind: FusionKind, body: &Graph) -> bool {
        self.first.claims().accepts(kind, body)
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        let first = self.first.claims();
        first.refused_type(dtype).is_none() && first.elementwise(op, dtype)
    }
}
