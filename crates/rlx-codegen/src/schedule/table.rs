//! The table of schedule steps: one row per step. A row gives what the step changes, its name, examples of its text, the
//! variant of [`Step`] with its fields in the order of the text, and the function that carries it out. [`Step`], its
//! documentation, its printer, its parser and the calls to the functions are generated from it.
//!
//! - `kernel` steps change one kernel. Their function is `(&mut Scheduled, fields …) -> Done`.
//! - `launch` steps change the arguments of a launch, and may add launches. Their function is
//!   `(&mut Launches, which: usize, fields …) -> Done<usize>`, and returns the new number of the launch.
//! - `last` steps replace a launch by several, so no step can follow them. Their function is
//!   `(&mut Launches, which: usize, fields …) -> Done`.
//!
//! A field may be marked with what is written before it: an arrow (`[->]`), a word with a description of the field for
//! messages (`[at "an axis"]`), or a word that is left out together with the field, which is an `Option` (`[by ?]`). A
//! step whose fields are a type of their own is written `Variant(name: Type)`. `also` gives a step another text for one
//! value of one of its fields. Functions take fields as [`StepField::Arg`]: small ones by copy, others by reference.

use super::text::{StepField, after_arrow, after_word, if_word};
use super::{Done, Partition, Scheduled, Tail, Tree, inplace, launches, pack, unpack};
use crate::kernel::{Level, Space};
use crate::lower::Launches;
use crate::swizzle::Swizzle;
use rlx_ir::text::Parser;
use rlx_ir::{ParseError, Symbol};
use std::fmt::{self, Display, Formatter};

/// What a step does when it is applied.
pub(super) enum Effect<'a> {
    /// Changes a kernel.
    Kernel(Box<dyn FnOnce(&mut Scheduled) -> Done + 'a>),
    /// Changes the arguments of the launch with this number. Returns the number that the launch has afterwards.
    Launch(Box<dyn FnOnce(&mut Launches, usize) -> Done<usize> + 'a>),
    /// Replaces the launch with this number by several.
    Last(Box<dyn FnOnce(&mut Launches, usize) -> Done + 'a>),
}

macro_rules! step_table {
    ($(
        $(#[doc = $doc:literal])*
        $class:ident $name:literal [$example:literal $(, $more:literal)*] $Variant:ident
        $({ $( $(#[doc = $field_doc:literal])* $([$($mark:tt)+])? $field:ident : $ty:ty ),* $(,)? })?
        $(( $whole:ident : $Whole:ty ))?
        $(also $short:literal [$short_example:literal] ($($rest:ident),*) $fixed:ident = $value:path)?
        => $($path:ident)::+;
    )*) => {
        /// One step of a schedule, which changes a kernel or launches.
        ///
        /// | step | what it does |
        /// |---|---|
        $(#[doc = concat!(
            " | `", $name, " ", $example, "`", $(", `", $name, " ", $more, "`",)*
            $(", `", $short, " ", $short_example, "`",)? " |", $($doc,)* " |"
        )])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Step {
            $(
                $(#[doc = $doc])*
                ///
                #[doc = concat!(
                    " Text: `", $name, " ", $example, "`", $(", `", $name, " ", $more, "`",)*
                    $(", `", $short, " ", $short_example, "`",)? "."
                )]
                $Variant $({ $( $(#[doc = $field_doc])* $field: $ty ),* })? $(($Whole))?,
            )*
        }

        impl Step {
            /// The names with which the texts of steps begin, in the order of the table.
            pub const NAMES: &'static [&'static str] = &[$($name, $($short,)?)*];

            /// Each name with the examples of what follows it.
            #[cfg(test)]
            pub(super) const EXAMPLES: &'static [(&'static str, &'static str)] = &[$(
                ($name, $example), $(($name, $more),)* $(($short, $short_example),)?
            )*];

            /// Returns the name with which the text begins.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(
                        $(Step::$Variant { $fixed: $value, .. } => $short,)?
                        Step::$Variant { .. } => $name,
                    )*
                }
            }

            /// Returns what the step does.
            pub(super) fn effect(&self) -> Effect<'_> {
                match self {
                    $(Step::$Variant $({ $($field),* })? $(($whole))? => step_table!(@effect $class
                        ($($path)::+)
                        ($($(step_table!(@arg $field $($($mark)+)?),)*)? $(step_table!(@arg $whole),)?)),)*
                }
            }

            /// Reads the text.
            pub(super) fn parse(p: &mut Parser<'_>) -> Result<Step, ParseError> {
                match p.peek_word() {
                    $(
                        Some($name) => {
                            p.name()?;
                            Ok(Step::$Variant
                                $({ $($field: step_table!(@parse p $($($mark)+)?)),* })?
                                $((<$Whole as StepField>::parse(p)?))?)
                        }
                        $(Some($short) => {
                            p.name()?;
                            Ok(Step::$Variant { $($rest: StepField::parse(p)?,)* $fixed: $value })
                        })?
                    )*
                    _ => p.expected(&format!("one of the steps {}", Step::NAMES.join(", "))),
                }
            }
        }

        impl Display for Step {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())?;
                match self {
                    $(
                        $(Step::$Variant { $fixed: $value, $($rest),* } => {
                            $(step_table!(@print f $rest);)*
                        })?
                        Step::$Variant $({ $($field),* })? $(($whole))? => {
                            $($(step_table!(@print f $field $($($mark)+)?);)*)?
                            $(step_table!(@print f $whole);)?
                        }
                    )*
                }
                Ok(())
            }
        }
    };

    (@effect kernel ($($path:ident)::+) ($($arg:expr,)*)) => {
        Effect::Kernel(Box::new(move |scheduled| $($path)::+(scheduled, $($arg),*)))
    };
    (@effect launch ($($path:ident)::+) ($($arg:expr,)*)) => {
        Effect::Launch(Box::new(move |launches, which| $($path)::+(launches, which, $($arg),*)))
    };
    (@effect last ($($path:ident)::+) ($($arg:expr,)*)) => {
        Effect::Last(Box::new(move |launches, which| $($path)::+(launches, which, $($arg),*)))
    };

    (@arg $field:ident $word:ident ?) => { $field.as_ref().map(StepField::arg) };
    (@arg $field:ident $($mark:tt)*) => { StepField::arg($field) };

    (@parse $p:ident) => { StepField::parse($p)? };
    (@parse $p:ident ->) => { after_arrow($p)? };
    (@parse $p:ident $word:ident $what:literal) => { after_word($p, stringify!($word), $what)? };
    (@parse $p:ident $word:ident ?) => { if_word($p, stringify!($word))? };

    (@print $f:ident $field:ident) => { write!($f, " {}", StepField::text($field))? };
    (@print $f:ident $field:ident ->) => { write!($f, " -> {}", StepField::text($field))? };
    (@print $f:ident $field:ident $word:ident $what:literal) => {
        write!($f, " {} {}", stringify!($word), StepField::text($field))?
    };
    (@print $f:ident $field:ident $word:ident ?) => {
        if let Some(field) = $field {
            write!($f, " {} {}", stringify!($word), StepField::text(field))?;
        }
    };
}

