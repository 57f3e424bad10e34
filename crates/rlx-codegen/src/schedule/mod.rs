//! Schedules: how a kernel runs, as data. A schedule is a list of [`Step`]s on named axes and arrays; each step turns a
//! kernel into one that gives the same results, or says why it does not.
//!
//! ```text
//! split _0 8 guard -> _4 _5; vector _5; parts _1 64 -> _6 _7
//! ```
//!
//! | step | what it does |
//! |---|---|
//! | `split i 8 exact -> a b` | runs `i` as `8*a+b`; the tail is `exact`, `guard` or `peel` |
//! | `fuse i j -> f` | runs two neighboring axes of one loop as one |
//! | `reorder j i` | puts axes of one loop in another order |
//! | `divide i 1 2 -> m` | gives the first index and the last 2 separate loops, and the indices between them the axis `m` |
//! | `clip k` | sums over the indices for which the guards of both factors hold |
//! | `unroll i` | writes the body once per index |
//! | `nest i` | turns the axes after `i` into a loop inside |
//! | `interchange i j` | moves the loops inside the axes `i j` around them |
//! | `contract k` | rounds sums of products once |
//! | `stage x at i -> t` | copies what the loop of `i` reads of an input into a local array before the loop |
//! | `stage x at i by 64 -> t` | the same into an array in `group`, by 64 lanes |
//! | `place t group` | puts a local array into the memory of lanes, subgroups or groups |
//! | `swizzle t 2 from 6 to 3` | orders the elements of an array in `group` so that lanes find them in different banks |
//! | `tree i 64 -> l a` | reduces by 64 lanes, each with some indices, and merges their states as a tree |
//! | `pipeline i 2` | copies tiles for later iterations into one of 2 slots while earlier ones run |
//! | `tensorise i mma_m16n8k16_f16 -> a b c` | contracts tiles with instructions |
//! | `parts i 64 -> a b` | reduces runs of 64 indices in parallel, and merges their states |
//! | `chains i 512 -> a b` | reduces runs of 512 indices, one after another, and merges their states |
//! | `lanes i 8 -> a b` | reduces every 8th index in parallel, and merges the states |
//! | `launches i 64 -> a b` | reduces in two launches with memory between them; also splits a loop that adds products of tiles |
//! | `pack x 1 8` | reads an input in blocks of 8 along its second axis, which an earlier launch makes |
//! | `unpack y 1 8` | writes an output in blocks of 8 along its second axis, which a later launch copies to their places |
//! | `inplace y x` | writes the output `y` over the input `x` |
//! | `bind i lane`, `vector i` | marks a parallel axis with what runs it |
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
pub mod tasks;
mod tensorise;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod unpack;
mod unroll;
mod uses;

use crate::kernel::{Block, Kernel, Level, Space};
use crate::lower::Launches;
use crate::swizzle::Swizzle;
use crate::verify::{Violations, verify};
use rename::{Fresh, Renaming, renumber};
use rlx_ir::Symbol;

/// Steps in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule(pub Vec<Step>);

/// One change of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Runs an axis in parts of equal length.
    Split {
        /// The axis.
        axis: Symbol,
        /// The length of a part.
        by: u32,
        /// How the indices that do not fill a part are handled.
        tail: Tail,
        /// The axes of parts, and of indices in a part.
        into: [Symbol; 2],
    },
    /// Runs two neighboring axes as one.
    Fuse {
        /// The axes, the outer one first.
        axes: [Symbol; 2],
        /// The axis that replaces them.
        into: Symbol,
    },
    /// Puts axes of one loop in this order, in the positions that they occupy together.
    Reorder {
        /// The axes.
        axes: Vec<Symbol>,
    },
    /// Gives the first and the last indices of a parallel axis separate loops.
    Divide {
        /// The axis.
        axis: Symbol,
        /// The number of first indices.
        first: u32,
        /// The number of last indices.
        last: u32,
        /// The axis of the indices between.
        into: Symbol,
    },
    /// Sums only over those indices for which the guards of both factors hold.
    Clip {
        /// An axis of the sum.
        axis: Symbol,
    },
    /// Writes the body of a loop once per index.
    Unroll {
        /// The axis of the loop.
        axis: Symbol,
    },
    /// Makes the axes of a parallel loop that follow one of them a loop inside.
    Nest {
        /// The last of the axes that stay.
        axis: Symbol,
    },
    /// Runs the loops inside a parallel loop around its last axes.
    Interchange {
        /// The axes.
        axes: Vec<Symbol>,
    },
    /// Rounds each product once, together with the sum that it is added to.
    Contract {
        /// The axis of the loop that adds.
        axis: Symbol,
    },
    /// Copies what a loop reads of an input into a local array before the loop.
    Stage {
        /// The name of the input.
        input: String,
        /// An axis of the loop.
        axis: Symbol,
        /// The number of lanes of the group that fill an array that it shares. `None` if the array is not shared.
        lanes: Option<u32>,
        /// The name of the array.
        into: String,
    },
    /// Puts a local array into the memory of lanes, subgroups or groups.
    Place {
        /// The name of the array.
        array: String,
        /// The memory.
        space: Space,
    },
    /// Puts the elements of an array of a group in another order.
    Swizzle {
        /// The name of the array.
        array: String,
        /// The order.
        order: Swizzle,
    },
    /// Reduces over lanes, and merges their states as a tree.
    Tree(Tree),
    /// Copies tiles for later iterations while earlier ones run.
    Pipeline {
        /// The axis of the loop.
        axis: Symbol,
        /// The number of iterations that there is memory for.
        slots: u32,
    },
    /// Contracts tiles by instructions.
    Tensorise {
        /// An axis of the contraction.
        axis: Symbol,
        /// The name of the instruction.
        row: String,
        /// The axes that count instructions along rows, columns and summands.
        into: [Symbol; 3],
    },
    /// Reduces parts in parallel and merges their states.
    Parts(Partition),
    /// Reduces runs one after another and merges their states.
    Chains(Partition),
    /// Reduces every n-th index in parallel and merges the states.
    Lanes(Partition),
    /// Reduces parts in one launch and merges their states in the next.
    Launches(Partition),
    /// Reads an input in blocks along an axis.
    Pack {
        /// The name of the input.
        input: String,
        /// The number of the axis.
        axis: u32,
        /// The number of indices in a block.
        by: u32,
    },
    /// Writes an output in blocks along an axis.
    Unpack {
        /// The name of the output.
        output: String,
        /// The number of the axis.
        axis: u32,
        /// The number of indices in a block.
        by: u32,
    },
    /// Writes an output over an input.
    InPlace {
        /// The name of the output.
        output: String,
        /// The name of the input.
        input: String,
    },
    /// Marks a parallel axis.
    Bind {
        /// The axis.
        axis: Symbol,
        /// What runs it.
        level: Level,
    },
}

