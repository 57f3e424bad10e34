//! The CPU as a backend: what it claims, and how options choose threads and instruction set.

use crate::exec::CpuExecutable;
use crate::isa::{Cpu, Isa};
use crate::kernels;
use crate::pool::Pool;
use rlx_compile::{Availability, Backend, BackendError, Claims, CompileOptions, Executable, Lowered, Rates};
use rlx_driver::Device;
use rlx_ir::{DType, FusionKind, Op, Shape};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The host's processor.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuBackend;

impl Claims for CpuBackend {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        kernels::claims(op, operands, results)
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        kernels::fuses(kind)
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        kernels::elementwise_claims(op, dtype)
    }
}

impl Backend for CpuBackend {
    fn device(&self) -> Device {
        Device::Cpu
    }

    fn availability(&self) -> Availability {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let library = crate::gemm::library_name().map_or_else(String::new, |name| format!(", {name}"));
        Availability::Present(format!("{cores} core(s), {}{library}", Isa::detect().name()))
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn claims_key(&self) -> Option<String> {
        Some("kernels".into())
    }

    fn prepare(&self, lowered: Lowered) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(CpuExecutable::new(lowered)?))
    }

    fn rates(&self) -> Rates {
        crate::cost::CORE
    }
}

/// The instruction set that the options ask for, or the best.
pub(crate) fn cpu_of(options: &CompileOptions) -> Result<Cpu, BackendError> {
    let Some(name) = &options.cpu_isa else { return Ok(Cpu::detect()) };
    let isa: Isa = name.parse().map_err(|e| BackendError::Unsupported(format!("instruction set: {e}")))?;
    Cpu::with_isa(isa).map_err(|e| BackendError::Unsupported(e.to_string()))
}

/// The pool with as many threads as the options ask for, or as there are cores. Programs with the same number share
/// one pool.
pub(crate) fn pool_of(options: &CompileOptions) -> Result<Arc<Pool>, BackendError> {
    type Pools = HashMap<(usize, bool), Weak<Pool>>;
    static POOLS: Mutex<Option<Pools>> = Mutex::new(None);
    let threads =
        options.num_threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let key = (threads, options.split_always);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_with(HashMap::new);
    if let Some(pool) = pools.get(&key).and_then(Weak::upgrade) {
        return Ok(pool);
    }
    let make = if options.split_always { Pool::eager } else { Pool::new };
    let pool = Arc::new(make(threads).map_err(|e| BackendError::Unsupported(e.to_string()))?);
    pools.insert(key, Arc::downgrade(&pool));
    Ok(pool)
}
