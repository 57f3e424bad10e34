//! Turns the plans of a graph and of the graphs inside its nodes into the actions of a program, with all values in one arena.

use super::Carrying;
use super::classes::Classes;
use super::control::{Carry, Control, ControlKind, LoopBody, Planned};
use super::values::{GraphPlan, PlannedBuffer};
use crate::lowered::Bound;
use crate::program::{Action, Block, Buffer, Call, Copied, Place, Program, Slice, Step, Storage, Turn, Work};
use rlx_ir::{Dim, Node, Shape};
use std::sync::Arc;

/// Creates the program of a planned graph. `graphs` has it and the graphs inside its nodes.
pub(super) fn program(
    graphs: Vec<Bound>,
    carrying: Carrying,
    classes: &Classes,
    values: GraphPlan,
) -> Program {
    let fixed = |storage: fn(usize) -> Storage, count: usize| -> Vec<Place> {
        (0..count).map(|i| Place::Fixed(storage(i))).collect()
    };
    let inputs = fixed(Storage::Input, classes.bound.lowered_graph().inputs().count());
    let outputs = fixed(Storage::Output, values.outputs.len());
    let mut writer = ActionWriter { carrying, blocks: Vec::new(), calls: 0, variables: 0 };
    let frame = Frame { inputs: &inputs, outputs: &outputs, base: 0, is_conditional: false };
    let mut steps = Vec::with_capacity(values.steps.len());
    let mut actions = Vec::with_capacity(values.steps.len());
    writer.graph((classes, &values), frame, &mut actions, &mut |step| steps.push(step));
    let ActionWriter { blocks, calls, variables, .. } = writer;
    let GraphPlan { outputs, output_offsets, arena_bytes, unshared_bytes, .. } = values;
    Program {
        graphs,
        blocks,
        actions,
        steps,
        outputs,
        output_offsets,
        arena_bytes,
        unshared_bytes,
        variables,
        calls,
    }
}

/// Where a graph is used.
#[derive(Clone, Copy)]
struct Frame<'a> {
    inputs: &'a [Place],
    outputs: &'a [Place],
    /// The offset of its arena in the arena of the program.
    base: usize,
    is_conditional: bool,
}

struct ActionWriter {
    carrying: Carrying,
    blocks: Vec<Block>,
    calls: usize,
    variables: usize,
}

/// A loop: how many iterations it has, if that is known, and the variables that count them.
struct Counted<'a> {
    length: Option<&'a Dim>,
    index: usize,
    count: usize,
}

/// How a value is carried: where an iteration reads and writes it, and the copies before the loop, at the end of an iteration, and after the
/// loop.
struct Carried {
    now: Place,
    next: Place,
    before: Option<Action>,
    behind: Option<Action>,
    after: Option<Action>,
}

impl Frame<'_> {
    fn place(&self, PlannedBuffer { storage, .. }: PlannedBuffer) -> Place {
        match storage {
            Storage::Input(i) => self.inputs[i].clone(),
            Storage::Output(i) => self.outputs[i].clone(),
            Storage::Arena(at) => Place::Fixed(Storage::Arena(self.base + at)),
            Storage::Param(_) | Storage::Constant(..) => Place::Fixed(storage),
        }
    }
}

/// Returns the copy of a value, unless it is where it should be.
fn copied(from: &Place, to: &Place, (shape, bytes): (&Shape, usize)) -> Option<Action> {
    let copied = || Copied { from: from.clone(), to: to.clone(), shape: shape.clone(), bytes };
    (from != to && bytes > 0).then(|| Action::Copy(copied()))
}

impl ActionWriter {
    fn variable(&mut self) -> usize {
        self.variables += 1;
        self.variables - 1
    }

