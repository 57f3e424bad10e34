//! Legalization: keeps what the backend claims, decomposes other composites, expands other primitives, and
//! reports the rest.

use crate::bodies::with_bodies;
use crate::dispatch::{Decision, DispatchEntry, DispatchReport, format_dispatch_report};
use crate::options::CompileOptions;
use rlx_fusion::{Claim, Claims, needs_static_sizes};
use rlx_ir::op::Recent;
use rlx_ir::rewrite::{Rewrite, rewrite};
use rlx_ir::{Graph, Node, NodeId, Op, OpClass, OpError, OpKind, Shape};
use std::collections::HashMap;
use std::sync::Arc;

/// Why a graph is not legal on a backend.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LegalizeError {
    /// Some nodes cannot run. The report lists all of them.
    #[error("{}", format_dispatch_report(.0))]
    Unsupported(DispatchReport),
    /// A composite has no decomposition for its operands.
    #[error("`{op}` at {label:?}: {source}")]
    Decompose {
        /// The composite.
        op: String,
        /// Its model path.
        label: String,
        /// The error of its definition.
        source: OpError,
    },
}

/// Rewrites the graph in ops that the backend runs, and reports how each node runs.
///
/// # Errors
/// Returns a [`LegalizeError`] if some nodes cannot run, or a composite has no decomposition for its operands.
pub fn legalize(
    graph: &Graph,
    device: &str,
    claims: &dyn Claims,
    options: &CompileOptions,
) -> Result<(Graph, DispatchReport), LegalizeError> {
    let report = DispatchReport { device: device.into(), ..DispatchReport::default() };
    let mut legalizer = Legalizer {
        claims,
        options,
        report,
        rewriting: Vec::new(),
        recent: Recent::default(),
        decomposed: HashMap::new(),
    };
    legalizer.report.entries.reserve(graph.nodes().len());
    let legal = legalizer.graph(graph, 0)?;
    if legalizer.report.is_supported() {
        Ok((legal, legalizer.report))
    } else {
        Err(LegalizeError::Unsupported(legalizer.report))
    }
}

/// Returns whether a backend with these claims runs every node of a graph unchanged, including fused nodes and the graphs inside nodes.
/// This holds for every graph that was lowered for the backend.
pub fn is_legal(graph: &Graph, claims: &dyn Claims) -> bool {
    graph.nodes().iter().all(|node| {
        let op = node.op();
        let mut legal = match op {
            _ if node.is_projection() => true,
            Op::Fusion { kind, body } => claims.accepts(*kind, body),
            _ if op.kind().class() == OpClass::Leaf => claims.refused_type(node.shape().dtype()).is_none(),
            _ => {
                let operands: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
                claims.runs(op, &operands, node.results())
            }
        };
        op.for_each_graph(&mut |body| legal = legal && is_legal(body, claims));
        legal
    })
}

struct Legalizer<'a> {
    claims: &'a dyn Claims,
    options: &'a CompileOptions,
    report: DispatchReport,
    /// The primitives that are currently being expanded, one inside the other.
    rewriting: Vec<(Op, Vec<Shape>)>,
    recent: Recent,
    /// For each kind of composite, its last decomposition, legalized.
    decomposed: HashMap<OpKind, Decomposed>,
}

/// A legalized decomposition.
struct Decomposed {
    body: Arc<Graph>,
    depth: usize,
    legal: Arc<Graph>,
    /// The report's entries for its nodes.
    entries: Vec<DispatchEntry>,
}

