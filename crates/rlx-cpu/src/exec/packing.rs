//! Packings that kernels ask for: operands that keep their values, rearranged once for all runs.

use crate::pool::Pool;
use rlx_driver::SharedPages;
use rlx_ir::DType;
use std::any::Any;
use std::sync::Arc;

/// Operands rearranged once for all runs, as the kernel that packed them knows them.
pub type Packed = Arc<dyn Any + Send + Sync>;

/// One packing that a kernel asks for. It is made where all of its operands keep their values between runs (parameters and
/// constants), and shared by all kernels that ask for the same form of the same values, in programs of all sizes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Packing {
    /// The operands that it is made from, in the order in which their bytes are given.
    pub operands: Vec<usize>,
    /// Says which form of these operands it is: two packings of the same values are one where their keys are equal.
    pub key: u64,
    /// Whether runs read the packed form in place of the operands: where nothing else reads a parameter, the memory of its bytes is
    /// given back as far as they can be had again. A rare look at them is allowed; they stay readable.
    pub replaces: bool,
}

/// How operands are packed.
#[derive(Clone, Copy)]
pub(crate) struct Packer<'a> {
    /// The 16-bit type in which numbers of f32 are to be held, where the kernel can and they fit.
    pub(crate) held: Option<DType>,
    /// The threads to pack on.
    pub(crate) pool: &'a Pool,
    /// Where packed operands lie together.
    pub(crate) pages: &'a SharedPages,
}

/// What was packed for a step, by the index of the packing.
#[derive(Clone, Copy)]
pub(crate) enum PackedList<'a> {
    /// The list itself; nothing behind its end.
    Own(&'a [Option<Packed>]),
    /// That of a step of a graph inside a node, whose own list is the second.
    Inside(&'a [Inside], &'a PackedList<'a>),
}

/// Where a packing of a graph inside a node is.
pub(crate) enum Inside {
    /// It is made of constants of the graph.
    Made(Packed),
    /// It is this packing of the node.
    Around(usize),
    /// Its operands change from run to run.
    Missing,
}

impl<'a> PackedList<'a> {
    /// No packings.
    pub(crate) const EMPTY: PackedList<'static> = PackedList::Own(&[]);

    /// The packing of this index, if it was made.
    pub(crate) fn get(self, index: usize) -> Option<&'a Packed> {
        match self {
            PackedList::Own(list) => list.get(index)?.as_ref(),
            PackedList::Inside(list, around) => match list.get(index)? {
                Inside::Made(packed) => Some(packed),
                Inside::Around(index) => around.get(*index),
                Inside::Missing => None,
            },
        }
    }
}
