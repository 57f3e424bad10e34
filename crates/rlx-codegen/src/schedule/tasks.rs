//! Divides a launch into tasks for threads. A kernel computes a run of tasks, and writes a part of each output that no
//! other run accesses.
//!
//! A task is an iteration of one axis of the outermost parallel loop, and its elements of an output are contiguous. A
//! caller can therefore divide outputs into pieces and hand each to a thread, without knowing what the kernel does. The
//! remainder after full tiles (a second loop, after all tasks) is a task too, the last one.
//!
//! *Obligation*: a task only reads and writes its own elements of an output, and every element is computed in the same
//! way as in a single run. Results therefore do not depend on how tasks are distributed, to the bit.

use super::find::for_each_cell;
use super::rename::{Fresh, Renaming, renumber};
use super::uses::has_any;
use crate::kernel::{Axis, Block, BufferId, Cell, Definition, Guard, Kernel, Place, Stmt};
use crate::print::place;
use crate::range::Ranges;
use crate::visit::for_each_stmt;
use rlx_ir::{DType, Dim, Symbol};

/// A launch that is divided into tasks.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// Computes a run of tasks. It receives only that run's part of what it writes.
    pub kernel: Kernel,
    /// The number of tasks.
    pub count: Dim,
    /// The number of tasks at the maximum sizes.
    pub most: usize,
    /// The number of tasks that are iterations of the loop: all, or all except the last.
    pub iterations: Dim,
    /// For each parameter that is written, the number of elements per task. The last task may have fewer.
    pub elements: Vec<Option<Dim>>,
    /// The number of bytes of inputs that every run of tasks reads.
    pub common_bytes: usize,
    /// The size parameter for the first task of a run.
    pub first: Symbol,
    /// The size parameter for the number of iterations of a run.
    pub run: Symbol,
    /// The size parameter that is 1 if the remainder is part of the run, and 0 otherwise. Kernels without a remainder have none.
    pub last: Option<Symbol>,
}

/// The outermost loop whose iterations are tasks.
struct TaskLoop<'k> {
    kernel: &'k Kernel,
    /// The number of the statement in the body.
    number: usize,
    axis: &'k Axis,
    /// The number of iterations at the maximum sizes.
    most: usize,
    /// For each parameter, as in [`Tasks`].
    elements: Vec<Option<Dim>>,
    /// Other statements with loops of the same number of iterations, each of which writes only among the elements of
    /// this loop's iterations.
    beside: Vec<(usize, &'k Axis)>,
}

/// Divides a kernel into as many tasks as possible. Returns `None` if there are not at least two.
pub fn tasks(kernel: &Kernel) -> Option<Tasks> {
    let stmts = kernel.body.iter().enumerate();
    let loops = stmts.flat_map(|(number, stmt)| match stmt {
        Stmt::Par { axes, .. } => axes.iter().map(|axis| (number, axis)).collect(),
        _ => Vec::new(),
    });
    let found = loops.filter_map(|(number, axis)| TaskLoop::of(kernel, number, axis));
    let best = found.filter_map(TaskLoop::with_others).max_by_key(|found| found.most)?;
    Some(best.tasks())
}

/// The loops of a statement, outer ones before inner ones, and the ranges of their axes.
struct Loops {
    axes: Vec<Axis>,
    ranges: Ranges,
}

impl Loops {
    fn of(kernel: &Kernel, stmt: &Stmt) -> Loops {
        let mut loops = Loops { axes: Vec::new(), ranges: Ranges::of_facts(&kernel.facts) };
        for_each_stmt(std::slice::from_ref(stmt), &mut |stmt| {
            if let Stmt::Name { symbol, extent, .. } = stmt {
                loops.ranges.count(symbol, extent);
            }
            for axis in stmt.axes() {
                loops.ranges.count(&axis.symbol, &axis.extent);
                loops.axes.push(axis.clone());
            }
        });
        loops
    }

    /// Returns whether an expression is at least 0 in every iteration, by checking it at the end of each loop where it is smallest.
    fn never_negative(&self, index: &Dim) -> bool {
        let mut least = index.clone();
        for Axis { symbol, extent, .. } in self.axes.iter().rev() {
            if self.ranges.never_negative(&least) {
                return true;
            }
            let Some(step) = step(&least, symbol) else { continue };
            let end = match self.ranges.never_negative(&step) {
                true => Dim::Static(0),
                false if self.ranges.never_negative(&(&Dim::Static(0) - &step)) => extent.offset(-1),
                false => continue,
            };
            Renaming::symbol(symbol, end).dim(&mut least);
        }
        self.ranges.never_negative(&least)
    }

    /// Returns whether a position is among the `count` elements that start at `first`.
    fn lie_in(&self, place: &Dim, first: &Dim, count: &Dim) -> bool {
        let inside = place - first;
        self.never_negative(&inside) && self.never_negative(&(count - &inside).offset(-1))
    }
}

