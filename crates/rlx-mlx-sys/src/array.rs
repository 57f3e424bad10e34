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

/// An array of MLX: values, or a node of a graph that is to compute them. It does not change. Cloning shares it.
pub struct MlxArray {
    mlx: Mlx,
    raw: NonNull<crate::ffi::RawArray>,
}

// SAFETY: a handle is a pointer to counted data, whose counts are atomic; arrays are computed by one thread at a time (`Mlx::exclusive`), and
// everything else only reads them.
unsafe impl Send for MlxArray {}
// SAFETY: as above.
unsafe impl Sync for MlxArray {}

impl Drop for MlxArray {
    fn drop(&mut self) {
        // SAFETY: the handle is owned and was not freed.
        unsafe { (self.mlx.table().array_free)(self.raw.as_ptr()) }
    }
}

impl std::fmt::Debug for MlxArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}{:?}", self.element_type(), self.dims())
    }
}

/// Sizes as MLX has them.
pub(crate) fn sizes(dims: &[usize]) -> Result<Vec<i32>, MlxError> {
    dims.iter().map(|&d| i32::try_from(d).map_err(|_| MlxError::TooLarge(d))).collect()
}

/// The bytes of so many elements.
pub(crate) fn num_bytes(dims: &[usize], element: ElementType) -> Result<usize, MlxError> {
    let bytes = dims.iter().try_fold(element.size(), |n, &d| n.checked_mul(d));
    bytes.ok_or(MlxError::OutOfMemory {
        bytes: usize::MAX,
        message: "an array has more bytes than there can be".into(),
    })
}

fn check_bytes(dims: &[usize], element: ElementType, got: usize) -> Result<(), MlxError> {
    if num_bytes(dims, element)? == got {
        return Ok(());
    }
    Err(MlxError::Argument(format!("{got} bytes do not make {dims:?} elements of {element:?}")))
}

/// Drops what an array is over.
///
/// # Safety
/// `context` is a `Box<T>` that nobody else drops.
unsafe extern "C" fn drop_owner<T>(context: *mut c_void) {
    // SAFETY: by this function's contract.
    let owner = unsafe { Box::from_raw(context.cast::<T>()) };
    drop_caught(owner);
}

/// Drops a value on behalf of the library, which no panic may reach.
pub(crate) fn drop_caught<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // What was thrown may panic as it is dropped.
        std::mem::forget(panic);
    }
}

impl MlxArray {
    /// Takes a handle of the library.
    ///
    /// # Safety
    /// `raw` is a handle of `mlx` that nobody else frees.
    pub(crate) unsafe fn owned(mlx: Mlx, raw: ArrayPtr) -> Result<MlxArray, MlxError> {
        let raw = NonNull::new(raw).ok_or_else(|| MlxError::Failed("no array was given".into()))?;
        Ok(MlxArray { mlx, raw })
    }

    /// The array that a call of the table writes.
    ///
    /// # Safety
    /// `call` writes an owned handle behind its pointer where it succeeds.
    pub(crate) unsafe fn made(
        mlx: Mlx,
        call: impl FnOnce(*mut ArrayPtr) -> i32,
    ) -> Result<MlxArray, MlxError> {
        let mut raw = std::ptr::null_mut();
        mlx.checked(call(&raw mut raw))?;
        // SAFETY: the call succeeded, so that the handle is there and ours.
        unsafe { MlxArray::owned(mlx, raw) }
    }

    /// Fails where a dimension or the number of bytes overflowed as MLX computed it; nothing may be computed then.
    pub(crate) fn check_sizes(&self) -> Result<(), MlxError> {
        // SAFETY: the handle is owned; the sizes live as long as it does.
        let dims = unsafe {
            let Ints { data, len } = (self.mlx.table().array_dims)(self.raw());
            if len == 0 { &[] } else { std::slice::from_raw_parts(data, len) }
        };
        let bytes = dims.iter().try_fold(self.element_type().size() as i64, |n, &d| {
            // A 0 makes nothing of what overflows.
            if d < 0 { None } else { n.checked_mul(i64::from(d.max(1))) }
        });
        bytes.map(|_| ()).ok_or_else(|| MlxError::OutOfMemory {
            bytes: usize::MAX,
            message: format!("dimensions {dims:?} have more bytes than there can be"),
        })
    }

