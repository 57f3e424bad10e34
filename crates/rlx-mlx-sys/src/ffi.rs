//! The C interface of the shim, `shim/rlx_mlx.h`, as Rust declarations.

use std::ffi::{c_char, c_void};

/// The version of the interface.
pub(crate) const ABI: u64 = 3;

pub(crate) const OK: i32 = 0;
pub(crate) const OUT_OF_MEMORY: i32 = 2;

/// An array of the shim, opaque.
#[repr(C)]
pub(crate) struct RawArray {
    _opaque: [u8; 0],
}

/// A compiled function of the shim, opaque.
#[repr(C)]
pub(crate) struct RawFunction {
    _opaque: [u8; 0],
}

pub(crate) type ArrayPtr = *mut RawArray;
pub(crate) type FunctionPtr = *mut RawFunction;

/// A stream: a queue of work on a device.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RawStream {
    pub(crate) index: i32,
    pub(crate) kind: i32,
    pub(crate) ordinal: i32,
}

/// Integers as pointer and length.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Ints {
    pub(crate) data: *const i32,
    pub(crate) len: usize,
}

impl Ints {
    /// Borrows a slice, which the result must not outlive: it is meant for the arguments of one call.
    pub(crate) fn of(slice: &[i32]) -> Ints {
        Ints { data: slice.as_ptr(), len: slice.len() }
    }
}

pub(crate) type Callback =
    unsafe extern "C" fn(*mut c_void, *const ArrayPtr, usize, *mut ArrayPtr, usize) -> i64;
pub(crate) type DropFn = unsafe extern "C" fn(*mut c_void);

