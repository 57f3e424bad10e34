//! Plugins, clients, devices, programs and arrays as owned values: the only code that calls the C API.
//!
//! **FFI-1**: unsafe code is in `ffi` and here alone. A value keeps alive what it came from, so nothing is
//! freed too early, and frees itself. A plugin is never unloaded. A function that the plugin's table is too
//! short for is an error, never a call.

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

/// The text that a plugin returned.
///
/// # Safety
/// `start` points to `bytes` bytes, or is null.
unsafe fn text(start: *const c_char, bytes: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for `bytes` bytes, and null was dealt with.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), bytes) };
    String::from_utf8_lossy(bytes).into_owned()
}
