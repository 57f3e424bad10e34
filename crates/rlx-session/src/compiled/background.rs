//! A run in the background: `commit_no_wait` starts it, `sync_pending` waits for it.

use super::CompiledGraph;
use crate::error::RuntimeError;
use crate::inputs::Conversion;
use crate::state::Place;
use rlx_compile::{Arguments, BackendError, Buffer, Executable, Value};
use rlx_ir::DType;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

/// A run that was started and not yet waited for.
pub(super) enum Pending {
    /// The device runs by itself.
    Device,
    /// It is a job of the host queue, which sends the program back. Only `&mut` receives it: the lock is never waited for.
    Job(Mutex<Receiver<Finished>>),
}

/// What a job gives back.
pub(super) struct Finished {
    executable: Box<dyn Executable>,
    state: Vec<Buffer>,
    ran: Result<(), BackendError>,
}

/// One input of a run as a job.
enum Owned {
    Buffer(Buffer),
    State(usize),
}

impl Owned {
    fn value(&self) -> Value<'_> {
        match self {
            Owned::Buffer(buffer) => Value::Buffer(buffer),
            Owned::State(pair) => Value::State(*pair),
        }
    }
}

impl CompiledGraph {
    /// Puts a run on the queue and returns at once. The inputs are copied.
    pub fn commit_no_wait(&mut self, inputs: &[(&str, &[f32])]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        let values = self.gather(&given, Conversion::FromF32)?;
        self.prepare_run(&values)?;
        let queue = self.queue.clone();
        let Some(queue) = queue.host() else {
            self.start(&values)?;
            self.pending = Some(Pending::Device);
            return Ok(());
        };
        queue.start()?;
        let mut owned = Vec::with_capacity(values.len());
        for (input, value) in values.iter().enumerate() {
            owned.push(match (self.states.place(input), value, self.states.get(input)) {
                (Place::Aliased(pair), ..) => Owned::State(pair),
                (_, Some(bytes), _) => Owned::Buffer(Buffer::from_bytes(bytes)?),
                (_, None, Some((_, buffer))) => Owned::Buffer(buffer.clone()),
                (_, None, None) => return Err(RuntimeError::MissingInputs(self.input_name(input).into())),
            });
        }
        let Some(mut executable) = self.executable.take() else { return Err(self.no_program()) };
        let mut state = self.states.take_aliased();
        let (sender, finished) = sync_channel(1);
        let job = move || {
            let inputs: Vec<Value<'_>> = owned.iter().map(Owned::value).collect();
            let ran = executable.run(Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] });
            // Nobody receives it where the compiled graph was dropped meanwhile.
            let _ = sender.send(Finished { executable, state, ran });
        };
        self.pending = Some(Pending::Job(Mutex::new(finished)));
        Ok(queue.submit(Box::new(job))?)
    }

    /// Waits for the run that [`commit_no_wait`](CompiledGraph::commit_no_wait) started and returns its outputs.
    pub fn sync_pending(&mut self) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let nothing = "no background run is pending; call `commit_no_wait`";
        let ran = match self.pending.take().ok_or(RuntimeError::Pending(nothing))? {
            Pending::Device => self.executable_mut()?.wait(),
            Pending::Job(finished) => {
                match finished.into_inner().unwrap_or_else(PoisonError::into_inner).recv() {
                    Ok(finished) => {
                        self.executable = Some(finished.executable);
                        self.states.put_aliased(finished.state);
                        finished.ran
                    }
                    Err(_) => {
                        self.forget_program();
                        return Err(RuntimeError::Pending("the background run panicked; its state is lost"));
                    }
                }
            }
        };
        self.finish_run(ran)?;
        self.outputs_f32()
    }
}
