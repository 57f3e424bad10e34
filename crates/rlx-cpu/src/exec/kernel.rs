//! What a kernel is: prepared once for a node, run many times on raw operands.

use crate::isa::Cpu;
use crate::pool::Pool;
use bytemuck::Pod;
use rlx_compile::memory::Needs;
use rlx_ir::DType;
use std::any::Any;
use std::sync::Arc;

/// An operand rearranged once for all runs.
pub(crate) type Packed = Arc<dyn Any + Send + Sync>;

/// What was packed for one step.
#[derive(Clone, Default)]
pub(crate) struct StepPacked {
    /// For its own kernel.
    pub(crate) own: Option<Packed>,
    /// For the kernels of graphs inside it.
    pub(crate) inside: Vec<Option<Packed>>,
}

/// Why a kernel stopped.
pub(crate) type RunError = String;

/// One node, prepared.
pub(crate) trait OpKernel: Send + Sync {
    /// What the kernel asks of the memory plan.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The operand that the kernel wants packed when it does not change between runs, with a key that tells apart
    /// different packings of the same bytes.
    fn packs(&self) -> Option<(usize, u64)> {
        None
    }

    /// Packs the operand named by [`packs`](OpKernel::packs); numbers of f32 in the 16-bit type that is given, where the kernel
    /// can and they fit.
    fn pack(&self, _bytes: &[u8], _held: Option<DType>) -> Option<Packed> {
        None
    }

    /// What kernels of graphs inside the node want packed of the node's operands: for each the operand, the key and the
    /// kernel that packs.
    fn packs_inside(&self) -> Vec<(usize, u64, &dyn OpKernel)> {
        Vec::new()
    }

    /// Runs the kernel.
    fn run(&self, cx: &Cx<'_>) -> Result<(), RunError>;
}

/// The bytes of an operand or result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: *mut u8,
    pub(crate) bytes: usize,
}

/// What a kernel runs on. Operands and results are the bytes that the plan gave them: results overlap neither each
/// other nor operands, except where the kernel's [`Needs::in_place`] allowed it.
pub(crate) struct Cx<'a> {
    pub(crate) inputs: &'a [Span],
    pub(crate) outputs: &'a [Span],
    pub(crate) scratch: Span,
    pub(crate) packed: Option<&'a Packed>,
    /// What was packed of the list that [`OpKernel::packs_inside`] gave.
    pub(crate) packed_inside: &'a [Option<Packed>],
    /// The threads to run on.
    pub(crate) pool: &'a Pool,
    /// The instruction set to run with.
    pub(crate) cpu: Cpu,
}

impl<'a> Cx<'a> {
    /// The elements of operand `i`. Not for kernels that run in place on that operand.
    pub(crate) fn input<T: Pod>(&self, i: usize) -> &'a [T] {
        let span = self.inputs[i];
        self.check::<T>(span);
        // SAFETY: the executor's spans are valid for the step; operands are not written unless the kernel runs in
        // place, which it then does through pointers. `T` is plain data and the alignment was checked.
        unsafe { std::slice::from_raw_parts(span.start.cast::<T>(), span.bytes / size_of::<T>()) }
    }

    /// The elements of result `i`. Call it once a result.
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn output<T: Pod>(&self, i: usize) -> &'a mut [T] {
        let span = self.outputs[i];
        self.check::<T>(span);
        // SAFETY: as for `input`; results do not overlap anything else unless the kernel runs in place.
        unsafe { std::slice::from_raw_parts_mut(span.start.cast::<T>(), span.bytes / size_of::<T>()) }
    }

    /// The scratch memory, aligned to a cache line. Call it once.
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn scratch<T: Pod>(&self) -> &'a mut [T] {
        self.check::<T>(self.scratch);
        // SAFETY: the plan gave these bytes to this step alone.
        unsafe {
            std::slice::from_raw_parts_mut(
                self.scratch.start.cast::<T>(),
                self.scratch.bytes / size_of::<T>(),
            )
        }
    }

    /// The first byte of operand `i`.
    pub(crate) fn input_ptr(&self, i: usize) -> *const u8 {
        self.inputs[i].start
    }

    /// The first byte of result `i`.
    pub(crate) fn output_ptr(&self, i: usize) -> *mut u8 {
        self.outputs[i].start
    }

    fn check<T>(&self, span: Span) {
        assert!(span.start.cast::<T>().is_aligned(), "operands are aligned to their element type");
    }
}
