//! Queues, each with its own MLX streams.

use crate::launch::{Functions, Streams};
use rlx_compile::BackendError;
use rlx_driver::{Device, DeviceId};
use rlx_exec::Queue;
use rlx_mlx_sys::MlxError;
use std::any::Any;
use std::sync::Arc;

/// The runs on one device stream.
pub struct MlxQueue {
    pub(crate) streams: Arc<Streams>,
    /// The functions that MLX has compiled for programs on this queue.
    pub(crate) functions: Arc<Functions>,
    ordinal: usize,
}

impl MlxQueue {
    pub(crate) fn new(streams: Streams, ordinal: usize) -> MlxQueue {
        MlxQueue { streams: Arc::new(streams), functions: Arc::default(), ordinal }
    }
}

/// Converts an error of MLX that does not belong to a node.
pub(crate) fn failed(error: MlxError) -> BackendError {
    match error {
        MlxError::OutOfMemory { bytes, .. } => BackendError::OutOfMemory(bytes),
        MlxError::Argument(message) => BackendError::Argument(message),
        error => BackendError::Run { op: "MLX".into(), label: String::new(), message: error.to_string() },
    }
}

impl Queue for MlxQueue {
    fn device(&self) -> DeviceId {
        Device::Mlx.ordinal(self.ordinal)
    }

    fn wait(&self) -> Result<(), BackendError> {
        self.streams.device.wait().map_err(failed)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
