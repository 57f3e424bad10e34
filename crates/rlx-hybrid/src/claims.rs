//! The ops that a device and its host run together, and which of the two runs a node.

use rlx_compile::{Claim, Claims, CompileOptions, LegalizeError, Rewrites, legalize};
use rlx_ir::op::Key;
use rlx_ir::{DType, FusionKind, Graph, Op, OpClass, Shape};
use std::collections::HashMap;
use std::sync::Mutex;

/// Maximum number of remembered answers.
const MAX_KNOWN: usize = 4096;

/// The claims of a device with a host that runs what the device cannot: ops that the device neither runs directly nor after decomposition.
/// The host also runs ops that the device could only run as a loop of many small operations.
pub struct HybridClaims<D, H> {
    name: &'static str,
    device: D,
    host: H,
    /// Why the device does not run an op, by op and operands, for ops without graphs inside; `None` if it does.
    known: Mutex<HashMap<Vec<u8>, Option<String>>>,
}

impl<D: Claims, H: Claims> HybridClaims<D, H> {
    /// Creates the claims of the device of this name together with those of its host.
    pub fn new(name: &'static str, device: D, host: H) -> HybridClaims<D, H> {
        HybridClaims { name, device, host, known: Mutex::default() }
    }

    /// Returns the device's own claims.
    pub fn device(&self) -> &D {
        &self.device
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
        match legalize(&alone, self.name, &self.device, &CompileOptions::new()) {
            Ok((legal, _)) => {
                let loops = |graph: &Graph| graph.nodes().iter().any(|node| node.op().is_control());
                (!op.is_control() && loops(&legal))
                    .then(|| "the device can only run it as a loop of many small operations".into())
            }
            Err(LegalizeError::Unsupported(report)) => report.unsupported().next().map(|entry| {
                let shapes: Vec<String> = entry.operands.iter().map(Shape::to_string).collect();
                let reason = match self.device.claim(op, operands, results) {
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
                let native = self.device.runs(node.op(), &operands, node.results());
                let why = self.why_not(node.op(), &operands, node.results(), native);
                found = why.map(|why| format!("it contains `{}`: {why}", node.op().mnemonic()));
            }
        });
        found
    }

    fn host_has(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        op.kind().class() == OpClass::Composite || self.host.runs(op, operands, results)
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

impl<D: Claims, H: Claims> Claims for HybridClaims<D, H> {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        let own = self.device.claim(op, operands, results);
        if is_leaf(op) || is_bracket(op) && !own.runs() {
            return own;
        }
        match self.why_not(op, operands, results, own.runs()) {
            None => own,
            Some(why) if is_bracket(op) || self.host_has(op, operands, results) => Claim::Host(why),
            Some(why) => Claim::No(Some(why)),
        }
    }

    fn rewrites(&self) -> Option<&dyn Rewrites> {
        self.device.rewrites()
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        // What the device has no values of may still be the host's.
        self.device.refused_type(dtype).and_then(|_| self.host.refused_type(dtype))
    }

    fn static_sizes(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        self.device.static_sizes(op, operands, results)
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        self.device.fuses(kind)
    }

    fn accepts(&self, kind: FusionKind, body: &Graph) -> bool {
        self.device.accepts(kind, body)
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        self.device.elementwise(op, dtype)
    }
}
