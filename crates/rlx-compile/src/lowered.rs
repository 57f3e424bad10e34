//! Lowered graphs and their binding to sizes.
//!
//! A backend prepares a [`Lowered`] graph once for all sizes. A [`Bound`] is the same graph with its symbols
//! bound. A [`BoundCache`] keeps the programs of the most recent bindings.

use crate::alias::{Alias, AliasError, check_aliases};
use crate::dispatch::DispatchReport;
use crate::options::CompileOptions;
use crate::structure::Structure;
use rlx_fusion::{Claims, needs_static_sizes};
use rlx_ir::{Bindings, DimError, Graph, Node, NodeId, Op, Shape, Violations, verify_lowered};
use std::sync::{Arc, Mutex};

/// A graph ready for a backend: legal, simplified, fused and scheduled. Its sizes may be symbols. Cloning is cheap, because clones share
/// the graph.
#[derive(Clone, Debug)]
pub struct Lowered {
    structure: Arc<Structure>,
    aliases: Vec<Alias>,
    options: CompileOptions,
    report: Option<Arc<DispatchReport>>,
    is_static: bool,
}

/// A lowered graph at certain sizes. Only its classes are bound; [`graph`](Bound::graph) makes the whole graph from them.
#[derive(Clone, Debug)]
pub struct Bound {
    pub(crate) structure: Arc<Structure>,
    pub(crate) class_graph: Arc<Graph>,
}

impl Bound {
    /// Wraps a static graph with nodes in execution order, in which each node is a separate class.
    pub fn unclassified(graph: &Arc<Graph>) -> Bound {
        Bound { structure: Arc::new(Structure::unclassified(graph.clone())), class_graph: graph.clone() }
    }

    /// Returns the lowered graph: ops, operands, names, labels and constants. Its sizes may be symbols.
    pub fn lowered_graph(&self) -> &Graph {
        &self.structure.graph
    }

    /// Returns a graph with one node per class and static sizes. Each node is the first member of its class, with the nodes of the
    /// operands' classes as operands. Members of a class have the same op and attributes, and operands and results of the same shapes.
    /// Corresponding operands are all parameters, all constants, or all neither. Leaves have the name or value of the first member.
    pub fn class_graph(&self) -> &Graph {
        &self.class_graph
    }

    /// Returns the class of a node, which is an index into [`class_graph`](Bound::class_graph).
    pub fn class_of(&self, node: NodeId) -> usize {
        self.structure.class_of(node)
    }

    /// Returns the first member of a class.
    pub fn first_of(&self, class: usize) -> NodeId {
        self.structure.first_of[class]
    }

    /// Returns the node that represents a node in [`class_graph`](Bound::class_graph).
    pub fn node(&self, node: NodeId) -> &Node {
        &self.class_graph.nodes()[self.structure.class_of(node)]
    }

    /// Returns the whole graph with static sizes.
    pub fn graph(&self) -> Arc<Graph> {
        if Arc::ptr_eq(&self.class_graph, &self.structure.graph) {
            return self.class_graph.clone();
        }
        let lowered = &*self.structure.graph;
        let mut graph = Graph::new(lowered.name());
        for node in lowered.nodes() {
            let of_class = self.node(node.id());
            let op = match node.op() {
                Op::Input { .. } | Op::Param { .. } | Op::Constant { .. } => node.op_arc(),
                _ => of_class.op_arc(),
            };
            graph.set_label(node.label_arc().clone());
            graph.push(op.clone(), node.inputs().to_vec(), of_class.results().to_vec());
        }
        graph.set_label("");
        graph.set_outputs(lowered.outputs().to_vec());
        Arc::new(graph)
    }
}

/// Maximum number of bindings in a cache.
const MAX_BOUND: usize = 64;

/// The programs that a backend made of a lowered graph, by binding. All clones of an executable share the cache. Its size is bounded; the
/// least recently used program is dropped first.
pub struct BoundCache<T>(Mutex<Vec<(Bindings, Arc<T>)>>);

