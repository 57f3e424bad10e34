//! Turns the actions of a planned program into those of the emitted function: calls of functions, and typed places.
//! Symbolic sizes stay expressions.

use crate::TARGET;
use crate::bounds::Bounds;
use crate::data::Data;
use crate::defined::defined;
use crate::folded::folded;
use crate::kernels::Kernels;
use crate::places::{ArrayPlace, Memory, Root};
use crate::planning::{Part, Plan, Planning, SharedLaunch, Variant, stored};
use crate::targets::Target;
use rlx_codegen::lower::{Argument, Launch};
use rlx_codegen::print::sizes;
use rlx_codegen::schedule::tasks::Tasks;
use rlx_compile::program::{self, Copied, Translate, translated};
use rlx_compile::{Bound, Call, EmitError, Lowered, ParamValues, Program, Storage};
use rlx_ir::{Bindings, DType, Graph, Node, NodeId, Op, Shape};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A place with the type of its elements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Typed {
    pub(crate) place: ArrayPlace,
    pub(crate) dtype: DType,
}

/// One action of the emitted function.
pub(crate) type Action = program::Action<Emitted, Typed>;

/// A call of an emitted function.
pub(crate) enum Emitted {
    /// Calls the function with this number.
    Whole { function: usize, arguments: Vec<Passed> },
    /// Calls the function for pieces of a launch, on several threads.
    Shared { function: usize, arguments: Vec<Passed>, pieces: Box<PiecesOf> },
}

/// An argument of a function.
pub(crate) struct Passed {
    pub(crate) value: Typed,
    pub(crate) is_written: bool,
}

/// How a launch is divided into pieces.
pub(crate) struct PiecesOf {
    /// The maximum number of pieces.
    pub(crate) most: usize,
    pub(crate) tasks: Tasks,
}

/// An emitted program, except for its text.
pub(crate) struct Planned {
    /// The actions for each target.
    pub(crate) routines: Vec<Routine>,
    pub(crate) memory: Memory,
    /// The memory of each thread.
    pub(crate) own: Memory,
    pub(crate) data: Data,
    /// The bounds of the sizes that the program finds at run time.
    pub(crate) bounds: Bounds,
}

/// What a program is planned for.
pub(crate) struct PlannedFor<'a> {
    pub(crate) targets: &'static [Target],
    pub(crate) threads: bool,
    /// The maximum size of each symbol.
    pub(crate) largest: &'a Bindings,
}

/// A program for one target.
pub(crate) struct Routine {
    pub(crate) target: &'static Target,
    pub(crate) actions: Vec<Action>,
    pub(crate) kernels: Kernels,
}

impl Planned {
    /// Returns whether threads have memory of their own.
    pub(crate) fn has_own(&self) -> bool {
        self.own.arrays().next().is_some()
    }

