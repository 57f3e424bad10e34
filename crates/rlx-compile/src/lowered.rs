//! Lowered graphs, and their binding: what a backend prepares once for all sizes, and the same graph with its symbols bound.
//!
//! Nodes that differ in their place alone form a *class*: the same op on operands of the same shapes. The layers of a model are
//! mostly the same few classes, so that a binding infers shapes, and a backend prepares kernels, once per class.

use crate::alias::{Alias, AliasError, check_aliases};
use crate::dispatch::DispatchReport;
use crate::options::CompileOptions;
use rlx_ir::{Bindings, DimError, Graph, Node, Op, Shape, Violations, verify};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Constants in bodies with more bytes than this are compared by their place in memory.
const MAX_COMPARED: usize = 256;

/// A graph ready for a backend: legal, simplified, fused and scheduled. Its sizes may be symbols. Cloning shares what is large.
#[derive(Clone, Debug)]
pub struct Lowered {
    graph: Arc<Graph>,
    /// For each node its class.
    classes: Arc<[u32]>,
    aliases: Vec<Alias>,
    options: CompileOptions,
    report: Option<Arc<DispatchReport>>,
    is_static: bool,
}

/// A lowered graph at certain sizes: all shapes are static.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The graph.
    pub graph: Arc<Graph>,
    /// For each node its class: nodes of a class have the same op and attributes, operands and results of the same shapes, and
    /// operands that are parameters, constants or neither alike. Classes are numbered from 0 in the order of first members.
    pub classes: Arc<[u32]>,
}

/// Bindings that a cache holds.
const MAX_BOUND: usize = 64;

/// What a backend made of a lowered graph for each binding: shared by all clones of an executable, and bounded. What was used least
/// recently goes first.
pub struct BoundCache<T>(Mutex<Vec<(Bindings, Arc<T>)>>);

impl<T> Default for BoundCache<T> {
    fn default() -> Self {
        BoundCache(Mutex::default())
    }
}

