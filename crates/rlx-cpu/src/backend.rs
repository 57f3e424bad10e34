//! The CPU as a backend: what it claims, and options for threads and the instruction set.

use crate::exec::CpuEngine;
use crate::isa::{Cpu, Isa, IsaError};
use crate::kernels;
use crate::pool::{Pool, Process};
use crate::variables::{CPU_ISA, NUM_THREADS, VARIABLES};
use rlx_compile::{BackendError, Claim, Claims, CompileOptions, Lowered, Rates};
use rlx_driver::env::Variables;
use rlx_driver::{Device, Env, machine_memory};
use rlx_exec::buffer::HostBuffer;
use rlx_exec::{Availability, Backend, Executable, Instance, MemoryUse, Queue};
use rlx_ir::{DType, FusionKind, Graph, Op, Shape};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// Options of the CPU backend. They are a block in [`CompileOptions::backend`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuOptions {
    /// Number of threads, at least 1; the number of cores by default. Programs with the same number share their threads.
    pub num_threads: Option<usize>,
    /// Instruction set; the best that the processor has by default. Compiling fails if the processor lacks it.
    pub isa: Option<Isa>,
    /// Whether even the smallest work is divided among the threads. This is slower, and is meant for tests of threads.
    pub split_always: bool,
}

impl CpuOptions {
    /// Returns the default options.
    pub fn new() -> CpuOptions {
        CpuOptions::default()
    }

    /// Sets the number of threads.
    pub fn num_threads(mut self, threads: usize) -> CpuOptions {
        self.num_threads = Some(threads);
        self
    }

    /// Sets the instruction set.
    pub fn isa(mut self, isa: Isa) -> CpuOptions {
        self.isa = Some(isa);
        self
    }

    /// Sets whether even the smallest work is divided among the threads.
    pub fn split_always(mut self, split: bool) -> CpuOptions {
        self.split_always = split;
        self
    }

    /// Returns the requested instruction set, or the best one.
    pub(crate) fn cpu(&self) -> Result<Cpu, BackendError> {
        let Some(isa) = self.isa else { return Ok(Cpu::detect()) };
        Cpu::with_isa(isa).map_err(|e| BackendError::Unsupported(e.to_string()))
    }

    /// Returns the pool with the requested number of threads, or with one thread per core.
    pub(crate) fn pool(&self) -> Result<Arc<Pool>, BackendError> {
        type Pools = HashMap<(usize, bool, Process), Weak<Pool>>;
        static POOLS: Mutex<Option<Pools>> = Mutex::new(None);
        let threads =
            self.num_threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
        let key = (threads, self.split_always, Process::current());
        let mut pools = rlx_pool::lock(&POOLS);
        let pools = pools.get_or_insert_with(HashMap::new);
        if let Some(pool) = pools.get(&key).and_then(Weak::upgrade) {
            return Ok(pool);
        }
        let make = if self.split_always { Pool::eager } else { Pool::new };
        let pool = Arc::new(make(threads).map_err(|e| BackendError::Unsupported(e.to_string()))?);
        pools.insert(key, Arc::downgrade(&pool));
        Ok(pool)
    }
}

/// The host's processor.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuBackend;

impl Claims for CpuBackend {
    fn claim(&self, op: &Op, operands: &[Shape], _results: &[Shape]) -> Claim {
        Claim::native(kernels::claims(op, operands))
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        match kind {
            FusionKind::Contraction | FusionKind::Reduction | FusionKind::Elementwise | FusionKind::Norm => {
                true
            }
        }
    }

    fn accepts(&self, kind: FusionKind, body: &Graph) -> bool {
        kernels::accepts(kind, body)
    }

    fn elementwise(&self, op: &Op, _dtype: DType) -> bool {
        kernels::is_elementwise(op)
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
        // What is claimed and how it is lowered may depend on each of these.
        let build = [
            (cfg!(feature = "linalg"), "linalg"),
            (crate::gemm::library_name().is_some(), "blas"),
            (cfg!(debug_assertions), "debug"),
        ];
        let build =
            build.into_iter().filter_map(|(is, name)| is.then_some(name)).collect::<Vec<_>>().join(" ");
        Some(format!("kernels {} {} {build}", env!("CARGO_PKG_VERSION"), Isa::detect()))
    }

    fn variables(&self) -> Variables {
        VARIABLES
    }

    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        let mut own = options.backend.get::<CpuOptions>().cloned().unwrap_or_default();
        own.num_threads = own.num_threads.or(env.get(&NUM_THREADS)?);
        if let (None, Some(isa)) = (own.isa, env.get(&CPU_ISA)?) {
            if !isa.is_available() {
                let e = IsaError::Unavailable { requested: isa };
                return Err(BackendError::Unsupported(format!("{} is {isa}: {e}", CPU_ISA.name)));
            }
            own.isa = Some(isa);
        }
        options.backend.set(own);
        Ok(())
    }

    fn memory(&self, _ordinal: usize) -> Option<MemoryUse> {
        Some(MemoryUse {
            in_use: HostBuffer::bytes_in_use(),
            peak: Some(HostBuffer::peak_bytes()),
            capacity: machine_memory().map(|memory| memory.0),
        })
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let engine = CpuEngine::new(&lowered)?;
        Ok(Box::new(Instance::new(engine, lowered, self, queue)?))
    }

    fn rates(&self) -> Rates {
        crate::cost::CORE
    }
}
