//! Kernels that a program registers for its own ops, on raw operands.
//!
//! The CPU runs one in place of [`CustomOp::eval`], which works on literals and allocates them. Operands and
//! results are dense and aligned to their elements; planned scratch memory is aligned to 64 bytes. A kernel may
//! use the threads and allocates nothing.
//!
//! [`CustomOp::eval`]: rlx_ir::custom::CustomOp::eval

use crate::exec::{LaunchContext, PackedList, Packer, Span};
pub use crate::exec::{Packed, Packing};
use crate::pool::{Pool, SharedPtr};
use bytemuck::Pod;
use rlx_compile::BackendError;
use rlx_ir::Shape;
use rlx_ir::custom::AlreadyRegistered;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// How the CPU runs one custom op.
pub trait CpuKernel: Send + Sync {
    /// The op with this `config`, for operands and results of these static shapes, which the op's
    /// [`infer`](rlx_ir::custom::CustomOp::infer) has accepted. Called when a program is bound to sizes, and not for each run. `threads`
    /// is the number of threads that runs have.
    fn prepare(
        &self,
        config: &str,
        operands: &[Shape],
        results: &[Shape],
        threads: usize,
    ) -> Result<Box<dyn PreparedKernel>, BackendError>;
}

/// A kernel for fixed shapes. Several threads may run it at once, each with a context of its own.
pub trait PreparedKernel: Send + Sync {
    /// Bytes of scratch memory that a run needs; they are part of the program's memory plan.
    fn scratch_bytes(&self) -> usize {
        0
    }

    /// What the kernel wants packed of operands that keep their values between runs, as weights do: several packings of one operand,
    /// or one of several operands. Where an operand changes from run to run the packing is not made. Equal keys stand for the same form
    /// among the kernels of one op with the same `config` and shapes of these operands, which share it.
    fn packings(&self) -> Vec<Packing> {
        Vec::new()
    }

    /// Makes packing `index` of [`packings`](PreparedKernel::packings) from the bytes of its operands, in their order. Called when a
    /// program is prepacked or runs first, for several packings at once. Without a result the runs go without.
    fn pack(&self, index: usize, operands: &[&[u8]], threads: Threads<'_>) -> Option<Packed> {
        let _ = (index, operands, threads);
        None
    }

    /// Computes all results. What it returns as an error is the error of the run, with the op's name.
    fn run(&self, context: KernelContext<'_>) -> Result<(), String>;
}

/// What a kernel runs on. Nothing of it is allocated for a run.
#[non_exhaustive]
pub struct KernelContext<'a> {
    /// The operands.
    pub operands: Operands<'a>,
    /// The results, whose old bytes mean nothing.
    pub results: Results<'a>,
    /// What was packed of the operands.
    pub packed: PackedOperands<'a>,
    /// Scratch memory of [`scratch_bytes`](PreparedKernel::scratch_bytes) bytes, aligned to 64; its bytes mean nothing.
    pub scratch: &'a mut [u8],
    /// The threads of the program.
    pub threads: Threads<'a>,
}

/// The operands of a run: dense, row-major, little-endian, each aligned to its element type (complex numbers to their parts).
#[derive(Clone, Copy)]
pub struct Operands<'a>(&'a [Span]);

/// The results of a run, laid out as [`Operands`] are. None of them overlaps an operand or another result.
pub struct Results<'a>(&'a [Span]);

/// What was packed for a kernel.
#[derive(Clone, Copy)]
pub struct PackedOperands<'a>(PackedList<'a>);

/// The threads that a kernel may use.
#[derive(Clone, Copy)]
pub struct Threads<'a>(&'a Pool);

impl<'a> Operands<'a> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The bytes of operand `i`; none where there is no such operand.
    pub fn bytes(&self, i: usize) -> &'a [u8] {
        // SAFETY: whoever made the context vouches for operands that may be read for `'a`, and results overlap none.
        self.0.get(i).map_or(&[], |span| unsafe { slice(*span) })
    }

    /// The elements of operand `i`. An error where it is not aligned to `T` or its bytes are no whole number of `T`s.
    pub fn elements<T: Pod>(&self, i: usize) -> Result<&'a [T], String> {
        bytemuck::try_cast_slice(self.bytes(i)).map_err(|e| format!("operand {i}: {e}"))
    }
}

impl<'a> PackedOperands<'a> {
    /// Packing `index`, if it was made and is a `T`.
    pub fn get<T: 'static>(&self, index: usize) -> Option<&'a T> {
        self.0.get(index)?.downcast_ref()
    }
}

