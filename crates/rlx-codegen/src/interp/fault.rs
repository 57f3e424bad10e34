//! The faults that a kernel can have.

use crate::verify::Violations;
use rlx_ir::{DimError, Symbol};
use std::fmt;

/// What went wrong in a kernel, and in which iteration.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("kernel `{kernel}`{}: {kind}", Place(.place))]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// The loops around the statement, the outermost first, with the index of each.
    pub place: Vec<(Symbol, i64)>,
    /// What went wrong.
    pub kind: FaultKind,
}

/// What went wrong in a kernel.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum FaultKind {
    /// An index is outside its axis.
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
    /// An element is read before anything has written it.
    #[error("`{buffer}`{} is read before anything is written to it", Brackets(.at))]
    Unwritten {
        /// The buffer.
        buffer: String,
        /// The element.
        at: Vec<usize>,
    },
    /// Two iterations that may run at the same time access an element, and one of them writes it.
    #[error("two parallel iterations access `{buffer}`{}: {conflict}", Brackets(.at))]
    Race {
        /// The buffer.
        buffer: String,
        /// The element.
        at: Vec<usize>,
        /// What they do to it.
        conflict: Conflict,
    },
    /// An element of an output is written twice.
    #[error("`{buffer}`{} is written twice", Brackets(.at))]
    WrittenTwice {
        /// The output.
        buffer: String,
        /// The element.
        at: Vec<usize>,
    },
    /// Some elements of an output are not written.
    #[error("{count} elements of `{buffer}` are never written, the first of them {}", Brackets(.first))]
    NeverWritten {
        /// The output.
        buffer: String,
        /// The first such element.
        first: Vec<usize>,
        /// The number of such elements.
        count: usize,
    },
    /// An element of an array in the memory of lanes or subgroups is accessed by others than those that wrote it.
    #[error("`{buffer}`{} is read by another lane or subgroup than the one that wrote it; place the array in `group`", Brackets(.at))]
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
    /// A statement on tiles has not been expanded.
    #[error("a statement on tiles is not expanded")]
    Tile,
    /// A scalar that is named as an index is outside its range.
    #[error("`{symbol}` is named as an index below {extent}, but is {value}")]
    Named {
        /// The symbol.
        symbol: Symbol,
        /// Its value.
        value: i128,
        /// The exclusive upper bound.
        extent: i64,
    },
    /// A load without a fill value is executed although its guard does not hold.
    #[error("`{buffer}` is loaded where the guard does not hold, but there is no fill value")]
    NoFill {
        /// The buffer.
        buffer: String,
    },
    /// A `while` loop would exceed its bound.
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
    /// An index expression overflows 64 bits, or divides by a number that is not positive.
    #[error("an index expression overflows or divides by a number that is not positive")]
    Arithmetic,
    /// More statements are executed than allowed.
    #[error("more than {limit} statements are executed; raise the limit if this is intended")]
    TooLong {
        /// The number that is allowed.
        limit: u64,
    },
    /// More memory is needed than allowed.
    #[error("{bytes} bytes of memory are needed, but only {limit} are allowed")]
    TooLarge {
        /// The number of bytes that are needed.
        bytes: u64,
        /// The number of bytes that are allowed.
        limit: u64,
    },
    /// The verifier refuses the kernel, or another one of the same launches.
    #[error(transparent)]
    Invalid(#[from] Violations),
    /// An op that is applied is not defined on single elements.
    #[error("`{op}` is not an elementwise op of {operands} operands")]
    NotElementwise {
        /// The op.
        op: &'static str,
        /// The number of operands that it is given.
        operands: usize,
    },
    /// The arguments do not fit the kernel.
    #[error("the arguments do not fit: {0}")]
    Arguments(String),
    /// The sizes violate a fact that the kernel relies on.
    #[error("the kernel requires sizes with {fact}, but the expression is {value}")]
    Fact {
        /// The fact.
        fact: String,
        /// The value of the expression in it.
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
    /// The one that the interpreter runs first reads it, and the other writes it.
    ReadWrite,
    /// The one that the interpreter runs first writes it, and the other reads it.
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

    /// Adds an enclosing loop and its index to the fault.
    pub(super) fn within(mut self: Box<Self>, symbol: &Symbol, index: i64) -> Box<Fault> {
        self.place.insert(0, (symbol.clone(), index));
        self
    }
}

/// Writes the location of a fault.
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
