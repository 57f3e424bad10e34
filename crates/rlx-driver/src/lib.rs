//! Devices, the machine's memory, environment variables, and reports about the work of the libraries.
//!
//! Buffers of host memory are also here; they use huge pages if the system supports them.

mod buffer;
mod device;
pub mod env;
mod memory;
mod pair;
mod report;

pub use buffer::{HostBuffer, LINE, OutOfMemory, SharedPages};
pub use device::{Device, DeviceId, UnknownDevice};
pub use env::Env;
pub use memory::{BadBytes, Bytes, available_memory, machine_memory};
pub use pair::DevicePair;
pub use report::{Topic, report, set_report_sink};
