//! Kernels that a program registers for its own ops. They work on raw operands in host memory.
//!
//! A backend in host memory runs such a kernel instead of [`CustomOp::eval`], which works on literals and allocates them. Operands and results
//! are dense and aligned to their elements; scratch memory is aligned to 64 bytes. A kernel may use the threads and must not allocate.
//!
//! [`CustomOp::eval`]: rlx_ir::custom::CustomOp::eval

use bytemuck::Pod;
use rlx_compile::BackendError;
use rlx_ir::Shape;
use rlx_ir::custom::AlreadyRegistered;
use rlx_pool::{Pool, SharedPtr};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// Operands in the form in which a kernel reads them.
pub type Packed = Arc<dyn Any + Send + Sync>;

/// One packing that a kernel asks for. It is made if all of its operands keep their values between runs (parameters and constants), and shared
/// by all kernels that ask for the same form of the same values, in programs of all sizes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Packing {
    /// The operands that it is made from, in the order in which their bytes are passed.
    pub operands: Vec<usize>,
    /// Identifies the form: packings of the same values with equal keys are shared.
    pub key: u64,
    /// Whether runs read the packed form instead of the operands. If nothing else reads a parameter, the memory of its bytes is released as far
    /// as they can be fetched again. The bytes stay readable, and runs may still read them occasionally.
    pub replaces: bool,
}

/// Prepares kernels for one custom op in host memory.
pub trait HostKernel: Send + Sync {
    /// Prepares the op with this `config`, for operands and results of these static shapes, which the op's
    /// [`infer`](rlx_ir::custom::CustomOp::infer) has accepted. Called when a program is bound to sizes, not in each run. `threads` is the
    /// number of threads of the runs.
    ///
    /// # Errors
    /// Returns the kernel's own error, which becomes that of the compile.
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

impl<'a> KernelContext<'a> {
    /// Creates the context of a run.
    pub fn new(
        operands: Operands<'a>,
        results: Results<'a>,
        packed: PackedOperands<'a>,
        scratch: &'a mut [u8],
        threads: Threads<'a>,
    ) -> KernelContext<'a> {
        KernelContext { operands, results, packed, scratch, threads }
    }
}

/// Where the operands or results of a kernel are, in the form in which a backend keeps this.
pub trait Spans {
    /// Returns the number of operands or results.
    fn count(&self) -> usize;

    /// Returns the first byte and the number of bytes of one of them.
    fn span(&self, index: usize) -> (*mut u8, usize);
}

/// The packings of a kernel, in the form in which a backend keeps them.
pub trait Packings {
    /// Returns a packing, if it was made.
    fn packed(&self, index: usize) -> Option<&Packed>;
}

/// No packings.
impl Packings for () {
    fn packed(&self, _: usize) -> Option<&Packed> {
        None
    }
}

/// The operands of a run: dense, row-major and little-endian. Each is aligned to its element type (complex numbers to their parts).
#[derive(Clone, Copy)]
pub struct Operands<'a>(&'a dyn Spans);

/// The results of a run, laid out like [`Operands`]. None of them overlaps an operand or another result.
pub struct Results<'a>(&'a dyn Spans);

/// The packings that were made for a kernel.
#[derive(Clone, Copy)]
pub struct PackedOperands<'a>(&'a dyn Packings);

/// The threads that a kernel may use.
#[derive(Clone, Copy)]
pub struct Threads<'a>(&'a Pool);

impl<'a> Operands<'a> {
    /// Creates the list of operands at these places.
    ///
    /// # Safety
    /// For `'a`, every span must be valid for reads, its bytes must be initialized, and nothing may write to them.
    pub unsafe fn new(spans: &'a dyn Spans) -> Operands<'a> {
        Operands(spans)
    }

    /// Returns the number of operands.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Returns the bytes of operand `i`; empty if there is no such operand.
    pub fn bytes(&self, i: usize) -> &'a [u8] {
        if i >= self.0.count() {
            return &[];
        }
        let (start, bytes) = self.0.span(i);
        // SAFETY: `new` requires that operands may be read for `'a`.
        unsafe { slice(start, bytes) }
    }

    /// Returns the elements of operand `i`. Fails if it is not aligned to `T` or its bytes are not a whole number of `T`s.
    pub fn elements<T: Pod>(&self, i: usize) -> Result<&'a [T], String> {
        bytemuck::try_cast_slice(self.bytes(i)).map_err(|e| format!("operand {i}: {e}"))
    }
}

impl<'a> PackedOperands<'a> {
    /// Creates the list of packings.
    pub fn new(packings: &'a dyn Packings) -> PackedOperands<'a> {
        PackedOperands(packings)
    }

    /// Returns packing `index`, if it was made and is a `T`.
    pub fn get<T: 'static>(&self, index: usize) -> Option<&'a T> {
        self.0.packed(index)?.downcast_ref()
    }
}

impl<'a> Results<'a> {
    /// Creates the list of results at these places.
    ///
    /// # Safety
    /// For `'a`, every span must be valid for reads and writes, its bytes must be initialized, and nothing else may use them. No span may
    /// overlap another one.
    pub unsafe fn new(spans: &'a dyn Spans) -> Results<'a> {
        Results(spans)
    }

    /// Returns the number of results.
    pub fn count(&self) -> usize {
        self.0.count()
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
        let spans = self.0;
        (0..spans.count()).map(move |i| {
            let (start, bytes) = spans.span(i);
            // SAFETY: `new` requires that results may be written and overlap nothing, so the slices are disjoint. The mutable borrow keeps
            // others from being made meanwhile.
            unsafe { slice_mut(start, bytes) }
        })
    }
}

impl<'a> Threads<'a> {
    /// Wraps the threads of a program.
    pub fn new(pool: &'a Pool) -> Threads<'a> {
        Threads(pool)
    }

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
/// The bytes may be read for `'a`, nobody writes to them meanwhile, and they are initialized.
unsafe fn slice<'a>(start: *const u8, bytes: usize) -> &'a [u8] {
    if start.is_null() || bytes == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the bytes.
    unsafe { std::slice::from_raw_parts(start, bytes) }
}

/// # Safety
/// The bytes may be read and written for `'a`, nobody else uses them meanwhile, and they are initialized.
unsafe fn slice_mut<'a>(start: *mut u8, bytes: usize) -> &'a mut [u8] {
    if start.is_null() || bytes == 0 {
        return &mut [];
    }
    // SAFETY: the caller vouches for the bytes.
    unsafe { std::slice::from_raw_parts_mut(start, bytes) }
}

static REGISTRY: RwLock<BTreeMap<String, Arc<dyn HostKernel>>> = RwLock::new(BTreeMap::new());

/// Registers a kernel in host memory for the custom op `name`, for all programs that are compiled from now on. Without one, backends call
/// [`CustomOp::eval`](rlx_ir::custom::CustomOp::eval). A name keeps its first kernel.
///
/// # Errors
/// Returns [`AlreadyRegistered`] if the op has a kernel.
pub fn register_host_kernel(
    name: impl Into<String>,
    kernel: Arc<dyn HostKernel>,
) -> Result<(), AlreadyRegistered> {
    let name = name.into();
    let mut registry = rlx_pool::write(&REGISTRY);
    if registry.contains_key(&name) {
        return Err(AlreadyRegistered(name));
    }
    registry.insert(name, kernel);
    Ok(())
}

/// Returns the kernel of the custom op `name`.
pub fn find_host_kernel(name: &str) -> Option<Arc<dyn HostKernel>> {
    rlx_pool::read(&REGISTRY).get(name).cloned()
}
