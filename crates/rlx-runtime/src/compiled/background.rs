//! A run in the background: `commit_no_wait` starts it, `sync_pending` waits for it.

use super::CompiledGraph;
use crate::error::RuntimeError;
use crate::inputs::Conversion;
use crate::state::Place;
use rlx_compile::{Arguments, BackendError, Buffer, Executable, Value};
use rlx_ir::DType;
use std::thread::JoinHandle;

/// A run that was started and not yet waited for.
pub(super) enum Pending {
    /// The device runs by itself.
    Device,
    /// A thread runs the program.
    Thread(JoinHandle<Finished>),
}

/// What a thread gives back.
pub(super) struct Finished {
    executable: Box<dyn Executable>,
    state: Vec<Buffer>,
    ran: Result<(), BackendError>,
}

/// One input of a run on another thread.
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
    /// Starts a run in the background and returns at once. The inputs are copied. Where the device works by itself no thread is made.
    pub fn commit_no_wait(&mut self, inputs: &[(&str, &[f32])]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        let values = self.gather(&given, Conversion::FromF32)?;
        self.prepare_run(&values)?;
        if self.executable()?.is_asynchronous() {
            self.start(&values)?;
            self.pending = Some(Pending::Device);
            return Ok(());
        }
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
        let body = move || {
            let inputs: Vec<Value<'_>> = owned.iter().map(Owned::value).collect();
            let ran = executable.run(Arguments { inputs: &inputs, state: &mut state, outputs: &mut [] });
            Finished { executable, state, ran }
        };
        match std::thread::Builder::new().name("rlx-pending".into()).spawn(body) {
            Ok(thread) => {
                self.pending = Some(Pending::Thread(thread));
                Ok(())
            }
            // The program and its state went with the closure.
            Err(_) => {
                self.forget_program();
                Err(RuntimeError::Pending("no thread could be started for a background run; state is lost"))
            }
        }
    }

    /// Waits for the run that [`commit_no_wait`](CompiledGraph::commit_no_wait) started and returns its outputs.
    pub fn sync_pending(&mut self) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let nothing = "no background run is pending; call `commit_no_wait`";
        let ran = match self.pending.take().ok_or(RuntimeError::Pending(nothing))? {
            Pending::Device => self.executable_mut()?.wait(),
            Pending::Thread(thread) => match thread.join() {
                Ok(finished) => {
                    self.executable = Some(finished.executable);
                    self.states.put_aliased(finished.state);
                    finished.ran
                }
                Err(_) => {
                    self.forget_program();
                    return Err(RuntimeError::Pending("the background run panicked; its state is lost"));
                }
            },
        };
        self.finish_run(ran)?;
        self.outputs_f32()
    }
}