    /// Plans a lowered graph.
    pub(crate) fn of(
        lowered: &Lowered,
        params: &ParamValues,
        PlannedFor { targets, threads, largest }: PlannedFor<'_>,
    ) -> Result<Planned, EmitError> {
        let unsupported = |problems| EmitError::Unsupported { target: TARGET.into(), problems };
        let bound = match folded(lowered.graph(), params) {
            Some(folded) => Bound::unclassified(&Arc::new(folded)),
            None => lowered.open(),
        };
        let mut problems = open_params(bound.lowered_graph());
        let bounds = defined(bound.class_graph(), Bounds::up_to(largest), &mut problems);
        let of = Plan { targets, threads, bounds: &bounds };
        let planning = Planning::new(&bound, of, &mut problems);
        let mut writer = Writer::new(&targets[0], &bounds);
        let mut routines = Vec::new();
        if let (Some(planning), true) = (planning, problems.is_empty()) {
            let graph = planning.program.graph();
            let read: HashSet<NodeId> =
                graph.nodes().iter().flat_map(Node::inputs).chain(graph.outputs()).copied().collect();
            for param in graph.params() {
                let value = param
                    .name()
                    .filter(|_| read.contains(&param.id()))
                    .and_then(|name| Some((name, params.get(name)?)));
                writer.params.push(match value {
                    Some((name, value)) => writer.data.param(name, value),
                    // The parameter is not read.
                    None => ArrayPlace::none(Root::Weights),
                });
            }
            writer.record(&planning.program);
            let whole = |root: fn(usize) -> Root, shapes: Vec<&Shape>| -> Vec<ArrayPlace> {
                let place = |(i, shape): (usize, &&Shape)| {
                    ArrayPlace::new(root(i), 0, bounds.bytes(shape).unwrap_or(0), shape.num_elements_dim())
                };
                shapes.iter().enumerate().map(place).collect()
            };
            writer.inputs = whole(Root::Input, graph.inputs().map(Node::shape).collect());
            writer.outputs = whole(Root::Output, graph.output_shapes().iter().collect());
            for (number, target) in targets.iter().enumerate() {
                (writer.number, writer.target) = (number, target);
                let mut to_functions = Calls { writer: &mut writer, planning: &planning };
                let actions = translated(&planning.program.actions, &mut to_functions);
                let kernels = std::mem::take(&mut writer.kernels);
                routines.push(Routine { target, actions, kernels });
            }
            problems = writer.problems;
        }
        if !problems.is_empty() {
            problems.sort();
            problems.dedup();
            return Err(unsupported(problems));
        }
        let Writer { mut memory, mut own, mut data, .. } = writer;
        memory.merge();
        own.merge();
        let mut each_place = |visit: &mut dyn FnMut(&mut ArrayPlace)| {
            let actions = routines.iter_mut().flat_map(|routine| &mut routine.actions);
            actions.for_each(|action| for_each_place(action, visit));
        };
        each_place(&mut |place| data.keep(place));
        data.lay_out();
        each_place(&mut |place| data.settle(place));
        Ok(Planned { routines, memory, own, data, bounds })
    }
}

/// Reports parameters whose values would determine a size.
fn open_params(graph: &Graph) -> Vec<String> {
    let open = graph.named_params().filter(|(_, shape)| !shape.is_static());
    let problem = |(name, shape): (&str, &Shape)| {
        format!(
            "parameter `{name}` is `{shape}`: bind its sizes to those of its value before emitting a program"
        )
    };
    open.map(problem).collect()
}

/// Calls `visit` with each place of an action, including those of nested actions.
fn for_each_place(action: &mut Action, visit: &mut dyn FnMut(&mut ArrayPlace)) {
    let mut inside = |block: &mut Vec<Action>| block.iter_mut().for_each(|a| for_each_place(a, visit));
    match action {
        Action::Call(Emitted::Whole { arguments, .. } | Emitted::Shared { arguments, .. }) => {
            arguments.iter_mut().for_each(|a| visit(&mut a.value.place))
        }
        Action::Copy(Copied { from, to, .. }) => [from, to].into_iter().for_each(|t| visit(&mut t.place)),
        Action::If { condition, then, otherwise } => {
            [then, otherwise].into_iter().for_each(inside);
            visit(&mut condition.place);
        }
        Action::Case { index, branches } => {
            branches.iter_mut().for_each(inside);
            visit(&mut index.place);
        }
        Action::While { condition, again, body, .. } => {
            [condition, body].into_iter().for_each(inside);
            visit(&mut again.place);
        }
        Action::For { body, .. } => inside(body),
    }
}

struct Writer<'b> {
    bounds: &'b Bounds,
    /// The number of the target that is being written.
    number: usize,
    target: &'static Target,
    memory: Memory,
    own: Memory,
    data: Data,
    kernels: Kernels,
    inputs: Vec<ArrayPlace>,
    params: Vec<ArrayPlace>,
    outputs: Vec<ArrayPlace>,
    problems: Vec<String>,
}

/// Turns the calls of a program into calls of functions.
struct Calls<'w, 'b> {
    writer: &'w mut Writer<'b>,
    planning: &'w Planning,
}

impl Translate for Calls<'_, '_> {
    type Call = Emitted;
    type Place = Typed;