    pub(crate) fn raw(&self) -> ArrayPtr {
        self.raw.as_ptr()
    }

    /// The MLX that it is of.
    pub fn mlx(&self) -> Mlx {
        self.mlx
    }

    /// A copy of elements in row-major order.
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
        // SAFETY: the bytes are as many as the array has, and are copied; booleans are 0 or 1.
        unsafe {
            let data = bytes.as_ptr().cast();
            MlxArray::made(mlx, |out| (mlx.table().array_from)(data, Ints::of(&sizes), element.code(), out))
        }
    }

    /// Elements where they lie in memory of `owner`, which is dropped when nothing needs them any more. They are copied where MLX cannot use
    /// them there, and where they are not aligned to their size.
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
        // SAFETY: the bytes are as many as the array has, are aligned, and are borrowed from an owner that is not touched until it is
        // dropped, once; MLX does not write to memory that it does not own.
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

    /// The type of its elements.
    pub fn element_type(&self) -> ElementType {
        // SAFETY: the handle is owned.
        let code = unsafe { (self.mlx.table().array_dtype)(self.raw()) };
        // INVARIANT: the library has no other types.
        usize::try_from(code)
            .ok()
            .and_then(|code| ElementType::ALL.get(code).copied())
            .unwrap_or(ElementType::U8)
    }

    /// Its dimensions.
    pub fn dims(&self) -> Vec<usize> {
        // SAFETY: the handle is owned; the sizes live as long as it does.
        let dims = unsafe {
            let Ints { data, len } = (self.mlx.table().array_dims)(self.raw());
            if len == 0 { &[] } else { std::slice::from_raw_parts(data, len) }
        };
        // INVARIANT: no dimension of an array is negative.
        dims.iter().map(|&d| usize::try_from(d).unwrap_or(0)).collect()
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.dims().iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies its elements in row-major order if they are computed and lie so, and says whether they do. Waits for nothing, and
    /// reads nothing while this thread makes the graph of a function.
    pub fn read_if_ready(&self, into: &mut [u8]) -> Result<bool, MlxError> {
        check_bytes(&self.dims(), self.element_type(), into.len())?;
        self.mlx.check_process()?;
        if is_tracing() {
            return Ok(false);
        }
        let mut ready = 0;
        let _one = self.mlx.exclusive();
        // SAFETY: the place has as many bytes as are written.
        self.mlx.checked(unsafe {
            (self.mlx.table().array_ready)(self.raw(), into.as_mut_ptr().cast(), into.len(), &raw mut ready)
        })?;
        Ok(ready != 0)
    }

    /// Waits for the work on `stream`, computes the array if nobody has, and copies its elements in row-major order.
    pub fn read(&self, stream: &Stream, into: &mut [u8]) -> Result<(), MlxError> {
        check_bytes(&self.dims(), self.element_type(), into.len())?;
        stream.wait()?;
        let _one = self.mlx.exclusive();
        // SAFETY: the place has as many bytes as are written.
        self.mlx.checked(unsafe {
            (self.mlx.table().array_read)(self.raw(), into.as_mut_ptr().cast(), into.len())
        })
    }
}

impl Clone for MlxArray {
    fn clone(&self) -> MlxArray {
        // SAFETY: the handle is owned, and the new one is.
        let clone =
            unsafe { MlxArray::made(self.mlx, |out| (self.mlx.table().array_clone)(self.raw(), out)) };
        // INVARIANT: a clone is a counted pointer in a few bytes of memory.
        clone.unwrap_or_else(|e| panic!("an array could not be shared: {e}"))
    }
}
