//! An instance of a program: arguments become arrays, results stay arrays until they are read, parameters are
//! shared with clones.

use crate::emit::ArrayType;
use crate::launch::{Functions, Launch, MlxMode, Streams};
use crate::params::HeldParam;
use crate::plan::{PackedParam, Plan};
use crate::queue::{MlxQueue, failed};
use rlx_compile::buffer::{DeviceBuffer, downloaded};
use rlx_compile::{
    Arguments, BackendError, BindError, BoundCache, Budget, Buffer, DeviceOutputs, Executable, Lowered,
    OutputPlaces, Param, Queue, Value,
};
use rlx_driver::{Device, DeviceId};
use rlx_ir::{Bindings, Graph};
use rlx_mlx_sys::{ElementType, Mlx, MlxArray, MlxError};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An array as a value of the runtime.
struct DeviceValue {
    array: MlxArray,
    /// The streams that compute it.
    streams: Arc<Streams>,
    ordinal: usize,
    num_bytes: usize,
}

impl DeviceBuffer for DeviceValue {
    fn device(&self) -> DeviceId {
        Device::Mlx.ordinal(self.ordinal)
    }

    fn num_bytes(&self) -> usize {
        self.num_bytes
    }

    fn download(&self, into: &mut [u8]) -> Result<(), BackendError> {
        self.array.read(&self.streams.device, into).map_err(failed)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A program at certain sizes.
struct SizedProgram {
    plan: Arc<Plan>,
    inputs: Vec<ArrayType>,
    params: Vec<ArrayType>,
    outputs: OutputPlaces,
}

impl SizedProgram {
    fn new(graph: &Graph, mlx: Mlx, budget: &Budget) -> Result<SizedProgram, BackendError> {
        let types = |nodes: &mut dyn Iterator<Item = &rlx_ir::Node>| {
            let all = nodes.map(|node| ArrayType::of(node.shape()));
            all.collect::<Result<Vec<_>, _>>().map_err(BackendError::Unsupported)
        };
        let outputs = OutputPlaces::new(&graph.output_shapes(), |_| false)?;
        let plan = Plan::new(graph, mlx)?;
        let (peak, largest) = plan.peak_bytes();
        budget.take(peak, || format!("what lives at a time, up to {largest},"))?;
        Ok(SizedProgram {
            plan: Arc::new(plan),
            inputs: types(&mut graph.inputs())?,
            params: types(&mut graph.params())?,
            outputs,
        })
    }
}

/// What all clones share.
struct SharedProgram {
    mlx: Mlx,
    mode: MlxMode,
    lowered: Lowered,
    sized: BoundCache<SizedProgram>,
}

/// A program on a device of MLX. Its graph is lowered once for all sizes; binding it makes its steps.
pub struct MlxProgram {
    shared: Arc<SharedProgram>,
    program: Option<Arc<SizedProgram>>,
    params: Vec<Option<Arc<HeldParam>>>,
    /// The arrays of the parameters at the sizes that are bound.
    held: Option<Vec<MlxArray>>,
    outputs: DeviceOutputs,
    streams: Arc<Streams>,
    ordinal: usize,
    functions: Functions,
    /// How long the last run made its graph.
    building: Duration,
}

impl MlxProgram {
    pub(crate) fn new(
        mlx: Mlx,
        mode: MlxMode,
        lowered: Lowered,
        queue: &Arc<dyn Queue>,
    ) -> Result<MlxProgram, BackendError> {
        let params = vec![None; lowered.graph().params().count()];
        let shared = Arc::new(SharedProgram { mlx, mode, lowered, sized: BoundCache::default() });
        let mut program = Self::instance(shared, params, queue)?;
        if program.shared.lowered.is_static() {
            program.bind_to(&Bindings::new()).map_err(|e| BackendError::Unsupported(e.to_string()))?;
        }
        Ok(program)
    }

    fn instance(
        shared: Arc<SharedProgram>,
        params: Vec<Option<Arc<HeldParam>>>,
        queue: &Arc<dyn Queue>,
    ) -> Result<MlxProgram, BackendError> {
        let own = queue.as_any().downcast_ref::<MlxQueue>();
        let streams = own.map(|queue| queue.streams.clone());
        let streams =
            streams.ok_or_else(|| BackendError::Argument("the queue belongs to no MLX device".into()))?;
        Ok(MlxProgram {
            shared,
            program: None,
            params,
            held: None,
            outputs: DeviceOutputs::default(),
            streams,
            ordinal: queue.device().ordinal,
            functions: Functions::default(),
            building: Duration::ZERO,
        })
    }

    fn bind_to(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        let shared = self.shared.clone();
        let program = shared.sized.get(bindings, || {
            let bound = shared.lowered.bind(bindings)?;
            let budget = Budget::of(shared.lowered.options());
            Ok(SizedProgram::new(&bound.graph(), shared.mlx, &budget)?)
        })?;
        self.held = None;
        self.program = Some(program);
        Ok(())
    }

    fn bound(&self) -> Result<Arc<SizedProgram>, BackendError> {
        let unbound = || BackendError::Argument("the program is bound to no sizes".into());
        self.program.clone().ok_or_else(unbound)
    }

    /// The arrays of the parameters.
    fn hold(&mut self, program: &SizedProgram) -> Result<(), BackendError> {
        if self.held.is_some() {
            return Ok(());
        }
        let graph = self.shared.lowered.graph();
        let mlx = self.shared.mlx;
        let names: Vec<&str> = graph.named_params().map(|(name, _)| name).collect();
        let missing =
            |index: usize| BackendError::Argument(format!("parameter `{}` is not set", names[index]));
        let wrong =
            |index: usize, e: MlxError| BackendError::Argument(format!("parameter `{}`: {e}", names[index]));
        let plain = program.plan.plain_params();
        let mut held = Vec::with_capacity(names.len());
        for (index, (kind, param)) in program.params.iter().zip(&self.params).enumerate() {
            let param = param.as_ref().ok_or_else(|| missing(index))?;
            // One that nothing reads as it is is no array: something stands for it.
            let array = match plain[index] {
                true => param.array(mlx, kind),
                false => MlxArray::from_bytes(mlx, &[0], &[], ElementType::U8),
            };
            held.push(array.map_err(|e| wrong(index, e))?);
        }
        for PackedParam { index, packing, .. } in program.plan.packed_params() {
            let param = self.params[*index].as_ref().ok_or_else(|| missing(*index))?;
            let arrays = param.packed(mlx, &program.params[*index], *packing, !plain[*index]);
            held.extend(arrays.map_err(|e| wrong(*index, e))?);
        }
        self.held = Some(held);
        Ok(())
    }

    fn upload(&self, kind: &ArrayType, index: usize, bytes: &[u8]) -> Result<MlxArray, BackendError> {
        let array = MlxArray::from_bytes(self.shared.mlx, bytes, &kind.dims, kind.element);
        array.map_err(|e| match failed(e) {
            BackendError::Argument(message) => BackendError::Argument(format!("input {index}: {message}")),
            error => error,
        })
    }

    /// A value in a buffer as an array: as it is, if it is one of the right sizes.
    fn array_of(&self, kind: &ArrayType, index: usize, buffer: &Buffer) -> Result<MlxArray, BackendError> {
        match buffer {
            Buffer::Host(bytes) => self.upload(kind, index, bytes),
            Buffer::Device(device) => {
                if let Some(value) = device.as_any().downcast_ref::<DeviceValue>()
                    && value.array.mlx() == self.shared.mlx
                    && value.array.element_type() == kind.element
                    && value.array.dims() == kind.dims
                {
                    return Ok(value.array.clone());
                }
                self.upload(kind, index, &downloaded(&**device)?)
            }
        }
    }

    /// How long the last run took to make MLX's graph, with what control flow computed meanwhile.
    pub fn building_time(&self) -> Duration {
        self.building
    }

    /// How often MLX has made a graph of its own for this instance.
    pub fn compiled_functions(&self) -> usize {
        self.functions.len()
    }
}

impl Executable for MlxProgram {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Box<dyn Executable> {
        let clone = Self::instance(self.shared.clone(), self.params.clone(), queue);
        // INVARIANT: the caller gives a queue that the backend has made.
        let mut clone = clone.unwrap_or_else(|e| panic!("{e}"));
        clone.program = self.program.clone();
        clone.held = self.held.clone();
        Box::new(clone)
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(HeldParam::new(value));
        }
        self.held = None;
    }

    fn share_params(&mut self, other: &dyn Executable) -> bool {
        let Some(other) = other.as_any().downcast_ref::<MlxProgram>() else { return false };
        let fits = self.shared.mlx == other.shared.mlx && self.params.len() == other.params.len();
        if fits {
            self.params.clone_from(&other.params);
            self.held = None;
        }
        fits
    }

    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        let of_graph = if self.shared.lowered.is_static() { &Bindings::new() } else { bindings };
        self.bind_to(of_graph)
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        let program = self.bound()?;
        if self.params.iter().all(Option::is_some) { self.hold(&program) } else { Ok(()) }
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        self.outputs.clear();
        let program = self.bound()?;
        let pairs = self.shared.lowered.aliases().len();
        arguments.check_counts(program.inputs.len(), pairs, program.outputs.len())?;
        self.hold(&program)?;
        let Arguments { inputs, state, outputs } = arguments;
        let mut given = Vec::with_capacity(program.inputs.len() + program.params.len());
        for (index, (value, kind)) in inputs.iter().zip(&program.inputs).enumerate() {
            given.push(match value {
                Value::Host(bytes) => self.upload(kind, index, bytes)?,
                Value::Buffer(buffer) => self.array_of(kind, index, buffer)?,
                Value::State(pair) => match state.get(*pair) {
                    Some(buffer) => self.array_of(kind, index, buffer)?,
                    None => return Err(BackendError::Argument(format!("there is no state buffer {pair}"))),
                },
            });
        }
        // State is given up to the run, which writes its next value over it where nobody else holds it; a run that fails loses it.
        for buffer in state.iter_mut() {
            *buffer = Buffer::from_bytes(&[])?;
        }
        given.extend(self.held.iter().flatten().cloned());
        let launch = Launch::new(&self.streams, self.shared.mode, &self.functions);
        let begin = Instant::now();
        // What was given up is gone, whatever the error.
        let begun = |error: BackendError| error.after_begin("MLX");
        let made = launch.call(&program.plan, given).map_err(|error| begun(error.into()))?;
        let building = begin.elapsed();
        launch.async_eval(&made.iter().collect::<Vec<_>>()).map_err(failed).map_err(begun)?;
        self.building = building;
        let value = |(index, array): (usize, MlxArray)| -> Arc<dyn DeviceBuffer> {
            let (streams, ordinal) = (self.streams.clone(), self.ordinal);
            Arc::new(DeviceValue { array, streams, ordinal, num_bytes: program.outputs.bytes(index) })
        };
        let made = made.into_iter().enumerate().map(value);
        self.outputs.set(made, self.shared.lowered.aliases(), state, outputs).map_err(begun)
    }

    fn wait(&mut self) -> Result<(), BackendError> {
        self.streams.device.wait().map_err(failed)
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        self.outputs.output(index)
    }

    fn store_output(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        self.outputs.store(index, into)
    }

    fn fetch(&mut self) -> Result<(), BackendError> {
        self.outputs.fetch(&self.bound()?.outputs)
    }

    fn arena(&self) -> (*const u8, usize) {
        self.outputs.arena()
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        self.program.as_ref()?.outputs.offset(index)
    }

    fn describe(&self) -> String {
        let SharedProgram { mlx, mode, .. } = &*self.shared;
        let mut text = format!("MLX {}, {mode}\n", mlx.version());
        if let Some(program) = &self.program {
            let how = if program.plan.is_straight() { "one graph" } else { "control flow on the host" };
            text.push_str(&format!("{} steps, {how}\n", program.plan.num_steps()));
        }
        text
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
