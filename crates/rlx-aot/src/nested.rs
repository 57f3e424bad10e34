//! A graph with its memory planned and its kernels lowered, and so the graphs inside its nodes, whose memory is part of theirs.

use crate::kernels::Kernels;
use crate::targets::Target;
use rlx_codegen::Kernel;
use rlx_codegen::lower::{Argument, Launch, Launches, lower, single};
use rlx_codegen::print::rust::element;
use rlx_codegen::schedule::choose::{choose, for_threads};
use rlx_codegen::schedule::tasks::{Tasks, tasks};
use rlx_compile::memory::{Needs, PlanError, plan_nested};
use rlx_compile::program::Work;
use rlx_compile::{Bound, Program};
use rlx_ir::{Bindings, DType, Graph, Node, Op, Shape};
use std::sync::Arc;

const ALIGNMENT: usize = 64;
/// Weights of more elements stay as they are: the interpreter, which packs them, takes a second for a few million.
const PACKED: usize = 1 << 26;

/// For what a program is planned.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) targets: &'static [Target],
    /// Whether it may have several threads.
    pub(crate) threads: bool,
}

/// A planned graph, with what runs each class of its nodes.
pub(crate) struct Planning {
    pub(crate) program: Program,
    pub(crate) prepared: Vec<Option<Prepared>>,
}

/// What runs a node.
pub(crate) enum Prepared {
    Launched(Launched),
    Control(Box<Control>),
}

/// Memory inside the scratch memory of a node's step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) dtype: DType,
    pub(crate) at: usize,
    pub(crate) bytes: usize,
}

/// Kernels as each target runs them.
pub(crate) struct Launched {
    pub(crate) variants: Vec<Variant>,
}

/// Kernels, with places for what lives between and inside of them.
pub(crate) struct Variant {
    pub(crate) launches: Launches,
    pub(crate) temporaries: Vec<Part>,
    /// Of each launch the arrays that its function is passed.
    pub(crate) arrays: Vec<Vec<Part>>,
    /// Of each launch how it is shared between threads. Its arrays lie in memory that each of them has.
    pub(crate) shared: Vec<Option<Shared>>,
    bytes: usize,
}

/// A launch that several threads share.
pub(crate) struct Shared {
    pub(crate) tasks: Tasks,
    /// How many pieces it is worth at most.
    pub(crate) pieces: usize,
}

impl Shared {
    /// A launch in tasks, if another thread is worth it.
    fn of(kernel: &Kernel, target: &Target) -> Option<Shared> {
        let pieces = target.pieces(kernel);
        let tasks = tasks(kernel).filter(|_| pieces > 1)?;
        Some(Shared { pieces: pieces.min(tasks.count), tasks })
    }
}

/// A branch or a loop. Its graphs share memory at the beginning of the step's.
pub(crate) struct Control {
    pub(crate) op: Op,
    pub(crate) graphs: Vec<Planning>,
    /// The next carried values; of a `while`, behind them, whether it goes on.
    pub(crate) next: Vec<Part>,
    bytes: usize,
}

impl Prepared {
    fn bytes(&self) -> usize {
        match self {
            Prepared::Launched(launched) => launched.variants.iter().map(|v| v.bytes).max().unwrap_or(0),
            Prepared::Control(control) => control.bytes,
        }
    }
}

/// Takes places one after another.
#[derive(Default)]
struct ArenaPlaces {
    bytes: usize,
}

impl ArenaPlaces {
    fn take(&mut self, dtype: DType, count: usize) -> Part {
        let (at, bytes) = (self.bytes, count.saturating_mul(dtype.size()));
        self.bytes = at.saturating_add(bytes.next_multiple_of(ALIGNMENT));
        Part { dtype, at, bytes }
    }

    fn value(&mut self, shape: &Shape) -> Part {
        self.take(shape.dtype(), count(shape))
    }
}

/// The elements of a static shape; what is not static has been refused.
fn count(shape: &Shape) -> usize {
    shape.num_elements().unwrap_or(0)
}

impl Planning {
    /// Lowers every class of nodes and plans memory. What cannot be said is added to `problems`.
    pub(crate) fn new(bound: &Bound, of: Plan, problems: &mut Vec<String>) -> Option<Planning> {
        let classes = bound.class_graph();
        let mut prepared: Vec<Option<Prepared>> = Vec::new();
        prepared.resize_with(classes.nodes().len(), || None);
        let mut plan = |node: &Node| {
            let made = match node.op().is_control() {
                true => Control::new(node, of, problems).map(|control| Prepared::Control(Box::new(control))),
                false => Launched::new(node, classes, of)
                    .map_err(|why| problems.push(problem(node, &why)))
                    .ok()
                    .map(Prepared::Launched),
            };
            let scratch_bytes = made.as_ref().map_or(0, Prepared::bytes);
            prepared[node.id().index()] = made;
            Needs { scratch_bytes, in_place: Vec::new() }
        };
        let planned = plan_nested(bound, &mut plan, &[]);
        match planned {
            Ok(program) => Some(Planning { program, prepared }),
            Err(error @ (PlanError::Dynamic(..) | PlanError::TooLarge)) => {
                problems.push(error.to_string());
                None
            }
        }
    }

