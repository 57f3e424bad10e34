//! Arrays as owned handles.

use crate::codes::ElementType;
use crate::error::MlxError;
use crate::ffi::{ArrayPtr, Ints};
use crate::function::is_tracing;
use crate::load::Mlx;
use crate::runtime::Stream;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// An array of MLX: either values, or a node of a graph that computes them. It is immutable. Clones share it.
pub struct MlxArray {
    mlx: Mlx,
    raw: NonNull<crate::ffi::RawArray>,
}

// SAFETY: a handle is a pointer to reference-counted data with atomic counts. Only one thread at a time computes arrays (`Mlx::exclusive`),
// and everything else only reads them.
unsafe impl Send for MlxArray {}
// SAFETY: as for `Send`.
unsafe impl Sync for MlxArray {}

impl Drop for MlxArray {
    fn drop(&mut self) {
        // SAFETY: the handle is owned and has not been freed.
        unsafe { (self.mlx.table().array_free)(self.raw.as_ptr()) }
    }
}

impl std::fmt::Debug for MlxArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}{:?}", self.element_type(), self.dims())
    }
}

/// Returns sizes as MLX represents them.
pub(crate) fn sizes(dims: &[usize]) -> Result<Vec<i32>, MlxError> {
    dims.iter().map(|&d| i32::try_from(d).map_err(|_| MlxError::TooLarge(d))).collect()
}

/// Returns the number of bytes of an array.
pub(crate) fn num_bytes(dims: &[usize], element: ElementType) -> Result<usize, MlxError> {
    let bytes = dims.iter().try_fold(element.size(), |n, &d| n.checked_mul(d));
    bytes.ok_or(MlxError::OutOfMemory {
        bytes: usize::MAX,
        message: "the size of an array in bytes overflows".into(),
    })
}

fn check_bytes(dims: &[usize], element: ElementType, got: usize) -> Result<(), MlxError> {
    if num_bytes(dims, element)? == got {
        return Ok(());
    }
    Err(MlxError::Argument(format!("{got} bytes do not match {dims:?} elements of {element:?}")))
}

/// Drops the owner of the memory under an array.
///
/// # Safety
/// `context` must be a `Box<T>` that nothing else drops.
unsafe extern "C" fn drop_owner<T>(context: *mut c_void) {
    // SAFETY: the caller upholds this function's contract.
    let owner = unsafe { Box::from_raw(context.cast::<T>()) };
    drop_caught(owner);
}

/// Drops a value in a callback from the library, which a panic must not reach.
pub(crate) fn drop_caught<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // Dropping the panic's payload may panic too.
        std::mem::forget(panic);
    }
}

impl MlxArray {
    /// Takes ownership of a handle of the library.
    ///
    /// # Safety
    /// `raw` must be a handle of `mlx` that nothing else frees.
    pub(crate) unsafe fn owned(mlx: Mlx, raw: ArrayPtr) -> Result<MlxArray, MlxError> {
        let raw = NonNull::new(raw).ok_or_else(|| MlxError::Failed("MLX returned no array".into()))?;
        Ok(MlxArray { mlx, raw })
    }

    /// Returns the array that a call of the table writes.
    ///
    /// # Safety
    /// If `call` succeeds, it must have written an owned handle through its pointer.
    pub(crate) unsafe fn made(
        mlx: Mlx,
        call: impl FnOnce(*mut ArrayPtr) -> i32,
    ) -> Result<MlxArray, MlxError> {
        let mut raw = std::ptr::null_mut();
        mlx.checked(call(&raw mut raw))?;
        // SAFETY: the call succeeded, so it wrote a handle, which is now ours.
        unsafe { MlxArray::owned(mlx, raw) }
    }

    /// Fails if a dimension or the number of bytes overflowed when MLX computed it. Such an array must not be computed.
    pub(crate) fn check_sizes(&self) -> Result<(), MlxError> {
        // SAFETY: the handle is owned, and the sizes live as long as it does.
        let dims = unsafe {
            let Ints { data, len } = (self.mlx.table().array_dims)(self.raw());
            if len == 0 { &[] } else { std::slice::from_raw_parts(data, len) }
        };
        let bytes = dims.iter().try_fold(self.element_type().size() as i64, |n, &d| {
            // A dimension of 0 must not hide an overflow of the others.
            if d < 0 { None } else { n.checked_mul(i64::from(d.max(1))) }
        });
        bytes.map(|_| ()).ok_or_else(|| MlxError::OutOfMemory {
            bytes: usize::MAX,
            message: format!("the size in bytes of dimensions {dims:?} overflows"),
        })
    }

    pub(crate) fn raw(&self) -> ArrayPtr {
        self.raw.as_ptr()
    }

    /// Returns the MLX that the array belongs to.
    pub fn mlx(&self) -> Mlx {
        self.mlx
    }

