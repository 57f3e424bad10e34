//! The planned program: actions in order over one arena, with every value at a known place. Kernel backends
//! execute it, but do not plan themselves.

pub mod action;
pub mod place;

pub use action::{Action, Call, Copied, Translate, translated};
pub use place::{Place, Region, Slice, Storage, Turn};

use crate::alias::Alias;
use crate::cost::{self, Counts};
use crate::lowered::Bound;
use crate::steps::{self, StepInfo};
use rlx_ir::{Graph, Node, NodeId, Shape};
use std::ops::Range;

/// One value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Its size in bytes.
    pub bytes: usize,
    /// Where it is stored.
    pub place: Place,
}

/// The values of a graph: of the program's graph, or of a graph inside one of its nodes.
#[derive(Clone, Debug)]
pub struct Block {
    /// The number of the graph in [`Program::graphs`].
    pub graph: usize,
    /// The values of the nodes, in order, then copies.
    pub buffers: Vec<Buffer>,
}

/// What one step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Computes the results of this node.
    Node(NodeId),
    /// Copies a buffer of the first block to another one of the same size.
    Copy {
        /// The buffer that is read.
        from: usize,
        /// The buffer that is written.
        to: usize,
    },
}

/// One step of a program: the actions that do the work of a node, or a copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What it does.
    pub work: Work,
    /// Its actions, as indices into [`Program::actions`].
    pub actions: Range<usize>,
    /// Offset of the step's scratch memory in the arena. Graphs inside the node have their values there.
    pub scratch: usize,
    /// Size of the scratch memory in bytes.
    pub scratch_bytes: usize,
}

/// A bound graph with its schedule and memory plan. Everything that does not depend on sizes is shared with programs of other sizes.
///
/// Branches and loops are actions, and the values of their graphs are in the same arena. So a device needs to be able to call kernels, to
/// copy, and to read a boolean or a number; `rlx_exec::walk` does the rest.
#[derive(Clone, Debug)]
pub struct Program {
    /// The graphs: the one that was planned, then those inside its nodes. Nodes of one class share their graphs.
    pub graphs: Vec<Bound>,
    /// The values: of the graph that was planned, then those of each use of a graph inside a node.
    pub blocks: Vec<Block>,
    /// What to do, in order.
    pub actions: Vec<Action>,
    /// The actions, divided by the nodes of the graph that was planned.
    pub steps: Vec<Step>,
    /// Buffers of the outputs, in the first block. Each is at [`Storage::Output`], or at [`Storage::Input`] if it is written over an input.
    pub outputs: Vec<usize>,
    /// For each output, its offset in the arena; `None` if it is written over an input or the program is nested.
    pub output_offsets: Vec<Option<usize>>,
    /// Size of the arena in bytes.
    pub arena_bytes: usize,
    /// The size in bytes that the arena would have without any reuse.
    pub unshared_bytes: usize,
    /// The number of loop variables.
    pub variables: usize,
    /// The number of calls.
    pub calls: usize,
}

impl Program {
    /// Returns the graph that was planned, at its sizes.
    pub fn bound(&self) -> &Bound {
        // INVARIANT: the planner adds it first.
        &self.graphs[0]
    }

    /// Returns the lowered graph with names, labels and constants. Its sizes may be symbols; [`Bound::node`] has the sizes.
    pub fn graph(&self) -> &Graph {
        self.bound().lowered_graph()
    }

    /// Returns the values of the graph that was planned.
    pub fn buffers(&self) -> &[Buffer] {
        // INVARIANT: the planner adds the block first.
        &self.blocks[0].buffers
    }

    /// Returns the outputs that end up in an input's buffer, in the order of the inputs. A run writes to that buffer.
    pub fn aliases(&self) -> &[Alias] {
        &self.bound().structure.aliases
    }

    /// Returns the shape of an output.
    pub fn output_shape(&self, index: usize) -> &Shape {
        self.bound().node(self.graph().outputs()[index]).shape()
    }

    /// Returns the graph of a call, at its sizes.
    pub fn graph_of(&self, call: &Call) -> &Bound {
        &self.graphs[self.blocks[call.block].graph]
    }

    /// Returns the node of a call, at its sizes.
    pub fn node_of(&self, call: &Call) -> &Node {
        self.graph_of(call).node(call.node)
    }

    /// Returns the values that a call reads.
    pub fn operands_of(&self, call: &Call) -> impl ExactSizeIterator<Item = &Buffer> {
        let buffers = &self.blocks[call.block].buffers;
        self.graph_of(call).structure.operands_of(call.node).iter().map(|&buffer| &buffers[buffer])
    }

    /// Returns the values that a call writes. If the kernel allows it, one may be in the place of an operand.
    pub fn results_of(&self, call: &Call) -> &[Buffer] {
        &self.blocks[call.block].buffers[self.graph_of(call).structure.values_of(call.node)]
    }

    /// Returns the maximum numbers of operands and of results of a call.
    pub fn widest(&self) -> (usize, usize) {
        let widest = self.graphs.iter().map(|bound| bound.structure.widest);
        widest.fold((0, 0), |most, of| (most.0.max(of.0), most.1.max(of.1)))
    }

