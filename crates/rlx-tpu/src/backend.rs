//! A PJRT plugin as a backend: its claims, and whether it is available.

use crate::api::{Client, MemoryStats};
use crate::cost;
use crate::exec::TpuEngine;
use crate::locate::{PluginChoice, options_of};
use crate::queue::PjrtQueue;
use crate::variables::VARIABLES;
use rlx_compile::{BackendError, Claim, Claims, Lowered, Rates};
use rlx_driver::env::Variables;
use rlx_driver::{Device, Env};
use rlx_exec::{Availability, Backend, Executable, Instance, MemoryUse, Queue};
use rlx_ir::{Op, Shape};
use std::sync::{Arc, OnceLock};

/// The devices of a plugin. The plugin is loaded on first use, with a single connection.
#[derive(Default)]
pub struct TpuBackend {
    /// The plugin; `None` for the environment's choice.
    choice: Option<PluginChoice>,
    client: OnceLock<Result<Client, String>>,
}

impl TpuBackend {
    /// Creates the backend. On first use it loads the plugin that the environment selects.
    pub fn new() -> TpuBackend {
        TpuBackend::default()
    }

    /// Creates the backend with a plugin that the program chooses.
    pub fn with_plugin(choice: PluginChoice) -> TpuBackend {
        TpuBackend { choice: Some(choice), client: OnceLock::new() }
    }

    /// Returns the connection, or why there is none.
    fn client(&self) -> Result<&Client, &str> {
        let connect = || {
            let env = Env::process();
            let choice = match &self.choice {
                Some(choice) => choice.clone(),
                None => PluginChoice::of(&env).map_err(|e| e.to_string())?,
            };
            choice.connect(&options_of(&env).map_err(|e| e.to_string())?)
        };
        self.client.get_or_init(connect).as_ref().map_err(String::as_str)
    }

    /// Returns the connection, or the error of a backend without one.
    fn connected(&self) -> Result<&Client, BackendError> {
        self.client()
            .map_err(|reason| BackendError::Unavailable { device: Device::Tpu, reason: reason.into() })
    }
}

impl Claims for TpuBackend {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        // The code of a custom op is in this process, not in the plugin.
        Claim::native(!matches!(op, Op::Custom { .. }) && rlx_stablehlo::has_form(op, operands, results))
    }

    /// Plugins only compile static programs.
    fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
    }
}

impl Backend for TpuBackend {
    fn device(&self) -> Device {
        Device::Tpu
    }

    fn availability(&self) -> Availability {
        match self.client() {
            Ok(client) => Availability::Present(described(client)),
            Err(reason) => Availability::Missing(reason.into()),
        }
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn variables(&self) -> Variables {
        VARIABLES
    }

    fn device_count(&self) -> usize {
        self.client().map_or(0, Client::device_count)
    }

    fn queue(&self, ordinal: usize) -> Result<Arc<dyn Queue>, BackendError> {
        let client = self.connected()?;
        self.checked_ordinal(ordinal)?;
        Ok(Arc::new(PjrtQueue::new(client, ordinal)))
    }

    fn memory(&self, ordinal: usize) -> Option<MemoryUse> {
        let MemoryStats { in_use, peak, limit } = self.client().ok()?.memory(ordinal).ok()?;
        Some(MemoryUse { in_use, peak, capacity: limit })
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let engine = TpuEngine::new(self.connected()?, queue)?;
        Ok(Box::new(Instance::new(engine, lowered, self, queue)?))
    }

    fn rates(&self) -> Rates {
        cost::rates(self.client().map_or("", Client::platform))
    }
}

/// Describes platform, devices and plugin in one line.
fn described(client: &Client) -> String {
    let kind = client.device(0).map_or_else(|_| "device".into(), |d| d.kind);
    let file = client.plugin().path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (major, minor) = client.plugin().version();
    let (platform, count) = (client.platform(), client.device_count());
    format!("{platform}: {count} × {kind} by {file} (PJRT {major}.{minor})")
}
