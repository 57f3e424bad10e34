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

/// The packings that were made for a call, by their index. Indices past the end have no packing.
pub(crate) type PackedList<'a> = &'a [Option<Packed>];
