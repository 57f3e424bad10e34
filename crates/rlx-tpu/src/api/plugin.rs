//! A loaded plugin: its function table, and calls of its functions.

use super::error::{Code, PjrtError};
use super::text;
use super::value::{Value, values};
use crate::ffi::{
    Args, Entry, ErrorDestroy, ErrorGetCode, ErrorMessage, Function, PluginAttributes, PluginInitialize,
    RawError, Table, VERSION, Version,
};
use libloading::Library;
use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::{ManuallyDrop, offset_of};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A PJRT plugin in this process. Cloning shares it; it is never unloaded, because plugins keep threads that run its
/// code.
#[derive(Clone)]
pub struct Plugin(Arc<Loaded>);

struct Loaded {
    path: PathBuf,
    table: NonNull<Table>,
    /// Number of bytes that the table has.
    table_bytes: usize,
    version: (i32, i32),
    /// Set by the first user, so that the plugin is initialized once.
    initialized: OnceLock<Result<(), PjrtError>>,
    _library: ManuallyDrop<Library>,
}

// SAFETY: the table is constant data of a library that is never unloaded, and the functions of PJRT may be called from
// any thread: its users (JAX, for one) do so, and the interface binds nothing to a thread.
unsafe impl Send for Loaded {}
// SAFETY: the table does not change, and what is set later is behind a `OnceLock`.
unsafe impl Sync for Loaded {}

impl Plugin {
    /// Loads the plugin from this file, or with this name from the places where the system searches for libraries. A plugin that
    /// is already loaded is shared. Runs the plugin's own setup.
    pub fn load(path: &Path) -> Result<Plugin, PjrtError> {
        static LOADED: Mutex<Option<HashMap<PathBuf, Plugin>>> = Mutex::new(None);
        let key = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = loaded.get_or_insert_with(HashMap::new);
        let plugin = match loaded.get(&key) {
            Some(plugin) => plugin.clone(),
            None => {
                let plugin = Plugin(Arc::new(Loaded::open(path)?));
                loaded.insert(key, plugin.clone());
                plugin
            }
        };
        plugin.initialize()?;
        Ok(plugin)
    }

    fn initialize(&self) -> Result<(), PjrtError> {
        let setup = || {
            let mut args = PluginInitialize::zeroed();
            // SAFETY: the arguments hold no pointer.
            unsafe { self.call(&mut args) }
        };
        self.0.initialized.get_or_init(setup).clone()
    }

    /// Returns the file, or the name that the system found.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the plugin's version of the PJRT API.
    pub fn version(&self) -> (i32, i32) {
        self.0.version
    }

    /// Returns the plugin's attributes: `xla_version`, `stablehlo_current_version` and more.
    pub fn attributes(&self) -> Result<Vec<(String, Value)>, PjrtError> {
        let mut args = PluginAttributes::zeroed();
        // SAFETY: the arguments hold no pointer.
        unsafe { self.call(&mut args)? };
        // SAFETY: the plugin returned this number of values, which live as long as the process.
        Ok(unsafe { values(args.attributes, args.num_attributes) })
    }

    fn entry(&self, function: Function) -> Entry {
        let offset = Table::offset(function);
        if offset + size_of::<Entry>() > self.0.table_bytes {
            return None;
        }
        // SAFETY: the table has these bytes according to its size, and they contain a function or null.
        unsafe { self.0.table.as_ptr().byte_add(offset).cast::<Entry>().read() }
    }

    /// Calls a function.
    ///
    /// # Safety
    /// Everything that `args` points to must be what the function expects, and stay valid for as long as the function uses it.
    pub(crate) unsafe fn call<A: Args>(&self, args: &mut A) -> Result<(), PjrtError> {
        let function = A::FUNCTION;
        let entry = self.entry(function).ok_or(PjrtError::Missing(function.name()))?;
        // SAFETY: the entry takes the struct that belongs to it, and the caller guarantees the rest.
        let error = unsafe { entry((&raw mut *args).cast::<c_void>()) };
        match NonNull::new(error.cast::<RawError>()) {
            None => Ok(()),
            Some(error) => Err(self.error(function, error)),
        }
    }

    /// Reads the error behind a pointer, and frees it.
    fn error(&self, function: Function, error: NonNull<RawError>) -> PjrtError {
        let mut code = ErrorGetCode::zeroed();
        code.error = error.as_ptr();
        let mut message = ErrorMessage::zeroed();
        message.error = error.as_ptr();
        if let Some(entry) = self.entry(Function::Error_GetCode) {
            // SAFETY: the arguments belong to the function, and the error lives. A failure to tell the code leaves 0.
            let _ = unsafe { entry((&raw mut code).cast()) };
        }
        if let Some(entry) = self.entry(Function::Error_Message) {
            // SAFETY: the arguments belong to the function, and the error lives. It returns nothing, so that the
            // returned word is not looked at.
            let _ = unsafe { entry((&raw mut message).cast()) };
        }
        // SAFETY: the message lives as long as the error.
        let text = unsafe { text(message.message, message.message_size) };
        let mut destroy = ErrorDestroy::zeroed();
        destroy.error = error.as_ptr();
        if let Some(entry) = self.entry(Function::Error_Destroy) {
            // SAFETY: the error is freed once and not used any more, and this function returns nothing.
            let _ = unsafe { entry((&raw mut destroy).cast()) };
        }
        PjrtError::Call { function: function.name(), code: Code::of(code.code), message: text }
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Plugin({})", self.0.path.display())
    }
}

impl Loaded {
    fn open(path: &Path) -> Result<Loaded, PjrtError> {
        let failed = |e: libloading::Error| PjrtError::Load { path: path.into(), message: reason(&e) };
        // SAFETY: loading runs the library's initializers, which is what the caller asked for by naming the library.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        type Getter = unsafe extern "C" fn() -> *const Table;
        // SAFETY: a function with this name has this type, because the name is defined by PJRT.
        let getter = unsafe { library.get::<Getter>(b"GetPjrtApi\0") };
        let getter = getter.map_err(|_| PjrtError::NotAPlugin(path.into()))?;
        // SAFETY: the function takes nothing, and its library stays loaded.
        let table = unsafe { getter() }.cast_mut();
        let table = NonNull::new(table).ok_or_else(|| PjrtError::NotAPlugin(path.into()))?;
        // SAFETY: the table starts with its size.
        let table_bytes = unsafe { (&raw const (*table.as_ptr()).struct_size).read() };
        if table_bytes < offset_of!(Table, version) + size_of::<Version>() {
            return Err(PjrtError::NotAPlugin(path.into()));
        }
        // SAFETY: the table is long enough to hold its version.
        let Version { major, minor, .. } = unsafe { (&raw const (*table.as_ptr()).version).read() };
        if major != VERSION.0 {
            return Err(PjrtError::Version { path: path.into(), major, minor });
        }
        Ok(Loaded {
            path: path.into(),
            table,
            table_bytes,
            version: (major, minor),
            initialized: OnceLock::new(),
            _library: ManuallyDrop::new(library),
        })
    }
}

/// Returns the loader's message without the words that only repeat the name of its function.
fn reason(error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}
