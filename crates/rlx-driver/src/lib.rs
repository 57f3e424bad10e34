//! Devices, the machine's memory, and the only place that reads `RLX_` environment variables.
//!
//! Buffers of host memory are also here; they use huge pages if the system supports them.

mod buffer;
mod device;
pub mod env;
mod memory;
mod pass;
pub mod terminal;

pub use buffer::{HostBuffer, LINE, OutOfMemory, SharedPages};
pub use device::{Device, DeviceId, UnknownDevice};
pub use env::Env;
pub use memory::{BadBytes, Bytes, available_memory, machine_memory};
pub use pass::{BadPrintIr, Pass, PrintIr, PrintWhen};