/// Returns by how much an expression grows with each index of an axis, if that is the same for all.
fn step(at: &Dim, axis: &Symbol) -> Option<Dim> {
    let mut behind = at.clone();
    Renaming::symbol(axis, Dim::Dynamic(axis.clone()).offset(1)).dim(&mut behind);
    let step = &behind - at;
    (!has_any(&step, [axis])).then_some(step)
}

/// Returns the elements of outputs that a statement accesses.
fn written(kernel: &Kernel, stmt: &Stmt) -> Vec<Cell> {
    let mut cells = Vec::new();
    for_each_cell(&mut [stmt.clone()], &mut |cell| {
        if is_output(kernel, cell.buffer) {
            cells.push(cell.clone());
        }
    });
    cells
}

fn is_output(kernel: &Kernel, buffer: BufferId) -> bool {
    let place = kernel.buffers[buffer.index()].place;
    place.is_param() && place.is_written()
}

impl<'k> TaskLoop<'k> {
    /// Returns the tasks of an axis, if their elements are contiguous.
    fn of(kernel: &'k Kernel, number: usize, axis: &'k Axis) -> Option<TaskLoop<'k>> {
        let stmt = &kernel.body[number];
        let loops = Loops::of(kernel, stmt);
        let most = loops.ranges.most(&axis.extent).filter(|&most| most > 1)?;
        let mut elements: Vec<Option<Dim>> = vec![None; kernel.params().count()];
        for cell in written(kernel, stmt) {
            let at = place(kernel, &cell);
            let step = step(&at, &axis.symbol).filter(|step| *step != Dim::Static(0))?;
            if loops.axes.iter().any(|axis| has_any(&step, [&axis.symbol])) {
                return None;
            }
            let inside = &at - &(&Dim::Dynamic(axis.symbol.clone()) * &step);
            let fits = loops.lie_in(&inside, &Dim::Static(0), &step);
            let known = elements[cell.buffer.index()].get_or_insert_with(|| step.clone());
            if !fits || *known != step {
                return None;
            }
        }
        let all = (0..).map(BufferId::new).zip(&elements);
        let mut outputs = all.filter(|(buffer, _)| is_output(kernel, *buffer));
        outputs.all(|(_, elements)| elements.is_some()).then_some(TaskLoop {
            kernel,
            number,
            axis,
            most,
            elements,
            beside: Vec::new(),
        })
    }

    /// Adds loops with the same tasks. Returns `None` unless all other statements are the same for all tasks, or write
    /// what directly follows the loop's elements, up to the end of the outputs.
    fn with_others(mut self) -> Option<TaskLoop<'k>> {
        for (number, stmt) in self.kernel.body.iter().enumerate().filter(|(number, _)| *number != self.number)
        {
            if let Stmt::Par { axes, .. } = stmt {
                let mut loops = axes.iter().filter_map(|axis| TaskLoop::of(self.kernel, number, axis));
                let alike = |other: &TaskLoop<'_>| {
                    other.axis.extent == self.axis.extent && other.elements == self.elements
                };
                self.beside.extend(loops.find(alike).map(|other| (number, other.axis)));
            }
        }
        self.others_fit().then_some(self)
    }

    fn others_fit(&self) -> bool {
        if !self.ends_fit() {
            return false;
        }
        self.kernel.body.iter().enumerate().all(|(number, stmt)| match stmt {
            _ if self.axis_of(number).is_some() => true,
            Stmt::Let { .. } => written(self.kernel, stmt).is_empty(),
            Stmt::Par { .. } if number >= self.end() => {
                let loops = Loops::of(self.kernel, stmt);
                written(self.kernel, stmt).iter().all(|cell| {
                    let elements = self.elements[cell.buffer.index()].as_ref();
                    elements.is_some_and(|elements| {
                        loops.lie_in(&place(self.kernel, cell), &(elements * &self.axis.extent), elements)
                    })
                })
            }
            _ => false,
        })
    }

    /// Returns whether each output ends with the last task, so that the remainder is no larger than a task. If sizes
    /// are symbols, the remainder may be empty, or tasks may have no elements, but then this is so for all outputs at
    /// the same time.
    fn ends_fit(&self) -> bool {
        let ranges = Ranges::of_facts(&self.kernel.facts);
        let parts = self.kernel.params().zip(&self.elements).filter_map(|(buffer, elements)| {
            let elements = elements.clone()?;
            let all = Dim::product(buffer.extents.iter().cloned());
            Some((&all - &(&elements * &self.axis.extent), elements))
        });
        let parts: Vec<(Dim, Dim)> = parts.collect();
        let is_last = |(left, elements): &(Dim, Dim)| match (left.as_static(), self.has_rest()) {
            (left, false) => left == Some(0),
            (Some(left), true) => left > 0 && ranges.never_negative(&elements.offset(-(left as i64))),
            (None, true) => ranges.never_negative(left) && ranges.never_negative(&(elements - left)),
        };
        let alike = parts.windows(2).all(|two| &two[0].0 * &two[1].1 == &two[1].0 * &two[0].1);
        let are_static = parts.iter().all(|(_, elements)| elements.as_static().is_some());
        parts.iter().all(is_last) && (parts.len() == 1 || alike && are_static)
    }

    /// Returns the axis of a statement that counts tasks.
    fn axis_of(&self, number: usize) -> Option<&'k Axis> {
        let beside = self.beside.iter().find(|(of, _)| *of == number).map(|(_, axis)| *axis);
        if number == self.number { Some(self.axis) } else { beside }
    }

    /// Returns the first statement after those whose loops count tasks.
    fn end(&self) -> usize {
        self.beside.iter().map(|(number, _)| *number).fold(self.number, usize::max) + 1
    }

    /// Returns whether loops follow.
    fn has_rest(&self) -> bool {
        self.kernel.body[self.end()..].iter().any(|stmt| matches!(stmt, Stmt::Par { .. }))
    }

    /// Returns the number of bytes of inputs at positions that do not depend on the task.
    fn common_bytes(&self) -> usize {
        let Some(Stmt::Par { body, .. }) = self.kernel.body.get(self.number) else { return 0 };
        let mut depends = vec![false; self.kernel.buffers.len()];
        for_each_cell(&mut body.clone(), &mut |cell| {
            depends[cell.buffer.index()] |= cell.at.iter().any(|at| has_any(at, [&self.axis.symbol]));
        });
        let inputs = self.kernel.buffers.iter().zip(depends);
        let common = inputs.filter(|(buffer, depends)| buffer.place == Place::In && !depends);
        let sizes = Ranges::of_facts(&self.kernel.facts);
        let bytes = common.map(|(buffer, _)| {
            let count = sizes.most(&Dim::product(buffer.extents.iter().cloned())).unwrap_or(0);
            count.saturating_mul(buffer.dtype.size())
        });
        bytes.sum()
    }

    fn tasks(self) -> Tasks {
        let has_rest = self.has_rest();
        let mut kernel = self.kernel.clone();
        let mut fresh = Fresh::of(&kernel);
        let [first, run, last] = ["first", "run", "last"].map(|name| fresh.like(&Symbol::new(name)));
        for (number, stmt) in kernel.body.iter_mut().enumerate() {
            if let (Some(Axis { symbol, .. }), Stmt::Par { axes, body }) = (self.axis_of(number), stmt) {
                let index = &Dim::Dynamic(first.clone()) + &Dim::Dynamic(symbol.clone());
                Renaming::symbol(symbol, index).block(body);
                for axis in axes.iter_mut().filter(|axis| axis.symbol == *symbol) {
                    axis.extent = Dim::Dynamic(run.clone());
                }
            }
        }
        // Outputs are passed as parts, which begin where the first task's elements do.
        let (whole, elements) = (self.kernel, &self.elements);
        let before = |buffer: BufferId| {
            let elements = elements.get(buffer.index())?.as_ref()?;
            Some(&Dim::Dynamic(first.clone()) * elements)
        };
        for_each_cell(&mut kernel.body, &mut |cell| {
            if let Some(before) = before(cell.buffer) {
                cell.at = vec![&place(whole, cell) - &before];
            }
        });
        for (buffer, elements) in kernel.buffers.iter_mut().zip(elements) {
            if let Some(elements) = elements {
                let all = Dim::product(buffer.extents.iter().cloned());
                let mut part = &Dim::Dynamic(run.clone()) * elements;
                if has_rest {
                    let rest = &all - &(elements * &self.axis.extent);
                    part = &part + &(&Dim::Dynamic(last.clone()) * &rest);
                }
                buffer.extents = vec![part];
            }
        }
        if has_rest {
            guard_rest(&mut kernel, self.end(), &last);
        }
        let common_bytes = self.common_bytes();
        renumber(&mut kernel);
        Tasks {
            kernel,
            common_bytes,
            count: self.axis.extent.offset(i64::from(has_rest)),
            most: self.most + usize::from(has_rest),
            iterations: self.axis.extent.clone(),
            elements: self.elements,
            first,
            run,
            last: has_rest.then_some(last),
        }
    }
}

/// Makes statements from `from` on run only if `last` is 1.
fn guard_rest(kernel: &mut Kernel, from: usize, last: &Symbol) {
    let condition = kernel.scalar(DType::Bool);
    let rest: Block = kernel.body.drain(from..).collect();
    let holds = Definition::Holds(Guard(vec![Dim::Dynamic(last.clone()).offset(-1)]));
    kernel.body.push(Stmt::Let { scalar: condition, value: holds });
    kernel.body.push(Stmt::If { condition, then: rest, otherwise: Block::new(), joined: Vec::new() });
}
