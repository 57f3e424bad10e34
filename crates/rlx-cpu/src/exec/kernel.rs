//! The trait of kernels: prepared once for a node, run many times on raw operands.

use super::packing::{Packed, PackedList, Packer, Packing};
use crate::isa::Cpu;
use crate::pool::Pool;
use bytemuck::Pod;
use rlx_compile::memory::Needs;
use std::ptr::NonNull;

/// Why a kernel stopped.
pub(crate) type RunError = String;

/// One node, prepared.
pub(crate) trait OpKernel: Send + Sync {
    /// What the kernel asks of the memory plan.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// What the kernel wants packed of operands that keep their values between runs. It must be able to run without.
    fn packings(&self) -> Vec<Packing> {
        Vec::new()
    }

    /// Makes packing `index` of [`packings`](OpKernel::packings) from the bytes of its operands. Without a result the kernel runs
    /// without.
    fn pack(&self, _index: usize, _operands: &[&[u8]], _packer: &Packer<'_>) -> Option<Packed> {
        None
    }

    /// Whether packing `index` may wait for the second run on the same values: the kernel gives the same bits without it, in no more
    /// time than packing takes. What runs once is then never packed.
    fn can_wait(&self, _index: usize) -> bool {
        false
    }

    /// Operands of which a run looks up a few places: nothing is lost if their memory is given back and those places are fetched again.
    /// The kernel gives back what it has fetched as it goes ([`LaunchContext::release`]).
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
    /// The span of nothing.
    pub(crate) const EMPTY: Span = Span { start: std::ptr::null_mut(), bytes: 0 };

    /// The first element and the number of elements. Panics if the span is not aligned to them.
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

/// What a kernel runs on: the launch context. Operands and results are the bytes that the plan gave them: results overlap
/// neither each other nor operands, except where the kernel's [`Needs::in_place`] allowed it.
///
/// References follow the borrow of the context: operands may be read side by side, a result or the scratch memory is
/// borrowed alone. So no two of them alias, even where the plan put a result in an operand's place. Kernels that run in
/// place, and tasks that write parts of one result, use pointers.
pub(crate) struct LaunchContext<'a> {
    inputs: &'a [Span],
    outputs: &'a [Span],
    scratch: Span,
    /// What was packed of the list that [`OpKernel::packings`] gave.
    pub(crate) packed: PackedList<'a>,
    /// Gives back the memory of an operand, where there is something to give back.
    pub(crate) releases: Option<&'a (dyn Fn(usize) + Sync)>,
    /// The threads to run on.
    pub(crate) pool: &'a Pool,
    /// The instruction set to run with.
    pub(crate) cpu: Cpu,
}

impl<'a> LaunchContext<'a> {
    /// The context of a step without packed operands.
    ///
    /// # Safety
    /// While the context lives, operands may be read, results read and written, and all their bytes are initialized.
    /// Nobody else writes to operands, uses results, or uses the scratch memory, which overlaps no operand or result and
    /// lies on a cache line.
    pub(crate) unsafe fn new(
        inputs: &'a [Span],
        outputs: &'a [Span],
        scratch: Span,
        pool: &'a Pool,
        cpu: Cpu,
    ) -> LaunchContext<'a> {
        LaunchContext { inputs, outputs, scratch, packed: PackedList::EMPTY, releases: None, pool, cpu }
    }

    /// The elements of operand `i`.
    pub(crate) fn input<T: Pod>(&self, i: usize) -> &[T] {
        let (first, len) = self.inputs[i].elements();
        // SAFETY: `new` demands that operands may be read; whoever writes to one (a result in its place) borrows the
        // context mutably or vouches for the pointer. `elements` checked the alignment, and any bytes are a `T`.
        unsafe { std::slice::from_raw_parts(first.as_ptr(), len) }
    }

    /// The elements of result `i`.
    pub(crate) fn output<T: Pod>(&mut self, i: usize) -> &mut [T] {
        let (first, len) = self.outputs[i].elements();
        // SAFETY: `new` demands that results may be written and are used by nobody else. The mutable borrow keeps away
        // references to an operand in the same place, and to the same result. `elements` checked the alignment, and any
        // bytes are a `T`.
        unsafe { std::slice::from_raw_parts_mut(first.as_ptr(), len) }
    }

    /// The context without its scratch memory, and the scratch memory, aligned to a cache line, to be used side by side.
    pub(crate) fn split_scratch<T: Pod>(&mut self) -> (LaunchContext<'_>, &mut [T]) {
        let (first, len) = self.scratch.elements();
        let rest = LaunchContext { scratch: Span::EMPTY, ..*self };
        // SAFETY: `new` demands that the scratch memory is this step's alone and overlaps nothing. Of two contexts that
        // know of it, this one is borrowed mutably and the other has lost it. `elements` checked the alignment, and any
        // bytes are a `T`.
        (rest, unsafe { std::slice::from_raw_parts_mut(first.as_ptr(), len) })
    }

    /// Packing `index` of the kernel, if it was made.
    pub(crate) fn packed<T: 'static>(&self, index: usize) -> Option<&'a T> {
        self.packed.get(index)?.downcast_ref()
    }

    /// Gives back the memory of operand `i`, which the kernel [looks up](OpKernel::looks_up), if the operand is a parameter that is in
    /// memory a second time, packed. Its bytes can still be read, by any thread: they are fetched again.
    pub(crate) fn release(&self, i: usize) {
        if let Some(releases) = self.releases {
            releases(i);
        }
    }

    /// The spans of the operands.
    pub(crate) fn operands(&self) -> &'a [Span] {
        self.inputs
    }

    /// The spans of the results.
    pub(crate) fn results(&self) -> &'a [Span] {
        self.outputs
    }

    /// The first byte of operand `i`.
    pub(crate) fn input_ptr(&self, i: usize) -> *const u8 {
        self.inputs[i].start
    }

    /// The first byte of result `i`.
    pub(crate) fn output_ptr(&self, i: usize) -> *mut u8 {
        self.outputs[i].start
    }

    /// The first byte of the scratch memory.
    pub(crate) fn scratch_ptr(&self) -> *mut u8 {
        self.scratch.start
    }

    /// The size of the scratch memory.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.scratch.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result in an operand's place, scratch memory and spans of nothing: whatever safe code does with them in turns, no two
    /// references alias. Miri is the judge of that.
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