    fn call(&mut self, call: &Call, to: &mut Vec<Action>) {
        let Calls { writer, planning } = self;
        let program = &planning.program;
        let (bound, node) = (program.graph_of(call), program.node_of(call));
        let shapes = node.inputs().iter().map(|&input| bound.class_graph().shape(input));
        let operands = program.operands_of(call).zip(shapes);
        let operands: Vec<Typed> =
            operands.map(|(buffer, shape)| writer.value(program, &buffer.place, shape)).collect();
        let results = program.results_of(call).iter().zip(node.results());
        let results: Vec<Typed> =
            results.map(|(buffer, shape)| writer.value(program, &buffer.place, shape)).collect();
        match planning.of_call(call) {
            Some(launched) => {
                let variant = &launched.variants[writer.number];
                writer.launches(variant, &operands, &results, call.scratch, to);
            }
            None => writer.problems.push(format!("`{}` has no kernel", node.op().mnemonic())),
        }
    }

    fn place(&mut self, place: &program::Place, shape: &Shape) -> Typed {
        self.writer.value(&self.planning.program, place, shape)
    }
}

impl<'b> Writer<'b> {
    fn new(target: &'static Target, bounds: &'b Bounds) -> Writer<'b> {
        Writer {
            bounds,
            number: 0,
            target,
            memory: Memory::default(),
            own: Memory::default(),
            data: Data::default(),
            kernels: Kernels::default(),
            inputs: Vec::new(),
            params: Vec::new(),
            outputs: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Records which types the values of a program have in the arena.
    fn record(&mut self, program: &Program) {
        for block in &program.blocks {
            let bound = &program.graphs[block.graph];
            let nodes = bound.lowered_graph().nodes().iter();
            let shapes = nodes.flat_map(|node| bound.node(node.id()).results());
            for (buffer, shape) in block.buffers.iter().zip(shapes) {
                if let Some(Storage::Arena(_)) = buffer.place.fixed() {
                    self.value(program, &buffer.place, shape);
                }
            }
        }
    }

    /// Returns a place with its element type, and records that the memory holds that type there.
    fn typed(&mut self, place: ArrayPlace, dtype: DType) -> Typed {
        let (element, bytes) = stored(dtype);
        match place.root {
            Root::Memory if place.moves.is_empty() => {
                self.memory.holds(element, bytes, place.at, place.bytes);
            }
            Root::Own => self.own.holds(element, bytes, place.at, place.bytes),
            _ => {}
        }
        Typed { place, dtype }
    }

    /// Returns part of a step's scratch memory.
    fn part(&mut self, part: &Part, scratch: usize) -> Typed {
        let place = ArrayPlace::new(Root::Memory, scratch + part.at, part.bytes, part.elements.clone());
        self.typed(place, part.dtype)
    }

    /// Returns the place of a value of the program.
    fn value(&mut self, program: &Program, place: &program::Place, shape: &Shape) -> Typed {
        let place = self.place(program, place, shape);
        self.typed(place, shape.dtype())
    }

    fn place(&mut self, program: &Program, place: &program::Place, shape: &Shape) -> ArrayPlace {
        let storage = match place {
            program::Place::Fixed(storage) => *storage,
            program::Place::Slice(slice) => {
                let whole = self.place(program, &slice.of, shape);
                return whole.slice(slice.variable, slice.bytes, slice.shape.num_elements_dim());
            }
            // INVARIANT: programs of open sizes copy what loops carry.
            program::Place::Turn(_) => unreachable!("a program of open sizes has places that take turns"),
        };
        match storage {
            Storage::Input(i) => self.inputs[i].clone(),
            Storage::Param(i) => self.params[i].clone(),
            Storage::Constant(graph, id) => match program.graphs[graph].lowered_graph().node(id).op() {
                Op::Constant { value } => self.data.constant(value),
                _ => ArrayPlace::none(Root::Memory),
            },
            Storage::Arena(at) => {
                let bytes = self.bounds.bytes(shape).unwrap_or(0);
                ArrayPlace::new(Root::Memory, at, bytes, shape.num_elements_dim())
            }
            Storage::Output(i) => self.outputs[i].clone(),
        }
    }

    /// Adds the calls that do the work of a kernel.
    fn launches(
        &mut self,
        variant: &Variant,
        operands: &[Typed],
        results: &[Typed],
        scratch: usize,
        to: &mut Vec<Action>,
    ) {
        let launches = &variant.launches;
        // Temporaries whose values are already known.
        let mut known: HashMap<Argument, Typed> = HashMap::new();
        let parts = variant.arrays.iter().zip(&variant.shared);
        for (launch, (arrays, shared)) in launches.launches.iter().zip(parts) {
            let mut arguments = Vec::new();
            for (argument, param) in launch.arguments.iter().zip(launch.kernel.params()) {
                let value = match *argument {
                    _ if known.contains_key(argument) => known[argument].clone(),
                    Argument::Input(i) => operands[i].clone(),
                    Argument::Output(i) => results[i].clone(),
                    Argument::Temporary(i) => {
                        let Part { dtype, at, bytes, elements } = &variant.temporaries[i];
                        let place = ArrayPlace::new(Root::Memory, scratch + at, *bytes, elements.clone());
                        Typed { place, dtype: *dtype }
                    }
                    Argument::Constant(i) => {
                        let value = &launches.constants[i];
                        Typed { place: self.data.constant(value), dtype: value.dtype() }
                    }
                };
                arguments.push(Passed { value, is_written: param.place.is_written() });
            }
            if let Some((temporary, value)) = self.folded(launch, &arguments) {
                known.insert(temporary, value);
                continue;
            }
            for Passed { value, .. } in &arguments {
                self.typed(value.place.clone(), value.dtype);
            }
            let packed: Vec<bool> = arguments.iter().map(|a| a.value.place.root == Root::Weights).collect();
            for array in arrays {
                let value = match shared {
                    None => self.part(array, scratch),
                    Some(_) => {
                        let place = ArrayPlace::new(Root::Own, array.at, array.bytes, array.elements.clone());
                        self.typed(place, array.dtype)
                    }
                };
                arguments.push(Passed { value, is_written: true });
            }
            let kernel = shared.as_ref().map_or(&launch.kernel, |shared| &shared.tasks.kernel);
            match (self.kernels.add(kernel, self.target, &packed), shared) {
                (Ok(function), None) => to.push(Action::Call(Emitted::Whole { function, arguments })),
                (Ok(function), Some(SharedLaunch { tasks, pieces })) => {
                    let pieces = Box::new(PiecesOf { most: *pieces, tasks: tasks.clone() });
                    to.push(Action::Call(Emitted::Shared { function, arguments, pieces }));
                }
                (Err(error), _) => self.problems.push(error.to_string()),
            }
        }
    }

    /// Runs a launch that reads only weights now, so that the program never has to. Returns the temporary that it
    /// writes and its value, unless the value takes more bytes than the weights do.
    fn folded(&mut self, launch: &Launch, arguments: &[Passed]) -> Option<(Argument, Typed)> {
        let (results, operands): (Vec<_>, Vec<_>) =
            launch.arguments.iter().zip(arguments).partition(|(_, passed)| passed.is_written);
        let [(&temporary @ Argument::Temporary(_), result)] = results[..] else { return None };
        if !sizes(&launch.kernel).is_empty() {
            return None;
        }
        let is_weight = |place: &ArrayPlace| place.root == Root::Weights && place.moves.is_empty();
        let bytes: usize = operands.iter().map(|(_, passed)| passed.value.place.bytes).sum();
        if result.value.place.bytes > bytes
            || !operands.iter().all(|(_, passed)| is_weight(&passed.value.place))
        {
            return None;
        }
        let operands: Vec<ArrayPlace> =
            operands.iter().map(|(_, passed)| passed.value.place.clone()).collect();
        match self.data.computed(&launch.kernel, &operands) {
            Ok(place) => Some((temporary, Typed { place, dtype: result.value.dtype })),
            Err(why) => {
                self.problems.push(why);
                None
            }
        }
    }
}
