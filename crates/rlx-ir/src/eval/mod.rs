//! The reference evaluator: runs a graph node by node in the simplest way, and so defines what the ops mean.
//!
//! **IR-3**: values are stored as f64, i128 or complex f64, already rounded to their element type, and each op rounds once. The
//! evaluation rule of each op is next to its shape rule, in `ops`. Tests compare the rules with JAX, NumPy, SciPy and mpmath,
//! never only with RLX itself.

mod value;

pub use crate::numeric::Scalar;
/// The functions on single numbers that the elementwise ops and reductions apply, for kernels that have no faster implementation.
pub mod scalar {
    pub use crate::numeric::reduce_precision;
    pub use crate::ops::element::element;
    pub use crate::ops::scalar::{binary, compare, identity, unary};
    pub use crate::ops::window::cumulative::log_add_exp;
}
pub use value::{Data, Value, for_each_index, linear};

use crate::dim::{Bindings, Dim, DimError};
use crate::graph::Graph;
use crate::literal::Literal;
use crate::node::Node;
use crate::op::{Op, OpClass, OpError};
use crate::shape::Shape;
use crate::verify::{Violations, verify};
use std::collections::HashMap;

/// Why a graph could not be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The graph is not valid.
    #[error(transparent)]
    Invalid(#[from] Violations),
    /// No value was given for an input or parameter.
    #[error("`{name}` ({shape}) was not given a value")]
    Missing {
        /// Its name.
        name: String,
        /// Its declared shape.
        shape: Shape,
    },
    /// A value was given for a name that the graph does not have.
    #[error("the graph has no input or parameter `{name}`; it has {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A value does not have the declared shape.
    #[error("`{name}` is declared {declared}, got {got}")]
    Mismatch {
        /// The input or parameter.
        name: String,
        /// Its declared shape.
        declared: Shape,
        /// The shape of the value given.
        got: Shape,
    },
    /// A dimension is not bound.
    #[error(transparent)]
    Dim(#[from] DimError),
    /// A node could not be evaluated.
    #[error("{node} `{op}`{label}: {source}")]
    Node {
        /// The node.
        node: String,
        /// Its op.
        op: String,
        /// Its label with a leading blank, or empty.
        label: String,
        /// What went wrong.
        source: OpError,
    },
}

/// What the `eval` rule of a primitive may use besides its operands.
pub struct EvalCx<'a> {
    results: &'a [Shape],
    /// Bytes that graphs inside the op may use.
    left: u64,
}

impl<'a> EvalCx<'a> {
    /// The static shape of the only, or first, result.
    pub fn out(&self) -> &'a Shape {
        &self.results[0]
    }

    /// The sizes of the only, or first, result.
    pub fn dims(&self) -> Vec<usize> {
        sizes(self.out())
    }

    /// The static shapes of all results.
    pub fn results(&self) -> &'a [Shape] {
        self.results
    }

    /// Runs a sub-graph on its inputs in order.
    pub fn call(&self, body: &Graph, args: &[Value]) -> Result<Vec<Value>, OpError> {
        run_nodes(body, args, &HashMap::new(), self.left).map_err(|(node, source)| OpError::Inner {
            op: format!("{} {}", node.id(), node.op().mnemonic()),
            source: Box::new(source),
        })
    }
}

/// The sizes of a shape that is static under evaluation.
pub(crate) fn sizes(shape: &Shape) -> Vec<usize> {
    // INVARIANT: the evaluator binds every symbol before it runs a node.
    shape.static_dims().expect("shapes are static under evaluation")
}

/// Evaluates `graph`, given values by name for its inputs and parameters. The sizes of symbols follow from the values.
///
/// Verifies the graph first. Returns one literal per output. Memory is limited only by the allocator; for untrusted graphs use
/// [`eval_within`].
pub fn eval(graph: &Graph, values: &[(&str, &Literal)]) -> Result<Vec<Literal>, EvalError> {
    eval_within(graph, values, u64::MAX)
}

