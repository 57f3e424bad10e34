//! Plugins, clients, devices, programs and arrays as owned values: the only code that calls the C API.
//!
//! **FFI-1**: only `ffi` and this module contain unsafe code. A value keeps the values that it was made from alive, so nothing is
//! freed too early, and it frees itself. A plugin is never unloaded. If the plugin's table is too short to contain a function, using
//! the function is an error, and it is never called.

mod buffer;
mod client;
mod error;
mod event;
mod executable;
mod plugin;
mod topology;
mod types;
mod value;

pub use buffer::PjrtBuffer;
pub use client::{Client, DeviceInfo, MemoryStats};
pub use error::{Code, PjrtError};
pub(crate) use event::Event;
pub use executable::{Estimate, LoadedProgram};
pub use plugin::Plugin;
pub use topology::{CompiledProgram, Topology};
pub use value::Value;

use std::ffi::c_char;

/// Returns text from a plugin.
///
/// # Safety
/// `start` must point to `bytes` bytes, or be null.
unsafe fn text(start: *const c_char, bytes: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for `bytes` bytes, and null was dealt with.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), bytes) };
    String::from_utf8_lossy(bytes).into_owned()
}