impl Legalizer<'_> {
    fn graph(&mut self, graph: &Graph, depth: usize) -> Result<Graph, LegalizeError> {
        let legal = rewrite(graph, |rw, node, inputs| self.node(rw, node, inputs, depth))?;
        let mut legal = legal.unwrap_or_else(|| graph.clone());
        legal.remove_dead();
        Ok(legal)
    }

    /// Returns the replacement of a node, which has its operands in the new graph. `None` keeps the node.
    fn node(
        &mut self,
        rw: &mut Rewrite<'_>,
        node: &Node,
        inputs: &[NodeId],
        depth: usize,
    ) -> Result<Option<Vec<NodeId>>, LegalizeError> {
        let op = node.op();
        let class = op.kind().class();
        if class == OpClass::Leaf
            && let Some(why) = self.claims.refused_type(node.shape().dtype())
        {
            let unsupported = entry(node, Vec::new(), Decision::Unsupported, depth);
            self.report.entries.push(DispatchEntry { why: Some(why), ..unsupported });
        }
        if class == OpClass::Leaf || node.is_projection() {
            return Ok(None);
        }
        let operands: Vec<Shape> = inputs.iter().map(|&i| rw.shape(i).clone()).collect();
        let composite = class == OpClass::Composite;
        let claim = self.claims.claim(op, &operands, node.results());
        let runs = match &claim {
            Claim::Native => Some((Decision::Native, None)),
            Claim::Host(why) => Some((Decision::Host, Some(why.clone()))),
            Claim::No(_) => None,
        };
        if let Some((decision, why)) = runs.filter(|_| !(composite && self.options.decomposes(op.kind()))) {
            let static_sizes = needs_static_sizes(self.claims, op, &operands, node.results());
            let native = entry(node, operands, decision, depth);
            self.report.entries.push(DispatchEntry { static_sizes, why, ..native });
            return self.legal_subgraphs(rw, node, inputs, depth);
        }
        if !composite {
            let why = if let Claim::No(why) = claim { why } else { None };
            return self.rewritten(rw, node, inputs, (operands, why), depth);
        }
        self.report.entries.push(entry(node, operands.clone(), Decision::CommonIr, depth));
        let body = self.recent.decompose(op, &operands).map_err(|source| LegalizeError::Decompose {
            op: op.mnemonic().into(),
            label: node.label().into(),
            source,
        })?;
        let legal = self.decomposed(op.kind(), &body, depth + 1)?;
        Ok(Some(rw.graph().inline(&legal, inputs)))
    }

    /// Returns a decomposition in legal ops, and reports the entries of its nodes. Equal composites in a row are legalized once.
    fn decomposed(
        &mut self,
        kind: OpKind,
        body: &Arc<Graph>,
        depth: usize,
    ) -> Result<Arc<Graph>, LegalizeError> {
        // The result inside an expansion depends on the expansions around it.
        let is_known = |last: &&Decomposed| Arc::ptr_eq(&last.body, body) && last.depth == depth;
        if self.rewriting.is_empty()
            && let Some(last) = self.decomposed.get(&kind).filter(is_known)
        {
            self.report.entries.extend_from_slice(&last.entries);
            return Ok(last.legal.clone());
        }
        let first = self.report.entries.len();
        let legal = Arc::new(self.graph(body, depth)?);
        if self.rewriting.is_empty() {
            let entries = self.report.entries[first..].to_vec();
            let made = Decomposed { body: body.clone(), depth, legal: legal.clone(), entries };
            self.decomposed.insert(kind, made);
        }
        Ok(legal)
    }

    /// Replaces a primitive with its expansion, which is legalized in turn. If it has none, or its own expansion contains it again, it is
    /// unsupported. The reported reason is that of the expansion, or `why`, the backend's reason for declining it.
    fn rewritten(
        &mut self,
        rw: &mut Rewrite<'_>,
        node: &Node,
        inputs: &[NodeId],
        (operands, why): (Vec<Shape>, Option<String>),
        depth: usize,
    ) -> Result<Option<Vec<NodeId>>, LegalizeError> {
        let this = (node.op().clone(), operands.clone());
        let rewrites = self.claims.rewrites();
        let own = rewrites.and_then(|own| own.rewritten(node.op(), &operands, node.results()));
        let expansion = match own {
            Some(Ok(body)) => Some(Ok(body)),
            own => rlx_expand::expand_graph(node.op(), &operands).or(own),
        };
        let body = match expansion.filter(|_| !self.rewriting.contains(&this)) {
            Some(Ok(body)) => body,
            other => {
                let why = other.and_then(Result::err).map(|e| e.to_string()).or(why);
                let unsupported = entry(node, operands, Decision::Unsupported, depth);
                self.report.entries.push(DispatchEntry { why, ..unsupported });
                return Ok(None);
            }
        };
        self.report.entries.push(entry(node, operands, Decision::Rewritten, depth));
        self.rewriting.push(this);
        let body = self.graph(&body, depth + 1);
        self.rewriting.pop();
        Ok(Some(rw.graph().inline(&body?, inputs)))
    }

    /// Keeps a node and legalizes its sub-graphs.
    fn legal_subgraphs(
        &mut self,
        rw: &mut Rewrite<'_>,
        node: &Node,
        inputs: &[NodeId],
        depth: usize,
    ) -> Result<Option<Vec<NodeId>>, LegalizeError> {
        let legal = with_bodies(node.op(), |body| self.graph(body, depth + 1))?;
        let Some(op) = legal else { return Ok(None) };
        let id = rw.graph().push(op, inputs.to_vec(), node.results().to_vec());
        Ok(Some(rw.graph().project(id)))
    }
}

fn entry(node: &Node, operands: Vec<Shape>, decision: Decision, depth: usize) -> DispatchEntry {
    DispatchEntry {
        kind: node.op().kind(),
        op: node.op().mnemonic(),
        label: node.label_arc().clone(),
        operands,
        decision,
        depth,
        static_sizes: false,
        why: None,
    }
}
