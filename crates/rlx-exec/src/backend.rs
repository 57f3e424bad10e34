//! Defines backends: claims, preparation of lowered graphs, and a cost model, but no semantics.
//!
//! Each backend has its own type for options that only it reads, stored in [`CompileOptions::backend`].
//! [`Backend::apply_env`] adds settings from the environment.

use crate::executable::Executable;
use crate::queue::{HostQueue, Queue};
use rlx_compile::cost::{self, Cost, Rates};
use rlx_compile::{BackendError, Claims, CompileOptions, Lowered};
use rlx_driver::env::Variables;
use rlx_driver::{Device, DeviceId, Env};
use rlx_ir::{Graph, NodeId, Shape};
use std::collections::HashMap;
use std::sync::Arc;

/// Whether a device can be used now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Availability {
    /// The device can be used. Contains a one-line description.
    Present(String),
    /// The device cannot be used. Contains the reason, in one sentence.
    Missing(String),
}

impl Availability {
    /// Whether the device can be used.
    pub fn is_present(&self) -> bool {
        matches!(self, Availability::Present(_))
    }
}

/// Memory use of one device, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryUse {
    /// In use now.
    pub in_use: u64,
    /// The peak use so far, if known.
    pub peak: Option<u64>,
    /// The total available to programs, if known.
    pub capacity: Option<u64>,
}

/// What a backend does not run although it claims the ops, because it depends on values or on other nodes of the graph. A pair of backends
/// (`rlx-hybrid`) asks its first one, and runs these parts on the second.
pub trait GraphLimits {
    /// Returns whether the device has values of this static shape.
    fn has_values(&self, shape: &Shape) -> bool;

    /// Returns whether the device keeps a state of this static shape between runs.
    fn keeps_state(&self, shape: &Shape) -> bool;

    /// Returns the nodes of a graph of static sizes that the device does not run, with the reasons. Nodes inside of a node's graphs count as
    /// part of it.
    fn refused(&self, graph: &Graph) -> HashMap<NodeId, String>;
}

/// A backend: code that runs programs on one kind of device.
pub trait Backend: Send + Sync {
    /// Returns the kind of device.
    fn device(&self) -> Device;

    /// Returns whether the device can be used now.
    fn availability(&self) -> Availability;

    /// Returns what the backend can run.
    fn claims(&self) -> &dyn Claims;

    /// Returns what the backend does not run although it claims the ops. Returns `None` if it runs every graph of ops that it claims.
    fn limits(&self) -> Option<&dyn GraphLimits> {
        None
    }

    /// Returns, as text, everything besides the op that the claims depend on: two backends of a device with equal texts make the same
    /// claims. Returns `None` if this cannot be expressed. Programs of the backend are then not stored on disk.
    fn claims_key(&self) -> Option<String> {
        None
    }

    /// Returns the environment variables that the backend reads. Sessions check their values before they compile.
    fn variables(&self) -> Variables {
        &[]
    }

    /// Sets those of the backend's own options that are unset and for which the environment has a value.
    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        let _ = (options, env);
        Ok(())
    }

    /// Adds to `options` what the programs of one graph at several sizes share, such as models that were used recently. Called once if parts
    /// of a graph with symbols are prepared separately for each size.
    fn share_between_sizes(&self, options: &mut CompileOptions) {
        let _ = options;
    }

    /// Returns the number of devices of this kind. They are numbered from 0.
    fn device_count(&self) -> usize {
        usize::from(self.availability().is_present())
    }

    /// Creates a queue for device `ordinal`.
    fn queue(&self, ordinal: usize) -> Result<Arc<dyn Queue>, BackendError> {
        let device = self.checked_ordinal(ordinal)?;
        Ok(Arc::new(HostQueue::new(device)))
    }

    /// Returns the device with this number, or an error if there is none.
    fn checked_ordinal(&self, ordinal: usize) -> Result<DeviceId, BackendError> {
        let (device, count) = (self.device().ordinal(ordinal), self.device_count());
        if ordinal < count { Ok(device) } else { Err(BackendError::NoOrdinal { device, count }) }
    }

    /// Returns the memory use of device `ordinal`, as far as it is known. On the host, this counts the buffers of programs in this
    /// process.
    fn memory(&self, ordinal: usize) -> Option<MemoryUse> {
        let _ = ordinal;
        None
    }

    /// Prepares a lowered graph to run on the device of `queue`, which must come from [`queue`](Backend::queue). The graph may have
    /// symbols: bind the instance to sizes before running it.
    ///
    /// # Errors
    /// Returns [`BackendError::Unsupported`] if the backend cannot run a node that it claimed.
    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError>;

    /// Returns roughly how much the device does per second. Estimates use these rates if no measurement exists.
    fn rates(&self) -> Rates;

    /// Estimates how long one run of the graph takes at these rates.
    fn cost(&self, graph: &Graph, rates: &Rates) -> Cost {
        cost::estimate(graph, rates)
    }
}
