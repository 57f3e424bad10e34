//! Queues of a pair: those of its first backend, under the device name of the pair.

use rlx_compile::BackendError;
use rlx_driver::DeviceId;
use rlx_exec::{HostQueue, Queue};
use std::any::Any;
use std::sync::Arc;

/// A queue of the first backend that belongs to the pair.
struct PairQueue {
    device: DeviceId,
    first: Arc<dyn Queue>,
}

impl Queue for PairQueue {
    fn device(&self) -> DeviceId {
        self.device
    }

    fn wait(&self) -> Result<(), BackendError> {
        self.first.wait()
    }

    fn host(&self) -> Option<&HostQueue> {
        self.first.host()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Returns a queue of the first backend as a queue of this device.
pub(crate) fn renamed(first: Arc<dyn Queue>, device: DeviceId) -> Arc<dyn Queue> {
    if first.device() == device { first } else { Arc::new(PairQueue { device, first }) }
}

/// Returns the queue of the first backend that is behind a queue of the pair.
pub(crate) fn first_queue(queue: &Arc<dyn Queue>) -> Arc<dyn Queue> {
    queue.as_any().downcast_ref().map_or_else(|| queue.clone(), |queue: &PairQueue| queue.first.clone())
}
