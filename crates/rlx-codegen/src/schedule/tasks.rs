//! Divides a launch into tasks for threads. A kernel computes a run of tasks, and writes a part of each output
//! that no other run touches.
//!
//! A task is an iteration of one axis of the outermost parallel loop; its elements of an output lie side by side. So a caller cuts outputs
//! into pieces, and hands each to a thread, without a thought of what the kernel does. What is left over beside full tiles (a second loop,
//! behind all tasks) is a task too, the last.
//!
//! *Obligation*: every element that a task reads of or writes to an output is its own, and every element is computed as it is in one run. So results
//! do not depend on how tasks are dealt out, to the bit.

use super::find::{axes, for_each_cell};
use super::rename::{Fresh, Renaming, renumber};
use super::uses::has_any;
use crate::kernel::{Axis, Block, BufferId, Cell, Definition, Guard, Kernel, Place, Stmt};
use crate::print::place;
use crate::range::Ranges;
use crate::text::for_each_stmt;
use rlx_ir::{DType, Dim, Symbol};

/// A launch in tasks.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// Computes a run of tasks. Of what it writes it is passed that run's part.
    pub kernel: Kernel,
    /// How many tasks there are.
    pub count: Dim,
    /// How many there are at the largest sizes.
    pub most: usize,
    /// How many of them are iterations of the loop: all, or all but the last.
    pub iterations: Dim,
    /// Of each parameter that is written, the elements per task; the last one may have fewer.
    pub elements: Vec<Option<Dim>>,
    /// Bytes of inputs that every run of tasks reads, whichever it is.
    pub common_bytes: usize,
    /// The size that is the first task of a run.
    pub first: Symbol,
    /// The size that says how many iterations the run has.
    pub run: Symbol,
    /// The size that is 1 where what is left over is part of the run, else 0. Kernels with nothing left over have none.
    pub last: Option<Symbol>,
}

/// The outermost loop whose iterations are tasks.
struct TaskLoop<'k> {
    kernel: &'k Kernel,
    /// Which statement of the body it is.
    number: usize,
    axis: &'k Axis,
    /// How often it runs at the largest sizes.
    most: usize,
    /// Of each parameter, as in [`Tasks`].
    elements: Vec<Option<Dim>>,
    /// Other statements with loops in as many iterations, of which each writes among the elements of this loop's.
    beside: Vec<(usize, &'k Axis)>,
}

/// A kernel as tasks: as many as can be; `None` where it has no two.
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

/// The loops of a statement, outer ones before inner ones, and what their axes can be.
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
            for axis in axes(stmt) {
                loops.ranges.count(&axis.symbol, &axis.extent);
                loops.axes.push(axis.clone());
            }
        });
        loops
    }

    /// Whether an expression is at least 0 in every iteration: at the end of each loop where it is least.
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

    /// Whether a place lies among `count` elements from `first` on.
    fn lie_in(&self, place: &Dim, first: &Dim, count: &Dim) -> bool {
        let inside = place - first;
        self.never_negative(&inside) && self.never_negative(&(count - &inside).offset(-1))
    }
}

/// By how much an expression grows with each index of an axis, if that is the same for all.
fn step(at: &Dim, axis: &Symbol) -> Option<Dim> {
    let mut behind = at.clone();
    Renaming::symbol(axis, Dim::Dynamic(axis.clone()).offset(1)).dim(&mut behind);
    let step = &behind - at;
    (!has_any(&step, [axis])).then_some(step)
}

/// The elements of outputs that a statement touches, by their buffers.
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
    /// The tasks of an axis, if their elements lie side by side.
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

    /// The loop with those beside it, if all other statements are the same for all tasks, or write what lies right behind the loop's, to the
    /// end of outputs.
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

    /// Whether each output ends with the last task: what is left over is no more than a task has. Where sizes are symbols nothing may be
    /// left, or tasks may have no elements: then so it is of all outputs at once.
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

    /// The axis of a statement that counts tasks.
    fn axis_of(&self, number: usize) -> Option<&'k Axis> {
        let beside = self.beside.iter().find(|(of, _)| *of == number).map(|(_, axis)| *axis);
        if number == self.number { Some(self.axis) } else { beside }
    }

    /// The first statement behind those whose loops count tasks.
    fn end(&self) -> usize {
        self.beside.iter().map(|(number, _)| *number).fold(self.number, usize::max) + 1
    }

    /// Whether loops follow.
    fn has_rest(&self) -> bool {
        self.kernel.body[self.end()..].iter().any(|stmt| matches!(stmt, Stmt::Par { .. }))
    }

    /// The bytes of inputs at places that do not depend on the task.
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
        // Outputs are parts of their own, which begin where the first task's elements do.
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

/// Lets statements from `from` on run only where `last` is 1.
fn guard_rest(kernel: &mut Kernel, from: usize, last: &Symbol) {
    let condition = kernel.scalar(DType::Bool);
    let rest: Block = kernel.body.drain(from..).collect();
    let holds = Definition::Holds(Guard(vec![Dim::Dynamic(last.clone()).offset(-1)]));
    kernel.body.push(Stmt::Let { scalar: condition, value: holds });
    kernel.body.push(Stmt::If { condition, then: rest, otherwise: Block::new(), joined: Vec::new() });
}
