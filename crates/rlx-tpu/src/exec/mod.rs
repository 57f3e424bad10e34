//! Runs graphs with a plugin: the program, parameters and results on the device, and outputs in host memory.

mod engine;
mod program;

pub use engine::{TpuEngine, TpuWorker, Uploaded};
pub use program::stablehlo;

use crate::api::{Code, PjrtError};
use rlx_compile::BackendError;

/// Converts an error of a call during a run to an error of the backend.
pub(crate) fn failed(error: PjrtError) -> BackendError {
    let (op, message) = match &error {
        PjrtError::Call { function, code, message } => {
            ((*function).to_string(), format!("{message} ({code})"))
        }
        other => ("PJRT".to_string(), other.to_string()),
    };
    BackendError::Run { op, label: String::new(), message }
}

/// Converts an error of a call that needed `bytes` bytes on the device.
fn failed_with(bytes: usize) -> impl Fn(PjrtError) -> BackendError {
    move |error| match error.code() {
        Some(Code::ResourceExhausted) => BackendError::OutOfMemory(bytes),
        _ => failed(error),
    }
}
