//! The context of a run: streams, the mode, and the functions that MLX has compiled.

use crate::plan::{Plan, PlanError};
use rlx_mlx_sys::{CompiledFunction, ElementType, Kind, Mlx, MlxArray, MlxError, Ops, Stream};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Maximum number of integers that are read in order to make a graph that depends on them.
const MOST_READ: usize = 1 << 12;

/// Whether an array consists of integers, and few enough to be read.
fn is_readable(x: &MlxArray) -> bool {
    x.len() <= MOST_READ && matches!(x.element_type(), ElementType::I32 | ElementType::I64)
}

/// When MLX computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MlxMode {
    /// Compute each node when it is made, so that a failure names the node.
    Eager,
    /// Compute the whole graph at once. Each run makes the graph again.
    #[default]
    Lazy,
    /// Compute the whole graph at once, with a function that MLX has compiled. Its graph is made once.
    Compiled,
}

/// An unknown name of a mode.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a mode of MLX; expected eager, lazy or compiled")]
pub struct UnknownMode(String);

impl std::str::FromStr for MlxMode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<MlxMode, UnknownMode> {
        match name {
            "eager" => Ok(MlxMode::Eager),
            "lazy" => Ok(MlxMode::Lazy),
            "compiled" => Ok(MlxMode::Compiled),
            other => Err(UnknownMode(other.into())),
        }
    }
}

impl std::fmt::Display for MlxMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            MlxMode::Eager => "eager",
            MlxMode::Lazy => "lazy",
            MlxMode::Compiled => "compiled",
        })
    }
}

/// The streams of a queue: one of its device, and one of the CPU for ops that MLX only has there.
#[derive(Debug)]
pub(crate) struct Streams {
    pub(crate) device: Stream,
    pub(crate) cpu: Option<Stream>,
}

impl Streams {
    /// Creates the streams for a device.
    pub(crate) fn new(mlx: Mlx, kind: Kind, ordinal: usize) -> Result<Streams, MlxError> {
        let cpu = match kind {
            Kind::Cpu => None,
            Kind::Gpu => Some(mlx.stream(Kind::Cpu, 0)?),
        };
        Ok(Streams { device: mlx.stream(kind, ordinal)?, cpu })
    }

    pub(crate) fn ops(&self) -> Ops<'_> {
        Ops::new(&self.device, self.cpu.as_ref().unwrap_or(&self.device))
    }
}

/// The functions that MLX has compiled for one queue. They are kept while their plans live.
#[derive(Default)]
pub(crate) struct Functions(Mutex<HashMap<(usize, usize), FunctionOf>>);

/// A compiled function, and the plan that it belongs to. The weak reference keeps the address of the plan from being reused.
struct FunctionOf {
    plan: Weak<Plan>,
    function: Arc<CompiledFunction>,
}

impl Functions {
    /// Returns the function of a part of a plan, and compiles it if necessary.
    fn of(
        &self,
        plan: &Arc<Plan>,
        part: usize,
        streams: &Arc<Streams>,
    ) -> Result<Arc<CompiledFunction>, MlxError> {
        let mut functions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Arc::as_ptr(plan).addr(), part);
        if let Some(of) = functions.get(&key) {
            return Ok(of.function.clone());
        }
        let (body, own) = (Arc::downgrade(plan), streams.clone());
        let trace = move |inputs: &[&MlxArray]| {
            let nested = Functions::default();
            let launch = Launch::new(&own, MlxMode::Lazy, &nested);
            let inputs = inputs.iter().map(|&input| input.clone()).collect();
            let body = body.upgrade().ok_or_else(|| MlxError::Failed("the program is gone".into()))?;
            let part =
                body.parts().get(part).ok_or_else(|| MlxError::Failed("there is no such part".into()))?;
            body.run_part(&launch, part, inputs).map_err(|e| MlxError::Failed(e.to_string()))
        };
        let results = plan.parts().get(part).map_or(0, |part| part.gives.len());
        let function = CompiledFunction::new(streams.device.mlx(), results, Box::new(trace))?;
        let (plan, function) = (Arc::downgrade(plan), Arc::new(function));
        functions.retain(|_, of| of.plan.strong_count() > 0);
        functions.insert(key, FunctionOf { plan, function: function.clone() });
        Ok(function)
    }

    /// Returns the number of functions.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// The context of steps: MLX's array functions on the streams of the run.
