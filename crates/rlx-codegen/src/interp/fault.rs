//! The faults that a kernel can commit.

use crate::verify::Violations;
use rlx_ir::{DimError, Symbol};
use std::fmt;

/// What went wrong in a kernel, and in which iteration.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("kernel `{kernel}`{}: {kind}", Place(.place))]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// The loops around the statement, the outermost first, and the index that each was at.
    pub place: Vec<(Symbol, i64)>,
    /// What went wrong.
    pub kind: FaultKind,
}

/// What went wrong in a kernel.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum FaultKind {
    /// An index lies outside its axis.
    #[error("`{buffer}` has {extent} elements along axis {axis}; index {index} is outside")]
    OutOfBounds {
        /// The buffer.
        buffer: String,
        /// The axis.
        axis: usize,
        /// The index.
        index: i64,
        /// The size of the axis.
        extent: usize,
    },
    /// An element is read that nothing has written.
    #[error("`{buffer}`{} is read before anything is written to it", Brackets(.at))]
    Unwritten {
        /// The buffer.
        buffer: String,
        /// The element.
        at: Vec<usize>,
    },
    /// Two iterations that may run at once access an element, and one of them writes it.
    #[error("two parallel iterations access `{buffer}`{}: {conflict}", Brackets(.at))]
    Race {
        /// The buffer.
        buffer: String,
        /// The element.
        at: Vec<usize>,
        /// What they do to it.
        conflict: Conflict,
    },
    /// An element of an output is written again.
    #[error("`{buffer}`{} is written twice", Brackets(.at))]
    WrittenTwice {
        /// The output.
        buffer: String,
        /// The element.
        at: Vec<usize>,
    },
    /// Elements of an output are not written.
    #[error("{count} elements of `{buffer}` are never written, the first of them {}", Brackets(.first))]
    NeverWritten {
        /// The output.
        buffer: String,
        /// The first of them.
        first: Vec<usize>,
        /// How many there are.
        count: usize,
    },
    /// An element of an array in the memory of lanes, or of subgroups, is touched by others than those that wrote it.
    #[error("`{buffer}`{} is read by another lane or subgroup than the one that wrote it; hold the array in `group`", Brackets(.at))]
    Foreign {
        /// The array.
        buffer: String,
        /// The element.
        at: Vec<usize>,
    },
    /// Nothing waits for an asynchronous copy.
    #[error("nothing waits for the copies of slot {slot}")]
    NeverAwaited {
        /// The slot.
        slot: i64,
    },
    /// A statement on tiles is left.
    #[error("a statement on tiles is not expanded")]
    Tile,
    /// A scalar that is named as an index is not in the range that it was given.
    #[error("`{symbol}` is named as an index below {extent}, but is {value}")]
    Named {
        /// The symbol.
        symbol: Symbol,
        /// Its value.
        value: i128,
        /// What it should be below.
        extent: i64,
    },
    /// A load without a fill value is made where its guard does not hold.
    #[error("`{buffer}` is loaded where the guard does not hold, and there is no fill value")]
    NoFill {
        /// The buffer.
        buffer: String,
    },
    /// A `while` loop would run longer than it says.
    #[error("a `while` loop still runs after {bound} iterations, its bound")]
    WhileBound {
        /// The bound.
        bound: i64,
    },
    /// A size is negative.
    #[error("an extent is {extent}")]
    NegativeExtent {
        /// The size.
        extent: i64,
    },
    /// An index expression has no value in 64 bits, or divides by a number that is not positive.
    #[error("an index expression overflows or divides by a number that is not positive")]
    Arithmetic,
    /// More statements than are allowed.
    #[error("more than {limit} statements are executed; allow more if that is meant")]
    TooLong {
        /// How many are allowed.
        limit: u64,
    },
    /// More memory than is allowed.
    #[error("{bytes} bytes of memory are needed, and {limit} are allowed")]
    TooLarge {
        /// How many are needed.
        bytes: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// The verifier refuses the kernel, or another one of the same launches.
    #[error(transparent)]
    Invalid(#[from] Violations),
    /// An op that is applied has no meaning on single elements.
    #[error("`{op}` is not an elementwise op of {operands} operands")]
    NotElementwise {
        /// The op.
        op: &'static str,
        /// How many operands it is given.
        operands: usize,
    },
    /// What is passed to the kernel does not fit it.
    #[error("the arguments do not fit: {0}")]
    Arguments(String),
    /// The sizes are not what the kernel was made for.
    #[error("the kernel is made for sizes with {fact}, and the expression is {value}")]
    Fact {
        /// What should hold.
        fact: String,
        /// What the expression in it is.
        value: i64,
    },
    /// A size has no value.
    #[error(transparent)]
    Size(#[from] DimError),
}

/// What two parallel iterations do to one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// Both write it.
    WriteWrite,
    /// The earlier one, in the order of the interpreter, reads it and the other writes it.
    ReadWrite,
    /// The earlier one writes it and the other reads it.
    WriteRead,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conflict::WriteWrite => "both write it",
            Conflict::ReadWrite => "one reads it, a later one writes it",
            Conflict::WriteRead => "one writes it, a later one reads it",
        })
    }
}

impl Fault {
    pub(super) fn new(kernel: &str, kind: FaultKind) -> Box<Fault> {
        Box::new(Fault { kernel: kernel.to_string(), place: Vec::new(), kind })
    }

    /// The fault, with the index of a loop around it.
    pub(super) fn within(mut self: Box<Self>, symbol: &Symbol, index: i64) -> Box<Fault> {
        self.place.insert(0, (symbol.clone(), index));
        self
    }
}

/// Writes where a fault is.
struct Place<'a>(&'a [(Symbol, i64)]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (symbol, index)) in self.0.iter().enumerate() {
            write!(f, "{}{symbol} = {index}", if i == 0 { " at " } else { ", " })?;
        }
        Ok(())
    }
}

/// Writes the indices of an element.
struct Brackets<'a>(&'a [usize]);

impl fmt::Display for Brackets<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
