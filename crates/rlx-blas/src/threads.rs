//! Keeps each BLAS library on the calling thread, and asks it for its name.

pub use library::describe;

/// Runs `body` while the library uses only the calling thread.
pub(crate) fn alone(body: impl FnOnce()) {
    library::alone(body);
}

#[cfg(feature = "openblas")]
mod library {
    use std::cell::Cell;
    use std::ffi::{CStr, c_char, c_int};
    use std::sync::{Mutex, PoisonError};

    unsafe extern "C" {
        fn openblas_get_num_threads() -> c_int;
        fn openblas_set_num_threads(threads: c_int);
        fn openblas_get_config() -> *const c_char;
    }

    pub(crate) fn alone(body: impl FnOnce()) {
        static SETTING: Mutex<()> = Mutex::new(());
        thread_local! {
            // When built with OpenMP, the library uses the thread count of the calling thread but reports that of the process.
            static SET: Cell<bool> = const { Cell::new(false) };
        }
        // SAFETY: these functions take and return numbers. Several threads should not set the number at the same time.
        unsafe {
            if !SET.get() || openblas_get_num_threads() != 1 {
                let _guard = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
                openblas_set_num_threads(1);
                SET.set(true);
            }
        }
        body();
    }

    /// Returns the library's name and version, as it reports them.
    pub fn describe() -> String {
        // SAFETY: the library returns a static, zero-terminated string.
        unsafe { CStr::from_ptr(openblas_get_config()) }.to_string_lossy().trim().to_owned()
    }
}

#[cfg(all(feature = "mkl", not(feature = "openblas")))]
mod library {
    use std::ffi::{CStr, c_char, c_int};
    use std::sync::Once;

    #[allow(non_snake_case)]
    unsafe extern "C" {
        fn MKL_Set_Threading_Layer(layer: c_int) -> c_int;
        fn MKL_Set_Num_Threads_Local(threads: c_int) -> c_int;
        fn MKL_Get_Version_String(text: *mut c_char, length: c_int);
    }

    /// `MKL_THREADING_SEQUENTIAL`.
    const SEQUENTIAL: c_int = 1;

    pub(crate) fn alone(body: impl FnOnce()) {
        sequential();
        // SAFETY: it takes and returns a number of the calling thread.
        let before = unsafe { MKL_Set_Num_Threads_Local(1) };
        body();
        // SAFETY: it takes a number of the calling thread, here the one that it returned before; 0 makes the thread use the number of the
        // process again.
        unsafe { MKL_Set_Num_Threads_Local(before) };
    }

    /// Keeps MKL from loading a threading library, which may be missing. Ignored if the program has used MKL before.
    fn sequential() {
        static LAYER: Once = Once::new();
        // SAFETY: it takes and returns a number.
        LAYER.call_once(|| unsafe {
            MKL_Set_Threading_Layer(SEQUENTIAL);
        });
    }

    /// Returns the library's name and version, as it reports them.
    pub fn describe() -> String {
        sequential();
        let mut text = [0u8; 256];
        // SAFETY: it writes at most the number of bytes that it is given, including the terminating zero.
        unsafe { MKL_Get_Version_String(text.as_mut_ptr().cast(), text.len() as c_int - 1) };
        CStr::from_bytes_until_nul(&text).unwrap_or(c"MKL").to_string_lossy().trim().to_owned()
    }
}

#[cfg(all(feature = "accelerate", not(any(feature = "openblas", feature = "mkl"))))]
mod library {
    use std::ffi::{c_char, c_int, c_uint, c_void};
    use std::sync::OnceLock;

    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    type Set = unsafe extern "C" fn(c_uint) -> c_int;
    type Get = unsafe extern "C" fn() -> c_uint;

    /// `BLAS_THREADING_SINGLE_THREADED`.
    const SINGLE: c_uint = 1;

    /// Returns the functions that set and read a thread's choice, which are new in macOS 15 and iOS 18.
    fn functions() -> Option<(Set, Get)> {
        static FOUND: OnceLock<Option<(Set, Get)>> = OnceLock::new();
        /// `RTLD_DEFAULT` of Apple's systems.
        const ANYWHERE: *mut c_void = -2isize as *mut c_void;
        *FOUND.get_or_init(|| {
            // SAFETY: the names are zero-terminated strings, and the functions, where they exist, have these types.
            unsafe {
                let set = dlsym(ANYWHERE, c"BLASSetThreading".as_ptr());
                let get = dlsym(ANYWHERE, c"BLASGetThreading".as_ptr());
                (!set.is_null() && !get.is_null()).then(|| {
                    (
                        std::mem::transmute::<*mut c_void, Set>(set),
                        std::mem::transmute::<*mut c_void, Get>(get),
                    )
                })
            }
        })
    }

    /// Before macOS 15 the library decides for itself; `VECLIB_MAXIMUM_THREADS=1` limits it to one thread.
    pub(crate) fn alone(body: impl FnOnce()) {
        let Some((set, get)) = functions() else { return body() };
        // SAFETY: they take and return a number of the calling thread.
        let before = unsafe {
            let before = get();
            set(SINGLE);
            before
        };
        body();
        // SAFETY: it takes a number of the calling thread, here the one that `get` returned.
        unsafe { set(before) };
    }

    /// Returns the library's name, as Apple writes it.
    pub fn describe() -> String {
        "Accelerate".to_owned()
    }
}
