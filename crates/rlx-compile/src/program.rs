//! The planned program: steps in order over one arena, with every value at a known place. Kernel backends
//! execute it; they do not plan.

use crate::alias::Alias;
use crate::cost::{self, Counts};
use crate::lowered::Bound;
use crate::steps::{self, StepInfo};
use rlx_ir::{Graph, NodeId, Shape};
use std::ops::Range;

/// Where a value lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// The buffer of input `i`: the caller's, or a state buffer.
    Input(usize),
    /// Parameter `i`.
    Param(usize),
    /// Constant of this node.
    Constant(NodeId),
    /// At this byte offset of the arena.
    Arena(usize),
    /// The memory of output `i`: where whoever runs the program says, else at [`Program::output_offsets`] of the arena.
    Output(usize),
}

/// One value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Its size.
    pub bytes: usize,
    /// Where it lies.
    pub storage: Storage,
}

/// What one step does. Buffers are indices into [`Program::buffers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Runs the kernel of this node.
    Kernel(NodeId),
    /// Copies a buffer to another of its size.
    Copy {
        /// The buffer that is read.
        from: usize,
        /// The buffer that is written.
        to: usize,
    },
}

/// One step of a program. [`Program::operands`] and [`Program::results`] tell what it reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// What it does.
    pub work: Work,
    /// Offset of the step's scratch memory in the arena.
    pub scratch: usize,
    /// Size of the scratch memory.
    pub scratch_bytes: usize,
}

/// A bound graph with its schedule and memory plan. What does not depend on sizes is shared with programs of other sizes.
#[derive(Clone, Debug)]
pub struct Program {
    /// The graph that was planned.
    pub bound: Bound,
    /// All values: those of the nodes, in order, then copies.
    pub buffers: Vec<Buffer>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Buffers of the outputs. Each is at [`Storage::Output`], or at [`Storage::Input`] where it is written over an input.
    pub outputs: Vec<usize>,
    /// For each output where it lies in the arena; none for those written over an input, and for those of nested programs.
    pub output_offsets: Vec<Option<usize>>,
    /// Size of the arena.
    pub arena_bytes: usize,
    /// What the arena would need without any reuse.
    pub unshared_bytes: usize,
}

impl Program {
    /// The lowered graph: names, labels and constants. Its sizes may be symbols; [`Bound::node`] has the sizes.
    pub fn graph(&self) -> &Graph {
        self.bound.lowered_graph()
    }

    /// The outputs that end in an input's buffer, in the order of the inputs. That buffer is written to during a run.
    pub fn aliases(&self) -> &[Alias] {
        &self.bound.structure.aliases
    }

    /// The shape of an output.
    pub fn output_shape(&self, index: usize) -> &Shape {
        self.bound.node(self.graph().outputs()[index]).shape()
    }

    /// The buffers that a step reads.
    pub fn operands<'a>(&'a self, step: &'a Step) -> &'a [usize] {
        match &step.work {
            Work::Kernel(node) => self.bound.structure.operands_of(*node),
            Work::Copy { from, .. } => std::slice::from_ref(from),
        }
    }

    /// The buffers that a step writes. One may lie where an operand lies, if the kernel allows it.
    pub fn results(&self, step: &Step) -> Range<usize> {
        match step.work {
            Work::Kernel(node) => self.bound.structure.values_of(node),
            Work::Copy { to, .. } => to..to + 1,
        }
    }

    /// The longest lists of operands and of results.
    pub fn widest(&self) -> (usize, usize) {
        self.bound.structure.widest
    }

    /// What reports say of a step, without where its values lie.
    pub fn step_info(&self, step: &Step) -> StepInfo {
        match step.work {
            Work::Kernel(id) => {
                let (classes, node) = (self.bound.class_graph(), self.bound.node(id));
                StepInfo {
                    op: steps::name_of(node),
                    label: self.graph().node(id).label().into(),
                    shapes: steps::shapes_of(classes, node),
                    counts: cost::counts(classes, node),
                    memory: String::new(),
                }
            }
            Work::Copy { from, .. } => {
                let bytes = 2.0 * self.buffers[from].bytes as f64;
                let counts = Counts { flops: 0.0, bytes };
                let (label, shapes, memory) = (String::new(), String::new(), String::new());
                StepInfo { op: "copy".into(), label, shapes, counts, memory }
            }
        }
    }

    /// What reports say of each step, in order.
    pub fn step_infos(&self) -> Vec<StepInfo> {
        let info = |step| StepInfo { memory: self.places_text(step), ..self.step_info(step) };
        self.steps.iter().map(info).collect()
    }

    /// The size of the working memory and the number of steps, in a line.
    pub fn plan_summary(&self) -> String {
        let Program { arena_bytes, unshared_bytes, steps, .. } = self;
        format!("arena {arena_bytes} bytes ({unshared_bytes} bytes without reuse), {} steps\n", steps.len())
    }

    /// The memory plan as text: one line per step, with where its values lie.
    pub fn plan_text(&self) -> String {
        let mut out = self.plan_summary();
        for step in &self.steps {
            let name = match step.work {
                Work::Kernel(id) => format!("{id} {}", self.graph().node(id).op().mnemonic()),
                Work::Copy { .. } => "copy".into(),
            };
            out.push_str(&format!("  {name}: {}\n", self.places_text(step)));
        }
        out
    }

    /// Where a step reads and writes, and its scratch memory.
    fn places_text(&self, step: &Step) -> String {
        let place = |i: usize| match self.buffers[i].storage {
            Storage::Input(n) => format!("input {n}"),
            Storage::Param(n) => format!("param {n}"),
            Storage::Constant(id) => format!("constant {id}"),
            Storage::Arena(at) => format!("[{at}+{}]", self.buffers[i].bytes),
            Storage::Output(n) => match self.output_offsets[n] {
                Some(at) => format!("[{at}+{}]", self.buffers[i].bytes),
                None => format!("output {n}"),
            },
        };
        let places = |list: &mut dyn Iterator<Item = usize>| list.map(place).collect::<Vec<_>>().join(", ");
        let (operands, results) = (&mut self.operands(step).iter().copied(), &mut self.results(step));
        let scratch = match step.scratch_bytes {
            0 => String::new(),
            bytes => format!(" scratch [{}+{bytes}]", step.scratch),
        };
        format!("{} -> {}{scratch}", places(operands), places(results))
    }
}
