//! Schedules: how a kernel runs, as data. A schedule is a list of [`Step`]s on named axes and arrays; each step turns a
//! kernel into one that gives the same results, or says why it does not.
//!
//! ```text
//! split _0 8 guard -> _4 _5; vector _5; parts _1 64 -> _6 _7
//! ```
//!
//! [`Step`] lists all steps. It is generated from the table in `table.rs`, which has one row per step. A step that
//! changes one kernel is a method of `Scheduled`; the others are functions of the launches.
//!
//! The file of each step states what the step guarantees: its *obligation*. `tests/schedules.rs` checks it with the
//! interpreter: scheduled kernels give the same results as before, bit for bit for integers, without a fault.

mod bind;
mod blocks;
mod chains;
pub mod choose;
mod clip;
mod commute;
mod contract;
mod divide;
pub(crate) mod find;
mod fuse;
mod groups;
mod initial;
mod inplace;
mod interchange;
mod lanes;
mod launches;
mod nest;
mod pack;
mod partial;
mod parts;
mod pipeline;
mod place;
pub(crate) mod rename;
mod reorder;
mod split;
mod stage;
mod swizzle;
mod table;
pub mod tasks;
mod tensorise;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod unpack;
mod unroll;
mod uses;

pub use parts::Partition;
pub use split::Tail;
pub use table::Step;
pub use tree::Tree;

use crate::kernel::{Block, Kernel};
use crate::lower::Launches;
use crate::verify::{Violations, verify};
use rename::{Fresh, Renaming, renumber};
use rlx_ir::Symbol;
use table::Effect;

/// Steps in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule(pub Vec<Step>);

/// Why a schedule cannot be applied.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ScheduleError {
    /// The kernel was invalid to begin with.
    #[error(transparent)]
    Kernel(#[from] Violations),
    /// The launch does not exist.
    #[error("there are {launches} launches, so there is no launch {number}")]
    Launch {
        /// The number.
        number: usize,
        /// The number of launches.
        launches: usize,
    },
    /// A step does not fit what it is applied to.
    #[error("step {number}, `{step}`, on `{kernel}`: {reason}")]
    Step {
        /// The index of the step in the schedule.
        number: usize,
        /// The step, with the axes that it names.
        step: Box<Step>,
        /// The kernel.
        kernel: String,
        /// Why it does not fit, and what would.
        reason: String,
    },
}

/// A kernel that is being changed by steps.
#[derive(Debug)]
struct Scheduled {
    kernel: Kernel,
    fresh: Fresh,
    /// Scalars that another one has replaced in the statements after a loop.
    replaced: Renaming,
}

/// The result of a step, or the reason for refusing it.
type Done<T = ()> = Result<T, String>;

impl Scheduled {
    fn new(kernel: &Kernel) -> Scheduled {
        Scheduled { kernel: kernel.clone(), fresh: Fresh::of(kernel), replaced: Renaming::default() }
    }

    /// Adds new axes, whose names must not be used by any symbol of the kernel.
    fn name(&mut self, symbols: &[Symbol]) -> Done {
        match symbols.iter().find(|symbol| !self.fresh.take(symbol)) {
            None => Ok(()),
            Some(symbol) => Err(format!("the name `{symbol}` is taken; give the new axis another name")),
        }
    }

    /// Renames symbols in the statements that use them, and in the sizes of arrays.
    fn substitute(&mut self, renaming: &Renaming, block: &mut Block) {
        renaming.block(block);
        let arrays = self.kernel.buffers.iter_mut().filter(|b| !b.place.is_param());
        arrays.flat_map(|b| &mut b.extents).for_each(|extent| renaming.dim(extent));
    }

    /// Returns the kernel, with scalars and arrays in the order of its text.
    fn finish(mut self) -> Kernel {
        self.replaced.block(&mut self.kernel.body);
        renumber(&mut self.kernel);
        self.kernel
    }
}

/// Applies a schedule to a kernel. Steps that need several launches are refused.
pub fn apply(kernel: &Kernel, schedule: &Schedule) -> Result<Kernel, ScheduleError> {
    verify(kernel)?;
    let mut kernel = kernel.clone();
    for (number, step) in schedule.0.iter().enumerate() {
        let mut scheduled = Scheduled::new(&kernel);
        let refused = |reason| refusal(number, step, &kernel, reason);
        match step.effect() {
            Effect::Kernel(change) => change(&mut scheduled).map_err(refused)?,
            Effect::Launch(_) | Effect::Last(_) => {
                return Err(refused("it changes the arguments of a launch; apply it to launches".into()));
            }
        }
        let changed = scheduled.finish();
        // Expressions may overflow, and statements may be nested too deeply.
        verify(&changed).map_err(|wrong| refused(format!("the result is not a valid kernel: {wrong}")))?;
        kernel = changed;
    }
    Ok(kernel)
}

/// Applies a schedule to one of several launches. Steps may insert launches before and after it, as `pack` and `unpack`
/// do. A step that replaces the launch by two, as `launches` does, must be the last one.
pub fn apply_to_launch(
    launches: &Launches,
    which: usize,
    schedule: &Schedule,
) -> Result<Launches, ScheduleError> {
    let (mut launches, mut which) = (launches.clone(), which);
    for (number, step) in schedule.0.iter().enumerate() {
        let count = launches.launches.len();
        let Some(launch) = launches.launches.get(which) else {
            return Err(ScheduleError::Launch { number: which, launches: count });
        };
        let kernel = launch.kernel.clone();
        let refused = |reason| refusal(number, step, &kernel, reason);
        match step.effect() {
            Effect::Kernel(_) => {
                let one = Schedule(vec![step.clone()]);
                launches.launches[which].kernel = apply(&kernel, &one).map_err(|error| match error {
                    ScheduleError::Step { reason, .. } => refused(reason),
                    other => other,
                })?;
            }
            Effect::Launch(change) => {
                verify(&kernel)?;
                which = change(&mut launches, which).map_err(refused)?;
            }
            Effect::Last(_) if number + 1 < schedule.0.len() => {
                return Err(refused("it leaves two kernels; schedule each of them separately".into()));
            }
            Effect::Last(change) => {
                verify(&kernel)?;
                change(&mut launches, which).map_err(refused)?;
            }
        }
    }
    debug_assert_eq!(crate::verify::verify_launches(&launches), Ok(()), "{schedule}\n{launches}");
    Ok(launches)
}

fn refusal(number: usize, step: &Step, kernel: &Kernel, reason: String) -> ScheduleError {
    ScheduleError::Step { number, step: Box::new(step.clone()), kernel: kernel.name.clone(), reason }
}
