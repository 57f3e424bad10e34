//! Runs in the background: `commit_no_wait` starts one, `sync_pending` waits for it.

use super::CompiledGraph;
use crate::error::RuntimeError;
use crate::inputs::Conversion;
use crate::state::Place;
use rlx_compile::BackendError;
use rlx_exec::{Arguments, Buffer, Executable, Value};
use rlx_ir::DType;
use rlx_pool::{Payload, Process, discard, message};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

/// A run that was started and not yet waited for.
pub(super) enum Pending {
    /// The device runs on its own.
    Device,
    /// A job on the host queue, which sends the program back when it finishes.
    Job(Job),
}

/// The receiving end of a job's result.
pub(super) struct Job {
    /// Received from through `&mut` only, so the lock is never contended.
    finished: Option<Mutex<Receiver<Finished>>>,
    /// The process that runs the job.
    process: Process,
}

impl Job {
    fn new(finished: Receiver<Finished>) -> Job {
        Job { finished: Some(Mutex::new(finished)), process: Process::current() }
    }

    /// Whether the process was forked after the job started. The child then never receives its result.
    fn is_elsewhere(&self) -> bool {
        self.process != Process::current()
    }

    /// Waits for the job and returns its result, or `None` if it sends none.
    fn wait(mut self) -> Option<Finished> {
        let finished = self.finished.take()?;
        finished.into_inner().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.is_elsewhere() {
            // The parent's thread may have been in the middle of sending, and dropping the receiver here would wait for it.
            std::mem::forget(self.finished.take());
        }
    }
}

/// The result of a job.
pub(super) struct Finished {
    executable: Box<dyn Executable>,
    state: Vec<Buffer>,
    /// How the run ended: with a result, or with a panic and its payload.
    ran: Result<Result<(), BackendError>, Payload>,
}

/// An input, owned by the job that runs with it.
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
    /// Queues a run and returns immediately. The inputs are copied.
    pub fn commit_no_wait(&mut self, inputs: &[(&str, &[f32])]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        let values = self.gather(&given, Conversion::FromF32)?;
        self.prepare_run(None, &values)?;
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
        let mut state = self.states.take_aliased()?;
        let Some(mut executable) = self.executable.take() else {
            self.states.put_aliased(state);
            self.states.refused();
            return Err(self.no_program());
        };
        let (sender, finished) = sync_channel(1);
        let job = move || {
            let inputs: Vec<Value<'_>> = owned.iter().map(Owned::value).collect();
            let arguments = Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] };
            let ran = catch_unwind(AssertUnwindSafe(|| executable.run(arguments)));
            // There is no receiver if the compiled graph was dropped in the meantime.
            let _ = sender.send(Finished { executable, state, ran });
        };
        if let Err(error) = queue.submit(Box::new(job)) {
            // The program was lost with the job.
            self.forget_program();
            return Err(error.into());
        }
        self.pending = Some(Pending::Job(Job::new(finished)));
        Ok(())
    }

    /// Waits for the run that [`commit_no_wait`](CompiledGraph::commit_no_wait) started and returns its outputs.
    ///
    /// # Errors
    /// Returns the errors of the run, [`RuntimeError::Panicked`] if it panicked, and [`RuntimeError::Forked`] in a child of `fork` whose
    /// parent started the run. The last two lose the state that the run was updating.
    pub fn sync_pending(&mut self) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let nothing = "no background run is pending; call `commit_no_wait`";
        let ran = match self.pending.take().ok_or(RuntimeError::Pending(nothing))? {
            Pending::Device => {
                self.check_process()?;
                self.executable_mut()?.wait().map_err(|error| error.after_begin("run"))
            }
            Pending::Job(job) if job.is_elsewhere() => {
                self.forget_program();
                let device = self.device_id();
                return Err(RuntimeError::Forked { what: "the background run", device });
            }
            Pending::Job(job) => {
                let Some(Finished { executable, state, ran }) = job.wait() else {
                    self.forget_program();
                    return Err(RuntimeError::Panicked(String::new()));
                };
                self.executable = Some(executable);
                self.states.put_aliased(state);
                ran.map_err(|payload| {
                    let text = message(&payload).map_or_else(String::new, |text| format!(": {text}"));
                    discard(payload);
                    RuntimeError::Panicked(text)
                })?
            }
        };
        self.finish_run(ran)?;
        self.outputs_f32()
    }

    /// Fails in a child of `fork` if the device runs on its own, because the threads that drive it exist only in the parent.
    pub(super) fn check_process(&self) -> Result<(), RuntimeError> {
        if self.process == Process::current() || self.queue.host().is_some() {
            return Ok(());
        }
        Err(RuntimeError::Forked { what: "the program", device: self.device_id() })
    }
}
