//! The data structures of kernels: typed loops over buffers, with scalars in static single assignment.

use crate::swizzle::Swizzle;
use crate::tile::Tile;
use rlx_ir::{DType, Dim, Op, Scalar, Symbol};
use std::sync::Arc;

/// A buffer of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BufferId(u32);

/// A scalar of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScalarId(u32);

impl BufferId {
    /// The buffer at this place in [`Kernel::buffers`].
    pub(crate) fn new(number: u32) -> BufferId {
        BufferId(number)
    }

    /// The place in [`Kernel::buffers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ScalarId {
    /// The scalar at this place in [`Kernel::scalars`].
    pub(crate) fn new(number: u32) -> ScalarId {
        ScalarId(number)
    }

    /// The place in [`Kernel::scalars`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One launch. Parameters are the buffers that are not local, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Kernel {
    /// What it is called.
    pub name: String,
    /// All buffers: parameters first, then local arrays.
    pub buffers: Vec<Buffer>,
    /// What holds of sizes. Binding checks it, and schedules may rely on it.
    pub facts: Vec<Fact>,
    /// The element type of each scalar.
    pub scalars: Vec<DType>,
    /// What runs.
    pub body: Block,
}

/// Elements in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// Its name in the text form; unique in the kernel.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its sizes, which may have symbols.
    pub extents: Vec<Dim>,
    /// Whose it is.
    pub place: Place,
    /// In which order the elements of an array of a group lie, where it is not the row-major one.
    pub swizzle: Option<Swizzle>,
}

/// Whose memory a buffer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The caller's, read only.
    In,
    /// The caller's, written only, each element once.
    Out,
    /// The caller's, read and written.
    InOut,
    /// Of one iteration of the parallel loops around the [`Stmt::Array`] that makes it.
    Local(Space),
}

/// Which lanes of that iteration hold a local array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Space {
    /// Each lane has its own memory, or registers: an element that one lane writes no other lane reads.
    #[default]
    Lane,
    /// The lanes of a subgroup hold an element together, which no other subgroup reads.
    Subgroup,
    /// All lanes of a group share it; between those that write and those that read an element stands a [barrier](Stmt::Barrier).
    Group,
}

impl Space {
    /// All spaces.
    pub const ALL: [Space; 3] = [Space::Lane, Space::Subgroup, Space::Group];

    /// Its word in the text form.
    pub fn word(self) -> &'static str {
        match self {
            Space::Lane => "lane",
            Space::Subgroup => "subgroup",
            Space::Group => "group",
        }
    }
}

impl Place {
    /// Whether the caller passes it.
    pub fn is_param(self) -> bool {
        !matches!(self, Place::Local(_))
    }

    /// Whether kernels may load from it.
    pub fn is_read(self) -> bool {
        self != Place::Out
    }

    /// Whether kernels may store to it.
    pub fn is_written(self) -> bool {
        self != Place::In
    }
}

/// Statements in their order.
pub type Block = Vec<Stmt>;

/// Something that holds of the sizes with which a kernel is launched.
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
    /// The expression that it is about.
    pub fn dim(&self) -> &Dim {
        match self {
            Fact::Multiple { of, .. } => of,
            Fact::NotNegative(dim) => dim,
        }
    }
}

/// What of a machine runs the iterations of a parallel axis. A mark for printers: results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Level {
    /// Whatever there is.
    #[default]
    None,
    /// A thread of a processor.
    Thread,
    /// A group of lanes that share memory.
    Group,
    /// The lanes of a group that run an instruction together.
    Subgroup,
    /// One lane of a group.
    Lane,
    /// An element of a vector register.
    Vector,
    /// A copy of a circuit.
    Unit,
}

impl Level {
    /// Every level that is written: all but [`Level::None`].
    pub const MARKS: [Level; 6] =
        [Level::Thread, Level::Group, Level::Subgroup, Level::Lane, Level::Vector, Level::Unit];

    /// Whether it is a part of a group: the iterations of a loop are then spread over the group.
    pub fn is_worker(self) -> bool {
        matches!(self, Level::Subgroup | Level::Lane)
    }

    /// Its word in the text form.
    pub fn word(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Thread => "thread",
            Level::Group => "group",
            Level::Subgroup => "subgroup",
            Level::Lane => "lane",
            Level::Vector => "vector",
            Level::Unit => "unit",
        }
    }
}

/// A loop's variable, which counts from 0. In index expressions it is the symbol; no two axes, and no axis and size, of one kernel
/// share a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The variable.
    pub symbol: Symbol,
    /// How often the loop runs. It may have symbols of sizes and of axes outside, and [named](Stmt::Name) scalars.
    pub extent: Dim,
    /// What runs its iterations; a mark of parallel axes alone.
    pub level: Level,
}

impl Axis {
    /// An axis without a mark.
    pub fn new(symbol: Symbol, extent: Dim) -> Axis {
        Axis { symbol, extent, level: Level::None }
    }
}

/// An access is made where every expression is at least 0; an empty guard always holds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Guard(pub Vec<Dim>);

impl Guard {
    /// Whether it always holds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Holds where 0 ≤ index < extent.
    pub fn inside(index: &Dim, extent: &Dim) -> Guard {
        Guard(vec![index.clone(), (extent - index).offset(-1)])
    }

    /// Holds where both do.
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
    /// The index along each of its axes, from 0 to below its extent wherever the access is made.
    pub at: Vec<Dim>,
}

