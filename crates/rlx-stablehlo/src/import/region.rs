//! Imports regions, which are code inside an operation, as graphs that capture nothing. Values of the surrounding code
//! become further inputs, or are copied into the graph if they do not depend on an input.

use super::context::{Frame, ImportContext, Outcome, Problem, Val};
use super::scope::{Scope, flatten, rebuild};
use crate::syntax::{Block, Operation, ValueId};
use rlx_ir::rewrite::remove_dead;
use rlx_ir::{Graph, NodeId, Op, Shape};
use std::collections::{HashMap, HashSet};

/// The maximum number of nodes of an expression that is copied into a region instead of passed to it.
const CHEAP: usize = 16;

/// The maximum number of nodes of an expression that is copied into a region that cannot take further inputs.
const COPIED: usize = 4096;

/// The values of the surrounding code that regions use.
#[derive(Default)]
pub(super) struct Captured {
    /// Values that are passed in as inputs.
    passed: Vec<(ValueId, Val)>,
    /// Values that are copied into the graphs.
    copied: Vec<(ValueId, NodeId)>,
}

impl Captured {
    /// Returns the nodes that are passed in, in the order of the inputs.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        flatten(&self.values())
    }

    fn values(&self) -> Vec<Val> {
        self.passed.iter().map(|(_, v)| v.clone()).collect()
    }
}

/// The inputs of a region itself.
pub(super) enum Inputs<'v> {
    /// Scalars of these types, which take single elements of tensors.
    Scalars(Vec<Shape>),
    /// Values like these. For each, whether its elements are the same as outside.
    Like(&'v [Val], Vec<bool>),
}

/// A region as a graph. Its inputs are its own, followed by those that are passed in. Its outputs are its own,
/// followed, if requested, by what was passed in.
pub(super) struct Body {
    pub(super) graph: Graph,
    /// The number of outputs of the region itself.
    pub(super) results: usize,
}

