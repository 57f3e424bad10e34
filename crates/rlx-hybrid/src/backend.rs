//! A pair of backends as one backend: its name, its availability, and how it prepares a graph.

use crate::divided::{Placements, divided};
use crate::prepare::BackendPair;
use crate::queue::renamed;
use crate::sized::SizedExecutable;
use crate::whole::WholeExecutable;
use rlx_compile::cost::Cost;
use rlx_compile::{BackendError, Claims, CompileOptions, Lowered, Rates};
use rlx_driver::env::Variables;
use rlx_driver::{Device, Env};
use rlx_exec::{Availability, Backend, Executable, MemoryUse, Queue};
use rlx_ir::{Bindings, Graph};
use std::sync::Arc;

/// A backend that runs graphs on the first of two backends, and what that one does not run on the second. Its device is the
/// [pair](Device::with) of their devices.
///
/// The first backend runs a graph as a whole if it can; its values then never leave its device. Otherwise the graph is divided into segments
/// ([crate]), whose values cross in host memory.
pub struct HybridBackend {
    device: Device,
    pair: Arc<BackendPair>,
}

impl HybridBackend {
    /// Creates a backend of two others. If their devices are the same, or one of them is already a pair, its device is that of the first
    /// backend.
    pub fn new(first: Arc<dyn Backend>, second: Arc<dyn Backend>) -> HybridBackend {
        let device = first.device().with(second.device()).unwrap_or(first.device());
        HybridBackend { device, pair: Arc::new(BackendPair::new(first, second)) }
    }

    /// Returns the backend with the name of another device, for example that of its first backend.
    pub fn named(self, device: Device) -> HybridBackend {
        HybridBackend { device, ..self }
    }
}

impl Backend for HybridBackend {
    fn device(&self) -> Device {
        self.device
    }

    fn availability(&self) -> Availability {
        for part in [&self.pair.first, &self.pair.second] {
            match part.availability() {
                Availability::Missing(why) if part.device() == self.device => {
                    return Availability::Missing(why);
                }
                Availability::Missing(why) => {
                    return Availability::Missing(format!("`{}` is missing: {why}", part.device()));
                }
                Availability::Present(_) => {}
            }
        }
        self.pair.first.availability()
    }

    fn claims(&self) -> &dyn Claims {
        &self.pair.claims
    }

    fn claims_key(&self) -> Option<String> {
        Some(format!("{} beside {}", self.pair.first.claims_key()?, self.pair.second.claims_key()?))
    }

    /// Returns the variables of the first backend. Sessions check those of the second with its own ones.
    fn variables(&self) -> Variables {
        self.pair.first.variables()
    }

    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        self.pair.first.apply_env(options, env)?;
        self.pair.second.apply_env(options, env)
    }

    fn share_between_sizes(&self, options: &mut CompileOptions) {
        self.pair.first.share_between_sizes(options);
        self.pair.second.share_between_sizes(options);
    }

    fn device_count(&self) -> usize {
        if self.availability().is_present() { self.pair.first.device_count() } else { 0 }
    }

    fn queue(&self, ordinal: usize) -> Result<Arc<dyn Queue>, BackendError> {
        let device = self.checked_ordinal(ordinal)?;
        Ok(renamed(self.pair.first.queue(ordinal)?, device))
    }

    fn memory(&self, ordinal: usize) -> Option<MemoryUse> {
        self.pair.first.memory(ordinal)
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let BackendPair { first, .. } = &*self.pair;
        let is_sized = first.limits().is_some() || lowered.needs_static_sizes(first.claims());
        if !lowered.is_static() && is_sized {
            return Ok(Box::new(SizedExecutable::new(&self.pair, lowered, queue)?));
        }
        let placement = self.pair.placement(lowered.graph());
        if placement.is_whole {
            return Ok(Box::new(WholeExecutable::new(&self.pair, lowered, queue)?));
        }
        let placements = Placements::default();
        if lowered.is_static() {
            // INVARIANT: it does not fail, because nothing is bound.
            let _ = placements.get(&Bindings::new(), || Ok(placement));
        }
        Ok(Box::new(divided(&self.pair, lowered, Arc::new(placements), queue)?))
    }

    fn rates(&self) -> Rates {
        self.pair.first.rates()
    }

    fn cost(&self, graph: &Graph, rates: &Rates) -> Cost {
        self.pair.first.cost(graph, rates)
    }
}