    /// Adds the actions of a graph that is used at this frame, and reports its steps.
    fn graph(
        &mut self,
        (classes, values): (&Classes, &GraphPlan),
        frame: Frame<'_>,
        actions: &mut Vec<Action>,
        report: &mut dyn FnMut(Step),
    ) {
        let block = self.blocks.len();
        let buffers = values.buffers.iter();
        let buffers = buffers.map(|&buffer| Buffer { bytes: buffer.bytes, place: frame.place(buffer) });
        self.blocks.push(Block { graph: classes.graph, buffers: buffers.collect() });
        let structure = &classes.bound.structure;
        for step in &values.steps {
            let begin = actions.len();
            let scratch = frame.base + step.scratch;
            match step.work {
                Work::Copy { from, to } => {
                    let output = values.outputs.iter().position(|&output| output == to);
                    // INVARIANT: only outputs are copied.
                    let node = structure.graph.outputs()[output.unwrap_or(0)];
                    let shape = classes.bound.node(node).shape();
                    let [from, to] = [from, to].map(|buffer| values.buffers[buffer]);
                    actions.extend(copied(&frame.place(from), &frame.place(to), (shape, to.bytes)));
                }
                Work::Node(node) if classes.bound.node(node).op().is_control() => {
                    let operands = structure.operands_of(node).iter().map(|&buffer| values.buffers[buffer]);
                    let results = values.buffers[structure.values_of(node)].iter().copied();
                    let operands: Vec<Place> = operands.map(|buffer| frame.place(buffer)).collect();
                    let results: Vec<(Place, usize)> =
                        results.map(|buffer| (frame.place(buffer), buffer.bytes)).collect();
                    // Without graphs, all results are empty.
                    if let Some(control) = &classes.of(node).control {
                        let frame = Frame { base: scratch, ..frame };
                        self.control(
                            (control, classes.bound.node(node)),
                            (&operands, &results),
                            frame,
                            actions,
                        );
                    }
                }
                Work::Node(node) => {
                    let (number, is_conditional) = (self.calls, frame.is_conditional);
                    self.calls += 1;
                    let scratch_bytes = step.scratch_bytes;
                    actions.push(Action::Call(Call {
                        number,
                        block,
                        node,
                        scratch,
                        scratch_bytes,
                        is_conditional,
                    }));
                }
            }
            report(Step {
                work: step.work,
                actions: begin..actions.len(),
                scratch,
                scratch_bytes: step.scratch_bytes,
            });
        }
    }

    /// Returns the actions of a graph inside a node.
    fn nested(&mut self, planned: &Planned, frame: Frame<'_>) -> Vec<Action> {
        let mut actions = Vec::new();
        self.graph((&planned.classes, &planned.values), frame, &mut actions, &mut |_| ());
        actions
    }

    fn control(
        &mut self,
        (control, node): (&Control, &Node),
        (operands, results): (&[Place], &[(Place, usize)]),
        frame: Frame<'_>,
        actions: &mut Vec<Action>,
    ) {
        let outputs: Vec<Place> = results.iter().map(|(place, _)| place.clone()).collect();
        match &control.kind {
            ControlKind::If(branches) => {
                let [condition, inputs @ ..] = operands else { return };
                let frame = Frame { inputs, outputs: &outputs, is_conditional: true, ..frame };
                let [then, otherwise] = branches.each_ref().map(|branch| self.nested(branch, frame));
                actions.push(Action::If { condition: condition.clone(), then, otherwise });
            }
            ControlKind::Case(branches) => {
                let [index, inputs @ ..] = operands else { return };
                let frame = Frame { inputs, outputs: &outputs, is_conditional: true, ..frame };
                let branches = branches.iter().map(|branch| self.nested(branch, frame)).collect();
                actions.push(Action::Case { index: index.clone(), branches });
            }
            ControlKind::While { condition, again, body } => {
                let count = self.variable();
                let again = Place::Fixed(Storage::Arena(frame.base + again));
                let counted = Counted { length: None, index: count, count };
                let (carried, run) = self.body(body, (node, operands, results), counted, frame);
                let inputs: Vec<Place> = carried.iter().map(|value| value.now.clone()).collect();
                let holds = std::slice::from_ref(&again);
                let frame = Frame { inputs: &inputs, outputs: holds, is_conditional: true, ..frame };
                let condition = self.nested(condition, frame);
                let repeated = Action::While { count, condition, again: again.clone(), body: run };
                around(carried, repeated, actions);
            }
            ControlKind::Scan { length, reverse, body } => {
                let (index, count) = (self.variable(), self.variable());
                let counted = Counted { length: Some(length), index, count };
                let (carried, run) = self.body(body, (node, operands, results), counted, frame);
                let (length, reverse) = (length.clone(), *reverse);
                around(carried, Action::For { index, count, length, reverse, body: run }, actions);
            }
        }
    }

