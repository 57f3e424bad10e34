//! Runs the kernels that a program registers for its own ops ([`rlx_exec::custom`]) on the operands of a step.

use crate::exec::{LaunchContext, PackedList, Packer, Span};
pub use rlx_exec::custom::{
    HostKernel as CpuKernel, KernelContext, Operands, Packed, PackedOperands, Packing, PreparedKernel,
    Results, Threads, register_host_kernel as register_cpu_kernel,
};
use rlx_exec::custom::{Packings, Spans};

/// The places of operands or results.
struct SpanList<'a>(&'a [Span]);

impl Spans for SpanList<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn span(&self, index: usize) -> (*mut u8, usize) {
        (self.0[index].start, self.0[index].bytes)
    }
}

/// The packings of a step.
struct MadePackings<'a>(PackedList<'a>);

impl Packings for MadePackings<'_> {
    fn packed(&self, index: usize) -> Option<&Packed> {
        self.0.get(index)?.as_ref()
    }
}

/// Runs a kernel on the operands, results and scratch memory of a step. The step does not allow results in place of operands.
pub(crate) fn run(kernel: &dyn PreparedKernel, cx: &mut LaunchContext<'_>) -> Result<(), String> {
    let (cx, scratch) = cx.split_scratch::<u8>();
    let (operands, results, made) =
        (SpanList(cx.operands()), SpanList(cx.results()), MadePackings(cx.packed));
    // SAFETY: a launch context requires that operands may be read and results written, that both are initialized, and that nothing else writes
    // to operands or uses results. No result is in the place of an operand, and results do not overlap.
    let (operands, results) = unsafe { (Operands::new(&operands), Results::new(&results)) };
    kernel.run(KernelContext::new(
        operands,
        results,
        PackedOperands::new(&made),
        scratch,
        Threads::new(cx.pool),
    ))
}

/// Makes a packing.
pub(crate) fn pack(
    kernel: &dyn PreparedKernel,
    index: usize,
    operands: &[&[u8]],
    packer: &Packer<'_>,
) -> Option<Packed> {
    kernel.pack(index, operands, Threads::new(packer.pool))
}
