//! The interpreter, which defines what kernels mean. It runs them on the host, element by element, in the evaluator's
//! numbers.
//!
//! A kernel that does something invalid causes a [`Fault`]: an index outside its buffer, an element that is read before
//! it is written, two parallel iterations that access one element that one of them writes, an element of an output that
//! is written twice or never, a scalar outside the range that it is [named](crate::Stmt::Name) with, or a loop that
//! exceeds its bound. The elements of a reduction count as parallel iterations. [`Counts`] say what the run did.
//!
//! Loops that are spread over the lanes or subgroups of a group do not synchronize them: only a barrier orders what two
//! of them do. Code around such loops is run by all lanes, each for itself.
//!
//! `compile` turns kernels that the verifier has accepted into `code`, in which every name is an index into a table and
//! index expressions are short programs (`index`). `machine` runs that on `memory`.

mod code;
mod compile;
mod compute;
mod counts;
mod fault;
mod gathered;
mod index;
mod machine;
mod memory;
#[cfg(test)]
mod tests;

pub(crate) use compile::of_floats;
pub use counts::Counts;
pub use fault::{Conflict, Fault, FaultKind};

use crate::kernel::{Fact, Kernel, Place, Stmt};
use crate::lower::{Argument, Launches};
use crate::swizzle::{BANKS, Banks};
use crate::verify::verify_launches;
use crate::visit::for_each_stmt;
use gathered::Gathered;
use machine::{Machine, Run};
use memory::{Clock, Watched};
use rlx_ir::eval::Value;
use rlx_ir::{Bindings, Literal, Scalar, Shape};

/// How kernels are run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpreter {
    /// The maximum number of statements to execute, over all launches.
    pub statements: u64,
    /// The maximum number of bytes of outputs, temporaries and local arrays, as the interpreter stores them.
    pub bytes: u64,
    /// The number of elements to reduce from the identity before states are merged. `None` reduces all at once.
    pub elements_per_part: Option<u64>,
    /// The number of lanes of a subgroup.
    pub subgroup: u32,
    /// The number of bytes that a memory transaction moves.
    pub segment: u32,
    /// The banks of a group's memory.
    pub banks: Banks,
    /// Whether asynchronous copies happen as late as possible instead of as early as possible.
    pub late_copies: bool,
}

impl Default for Interpreter {
    fn default() -> Self {
        Interpreter {
            statements: 1 << 31,
            bytes: 1 << 32,
            elements_per_part: None,
            subgroup: 32,
            segment: 128,
            banks: BANKS,
            late_copies: false,
        }
    }
}

/// The results of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// One array per output.
    pub outputs: Vec<Literal>,
    /// The counts.
    pub counts: Counts,
}

impl Interpreter {
    /// Runs a lowered group at these sizes on its inputs. `outputs` are the shapes of its results, which may have symbols.
    pub fn run(
        &self,
        launches: &Launches,
        sizes: &Bindings,
        inputs: &[&Literal],
        outputs: &[Shape],
    ) -> Result<Results, Box<Fault>> {
        let name = launches.launches.first().map_or("", |launch| launch.kernel.name.as_str());
        let outside = |kind: FaultKind| Fault::new(name, kind);
        verify_launches(launches).map_err(|wrong| outside(wrong.into()))?;
        let (clock, counts) = (Clock::default(), Counts::default());
        let mut run = Run { interpreter: self, memories: Vec::new(), bytes: 0, clock, counts };
        run.memories.extend(inputs.iter().map(|input| Watched::input(Value::from_literal(input))));
        let temporaries = launches.temporaries.iter().map(|t| Shape::from_dims(&t.extents, t.dtype));
        for shape in outputs.iter().cloned().chain(temporaries) {
            let shape = shape.eval(sizes).map_err(|e| outside(e.into()))?;
            let dims = shape.static_dims().unwrap_or_default();
            let memory = run.allocate(&dims, shape.dtype()).map_err(outside)?;
            run.memories.push(memory);
        }
        let constants = run.memories.len();
        run.memories.extend(launches.constants.iter().map(|c| Watched::input(Value::from_literal(c))));
        let end = run.memories.len();
        for launch in &launches.launches {
            let memory = |argument: &Argument| match *argument {
                Argument::Input(i) if i < inputs.len() => Some(i),
                Argument::Output(i) if i < outputs.len() => Some(inputs.len() + i),
                Argument::Temporary(i) => Some(inputs.len() + outputs.len() + i),
                Argument::Constant(i) => Some(constants + i),
                _ => None,
            };
            let arguments: Option<Vec<usize>> = launch.arguments.iter().map(memory).collect();
            let missing = || outside(FaultKind::Arguments("a launch passes a missing argument".into()));
            launch_kernel(&mut run, &launch.kernel, sizes, &arguments.ok_or_else(missing)?)?;
            run.release_from(end);
        }
        let outputs = &run.memories[inputs.len()..inputs.len() + outputs.len()];
        let outputs = outputs.iter().map(|memory| memory.value.to_literal()).collect::<Result<Vec<_>, _>>();
        let outputs = outputs.map_err(|e| outside(FaultKind::Arguments(e.to_string())))?;
        Ok(Results { outputs, counts: run.counts })
    }
}

