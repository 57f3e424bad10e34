//! The data structures of kernels: typed loops over buffers, with scalars in static single assignment.

use crate::swizzle::Swizzle;
use crate::tile::Tile;
use crate::words::words;
use rlx_ir::{DType, Dim, Op, Scalar, Symbol};
use std::sync::Arc;

/// A buffer of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BufferId(u32);

/// A scalar of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScalarId(u32);

impl BufferId {
    /// Returns the buffer at this index in [`Kernel::buffers`].
    pub(crate) fn new(number: u32) -> BufferId {
        BufferId(number)
    }

    /// Returns the index in [`Kernel::buffers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ScalarId {
    /// Returns the scalar at this index in [`Kernel::scalars`].
    pub(crate) fn new(number: u32) -> ScalarId {
        ScalarId(number)
    }

    /// Returns the index in [`Kernel::scalars`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One launch. Its parameters are the buffers that are not local, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Kernel {
    /// The name.
    pub name: String,
    /// All buffers: parameters first, then local arrays.
    pub buffers: Vec<Buffer>,
    /// What is known about the sizes. Binding checks it, and schedules may rely on it.
    pub facts: Vec<Fact>,
    /// The element type of each scalar.
    pub scalars: Vec<DType>,
    /// The statements to run.
    pub body: Block,
}

/// An array of elements in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// Its name in the text form; unique in the kernel.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// The extents, which may have symbols.
    pub extents: Vec<Dim>,
    /// Whose memory it is.
    pub place: Place,
    /// The order of the elements of an array of a group, if it is not the row-major one.
    pub swizzle: Option<Swizzle>,
}

/// Whose memory a buffer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The caller's memory, which is only read.
    In,
    /// The caller's memory, which is only written, each element once.
    Out,
    /// The caller's memory, which is read and written.
    InOut,
    /// Memory of one iteration of the parallel loops around the [`Stmt::Array`] that makes it.
    Local(Space),
}

words! {
    /// Which lanes of that iteration hold a local array.
    #[derive(Default)]
    Space {
        /// Each lane has its own memory, or registers. No other lane reads an element that it writes.
        #[default]
        Lane = "lane",
        /// The lanes of a subgroup hold an element together. No other subgroup reads it.
        Subgroup = "subgroup",
        /// All lanes of a group share it. There must be a [barrier](Stmt::Barrier) between writing an element and reading it.
        Group = "group",
    }
}

impl Place {
    /// Returns whether the caller passes it.
    pub fn is_param(self) -> bool {
        !matches!(self, Place::Local(_))
    }

    /// Returns whether kernels may load from it.
    pub fn is_read(self) -> bool {
        self != Place::Out
    }

    /// Returns whether kernels may store to it.
    pub fn is_written(self) -> bool {
        self != Place::In
    }
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A fact about the sizes with which a kernel is launched.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// A size is a multiple of a number, which is at least 1.
    Multiple {
        /// The size.
        of: Dim,
        /// The number.
        by: u32,
    },
    /// An expression of sizes is at least 0.
    NotNegative(Dim),
}

impl Fact {
    /// Returns the expression that the fact is about.
    pub fn dim(&self) -> &Dim {
        match self {
            Fact::Multiple { of, .. } => of,
            Fact::NotNegative(dim) => dim,
        }
    }
}

words! {
    /// Which part of a machine runs the iterations of a parallel axis. It is a mark for printers, and results do not depend on it.
    #[derive(Default)]
    Level {
        /// Not specified.
        #[default]
        None = "none",
        /// A thread of a processor.
        Thread = "thread",
        /// A group of lanes that share memory.
        Group = "group",
        /// The lanes of a group that execute an instruction together.
        Subgroup = "subgroup",
        /// One lane of a group.
        Lane = "lane",
        /// An element of a vector register.
        Vector = "vector",
        /// A copy of a circuit.
        Unit = "unit",
    }
}

