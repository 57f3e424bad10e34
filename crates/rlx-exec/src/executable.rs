//! Instances of programs as their users see them: arguments, runs and outputs, whatever the device.

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

/// What a run reads and writes.
#[derive(Debug)]
pub struct Arguments<'a, 'b> {
    /// One value per input, in graph order. The input of an alias pair is the state buffer of that pair.
    pub inputs: &'a [Value<'a>],
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
    ///
    /// # Errors
    /// [`BackendError::Argument`] if the queue belongs to another device, and those of the device.
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError>;

    /// Sets parameter `index` (in graph order) of this instance and of clones made from it later.
    fn set_param(&mut self, index: usize, value: Param);

    /// Makes these sizes those of the runs that follow. Sizes that were bound before are found again. An error leaves the
    /// instance bound to the sizes before.
    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError>;

    /// Brings the parameters that are set, and constants, to the forms in which runs at the sizes last bound read them, so that the
    /// first run does not have to: packs them on all threads. Where nothing reads the bytes of a parameter any more, they are
    /// [released](rlx_compile::ParamBytes::release). A run does this for whatever is left to do; calling it again does nothing.
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
