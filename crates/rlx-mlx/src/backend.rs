//! MLX as a backend: its claims, and whether it is available.

use crate::claims::MlxClaims;
use crate::engine::MlxEngine;
use crate::launch::Streams;
use crate::options::MlxOptions;
use crate::queue::{MlxQueue, failed};
use crate::variables::{CACHE_LIMIT, DEVICE, LIBRARY, MEMORY_LIMIT, MODE, VARIABLES, WIRED_LIMIT};
use rlx_compile::{BackendError, Claims, CompileOptions, Lowered, Rates};
use rlx_driver::env::{Variable, Variables};
use rlx_driver::{Bytes, Device, Env};
use rlx_exec::{Availability, Backend, Executable, Instance, MemoryUse, Queue};
use rlx_mlx_sys::{Kind, Mlx};
use std::sync::{Arc, OnceLock};

/// The loaded MLX library, and the kind of device that it computes on.
#[derive(Clone, Copy, Debug)]
struct Connected {
    mlx: Mlx,
    kind: Kind,
}

/// The devices of MLX. The library is loaded on first use.
#[derive(Default)]
pub struct MlxBackend {
    connected: OnceLock<Result<Connected, String>>,
}

fn connect() -> Result<Connected, String> {
    let env = Env::process();
    env.check(VARIABLES).map_err(|e| e.to_string())?;
    let library = env.get(&LIBRARY).map_err(|e| e.to_string())?;
    let mlx = Mlx::load(library.as_deref()).map_err(|e| e.to_string())?;
    let kind = env.get(&DEVICE).map_err(|e| e.to_string())?.unwrap_or_else(|| mlx.default_kind());
    mlx.check_kind(kind).map_err(|e| e.to_string())?;
    // On a CPU, MLX would compile fused kernels with the system's compiler, if there is one, in a second each.
    mlx.set_fusing(kind == Kind::Gpu).map_err(|e| e.to_string())?;
    let limit = |variable: &Variable<Bytes>| env.get(variable).map_err(|e| e.to_string());
    if let Some(Bytes(limit)) = limit(&MEMORY_LIMIT)? {
        mlx.limit_memory(limit).map_err(|e| e.to_string())?;
    }
    if let Some(Bytes(limit)) = limit(&CACHE_LIMIT)? {
        mlx.limit_cache(limit).map_err(|e| e.to_string())?;
    }
    if let Some(Bytes(limit)) = limit(&WIRED_LIMIT)? {
        mlx.limit_wired(limit).map_err(|e| e.to_string())?;
    }
    Ok(Connected { mlx, kind })
}

impl MlxBackend {
    /// Creates the backend. On first use it loads the library that the environment selects.
    pub fn new() -> MlxBackend {
        MlxBackend::default()
    }

    /// Returns the loaded library, or the error of a backend without it.
    fn connected(&self) -> Result<Connected, BackendError> {
        let connected = self.connected.get_or_init(connect).clone();
        connected.map_err(|reason| BackendError::Unavailable { device: Device::Mlx, reason })
    }
}

impl Backend for MlxBackend {
    fn device(&self) -> Device {
        Device::Mlx
    }

    fn availability(&self) -> Availability {
        match self.connected.get_or_init(connect) {
            Ok(Connected { mlx, kind }) => {
                let name = mlx.device(*kind, 0).map_or_else(|e| e.to_string(), |device| device.name);
                let kind = if *kind == Kind::Gpu { "GPU" } else { "CPU" };
                Availability::Present(format!("MLX {} on the {kind}: {name}", mlx.version()))
            }
            Err(reason) => Availability::Missing(reason.clone()),
        }
    }

    fn claims(&self) -> &dyn Claims {
        &MlxClaims
    }

    fn claims_key(&self) -> Option<String> {
        Some("mlx".into())
    }

    fn variables(&self) -> Variables {
        VARIABLES
    }

    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        let mut own = options.backend.get::<MlxOptions>().copied().unwrap_or_default();
        own.mode = own.mode.or(env.get(&MODE)?);
        options.backend.set(own);
        Ok(())
    }

    fn device_count(&self) -> usize {
        self.connected().map_or(0, |Connected { mlx, kind }| mlx.device_count(kind))
    }

    fn queue(&self, ordinal: usize) -> Result<Arc<dyn Queue>, BackendError> {
        let Connected { mlx, kind } = self.connected()?;
        self.checked_ordinal(ordinal)?;
        let streams = Streams::new(mlx, kind, ordinal).map_err(failed)?;
        Ok(Arc::new(MlxQueue::new(streams, ordinal)))
    }

    fn memory(&self, ordinal: usize) -> Option<MemoryUse> {
        let Connected { mlx, kind } = self.connected().ok()?;
        let used = mlx.memory().ok()?;
        let capacity = mlx.device(kind, ordinal).ok().and_then(|device| device.memory);
        Some(MemoryUse { in_use: used.active + used.cached, peak: Some(used.peak), capacity })
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let mode = lowered.options().backend.get::<MlxOptions>().and_then(|own| own.mode).unwrap_or_default();
        let engine = MlxEngine::new(self.connected()?.mlx, mode);
        Ok(Box::new(Instance::new(engine, lowered, &MlxClaims, queue)?))
    }

    // MLX on a CPU is meant for checks, not for speed. Apple's GPUs reach a few trillion operations per second.
    fn rates(&self) -> Rates {
        match self.connected() {
            Ok(Connected { kind: Kind::Gpu, .. }) => {
                Rates { flops: 5e12, bytes: 2e11, transfer: 5e10, run: 2e-4 }
            }
            _ => Rates { flops: 5e9, bytes: 5e9, transfer: 1e10, run: 1e-4 },
        }
    }
}
