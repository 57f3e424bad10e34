//! Devices of RLX, and the one place that reads `RLX_` environment variables.

mod device;
pub mod env;
mod pass;

pub use device::{Device, DeviceId, UnknownDevice};
pub use env::Env;
pub use pass::{BadPrintIr, Pass, PrintIr, PrintWhen};