    /// Calls `visit` with each action, including those inside branches and loops, in order.
    pub fn for_each_action<'a>(&'a self, visit: &mut dyn FnMut(&'a Action)) {
        self.actions.iter().for_each(|action| action.for_each(visit));
    }

    /// Returns the calls of the program by their numbers.
    pub fn calls(&self) -> Vec<&Call> {
        let mut calls = Vec::with_capacity(self.calls);
        self.for_each_action(&mut |action| {
            if let Action::Call(call) = action {
                calls.push(call);
            }
        });
        calls
    }

    /// Returns the node of the planned graph that a call does the work of, or part of it.
    pub fn around(&self, call: &Call) -> NodeId {
        let is_it = |action: &Action| matches!(action, Action::Call(other) if other.number == call.number);
        let has_it = |step: &&Step| {
            let mut found = false;
            let actions = &self.actions[step.actions.clone()];
            actions.iter().for_each(|action| action.for_each(&mut |inner| found |= is_it(inner)));
            found
        };
        match self.steps.iter().find(has_it).map(|step| step.work) {
            Some(Work::Node(node)) => node,
            _ => call.node,
        }
    }

    /// Returns the node of the planned graph in which a call failed, and the message, which names the call's own node if that is inside it.
    pub fn failure(&self, call: &Call, message: String) -> (NodeId, String) {
        match self.blocks[call.block].graph {
            0 => (call.node, message),
            _ => {
                let op = self.node_of(call).op().mnemonic();
                (self.around(call), format!("{} {op}: {message}", call.node))
            }
        }
    }

    /// Returns the buffers that a step reads.
    pub fn operands<'a>(&'a self, step: &'a Step) -> &'a [usize] {
        match &step.work {
            Work::Node(node) => self.bound().structure.operands_of(*node),
            Work::Copy { from, .. } => std::slice::from_ref(from),
        }
    }

    /// Returns the buffers that a step writes. If the kernel allows it, one may be in the place of an operand.
    pub fn results(&self, step: &Step) -> Range<usize> {
        match step.work {
            Work::Node(node) => self.bound().structure.values_of(node),
            Work::Copy { to, .. } => to..to + 1,
        }
    }

    /// Describes a step for reports, without the places of its values.
    pub fn step_info(&self, step: &Step) -> StepInfo {
        match step.work {
            Work::Node(id) => {
                let (classes, node) = (self.bound().class_graph(), self.bound().node(id));
                StepInfo {
                    op: steps::name_of(node),
                    label: self.graph().node(id).label().into(),
                    shapes: steps::shapes_of(classes, node),
                    counts: cost::counts(classes, node),
                    memory: String::new(),
                }
            }
            Work::Copy { from, .. } => {
                let bytes = 2.0 * self.buffers()[from].bytes as f64;
                let counts = Counts { flops: 0.0, bytes };
                let (label, shapes, memory) = (String::new(), String::new(), String::new());
                StepInfo { op: "copy".into(), label, shapes, counts, memory }
            }
        }
    }

    /// Describes each step for reports, in order.
    pub fn step_infos(&self) -> Vec<StepInfo> {
        let info = |step| StepInfo { memory: self.places_text(step), ..self.step_info(step) };
        self.steps.iter().map(info).collect()
    }

    /// Returns one line with the size of the working memory and the number of steps.
    pub fn plan_summary(&self) -> String {
        let Program { arena_bytes, unshared_bytes, steps, .. } = self;
        format!("arena {arena_bytes} bytes ({unshared_bytes} bytes without reuse), {} steps\n", steps.len())
    }

    /// Returns the memory plan as text: a summary, then one line per step with the places of its values.
    pub fn plan_text(&self) -> String {
        let mut out = self.plan_summary();
        for step in &self.steps {
            let name = match step.work {
                Work::Node(id) => format!("{id} {}", self.graph().node(id).op().mnemonic()),
                Work::Copy { .. } => "copy".into(),
            };
            out.push_str(&format!("  {name}: {}\n", self.places_text(step)));
        }
        out
    }

    /// Returns the places that a step reads and writes, and its scratch memory.
    fn places_text(&self, step: &Step) -> String {
        let text = |i: usize| {
            let Buffer { bytes, place } = &self.buffers()[i];
            match place.fixed() {
                Some(Storage::Input(n)) => format!("input {n}"),
                Some(Storage::Param(n)) => format!("param {n}"),
                Some(Storage::Constant(_, id)) => format!("constant {id}"),
                Some(Storage::Arena(at)) => format!("[{at}+{bytes}]"),
                Some(Storage::Output(n)) => match self.output_offsets[n] {
                    Some(at) => format!("[{at}+{bytes}]"),
                    None => format!("output {n}"),
                },
                None => "moving".into(),
            }
        };
        let texts = |list: &mut dyn Iterator<Item = usize>| list.map(text).collect::<Vec<_>>().join(", ");
        let (operands, results) = (&mut self.operands(step).iter().copied(), &mut self.results(step));
        let scratch = match step.scratch_bytes {
            0 => String::new(),
            bytes => format!(" scratch [{}+{bytes}]", step.scratch),
        };
        format!("{} -> {}{scratch}", texts(operands), texts(results))
    }
}