/// Evaluates `graph` as [`eval()`] does, within `memory_limit` bytes of memory. Floats count 8 bytes, integers and complex
/// numbers 16. A node needs the bytes of its operands and four times those of its results, in addition to all values that later
/// nodes need. A node that would exceed the limit is an error that names it.
pub fn eval_within(
    graph: &Graph,
    values: &[(&str, &Literal)],
    memory_limit: u64,
) -> Result<Vec<Literal>, EvalError> {
    verify(graph)?;
    let given = by_name(graph, values)?;
    let bindings = bindings_of(graph, &given)?;
    let bound = graph.bind(&bindings);
    verify(&bound)?;
    check_static(&bound)?;
    let mut args = Vec::new();
    let mut params = HashMap::new();
    for node in bound.nodes() {
        let (Op::Input { name } | Op::Param { name }) = node.op() else { continue };
        let value = Value::from_literal(given[name.as_str()]);
        match node.op() {
            Op::Input { .. } => args.push(value),
            _ => {
                params.insert(name.clone(), value);
            }
        }
    }
    let results =
        run_nodes(&bound, &args, &params, memory_limit).map_err(|(node, source)| EvalError::Node {
            node: node.id().to_string(),
            op: node.op().mnemonic().into(),
            label: node.at_label(),
            source,
        })?;
    let literals: Result<Vec<_>, _> = results.iter().map(Value::to_literal).collect();
    literals.map_err(|e| EvalError::Node {
        node: "output".into(),
        op: "output".into(),
        label: String::new(),
        source: OpError::Eval(e.to_string()),
    })
}

fn by_name<'a>(
    graph: &Graph,
    values: &[(&str, &'a Literal)],
) -> Result<HashMap<String, &'a Literal>, EvalError> {
    let declared: HashMap<&str, &Shape> =
        graph.nodes().iter().filter_map(|n| Some((n.name()?, n.shape()))).collect();
    let mut given = HashMap::new();
    for (name, literal) in values {
        let Some(shape) = declared.get(name) else {
            let mut known: Vec<&str> = declared.keys().copied().collect();
            known.sort_unstable();
            return Err(EvalError::Unknown { name: (*name).into(), known: known.join(", ") });
        };
        if !shape.compatible(literal.shape()) {
            return Err(EvalError::Mismatch {
                name: (*name).into(),
                declared: (*shape).clone(),
                got: literal.shape().clone(),
            });
        }
        given.insert((*name).to_string(), *literal);
    }
    for (name, shape) in declared {
        if !given.contains_key(name) {
            return Err(EvalError::Missing { name: name.into(), shape: shape.clone() });
        }
    }
    Ok(given)
}

fn bindings_of(graph: &Graph, given: &HashMap<String, &Literal>) -> Result<Bindings, EvalError> {
    let mut bindings = Bindings::new();
    let mut leaves = Vec::new();
    for node in graph.nodes() {
        let (Op::Input { name } | Op::Param { name }) = node.op() else { continue };
        let literal = given[name.as_str()];
        leaves.push((name, node.shape(), literal.shape()));
        for (dim, size) in node.shape().dims().iter().zip(literal.dims()) {
            if let Dim::Dynamic(symbol) = dim {
                bindings.entry(symbol.clone()).or_insert(size);
            }
        }
    }
    for (name, declared, got) in leaves {
        if declared.eval(&bindings)? != *got {
            return Err(EvalError::Mismatch {
                name: name.clone(),
                declared: declared.clone(),
                got: got.clone(),
            });
        }
    }
    Ok(bindings)
}

/// Fails if a dimension of a bound graph has no size because no input binds its symbol, or is negative.
fn check_static(graph: &Graph) -> Result<(), DimError> {
    let none = Bindings::new();
    let mut result = Ok(());
    graph.for_each_dim(&mut |dim| {
        if let (Ok(()), Err(e)) = (&result, dim.eval(&none)) {
            result = Err(e);
        }
    });
    result
}

