//! Backends that run less than the CPU, whose kernels they use.

use rlx_compile::{
    BackendError, BindError, Claim, Claims, CompileOptions, Lowered, Param, PrecisionPolicy, Rates, is_legal,
};
use rlx_cpu::CpuBackend;
use rlx_driver::Device;
use rlx_exec::{
    Availability, Backend, Buffer, Executable, GraphLimits, HostEngine, HostProgram, Instance, MemoryUse,
    Queue, lower,
};
use rlx_ir::{Bindings, DType, FusionKind, Graph, NodeId, Op, Shape};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A device that has neither sines nor f64, and fails on graphs that contain them.
#[derive(Default)]
pub struct NoSines {
    /// Whether it needs static sizes.
    pub is_sized: bool,
    /// Whether it refuses sums in graphs although it claims them, and keeps no state.
    pub is_limited: bool,
    /// Why it cannot be used.
    pub missing: Option<String>,
    /// The graphs that it prepared.
    pub prepared: AtomicUsize,
}

impl NoSines {
    fn lacks(op: &Op) -> bool {
        op.mnemonic() == "sin"
    }
}

/// Rates at which work on a device never moves to the CPU.
const FAST: Rates = Rates { flops: 1e30, bytes: 1e30, transfer: 1e30, run: f64::MIN_POSITIVE };

impl Claims for NoSines {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        if NoSines::lacks(op) { Claim::No(None) } else { CpuBackend.claim(op, operands, results) }
    }

    fn refused_type(&self, dtype: DType) -> Option<String> {
        (dtype == DType::F64).then(|| "there is no f64".into())
    }

    fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        self.is_sized
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        CpuBackend.fuses(kind)
    }

    fn accepts(&self, kind: FusionKind, body: &Graph) -> bool {
        CpuBackend.accepts(kind, body) && !body.nodes().iter().any(|node| NoSines::lacks(node.op()))
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        CpuBackend.elementwise(op, dtype) && !NoSines::lacks(op)
    }
}

impl GraphLimits for NoSines {
    fn has_values(&self, _: &Shape) -> bool {
        true
    }

    fn keeps_state(&self, _: &Shape) -> bool {
        false
    }

    fn refused(&self, graph: &Graph) -> HashMap<NodeId, String> {
        let sums = graph.nodes().iter().filter(|node| matches!(node.op(), Op::Reduce { .. }));
        sums.map(|node| (node.id(), "there are too many sums".into())).collect()
    }
}

impl Backend for NoSines {
    fn device(&self) -> Device {
        Device::Gpu
    }

    fn availability(&self) -> Availability {
        match &self.missing {
            Some(why) => Availability::Missing(why.clone()),
            None => Availability::Present("a device without sines".into()),
        }
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn limits(&self) -> Option<&dyn GraphLimits> {
        self.is_limited.then_some(self)
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        assert_eq!(queue.device().device, Device::Gpu);
        self.prepared.fetch_add(1, Relaxed);
        let is_complete = !self.is_limited || lowered.is_static() && self.refused(lowered.graph()).is_empty();
        if lowered.is_static() {
            assert!(is_complete && is_legal(lowered.graph(), self), "{}", lowered.graph());
        }
        CpuBackend.prepare(lowered, queue)
    }

    fn memory(&self, ordinal: usize) -> Option<MemoryUse> {
        (ordinal == 0).then_some(MemoryUse { in_use: 7, peak: None, capacity: Some(9) })
    }

    fn rates(&self) -> Rates {
        FAST
    }
}

/// A device with integers up to 100, which sees values as bytes.
#[derive(Default)]
pub struct SmallIntegers;

struct SmallProgram {
    lowered: Lowered,
    params: Vec<Option<Param>>,
    cpu: Box<dyn Executable>,
}

impl SmallProgram {
    fn new(lowered: &Lowered) -> Result<SmallProgram, BindError> {
        let unsupported = |e: &dyn std::error::Error| BackendError::Unsupported(e.to_string());
        let options = CompileOptions { precision: PrecisionPolicy::Declared, ..lowered.options().clone() };
        let own = lower(lowered.graph(), &[], &CpuBackend, &options).map_err(|e| unsupported(&e))?;
        let mut cpu = CpuBackend.prepare(own, &CpuBackend.queue(0)?)?;
        cpu.bind(&Bindings::new())?;
        let params = vec![None; lowered.graph().params().count()];
        Ok(SmallProgram { lowered: lowered.clone(), params, cpu })
    }
}

impl HostProgram for SmallProgram {
    fn clone_on(&self, _: &Arc<dyn Queue>) -> Result<Box<dyn HostProgram>, BackendError> {
        let failed = |e: BindError| BackendError::Unsupported(e.to_string());
        let mut clone = SmallProgram::new(&self.lowered).map_err(failed)?;
        for (index, param) in self.params.iter().enumerate() {
            param.iter().for_each(|param| clone.set_param(index, param.clone()));
        }
        Ok(Box::new(clone))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        self.params[index] = Some(value.clone());
        self.cpu.set_param(index, value);
    }

    fn run(
        &mut self,
        inputs: &[&[u8]],
        _: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError> {
        for (shape, bytes) in self.lowered.graph().input_shapes().iter().zip(inputs) {
            if shape.dtype() != DType::I32 {
                continue;
            }
            let mut numbers = bytes.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes));
            if let Some(number) = numbers.find(|&number| number > 100) {
                return Err(BackendError::Unrepresentable(format!("{number} is more than 100")));
            }
        }
        self.cpu.run_on_host(inputs)?;
        for (index, place) in outputs.iter_mut().enumerate() {
            place.copy_from_slice(self.cpu.output(index)?);
        }
        Ok(())
    }

    fn describe(&self) -> String {
        "small integers\n".into()
    }
}

impl Claims for SmallIntegers {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        NoSines::default().claim(op, operands, results)
    }

    fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
    }
}

impl Backend for SmallIntegers {
    fn device(&self) -> Device {
        Device::Tpu
    }

    fn availability(&self) -> Availability {
        Availability::Present("a device with small integers".into())
    }

    fn claims(&self) -> &dyn Claims {
        self
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let engine =
            HostEngine::new("small integers", |lowered, _| Ok(Box::new(SmallProgram::new(lowered)?)));
        Ok(Box::new(Instance::new(engine, lowered, self, queue)?))
    }

    fn rates(&self) -> Rates {
        FAST
    }
}
