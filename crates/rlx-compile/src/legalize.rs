//! Legalisation: keeps what the backend claims, decomposes composites that it does not, rewrites primitives that it does not in
//! simpler ones, and reports what is left.

use crate::bodies::with_bodies;
use crate::dispatch::{Decision, DispatchEntry, DispatchReport, format_dispatch_report};
use crate::options::CompileOptions;
use rlx_fusion::Claims;
use rlx_ir::rewrite::{remove_dead, rewrite};
use rlx_ir::{Graph, Node, NodeId, Op, OpClass, OpError, Shape};

/// Why a graph is not legal on a backend.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LegalizeError {
    /// Some nodes run in no way; the report lists all of them.
    #[error("{}", format_dispatch_report(.0))]
    Unsupported(DispatchReport),
    /// A composite gave no decomposition.
    #[error("`{op}` at {label:?}: {source}")]
    Decompose {
        /// The composite.
        op: String,
        /// Its model path.
        label: String,
        /// What its definition said.
        source: OpError,
    },
}

/// The graph in ops that the backend runs, and how each node came to run.
pub fn legalize(
    graph: &Graph,
    device: &str,
    claims: &dyn Claims,
    options: &CompileOptions,
) -> Result<(Graph, DispatchReport), LegalizeError> {
    let report = DispatchReport { device: device.into(), entries: Vec::new() };
    let mut legalizer = Legalizer { claims, options, report, rewriting: Vec::new() };
    let legal = legalizer.graph(graph, 0)?;
    if legalizer.report.is_supported() {
        Ok((legal, legalizer.report))
    } else {
        Err(LegalizeError::Unsupported(legalizer.report))
    }
}

struct Legalizer<'a> {
    claims: &'a dyn Claims,
    options: &'a CompileOptions,
    report: DispatchReport,
    /// The primitives in whose expansions the walk stands.
    rewriting: Vec<(Op, Vec<Shape>)>,
}

impl Legalizer<'_> {
    fn graph(&mut self, graph: &Graph, depth: usize) -> Result<Graph, LegalizeError> {
        let legal = rewrite(graph, |rw, node, inputs| {
            let operands: Vec<Shape> = inputs.iter().map(|&i| rw.graph().shape(i).clone()).collect();
            self.node(rw.graph(), node, inputs, &operands, depth)
        })?;
        Ok(remove_dead(legal.as_ref().unwrap_or(graph)))
    }

    /// What becomes of a node, with its operands in the new graph.
    fn node(
        &mut self,
        new: &mut Graph,
        node: &Node,
        inputs: &[NodeId],
        operands: &[Shape],
        depth: usize,
    ) -> Result<Option<Vec<NodeId>>, LegalizeError> {
        let op = node.op();
        let class = op.kind().class();
        if class == OpClass::Leaf || matches!(op, Op::Output { .. }) {
            return Ok(None);
        }
        let composite = class == OpClass::Composite;
        let claimed = self.claims.native(op, operands, node.results());
        if claimed && !(composite && self.options.decomposes(op.kind())) {
            self.report.entries.push(entry(node, operands, Decision::Native, depth));
            return self.legal_subgraphs(new, node, inputs, depth);
        }
        if !composite {
            return self.rewritten(new, node, inputs, operands, depth);
        }
        self.report.entries.push(entry(node, operands, Decision::CommonIr, depth));
        let body = op.decompose(operands).map_err(|source| LegalizeError::Decompose {
            op: op.mnemonic().into(),
            label: node.label().into(),
            source,
        })?;
        let body = self.graph(&body, depth + 1)?;
        Ok(Some(new.inline(&body, inputs)))
    }

    /// Replaces a primitive by its expansion, which is legalised in turn. Where it has none, or comes back in its own, it is
    /// unsupported.
    fn rewritten(
        &mut self,
        new: &mut Graph,
        node: &Node,
        inputs: &[NodeId],
        operands: &[Shape],
        depth: usize,
    ) -> Result<Option<Vec<NodeId>>, LegalizeError> {
        let this = (node.op().clone(), operands.to_vec());
        let expansion =
            rlx_expand::expand_graph(node.op(), operands).filter(|_| !self.rewriting.contains(&this));
        let body = match expansion {
            Some(Ok(body)) => body,
            other => {
                let why = other.and_then(Result::err).map(|e| e.to_string());
                let unsupported = entry(node, operands, Decision::Unsupported, depth);
                self.report.entries.push(DispatchEntry { why, ..unsupported });
                return Ok(None);
            }
        };
        self.report.entries.push(entry(node, operands, Decision::Rewritten, depth));
        self.rewriting.push(this);
        let body = self.graph(&body, depth + 1);
        self.rewriting.pop();
        Ok(Some(new.inline(&body?, inputs)))
    }

    /// Keeps a node, with its sub-graphs legalised.
    fn legal_subgraphs(
        &mut self,
        new: &mut Graph,
        node: &Node,
        inputs: &[NodeId],
        depth: usize,
    ) -> Result<Option<Vec<NodeId>>, LegalizeError> {
        let legal = with_bodies(node.op(), |body| self.graph(body, depth + 1))?;
        let Some(op) = legal else { return Ok(None) };
        let id = new.push(op, inputs.to_vec(), node.results().to_vec());
        Ok(Some(new.project(id)))
    }
}

fn entry(node: &Node, operands: &[Shape], decision: Decision, depth: usize) -> DispatchEntry {
    DispatchEntry {
        kind: node.op().kind(),
        op: node.op().mnemonic(),
        label: node.label().into(),
        operands: operands.to_vec(),
        decision,
        depth,
        why: None,
    }
}
