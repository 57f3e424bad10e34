//! An instance of a program: its results on the device, and parameters shared with its clones.

use super::params::UploadedParam;
use super::program::{Argument, Program, Source};
use super::{failed, failed_with};
use crate::api::{Client, Event, PjrtBuffer};
use crate::queue::PjrtQueue;
use rlx_compile::buffer::{DeviceBuffer, downloaded};
use rlx_compile::{
    Arguments, BackendError, BindError, Buffer, DeviceOutputs, Executable, Lowered, Param, Queue, Value,
};
use rlx_driver::{Device, DeviceId};
use rlx_ir::{Bindings, DType};
use std::any::Any;
use std::sync::Arc;

/// What all clones share.
struct Shared {
    client: Client,
    /// The number of its device.
    ordinal: usize,
    lowered: Lowered,
    program: Program,
}

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

/// A static program on a device of a PJRT plugin. It is compiled once for all clones; a value of a parameter is copied to the device
/// once for all clones and for programs of other sizes, and results stay there until they are read.
pub struct TpuExecutable {
    shared: Arc<Shared>,
    params: Vec<Option<Arc<UploadedParam>>>,
    /// For each argument its array, if it is a parameter; filled before the first run and after a parameter changes.
    held: Option<Vec<Option<Arc<PjrtBuffer>>>>,
    outputs: DeviceOutputs,
    /// The end of the run that was started last.
    running: Option<Arc<Event>>,
    queue: Arc<dyn Queue>,
}

/// What is done to arguments before a run.
enum Prepared<'a> {
    Held(Arc<PjrtBuffer>),
    OnDevice(&'a DeviceValue),
    Uploaded(PjrtBuffer),
}

impl Prepared<'_> {
    fn array(&self) -> &PjrtBuffer {
        match self {
            Prepared::Held(array) => array,
            Prepared::OnDevice(value) => &value.array,
            Prepared::Uploaded(array) => array,
        }
    }
}

impl TpuExecutable {
    /// Compiles a lowered graph of static sizes.
    pub(crate) fn new(
        client: &Client,
        lowered: Lowered,
        queue: &Arc<dyn Queue>,
    ) -> Result<TpuExecutable, BackendError> {
        if !lowered.is_static() {
            let symbols: Vec<String> = lowered.graph().symbols().iter().map(|s| format!("`{s}`")).collect();
            let message =
                format!("a plugin compiles static programs; without a size: {}", symbols.join(", "));
            return Err(BackendError::Unsupported(message));
        }
        let params = vec![None; lowered.graph().params().count()];
        let (client, ordinal) = (client.clone(), queue.device().ordinal);
        let program = Program::new(&client, ordinal, lowered.graph(), lowered.aliases())?;
        Ok(Self::instance(Arc::new(Shared { client, ordinal, lowered, program }), params, queue))
    }

    fn instance(
        shared: Arc<Shared>,
        params: Vec<Option<Arc<UploadedParam>>>,
        queue: &Arc<dyn Queue>,
    ) -> TpuExecutable {
        let (outputs, queue) = (DeviceOutputs::default(), queue.clone());
        TpuExecutable { shared, params, held: None, outputs, running: None, queue }
    }

    /// For each parameter that is on the device the identity of its array: instances that share it have the same.
    pub fn parameter_arrays(&self) -> Vec<usize> {
        let held = self.held.iter().flatten().flatten();
        held.map(|buffer| Arc::as_ptr(buffer).addr()).collect()
    }

    /// Copies parameters to the device where they are not there yet.
    fn hold(&mut self) -> Result<(), BackendError> {
        if self.held.is_some() {
            return Ok(());
        }
        let one = |argument: &Argument| {
            let Source::Param(index) = argument.source else { return Ok(None) };
            let Some(param) = self.params.get(index).and_then(Option::as_ref) else {
                return Err(BackendError::Argument(format!("parameter {index} is not set")));
            };
            param.buffer(&self.shared.client, self.shared.ordinal, argument.dtype, &argument.dims).map(Some)
        };
        self.held = Some(self.shared.program.arguments.iter().map(one).collect::<Result<_, _>>()?);
        Ok(())
    }

    fn upload(&self, argument: &Argument, bytes: &[u8]) -> Result<PjrtBuffer, BackendError> {
        let expected = argument.dims.iter().try_fold(argument.dtype.size(), |n, &d| n.checked_mul(d));
        if expected != Some(bytes.len()) {
            let (dims, dtype, got) = (&argument.dims, argument.dtype, bytes.len());
            return Err(BackendError::Argument(format!(
                "{got} bytes do not make {dims:?} elements of {dtype}"
            )));
        }
        let client = &self.shared.client;
        client
            .upload(self.shared.ordinal, argument.dtype, &argument.dims, bytes)
            .map_err(failed_with(bytes.len()))
    }

    /// A value in a buffer as an array of this client: as it is, if it is one of the right shape.
    fn array_of<'b>(&self, argument: &Argument, buffer: &'b Buffer) -> Result<Prepared<'b>, BackendError> {
        match buffer {
            Buffer::Host(bytes) => Ok(Prepared::Uploaded(self.upload(argument, bytes)?)),
            Buffer::Device(device) => match device.as_any().downcast_ref::<DeviceValue>() {
                Some(value) if self.is_array_of(argument, &value.array) => Ok(Prepared::OnDevice(value)),
                _ => Ok(Prepared::Uploaded(self.upload(argument, &downloaded(&**device)?)?)),
            },
        }
    }

    fn is_array_of(&self, argument: &Argument, array: &PjrtBuffer) -> bool {
        let same_type = |dtype: DType| dtype == argument.dtype;
        array.client().is_same(&self.shared.client)
            && array.device() == self.shared.ordinal
            && array.dtype().is_ok_and(same_type)
            && array.dims().is_ok_and(|dims| dims == argument.dims)
    }
}

