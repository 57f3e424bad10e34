//! Plans memory and lowers kernels for a graph and, within its memory, for the graphs inside its nodes. Values with
//! symbolic sizes get their maximum memory.

use crate::bounds::Bounds;
use crate::kernels::Kernels;
use crate::targets::Target;
use rlx_codegen::Kernel;
use rlx_codegen::lower::{Argument, Launch, Launches, lower, single};
use rlx_codegen::print::rust::element;
use rlx_codegen::schedule::choose::{choose, for_threads};
use rlx_codegen::schedule::tasks::{Tasks, tasks};
use rlx_compile::memory::{Needs, PlanError, plan_open};
use rlx_compile::program::Work;
use rlx_compile::{Bound, Program};
use rlx_ir::{DType, Dim, Graph, Node, Op, Shape};
use std::sync::Arc;

const ALIGNMENT: usize = 64;
/// Larger weights (in elements) stay as they are: the interpreter that packs them takes a second for a few million elements.
const PACKED: usize = 1 << 26;

/// What a program is planned for.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'b> {
    pub(crate) targets: &'static [Target],
    /// The bounds of symbolic sizes.
    pub(crate) bounds: &'b Bounds,
    /// Whether the program may use several threads.
    pub(crate) threads: bool,
}

/// A planned graph, with the prepared kernels or control flow of each class of its nodes.
pub(crate) struct Planning {
    pub(crate) program: Program,
    pub(crate) prepared: Vec<Option<Prepared>>,
}

/// What executes a node.
pub(crate) enum Prepared {
    Launched(Launched),
    Control(Box<Control>),
}

/// Memory inside the scratch memory of a node's step.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) dtype: DType,
    pub(crate) at: usize,
    /// The maximum number of bytes.
    pub(crate) bytes: usize,
    pub(crate) elements: Dim,
}

/// Kernels in the variant of each target.
pub(crate) struct Launched {
    pub(crate) variants: Vec<Variant>,
}

/// Kernels, with places for the values that live between and inside them.
pub(crate) struct Variant {
    pub(crate) launches: Launches,
    pub(crate) temporaries: Vec<Part>,
    /// For each launch, the arrays that its function takes.
    pub(crate) arrays: Vec<Vec<Part>>,
    /// For each launch, how threads share it. The arrays of a shared launch lie in memory that each thread has.
    pub(crate) shared: Vec<Option<SharedLaunch>>,
    bytes: usize,
}

/// A launch that several threads share.
pub(crate) struct SharedLaunch {
    pub(crate) tasks: Tasks,
    /// The maximum number of pieces that is worthwhile.
    pub(crate) pieces: usize,
}

impl SharedLaunch {
    /// Divides a launch into tasks if another thread is worthwhile.
    fn of(kernel: &Kernel, target: &Target) -> Option<SharedLaunch> {
        let pieces = target.pieces(kernel);
        let tasks = tasks(kernel).filter(|_| pieces > 1)?;
        Some(SharedLaunch { pieces: pieces.min(tasks.most), tasks })
    }
}

/// A branch or a loop. Its graphs share the start of the step's memory.
pub(crate) struct Control {
    pub(crate) op: Op,
    pub(crate) graphs: Vec<Planning>,
    /// The next carried values, followed, for a `while`, by whether the loop continues.
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

/// Assigns places one after another.
#[derive(Default)]
struct ArenaPlaces {
    bytes: usize,
}

impl ArenaPlaces {
    fn take(&mut self, shape: &Shape, bounds: &Bounds) -> Part {
        let (at, bytes) = (self.bytes, bounds.elements(shape).saturating_mul(shape.dtype().size()));
        // An allocation that is too large has no multiple of the alignment; the plan refuses it.
        let end = bytes.checked_next_multiple_of(ALIGNMENT).unwrap_or(usize::MAX);
        self.bytes = at.saturating_add(end);
        Part { dtype: shape.dtype(), at, bytes, elements: shape.num_elements_dim() }
    }
}

impl Planning {
    /// Lowers every class of nodes and plans memory. Adds what cannot be expressed to `problems`.
    pub(crate) fn new(bound: &Bound, of: Plan<'_>, problems: &mut Vec<String>) -> Option<Planning> {
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
        let planned = plan_open(bound, &mut plan, &|shape| of.bounds.bytes(shape));
        match planned {
            Ok(program) => Some(Planning { program, prepared }),
            Err(error @ (PlanError::Dynamic(..) | PlanError::TooLarge)) => {
                problems.push(error.to_string());
                None
            }
        }
    }

