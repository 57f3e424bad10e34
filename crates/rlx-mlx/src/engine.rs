//! MLX as an engine: values are MLX arrays, and results stay arrays until they are read.

use crate::emit::ArrayType;
use crate::launch::{Functions, Launch, MlxMode, Streams};
use crate::params::{self, MlxParams};
use crate::plan::{PackedParam, Plan};
use crate::queue::{MlxQueue, failed};
use rlx_compile::{BackendError, BindError, Budget, Lowered};
use rlx_driver::{Device, DeviceId};
use rlx_exec::buffer::DeviceBuffer;
use rlx_exec::{At, Engine, EngineMemory, Pack, ProgramLayout, ProgramRun, Queue};
use rlx_ir::Bindings;
use rlx_mlx_sys::{ElementType, Mlx, MlxArray};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An MLX array as a value on the device.
struct DeviceValue {
    array: MlxArray,
    /// The streams that compute the array.
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

/// Runs programs with MLX in one of its modes.
pub struct MlxEngine {
    mlx: Mlx,
    mode: MlxMode,
}

/// A program at certain sizes. The graph is lowered once for all sizes; binding it makes the steps.
pub struct SizedProgram {
    plan: Arc<Plan>,
    inputs: Vec<ArrayType>,
    /// The parameters, with their names.
    params: Vec<(String, ArrayType)>,
    layout: ProgramLayout,
}

/// The streams of an instance's queue, and the functions that MLX has compiled for them.
pub struct MlxWorker {
    streams: Arc<Streams>,
    ordinal: usize,
    functions: Arc<Functions>,
    /// How long the last run took to make its graph.
    building: Duration,
}

impl MlxWorker {
    /// Returns how long the last run took to make MLX's graph, including everything that control flow computed meanwhile.
    pub fn building_time(&self) -> Duration {
        self.building
    }

    /// Returns the number of functions that MLX has compiled for the programs on this queue.
    pub fn compiled_functions(&self) -> usize {
        self.functions.len()
    }
}

impl MlxEngine {
    pub(crate) fn new(mlx: Mlx, mode: MlxMode) -> MlxEngine {
        MlxEngine { mlx, mode }
    }

    /// Returns the arrays of parameters that runs read: first one per parameter, for steps that read it unpacked, then the arrays that are
    /// packed for products.
    fn arrays(&self, program: &SizedProgram, params: &MlxParams) -> Result<Vec<MlxArray>, BackendError> {
        let mlx = self.mlx;
        let plain = program.plan.plain_params();
        let wrong = |index: usize, problem: &dyn std::fmt::Display| {
            BackendError::Argument(format!("parameter `{}`: {problem}", program.params[index].0))
        };
        // INVARIANT: a run, and packing ahead of it, only call this if all parameters are set.
        let param = |index: usize| params.param(index).ok_or_else(|| wrong(index, &"is not set"));
        let mut arrays = Vec::with_capacity(program.params.len());
        for (index, (_, kind)) in program.params.iter().enumerate() {
            // If nothing reads a parameter unpacked, a placeholder takes its position.
            let array = match plain[index] {
                true => params::array(param(index)?, mlx, kind),
                false => MlxArray::from_bytes(mlx, &[0], &[], ElementType::U8),
            };
            arrays.push(array.map_err(|e| wrong(index, &e))?);
        }
        for PackedParam { index, packing, .. } in program.plan.packed_params() {
            let (kind, is_alone) = (&program.params[*index].1, !plain[*index]);
            let packed = params::packed(param(*index)?, mlx, kind, *packing, is_alone);
            arrays.extend(packed.map_err(|e| wrong(*index, &e))?);
        }
        Ok(arrays)
    }

    fn upload(
        &self,
        program: &SizedProgram,
        worker: &MlxWorker,
        index: usize,
        bytes: &[u8],
    ) -> Result<DeviceValue, BackendError> {
        let kind = &program.inputs[index];
        let array = MlxArray::from_bytes(self.mlx, bytes, &kind.dims, kind.element);
        let array = array.map_err(|e| match failed(e) {
            BackendError::Argument(message) => BackendError::Argument(format!("input {index}: {message}")),
            error => error,
        })?;
        Ok(worker.value(array, bytes.len()))
    }
}

impl MlxWorker {
    fn value(&self, array: MlxArray, num_bytes: usize) -> DeviceValue {
        DeviceValue { array, streams: self.streams.clone(), ordinal: self.ordinal, num_bytes }
    }
}

impl Engine for MlxEngine {
    type Program = SizedProgram;
    type Params = MlxParams;
    type Packed = Vec<MlxArray>;
    type Worker = MlxWorker;