/// The parts of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The first axis of the reduction. For `chains` it may be any axis.
    pub axis: Symbol,
    /// The number of indices in a part.
    pub by: u32,
    /// The axes of parts, and of indices in a part.
    pub into: [Symbol; 2],
}

/// A reduction over lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The first axis of the reduction.
    pub axis: Symbol,
    /// The number of lanes.
    pub lanes: u32,
    /// The axes of lanes, and of the indices of a lane.
    pub into: [Symbol; 2],
}

/// How the indices that do not fill a part of a [split](Step::Split) axis are handled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tail {
    /// There are none: the extent is known to be a multiple.
    Exact,
    /// The last part is as long as the others, and only runs the body if the index exists.
    Guard,
    /// A separate loop runs them.
    Peel,
}

impl Tail {
    /// All tails.
    pub const ALL: [Tail; 3] = [Tail::Exact, Tail::Guard, Tail::Peel];

    /// Returns the word in the text form.
    pub fn word(self) -> &'static str {
        match self {
            Tail::Exact => "exact",
            Tail::Guard => "guard",
            Tail::Peel => "peel",
        }
    }
}

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

    fn step(&mut self, step: &Step) -> Done {
        match step {
            Step::Split { axis, by, tail, into } => self.split(axis, *by, *tail, into),
            Step::Fuse { axes, into } => self.fuse(axes, into),
            Step::Reorder { axes } => self.reorder(axes),
            Step::Divide { axis, first, last, into } => self.divide(axis, [*first, *last], into),
            Step::Clip { axis } => self.clip(axis),
            Step::Unroll { axis } => self.unroll(axis),
            Step::Stage { input, axis, lanes, into } => self.stage(input, axis, *lanes, into),
            Step::Place { array, space } => self.place(array, *space),
            Step::Swizzle { array, order } => self.swizzle(array, *order),
            Step::Tree(tree) => self.tree(tree),
            Step::Pipeline { axis, slots } => self.pipeline(axis, *slots),
            Step::Tensorise { axis, row, into } => self.tensorise(axis, row, into),
            Step::Nest { axis } => self.nest(axis),
            Step::Interchange { axes } => self.interchange(axes),
            Step::Contract { axis } => self.contract(axis),
            Step::Parts(partition) => self.parts(partition),
            Step::Chains(partition) => self.chains(partition),
            Step::Lanes(partition) => self.lanes(partition),
            Step::Bind { axis, level } => self.bind(axis, *level),
            Step::Launches(_) | Step::Pack { .. } | Step::Unpack { .. } | Step::InPlace { .. } => {
                Err("it changes the arguments of a launch; apply it to launches".into())
            }
        }
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
        scheduled.step(step).map_err(refused)?;
        let changed = scheduled.finish();
        // Expressions may overflow, and statements may be nested too deeply.
        verify(&changed).map_err(|wrong| refused(format!("the result is not a valid kernel: {wrong}")))?;
        kernel = changed;
    }
    Ok(kernel)
}

/// Applies a schedule to one of several launches. `pack` inserts a launch before it, and `unpack` one after it.
/// `launches` ends a schedule, because it replaces the launch by two.
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
        match step {
            Step::Launches(_) if number + 1 < schedule.0.len() => {
                return Err(refused("it leaves two kernels; schedule each of them separately".into()));
            }
            Step::Launches(partition) => {
                verify(&kernel)?;
                launches::split(&mut launches, which, partition).map_err(refused)?;
            }
            Step::Pack { input, axis, by } => {
                verify(&kernel)?;
                pack::pack(&mut launches, which, input, *axis as usize, *by).map_err(refused)?;
                which += 1;
            }
            Step::Unpack { output, axis, by } => {
                verify(&kernel)?;
                unpack::unpack(&mut launches, which, output, *axis as usize, *by).map_err(refused)?;
            }
            Step::InPlace { output, input } => {
                verify(&kernel)?;
                inplace::alias(&mut launches, which, output, input).map_err(refused)?;
            }
            step => {
                let one = Schedule(vec![step.clone()]);
                launches.launches[which].kernel = apply(&kernel, &one).map_err(|error| match error {
                    ScheduleError::Step { reason, .. } => refused(reason),
                    other => other,
                })?;
            }
        }
    }
    debug_assert_eq!(crate::verify::verify_launches(&launches), Ok(()), "{schedule}\n{launches}");
    Ok(launches)
}

fn refusal(number: usize, step: &Step, kernel: &Kernel, reason: String) -> ScheduleError {
    ScheduleError::Step { number, step: Box::new(step.clone()), kernel: kernel.name.clone(), reason }
}