/// What a scalar is.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// A constant of the scalar's type.
    Constant(Scalar),
    /// An integer expression; the scalar's type is an integer that holds it.
    Index(Dim),
    /// An element, or `fill` where the guard does not hold. Without a fill the guard holds.
    Load {
        /// What is read.
        cell: Cell,
        /// Where it is read.
        guard: Guard,
        /// What stands for it elsewhere.
        fill: Option<ScalarId>,
    },
    /// An elementwise op of the op table on scalars: rounded once to the scalar's type.
    Apply {
        /// The op.
        op: Arc<Op>,
        /// Its operands.
        args: Vec<ScalarId>,
    },
    /// a · b + c, rounded once.
    Fma([ScalarId; 3]),
    /// The bits of a scalar of the same width as another type.
    Bitcast(ScalarId),
    /// Whether a guard holds, as a boolean.
    Holds(Guard),
}

/// A scalar that a loop hands from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// What it is at first.
    pub first: ScalarId,
    /// What the body calls it.
    pub inside: ScalarId,
    /// What it is in the next iteration, as the body ends.
    pub next: ScalarId,
    /// What it is after the last iteration; `first` where there was none.
    pub last: ScalarId,
}

/// A scalar that both branches give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joined {
    /// After the first branch.
    pub then: ScalarId,
    /// After the other.
    pub otherwise: ScalarId,
    /// Behind both.
    pub result: ScalarId,
}

/// A function of scalars.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its operands.
    pub params: Vec<ScalarId>,
    /// [`Stmt::Let`]s that load nothing.
    pub body: Block,
    /// Its results.
    pub results: Vec<ScalarId>,
}

/// A monoid over a state of one or more scalars, and how an element joins the state.
#[derive(Clone, PartialEq, Debug)]
pub struct Combiner {
    /// The state of no elements.
    pub identity: Vec<ScalarId>,
    /// Of a state and of what the body gives for an element: the state with the element at its end.
    pub step: Function,
    /// Of two states: that of the elements of the first, then those of the second. Associative up to rounding.
    pub merge: Function,
}

/// Statements.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// Defines a scalar.
    Let {
        /// The scalar.
        scalar: ScalarId,
        /// What it is.
        value: Definition,
    },
    /// Makes an integer scalar a symbol of index expressions. It lies from 0 to below `extent`.
    Name {
        /// The symbol; like an axis it is named once.
        symbol: Symbol,
        /// The scalar.
        scalar: ScalarId,
        /// What it is below.
        extent: Dim,
    },
    /// Makes a local array, whose elements hold nothing yet.
    Array(BufferId),
    /// Writes an element where the guard holds.
    Store {
        /// What is written.
        cell: Cell,
        /// Where it is.
        guard: Guard,
        /// The element.
        scalar: ScalarId,
    },
    /// Runs the body for each element of an index space, in any order or at once: no iteration touches what another writes.
    Par {
        /// The index space.
        axes: Vec<Axis>,
        /// What runs for each.
        body: Block,
    },
    /// Runs the body for each index in order.
    For {
        /// The variable.
        axis: Axis,
        /// From the last index to the first.
        reverse: bool,
        /// What goes from one iteration to the next.
        carried: Vec<Carried>,
        /// What runs for each.
        body: Block,
    },
    /// Runs the body while the condition, of which `again` is the result, holds; at most `bound` times.
    While {
        /// What goes from one iteration to the next. `inside` is known to the condition and to the body.
        carried: Vec<Carried>,
        /// Computes `again`.
        condition: Block,
        /// Whether the body runs once more.
        again: ScalarId,
        /// What runs.
        body: Block,
        /// How often it can run at most.
        bound: Dim,
    },
    /// Runs one of two blocks.
    If {
        /// A boolean.
        condition: ScalarId,
        /// Runs where it holds.
        then: Block,
        /// Runs where it does not.
        otherwise: Block,
        /// Scalars that either gives.
        joined: Vec<Joined>,
    },
    /// All lanes of the group arrive before any goes on: what one did before it, others see behind it.
    Barrier,
    /// What is done to whole tiles, which [`expand`](crate::tile::expand()) writes as loops.
    Tile(Box<Tile>),
    /// Combines an index space into one state, in row-major order unless a schedule says otherwise.
    Reduce {
        /// The index space.
        axes: Vec<Axis>,
        /// How.
        combiner: Combiner,
        /// Computes what an element gives.
        body: Block,
        /// What it gives.
        elements: Vec<ScalarId>,
        /// The state of all.
        results: Vec<ScalarId>,
    },
}

impl Kernel {
    /// A kernel without buffers that does nothing.
    pub fn new(name: impl Into<String>) -> Kernel {
        Kernel { name: name.into(), ..Kernel::default() }
    }

    /// Adds a buffer. Parameters come before local arrays.
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

    /// Adds a scalar of a type; a statement has to define it.
    pub fn scalar(&mut self, dtype: DType) -> ScalarId {
        self.scalars.push(dtype);
        ScalarId(self.scalars.len() as u32 - 1)
    }

    /// The type of a scalar.
    pub fn dtype(&self, scalar: ScalarId) -> DType {
        self.scalars[scalar.index()]
    }

    /// The buffers that a caller passes, in order.
    pub fn params(&self) -> impl Iterator<Item = &Buffer> {
        self.buffers.iter().filter(|b| b.place.is_param())
    }
}
