//! Chooses schedules with ordered rules, from the form of a kernel and the facts of a machine.
//!
//! The first rule that fits a launch decides how it runs. A rule with several candidates (tiles) computes the cost of
//! each. The choice depends on nothing else, so it is the same every time.
//!
//! Symbolic sizes are assumed to be the maximum that the facts of the kernel allow. One schedule then serves all sizes:
//! full parts, followed by smaller and smaller ones for the rest.

mod banks;
mod borders;
mod chains;
mod groups;
mod machine;
mod plan;
mod product;
mod queries;
mod rows;
mod runs;
#[cfg(test)]
mod tests;
mod threads;

pub(crate) use banks::swizzles;
pub(crate) use groups::by_groups;
pub use machine::{AVX2, AVX512, BASELINE, MACHINES, Machine, NEON};
pub use threads::for_threads;

use super::{Schedule, ScheduleError, Step, apply_to_launch};
use crate::kernel::{BufferId, Kernel};
use crate::lower::{Argument, Launches};

/// Returns whether the elements of a buffer are known before the program runs.
type Known<'a> = dyn Fn(BufferId) -> bool + 'a;

/// Returns the schedule of a kernel for a machine. `known` returns whether the elements of a buffer are known before
/// the program runs, so that they may be packed once.
pub fn schedule(kernel: &Kernel, machine: &Machine, known: &dyn Fn(BufferId) -> bool) -> Schedule {
    let plan = product::product(kernel, machine, known);
    let plan = plan.or_else(|| queries::queries(kernel, machine)).or_else(|| rows::rows(kernel, machine));
    Schedule(plan.map(|plan| plan.steps).unwrap_or_default())
}

/// Returns the launches as they run on a machine. `known` returns whether an argument of a launch is known before the
/// program runs. What such arguments are packed into depends only on them.
pub fn choose(
    launches: &Launches,
    machine: &Machine,
    known: &dyn Fn(Argument) -> bool,
) -> Result<Launches, ScheduleError> {
    let mut chosen = launches.clone();
    let mut number = 0;
    while let Some(launch) = chosen.launches.get(number) {
        let (kernel, arguments) = (launch.kernel.clone(), launch.arguments.clone());
        let is_known =
            |buffer: BufferId| arguments.get(buffer.index()).is_some_and(|&argument| known(argument));
        let schedule = schedule(&kernel, machine, &is_known);
        chosen = apply_to_launch(&chosen, number, &schedule)?;
        number += 1 + schedule.0.iter().filter(|step| matches!(step, Step::Pack { .. })).count();
    }
    Ok(chosen)
}