macro_rules! table {
    ($($name:ident: ($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// All functions of the shim.
        #[repr(C)]
        pub(crate) struct Table {
            pub(crate) abi: u64,
            pub(crate) bytes: u64,
            pub(crate) built_for: *const c_char,
            $(pub(crate) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        /// The functions' names, in order.
        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

type Out = *mut ArrayPtr;

table! {
    last_error: () -> *const c_char;
    version: () -> *const c_char;
    device_count: (i32, *mut i32) -> i32;
    device_info: (i32, i32, *mut c_char, usize, *mut u64) -> i32;
    stream_new: (i32, i32, *mut RawStream) -> i32;
    stream_wait: (RawStream) -> i32;
    memory_use: (*mut u64, *mut u64, *mut u64) -> i32;
    set_memory_limit: (u64, *mut u64) -> i32;
    set_cache_limit: (u64, *mut u64) -> i32;
    set_wired_limit: (u64) -> i32;
    clear_cache: () -> i32;
    set_fusing: (i32) -> i32;
    array_from: (*const c_void, Ints, i32, Out) -> i32;
    array_over: (*mut c_void, Ints, i32, DropFn, *mut c_void, Out) -> i32;
    array_clone: (ArrayPtr, Out) -> i32;
    array_free: (ArrayPtr);
    array_dtype: (ArrayPtr) -> i32;
    array_dims: (ArrayPtr) -> Ints;
    eval: (*const ArrayPtr, usize) -> i32;
    async_eval: (*const ArrayPtr, usize) -> i32;
    array_read: (ArrayPtr, *mut c_void, usize) -> i32;
    array_ready: (ArrayPtr, *mut c_void, usize, *mut i32) -> i32;
    function_compile: (Callback, *mut c_void, DropFn, i32, *mut FunctionPtr) -> i32;
    function_call: (FunctionPtr, *const ArrayPtr, usize, *mut ArrayPtr, usize, *mut usize) -> i32;
    function_free: (FunctionPtr);
    unary: (i32, ArrayPtr, RawStream, Out) -> i32;
    binary: (i32, ArrayPtr, ArrayPtr, RawStream, Out) -> i32;
    select: (ArrayPtr, ArrayPtr, ArrayPtr, RawStream, Out) -> i32;
    astype: (ArrayPtr, i32, RawStream, Out) -> i32;
    view: (ArrayPtr, i32, RawStream, Out) -> i32;
    arange: (i64, i64, i32, RawStream, Out) -> i32;
    full: (Ints, ArrayPtr, RawStream, Out) -> i32;
    reshape: (ArrayPtr, Ints, RawStream, Out) -> i32;
    transpose: (ArrayPtr, Ints, RawStream, Out) -> i32;
    broadcast_to: (ArrayPtr, Ints, RawStream, Out) -> i32;
    as_strided: (ArrayPtr, Ints, *const i64, usize, RawStream, Out) -> i32;
    slice: (ArrayPtr, Ints, Ints, Ints, RawStream, Out) -> i32;
    slice_at: (ArrayPtr, ArrayPtr, Ints, Ints, RawStream, Out) -> i32;
    slice_update: (ArrayPtr, ArrayPtr, Ints, Ints, Ints, RawStream, Out) -> i32;
    slice_update_at: (ArrayPtr, ArrayPtr, ArrayPtr, Ints, RawStream, Out) -> i32;
    pad: (ArrayPtr, Ints, Ints, ArrayPtr, RawStream, Out) -> i32;
    concatenate: (*const ArrayPtr, usize, i32, RawStream, Out) -> i32;
    take: (ArrayPtr, ArrayPtr, i32, RawStream, Out) -> i32;
    take_along_axis: (ArrayPtr, ArrayPtr, i32, RawStream, Out) -> i32;
    gather: (ArrayPtr, *const ArrayPtr, usize, Ints, Ints, RawStream, Out) -> i32;
    scatter: (i32, ArrayPtr, *const ArrayPtr, usize, ArrayPtr, Ints, RawStream, Out) -> i32;
    reduce: (i32, ArrayPtr, Ints, i32, RawStream, Out) -> i32;
    cumulative: (i32, ArrayPtr, i32, i32, i32, RawStream, Out) -> i32;
    softmax: (ArrayPtr, i32, i32, RawStream, Out) -> i32;
    sort: (ArrayPtr, i32, RawStream, Out) -> i32;
    argsort: (ArrayPtr, i32, RawStream, Out) -> i32;
    convolution: (ArrayPtr, ArrayPtr, Ints, Ints, Ints, Ints, Ints, i32, i32, RawStream, Out) -> i32;
    gather_mm: (ArrayPtr, ArrayPtr, ArrayPtr, i32, RawStream, Out) -> i32;
    quantized_matmul: (ArrayPtr, ArrayPtr, ArrayPtr, ArrayPtr, i32, i32, *const c_char, RawStream, Out) -> i32;
    gather_qmm: (ArrayPtr, ArrayPtr, ArrayPtr, ArrayPtr, ArrayPtr, i32, i32, *const c_char, i32, RawStream, Out) -> i32;
    rms_norm: (ArrayPtr, ArrayPtr, f32, RawStream, Out) -> i32;
    layer_norm: (ArrayPtr, ArrayPtr, ArrayPtr, f32, RawStream, Out) -> i32;
    rope: (ArrayPtr, i32, i32, ArrayPtr, ArrayPtr, RawStream, Out) -> i32;
    attention: (ArrayPtr, ArrayPtr, ArrayPtr, f32, i32, ArrayPtr, RawStream, Out) -> i32;
    fft: (i32, ArrayPtr, Ints, Ints, RawStream, Out) -> i32;
    factorize: (i32, ArrayPtr, RawStream, *mut ArrayPtr, usize, *mut usize) -> i32;
}

/// The one symbol of the shim.
pub(crate) type TableFn = unsafe extern "C" fn() -> *const Table;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_that_of_the_header() {
        let header = include_str!("../shim/rlx_mlx.h");
        let names: Vec<&str> = header
            .split("(*")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|n| !n.is_empty())
            .collect();
        // Callbacks among the arguments have the same form.
        let names: Vec<&str> =
            names.into_iter().filter(|name| !["rlx_callback", "drop"].contains(name)).collect();
        assert_eq!(names, NAMES);
        assert!(header.contains(&format!("#define RLX_MLX_ABI {ABI}\n")));
    }
}