impl<'m> ImportContext<'_, 'm> {
    /// Returns region `i`.
    pub(super) fn region(&self, i: usize) -> Outcome<&'m Block> {
        let op = self.op;
        op.regions
            .get(i)
            .ok_or_else(|| Problem::error(format!("has no region {i}; there are {}", op.regions.len())))
    }

    /// Returns the values of the surrounding code that these regions use. Those that are not cheap to copy are passed in.
    pub(super) fn captured(&self, regions: &[&'m Block]) -> Captured {
        let mut captured = Captured::default();
        for id in free_values(regions) {
            match self.frame.values.get(&id).cloned().unwrap_or(Val::Void) {
                Val::Tensor(node) if self.is_cheap(node) => captured.copied.push((id, node)),
                value => captured.passed.push((id, value)),
            }
        }
        captured
    }

    fn is_cheap(&self, node: NodeId) -> bool {
        let scope = &self.im.scope;
        let cheap = |id: &NodeId| {
            matches!(
                scope.graph.node(*id).op(),
                Op::Constant { .. }
                    | Op::Iota { .. }
                    | Op::BroadcastInDim { .. }
                    | Op::Reshape { .. }
                    | Op::Convert { .. }
                    | Op::Unary { .. }
                    | Op::Binary { .. }
                    | Op::Compare { .. }
                    | Op::Select { .. }
            )
        };
        scope.expression(node, CHEAP).is_some_and(|nodes| nodes.iter().all(cheap))
    }

    /// Returns region `i` as a graph on scalars of these types. Apart from these it may only use constants.
    pub(super) fn scalar_body(&mut self, i: usize, inputs: Vec<Shape>) -> Outcome<Graph> {
        let block = self.region(i)?;
        let mut captured = Captured::default();
        for id in free_values(&[block]) {
            let copied = match self.frame.values.get(&id) {
                Some(Val::Tensor(node)) => self.im.scope.expression(*node, COPIED).map(|_| *node),
                _ => None,
            };
            let name = &self.frame.function.value(id).name;
            let node = copied.ok_or_else(|| {
                Problem::unsupported(format!(
                    "its region uses %{name} from the surrounding code, which depends on the program's inputs; RLX's regions over \
                     single elements can only use constants"
                ))
            })?;
            captured.copied.push((id, node));
        }
        Ok(self.body(block, Inputs::Scalars(inputs), &captured, false)?.graph)
    }

    /// Returns a region as a graph. With `pass_on`, its outputs are followed by the values that were passed in.
    pub(super) fn body(
        &mut self,
        block: &'m Block,
        inputs: Inputs<'_>,
        captured: &Captured,
        pass_on: bool,
    ) -> Outcome<Body> {
        self.graph_of(|cx, outer| cx.build(outer, block, inputs, captured, pass_on))
    }

    /// Returns a function of the module as a graph that takes values like these.
    pub(super) fn function(&mut self, name: &str, args: &[Val]) -> Outcome<Graph> {
        let body = self.graph_of(|cx, outer| {
            let inputs = cx.inputs_like(outer, "x", args, &vec![true; args.len()]);
            let outputs = flatten(&cx.im.nested(|im| im.call(name, &inputs))?);
            let count = outputs.len();
            Ok((outputs, count))
        })?;
        Ok(body.graph)
    }

    /// Returns the graph that `build` makes in a new scope. `build` also receives the surrounding scope.
    fn graph_of(
        &mut self,
        build: impl FnOnce(&mut Self, &Scope) -> Outcome<(Vec<NodeId>, usize)>,
    ) -> Outcome<Body> {
        let outer = std::mem::replace(&mut self.im.scope, Scope::new("body"));
        self.im.regions += 1;
        let failures = self.im.failures();
        let built = build(self, &outer);
        let inner = std::mem::replace(&mut self.im.scope, outer);
        self.im.regions -= 1;
        let (outputs, results) = built?;
        if self.im.failures() > failures {
            // Errors inside the graph have already been reported.
            return Err(Problem::error(""));
        }
        let mut graph = inner.graph;
        self.im.spend(graph.nodes().len());
        graph.set_label("");
        graph.set_outputs(outputs);
        Ok(Body { graph: remove_dead(&graph), results })
    }

    fn build(
        &mut self,
        outer: &Scope,
        block: &'m Block,
        inputs: Inputs<'_>,
        captured: &Captured,
        pass_on: bool,
    ) -> Outcome<(Vec<NodeId>, usize)> {
        let mut frame = Frame { function: self.frame.function, values: HashMap::new() };
        let args = match inputs {
            Inputs::Scalars(shapes) => {
                let named = shapes.into_iter().enumerate();
                named.map(|(i, s)| Val::Tensor(self.im.scope.input(format!("x{i}"), s))).collect()
            }
            Inputs::Like(values, same) => self.inputs_like(outer, "x", values, &same),
        };
        if block.arguments.len() != args.len() {
            let (takes, got) = (block.arguments.len(), args.len());
            return Err(Problem::error(format!("its region takes {takes} value(s), but gets {got}")));
        }
        for (i, (&id, arg)) in block.arguments.iter().zip(&args).enumerate() {
            self.im
                .check_type(&self.frame.function.value(id).ty, arg)
                .map_err(|p| Problem { message: format!("argument {i} of its region {}", p.message), ..p })?;
        }
        frame.values.extend(block.arguments.iter().copied().zip(args));
        let values = captured.values();
        let passed = self.inputs_like(outer, "c", &values, &vec![true; values.len()]);
        frame.values.extend(captured.passed.iter().map(|(id, _)| *id).zip(passed.iter().cloned()));
        let mut copies = HashMap::new();
        for (id, node) in &captured.copied {
            let copy = self.im.scope.copy(outer, *node, &mut copies);
            frame.values.insert(*id, Val::Tensor(copy));
        }
        let results = self.im.nested(|im| Ok(im.block(&mut frame, block)))?;
        let mut outputs = flatten(&results);
        let count = outputs.len();
        if pass_on {
            outputs.extend(flatten(&passed));
        }
        Ok((outputs, count))
    }

    /// Adds inputs to the graph of a region for values of the surrounding graph.
    fn inputs_like(&mut self, outer: &Scope, prefix: &str, values: &[Val], same: &[bool]) -> Vec<Val> {
        let mut all = Vec::new();
        for (value, same) in values.iter().zip(same) {
            let mut inputs = Vec::new();
            for node in flatten(std::slice::from_ref(value)) {
                let name = format!("{prefix}{}", self.im.scope.graph.nodes().len());
                let id = self.im.scope.input(name, outer.graph.shape(node).clone());
                if let (true, Some(sizes)) = (*same, outer.sizes.get(&node)) {
                    self.im.scope.sizes.insert(id, sizes.clone());
                }
                inputs.push(id);
            }
            all.extend(rebuild(std::slice::from_ref(value), &mut inputs.into_iter()));
        }
        all
    }
}

/// Returns the values that blocks use but do not define, in the order of their first use.
fn free_values(blocks: &[&Block]) -> Vec<ValueId> {
    let (mut defined, mut used) = (HashSet::new(), Vec::new());
    for block in blocks {
        walk(block, &mut defined, &mut used);
    }
    let mut seen = HashSet::new();
    used.retain(|id| !defined.contains(id) && seen.insert(*id));
    used
}

fn walk(block: &Block, defined: &mut HashSet<ValueId>, used: &mut Vec<ValueId>) {
    defined.extend(&block.arguments);
    for Operation { operands, results, regions, .. } in &block.operations {
        used.extend(operands);
        defined.extend(results);
        regions.iter().for_each(|region| walk(region, defined, used));
    }
}
