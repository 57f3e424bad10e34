//! The verifier: checks a graph against the op rules and returns every violation, not just the first.
//!
//! **IR-1**: a node's operands precede it, and its results have the shapes that its rule infers from theirs. The compiler
//! verifies its input, and in debug builds the result of each pass. Programs may nest sub-graphs up to 32 deep (`MAX_NESTING`);
//! passes may nest a few more inside them (`verify_lowered`).

use crate::graph::{Graph, MAX_LOWERED_NESTING, MAX_NESTING};
use crate::node::Node;
use crate::op::{Op, Recent};
use crate::shape::Shape;
use std::collections::HashSet;
use std::fmt;
use std::panic::Location;

/// An error in a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The node (`%5`, or `%5/body/%2` inside a sub-graph), if the error is about one.
    pub node: Option<String>,
    /// The op's name, or `graph`.
    pub op: String,
    /// The model path, or empty.
    pub label: String,
    /// Shapes of the operands.
    pub operands: Vec<Shape>,
    /// What is wrong, and what to do.
    pub problem: String,
    /// The line of Rust that made the node, if it was made with the front end.
    pub location: Option<&'static Location<'static>>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = &self.node {
            write!(f, "{node} ")?;
        }
        write!(f, "`{}`", self.op)?;
        if !self.label.is_empty() {
            write!(f, " at {}", self.label)?;
        }
        if !self.operands.is_empty() {
            let shapes: Vec<String> = self.operands.iter().map(Shape::to_string).collect();
            write!(f, " on ({})", shapes.join(", "))?;
        }
        write!(f, ": {}", self.problem)?;
        match self.location {
            Some(location) => write!(f, " ({location})"),
            None => Ok(()),
        }
    }
}

/// All errors in a graph; never empty.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Violations {
    graph: String,
    list: Vec<Violation>,
}

impl Violations {
    pub(crate) fn new(graph: &str, list: Vec<Violation>) -> Self {
        Violations { graph: graph.into(), list }
    }

    /// The errors, in node order.
    pub fn list(&self) -> &[Violation] {
        &self.list
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.list.len();
        write!(f, "graph {:?} has {n} error{}:", self.graph, if n == 1 { "" } else { "s" })?;
        self.list.iter().try_for_each(|v| write!(f, "\n  {v}"))
    }
}

/// Checks that operands exist and precede their users, that declared shapes are those that the rules infer, that leaf names are
/// unique, that sizes do not overflow, and the same inside sub-graphs (IR-1).
pub fn verify(graph: &Graph) -> Result<(), Violations> {
    verified(graph, MAX_NESTING)
}

/// [`verify`] for a graph that passes made: its sub-graphs may nest a little deeper than those of programs.
pub fn verify_lowered(graph: &Graph) -> Result<(), Violations> {
    verified(graph, MAX_LOWERED_NESTING)
}

fn verified(graph: &Graph, nesting: usize) -> Result<(), Violations> {
    let mut checker = Checker { list: Vec::new(), path: String::new(), nesting, recent: Recent::default() };
    checker.graph(graph, false);
    if checker.list.is_empty() { Ok(()) } else { Err(Violations::new(graph.name(), checker.list)) }
}

struct Checker {
    list: Vec<Violation>,
    /// Prefix of node names inside sub-graphs.
    path: String,
    /// How deep sub-graphs may nest.
    nesting: usize,
    recent: Recent,
}

impl Checker {
    fn report(&mut self, graph: &Graph, node: &Node, problem: String) {
        let operands =
            node.inputs().iter().filter_map(|&i| graph.get(i)).flat_map(|n| n.results().to_vec()).collect();
        self.list.push(Violation {
            node: Some(format!("{}{}", self.path, node.id())),
            op: node.op().mnemonic().into(),
            label: node.label().into(),
            operands,
            problem,
            location: None,
        });
    }

    fn report_graph(&mut self, problem: String) {
        let node = self.path.strip_suffix('/').map(str::to_string);
        self.list.push(Violation {
            node,
            op: "graph".into(),
            label: String::new(),
            operands: Vec::new(),
            problem,
            location: None,
        });
    }

    fn graph(&mut self, graph: &Graph, nested: bool) {
        let mut inputs = HashSet::new();
        let mut params = HashSet::new();
        for node in graph.nodes() {
            match node.op() {
                Op::Input { name } if !inputs.insert(name.as_str()) => {
                    self.report(graph, node, format!("the input name `{name}` is used twice"));
                }
                Op::Param { .. } if nested => {
                    self.report(
                        graph,
                        node,
                        "a sub-graph has no parameters; pass the value as an operand".into(),
                    );
                }
                Op::Param { name } if !params.insert(name.as_str()) => {
                    self.report(graph, node, format!("the parameter name `{name}` is used twice"));
                }
                _ => {}
            }
            self.node(graph, node);
        }
        for name in inputs.intersection(&params) {
            self.report_graph(format!("`{name}` is both an input and a parameter"));
        }
        self.outputs(graph);
    }

    fn node(&mut self, graph: &Graph, node: &Node) {
        let mut dangling = false;
        for input in node.inputs() {
            if input.index() >= node.id().index() {
                dangling = true;
                let why = if input.index() < graph.nodes().len() {
                    "comes later (a cycle)"
                } else {
                    "does not exist"
                };
                self.report(graph, node, format!("operand {input} {why}"));
            }
        }
        for shape in node.results() {
            if let Err(error) = shape.check() {
                self.report(graph, node, error.to_string());
            }
            if shape.is_static() && shape.num_bytes().is_none() {
                self.report(graph, node, format!("the size of {shape} overflows"));
            }
        }
        let before = self.list.len();
        if let Err(error) = node.op().check_nesting(self.nesting) {
            return self.report(graph, node, error.to_string());
        }
        let mut position = 0;
        node.op().for_each_graph(&mut |body| {
            let outer = self.path.len();
            self.path.push_str(&format!("{}/{position}/", node.id()));
            self.graph(body, true);
            self.path.truncate(outer);
            position += 1;
        });
        if dangling || self.list.len() > before || matches!(node.op(), Op::Input { .. } | Op::Param { .. }) {
            return;
        }
        let recent = &mut self.recent;
        match graph.infer_by(node.op(), node.inputs(), |op, operands| recent.infer(op, operands)) {
            Err(error) => self.report(graph, node, error.to_string()),
            Ok(inferred) => self.declared(graph, node, &inferred),
        }
    }

    fn declared(&mut self, graph: &Graph, node: &Node, inferred: &[Shape]) {
        let show = |shapes: &[Shape]| shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ");
        let fits = inferred.len() == node.results().len()
            && inferred.iter().zip(node.results()).all(|(a, b)| a.compatible(b));
        if !fits {
            let problem =
                format!("is declared {}, but these operands give {}", show(node.results()), show(inferred));
            self.report(graph, node, problem);
        }
    }

    fn outputs(&mut self, graph: &Graph) {
        if graph.outputs().is_empty() {
            self.report_graph("has no output; name at least one".into());
        }
        for output in graph.outputs() {
            match graph.get(*output) {
                None => self.report_graph(format!("output {output} does not exist")),
                Some(node) if node.is_tuple() => {
                    self.report_graph(format!(
                        "output {output} is a tuple; project its results with `output`"
                    ));
                }
                Some(_) => {}
            }
        }
    }
}
