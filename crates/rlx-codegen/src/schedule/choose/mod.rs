//! Chooses schedules by ordered rules, from the form of a kernel and the facts of a machine. The first rule
//! that fits a launch says how it runs; where a rule has candidates (tiles), it counts what each costs. What is
//! chosen depends on nothing else, so it is the same every time.
//!
//! Sizes that are symbols are taken at the largest that facts of the kernel allow. A schedule is then one for all sizes: full parts, and what is
//! left over in smaller and smaller ones.

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

/// Says of a buffer whether its elements are known before the program runs.
type Known<'a> = dyn Fn(BufferId) -> bool + 'a;

/// The schedule of a kernel for a machine. `known` says of a buffer that its elements are known before the program runs, so that they may
/// be packed once.
pub fn schedule(kernel: &Kernel, machine: &Machine, known: &dyn Fn(BufferId) -> bool) -> Schedule {
    let plan = product::product(kernel, machine, known);
    let plan = plan.or_else(|| queries::queries(kernel, machine)).or_else(|| rows::rows(kernel, machine));
    Schedule(plan.map(|plan| plan.steps).unwrap_or_default())
}

/// Launches as they run on a machine. `known` says of what a launch is passed that it is known before the program runs: what such
/// arguments are packed into depends on them alone.
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
