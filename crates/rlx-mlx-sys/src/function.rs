//! Functions with a graph that MLX makes once, optimizes and keeps.

use crate::array::{MlxArray, drop_caught};
use crate::error::MlxError;
use crate::ffi::{ArrayPtr, FunctionPtr, RawFunction};
use crate::load::Mlx;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    /// Whether this thread is tracing a function.
    static TRACING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is tracing a function, which means that nothing can be computed.
pub(crate) fn is_tracing() -> bool {
    TRACING.get()
}

/// Maximum number of results of a function, as in `shim/functions.cpp`.
const MAX_RESULTS: usize = 4096;

/// Whether MLX reuses a graph for inputs with other sizes.
const SHAPELESS: i32 = 0;

/// Traces the graph of a function: returns its results for inputs, neither of which are computed.
pub type Traced = dyn Fn(&[&MlxArray]) -> Result<Vec<MlxArray>, MlxError> + Send + Sync;

/// The context of the function that the library calls back.
struct Context {
    mlx: Mlx,
    trace: Box<Traced>,
    /// Why the last trace failed.
    error: Arc<Mutex<Option<MlxError>>>,
}

/// A compiled function. Its graph is traced when a thread first calls it with inputs of certain types and sizes. MLX could also reuse a
/// graph for inputs of other sizes; this crate does not offer that, because the checks of [`Ops`](crate::Ops) are valid only for the sizes
/// that they saw.
pub struct CompiledFunction {
    mlx: Mlx,
    raw: NonNull<RawFunction>,
    results: usize,
    error: Arc<Mutex<Option<MlxError>>>,
}

// SAFETY: the library calls a function under `Mlx::exclusive`, and the data behind the pointer does not change otherwise.
unsafe impl Send for CompiledFunction {}
// SAFETY: as for `Send`.
unsafe impl Sync for CompiledFunction {}

/// # Safety
/// `context` must be a `Box<Context>`, and the arrays must have the given lengths.
unsafe extern "C" fn call(
    context: *mut c_void,
    inputs: *const ArrayPtr,
    count: usize,
    outputs: *mut ArrayPtr,
    capacity: usize,
) -> i64 {
    // SAFETY: the caller upholds this function's contract.
    let context = unsafe { &*context.cast::<Context>() };
    let given: &[ArrayPtr] = if count == 0 {
        &[]
    } else {
        // SAFETY: the caller upholds this function's contract.
        unsafe { std::slice::from_raw_parts(inputs, count) }
    };
    let trace = || {
        // The handles are borrowed, so they are not dropped here.
        // SAFETY: each is a live handle of this library.
        let lent =
            given.iter().map(|&raw| unsafe { MlxArray::owned(context.mlx, raw) }.map(ManuallyDrop::new));
        let lent: Vec<ManuallyDrop<MlxArray>> = lent.collect::<Result<_, _>>()?;
        let inputs: Vec<&MlxArray> = lent.iter().map(|array| &**array).collect();
        (context.trace)(&inputs)
    };
    let outer = TRACING.replace(true);
    // Panics must not cross the FFI boundary.
    let made = catch_unwind(AssertUnwindSafe(trace)).unwrap_or_else(|payload| {
        drop_caught(payload);
        Err(MlxError::Failed("tracing the function panicked".into()))
    });
    TRACING.set(outer);
    match made {
        Ok(made) if made.len() <= capacity => {
            for (index, array) in made.iter().enumerate() {
                // SAFETY: there is room for all of them, and the handles are passed on: the arrays here are forgotten.
                unsafe { outputs.add(index).write(array.raw()) };
            }
            let count = made.len() as i64;
            made.into_iter().for_each(std::mem::forget);
            count
        }
        Ok(_) => -1,
        Err(error) => {
            *context.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            -1
        }
    }
}

/// # Safety
/// `context` must be a `Box<Context>` that nothing else drops.
unsafe extern "C" fn drop_context(context: *mut c_void) {
    // SAFETY: the caller upholds this function's contract.
    let context = unsafe { Box::from_raw(context.cast::<Context>()) };
    drop_caught(context);
}

impl CompiledFunction {
    /// Creates a function with `results` results, from the graph that `trace` makes.
    ///
    /// # Errors
    /// Fails if there are more than 4,096 results.
    pub fn new(mlx: Mlx, results: usize, trace: Box<Traced>) -> Result<CompiledFunction, MlxError> {
        if results > MAX_RESULTS {
            return Err(MlxError::Argument(format!(
                "a compiled function has at most {MAX_RESULTS} results, not {results}: compile parts of it"
            )));
        }
        let error = Arc::new(Mutex::new(None));
        let context = Box::into_raw(Box::new(Context { mlx, trace, error: error.clone() })).cast();
        let mut raw = std::ptr::null_mut::<RawFunction>();
        // SAFETY: both functions expect this context, and the library drops it once.
        let status = unsafe {
            let out: *mut FunctionPtr = &raw mut raw;
            (mlx.table().function_compile)(call, context, drop_context, SHAPELESS, out)
        };
        mlx.checked(status)?;
        let raw = NonNull::new(raw).ok_or_else(|| MlxError::Failed("MLX returned no function".into()))?;
        Ok(CompiledFunction { mlx, raw, results, error })
    }

    /// Returns its results for these inputs, without computing them.
    pub fn call(&self, inputs: &[&MlxArray]) -> Result<Vec<MlxArray>, MlxError> {
        self.mlx.check_process()?;
        let given: Vec<ArrayPtr> = inputs.iter().map(|array| array.raw()).collect();
        let mut made = vec![std::ptr::null_mut(); self.results];
        let mut count = 0;
        let one = self.mlx.exclusive();
        // SAFETY: the inputs live during the call, and there is room for all results.
        let status = unsafe {
            let (f, out) = (self.raw.as_ptr(), made.as_mut_ptr());
            (self.mlx.table().function_call)(f, given.as_ptr(), given.len(), out, made.len(), &raw mut count)
        };
        let failed = self.mlx.checked(status);
        drop(one);
        let traced = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed.map_err(|error| traced.unwrap_or(error))?;
        // SAFETY: `count` owned handles were written.
        made.into_iter().take(count).map(|raw| unsafe { MlxArray::owned(self.mlx, raw) }).collect()
    }
}

impl Drop for CompiledFunction {
    fn drop(&mut self) {
        let _one = self.mlx.exclusive();
        // SAFETY: the function is owned and has not been freed.
        unsafe { (self.mlx.table().function_free)(self.raw.as_ptr()) }
    }
}