/// Whether an argument is a state buffer on the device that nothing but the program reads. The run makes a new one of it, and one that
/// fails loses it.
fn is_donated(argument: &Argument, inputs: &[Value<'_>], state: &[Buffer]) -> bool {
    let Source::Input(index) = argument.source else { return false };
    let Some(&Value::State(pair)) = inputs.get(index) else { return false };
    matches!(state.get(pair), Some(Buffer::Device(device)) if Arc::strong_count(device) == 1)
}

impl Executable for TpuExecutable {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Box<dyn Executable> {
        let mut clone = Self::instance(self.shared.clone(), self.params.clone(), queue);
        clone.held = self.held.clone();
        Box::new(clone)
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(Arc::new(UploadedParam::new(value)));
        }
        self.held = None;
    }

    fn share_params(&mut self, other: &dyn Executable) -> bool {
        let Some(other) = other.as_any().downcast_ref::<TpuExecutable>() else { return false };
        let (own, others) = (&self.shared, &other.shared);
        let fits = own.client.is_same(&others.client)
            && own.ordinal == others.ordinal
            && self.params.len() == other.params.len();
        if fits {
            self.params.clone_from(&other.params);
            self.held = None;
        }
        fits
    }

    /// The program is static: it is the same at all sizes.
    fn bind(&mut self, _: &Bindings) -> Result<(), BindError> {
        Ok(())
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        self.outputs.clear();
        self.hold()?;
        let shared = self.shared.clone();
        let (program, aliases) = (&shared.program, shared.lowered.aliases());
        let count = program.arguments.iter().filter(|a| matches!(a.source, Source::Input(_))).count();
        arguments.check_counts(count, aliases.len(), program.outputs.len())?;
        let Arguments { inputs, state, outputs } = arguments;
        let held = self.held.as_deref().unwrap_or_default();
        let prepared =
            program.arguments.iter().zip(held).map(|(argument, held)| match (argument.source, held) {
                (_, Some(held)) => Ok(Prepared::Held(held.clone())),
                (Source::Input(index), None) => match inputs[index] {
                    Value::Host(bytes) => Ok(Prepared::Uploaded(self.upload(argument, bytes)?)),
                    Value::Buffer(buffer) => self.array_of(argument, buffer),
                    Value::State(pair) => match state.get(pair) {
                        Some(buffer) => self.array_of(argument, buffer),
                        None => Err(BackendError::Argument(format!("there is no state buffer {pair}"))),
                    },
                },
                (Source::Param(index), None) => {
                    Err(BackendError::Argument(format!("parameter {index} is not on the device")))
                }
            });
        let prepared: Vec<Prepared<'_>> = prepared.collect::<Result<_, _>>()?;
        let arrays: Vec<&PjrtBuffer> = prepared.iter().map(Prepared::array).collect();
        // State that nobody else holds is given up to the run, which writes its next value over it.
        let donated: Vec<bool> = program.arguments.iter().map(|a| is_donated(a, inputs, state)).collect();
        let (results, running) = program.loaded.start(&arrays, &donated).map_err(failed)?;
        drop(prepared);
        self.running = running.map(Arc::new);
        if let (Some(run), Some(queue)) = (&self.running, self.queue.as_any().downcast_ref::<PjrtQueue>()) {
            queue.push(run.clone());
        }
        let value = |(index, array): (usize, PjrtBuffer)| -> Arc<dyn DeviceBuffer> {
            Arc::new(DeviceValue { array, num_bytes: program.outputs.bytes(index) })
        };
        let set = self.outputs.set(results.into_iter().enumerate().map(value), aliases, state, outputs);
        set.map_err(|error| error.after_begin("PJRT"))
    }

    fn wait(&mut self) -> Result<(), BackendError> {
        self.running.take().map_or(Ok(()), |run| run.wait()).map_err(failed)
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        self.outputs.output(index)
    }

    fn store_output(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        self.outputs.store(index, into)
    }

    fn fetch(&mut self) -> Result<(), BackendError> {
        self.outputs.fetch(&self.shared.program.outputs)
    }

    fn arena(&self) -> (*const u8, usize) {
        self.outputs.arena()
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        self.shared.program.outputs.offset(index)
    }

    fn describe(&self) -> String {
        let Program { client, loaded, text_bytes, outputs, .. } = &self.shared.program;
        let device = client.device(self.shared.ordinal).map_or_else(|e| e.to_string(), |d| d.kind);
        let mut text = format!(
            "{} ({device}), {} device(s)\nStableHLO: {text_bytes} bytes\noutputs on the host: {} bytes\n",
            client.platform(),
            client.device_count(),
            outputs.total_bytes(),
        );
        let estimate = loaded.estimate();
        let sizes =
            [("machine code", estimate.code_bytes), ("scratch on the device", estimate.scratch_bytes)];
        for (what, bytes) in sizes {
            text.extend(bytes.map(|b| format!("{what}: {b} bytes\n")));
        }
        text.extend(estimate.counts.iter().map(|(name, value)| format!("{name}: {value}\n")));
        text
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