/// Runs the nodes of a static, verified graph. An error comes with its node.
fn run_nodes<'g>(
    graph: &'g Graph,
    args: &[Value],
    params: &HashMap<String, Value>,
    memory_limit: u64,
) -> Result<Vec<Value>, (&'g Node, OpError)> {
    let live = graph.live();
    let mut last_use = vec![usize::MAX; graph.nodes().len()];
    for node in graph.nodes().iter().filter(|n| live[n.id().index()]) {
        node.inputs().iter().for_each(|i| last_use[i.index()] = node.id().index());
    }
    graph.outputs().iter().for_each(|o| last_use[o.index()] = usize::MAX);
    let mut values: Vec<Vec<Value>> = vec![Vec::new(); graph.nodes().len()];
    let mut next_arg = 0;
    let mut taken = 0u64;
    for node in graph.nodes() {
        let i = node.id().index();
        match node.op() {
            Op::Input { .. } => {
                let value =
                    args.get(next_arg).ok_or_else(|| (node, OpError::Eval("no value given".into())))?;
                values[i] = vec![value.clone()];
                next_arg += 1;
            }
            Op::Param { name } => {
                let value = params.get(name).ok_or_else(|| (node, OpError::Eval("no value given".into())))?;
                values[i] = vec![value.clone()];
            }
            _ if !live[i] => {}
            _ => {
                let left = memory_limit.saturating_sub(taken);
                values[i] = run_node(graph, node, &values, left).map_err(|e| (node, e))?;
                taken = taken.saturating_add(bytes_of(node.results()));
            }
        }
        for input in node.inputs() {
            let value = graph.node(*input);
            if last_use[input.index()] == i && !std::mem::take(&mut values[input.index()]).is_empty() {
                let is_leaf = matches!(value.op(), Op::Input { .. } | Op::Param { .. });
                taken = taken.saturating_sub(if is_leaf { 0 } else { bytes_of(value.results()) });
            }
        }
    }
    Ok(graph.outputs().iter().map(|o| values[o.index()][0].clone()).collect())
}

/// Results above this size are first requested from the allocator in a way that can fail, because a failed ordinary allocation
/// aborts.
const LARGE: usize = 1 << 30;

/// Bytes that the evaluator uses for values of these shapes.
fn bytes_of(shapes: &[Shape]) -> u64 {
    let bytes = |shape: &Shape| {
        let size = if shape.dtype().is_float() { 8 } else { 16 };
        shape.num_elements().map_or(u64::MAX, |n| (n as u64).saturating_mul(size))
    };
    shapes.iter().map(bytes).fold(0, u64::saturating_add)
}

/// Fails unless the node can run within `left` bytes. Returns the bytes left to graphs inside it.
fn check_memory(graph: &Graph, node: &Node, left: u64) -> Result<u64, OpError> {
    let results = bytes_of(node.results());
    let operands = node.inputs().iter().map(|&i| bytes_of(std::slice::from_ref(graph.shape(i))));
    let own = operands.fold(results, u64::saturating_add);
    let needed = own.saturating_add(results.saturating_mul(3));
    let has = |bytes: u64| {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        bytes < LARGE || Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
    };
    if needed > left || !has(results) {
        let shapes: Vec<String> = node.results().iter().map(Shape::to_string).collect();
        let shapes = shapes.join(", ");
        return Err(OpError::Eval(format!(
            "not enough memory for its result {shapes}: with its operands it takes {needed} bytes"
        )));
    }
    Ok(left - own)
}

fn run_node(graph: &Graph, node: &Node, values: &[Vec<Value>], left: u64) -> Result<Vec<Value>, OpError> {
    let left = check_memory(graph, node, left)?;
    let operands: Vec<Value> = match node.op() {
        Op::Output { .. } => values[node.inputs()[0].index()].clone(),
        _ => node.inputs().iter().map(|i| values[i.index()][0].clone()).collect(),
    };
    if node.op().kind().class() == OpClass::Composite {
        let shapes: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
        let body = node.op().decompose(&shapes)?;
        check_static(&body).map_err(|e| OpError::Eval(e.to_string()))?;
        return EvalCx { results: node.results(), left }.call(&body, &operands);
    }
    node.op().eval(&EvalCx { results: node.results(), left }, &operands)
}