    /// Returns how the values of a loop are carried, and the actions of an iteration.
    fn body(
        &mut self,
        body: &LoopBody,
        (node, operands, results): (&Node, &[Place], &[(Place, usize)]),
        counted: Counted<'_>,
        frame: Frame<'_>,
    ) -> (Vec<Carried>, Vec<Action>) {
        let LoopBody { planned, first, carried, written } = body;
        let (consts, others) = operands.split_at(*first);
        let (initial, xs) = others.split_at(carried.len());
        let (last, ys) = results.split_at(carried.len());
        let values = carried.iter().zip(initial).zip(last.iter().zip(node.results()));
        let carried: Vec<Carried> = values
            .map(|((&carry, operand), ((result, bytes), shape))| {
                self.carried(carry, [operand, result], (shape, *bytes), (&counted, frame.base))
            })
            .collect();
        let (bound, plan) = (&planned.classes.bound, &planned.values);
        let structure = &bound.structure;
        let slice = |(of, (shape, buffer)): (&Place, (&Shape, usize))| {
            let (bytes, shape) = (plan.buffers[buffer].bytes, shape.clone());
            Place::Slice(Arc::new(Slice { of: of.clone(), variable: counted.index, shape, bytes }))
        };
        // Slices come after everything else.
        let inputs = structure.graph.inputs().skip(first + carried.len());
        let inputs = inputs.map(|node| (bound.node(node.id()).shape(), structure.first_value(node.id())));
        let read: Vec<Place> = xs.iter().zip(inputs).map(slice).collect();
        let outputs = structure.graph.outputs().iter().map(|&node| bound.node(node).shape());
        let outputs = outputs.zip(plan.outputs.iter().copied()).skip(written.len());
        let stored: Vec<Place> = ys.iter().map(|(place, _)| place).zip(outputs).map(slice).collect();
        let now = carried.iter().map(|value| value.now.clone());
        let inputs: Vec<Place> = consts.iter().cloned().chain(now).chain(read).collect();
        let next = written.iter().map(|&value| carried[value].next.clone());
        let outputs: Vec<Place> = next.chain(stored).collect();
        let mut run = self.nested(planned, Frame { inputs: &inputs, outputs: &outputs, ..frame });
        run.extend(carried.iter().filter_map(|value| value.behind.clone()));
        (carried, run)
    }

    /// Returns how a value is carried from the operand of a loop to its result.
    fn carried(
        &self,
        carry: Carry,
        [operand, result]: [&Place; 2],
        of: (&Shape, usize),
        (counted, base): (&Counted<'_>, usize),
    ) -> Carried {
        let stays = |place: &Place| Carried {
            now: place.clone(),
            next: place.clone(),
            before: None,
            behind: None,
            after: None,
        };
        match (carry, self.carrying) {
            (Carry::Same, _) => Carried { after: copied(operand, result, of), ..stays(operand) },
            (Carry::InPlace, _) => Carried { before: copied(operand, result, of), ..stays(result) },
            (Carry::Elsewhere(at), Carrying::Copies) => {
                let spare = Place::Fixed(Storage::Arena(base + at));
                let before = copied(operand, result, of);
                let behind = copied(&spare, result, of);
                Carried { next: spare, before, behind, ..stays(result) }
            }
            (Carry::Elsewhere(at), Carrying::Turns) => {
                let spare = Place::Fixed(Storage::Arena(base + at));
                let length = counted.length.and_then(Dim::as_static);
                // The last iteration writes to the result, if it is known which one that is.
                let after = match length {
                    Some(length) if length.is_multiple_of(2) => [spare, result.clone()],
                    _ => [result.clone(), spare],
                };
                let turn = |ahead| {
                    let (first, after) = (operand.clone(), after.clone());
                    Place::Turn(Arc::new(Turn { variable: counted.count, ahead, first, after }))
                };
                let (now, next) = (turn(0), turn(1));
                let after = match length {
                    Some(0) => copied(operand, result, of),
                    Some(_) => None,
                    None => copied(&now, result, of),
                };
                Carried { now, next, before: None, behind: None, after }
            }
        }
    }
}

/// Adds a loop and the copies around it.
fn around(carried: Vec<Carried>, repeated: Action, actions: &mut Vec<Action>) {
    actions.extend(carried.iter().filter_map(|value| value.before.clone()));
    actions.push(repeated);
    actions.extend(carried.into_iter().filter_map(|value| value.after));
}
