//! Plans memory and lowers kernels for a graph and for the graphs inside its nodes. Values with symbolic sizes get their maximum memory.

use crate::bounds::Bounds;
use crate::kernels;
use crate::targets::Target;
use rlx_codegen::Kernel;
use rlx_codegen::lower::{Argument, Launch, Launches, lower, single};
use rlx_codegen::print::rust::element;
use rlx_codegen::schedule::choose::{choose, for_threads};
use rlx_codegen::schedule::tasks::{Tasks, tasks};
use rlx_compile::memory::{Class, Kernels, Needs, PlanError, plan_open};
use rlx_compile::{Bound, Call, Program};
use rlx_ir::{DType, Dim, Node, Op, Shape};

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

/// A planned program with the kernels of its nodes.
pub(crate) struct Planning {
    pub(crate) program: Program,
    /// For each graph of the program, the kernels of each class of nodes that is called.
    launched: Vec<Vec<Option<Launched>>>,
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

/// The kernels of a program that is being planned.
struct Lowering<'p> {
    of: Plan<'p>,
    problems: &'p mut Vec<String>,
    launched: Vec<Vec<Option<Launched>>>,
}

impl Kernels for Lowering<'_> {
    type Error = PlanError;

    fn prepare(&mut self, class: Class<'_>) -> Result<Needs, PlanError> {
        let launched = match Launched::new(class, self.of) {
            Ok(launched) => launched,
            Err(why) => {
                self.problems.push(problem(class.node, &why));
                return Ok(Needs::default());
            }
        };
        let scratch_bytes = launched.variants.iter().map(|variant| variant.bytes).max().unwrap_or(0);
        self.launched.resize_with(self.launched.len().max(class.graph + 1), Vec::new);
        let of_graph = &mut self.launched[class.graph];
        of_graph.resize_with(class.bound.class_graph().nodes().len(), || None);
        of_graph[class.node.id().index()] = Some(launched);
        Ok(Needs { scratch_bytes, in_place: Vec::new() })
    }
}

impl Planning {
    /// Lowers every class of nodes and plans memory. Adds what cannot be expressed to `problems`.
    pub(crate) fn new(bound: &Bound, of: Plan<'_>, problems: &mut Vec<String>) -> Option<Planning> {
        let mut lowering = Lowering { of, problems, launched: Vec::new() };
        let planned = plan_open(bound, &mut lowering, &|shape| of.bounds.bytes(shape));
        let Lowering { problems, launched, .. } = lowering;
        match planned {
            Ok(program) => Some(Planning { program, launched }),
            Err(error @ (PlanError::Dynamic(..) | PlanError::TooLarge)) => {
                problems.push(error.to_string());
                None
            }
        }
    }

    /// Returns the kernels of a call.
    pub(crate) fn of_call(&self, call: &Call) -> Option<&Launched> {
        let graph = self.program.blocks[call.block].graph;
        let class = self.program.graphs[graph].class_of(call.node);
        self.launched.get(graph)?.get(class)?.as_ref()
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
    fn new(class: Class<'_>, of: Plan<'_>) -> Result<Launched, String> {
        let (node, graph) = (class.node, class.bound.class_graph());
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
                class.is_fixed(operand) && of.bounds.elements(graph.shape(operand)) <= PACKED
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
            let function = kernels::Kernels::printed(kernel, target).map_err(|e| e.to_string())?;
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

/// Returns the Rust type that stores an element of this type, and its size in bytes.
pub(crate) fn stored(dtype: DType) -> (&'static str, usize) {
    (element(dtype), dtype.size())
}