    const MEMORY: EngineMemory = EngineMemory::Device;

    fn name(&self) -> &'static str {
        "MLX"
    }

    fn prepare(&self, lowered: &Lowered, sizes: &Bindings) -> Result<SizedProgram, BindError> {
        let graph = lowered.bind(sizes)?.graph();
        let types = |nodes: &mut dyn Iterator<Item = &rlx_ir::Node>| {
            let all = nodes.map(|node| ArrayType::of(node.shape()));
            all.collect::<Result<Vec<_>, _>>().map_err(BackendError::Unsupported)
        };
        let layout = ProgramLayout::of_graph(&graph, lowered.aliases(), false)?;
        let plan = Plan::new(&graph, self.mlx)?;
        let (peak, largest) = plan.peak_bytes();
        let budget = Budget::of(lowered.options());
        budget.take(peak, || format!("the peak of live values, up to {largest},"))?;
        let names = graph.params().map(|node| node.name().unwrap_or_default().to_string());
        let params = names.zip(types(&mut graph.params())?).collect();
        let inputs = types(&mut graph.inputs())?;
        Ok(SizedProgram { plan: Arc::new(plan), inputs, params, layout })
    }

    fn layout<'p>(&self, program: &'p SizedProgram) -> &'p ProgramLayout {
        &program.layout
    }

    fn worker(
        &self,
        _: &Arc<SizedProgram>,
        queue: &Arc<dyn Queue>,
        _: Option<&MlxWorker>,
    ) -> Result<MlxWorker, BackendError> {
        let Some(own) = queue.as_any().downcast_ref::<MlxQueue>() else {
            let problem = format!("the queue belongs to `{}`; this graph runs on `mlx`", queue.device());
            return Err(BackendError::Argument(problem));
        };
        let (streams, functions) = (own.streams.clone(), own.functions.clone());
        Ok(MlxWorker { streams, ordinal: queue.device().ordinal, functions, building: Duration::ZERO })
    }

    fn pack(
        &self,
        at: At<'_, Self>,
        current: Option<&Vec<MlxArray>>,
        _: Pack,
    ) -> Result<Option<Vec<MlxArray>>, BackendError> {
        if current.is_some() || !at.params.are_set() {
            return Ok(None);
        }
        self.arrays(at.program, at.params).map(Some)
    }

    fn launch(
        &self,
        at: At<'_, Self>,
        packed: Option<&Vec<MlxArray>>,
        mut run: ProgramRun<'_, '_>,
    ) -> Result<(), BackendError> {
        let At { program, worker, .. } = at;
        let accepts = |index: usize, value: &DeviceValue| {
            let kind = &program.inputs[index];
            value.array.mlx() == self.mlx
                && value.array.element_type() == kind.element
                && value.array.dims() == kind.dims
        };
        let operands = run.operands(|index, bytes| self.upload(program, worker, index, bytes), accepts)?;
        // MLX may overwrite arrays that nothing else holds.
        let mut given: Vec<MlxArray> =
            operands.into_iter().map(|operand| operand.array().array.clone()).collect();
        given.extend(packed.into_iter().flatten().cloned());
        let launch = Launch::new(&worker.streams, self.mode, &worker.functions);
        let begin = Instant::now();
        let made = launch.call(&program.plan, given)?;
        let building = begin.elapsed();
        launch.async_eval(&made.iter().collect::<Vec<_>>()).map_err(failed)?;
        worker.building = building;
        let value = |(index, array)| worker.value(array, program.layout.output_bytes(index));
        let made: Vec<DeviceValue> = made.into_iter().enumerate().map(value).collect();
        run.leave(made)
    }

    fn wait(&self, worker: &mut MlxWorker) -> Result<(), BackendError> {
        worker.streams.device.wait().map_err(failed)
    }

    fn describe(&self, current: Option<(&SizedProgram, &MlxWorker)>) -> String {
        let mut text = format!("MLX {}, {}\n", self.mlx.version(), self.mode);
        if let Some((program, _)) = current {
            let how = if program.plan.is_straight() { "one graph" } else { "control flow on the host" };
            text.push_str(&format!("{} steps, {how}\n", program.plan.num_steps()));
        }
        text
    }
}
