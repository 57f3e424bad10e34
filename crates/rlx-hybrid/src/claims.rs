//! The ops that a device and its host run together, and which of the two runs a node.

use rlx_compile::{Claims, CompileOptions, LegalizeError, legalize};
use rlx_ir::op::Key;
use rlx_ir::{FusionKind, Graph, Op, OpClass, OpError, Shape};
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
                let reason = self.device.refusal(op, operands, results).filter(|_| entry.op == op.mnemonic());
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
                let native = self.device.native(node.op(), &operands, node.results());
                let why = self.why_not(node.op(), &operands, node.results(), native);
                found = why.map(|why| format!("it contains `{}`: {why}", node.op().mnemonic()));
            }
        });
        found
    }

    fn host_has(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        op.kind().class() == OpClass::Composite || self.host.native(op, operands, results)
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
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        let native = self.device.native(op, operands, results);
        if is_bracket(op) {
            return native;
        }
        match self.why_not(op, operands, results, native) {
            None => native,
            Some(_) => self.host_has(op, operands, results),
        }
    }

    fn opened(&self, graph: &Graph) -> Option<Graph> {
        self.device.opened(graph)
    }

    fn recognize(&self, graph: &Graph) -> Option<Graph> {
        self.device.recognize(graph)
    }

    fn on_host(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Option<String> {
        if is_leaf(op) {
            return None;
        }
        self.why_not(op, operands, results, self.device.native(op, operands, results))
    }

    fn refusal(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Option<String> {
        self.device.refusal(op, operands, results)
    }

    fn rewritten(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Option<Result<Graph, OpError>> {
        self.device.rewritten(op, operands, results)
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
}