step_table! {
    // ---- loops --------------------------------------------------------------------------------------------
    /// Runs an axis in parts of equal length: `i` as `8*a+b`. The tail is `exact`, `guard` or `peel`.
    kernel "split" ["i 8 exact -> a b"] Split {
        /// The axis.
        axis: Symbol,
        /// The length of a part.
        by: u32,
        /// How the indices that do not fill a part are handled.
        tail: Tail,
        /// The axes of parts, and of indices in a part.
        [->] into: [Symbol; 2],
    } => Scheduled::split;
    /// Runs two neighboring axes of one loop as one.
    kernel "fuse" ["i j -> f"] Fuse {
        /// The axes, the outer one first.
        axes: [Symbol; 2],
        /// The axis that replaces them.
        [->] into: Symbol,
    } => Scheduled::fuse;
    /// Puts axes of one loop in this order, in the positions that they occupy together.
    kernel "reorder" ["j i"] Reorder {
        /// The axes.
        axes: Vec<Symbol>,
    } => Scheduled::reorder;
    /// Gives the first index and the last 2 of a parallel axis separate loops, and the indices between them the axis `m`.
    kernel "divide" ["i 1 2 -> m"] Divide {
        /// The axis.
        axis: Symbol,
        /// The number of first indices.
        first: u32,
        /// The number of last indices.
        last: u32,
        /// The axis of the indices between.
        [->] into: Symbol,
    } => Scheduled::divide;
    /// Sums only over those indices for which the guards of both factors hold.
    kernel "clip" ["k"] Clip {
        /// An axis of the sum.
        axis: Symbol,
    } => Scheduled::clip;
    /// Writes the body of a loop once per index.
    kernel "unroll" ["i"] Unroll {
        /// The axis of the loop.
        axis: Symbol,
    } => Scheduled::unroll;
    /// Turns the axes of a parallel loop that follow `i` into a loop inside.
    kernel "nest" ["i"] Nest {
        /// The last of the axes that stay.
        axis: Symbol,
    } => Scheduled::nest;
    /// Moves the loops inside a parallel loop around its last axes.
    kernel "interchange" ["i j"] Interchange {
        /// The axes.
        axes: Vec<Symbol>,
    } => Scheduled::interchange;
    /// Rounds each product once, together with the sum that it is added to.
    kernel "contract" ["k"] Contract {
        /// The axis of the loop that adds.
        axis: Symbol,
    } => Scheduled::contract;

    // ---- tiles and memory ---------------------------------------------------------------------------------
    /// Copies what the loop of `i` reads of an input into a local array before the loop. With `by 64`, the array is in
    /// `group`, and 64 lanes fill it.
    kernel "stage" ["x at i -> t", "x at i by 64 -> t"] Stage {
        /// The name of the input.
        input: String,
        /// An axis of the loop.
        [at "an axis"] axis: Symbol,
        /// The number of lanes of the group that fill an array that it shares. `None` if the array is not shared.
        [by ?] lanes: Option<u32>,
        /// The name of the array.
        [->] into: String,
    } => Scheduled::stage;
    /// Puts a local array into the memory of lanes, subgroups or groups.
    kernel "place" ["t group"] Place {
        /// The name of the array.
        array: String,
        /// The memory.
        space: Space,
    } => Scheduled::place;
    /// Orders the elements of an array in `group` so that lanes find them in different banks.
    kernel "swizzle" ["t 2 from 6 to 3"] Swizzle {
        /// The name of the array.
        array: String,
        /// The order.
        order: Swizzle,
    } => Scheduled::swizzle;
    /// Reduces by 64 lanes, each with some of the indices, and merges their states as a tree.
    kernel "tree" ["i 64 -> l a"] Tree(tree: Tree) => Scheduled::tree;
    /// Copies tiles for later iterations into one of 2 slots while earlier iterations run.
    kernel "pipeline" ["i 2"] Pipeline {
        /// The axis of the loop.
        axis: Symbol,
        /// The number of iterations that there is memory for.
        slots: u32,
    } => Scheduled::pipeline;
    /// Contracts tiles with instructions of a machine.
    kernel "tensorise" ["i mma_m16n8k16_f16 -> a b c"] Tensorise {
        /// An axis of the contraction.
        axis: Symbol,
        /// The name of the instruction.
        row: String,
        /// The axes that count instructions along rows, columns and summands.
        [->] into: [Symbol; 3],
    } => Scheduled::tensorise;

    // ---- reductions ---------------------------------------------------------------------------------------
    /// Reduces runs of 64 indices in parallel, and merges their states.
    kernel "parts" ["i 64 -> a b"] Parts(partition: Partition) => Scheduled::parts;
    /// Reduces runs of 512 indices, one after another, and merges their states.
    kernel "chains" ["i 512 -> a b"] Chains(partition: Partition) => Scheduled::chains;
    /// Reduces every 8th index in parallel, and merges the states.
    kernel "lanes" ["i 8 -> a b"] Lanes(partition: Partition) => Scheduled::lanes;
    /// Reduces runs of 64 indices in one launch, and merges their states in the next. Also splits a loop that adds
    /// products of tiles.
    last "launches" ["i 64 -> a b"] Launches(partition: Partition) => launches::split;

    // ---- arguments of launches ----------------------------------------------------------------------------
    /// Reads an input in blocks of 8 along its second axis, which an earlier launch makes.
    launch "pack" ["x 1 8"] Pack {
        /// The name of the input.
        input: String,
        /// The number of the axis.
        axis: u32,
        /// The number of indices in a block.
        by: u32,
    } => pack::pack;
    /// Writes an output in blocks of 8 along its second axis, which a later launch copies to their places.
    launch "unpack" ["y 1 8"] Unpack {
        /// The name of the output.
        output: String,
        /// The number of the axis.
        axis: u32,
        /// The number of indices in a block.
        by: u32,
    } => unpack::unpack;
    /// Writes the output `y` over the input `x`.
    launch "inplace" ["y x"] InPlace {
        /// The name of the output.
        output: String,
        /// The name of the input.
        input: String,
    } => inplace::alias;

    // ---- what runs an axis --------------------------------------------------------------------------------
    /// Marks a parallel axis with what runs it.
    kernel "bind" ["i lane"] Bind {
        /// The axis.
        axis: Symbol,
        /// What runs it.
        level: Level,
    } also "vector" ["i"] (axis) level = Level::Vector => Scheduled::bind;
}
