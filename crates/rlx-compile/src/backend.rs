//! What a backend is: claims, a way to prepare a lowered graph, and a cost model. It defines no semantics.
//!
//! Options that only one backend reads have a type of that backend in `CompileOptions::backend`;
//! [`Backend::apply_env`] adds what the environment says.

use crate::budget::over_limit;
use crate::buffer::Buffer;
use crate::cost::{self, Rates};
use crate::lowered::{BindError, Lowered};
use crate::options::CompileOptions;
use crate::param::Param;
use crate::profile::StepInfo;
use crate::queue::{HostQueue, Queue};
use rlx_driver::{Device, DeviceId, Env, OutOfMemory};
use rlx_fusion::Claims;
use rlx_ir::{Bindings, Graph};
use std::any::Any;
use std::sync::Arc;

/// Whether a device can be used now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Availability {
    /// It can; a line that describes it.
    Present(String),
    /// It cannot; why, in one sentence.
    Missing(String),
}

impl Availability {
    /// Whether the device can be used.
    pub fn is_present(&self) -> bool {
        matches!(self, Availability::Present(_))
    }
}

/// A backend's estimate of one run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// Seconds of one run, without the first.
    pub seconds: f64,
}

/// What went wrong in a backend.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BackendError {
    /// The device cannot be used.
    #[error("{device} is not available: {reason}")]
    Unavailable {
        /// The device.
        device: Device,
        /// Why, in one sentence.
        reason: String,
    },
    /// There is no device of this number.
    #[error("{device} is not there: {}", there_are(*.count, device.device))]
    NoOrdinal {
        /// The device that was asked for.
        device: DeviceId,
        /// How many there are of its kind.
        count: usize,
    },
    /// The system started no thread.
    #[error("no thread could be started for work in the background: {0}")]
    Thread(String),
    /// The backend has no way to run a node that it claimed, or an option that it does not take.
    #[error("{0}")]
    Unsupported(String),
    /// A node failed while it ran.
    #[error("`{op}`{label}: {message}")]
    Run {
        /// The op.
        op: String,
        /// The model path with a leading ` at `, or empty.
        label: String,
        /// What happened.
        message: String,
    },
    /// An argument of a call does not fit the program.
    #[error("{0}")]
    Argument(String),
    /// Memory could not be had.
    #[error("out of memory: {0} bytes could not be allocated")]
    OutOfMemory(usize),
    /// The program needs more memory than it may plan for ([`CompileOptions::memory_limit`]).
    #[error("{}", over_limit(.what, *.bytes, *.limit, *.taken))]
    MemoryLimit {
        /// What needs it: the op and its shape.
        what: String,
        /// How much that is.
        bytes: u64,
        /// How much the program may plan for.
        limit: u64,
        /// How much of that it had planned before.
        taken: u64,
    },
}

impl BackendError {
    /// Whether a run that fails with it has not begun: its state is as before.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            BackendError::Argument(_) | BackendError::OutOfMemory(_) | BackendError::MemoryLimit { .. }
        )
    }

    /// The error of a run that has begun, and may have changed its state. `who` ran it.
    pub fn after_begin(self, who: &str) -> BackendError {
        if self.is_refusal() {
            let message = self.to_string();
            return BackendError::Run { op: who.into(), label: String::new(), message };
        }
        self
    }
}

impl From<OutOfMemory> for BackendError {
    fn from(OutOfMemory(bytes): OutOfMemory) -> BackendError {
        BackendError::OutOfMemory(bytes)
    }
}

fn there_are(count: usize, device: Device) -> String {
    match count {
        0 => "there are no such devices".into(),
        1 => format!("there is only `{device}`"),
        _ => format!("there are {count}, from `{device}` to `{}`", device.ordinal(count - 1)),
    }
}

/// Memory of one device in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryUse {
    /// In use now.
    pub in_use: u64,
    /// The most that was in use at a time, where that is known.
    pub peak: Option<u64>,
    /// All that there is for programs, where that is known.
    pub capacity: Option<u64>,
}

/// The value of one input of a run.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Little-endian elements in the caller's memory.
    Host(&'a [u8]),
    /// A value in a buffer, on the host or on the device.
    Buffer(&'a Buffer),
    /// The state buffer of this index among the program's alias pairs.
    State(usize),
}

/// What a run reads and writes.
#[derive(Debug)]
pub struct Arguments<'a, 'b> {
    /// One value per input, in graph order. The input of an alias pair is the state buffer of that pair.
    pub inputs: &'a [Value<'b>],
    /// One buffer per alias pair of the program, in its order. After the run each holds the value of the pair's output; a
    /// run that fails may leave them half updated.
    pub state: &'a mut [Buffer],
    /// Where outputs are written, in graph order: the caller's memory, or the program's own. Those behind the end of the list
    /// lie in the program's own.
    pub outputs: &'a mut [Option<&'b mut [u8]>],
}

/// One instance of a prepared program: it has working memory of its own, and shares the program, the parameters and what is
/// derived from them with its clones. It runs at the sizes that it was last bound to.
pub trait Executable: Send + Sync {
    /// Another instance, with the same parameters, bound to the same sizes, whose runs are put on `queue`: one that the backend made
    /// for the same device.
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Box<dyn Executable>;

    /// Sets parameter `index` (in graph order) of this instance and of clones made from it later.
    fn set_param(&mut self, index: usize, value: Param);

