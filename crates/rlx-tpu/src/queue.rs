//! Queues of a plugin's device: the runs that were started on it. The plugin orders the runs, and keeps the arrays that they
//! read and write.

use crate::api::{Client, Event};
use crate::exec::failed;
use rlx_compile::BackendError;
use rlx_driver::{Device, DeviceId};
use rlx_exec::Queue;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The runs on one device of a client that have not been waited for yet.
pub struct PjrtQueue {
    client: Client,
    ordinal: usize,
    running: Mutex<Vec<Arc<Event>>>,
}

impl PjrtQueue {
    /// Creates a queue for device `ordinal`.
    pub(crate) fn new(client: &Client, ordinal: usize) -> PjrtQueue {
        PjrtQueue { client: client.clone(), ordinal, running: Mutex::default() }
    }

    /// Returns the connection.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Records a run that was started.
    pub(crate) fn push(&self, run: Arc<Event>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|event| !event.is_ready());
        running.push(run);
    }
}

impl Queue for PjrtQueue {
    fn device(&self) -> DeviceId {
        Device::Tpu.ordinal(self.ordinal)
    }

    fn wait(&self) -> Result<(), BackendError> {
        let running = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        // All of them are waited for, even if one fails.
        let ended: Vec<_> = running.iter().map(|event| event.wait()).collect();
        ended.into_iter().collect::<Result<(), _>>().map_err(failed)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
