//! Turns a planned program into the actions of the emitted function: calls, copies, branches and loops on places.
//! Symbolic sizes stay expressions.

use crate::TARGET;
use crate::bounds::Bounds;
use crate::data::Data;
use crate::defined::defined;
use crate::folded::folded;
use crate::kernels::Kernels;
use crate::nested::{Control, Part, Plan, Planning, Prepared, SharedLaunch, Variant, stored};
use crate::places::{Memory, Place, Root};
use crate::targets::Target;
use rlx_codegen::lower::{Argument, Launch};
use rlx_codegen::print::sizes;
use rlx_codegen::schedule::tasks::Tasks;
use rlx_compile::program::Work;
use rlx_compile::{Bound, EmitError, Lowered, ParamValues, Storage};
use rlx_ir::{Bindings, DType, Dim, Graph, Node, NodeId, Op, Shape};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A place with the type of its elements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Typed {
    pub(crate) place: Place,
    pub(crate) dtype: DType,
}

/// One action of the emitted function.
pub(crate) enum Action {
    /// Calls the function with this number.
    Call {
        function: usize,
        arguments: Vec<Passed>,
    },
    /// Calls the function for pieces of a launch, on several threads.
    Share {
        function: usize,
        arguments: Vec<Passed>,
        pieces: PiecesOf,
    },
    Copy {
        from: Typed,
        to: Typed,
    },
    If {
        condition: Typed,
        then: Vec<Action>,
        otherwise: Vec<Action>,
    },
    /// Chooses a branch by an index. An index out of range chooses the last branch.
    Case {
        index: Typed,
        branches: Vec<Vec<Action>>,
    },
    While {
        condition: Vec<Action>,
        again: Typed,
        body: Vec<Action>,
    },
    For {
        variable: usize,
        length: Dim,
        reverse: bool,
        body: Vec<Action>,
    },
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
                    None => Place::none(Root::Weights),
                });
            }
            let whole = |root: fn(usize) -> Root, shapes: Vec<&Shape>| -> Vec<Place> {
                let place = |(i, shape): (usize, &&Shape)| {
                    Place::new(root(i), 0, bounds.bytes(shape).unwrap_or(0), shape.num_elements_dim())
                };
                shapes.iter().enumerate().map(place).collect()
            };
            let inputs = whole(Root::Input, graph.inputs().map(Node::shape).collect());
            let outputs = whole(Root::Output, graph.output_shapes().iter().collect());
            for (number, target) in targets.iter().enumerate() {
                (writer.number, writer.target) = (number, target);
                writer.program(&planning, Frame { inputs: &inputs, outputs: &outputs, base: 0 });
                let (actions, kernels) = writer.routine();
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
        let mut each_place = |visit: &mut dyn FnMut(&mut Place)| {
            let actions = routines.iter_mut().flat_map(|routine| &mut routine.actions);
            actions.for_each(|action| action.for_each_place(visit));
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

impl Action {
    /// Calls `visit` with each place, including those of nested actions.
    fn for_each_place(&mut self, visit: &mut dyn FnMut(&mut Place)) {
        let mut inside = |block: &mut Vec<Action>| block.iter_mut().for_each(|a| a.for_each_place(visit));
        match self {
            Action::Call { arguments, .. } | Action::Share { arguments, .. } => {
                arguments.iter_mut().for_each(|a| visit(&mut a.value.place))
            }
            Action::Copy { from, to } => [from, to].into_iter().for_each(|t| visit(&mut t.place)),
            Action::If { condition, then, otherwise } => {
                [then, otherwise].into_iter().for_each(inside);
                visit(&mut condition.place);
            }
            Action::Case { index, branches } => {
                branches.iter_mut().for_each(inside);
                visit(&mut index.place);
            }
            Action::While { condition, again, body } => {
                [condition, body].into_iter().for_each(inside);
                visit(&mut again.place);
            }
            Action::For { body, .. } => inside(body),
        }
    }
}

/// The places of the values that a graph does not place itself.
#[derive(Clone, Copy)]
struct Frame<'a> {
    inputs: &'a [Place],
    outputs: &'a [Place],
    /// The offset of its arena within the program's arena, in bytes.
    base: usize,
}

struct Writer<'b> {
    bounds: &'b Bounds,
    /// The number of the target that is being written.
    number: usize,
    target: &'static Target,
    actions: Vec<Action>,
    memory: Memory,
    own: Memory,
    data: Data,
    kernels: Kernels,
    params: Vec<Place>,
    problems: Vec<String>,
    /// The number of loop variables used so far.
    variables: usize,
}

