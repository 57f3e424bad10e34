//! Finds and loads the shim.

use crate::error::{LoadError, MlxError};
use crate::ffi::{ABI, OK, OUT_OF_MEMORY, Table, TableFn};
use libloading::Library;
use std::ffi::{CStr, c_char};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The shim that was built with this crate, or `None` if MLX was not installed then.
#[cfg(shim_built)]
pub const BUILT_SHIM: Option<&str> = Some(env!("RLX_MLX_BUILT_SHIM"));
/// The shim that was built with this crate, or `None` if MLX was not installed then.
#[cfg(not(shim_built))]
pub const BUILT_SHIM: Option<&str> = None;

/// The MLX of this process. All copies are the same. It is never unloaded, because it keeps threads that run its code.
#[derive(Clone, Copy)]
pub struct Mlx {
    table: &'static Table,
    /// The process that loaded it, which has its threads.
    process: u32,
}

// SAFETY: the table is constant data of a library that is never unloaded. Code that calls its functions states why it may.
unsafe impl Send for Mlx {}
// SAFETY: as for `Send`.
unsafe impl Sync for Mlx {}

impl std::fmt::Debug for Mlx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MLX {}", self.version())
    }
}

impl PartialEq for Mlx {
    fn eq(&self, other: &Mlx) -> bool {
        std::ptr::eq(self.table, other.table)
    }
}

/// Returns the file name of a shim.
fn file_name() -> String {
    format!("{}rlx_mlx{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// Returns the shim to load: the configured one, one next to the program, or the one that was built with it.
fn chosen(named: Option<&Path>) -> Result<PathBuf, LoadError> {
    if let Some(named) = named {
        return if named.is_file() { Ok(named.into()) } else { Err(LoadError::NoFile(named.into())) };
    }
    let program = std::env::current_exe().ok();
    let beside = program.and_then(|program| Some(program.parent()?.join(file_name())));
    let built = BUILT_SHIM.map(PathBuf::from);
    beside.into_iter().chain(built).find(|file| file.is_file()).ok_or(LoadError::Missing)
}

/// Returns the text behind a pointer from the shim.
///
/// # Safety
/// The pointer must be null or point to text that ends with zero and lives during the call.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the caller upholds this function's contract.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

impl Mlx {
    /// Loads the shim, and with it MLX: the named file, or else `librlx_mlx.so` (`.dylib`) next to the program, or else the shim that was
    /// built with this crate. If it is loaded already, it is shared. A process can only have one MLX, because arrays of one are not arrays
    /// of another.
    ///
    /// The file runs as part of this process, like any library that a program is linked with: only name files that you trust.
    ///
    /// # Errors
    /// Returns a [`LoadError`] with a message of one sentence.
    pub fn load(named: Option<&Path>) -> Result<Mlx, LoadError> {
        static LOADED: Mutex<Option<(PathBuf, Mlx)>> = Mutex::new(None);
        let file = chosen(named)?;
        let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        match &*loaded {
            Some((known, mlx)) if *known == whole => Ok(*mlx),
            Some((known, _)) => Err(LoadError::Another { file, loaded: known.clone() }),
            None => {
                let mlx = Self::open(&file)?;
                *loaded = Some((whole, mlx));
                Ok(mlx)
            }
        }
    }

    fn open(file: &Path) -> Result<Mlx, LoadError> {
        let failed = |e: libloading::Error| {
            let message = std::error::Error::source(&e).map_or_else(|| e.to_string(), ToString::to_string);
            LoadError::Load { file: file.into(), message }
        };
        // SAFETY: the caller who names a shim is responsible for what its initializers do, as with any library that a program is linked
        // with.
        let library = ManuallyDrop::new(unsafe { Library::new(file) }.map_err(failed)?);
        // SAFETY: a library with a symbol of this name has the function that the header declares.
        let table = unsafe { library.get::<TableFn>(b"rlx_mlx_table\0") };
        let table = table.map_err(|_| LoadError::NoShim(file.into()))?;
        // SAFETY: the function has no arguments, and returns constant data of a library that is never unloaded.
        let table: *const Table = unsafe { table() };
        if table.is_null() {
            return Err(LoadError::NoShim(file.into()));
        }
        // SAFETY: every interface begins with its version, and only the table of this version is read further.
        let got = unsafe { (*table).abi };
        // SAFETY: the size comes next, and is read only if the version matches.
        if got != ABI || unsafe { (*table).bytes } != size_of::<Table>() as u64 {
            return Err(LoadError::Interface { file: file.into(), got, expected: ABI });
        }
        // SAFETY: the table has the expected type and size, and lives as long as the process.
        let mlx = Mlx { table: unsafe { &*table }, process: std::process::id() };
        // SAFETY: the text is constant.
        let built_for = unsafe { text(mlx.table.built_for) };
        let found = mlx.version();
        // Builds that are not releases append to the version number.
        if found.split(['.', '+']).take(3).ne(built_for.split('.')) {
            return Err(LoadError::Version { file: file.into(), built_for, found });
        }
        Ok(mlx)
    }

    /// Returns the version of MLX.
    pub fn version(&self) -> String {
        // SAFETY: the function has no arguments, and returns constant text.
        unsafe { text((self.table.version)()) }
    }

    pub(crate) fn table(&self) -> &'static Table {
        self.table
    }

    /// Converts a status to a result. Must be called on the thread of the call.
    pub(crate) fn checked(&self, status: i32) -> Result<(), MlxError> {
        if status == OK {
            return Ok(());
        }
        // SAFETY: the function has no arguments, and returns text that is valid until the next call on this thread.
        let message = unsafe { text((self.table.last_error)()) };
        if status != OUT_OF_MEMORY {
            return Err(MlxError::Failed(message));
        }
        let digits = message.split(|c: char| !c.is_ascii_digit()).find(|word| !word.is_empty());
        let bytes = digits.and_then(|digits| digits.parse().ok()).unwrap_or(0);
        Err(MlxError::OutOfMemory { bytes, message })
    }

    /// Fails in a fork of the process that loaded MLX: its threads do not exist there, and work would wait forever.
    pub(crate) fn check_process(&self) -> Result<(), MlxError> {
        if std::process::id() == self.process { Ok(()) } else { Err(MlxError::Forked) }
    }

    /// Locks out other threads while one computes or compiles, because MLX does not document that several may. A thread that traces a
    /// function has the lock already.
    pub(crate) fn exclusive(&self) -> Option<MutexGuard<'static, ()>> {
        static ONE: Mutex<()> = Mutex::new(());
        (!crate::function::is_tracing()).then(|| ONE.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
