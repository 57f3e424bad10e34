//! Kernels in the form that the interpreter runs: names are indices into tables, and sizes are numbers.

use super::index::Index;
use crate::kernel::Space;
use crate::swizzle::Swizzle;
use rlx_ir::{DType, Op, Scalar, Symbol};
use std::sync::Arc;

/// A kernel that is ready to run.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) name: String,
    pub(super) buffers: Vec<BufferInfo>,
    /// The number of scalars.
    pub(super) scalars: usize,
    /// The axes and named scalars.
    pub(super) symbols: Vec<Symbol>,
    /// The functions, which [`Instruction::Compute`] refers to by number: their names, and the number of float operations of each.
    pub(super) functions: Vec<(&'static str, u64)>,
    /// The number of accesses.
    pub(super) sites: usize,
    /// Whether loops are spread over lanes or subgroups.
    pub(super) has_workers: bool,
    pub(super) body: Vec<Instruction>,
}

/// What is known about a buffer before the run.
#[derive(Debug)]
pub(super) struct BufferInfo {
    pub(super) name: String,
    pub(super) dtype: DType,
    /// Whether each of its elements must be written exactly once.
    pub(super) once: bool,
    /// The order of its elements.
    pub(super) swizzle: Option<Swizzle>,
    /// Which lanes hold the elements of a local array.
    pub(super) space: Option<Space>,
}

/// An element of a buffer.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) buffer: usize,
    pub(super) at: Vec<Index>,
    /// The number of the access in the kernel.
    pub(super) site: usize,
    /// The access is made only if none of these is negative.
    pub(super) guard: Vec<Index>,
}

/// A loop's variable.
#[derive(Debug)]
pub(super) struct Counter {
    pub(super) symbol: usize,
    pub(super) extent: Index,
}

/// Which part of a machine runs the iterations of a parallel loop.
#[derive(Debug)]
pub(super) enum Spread {
    /// Not specified.
    None,
    /// One group per iteration.
    Groups,
    /// Parts of a group, which are counted by the axes at these positions.
    Workers { lanes: bool, axes: Vec<usize> },
}

/// An asynchronous copy.
#[derive(Debug)]
pub(super) struct CopyCode {
    pub(super) axes: Vec<Counter>,
    pub(super) spread: Spread,
    pub(super) within: Vec<Index>,
    pub(super) from: Access,
    pub(super) to: Access,
    pub(super) fill: Option<usize>,
    pub(super) slot: Index,
}

/// How a scalar is computed.
#[derive(Debug)]
pub(super) enum Compute {
    /// An op, and the type that selects its function.
    Apply(Arc<Op>, DType),
    Fma,
    /// A reinterpretation of bits of this type.
    Bitcast(DType),
}

/// A scalar that a loop hands on: the indices of `first`, `inside`, `next` and `last`.
#[derive(Debug)]
pub(super) struct Handed {
    pub(super) first: usize,
    pub(super) inside: usize,
    pub(super) next: usize,
    pub(super) last: usize,
}

/// A function of scalars.
#[derive(Debug)]
pub(super) struct Routine {
    pub(super) params: Vec<usize>,
    pub(super) body: Vec<Instruction>,
    pub(super) results: Vec<usize>,
}

/// A reduction.
#[derive(Debug)]
pub(super) struct Reduction {
    pub(super) axes: Vec<Counter>,
    pub(super) identity: Vec<usize>,
    /// What parts behind the first one begin with.
    pub(super) later: Later,
    pub(super) step: Routine,
    pub(super) merge: Routine,
    pub(super) body: Vec<Instruction>,
    pub(super) elements: Vec<usize>,
    pub(super) results: Vec<usize>,
}

/// What the parts of a reduction after the first one begin with.
#[derive(Debug)]
pub(super) enum Later {
    /// The same as the first one.
    Identity,
    /// The state of no elements, if the first one begins with an initial value.
    None(Vec<Scalar>),
    /// Their first element, which is a state.
    Element,
    /// There are no further parts.
    Nothing,
}

/// A loop that runs while a condition holds.
#[derive(Debug)]
pub(super) struct Conditional {
    pub(super) handed: Vec<Handed>,
    pub(super) condition: Vec<Instruction>,
    pub(super) again: usize,
    pub(super) body: Vec<Instruction>,
    pub(super) bound: Index,
}

/// A statement. Scalars are identified by index.
#[derive(Debug)]
pub(super) enum Instruction {
    Constant { scalar: usize, value: Scalar },
    Index { scalar: usize, dtype: DType, index: Index },
    Holds { scalar: usize, guard: Vec<Index> },
    Load { scalar: usize, access: Access, fill: Option<usize> },
    Compute { scalar: usize, dtype: DType, compute: Compute, args: Vec<usize>, function: usize },
    Name { symbol: usize, scalar: usize, extent: Index },
    Array { buffer: usize, extents: Vec<Index> },
    Store { access: Access, scalar: usize },
    Par { axes: Vec<Counter>, spread: Spread, body: Vec<Instruction> },
    Barrier,
    Copy(Box<CopyCode>),
    Wait { slot: Index },
    For { axis: Counter, reverse: bool, handed: Vec<Handed>, body: Vec<Instruction> },
    While(Box<Conditional>),
    If { condition: usize, branches: [Vec<Instruction>; 2], joined: Vec<[usize; 3]> },
    Reduce(Box<Reduction>),
}