impl Level {
    /// Every level with a mark: all except [`Level::None`].
    pub const MARKS: [Level; Level::ALL.len() - 1] = {
        let [_, marks @ ..] = Level::ALL;
        marks
    };

    /// Returns whether it is a part of a group, so that the iterations of a loop are spread over the group.
    pub fn is_worker(self) -> bool {
        matches!(self, Level::Subgroup | Level::Lane)
    }
}

/// The variable of a loop, which counts from 0. In index expressions it is the symbol. Within a kernel, no two axes,
/// and no axis and size, have the same name.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The variable.
    pub symbol: Symbol,
    /// The number of iterations. It may contain symbols of sizes and of enclosing axes, and [named](Stmt::Name) scalars.
    pub extent: Dim,
    /// What runs the iterations. Only parallel axes are marked.
    pub level: Level,
}

impl Axis {
    /// Creates an axis without a mark.
    pub fn new(symbol: Symbol, extent: Dim) -> Axis {
        Axis { symbol, extent, level: Level::None }
    }
}

/// The condition of an access: every expression is at least 0. An empty guard always holds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Guard(pub Vec<Dim>);

impl Guard {
    /// Returns whether the guard is empty and always holds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a guard that holds if 0 ≤ index < extent.
    pub fn inside(index: &Dim, extent: &Dim) -> Guard {
        Guard(vec![index.clone(), (extent - index).offset(-1)])
    }

    /// Returns a guard that holds if both do.
    pub fn and(mut self, other: Guard) -> Guard {
        self.0.extend(other.0);
        self
    }
}

/// An element of a buffer: an integer expression per axis, over symbols of sizes, axes and [named](Stmt::Name) scalars.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// The buffer.
    pub buffer: BufferId,
    /// The index along each axis. It must be at least 0 and below the extent wherever the access is made.
    pub at: Vec<Dim>,
}

/// How a scalar is defined.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// A constant of the scalar's type.
    Constant(Scalar),
    /// An integer expression. The scalar's type is an integer type that can represent it.
    Index(Dim),
    /// An element, or `fill` if the guard does not hold. Without a fill value the guard must hold.
    Load {
        /// The element to read.
        cell: Cell,
        /// The condition for reading it.
        guard: Guard,
        /// The value if the condition does not hold.
        fill: Option<ScalarId>,
    },
    /// An elementwise op of the op table on scalars, rounded once to the scalar's type.
    Apply {
        /// The op.
        op: Arc<Op>,
        /// Its operands.
        args: Vec<ScalarId>,
    },
    /// a · b + c, rounded once.
    Fma([ScalarId; 3]),
    /// The bits of a scalar of the same width, reinterpreted as another type.
    Bitcast(ScalarId),
    /// Whether a guard holds, as a boolean.
    Holds(Guard),
}

/// A scalar that a loop hands from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// The value in the first iteration.
    pub first: ScalarId,
    /// The scalar inside the body.
    pub inside: ScalarId,
    /// The value for the next iteration, at the end of the body.
    pub next: ScalarId,
    /// The scalar after the last iteration. It is `first` if there was none.
    pub last: ScalarId,
}

/// A scalar that both branches of an `if` return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joined {
    /// The value from the first branch.
    pub then: ScalarId,
    /// The value from the other branch.
    pub otherwise: ScalarId,
    /// The scalar after both.
    pub result: ScalarId,
}

/// A function of scalars.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its operands.
    pub params: Vec<ScalarId>,
    /// [`Stmt::Let`]s without loads.
    pub body: Block,
    /// Its results.
    pub results: Vec<ScalarId>,
}

/// A monoid over a state of one or more scalars, and how an element is added to a state.
#[derive(Clone, PartialEq, Debug)]
pub struct Combiner {
    /// The state of no elements.
    pub identity: Vec<ScalarId>,
    /// Whether `identity` is an initial value instead, which counts once, before the first element, and need not be the state of no
    /// elements.
    pub once: bool,
    /// Takes a state and the values of an element, and returns the state with that element added at its end.
    pub step: Function,
    /// Takes two states, and returns that of the elements of the first followed by those of the second. Associative except for rounding.
    pub merge: Function,
}