    /// Returns what executes a step.
    pub(crate) fn of_step(&self, work: Work) -> Option<&Prepared> {
        match work {
            Work::Kernel(id) => self.prepared[self.program.bound.class_of(id)].as_ref(),
            Work::Copy { .. } => None,
        }
    }
}

/// Formats a problem with the op and its model path.
fn problem(node: &Node, why: &str) -> String {
    match node.label() {
        "" => format!("`{}`: {why}", node.op().mnemonic()),
        label => format!("`{}` in {label}: {why}", node.op().mnemonic()),
    }
}

impl Launched {
    fn new(node: &Node, graph: &Graph, of: Plan<'_>) -> Result<Launched, String> {
        let launches = match node.op() {
            Op::Fusion { body, .. } => lower(body),
            op => {
                let operands: Vec<Shape> =
                    node.inputs().iter().map(|&input| graph.shape(input).clone()).collect();
                lower(&single(op, &operands, node.results()))
            }
        };
        let mut launches = launches.map_err(|e| e.to_string())?;
        of.bounds.state(&mut launches);
        let known = |argument: Argument| match argument {
            Argument::Constant(_) => true,
            Argument::Input(i) => node.inputs().get(i).is_some_and(|&operand| {
                let is_given = graph.inputs().any(|input| input.id() == operand);
                let is_weight = graph.node(operand).inputs().is_empty() && !is_given;
                is_weight && of.bounds.elements(graph.shape(operand)) <= PACKED
            }),
            Argument::Output(_) | Argument::Temporary(_) => false,
        };
        let variant = |target: &Target| {
            let mut chosen = choose(&launches, target, &known).map_err(|e| e.to_string())?;
            if of.threads {
                chosen = for_threads(&chosen, target, &known);
            }
            Variant::new(chosen, target, of)
        };
        Ok(Launched { variants: of.targets.iter().map(variant).collect::<Result<_, String>>()? })
    }
}

impl Variant {
    fn new(launches: Launches, target: &Target, of: Plan<'_>) -> Result<Variant, String> {
        let mut places = ArenaPlaces::default();
        let temporaries = launches.temporaries.iter();
        let temporaries = temporaries.map(|t| places.take(&Shape::from_dims(&t.extents, t.dtype), of.bounds));
        let temporaries = temporaries.collect();
        let (between, mut bytes) = (places.bytes, places.bytes);
        let (mut arrays, mut shared) = (Vec::new(), Vec::new());
        for Launch { kernel, .. } in &launches.launches {
            let of_launch = if of.threads { SharedLaunch::of(kernel, target) } else { None };
            let function = Kernels::printed(kernel, target).map_err(|e| e.to_string())?;
            let begin = if of_launch.is_some() { 0 } else { between };
            let mut places = ArenaPlaces { bytes: begin };
            let scratch = function.scratch.iter();
            let scratch = scratch.map(|s| places.take(&Shape::from_dims(&s.extents, s.dtype), of.bounds));
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
    fn new(node: &Node, of: Plan<'_>, problems: &mut Vec<String>) -> Option<Control> {
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
        let mut next: Vec<Part> = carried.iter().map(|shape| places.take(shape, of.bounds)).collect();
        if let Op::While { .. } = node.op() {
            next.push(places.take(&Shape::scalar(DType::Bool), of.bounds));
        }
        Some(Control { op: node.op().clone(), graphs, next, bytes: places.bytes })
    }
}

/// Returns the Rust type that stores an element of this type, and its size in bytes.
pub(crate) fn stored(dtype: DType) -> (&'static str, usize) {
    (element(dtype), dtype.size())
}
