//! Kernels that a program registers for its own ops. They work on raw operands.
//!
//! The CPU runs such a kernel instead of [`CustomOp::eval`], which works on literals and allocates them. Operands and results are dense and
//! aligned to their elements; scratch memory is planned and aligned to 64 bytes. A kernel may use the threads and must not allocate.
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

/// Prepares kernels for one custom op on the CPU.
pub trait CpuKernel: Send + Sync {
    /// Prepares the op with this `config`, for operands and results of these static shapes, which the op's
    /// [`infer`](rlx_ir::custom::CustomOp::infer) has accepted. Called when a program is bound to sizes, not in each run. `threads` is the
    /// number of threads of the runs.
    fn prepare(
        &self,
        config: &str,
        operands: &[Shape],
        results: &[Shape],
        threads: usize,
    ) -> Result<Box<dyn PreparedKernel>, BackendError>;
}

/// A kernel for fixed shapes. Several threads may run it at the same time, each with its own context.
pub trait PreparedKernel: Send + Sync {
    /// Returns the bytes of scratch memory that a run needs. They are part of the program's memory plan.
    fn scratch_bytes(&self) -> usize {
        0
    }

    /// Returns which operands the kernel wants packed. Only operands that keep their values between runs, such as weights, are packed; for
    /// operands that change from run to run no packing is made. There may be several packings of one operand, or one of several operands.
    /// Equal keys mean the same form among the kernels of one op with the same `config` and the same shapes of these operands; such kernels
    /// share the packing.
    fn packings(&self) -> Vec<Packing> {
        Vec::new()
    }

    /// Makes packing `index` of [`packings`](PreparedKernel::packings) from the bytes of its operands, in their order. Called when a
    /// program is prepacked or first runs, for several packings at the same time. If it returns `None`, runs get no packing.
    fn pack(&self, index: usize, operands: &[&[u8]], threads: Threads<'_>) -> Option<Packed> {
        let _ = (index, operands, threads);
        None
    }

    /// Computes all results. A returned error becomes the error of the run, with the op's name.
    fn run(&self, context: KernelContext<'_>) -> Result<(), String>;
}

/// Everything that a run of a kernel uses. None of it is allocated for the run.
#[non_exhaustive]
pub struct KernelContext<'a> {
    /// The operands.
    pub operands: Operands<'a>,
    /// The results. Their previous contents have no meaning.
    pub results: Results<'a>,
    /// The packings of operands.
    pub packed: PackedOperands<'a>,
    /// Scratch memory of [`scratch_bytes`](PreparedKernel::scratch_bytes) bytes, aligned to 64. Its contents have no meaning.
    pub scratch: &'a mut [u8],
    /// The threads of the program.
    pub threads: Threads<'a>,
}

/// The operands of a run: dense, row-major and little-endian. Each is aligned to its element type (complex numbers to their parts).
#[derive(Clone, Copy)]
pub struct Operands<'a>(&'a [Span]);

/// The results of a run, laid out like [`Operands`]. None of them overlaps an operand or another result.
pub struct Results<'a>(&'a [Span]);

/// The packings that were made for a kernel.
#[derive(Clone, Copy)]
pub struct PackedOperands<'a>(PackedList<'a>);

/// The threads that a kernel may use.
#[derive(Clone, Copy)]
pub struct Threads<'a>(&'a Pool);

impl<'a> Operands<'a> {
    /// Returns the number of operands.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the bytes of operand `i`; empty if there is no such operand.
    pub fn bytes(&self, i: usize) -> &'a [u8] {
        // SAFETY: the code that made the context vouches for operands that may be read for `'a`, and results overlap none.
        self.0.get(i).map_or(&[], |span| unsafe { slice(*span) })
    }

    /// Returns the elements of operand `i`. Fails if it is not aligned to `T` or its bytes are not a whole number of `T`s.
    pub fn elements<T: Pod>(&self, i: usize) -> Result<&'a [T], String> {
        bytemuck::try_cast_slice(self.bytes(i)).map_err(|e| format!("operand {i}: {e}"))
    }
}

impl<'a> PackedOperands<'a> {
    /// Returns packing `index`, if it was made and is a `T`.
    pub fn get<T: 'static>(&self, index: usize) -> Option<&'a T> {
        self.0.get(index)?.as_ref()?.downcast_ref()
    }
}

impl Results<'_> {
    /// Returns the number of results.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the bytes of result `i`; empty if there is no such result.
    pub fn bytes(&mut self, i: usize) -> &mut [u8] {
        self.all().nth(i).unwrap_or_default()
    }

    /// Returns the elements of result `i`. Fails if it is not aligned to `T` or its bytes are not a whole number of `T`s.
    pub fn elements<T: Pod>(&mut self, i: usize) -> Result<&mut [T], String> {
        bytemuck::try_cast_slice_mut(self.bytes(i)).map_err(|e| format!("result {i}: {e}"))
    }

    /// Iterates over the bytes of each result, which may be written at the same time.
    pub fn all(&mut self) -> impl Iterator<Item = &mut [u8]> {
        // SAFETY: results may be written for the life of the context and overlap nothing, so the slices are disjoint; the mutable borrow
        // keeps others from being made meanwhile.
        self.0.iter().map(|span| unsafe { slice_mut(*span) })
    }
}

impl Threads<'_> {
    /// Returns the number of threads, including the caller.
    pub fn count(&self) -> usize {
        self.0.threads()
    }

    /// Calls `body` with every number below `tasks`, on as many threads as are free.
    ///
    /// # Panics
    /// Panics if a task panics, with its payload. Tasks that have not begun are then dropped.
    pub fn for_each(&self, tasks: usize, body: impl Fn(usize) + Sync) {
        self.0.run(tasks, |task| body(task.index));
    }

    /// Splits `elements` into parts of `len` elements (the last may be shorter), and calls `body` with the index of each part and the part,
    /// on as many threads as are free. A `len` of 0 counts as 1.
    ///
    /// # Panics
    /// Panics if a task panics, with its payload. Parts that have not begun are then dropped.
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
            // SAFETY: parts are ranges of the slice that do not overlap, and each index is passed once; the slice is borrowed mutably until
            // all calls have returned.
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

/// Runs a kernel on the operands, results and scratch memory of a step. The step does not allow results in place of operands.
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

/// Registers a kernel on the CPU for the custom op `name`, for all programs that are compiled from now on. Without one, the CPU calls
/// [`CustomOp::eval`](rlx_ir::custom::CustomOp::eval). A name keeps its first kernel.
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

/// Returns the kernel of `name`.
pub(crate) fn find_cpu_kernel(name: &str) -> Option<Arc<dyn CpuKernel>> {
    rlx_pool::read(&REGISTRY).get(name).cloned()
}