    /// Creates an array as a copy of elements in row-major order.
    pub fn from_bytes(
        mlx: Mlx,
        bytes: &[u8],
        dims: &[usize],
        element: ElementType,
    ) -> Result<MlxArray, MlxError> {
        check_bytes(dims, element, bytes.len())?;
        if element == ElementType::Bool && bytes.iter().any(|&byte| byte > 1) {
            let clean: Vec<u8> = bytes.iter().map(|&byte| u8::from(byte != 0)).collect();
            return MlxArray::from_bytes(mlx, &clean, dims, element);
        }
        let sizes = sizes(dims)?;
        // SAFETY: `bytes` has exactly the size of the array, and is copied; booleans are 0 or 1.
        unsafe {
            let data = bytes.as_ptr().cast();
            MlxArray::made(mlx, |out| (mlx.table().array_from)(data, Ints::of(&sizes), element.code(), out))
        }
    }

    /// Creates an array over the memory of `owner`, which is dropped when nothing needs the elements any more. They are copied if MLX
    /// cannot use them in place, and if they are not aligned to their size.
    pub fn over<T: AsRef<[u8]> + Send + Sync + 'static>(
        mlx: Mlx,
        owner: T,
        dims: &[usize],
        element: ElementType,
    ) -> Result<MlxArray, MlxError> {
        let owner = Box::new(owner);
        let bytes = (*owner).as_ref();
        let is_aligned = bytes.as_ptr().addr().is_multiple_of(element.size());
        if !is_aligned || bytes.is_empty() || element == ElementType::Bool {
            return MlxArray::from_bytes(mlx, bytes, dims, element);
        }
        check_bytes(dims, element, bytes.len())?;
        let sizes = sizes(dims)?;
        let data = bytes.as_ptr().cast_mut().cast();
        let context = Box::into_raw(owner).cast::<c_void>();
        // SAFETY: `bytes` has exactly the size of the array and is aligned. It is borrowed from an owner that is not touched until it is
        // dropped, which happens once; MLX does not write to memory that it does not own.
        unsafe {
            MlxArray::made(mlx, |out| {
                (mlx.table().array_over)(
                    data,
                    Ints::of(&sizes),
                    element.code(),
                    drop_owner::<T>,
                    context,
                    out,
                )
            })
        }
    }

    /// Returns the type of its elements.
    pub fn element_type(&self) -> ElementType {
        // SAFETY: the handle is owned.
        let code = unsafe { (self.mlx.table().array_dtype)(self.raw()) };
        // INVARIANT: the library has no other types.
        usize::try_from(code)
            .ok()
            .and_then(|code| ElementType::ALL.get(code).copied())
            .unwrap_or(ElementType::U8)
    }

    /// Returns its dimensions.
    pub fn dims(&self) -> Vec<usize> {
        // SAFETY: the handle is owned, and the sizes live as long as it does.
        let dims = unsafe {
            let Ints { data, len } = (self.mlx.table().array_dims)(self.raw());
            if len == 0 { &[] } else { std::slice::from_raw_parts(data, len) }
        };
        // INVARIANT: dimensions of an array are not negative.
        dims.iter().map(|&d| usize::try_from(d).unwrap_or(0)).collect()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.dims().iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies its elements in row-major order if they are already computed and stored in that order. Returns whether they are. Does not
    /// wait, and copies nothing while this thread traces a function.
    pub fn read_if_ready(&self, into: &mut [u8]) -> Result<bool, MlxError> {
        check_bytes(&self.dims(), self.element_type(), into.len())?;
        self.mlx.check_process()?;
        if is_tracing() {
            return Ok(false);
        }
        let mut ready = 0;
        let _one = self.mlx.exclusive();
        // SAFETY: the destination has exactly as many bytes as are written.
        self.mlx.checked(unsafe {
            (self.mlx.table().array_ready)(self.raw(), into.as_mut_ptr().cast(), into.len(), &raw mut ready)
        })?;
        Ok(ready != 0)
    }

    /// Waits for the work on `stream`, computes the array if necessary, and copies its elements in row-major order.
    pub fn read(&self, stream: &Stream, into: &mut [u8]) -> Result<(), MlxError> {
        check_bytes(&self.dims(), self.element_type(), into.len())?;
        stream.wait()?;
        let _one = self.mlx.exclusive();
        // SAFETY: the destination has exactly as many bytes as are written.
        self.mlx.checked(unsafe {
            (self.mlx.table().array_read)(self.raw(), into.as_mut_ptr().cast(), into.len())
        })
    }
}

impl Clone for MlxArray {
    fn clone(&self) -> MlxArray {
        // SAFETY: the handle is owned, and so is the new one.
        let clone =
            unsafe { MlxArray::made(self.mlx, |out| (self.mlx.table().array_clone)(self.raw(), out)) };
        // INVARIANT: a clone is a reference-counted pointer, which takes a few bytes of memory.
        clone.unwrap_or_else(|e| panic!("cannot clone an array: {e}"))
    }
}