fn launch_kernel(
    run: &mut Run<'_>,
    kernel: &Kernel,
    sizes: &Bindings,
    arguments: &[usize],
) -> Result<(), Box<Fault>> {
    let outside = |kind: FaultKind| Fault::new(&kernel.name, kind);
    check_arguments(run, kernel, sizes, arguments).map_err(outside)?;
    let expanded = has_tiles(kernel).then(|| crate::tile::expanded(kernel, true));
    let kernel = expanded.as_ref().unwrap_or(kernel);
    let code = compile::compile(kernel, sizes).map_err(outside)?;
    run.clock.begin_phase();
    let began = run.clock.advance();
    let mut given = arguments.iter();
    let mut bound = Vec::with_capacity(kernel.buffers.len());
    for (buffer, info) in kernel.buffers.iter().zip(&code.buffers) {
        let argument = if buffer.place.is_param() { given.next() } else { None };
        bound.push(argument.copied().unwrap_or(run.memories.len()));
        if argument.is_none() {
            let none = vec![0; buffer.extents.len()];
            let unmade = run.array(&none, info, code.has_workers).map_err(outside)?;
            run.memories.push(unmade);
        }
    }
    let mut machine = Machine {
        bound,
        scalars: vec![Scalar::Int(0); code.scalars],
        symbols: vec![0; code.symbols.len()],
        scratch: Vec::new(),
        bytes: Vec::new(),
        moving: Vec::new(),
        applied: vec![0; code.functions.len()],
        began,
        gathered: Gathered::new(code.sites, run.interpreter),
        copies: Vec::new(),
        code: &code,
        run,
    };
    machine.block(&code.body)?;
    machine.finish_copies()?;
    let applied = std::mem::take(&mut machine.applied);
    for ((name, operations), count) in code.functions.iter().zip(applied) {
        run.counts.flops += operations * count;
        *run.counts.applications.entry(name).or_default() += count;
    }
    run.clock.advance();
    for (buffer, &memory) in kernel.params().zip(arguments).filter(|(b, _)| b.place == Place::Out) {
        let memory = &run.memories[memory];
        if let Some((first, count)) = memory.unwritten(began) {
            let first = machine::indices(first, memory.value.dims());
            return Err(outside(FaultKind::NeverWritten { buffer: buffer.name.clone(), first, count }));
        }
    }
    Ok(())
}

fn has_tiles(kernel: &Kernel) -> bool {
    let mut found = false;
    for_each_stmt(&kernel.body, &mut |stmt| found |= matches!(stmt, Stmt::Tile(_)));
    found
}

fn check_arguments(
    run: &Run<'_>,
    kernel: &Kernel,
    sizes: &Bindings,
    arguments: &[usize],
) -> Result<(), FaultKind> {
    for (buffer, &memory) in kernel.params().zip(arguments) {
        let memory = &run.memories[memory];
        let declared = Shape::from_dims(&buffer.extents, buffer.dtype).eval(sizes)?;
        if declared != memory.value.shape() {
            let (name, got) = (&buffer.name, memory.value.shape());
            return Err(FaultKind::Arguments(format!("`{name}` is {declared}, but is passed {got}")));
        }
    }
    check_facts(kernel, sizes)
}

fn check_facts(kernel: &Kernel, sizes: &Bindings) -> Result<(), FaultKind> {
    let unknown = |_: &rlx_ir::Symbol| None;
    for fact in &kernel.facts {
        let index = index::Index::compile(&fact.dim().bind(sizes), &unknown)?;
        let value = index.value(&[], &mut Vec::new())?;
        let holds = match fact {
            Fact::Multiple { by, .. } => i128::from(value) % i128::from(*by) == 0,
            Fact::NotNegative(_) => value >= 0,
        };
        if !holds {
            return Err(FaultKind::Fact { fact: fact.to_string(), value });
        }
    }
    Ok(())
}