    /// What runs a step.
    pub(crate) fn of_step(&self, work: Work) -> Option<&Prepared> {
        match work {
            Work::Kernel(id) => self.prepared[self.program.bound.class_of(id)].as_ref(),
            Work::Copy { .. } => None,
        }
    }
}

/// Op, model path and reason.
fn problem(node: &Node, why: &str) -> String {
    match node.label() {
        "" => format!("`{}`: {why}", node.op().mnemonic()),
        label => format!("`{}` in {label}: {why}", node.op().mnemonic()),
    }
}

impl Launched {
    fn new(node: &Node, graph: &Graph, of: Plan) -> Result<Launched, String> {
        let launches = match node.op() {
            Op::Fusion { body, .. } => lower(body),
            op => {
                let operands: Vec<Shape> =
                    node.inputs().iter().map(|&input| graph.shape(input).clone()).collect();
                lower(&single(op, &operands, node.results()))
            }
        };
        let launches = launches.map_err(|e| e.to_string())?;
        let known = |argument: Argument| match argument {
            Argument::Constant(_) => true,
            Argument::Input(i) => node.inputs().get(i).is_some_and(|&operand| {
                let is_given = graph.inputs().any(|input| input.id() == operand);
                let is_weight = graph.node(operand).inputs().is_empty() && !is_given;
                is_weight && count(graph.shape(operand)) <= PACKED
            }),
            Argument::Output(_) | Argument::Temporary(_) => false,
        };
        let variant = |target: &Target| {
            let mut chosen = choose(&launches, target, &known).map_err(|e| e.to_string())?;
            if of.threads {
                chosen = for_threads(&chosen, target, &known);
            }
            Variant::new(chosen, target, of.threads)
        };
        Ok(Launched { variants: of.targets.iter().map(variant).collect::<Result<_, String>>()? })
    }
}

impl Variant {
    fn new(launches: Launches, target: &Target, threads: bool) -> Result<Variant, String> {
        let mut places = ArenaPlaces::default();
        let shape = |extents: &[_], dtype| Shape::from_dims(extents, dtype).bind(&Bindings::new());
        let temporaries = launches.temporaries.iter().map(|t| places.value(&shape(&t.extents, t.dtype)));
        let temporaries = temporaries.collect();
        let (between, mut bytes) = (places.bytes, places.bytes);
        let (mut arrays, mut shared) = (Vec::new(), Vec::new());
        for Launch { kernel, .. } in &launches.launches {
            let of_launch = if threads { Shared::of(kernel, target) } else { None };
            let function = Kernels::printed(kernel, target).map_err(|e| e.to_string())?;
            let begin = if of_launch.is_some() { 0 } else { between };
            let mut places = ArenaPlaces { bytes: begin };
            let scratch = function.scratch.iter().map(|s| places.value(&shape(&s.extents, s.dtype)));
            arrays.push(scratch.collect());
            if of_launch.is_none() {
                bytes = bytes.max(places.bytes);
            }
            shared.push(of_launch);
        }
        Ok(Variant { launches, temporaries, arrays, shared, bytes })
    }
}

impl Control {
    fn new(node: &Node, of: Plan, problems: &mut Vec<String>) -> Option<Control> {
        let mut graphs = Vec::new();
        node.op().for_each_graph(&mut |body| graphs.push(Arc::new(Graph::clone(body))));
        let planned = graphs.iter().map(|graph| Planning::new(&Bound::unclassified(graph), of, problems));
        let graphs = planned.collect::<Option<Vec<Planning>>>()?;
        let shared = graphs.iter().map(|graph| graph.program.arena_bytes).max().unwrap_or(0);
        let mut places = ArenaPlaces { bytes: shared.next_multiple_of(ALIGNMENT) };
        let carried = match node.op() {
            Op::While { .. } => node.results(),
            Op::Scan { num_carry, .. } => &node.results()[..*num_carry],
            _ => &[],
        };
        let mut next: Vec<Part> = carried.iter().map(|shape| places.value(shape)).collect();
        if let Op::While { .. } = node.op() {
            next.push(places.take(DType::Bool, 1));
        }
        Some(Control { op: node.op().clone(), graphs, next, bytes: places.bytes })
    }
}

/// How an element of this type is written in memory, and its bytes there.
pub(crate) fn stored(dtype: DType) -> (&'static str, usize) {
    (element(dtype), dtype.size())
}
