//! The planned program (LIR): steps over one arena, in order, every value at a known place. Kernel backends execute
//! it; they do not plan.

use crate::alias::Alias;
use rlx_ir::{Graph, NodeId, Shape};
use std::sync::Arc;

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

/// One value: a result of a node.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// The node.
    pub node: NodeId,
    /// Which of its results.
    pub result: usize,
    /// Its shape.
    pub shape: Shape,
    /// Its size.
    pub bytes: usize,
    /// Where it lies.
    pub storage: Storage,
}

/// What one step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Runs the kernel of this node.
    Kernel(NodeId),
    /// Copies the only input to the only output.
    Copy,
}

/// One step of a program. Buffers are indices into [`Program::buffers`].
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// What it does.
    pub work: Work,
    /// Operands.
    pub inputs: Vec<usize>,
    /// Results. One may lie where an operand lies, if the kernel allows it.
    pub outputs: Vec<usize>,
    /// Offset of the step's scratch memory in the arena.
    pub scratch: usize,
    /// Size of the scratch memory.
    pub scratch_bytes: usize,
}

/// A static graph with its schedule and memory plan.
#[derive(Clone, Debug)]
pub struct Program {
    /// The graph that was planned.
    pub graph: Arc<Graph>,
    /// All values.
    pub buffers: Vec<Buffer>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The outputs that end in an input's buffer. That buffer is written to during a run.
    pub aliases: Vec<Alias>,
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
    /// The memory plan as text: one line per step, with where its values lie.
    pub fn plan_text(&self) -> String {
        use std::fmt::Write;
        let mut out = format!(
            "arena {} bytes ({} without reuse), {} steps\n",
            self.arena_bytes,
            self.unshared_bytes,
            self.steps.len()
        );
        let place = |i: &usize| match self.buffers[*i].storage {
            Storage::Input(n) => format!("input {n}"),
            Storage::Param(n) => format!("param {n}"),
            Storage::Constant(id) => format!("constant {id}"),
            Storage::Arena(at) => format!("[{at}+{}]", self.buffers[*i].bytes),
            Storage::Output(n) => match self.output_offsets[n] {
                Some(at) => format!("[{at}+{}]", self.buffers[*i].bytes),
                None => format!("output {n}"),
            },
        };
        let places = |list: &[usize]| list.iter().map(place).collect::<Vec<_>>().join(", ");
        for step in &self.steps {
            let name = match step.work {
                Work::Kernel(id) => format!("{id} {}", self.graph.node(id).op().mnemonic()),
                Work::Copy => "copy".into(),
            };
            // INVARIANT: writing to a String does not fail.
            let _ = write!(out, "  {name}: {} -> {}", places(&step.inputs), places(&step.outputs));
            if step.scratch_bytes > 0 {
                let _ = write!(out, " scratch [{}+{}]", step.scratch, step.scratch_bytes);
            }
            out.push('\n');
        }
        out
    }
}
