//! Packings that kernels ask for: operands that keep their values between runs, rearranged once for all runs.

use crate::pool::Pool;
use rlx_driver::SharedPages;
use rlx_ir::DType;
use std::any::Any;
use std::sync::Arc;

/// Operands rearranged once for all runs. Only the kernel that packed them knows the type.
pub type Packed = Arc<dyn Any + Send + Sync>;

/// One packing that a kernel asks for. It is made if all of its operands keep their values between runs (parameters and
/// constants), and shared by all kernels that ask for the same form of the same values, in programs of all sizes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Packing {
    /// The operands that it is made from, in the order in which their bytes are passed.
    pub operands: Vec<usize>,
    /// Identifies the form: packings of the same values with equal keys are shared.
    pub key: u64,
    /// Whether runs read the packed form instead of the operands. If nothing else reads a parameter, the memory of its bytes is released
    /// as far as they can be fetched again. The bytes stay readable, and runs may still read them occasionally.
    pub replaces: bool,
}

/// How operands are packed.
#[derive(Clone, Copy)]
pub(crate) struct Packer<'a> {
    /// The 16-bit type in which f32 numbers are stored, if the kernel supports it and they fit.
    pub(crate) held: Option<DType>,
    /// The threads to pack on.
    pub(crate) pool: &'a Pool,
    /// The memory in which packed operands are stored together.
    pub(crate) pages: &'a SharedPages,
}

/// The packings that were made for a step, by their index.
#[derive(Clone, Copy)]
pub(crate) enum PackedList<'a> {
    /// The list itself. Indices past its end have no packing.
    Own(&'a [Option<Packed>]),
    /// The list of a step in a graph inside a node. The second field is the list of that node.
    Inside(&'a [Inside], &'a PackedList<'a>),
}

/// The source of a packing of a graph inside a node.
pub(crate) enum Inside {
    /// The packing is made from constants of the graph.
    Made(Packed),
    /// The packing is the one of the node with this index.
    Around(usize),
    /// There is none, because its operands change from run to run.
    Missing,
}

impl<'a> PackedList<'a> {
    /// No packings.
    pub(crate) const EMPTY: PackedList<'static> = PackedList::Own(&[]);

    /// Returns the packing with this index, if it was made.
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
