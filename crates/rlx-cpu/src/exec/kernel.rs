//! The trait of kernels, which are prepared once for a node and run many times on raw operands.

use super::packing::{Packed, PackedList, Packer, Packing};
use crate::isa::Cpu;
use crate::pool::Pool;
use bytemuck::Pod;
use rlx_compile::memory::Needs;
use std::ptr::NonNull;

/// Why a kernel stopped.
pub(crate) type RunError = String;

/// The prepared kernel of a node.
pub(crate) trait OpKernel: Send + Sync {
    /// Returns the requirements of the kernel for the memory plan.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Returns the packings that the kernel wants of operands that keep their values between runs. It must be able to run without them.
    fn packings(&self) -> Vec<Packing> {
        Vec::new()
    }

    /// Makes packing `index` of [`packings`](OpKernel::packings) from the bytes of its operands. If this returns `None`, the kernel runs
    /// without it.
    fn pack(&self, _index: usize, _operands: &[&[u8]], _packer: &Packer<'_>) -> Option<Packed> {
        None
    }

    /// Returns whether packing `index` may wait for the second run with the same values, because the kernel computes the same bits without
    /// it, in no more time than packing takes. Operands of a program that runs once are then never packed.
    fn can_wait(&self, _index: usize) -> bool {
        false
    }

    /// Returns the operands in which a run only looks up a few places. Their memory can be released at little cost, because only those
    /// places have to be fetched again. During a run, the kernel releases what it has fetched ([`LaunchContext::release`]).
    fn looks_up(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Runs the kernel.
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError>;
}

/// The bytes of an operand or result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: *mut u8,
    pub(crate) bytes: usize,
}

impl Span {
    /// An empty span.
    pub(crate) const EMPTY: Span = Span { start: std::ptr::null_mut(), bytes: 0 };

    /// Returns the first element and the number of elements. Panics if the span is not aligned to the element type.
    fn elements<T: Pod>(self) -> (NonNull<T>, usize) {
        match NonNull::new(self.start.cast::<T>()) {
            Some(first) if self.bytes > 0 => {
                assert!(first.is_aligned(), "operands are aligned to their element type");
                (first, self.bytes / size_of::<T>())
            }
            _ => (NonNull::dangling(), 0),
        }
    }
}

/// The launch context, which a kernel runs with. Operands and results are at the places that the plan gave them. Results overlap
/// neither each other nor operands, except where the kernel's [`Needs::in_place`] allowed it.
///
/// References follow the borrow of the context: several operands may be borrowed at once, but a result or the scratch memory only
/// alone. So no mutable reference aliases another one, even if the plan put a result in the place of an operand. Kernels that run in
/// place, and tasks that write parts of one result, use pointers.
pub(crate) struct LaunchContext<'a> {
    inputs: &'a [Span],
    outputs: &'a [Span],
    scratch: Span,
    /// The packings that were made, by their index in [`OpKernel::packings`].
    pub(crate) packed: PackedList<'a>,
    /// Releases the memory of an operand, if it can be released.
    pub(crate) releases: Option<&'a (dyn Fn(usize) + Sync)>,
    /// The threads to run on.
    pub(crate) pool: &'a Pool,
    /// The instruction set to run with.
    pub(crate) cpu: Cpu,
}

