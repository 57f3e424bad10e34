//! Prepares the kernels of a graph, one per class of nodes.

use super::control::Control;
use super::{Class, Kernels, Needs, PlanError};
use crate::lowered::Bound;
use crate::structure::Role;
use rlx_ir::{NodeId, Shape};

/// What all graphs of a program are planned with.
pub(super) struct Context<'a, K> {
    pub(super) kernels: &'a mut K,
    /// The graphs so far.
    pub(super) graphs: Vec<Bound>,
    /// Returns the maximum number of bytes of a value.
    pub(super) most: &'a dyn Fn(&Shape) -> Option<usize>,
}

/// The size-dependent properties of a class.
pub(super) struct OfClass {
    /// The maximum number of bytes of each result.
    pub(super) bytes: Vec<usize>,
    pub(super) needs: Needs,
    /// The graphs inside the node, if it is a branch or a loop.
    pub(super) control: Option<Box<Control>>,
}

/// A graph with its classes.
pub(super) struct Classes {
    /// The number of the graph.
    pub(super) graph: usize,
    pub(super) bound: Bound,
    list: Vec<OfClass>,
}

impl Classes {
    /// Prepares the kernels of a graph and of the graphs inside its nodes. The inputs `fixed`, in order, have the same value in all runs.
    pub(super) fn prepared<K: Kernels>(
        bound: &Bound,
        fixed: &[NodeId],
        cx: &mut Context<'_, K>,
    ) -> Result<Classes, K::Error> {
        let graph = cx.graphs.len();
        cx.graphs.push(bound.clone());
        let nodes = bound.class_graph().nodes();
        let mut list = Vec::with_capacity(nodes.len());
        for node in nodes {
            let class = Class { graph, bound, node, fixed };
            let runs_kernel = Role::of(node.op()) == Role::Kernel && !node.op().is_control();
            let mut needs = if runs_kernel {
                cx.kernels.prepare(class)?
            } else {
                cx.kernels.check(class)?;
                Needs::default()
            };
            let bytes: Option<Vec<usize>> = node.results().iter().map(cx.most).collect();
            let first = bound.first_of(node.id().index());
            let bytes = bytes.ok_or(PlanError::Dynamic(first, node.op().mnemonic()))?;
            let mut control = None;
            // The time that a loop takes may depend on all of its sizes. If its results are empty, others may be large.
            if node.op().is_control() && bytes.iter().any(|&bytes| bytes > 0) {
                let made = Control::plan(class, &bytes, cx)?;
                needs.scratch_bytes = made.scratch_bytes;
                control = Some(Box::new(made));
            }
            list.push(OfClass { bytes, needs, control });
        }
        Ok(Classes { graph, bound: bound.clone(), list })
    }

    /// Returns the class of a node.
    pub(super) fn of(&self, node: NodeId) -> &OfClass {
        &self.list[self.bound.class_of(node)]
    }
}
