//! The planned program: steps in order over one arena, with every value at a known place. Kernel backends
//! execute it, but do not plan themselves.

use crate::alias::Alias;
use crate::cost::{self, Counts};
use crate::lowered::Bound;
use crate::steps::{self, StepInfo};
use rlx_ir::{Graph, NodeId, Shape};
use std::ops::Range;

/// Where a value is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// In the buffer of input `i`: the caller's, or a state buffer.
    Input(usize),
    /// In parameter `i`.
    Param(usize),
    /// In the constant of this node.
    Constant(NodeId),
    /// At this byte offset in the arena.
    Arena(usize),
    /// In the memory of output `i`: the caller's, if the caller gives any, otherwise at [`Program::output_offsets`] in the arena.
    Output(usize),
}

/// One value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Its size in bytes.
    pub bytes: usize,
    /// Where it is stored.
    pub storage: Storage,
}

/// What one step does. Buffers are indices into [`Program::buffers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Runs the kernel of this node.
    Kernel(NodeId),
    /// Copies a buffer to another one of the same size.
    Copy {
        /// The buffer that is read.
        from: usize,
        /// The buffer that is written.
        to: usize,
    },
}

/// One step of a program. [`Program::operands`] and [`Program::results`] return the buffers that it reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// What it does.
    pub work: Work,
    /// Offset of the step's scratch memory in the arena.
    pub scratch: usize,
    /// Size of the scratch memory in bytes.
    pub scratch_bytes: usize,
}

/// A bound graph with its schedule and memory plan. Everything that does not depend on sizes is shared with programs of other sizes.
#[derive(Clone, Debug)]
pub struct Program {
    /// The graph that was planned.
    pub bound: Bound,
    /// All values: those of the nodes, in order, then copies.
    pub buffers: Vec<Buffer>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Buffers of the outputs. Each is at [`Storage::Output`], or at [`Storage::Input`] if it is written over an input.
    pub outputs: Vec<usize>,
    /// For each output, its offset in the arena; `None` if it is written over an input or the program is nested.
    pub output_offsets: Vec<Option<usize>>,
    /// Size of the arena in bytes.
    pub arena_bytes: usize,
    /// The size in bytes that the arena would have without any reuse.
    pub unshared_bytes: usize,
}

impl Program {
    /// Returns the lowered graph with names, labels and constants. Its sizes may be symbols; [`Bound::node`] has the sizes.
    pub fn graph(&self) -> &Graph {
        self.bound.lowered_graph()
    }

    /// Returns the outputs that end up in an input's buffer, in the order of the inputs. A run writes to that buffer.
    pub fn aliases(&self) -> &[Alias] {
        &self.bound.structure.aliases
    }

    /// Returns the shape of an output.
    pub fn output_shape(&self, index: usize) -> &Shape {
        self.bound.node(self.graph().outputs()[index]).shape()
    }

    /// Returns the buffers that a step reads.
    pub fn operands<'a>(&'a self, step: &'a Step) -> &'a [usize] {
        match &step.work {
            Work::Kernel(node) => self.bound.structure.operands_of(*node),
            Work::Copy { from, .. } => std::slice::from_ref(from),
        }
    }

    /// Returns the buffers that a step writes. If the kernel allows it, one may be in the place of an operand.
    pub fn results(&self, step: &Step) -> Range<usize> {
        match step.work {
            Work::Kernel(node) => self.bound.structure.values_of(node),
            Work::Copy { to, .. } => to..to + 1,
        }
    }

    /// Returns the maximum numbers of operands and of results of a step.
    pub fn widest(&self) -> (usize, usize) {
        self.bound.structure.widest
    }

    /// Describes a step for reports, without the places of its values.
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
                Work::Kernel(id) => format!("{id} {}", self.graph().node(id).op().mnemonic()),
                Work::Copy { .. } => "copy".into(),
            };
            out.push_str(&format!("  {name}: {}\n", self.places_text(step)));
        }
        out
    }

    /// Returns the places that a step reads and writes, and its scratch memory.
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
