//! Errors of backends, from the preparation of a lowered graph to the end of a run.

use crate::budget::over_limit;
use crate::memory::PlanError;
use rlx_driver::env::EnvError;
use rlx_driver::{Device, DeviceId, OutOfMemory};
use rlx_ir::Node;

/// An error of a backend.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BackendError {
    /// The device cannot be used.
    #[error("{device} is not available: {reason}")]
    Unavailable {
        /// The device.
        device: Device,
        /// Why, in one sentence.
        reason: String,
    },
    /// There is no device with this number.
    #[error("{device} is not there: {}", there_are(*.count, device.device))]
    NoOrdinal {
        /// The requested device.
        device: DeviceId,
        /// The number of devices of its kind.
        count: usize,
    },
    /// The system could not start a thread.
    #[error("no thread could be started for work in the background: {0}")]
    Thread(String),
    /// The backend cannot run a node that it claimed, or does not support an option.
    #[error("{0}")]
    Unsupported(String),
    /// An environment variable that the backend reads has an invalid value.
    #[error(transparent)]
    Variable(#[from] EnvError),
    /// A node failed while it ran.
    #[error("`{op}`{label}: {message}")]
    Run {
        /// The op.
        op: String,
        /// The model path with a leading ` at `, or an empty string.
        label: String,
        /// What happened.
        message: String,
    },
    /// An argument of a call does not fit the program.
    #[error("{0}")]
    Argument(String),
    /// The device cannot represent the values of a run, such as integers that are too wide. Nothing ran. The message names the value.
    #[error("{0}")]
    Unrepresentable(String),
    /// Memory could not be allocated.
    #[error("out of memory: {0} bytes could not be allocated")]
    OutOfMemory(usize),
    /// The program needs more memory than it may plan for ([`CompileOptions::memory_limit`](crate::CompileOptions::memory_limit)).
    #[error("{}", over_limit(.what, *.bytes, *.limit, *.taken))]
    MemoryLimit {
        /// What needs the memory: the op and its shape.
        what: String,
        /// The number of bytes needed.
        bytes: u64,
        /// The number of bytes that the program may plan for.
        limit: u64,
        /// The number of bytes that it has already planned.
        taken: u64,
    },
}

impl BackendError {
    /// Returns whether a run that fails with this error was refused before it began, so that its state is unchanged.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            BackendError::Argument(_)
                | BackendError::Unrepresentable(_)
                | BackendError::OutOfMemory(_)
                | BackendError::MemoryLimit { .. }
        )
    }

    /// Creates the error of a node that failed while it ran.
    pub fn in_node(node: &Node, message: String) -> BackendError {
        BackendError::Run { op: node.op().mnemonic().into(), label: node.at_label(), message }
    }

    /// Converts this error to one of a run that has begun and may have changed its state: the result is not a refusal. `who` names
    /// what ran it.
    pub fn after_begin(self, who: &str) -> BackendError {
        if self.is_refusal() {
            let message = self.to_string();
            return BackendError::Run { op: who.into(), label: String::new(), message };
        }
        self
    }
}

impl From<PlanError> for BackendError {
    fn from(error: PlanError) -> BackendError {
        BackendError::Unsupported(error.to_string())
    }
}

impl From<OutOfMemory> for BackendError {
    fn from(OutOfMemory(bytes): OutOfMemory) -> BackendError {
        BackendError::OutOfMemory(bytes)
    }
}

fn there_are(count: usize, device: Device) -> String {
    match count {
        0 => "there are no such devices".into(),
        1 => format!("there is only `{device}`"),
        _ => format!("there are {count}, from `{device}` to `{}`", device.ordinal(count - 1)),
    }
}