impl<T> Default for BoundCache<T> {
    fn default() -> Self {
        BoundCache(Mutex::default())
    }
}

impl<T> BoundCache<T> {
    /// Returns the program for these sizes, which `make` makes if there is none yet. Other callers wait meanwhile, because they may want
    /// the same program.
    pub fn get(
        &self,
        bindings: &Bindings,
        make: impl FnOnce() -> Result<T, BindError>,
    ) -> Result<Arc<T>, BindError> {
        // A panic in `make` leaves the list intact, because an entry is pushed only once it is complete.
        let mut list = rlx_pool::lock(&self.0);
        if let Some(at) = list.iter().rposition(|(known, _)| known == bindings) {
            list[at..].rotate_left(1);
        } else {
            let made = Arc::new(make()?);
            if list.len() >= MAX_BOUND {
                list.remove(0);
            }
            list.push((bindings.clone(), made));
        }
        // INVARIANT: the entry that was found or made is the last one.
        Ok(list[list.len() - 1].1.clone())
    }
}

/// Why sizes do not fit a graph.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum BindError {
    /// A symbol has no size, or an expression has an impossible one.
    #[error(transparent)]
    Dim(#[from] DimError),
    /// With these sizes the graph is not valid.
    #[error("with {sizes}: {violations}")]
    Invalid {
        /// The sizes, as text.
        sizes: String,
        /// What is wrong.
        violations: Violations,
    },
    /// With these sizes the backend cannot run the graph.
    #[error(transparent)]
    Backend(#[from] crate::error::BackendError),
}

impl Lowered {
    /// Wraps a legal, scheduled graph with its alias pairs. `report` is `None` for a program that an earlier compile stored.
    ///
    /// # Errors
    /// Returns an [`AliasError`] if the pairs do not fit the graph.
    pub fn new(
        graph: Graph,
        aliases: &[Alias],
        options: &CompileOptions,
        report: Option<DispatchReport>,
    ) -> Result<Lowered, AliasError> {
        check_aliases(&graph, aliases)?;
        Ok(Self::of_aliased(graph, aliases, options, report.map(Arc::new)))
    }

    /// Does the same for alias pairs that are known to fit the graph.
    fn of_aliased(
        graph: Graph,
        aliases: &[Alias],
        options: &CompileOptions,
        report: Option<Arc<DispatchReport>>,
    ) -> Lowered {
        let structure = Arc::new(Structure::new(Arc::new(graph), aliases));
        let mut is_static = true;
        structure.class_graph.for_each_dim(&mut |dim| is_static &= dim.as_static().is_some());
        Lowered { structure, aliases: aliases.to_vec(), options: options.clone(), report, is_static }
    }

    /// Returns the graph.
    pub fn graph(&self) -> &Graph {
        &self.structure.graph
    }

    /// Returns the outputs that update state buffers.
    pub fn aliases(&self) -> &[Alias] {
        &self.aliases
    }

    /// Returns the options that the graph was compiled with.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Returns the report of how each node runs, or `None` for a program that an earlier compile stored.
    pub fn report(&self) -> Option<&DispatchReport> {
        self.report.as_deref()
    }

    /// Returns whether the graph has no symbols, so that all bindings are the same.
    pub fn is_static(&self) -> bool {
        self.is_static
    }

    /// Returns whether `claims` need static sizes for a node of the graph that has symbols.
    pub fn needs_static_sizes(&self, claims: &dyn Claims) -> bool {
        !self.is_static && has_claimed_static(&self.structure.class_graph, claims)
    }

    /// Returns the graph at these sizes as a separate lowered graph without symbols, with the same alias pairs, options and report.
    pub fn at(&self, bindings: &Bindings) -> Result<Lowered, BindError> {
        if self.is_static {
            return Ok(self.clone());
        }
        let graph = Arc::unwrap_or_clone(self.bind(bindings)?.graph());
        Ok(Self::of_aliased(graph, &self.aliases, &self.options, self.report.clone()))
    }

    /// Returns the graph with its symbols unbound.
    pub fn open(&self) -> Bound {
        Bound { class_graph: self.structure.class_graph.clone(), structure: self.structure.clone() }
    }

    /// Binds the graph to these sizes, and checks each class.
    ///
    /// # Errors
    /// Returns a [`BindError`] if a size is missing or impossible, or an op is not defined at these sizes.
    pub fn bind(&self, bindings: &Bindings) -> Result<Bound, BindError> {
        let structure = self.structure.clone();
        if self.is_static {
            return Ok(Bound { class_graph: structure.class_graph.clone(), structure });
        }
        let mut bound = Graph::new(self.graph().name());
        for node in structure.class_graph.nodes() {
            let (op, results) = self.bound_node(&bound, node, bindings)?;
            bound.set_label(node.label_arc().clone());
            bound.push(op, node.inputs().to_vec(), results);
        }
        Ok(Bound { class_graph: Arc::new(bound), structure })
    }

    /// Returns the node of a class at these sizes. Its operands are already bound.
    fn bound_node(
        &self,
        bound: &Graph,
        node: &Node,
        bindings: &Bindings,
    ) -> Result<(Op, Vec<Shape>), BindError> {
        let mut op = node.op().clone();
        op.bind(bindings);
        let results: Result<Vec<Shape>, DimError> = node.results().iter().map(|s| s.eval(bindings)).collect();
        let results = results?;
        let operands: Vec<Shape> = match op {
            Op::Output { .. } => return Ok((op, results)),
            _ => node.inputs().iter().map(|&i| bound.shape(i).clone()).collect(),
        };
        let is_leaf = matches!(op, Op::Input { .. } | Op::Param { .. } | Op::Constant { .. });
        if is_leaf || is_valid(&op, &operands, &results) {
            return Ok((op, results));
        }
        // The verifier finds out what exactly is wrong.
        let sizes: Vec<String> = bindings.iter().map(|(symbol, size)| format!("{symbol} = {size}")).collect();
        let violations = match verify_lowered(&self.graph().bind(bindings)) {
            Err(violations) => violations,
            Ok(()) => {
                let mut alone = Graph::new(self.graph().name());
                alone.set_label(node.label_arc().clone());
                let inputs =
                    operands.iter().enumerate().map(|(i, s)| alone.input(format!("x{i}"), s.clone()));
                let inputs = inputs.collect();
                let id = alone.push(op.clone(), inputs, results.clone());
                let outputs = alone.project(id);
                alone.set_outputs(outputs);
                match verify_lowered(&alone) {
                    Err(violations) => violations,
                    Ok(()) => return Ok((op, results)),
                }
            }
        };
        Err(BindError::Invalid { sizes: sizes.join(", "), violations })
    }
}

/// Whether a node of the graph, or of a graph inside one, has symbols where `claims` need static sizes.
fn has_claimed_static(graph: &Graph, claims: &dyn Claims) -> bool {
    graph.nodes().iter().filter(|node| !matches!(node.op(), Op::Output { .. })).any(|node| {
        let operands: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
        let mut found = needs_static_sizes(claims, node.op(), &operands, node.results());
        node.op().for_each_graph(&mut |body| found = found || has_claimed_static(body, claims));
        found
    })
}

/// Whether an op has these results for these operands, and the graphs inside it are consistent.
fn is_valid(op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
    let mut valid = match op {
        Op::Fusion { body, .. } => body.input_shapes() == operands && body.output_shapes() == results,
        _ => op.infer(operands).is_ok_and(|inferred| inferred == results),
    };
    op.for_each_graph(&mut |body| valid = valid && verify_lowered(body).is_ok());
    valid
}