pub(crate) struct Launch<'a> {
    ops: Ops<'a>,
    streams: &'a Arc<Streams>,
    mode: MlxMode,
    functions: &'a Functions,
}

impl<'a> Deref for Launch<'a> {
    type Target = Ops<'a>;

    fn deref(&self) -> &Ops<'a> {
        &self.ops
    }
}

impl<'a> Launch<'a> {
    pub(crate) fn new(streams: &'a Arc<Streams>, mode: MlxMode, functions: &'a Functions) -> Launch<'a> {
        Launch { ops: streams.ops(), streams, mode, functions }
    }

    pub(crate) fn mode(&self) -> MlxMode {
        self.mode
    }

    /// Returns whether arrays are computed on the CPU.
    pub(crate) fn is_cpu(&self) -> bool {
        self.streams.device.kind() == Kind::Cpu
    }

    /// Returns the results of a plan. Uses its compiled functions if the mode says so and the plan is straight. There is one function per
    /// part, because MLX would copy the function of a long plan as a whole before it computes anything. Inside another function, a plan
    /// is part of that function.
    pub(crate) fn call(&self, plan: &Arc<Plan>, inputs: Vec<MlxArray>) -> Result<Vec<MlxArray>, PlanError> {
        if self.mode != MlxMode::Compiled || plan.parts().is_empty() {
            return plan.run(self, inputs);
        }
        plan.run_in_parts(self, inputs, |part, inputs| {
            let borrowed: Vec<&MlxArray> = inputs.iter().collect();
            self.functions.of(plan, part, self.streams)?.call(&borrowed)
        })
    }

    /// Returns the elements of a small integer array that is already computed. Returns `None` for other arrays, and while the graph of a
    /// function is made, because that graph must work for other numbers too.
    pub(crate) fn ready(&self, x: &MlxArray) -> Result<Option<Vec<i64>>, MlxError> {
        if !is_readable(x) {
            return Ok(None);
        }
        let element = x.element_type();
        let mut bytes = vec![0; x.len() * element.size()];
        if !x.read_if_ready(&mut bytes)? {
            return Ok(None);
        }
        Ok(Some(match element {
            ElementType::I32 => {
                let (numbers, _) = bytes.as_chunks();
                numbers.iter().map(|&bytes| i64::from(i32::from_le_bytes(bytes))).collect()
            }
            _ => {
                let (numbers, _) = bytes.as_chunks();
                numbers.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect()
            }
        }))
    }

    /// Does the same, but computes the array first if necessary.
    pub(crate) fn numbers(&self, x: &MlxArray) -> Result<Option<Vec<i64>>, MlxError> {
        match self.ready(x)? {
            None if !self.is_tracing() && is_readable(x) => {
                self.eval(&[x])?;
                self.ready(x)
            }
            known => Ok(known),
        }
    }

    /// Computes a boolean scalar and returns whether it is true.
    pub(crate) fn is_true(&self, value: &MlxArray) -> Result<bool, MlxError> {
        Ok(self.bytes(value)?.iter().any(|&byte| byte != 0))
    }

    /// Computes an integer scalar and returns it as an i32.
    pub(crate) fn whole_number(&self, value: &MlxArray) -> Result<i32, MlxError> {
        let bytes = self.bytes(&self.astype(value, ElementType::I32)?)?;
        Ok(bytes.first_chunk().map_or(0, |&bytes| i32::from_le_bytes(bytes)))
    }
}