    /// Takes the parameters of `other`, an instance for other sizes of the same graph, with what was made of them. False, and nothing
    /// changed, where it cannot: the parameters are then set one by one.
    fn share_params(&mut self, other: &dyn Executable) -> bool {
        let _ = other;
        false
    }

    /// Makes these sizes those of the runs that follow. Sizes that were bound before are found again. An error leaves the
    /// instance bound to the sizes before.
    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError>;

    /// Brings the parameters that are set, and constants, to the forms in which runs at the sizes last bound read them, so that the
    /// first run does not have to: packs them on all threads. Where nothing reads the bytes of a parameter any more, they are
    /// [released](crate::ParamBytes::release). A run does this for whatever is left to do; calling it again does nothing.
    fn prepack(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// Runs the program, or puts the run on the queue and returns where the device works by itself (its queue is no
    /// [host queue](Queue::host)); [`wait`](Executable::wait) and everything that reads results wait for the end. Everything is
    /// checked: the number and lengths of arguments, and that parameters are set and of the right length.
    ///
    /// # Errors
    /// One that [is a refusal](BackendError::is_refusal) says that the state is as before; after any other, and after a panic, the state is
    /// lost. An instance runs again after either.
    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError>;

    /// Runs a program without state buffers on values in host memory, in graph order, and waits for the end.
    fn run_on_host(&mut self, inputs: &[&[u8]]) -> Result<(), BackendError> {
        let inputs: Vec<Value<'_>> = inputs.iter().map(|bytes| Value::Host(bytes)).collect();
        self.run(Arguments { inputs: &inputs, state: &mut [], outputs: &mut [] })?;
        self.wait()
    }

    /// Waits for the last run.
    fn wait(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// The bytes of output `index` of the last run, downloaded where it lies on a device; none before the first run, for
    /// an output that updates a state buffer in host memory, and for one that was written to the caller's memory.
    fn output(&self, index: usize) -> Result<&[u8], BackendError>;

    /// Replaces `into` by output `index` of the last run. Where outputs stay on their device so does it; it does not change with
    /// later runs.
    fn store_output(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        into.write(self.output(index)?)
    }

    /// Brings the outputs of the last run to the working memory on the host, where the program does not compute them there.
    fn fetch(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// The working memory on the host, in which outputs lie (after [`fetch`](Executable::fetch)), and its size in bytes.
    fn arena(&self) -> (*const u8, usize);

    /// Offset of output `index` in the working memory; none for an output that updates a state buffer.
    fn output_offset(&self, index: usize) -> Option<usize>;

    /// How it runs and what memory it takes, in a few lines of text.
    fn describe(&self) -> String;

    /// The steps of a run, in order; none where the backend does not know them.
    fn steps(&self) -> Vec<StepInfo> {
        Vec::new()
    }

    /// The instance as its own type, for tests and tools.
    fn as_any(&self) -> &dyn Any;
}

/// A backend.
pub trait Backend: Send + Sync {
    /// The device that it serves.
    fn device(&self) -> Device;

    /// Whether the device can be used now.
    fn availability(&self) -> Availability;

    /// What it can run.
    fn claims(&self) -> &dyn Claims;

    /// What its claims depend on beside the op, as text: two backends of a device with equal texts claim the same. `None` where that
    /// cannot be said; its programs are then not kept on disk.
    fn claims_key(&self) -> Option<String> {
        None
    }

    /// Sets the backend's own block of options where the environment says something that the block leaves open.
    fn apply_env(&self, options: &mut CompileOptions, env: &Env) -> Result<(), BackendError> {
        let _ = (options, env);
        Ok(())
    }

    /// How many devices there are of its kind, which are numbered from 0.
    fn device_count(&self) -> usize {
        usize::from(self.availability().is_present())
    }

    /// A new queue of device `ordinal`.
    fn queue(&self, ordinal: usize) -> Result<Arc<dyn Queue>, BackendError> {
        let device = self.checked_ordinal(ordinal)?;
        Ok(Arc::new(HostQueue::new(device)))
    }

    /// The device of this number; an error where there is none.
    fn checked_ordinal(&self, ordinal: usize) -> Result<DeviceId, BackendError> {
        let (device, count) = (self.device().ordinal(ordinal), self.device_count());
        if ordinal < count { Ok(device) } else { Err(BackendError::NoOrdinal { device, count }) }
    }

    /// The memory of device `ordinal`, as far as it is known: on the host what the process holds in buffers of programs.
    fn memory(&self, ordinal: usize) -> Option<MemoryUse> {
        let _ = ordinal;
        None
    }

    /// Makes a lowered graph executable on the device of `queue`, which [`queue`](Backend::queue) has made. Its sizes need not be
    /// known: the instance is bound to them before it runs. Where the claims ask for static sizes, [`prepare`](crate::prepare) sees to
    /// it that they are.
    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError>;

    /// What prepares a lowered graph with symbols at each of its sizes, where its claims ask for static sizes and it shares something
    /// between them; nothing where this backend does, and each size is on its own.
    fn for_sizes(&self, lowered: &Lowered) -> Result<Option<Arc<dyn Backend>>, BackendError> {
        let _ = lowered;
        Ok(None)
    }

    /// What the device does in a second, roughly: what estimates are made with where nobody has measured it.
    fn rates(&self) -> Rates;

    /// How long one run of the graph would take at these rates.
    fn cost(&self, graph: &Graph, rates: &Rates) -> Cost {
        cost::estimate(graph, rates)
    }
}
