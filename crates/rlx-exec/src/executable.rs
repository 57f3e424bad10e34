//! The device-independent interface of program instances: arguments, runs and outputs.

use crate::buffer::Buffer;
use crate::queue::Queue;
use rlx_compile::{BackendError, BindError, Param, StepInfo};
use rlx_ir::Bindings;
use std::any::Any;
use std::sync::Arc;

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

/// The values that a run reads and writes.
#[derive(Debug)]
pub struct Arguments<'a, 'b> {
    /// One value per input, in graph order. The input of an alias pair is the state buffer of that pair.
    pub inputs: &'a [Value<'a>],
    /// One buffer per alias pair, in the order of the program's pairs. After the run, each holds the value of the pair's output. A failed
    /// run may leave them half updated.
    pub state: &'a mut [Buffer],
    /// Where to write outputs, in graph order: the caller's memory, or `None` for the program's own. The list may be shorter than the
    /// outputs: the rest are written to the program's own memory.
    pub outputs: &'a mut [Option<&'b mut [u8]>],
}

/// One instance of a prepared program. It has its own working memory, and shares the program, the parameters and everything derived from
/// them with its clones. It runs at the sizes that it was last bound to.
pub trait Executable: Send + Sync {
    /// Creates another instance with the same parameters, bound to the same sizes. Its runs are put on `queue`, which the backend must
    /// have made for the same device.
    ///
    /// # Errors
    /// Returns [`BackendError::Argument`] if the queue belongs to another device, and the device's errors.
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError>;

    /// Sets parameter `index` (in graph order) of this instance and of clones made from it later.
    fn set_param(&mut self, index: usize, value: Param);

    /// Sets the sizes for the runs that follow. Programs for sizes that were bound before are reused. If this fails, the instance stays
    /// bound to the previous sizes.
    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError>;

    /// Packs constants and the parameters that are set, on all threads, into the forms that runs at the current sizes read. The first
    /// run then does not have to do it. The bytes of a parameter that nothing reads any more are
    /// [released](rlx_compile::ParamBytes::release). A run packs whatever has not been packed yet; a second call does nothing.
    fn prepack(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// Runs the program. If the device works asynchronously (its queue is not a [host queue](Queue::host)), this puts the run on the queue
    /// and returns; [`wait`](Executable::wait) and everything that reads results wait for the run to end. Checks everything first: the
    /// number and lengths of arguments, and that parameters are set and have the right length.
    ///
    /// # Errors
    /// If the error [is a refusal](BackendError::is_refusal), the state is unchanged. After any other error, and after a panic, the state
    /// is lost. The instance can run again in both cases.
    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError>;

    /// Runs a program without state buffers on values in host memory, in graph order, and waits for the run to end.
    fn run_on_host(&mut self, inputs: &[&[u8]]) -> Result<(), BackendError> {
        let inputs: Vec<Value<'_>> = inputs.iter().map(|bytes| Value::Host(bytes)).collect();
        self.run(Arguments { inputs: &inputs, state: &mut [], outputs: &mut [] })?;
        self.wait()
    }

    /// Waits for the last run.
    fn wait(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// Returns the bytes of output `index` of the last run, downloaded if the output is on a device. The slice is empty before the first
    /// run. It is also empty for an output in host memory that updates a state buffer or was written to the caller's memory.
    fn output(&self, index: usize) -> Result<&[u8], BackendError>;

    /// Replaces `into` with output `index` of the last run. If outputs stay on their device, so does this value. Later runs do not change
    /// it.
    fn store_output(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        into.write(self.output(index)?)
    }

    /// Copies the outputs of the last run to the working memory on the host, unless the program computed them there.
    fn fetch(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// Returns the working memory on the host, which contains the outputs (after [`fetch`](Executable::fetch)), and its size in bytes.
    fn arena(&self) -> (*const u8, usize);

    /// Returns the offset of output `index` in the working memory, or `None` for an output that updates a state buffer in host memory.
    fn output_offset(&self, index: usize) -> Option<usize>;

    /// Describes how the program runs and how much memory it needs, in a few lines of text.
    fn describe(&self) -> String;

    /// Returns the steps of a run, in order. The list is empty if the backend does not know them.
    fn steps(&self) -> Vec<StepInfo> {
        Vec::new()
    }

    /// Returns the instance as its own type, for tests and tools.
    fn as_any(&self) -> &dyn Any;
}