impl<T> BoundCache<T> {
    /// What was made for these sizes, by `make` if it is not there. Others wait meanwhile: they may want the same.
    pub fn get(
        &self,
        bindings: &Bindings,
        make: impl FnOnce() -> Result<T, BindError>,
    ) -> Result<Arc<T>, BindError> {
        // A panic while something is made leaves the list whole: entries are pushed last.
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    /// A symbol has no size, or an expression none that can be.
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
    Backend(#[from] crate::backend::BackendError),
}

impl Lowered {
    /// A legal, scheduled graph with its alias pairs. `report` is missing for one that an earlier compile left.
    pub fn new(
        graph: Graph,
        aliases: &[Alias],
        options: &CompileOptions,
        report: Option<DispatchReport>,
    ) -> Result<Lowered, AliasError> {
        check_aliases(&graph, aliases)?;
        let mut is_static = true;
        graph.for_each_dim(&mut |dim| is_static &= dim.as_static().is_some());
        Ok(Lowered {
            classes: classes(&graph).into(),
            graph: Arc::new(graph),
            aliases: aliases.to_vec(),
            options: options.clone(),
            report: report.map(Arc::new),
            is_static,
        })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The outputs that update state buffers.
    pub fn aliases(&self) -> &[Alias] {
        &self.aliases
    }

    /// The options that it was compiled with.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// How each node runs; `None` for a program that was read from where an earlier compile left it.
    pub fn report(&self) -> Option<&DispatchReport> {
        self.report.as_deref()
    }

    /// Whether the graph has no symbols: every binding is then the same.
    pub fn is_static(&self) -> bool {
        self.is_static
    }

    /// The graph at these sizes. Each class is checked: a size for which an op is not defined is an error.
    pub fn bind(&self, bindings: &Bindings) -> Result<Bound, BindError> {
        if self.is_static {
            return Ok(Bound { graph: self.graph.clone(), classes: self.classes.clone() });
        }
        let mut graph = Graph::new(self.graph.name());
        let mut bound: Vec<Option<(Op, Vec<Shape>)>> = Vec::new();
        for (node, &class) in self.graph.nodes().iter().zip(&*self.classes) {
            let class = class as usize;
            if bound.len() <= class {
                bound.resize(class + 1, None);
            }
            if bound[class].is_none() {
                bound[class] = Some(self.bound_node(&graph, node, bindings)?);
            }
            // INVARIANT: set just above.
            let Some((op, results)) = &bound[class] else { continue };
            graph.set_label(node.label_arc().clone());
            let op = match node.op() {
                // A leaf is a class of its own with others of its shape, and has a name or a value.
                Op::Input { .. } | Op::Param { .. } | Op::Constant { .. } => node.op().clone(),
                _ => op.clone(),
            };
            graph.push(op, node.inputs().to_vec(), results.clone());
        }
        graph.set_label("");
        graph.set_outputs(self.graph.outputs().to_vec());
        Ok(Bound { graph: Arc::new(graph), classes: self.classes.clone() })
    }

    /// The first node of a class at these sizes, on operands that are bound.
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
        // What exactly is wrong is said by the verifier.
        let sizes: Vec<String> = bindings.iter().map(|(symbol, size)| format!("{symbol} = {size}")).collect();
        let violations = match verify(&self.graph.bind(bindings)) {
            Err(violations) => violations,
            Ok(()) => {
                let mut alone = Graph::new(self.graph.name());
                alone.set_label(node.label_arc().clone());
                let inputs =
                    operands.iter().enumerate().map(|(i, s)| alone.input(format!("x{i}"), s.clone()));
                let inputs = inputs.collect();
                let id = alone.push(op.clone(), inputs, results.clone());
                let outputs = alone.project(id);
                alone.set_outputs(outputs);
                match verify(&alone) {
                    Err(violations) => violations,
                    Ok(()) => return Ok((op, results)),
                }
            }
        };
        Err(BindError::Invalid { sizes: sizes.join(", "), violations })
    }
}

/// Whether an op gives these results, and the graphs inside it are consistent.
fn is_valid(op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
    let mut valid = match op {
        Op::Fusion { body, .. } => body.input_shapes() == operands && body.output_shapes() == results,
        _ => op.infer(operands).is_ok_and(|inferred| inferred == results),
    };
    op.for_each_graph(&mut |body| valid = valid && verify(body).is_ok());
    valid
}

/// For each node of a graph its class.
fn classes(graph: &Graph) -> Vec<u32> {
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut key = String::new();
    let class = |node: &Node| {
        key.clear();
        write_node(&mut key, node);
        for &input in node.inputs() {
            let operand = graph.node(input);
            let kind = match operand.op() {
                Op::Param { .. } => 'p',
                Op::Constant { .. } => 'c',
                _ => '-',
            };
            // INVARIANT: writing to a String does not fail.
            let _ = write!(key, "{kind}{}", operand.shape());
        }
        let next = known.len() as u32;
        match known.get(&key) {
            Some(&class) => class,
            None => *known.entry(std::mem::take(&mut key)).or_insert(next),
        }
    };
    graph.nodes().iter().map(class).collect()
}

/// Writes everything that tells the node from others but its place, its label, and for leaves their names and values.
fn write_node(key: &mut String, node: &Node) {
    match node.op() {
        Op::Input { .. } | Op::Param { .. } | Op::Constant { .. } => key.push_str(node.op().mnemonic()),
        op => write_op(key, op),
    }
    for shape in node.results() {
        // INVARIANT: writing to a String does not fail.
        let _ = write!(key, " {shape}");
    }
    key.push('|');
}

/// Writes an op with its attributes, exactly, and the graphs inside it without names and labels.
fn write_op(key: &mut String, op: &Op) {
    let mut bodies = Vec::new();
    op.for_each_graph(&mut |body| bodies.push(body));
    if bodies.is_empty() {
        // Floats print so that their bits can be told.
        let _ = write!(key, "{op:?}");
        return;
    }
    let mut bare = op.clone();
    bare.for_each_graph_mut(&mut |body| *body = rlx_ir::SubGraph::new(Graph::new("")));
    let _ = write!(key, "{bare:?}{{");
    for body in bodies {
        for node in body.nodes() {
            match node.op() {
                Op::Input { .. } => key.push('i'),
                Op::Constant { value } if value.bytes().len() <= MAX_COMPARED => {
                    let _ = write!(key, "k{:x?}", value.bytes());
                }
                Op::Constant { value } => {
                    let _ = write!(key, "k{:p}", value.bytes());
                }
                op => write_op(key, op),
            }
            for shape in node.results() {
                let _ = write!(key, " {shape}");
            }
            let _ = write!(key, "{:?}", node.inputs());
        }
        let _ = write!(key, ">{:?}", body.outputs());
    }
    key.push('}');
}