impl<'a> LaunchContext<'a> {
    /// Creates the context of a step without packed operands.
    ///
    /// # Safety
    /// While the context lives, operands must be valid for reads and results for reads and writes, and all their bytes must be
    /// initialized. Nothing else may write to operands, use results, or use the scratch memory. The scratch memory must not overlap any
    /// operand or result and must be aligned to a cache line.
    pub(crate) unsafe fn new(
        inputs: &'a [Span],
        outputs: &'a [Span],
        scratch: Span,
        pool: &'a Pool,
        cpu: Cpu,
    ) -> LaunchContext<'a> {
        LaunchContext { inputs, outputs, scratch, packed: &[], releases: None, pool, cpu }
    }

    /// Returns the elements of operand `i`.
    pub(crate) fn input<T: Pod>(&self, i: usize) -> &[T] {
        let (first, len) = self.inputs[i].elements();
        // SAFETY: `new` requires that operands are valid for reads. Code that writes to one (a result in its place) borrows the
        // context mutably or vouches for the pointer. `elements` checked the alignment, and any bytes are a valid `T`.
        unsafe { std::slice::from_raw_parts(first.as_ptr(), len) }
    }

    /// Returns the elements of result `i`.
    pub(crate) fn output<T: Pod>(&mut self, i: usize) -> &mut [T] {
        let (first, len) = self.outputs[i].elements();
        // SAFETY: `new` requires that results are valid for writes and that nothing else uses them. The mutable borrow excludes
        // references to an operand in the same place, and to the same result. `elements` checked the alignment, and any
        // bytes are a valid `T`.
        unsafe { std::slice::from_raw_parts_mut(first.as_ptr(), len) }
    }

    /// Splits the context into one without scratch memory and the scratch memory, which is aligned to a cache line. Both can be used at
    /// the same time.
    pub(crate) fn split_scratch<T: Pod>(&mut self) -> (LaunchContext<'_>, &mut [T]) {
        let (first, len) = self.scratch.elements();
        let rest = LaunchContext { scratch: Span::EMPTY, ..*self };
        // SAFETY: `new` requires that only this step uses the scratch memory and that it overlaps nothing. Of the two contexts
        // that could refer to it, this one is borrowed mutably and the other one has an empty span instead. `elements` checked the
        // alignment, and any bytes are a valid `T`.
        (rest, unsafe { std::slice::from_raw_parts_mut(first.as_ptr(), len) })
    }

    /// Returns packing `index` of the kernel, if it was made.
    pub(crate) fn packed<T: 'static>(&self, index: usize) -> Option<&'a T> {
        self.packed.get(index)?.as_ref()?.downcast_ref()
    }

    /// Releases the memory of operand `i`, in which the kernel [looks up](OpKernel::looks_up) places, if the operand is a parameter that is
    /// also in memory in packed form. Any thread can still read its bytes; they are then fetched again.
    pub(crate) fn release(&self, i: usize) {
        if let Some(releases) = self.releases {
            releases(i);
        }
    }

    /// Returns the spans of the operands.
    pub(crate) fn operands(&self) -> &'a [Span] {
        self.inputs
    }

    /// Returns the spans of the results.
    pub(crate) fn results(&self) -> &'a [Span] {
        self.outputs
    }

    /// Returns a pointer to the first byte of operand `i`.
    pub(crate) fn input_ptr(&self, i: usize) -> *const u8 {
        self.inputs[i].start
    }

    /// Returns a pointer to the first byte of result `i`.
    pub(crate) fn output_ptr(&self, i: usize) -> *mut u8 {
        self.outputs[i].start
    }

    /// Returns a pointer to the first byte of the scratch memory.
    pub(crate) fn scratch_ptr(&self) -> *mut u8 {
        self.scratch.start
    }

    /// Returns the size of the scratch memory in bytes.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.scratch.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result in an operand's place, scratch memory and empty spans: whatever safe code does with them in turn, no two references alias.
    /// Miri checks that.
    #[test]
    fn references_follow_the_borrow_of_the_context() {
        let (mut shared, mut scratch) = ([1u64, 2, 3, 4], [0u64; 2]);
        let place = Span { start: shared.as_mut_ptr().cast(), bytes: size_of_val(&shared) };
        let scratch = Span { start: scratch.as_mut_ptr().cast(), bytes: size_of_val(&scratch) };
        let (inputs, outputs) = ([place, Span::EMPTY], [place]);
        let pool = Pool::new(1).unwrap();
        // SAFETY: the arrays outlive the context, and nobody else uses them.
        let mut cx = unsafe { LaunchContext::new(&inputs, &outputs, scratch, &pool, Cpu::detect()) };
        let sum: u64 = cx.input::<u64>(0).iter().zip(cx.input::<u64>(0)).map(|(x, y)| x * y).sum();
        cx.output::<u64>(0)[3] = sum;
        assert_eq!(cx.input::<u64>(0), [1, 2, 3, 30]);
        let (mut rest, scratch) = cx.split_scratch::<u64>();
        scratch.copy_from_slice(&rest.input::<u64>(0)[2..]);
        rest.output::<u64>(0)[0] = scratch[1];
        assert_eq!((rest.scratch_bytes(), rest.split_scratch::<u64>().1.len()), (0, 0));
        scratch[0] += rest.input::<u64>(0)[0];
        assert_eq!(cx.split_scratch::<u64>().1, [33, 30]);
        assert_eq!((cx.input::<u64>(0), cx.input::<u128>(1)), (&[30, 2, 3, 30][..], &[][..]));
    }

    #[test]
    #[should_panic(expected = "aligned")]
    fn misaligned_elements_are_not_handed_out() {
        let words = [0u64; 2];
        let inputs = [Span { start: words.as_ptr().cast_mut().cast::<u8>().wrapping_add(1), bytes: 8 }];
        let pool = Pool::new(1).unwrap();
        // SAFETY: the array outlives the context and is only read.
        let cx = unsafe { LaunchContext::new(&inputs, &[], Span::EMPTY, &pool, Cpu::detect()) };
        cx.input::<u32>(0);
    }
}
