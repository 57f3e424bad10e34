//! A device of a PJRT plugin as an engine: parameters and results are arrays on the device.

use super::program::{Argument, Program, Source};
use super::{failed, failed_with};
use crate::api::{Client, Event, PjrtBuffer};
use crate::queue::PjrtQueue;
use rlx_compile::{BackendError, BindError, Lowered};
use rlx_driver::{Device, DeviceId};
use rlx_exec::buffer::DeviceBuffer;
use rlx_exec::{At, CachedParams, Engine, EngineMemory, Pack, ProgramLayout, ProgramRun, Queue};
use rlx_ir::{Bindings, DType};
use std::any::Any;
use std::sync::Arc;

/// An array on a device of a plugin, as a value of the runtime.
struct DeviceValue {
    array: PjrtBuffer,
    num_bytes: usize,
}

impl DeviceBuffer for DeviceValue {
    fn device(&self) -> DeviceId {
        Device::Tpu.ordinal(self.array.device())
    }

    fn num_bytes(&self) -> usize {
        self.num_bytes
    }

    fn download(&self, into: &mut [u8]) -> Result<(), BackendError> {
        self.array.download(into).map_err(failed)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A device of a plugin.
pub struct TpuEngine {
    client: Client,
    /// The number of the device.
    ordinal: usize,
}

/// For each argument, its array, if the argument is a parameter.
pub struct Uploaded(Vec<Option<Arc<PjrtBuffer>>>);

/// The queue of an instance, and the event for the end of the most recent run.
pub struct TpuWorker {
    running: Option<Arc<Event>>,
    queue: Arc<dyn Queue>,
}

impl TpuEngine {
    /// Creates the engine for the device of a queue.
    ///
    /// # Errors
    /// Returns [`BackendError::Argument`] if the queue belongs to another kind of device.
    pub(crate) fn new(client: &Client, queue: &Arc<dyn Queue>) -> Result<TpuEngine, BackendError> {
        own_queue(queue)?;
        Ok(TpuEngine { client: client.clone(), ordinal: queue.device().ordinal })
    }

    fn upload(&self, argument: &Argument, bytes: &[u8]) -> Result<DeviceValue, BackendError> {
        let array = self.client.upload(self.ordinal, argument.dtype, &argument.dims, bytes);
        Ok(DeviceValue { array: array.map_err(failed_with(bytes.len()))?, num_bytes: bytes.len() })
    }

    fn is_array_of(&self, argument: &Argument, array: &PjrtBuffer) -> bool {
        let same_type = |dtype: DType| dtype == argument.dtype;
        array.client().is_same(&self.client)
            && array.device() == self.ordinal
            && array.dtype().is_ok_and(same_type)
            && array.dims().is_ok_and(|dims| dims == argument.dims)
    }
}

fn own_queue(queue: &Arc<dyn Queue>) -> Result<&PjrtQueue, BackendError> {
    queue.as_any().downcast_ref::<PjrtQueue>().ok_or_else(|| {
        BackendError::Argument(format!("the queue belongs to `{}`; this graph runs on `tpu`", queue.device()))
    })
}

impl Uploaded {
    /// Returns the identity of the array of each parameter. Instances that share an array return the same identity.
    pub fn identities(&self) -> Vec<usize> {
        self.0.iter().flatten().map(|buffer| Arc::as_ptr(buffer).addr()).collect()
    }
}

impl Engine for TpuEngine {
    type Program = Program;
    type Params = CachedParams<Vec<usize>, Arc<PjrtBuffer>>;
    type Packed = Uploaded;
    type Worker = TpuWorker;

    const MEMORY: EngineMemory = EngineMemory::Device;

    fn name(&self) -> &'static str {
        "PJRT"
    }

    fn prepare(&self, lowered: &Lowered, _: &Bindings) -> Result<Program, BindError> {
        Ok(Program::new(&self.client, self.ordinal, lowered.graph(), lowered.aliases())?)
    }

    fn layout<'p>(&self, program: &'p Program) -> &'p ProgramLayout {
        &program.layout
    }

    fn worker(
        &self,
        _: &Arc<Program>,
        queue: &Arc<dyn Queue>,
        _: Option<&TpuWorker>,
    ) -> Result<TpuWorker, BackendError> {
        own_queue(queue)?;
        Ok(TpuWorker { running: None, queue: queue.clone() })
    }

    fn pack(
        &self,
        at: At<'_, Self>,
        current: Option<&Uploaded>,
        _: Pack,
    ) -> Result<Option<Uploaded>, BackendError> {
        let At { program, params, .. } = at;
        if current.is_some() || !params.are_set() {
            return Ok(None);
        }
        let one = |argument: &Argument| {
            let Source::Param(index) = argument.source else { return Ok(None) };
            let Some(param) = params.param(index) else { return Ok(None) };
            let upload = |value: &rlx_compile::Param| {
                self.upload(argument, value.bytes()).map(|uploaded| Arc::new(uploaded.array))
            };
            param.get(argument.dims.clone(), upload).map(Some)
        };
        program.arguments.iter().map(one).collect::<Result<_, BackendError>>().map(|all| Some(Uploaded(all)))
    }

    fn launch(
        &self,
        at: At<'_, Self>,
        packed: Option<&Uploaded>,
        mut run: ProgramRun<'_, '_>,
    ) -> Result<(), BackendError> {
        let At { program, worker, .. } = at;
        let input = |index: usize| &program.arguments[program.inputs[index]];
        let operands = run.operands(
            |index, bytes| self.upload(input(index), bytes),
            |index, value: &DeviceValue| self.is_array_of(input(index), &value.array),
        )?;
        let params = packed.map(|Uploaded(params)| &params[..]).unwrap_or_default();
        let argument = |(at, argument): (usize, &Argument)| match argument.source {
            // A state that nothing else holds is donated to the run, which writes the next value over it.
            Source::Input(index) => Some((&operands[index].array().array, operands[index].is_donated())),
            Source::Param(_) => params.get(at)?.as_deref().map(|array| (array, false)),
        };
        let missing = || BackendError::Argument("a parameter is not on the device".into());
        let arguments = program.arguments.iter().enumerate().map(argument);
        let arguments: Option<Vec<(&PjrtBuffer, bool)>> = arguments.collect();
        let (arrays, donated): (Vec<&PjrtBuffer>, Vec<bool>) =
            arguments.ok_or_else(missing)?.into_iter().unzip();
        let (results, running) = program.loaded.start(&arrays, &donated).map_err(failed)?;
        drop(operands);
        worker.running = running.map(Arc::new);
        if let Some(running) = &worker.running {
            own_queue(&worker.queue)?.push(running.clone());
        }
        let value = |(index, array)| DeviceValue { array, num_bytes: program.layout.output_bytes(index) };
        run.leave(results.into_iter().enumerate().map(value))
    }

    fn wait(&self, worker: &mut TpuWorker) -> Result<(), BackendError> {
        worker.running.take().map_or(Ok(()), |run| run.wait()).map_err(failed)
    }

    fn describe(&self, current: Option<(&Program, &TpuWorker)>) -> String {
        let device = self.client.device(self.ordinal).map_or_else(|e| e.to_string(), |d| d.kind);
        let (platform, count) = (self.client.platform(), self.client.device_count());
        let mut text = format!("{platform} ({device}), {count} device(s)\n");
        let Some((Program { loaded, text_bytes, layout, .. }, _)) = current else { return text };
        let bytes = layout.memory_bytes();
        text.push_str(&format!("StableHLO: {text_bytes} bytes\noutputs on the host: {bytes} bytes\n"));
        let estimate = loaded.estimate();
        let sizes =
            [("machine code", estimate.code_bytes), ("scratch on the device", estimate.scratch_bytes)];
        for (what, bytes) in sizes {
            text.extend(bytes.map(|b| format!("{what}: {b} bytes\n")));
        }
        text.extend(estimate.counts.iter().map(|(name, value)| format!("{name}: {value}\n")));
        text
    }
}