impl<'b> Writer<'b> {
    fn new(target: &'static Target, bounds: &'b Bounds) -> Writer<'b> {
        Writer {
            bounds,
            number: 0,
            target,
            actions: Vec::new(),
            memory: Memory::default(),
            own: Memory::default(),
            data: Data::default(),
            kernels: Kernels::default(),
            params: Vec::new(),
            problems: Vec::new(),
            variables: 0,
        }
    }

    /// Returns what has been written, and starts over for the next routine.
    fn routine(&mut self) -> (Vec<Action>, Kernels) {
        self.variables = 0;
        (std::mem::take(&mut self.actions), std::mem::take(&mut self.kernels))
    }

    /// Returns a place with its element type, and records that the memory holds that type there.
    fn typed(&mut self, place: Place, dtype: DType) -> Typed {
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
        let place = Place::new(Root::Memory, scratch + part.at, part.bytes, part.elements.clone());
        self.typed(place, part.dtype)
    }

    fn buffer(&mut self, planning: &Planning, buffer: usize, frame: Frame<'_>, shape: &Shape) -> Typed {
        let of = planning.program.buffers[buffer];
        let place = match of.storage {
            Storage::Input(i) => frame.inputs[i].clone(),
            Storage::Param(i) => self.params[i].clone(),
            Storage::Constant(id) => match planning.program.graph().node(id).op() {
                Op::Constant { value } => self.data.constant(value),
                _ => Place::none(Root::Memory),
            },
            Storage::Arena(at) => {
                Place::new(Root::Memory, frame.base + at, of.bytes, shape.num_elements_dim())
            }
            Storage::Output(i) => frame.outputs[i].clone(),
        };
        self.typed(place, shape.dtype())
    }

    /// Writes the actions of a graph's steps.
    fn program(&mut self, planning: &Planning, frame: Frame<'_>) {
        let (program, bound) = (&planning.program, &planning.program.bound);
        for step in &program.steps {
            let scratch = frame.base + step.scratch;
            let Work::Kernel(id) = step.work else {
                self.copy_step(planning, step.work, frame);
                continue;
            };
            let node = bound.node(id);
            let shapes = node.inputs().iter().map(|&input| bound.class_graph().shape(input));
            let operands = program.operands(step).iter().zip(shapes);
            let operands: Vec<Typed> =
                operands.map(|(&b, shape)| self.buffer(planning, b, frame, shape)).collect();
            let results = program.results(step).zip(node.results());
            let results: Vec<Typed> =
                results.map(|(b, shape)| self.buffer(planning, b, frame, shape)).collect();
            match planning.of_step(step.work) {
                Some(Prepared::Launched(launched)) => {
                    self.launches(&launched.variants[self.number], &operands, &results, scratch);
                }
                Some(Prepared::Control(control)) => self.control(control, &operands, &results, scratch),
                None => self.problems.push(format!("`{}` has no kernel", node.op().mnemonic())),
            }
        }
    }

    /// Only outputs are copied.
    fn copy_step(&mut self, planning: &Planning, work: Work, frame: Frame<'_>) {
        let program = &planning.program;
        let Work::Copy { from, to } = work else { return };
        let Some(output) = program.outputs.iter().position(|&output| output == to) else { return };
        let shape = program.output_shape(output);
        let from = self.buffer(planning, from, frame, shape);
        let to = self.buffer(planning, to, frame, shape);
        self.copy(from, to);
    }

    fn copy(&mut self, from: Typed, to: Typed) {
        if from.place != to.place && to.place.bytes > 0 {
            self.actions.push(Action::Copy { from, to });
        }
    }

    fn launches(&mut self, variant: &Variant, operands: &[Typed], results: &[Typed], scratch: usize) {
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
                        let place = Place::new(Root::Memory, scratch + at, *bytes, elements.clone());
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
                        let place = Place::new(Root::Own, array.at, array.bytes, array.elements.clone());
                        self.typed(place, array.dtype)
                    }
                };
                arguments.push(Passed { value, is_written: true });
            }
            let kernel = shared.as_ref().map_or(&launch.kernel, |shared| &shared.tasks.kernel);
            match (self.kernels.add(kernel, self.target, &packed), shared) {
                (Ok(function), None) => self.actions.push(Action::Call { function, arguments }),
                (Ok(function), Some(SharedLaunch { tasks, pieces })) => {
                    let pieces = PiecesOf { most: *pieces, tasks: tasks.clone() };
                    self.actions.push(Action::Share { function, arguments, pieces });
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
        let is_weight = |place: &Place| place.root == Root::Weights && place.moves.is_empty();
        let bytes: usize = operands.iter().map(|(_, passed)| passed.value.place.bytes).sum();
        if result.value.place.bytes > bytes
            || !operands.iter().all(|(_, passed)| is_weight(&passed.value.place))
        {
            return None;
        }
        let operands: Vec<Place> = operands.iter().map(|(_, passed)| passed.value.place.clone()).collect();
        match self.data.computed(&launch.kernel, &operands) {
            Ok(place) => Some((temporary, Typed { place, dtype: result.value.dtype })),
            Err(why) => {
                self.problems.push(why);
                None
            }
        }
    }

    /// Returns the actions that `write` adds, instead of adding them to the current list.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> Vec<Action> {
        let before = std::mem::take(&mut self.actions);
        write(self);
        std::mem::replace(&mut self.actions, before)
    }

    fn control(&mut self, control: &Control, operands: &[Typed], results: &[Typed], scratch: usize) {
        let places = |typed: &[Typed]| typed.iter().map(|t| t.place.clone()).collect::<Vec<_>>();
        let outputs = places(results);
        match &control.op {
            Op::If { .. } | Op::Case { .. } => {
                let inputs = places(&operands[1..]);
                let frame = Frame { inputs: &inputs, outputs: &outputs, base: scratch };
                let branches = control.graphs.iter().map(|graph| self.apart(|w| w.program(graph, frame)));
                let mut branches: Vec<Vec<Action>> = branches.collect();
                let chosen = operands[0].clone();
                self.actions.push(match (&control.op, branches.len()) {
                    (Op::If { .. }, 2) => {
                        let otherwise = branches.remove(1);
                        Action::If { condition: chosen, then: branches.remove(0), otherwise }
                    }
                    _ => Action::Case { index: chosen, branches },
                });
            }
            Op::While { .. } => self.repeat(control, operands, results, scratch),
            Op::Scan { num_consts, num_carry, .. } => {
                let (consts, others) = operands.split_at(*num_consts);
                let (carried, xs) = others.split_at(*num_carry);
                self.scan(control, [consts, carried, xs], results, scratch);
            }
            op => self.problems.push(format!("`{}` is not a control flow op", op.mnemonic())),
        }
    }

    /// Carried values are stored in the results; the body writes the next ones to other places.
    fn repeat(&mut self, control: &Control, operands: &[Typed], results: &[Typed], scratch: usize) {
        let [condition, body] = &control.graphs[..] else { return };
        operands.iter().zip(results).for_each(|(first, carried)| self.copy(first.clone(), carried.clone()));
        let inputs: Vec<Place> = results.iter().map(|t| t.place.clone()).collect();
        let next: Vec<Typed> = control.next.iter().map(|part| self.part(part, scratch)).collect();
        let Some((again, next)) = next.split_last() else { return };
        let outputs: Vec<Place> = next.iter().map(|t| t.place.clone()).collect();
        let holds = [again.place.clone()];
        let asked = Frame { inputs: &inputs, outputs: &holds, base: scratch };
        let condition = self.apart(|w| w.program(condition, asked));
        let body = self.apart(|w| {
            w.program(body, Frame { inputs: &inputs, outputs: &outputs, base: scratch });
            next.iter().zip(results).for_each(|(next, carried)| w.copy(next.clone(), carried.clone()));
        });
        self.actions.push(Action::While { condition, again: again.clone(), body });
    }

    fn scan(
        &mut self,
        control: &Control,
        [consts, first, xs]: [&[Typed]; 3],
        results: &[Typed],
        scratch: usize,
    ) {
        let (Op::Scan { length, reverse, .. }, [body]) = (&control.op, &control.graphs[..]) else { return };
        let (carried, ys) = results.split_at(first.len());
        first.iter().zip(carried).for_each(|(first, carried)| self.copy(first.clone(), carried.clone()));
        let variable = self.variables;
        self.variables += 1;
        let graph = body.program.graph();
        let slices = |whole: &[Typed], shapes: Vec<&Shape>| -> Vec<Place> {
            let shapes = &shapes[shapes.len() - whole.len()..];
            let slice = |(t, shape): (&Typed, &&Shape)| {
                t.place.slice(variable, self.bounds.bytes(shape).unwrap_or(0), shape.num_elements_dim())
            };
            whole.iter().zip(shapes).map(slice).collect()
        };
        let given = slices(ys, graph.output_shapes().iter().collect());
        let whole = consts.iter().chain(carried).map(|t| t.place.clone());
        let read = slices(xs, graph.inputs().map(Node::shape).collect());
        let inputs: Vec<Place> = whole.chain(read).collect();
        let next: Vec<Typed> = control.next.iter().map(|part| self.part(part, scratch)).collect();
        let outputs: Vec<Place> = next.iter().map(|t| t.place.clone()).chain(given).collect();
        let body = self.apart(|w| {
            w.program(body, Frame { inputs: &inputs, outputs: &outputs, base: scratch });
            next.iter().zip(carried).for_each(|(next, carried)| w.copy(next.clone(), carried.clone()));
        });
        self.actions.push(Action::For { variable, length: length.clone(), reverse: *reverse, body });
    }
}
