//! Recognizes operations of programs that graphs express in several ops. Nodes that match the graph that an operation is imported as become
//! that operation, in the form of a custom op defined by that graph: so it is equal by definition. `form` owns the arguments of an
//! operation, `seen` how the rules look at a graph, and `rows` the list of operations; `import` owns their meanings.

mod form;
mod images;
mod norms;
mod randoms;
mod rows;
mod seen;
mod windows;

pub(crate) use form::{Form, Setting};

use crate::emit::{Dialect, has_form};
use crate::import::meaning;
use rlx_ir::pattern::{self, Found, commutes};
use rlx_ir::rewrite::rewrite;
use rlx_ir::{CustomOp, DType, Graph, Literal, NodeId, Op, OpError, Scalar, Shape, Users, register_custom};
use rows::{OperationRow, ROWS};
use seen::Seen;
use std::collections::HashMap;
use std::sync::{Arc, Once};

/// The prefix of the custom ops' names.
const PREFIX: &str = "coreml.";

/// An operation of programs as a custom op.
struct Operation(&'static str);

impl CustomOp for Operation {
    fn infer(&self, config: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(self.meaning(config, operands)?.output_shapes())
    }

    fn eval(&self, config: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        let shapes: Vec<Shape> = operands.iter().map(|x| x.shape().clone()).collect();
        let graph = self.meaning(config, &shapes)?;
        let names: Vec<String> = graph.inputs().filter_map(|node| node.name().map(Into::into)).collect();
        let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
        rlx_ir::eval(&graph, &given).map_err(|e| OpError::Eval(e.to_string()))
    }
}

impl Operation {
    fn meaning(&self, config: &str, operands: &[Shape]) -> Result<Graph, OpError> {
        let form = Form::parse(config)
            .ok_or_else(|| OpError::attribute(format!("`{config}` is not a valid form")))?;
        meaning(self.0, &form, operands).map_err(OpError::attribute)
    }
}

/// Registers the custom ops for the process.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for row in &ROWS {
            // A name that is taken keeps its rules, which then refuse these nodes.
            let _ = register_custom(format!("{PREFIX}{}", row.kind), Arc::new(Operation(row.kind)));
        }
    });
}

/// A place where an operation was found.
struct Replacement {
    op: Op,
    operands: Vec<NodeId>,
}

/// Returns the graph with custom ops in place of groups of nodes that one operation expresses, for [`crate::emit`] to write, or `None` if
/// there are none. A graph with symbolic sizes is not changed.
pub fn recognize(graph: &Graph, dialect: Dialect) -> Option<Graph> {
    if !graph.symbols().is_empty() {
        return None;
    }
    register();
    // Nodes that nothing reads must not prevent a match.
    let live = rlx_ir::rewrite::remove_dead(&converted(graph).unwrap_or_else(|| graph.clone()));
    let graph = &live;
    let users = graph.users();
    let mut taken = vec![false; graph.nodes().len()];
    let mut places = HashMap::new();
    // Larger operations, which end later, come before those that they contain.
    for node in graph.nodes().iter().rev().filter(|node| !node.is_tuple()) {
        let root = node.id();
        if taken[root.index()] {
            continue;
        }
        let may_be = |row: &OperationRow| dialect.own_random || !row.kind.starts_with("random_");
        let fits = |row: &&OperationRow| {
            row.since <= dialect.opset && may_be(row) && row.roots.contains(&node.op().kind())
        };
        let mut found = ROWS.iter().filter(fits).filter_map(|row| place(graph, &users, row, root, dialect));
        if let Some((place, members)) = found.next() {
            members.into_iter().for_each(|id| taken[id.index()] = true);
            places.insert(root, place);
        }
    }
    if places.is_empty() {
        return None;
    }
    let replaced: Result<_, OpError> = rewrite(graph, |rw, node, _| {
        let Some(Replacement { op, operands }) = places.get(&node.id()) else { return Ok(None) };
        let operands: Vec<NodeId> = operands.iter().map(|&id| rw.mapped(id)).collect();
        Ok(Some(vec![rw.add(op.clone(), &operands)?]))
    });
    let mut replaced = replaced.ok().flatten()?;
    replaced.remove_dead();
    Some(replaced)
}

/// Returns the graph with constants in the types that they are converted to.
fn converted(graph: &Graph) -> Option<Graph> {
    let constant = |id: &NodeId| match graph.node(*id).op() {
        Op::Constant { value } => Some(value),
        _ => None,
    };
    let folded: Result<_, OpError> = rewrite(graph, |rw, node, _| {
        let Op::Convert { dtype } = node.op() else { return Ok(None) };
        let Some(value) = node.inputs().first().and_then(constant) else { return Ok(None) };
        let mut bytes = Vec::with_capacity(value.len() * dtype.size());
        for element in value.bytes().chunks_exact(value.dtype().size()) {
            Scalar::read(value.dtype(), element).convert(*dtype).write(*dtype, &mut bytes);
        }
        let value = Literal::from_bytes(&value.shape().with_dtype(*dtype), &bytes);
        Ok(value.ok().map(|value| vec![rw.graph().constant(value)]))
    });
    folded.ok().flatten()
}

/// Returns the operation of a row that ends at a node, if there is one, with the nodes that it replaces.
fn place(
    graph: &Graph,
    users: &Users,
    row: &OperationRow,
    root: NodeId,
    dialect: Dialect,
) -> Option<(Replacement, Vec<NodeId>)> {
    let candidates = (row.candidates)(Seen { graph, id: root })?;
    candidates.into_iter().find_map(|(form, given)| {
        let shapes: Vec<Shape> = given.iter().map(|&id| graph.shape(id).clone()).collect();
        let is_float = |shape: &Shape| matches!(shape.dtype(), DType::F32 | DType::F16);
        if !is_float(graph.shape(root)) {
            return None;
        }
        let pattern = meaning(row.kind, &form, &shapes).ok()?;
        let Found { operands, members } = pattern::find(graph, &pattern, root, commutes)?;
        let is_inside = |id: &NodeId| {
            *id == root || !users.is_output(*id) && users.of(*id).iter().all(|user| members.contains(user))
        };
        let is_known = |id: NodeId| matches!(graph.node(id).op(), Op::Constant { .. } | Op::Param { .. });
        let are_known = form
            .operands
            .iter()
            .zip(&operands)
            .all(|(place, &id)| !row.constants.contains(place) || is_known(id));
        let op = Op::Custom {
            name: format!("{PREFIX}{}", row.kind),
            config: form.to_string(),
            results: vec![graph.shape(root).clone()],
        };
        let shapes: Vec<Shape> = operands.iter().map(|&id| graph.shape(id).clone()).collect();
        let fits = are_known
            && members.iter().all(is_inside)
            && has_form(&op, &shapes, &[graph.shape(root).clone()], dialect);
        fits.then_some((Replacement { op, operands }, members))
    })
}

/// Returns the operation of a custom op, and its arguments.
pub(crate) fn operation(name: &str, config: &str) -> Option<(&'static str, Form)> {
    let kind = name.strip_prefix(PREFIX)?;
    let row = ROWS.iter().find(|row| row.kind == kind)?;
    Some((row.kind, Form::parse(config)?))
}
