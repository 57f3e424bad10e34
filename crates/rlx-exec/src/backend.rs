//! What a backend is: claims, a way to prepare a lowered graph, and a cost model. It defines no semantics.
//!
//! Options that only one backend reads have a type of that backend in [`CompileOptions::backend`];
//! [`Backend::apply_env`] adds what the environment says.

use crate::executable::Executable;
use crate::queue::{HostQueue, Queue};
use rlx_compile::cost::{self, Cost, Rates};
use rlx_compile::{BackendError, Claims, CompileOptions, Lowered};
use rlx_driver::{Device, DeviceId, Env};
use rlx_ir::Graph;
use std::sync::Arc;

/// Whether a device can be used now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Availability {
    /// It can; a line that describes it.
    Present(String),
    /// It cannot; why, in one sentence.
    Missing(String),
}

impl Availability {
    /// Whether the device can be used.
    pub fn is_present(&self) -> bool {
        matches!(self, Availability::Present(_))
    }
}

/// Memory of one device in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryUse {
    /// In use now.
    pub in_use: u64,
    /// The most that was in use at a time, where that is known.
    pub peak: Option<u64>,
    /// All that there is for programs, where that is known.
    pub capacity: Option<u64>,
}

/// A backend.
pub trait Backend: Send + Sync {
    /// The device that it serves.
    fn device(&self) -> Device;

    /// Whether the device can be used now.
    fn availability(&self) -> Availability;

    /// What it can run.
    fn claims(&self) -> &dyn Claims;

    /// What its claims depend on beside the op, as text: two backends of a device with equal texts claim the same. `None` where that
    /// cannot be said; its programs are then not kept on disk.
    fn claims_key(&self) -> Option<String> {
        None
    }

    /// Sets the backend's own block of options where the environment says something that the block leaves open.
    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        let _ = (options, env);
        Ok(())
    }

    /// How many devices there are of its kind, which are numbered from 0.
    fn device_count(&self) -> usize {
        usize::from(self.availability().is_present())
    }

    /// A new queue of device `ordinal`.
    fn queue(&self, ordinal: usize) -> Result<Arc<dyn Queue>, BackendError> {
        let device = self.checked_ordinal(ordinal)?;
        Ok(Arc::new(HostQueue::new(device)))
    }

    /// The device of this number; an error where there is none.
    fn checked_ordinal(&self, ordinal: usize) -> Result<DeviceId, BackendError> {
        let (device, count) = (self.device().ordinal(ordinal), self.device_count());
        if ordinal < count { Ok(device) } else { Err(BackendError::NoOrdinal { device, count }) }
    }

    /// The memory of device `ordinal`, as far as it is known: on the host what the process holds in buffers of programs.
    fn memory(&self, ordinal: usize) -> Option<MemoryUse> {
        let _ = ordinal;
        None
    }

    /// Makes a lowered graph executable on the device of `queue`, which [`queue`](Backend::queue) has made. The graph may have symbols:
    /// the instance is bound to sizes before it runs.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] if the backend has no way to run a node that it claimed.
    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError>;

    /// What the device does in a second, roughly: what estimates are made with where nobody has measured it.
    fn rates(&self) -> Rates;

    /// How long one run of the graph would take at these rates.
    fn cost(&self, graph: &Graph, rates: &Rates) -> Cost {
        cost::estimate(graph, rates)
    }
}