impl Results<'_> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The bytes of result `i`; none where there is no such result.
    pub fn bytes(&mut self, i: usize) -> &mut [u8] {
        self.all().nth(i).unwrap_or_default()
    }

    /// The elements of result `i`. An error where it is not aligned to `T` or its bytes are no whole number of `T`s.
    pub fn elements<T: Pod>(&mut self, i: usize) -> Result<&mut [T], String> {
        bytemuck::try_cast_slice_mut(self.bytes(i)).map_err(|e| format!("result {i}: {e}"))
    }

    /// The bytes of each result, to be written side by side.
    pub fn all(&mut self) -> impl Iterator<Item = &mut [u8]> {
        // SAFETY: results may be written for the life of the context and overlap nothing, so that the slices are disjoint; the
        // mutable borrow keeps others from being made meanwhile.
        self.0.iter().map(|span| unsafe { slice_mut(*span) })
    }
}

impl Threads<'_> {
    /// How many there are, the caller's included.
    pub fn count(&self) -> usize {
        self.0.threads()
    }

    /// Calls `body` with every number below `tasks`, on as many threads as are free.
    ///
    /// # Panics
    /// With the panic of a task; tasks not yet begun are dropped then.
    pub fn for_each(&self, tasks: usize, body: impl Fn(usize) + Sync) {
        self.0.run(tasks, |task| body(task.index));
    }

    /// Cuts `elements` into parts of `len` elements (the last may be shorter), and calls `body` with the number of each part and the
    /// part, on as many threads as are free. A `len` of 0 counts as 1.
    ///
    /// # Panics
    /// With the panic of a task; parts not yet begun are dropped then.
    pub fn for_each_part<T: Pod + Send>(
        &self,
        elements: &mut [T],
        len: usize,
        body: impl Fn(usize, &mut [T]) + Sync,
    ) {
        let (len, total) = (len.max(1), elements.len());
        let start = SharedPtr::new(elements.as_mut_ptr());
        self.for_each(total.div_ceil(len), |part| {
            let first = part * len;
            // SAFETY: parts are ranges of the slice that do not overlap, and each number is given once; the slice is borrowed
            // mutably until all are done.
            let part_of = unsafe { std::slice::from_raw_parts_mut(start.add(first), len.min(total - first)) };
            body(part, part_of);
        });
    }
}

/// # Safety
/// The span may be read for `'a`, nobody writes to it meanwhile, and its bytes are initialized.
unsafe fn slice<'a>(span: Span) -> &'a [u8] {
    if span.start.is_null() || span.bytes == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the bytes.
    unsafe { std::slice::from_raw_parts(span.start, span.bytes) }
}

/// # Safety
/// The span may be read and written for `'a`, nobody else uses it meanwhile, and its bytes are initialized.
unsafe fn slice_mut<'a>(span: Span) -> &'a mut [u8] {
    if span.start.is_null() || span.bytes == 0 {
        return &mut [];
    }
    // SAFETY: the caller vouches for the bytes.
    unsafe { std::slice::from_raw_parts_mut(span.start, span.bytes) }
}

/// Runs a kernel on the operands, results and scratch memory of a step. The step has asked for no result in an operand's place.
pub(crate) fn run(kernel: &dyn PreparedKernel, cx: &mut LaunchContext<'_>) -> Result<(), String> {
    let (cx, scratch) = cx.split_scratch::<u8>();
    let (operands, results) = (Operands(cx.operands()), Results(cx.results()));
    let (packed, threads) = (PackedOperands(cx.packed), Threads(cx.pool));
    kernel.run(KernelContext { operands, results, packed, scratch, threads })
}

/// Makes a packing.
pub(crate) fn pack(
    kernel: &dyn PreparedKernel,
    index: usize,
    operands: &[&[u8]],
    packer: &Packer<'_>,
) -> Option<Packed> {
    kernel.pack(index, operands, Threads(packer.pool))
}

static REGISTRY: RwLock<BTreeMap<String, Arc<dyn CpuKernel>>> = RwLock::new(BTreeMap::new());

/// Gives the custom op `name` a kernel on the CPU, for all programs that are compiled from now on. Without one the CPU calls
/// [`CustomOp::eval`](rlx_ir::custom::CustomOp::eval). A name keeps its kernel.
pub fn register_cpu_kernel(
    name: impl Into<String>,
    kernel: Arc<dyn CpuKernel>,
) -> Result<(), AlreadyRegistered> {
    let name = name.into();
    let mut registry = rlx_pool::write(&REGISTRY);
    if registry.contains_key(&name) {
        return Err(AlreadyRegistered(name));
    }
    registry.insert(name, kernel);
    Ok(())
}

/// The kernel that `name` has.
pub(crate) fn find_cpu_kernel(name: &str) -> Option<Arc<dyn CpuKernel>> {
    rlx_pool::read(&REGISTRY).get(name).cloned()
}
