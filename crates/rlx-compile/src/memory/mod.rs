//! Memory planning: assigns every value of a scheduled graph a place in one arena.
//!
//! **PLAN-1**: values that are alive at the same time do not overlap, except if a kernel allows a result
//! to overwrite an operand that dies there. Values that are never alive at the same time share bytes, and views share
//! the bytes of their source.
//!
//! - `classes`: prepares the kernels of a graph, one per class of nodes, and asks what they need.
//! - `values`, `placement`: places the values of one graph.
//! - `control`: plans the graphs inside a branch or a loop, whose values are in the scratch memory of its step.
//! - `actions`: turns the plans into a [`Program`].

mod actions;
mod classes;
mod control;
mod placement;
mod values;

pub(crate) use values::is_view;

use crate::lowered::Bound;
use crate::program::Program;
use classes::{Classes, Context};
use rlx_ir::{Graph, Node, NodeId, Op, Shape};
use std::sync::Arc;

/// Offsets are multiples of this: a cache line, and the widest vector.
pub const ALIGNMENT: usize = 64;

/// The requirements of a kernel for the plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Bytes of scratch memory while the step runs.
    pub scratch_bytes: usize,
    /// Operands that a result of the same size may overwrite, best first. If there are several results, each takes a different operand.
    pub in_place: Vec<usize>,
}

/// Why a graph cannot be planned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// A shape has no static size.
    #[error("{0} `{1}` has no static size; bind every dimension before planning")]
    Dynamic(NodeId, &'static str),
    /// The program needs more memory than can be addressed.
    #[error("the program needs more memory than can be addressed")]
    TooLarge,
}

/// A class of nodes of a graph.
#[derive(Clone, Copy)]
pub struct Class<'a> {
    /// The number of the graph, as in [`Program::graphs`].
    pub graph: usize,
    /// The graph.
    pub bound: &'a Bound,
    /// The node of [`Bound::class_graph`] that represents the class. Its handle is the number of the class.
    pub node: &'a Node,
    /// The inputs of the graph, in order, that have the same value in all runs.
    pub fixed: &'a [NodeId],
}

impl Class<'_> {
    /// Returns whether a node of the class graph has the same value in all runs.
    pub fn is_fixed(&self, id: NodeId) -> bool {
        matches!(self.bound.class_graph().node(id).op(), Op::Param { .. } | Op::Constant { .. })
            || self.fixed.binary_search(&id).is_ok()
    }
}

/// The kernels of a device, which the planner asks for what they need.
pub trait Kernels {
    /// Why a kernel cannot be prepared, or the graph not planned.
    type Error: From<PlanError>;

    /// Prepares the kernel of a class of nodes.
    ///
    /// # Errors
    /// Fails if there is no such kernel.
    fn prepare(&mut self, class: Class<'_>) -> Result<Needs, Self::Error>;

    /// Checks a class of nodes that needs no kernel: values, views, branches and loops.
    ///
    /// # Errors
    /// Fails if the program cannot have such nodes.
    fn check(&mut self, class: Class<'_>) -> Result<(), Self::Error> {
        let _ = class;
        Ok(())
    }
}

/// Kernels that are only asked for what they need.
struct Asked<'a>(&'a mut dyn FnMut(&Node) -> Needs);

impl Kernels for Asked<'_> {
    type Error = PlanError;

    fn prepare(&mut self, class: Class<'_>) -> Result<Needs, PlanError> {
        Ok((self.0)(class.node))
    }
}

/// How loops carry the values that they cannot overwrite.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carrying {
    /// A value alternates between two places.
    Turns,
    /// A value is copied back at the end of each iteration, so that its place does not depend on the iteration.
    Copies,
}

/// Plans a static graph with nodes in execution order. `needs` returns the requirements of the kernel of a node.
///
/// # Errors
/// Returns a [`PlanError`] if a shape is not static, or the program is too large.
pub fn plan(graph: &Arc<Graph>, needs: &mut dyn FnMut(&Node) -> Needs) -> Result<Program, PlanError> {
    plan_bound(&Bound::unclassified(graph), &mut Asked(needs))
}

/// Plans a bound graph. Outputs that update state buffers, which inputs read, end up in these buffers. They are computed in place if a chain
/// of in-place kernels leads from the input to the output after all other uses, and copied at the end otherwise.
///
/// # Errors
/// Returns the error of a kernel that cannot be prepared, or a [`PlanError`].
pub fn plan_bound<K: Kernels>(bound: &Bound, kernels: &mut K) -> Result<Program, K::Error> {
    planned(bound, kernels, (Carrying::Turns, false), &Shape::num_bytes)
}

/// Plans a graph whose caller determines the places of the outputs ([`Storage::Output`](crate::Storage::Output)).
///
/// # Errors
/// As [`plan_bound`].
pub fn plan_nested<K: Kernels>(bound: &Bound, kernels: &mut K) -> Result<Program, K::Error> {
    planned(bound, kernels, (Carrying::Turns, true), &Shape::num_bytes)
}

/// Plans a graph with symbols that get their sizes when the program runs. `most` returns the maximum number of bytes of a value. The
/// caller determines the places of outputs. Places depend on loops only as slices do.
///
/// # Errors
/// As [`plan_bound`].
pub fn plan_open<K: Kernels>(
    bound: &Bound,
    kernels: &mut K,
    most: &dyn Fn(&Shape) -> Option<usize>,
) -> Result<Program, K::Error> {
    planned(bound, kernels, (Carrying::Copies, true), most)
}

fn planned<K: Kernels>(
    bound: &Bound,
    kernels: &mut K,
    (carrying, is_nested): (Carrying, bool),
    most: &dyn Fn(&Shape) -> Option<usize>,
) -> Result<Program, K::Error> {
    let mut context = Context { kernels, graphs: Vec::new(), most };
    let classes = Classes::prepared(bound, &[], &mut context)?;
    let donated: Option<&[usize]> = if is_nested { Some(&[]) } else { None };
    let values = values::plan(&classes, donated)?;
    Ok(actions::program(context.graphs, carrying, &classes, values))
}