/// Statements.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// Defines a scalar.
    Let {
        /// The scalar.
        scalar: ScalarId,
        /// The definition.
        value: Definition,
    },
    /// Makes an integer scalar a symbol of index expressions. It must be at least 0 and below `extent`.
    Name {
        /// The symbol. Like an axis, it is named once.
        symbol: Symbol,
        /// The scalar.
        scalar: ScalarId,
        /// The exclusive upper bound.
        extent: Dim,
    },
    /// Makes a local array. Its elements are uninitialized.
    Array(BufferId),
    /// Stores an element if the guard holds.
    Store {
        /// The element to store to.
        cell: Cell,
        /// The condition.
        guard: Guard,
        /// The value.
        scalar: ScalarId,
    },
    /// Runs the body for each element of an index space, in any order or at the same time. No iteration accesses what another one writes.
    Par {
        /// The index space.
        axes: Vec<Axis>,
        /// The body.
        body: Block,
    },
    /// Runs the body for each index in order.
    For {
        /// The variable.
        axis: Axis,
        /// Whether the loop runs from the last index to the first.
        reverse: bool,
        /// The scalars that are handed from one iteration to the next.
        carried: Vec<Carried>,
        /// The body.
        body: Block,
    },
    /// Runs the body while the condition holds, at most `bound` times. `again` is the result of the condition.
    While {
        /// The scalars that are handed from one iteration to the next. Both the condition and the body see `inside`.
        carried: Vec<Carried>,
        /// Computes `again`.
        condition: Block,
        /// Whether the body runs once more.
        again: ScalarId,
        /// The body.
        body: Block,
        /// The maximum number of iterations.
        bound: Dim,
    },
    /// Runs one of two blocks.
    If {
        /// A boolean.
        condition: ScalarId,
        /// Runs if the condition holds.
        then: Block,
        /// Runs if it does not.
        otherwise: Block,
        /// Scalars that both branches return.
        joined: Vec<Joined>,
    },
    /// All lanes of the group arrive before any continues. Afterwards they see what the others did before.
    Barrier,
    /// A statement on whole tiles, which [`expand`](crate::tile::expand()) writes as loops.
    Tile(Box<Tile>),
    /// Combines an index space into one state, in row-major order unless a schedule says otherwise.
    Reduce {
        /// The index space.
        axes: Vec<Axis>,
        /// How elements are combined.
        combiner: Combiner,
        /// Computes the values of an element.
        body: Block,
        /// The values of an element.
        elements: Vec<ScalarId>,
        /// The state of all elements.
        results: Vec<ScalarId>,
    },
}

impl Kernel {
    /// Creates a kernel without buffers that does nothing.
    pub fn new(name: impl Into<String>) -> Kernel {
        Kernel { name: name.into(), ..Kernel::default() }
    }

    /// Adds a buffer. Parameters must be added before local arrays.
    pub fn buffer(
        &mut self,
        name: impl Into<String>,
        dtype: DType,
        extents: Vec<Dim>,
        place: Place,
    ) -> BufferId {
        self.add(Buffer { name: name.into(), dtype, extents, place, swizzle: None })
    }

    /// Adds a buffer as it is.
    pub(crate) fn add(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Adds a scalar of this type, which a statement has to define.
    pub fn scalar(&mut self, dtype: DType) -> ScalarId {
        self.scalars.push(dtype);
        ScalarId(self.scalars.len() as u32 - 1)
    }

    /// Returns the type of a scalar.
    pub fn dtype(&self, scalar: ScalarId) -> DType {
        self.scalars[scalar.index()]
    }

    /// Returns the buffers that a caller passes, in order.
    pub fn params(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers.iter().filter(|b| b.place.is_param())
    }
}
