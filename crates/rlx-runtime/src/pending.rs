//! A run in the background: `commit_no_wait` starts it, `sync_pending` waits for it.

use crate::error::RuntimeError;
use rlx_compile::{BackendError, Executable};
use rlx_ir::Bindings;
use std::thread::JoinHandle;

/// The sizes that ran, the executable, and how the run ended.
type Finished = (Bindings, Box<dyn Executable>, Result<(), BackendError>);

/// A run that was started and not yet waited for.
pub(crate) struct Pending {
    pub(crate) bindings: Bindings,
    thread: JoinHandle<(Box<dyn Executable>, Result<(), BackendError>)>,
}

impl Pending {
    /// Runs `executable` on a thread of its own. Inputs are kept in 8-byte words for alignment, with their lengths.
    pub(crate) fn start(
        bindings: Bindings,
        mut executable: Box<dyn Executable>,
        inputs: Vec<(Vec<u64>, usize)>,
    ) -> Result<Pending, RuntimeError> {
        let body = move || {
            let views: Vec<&[u8]> = inputs
                .iter()
                .map(|(words, bytes)| &bytemuck::cast_slice::<u64, u8>(words)[..*bytes])
                .collect();
            let result = executable.run(&views);
            (executable, result)
        };
        let thread = std::thread::Builder::new().name("rlx-pending".into()).spawn(body);
        match thread {
            Ok(thread) => Ok(Pending { bindings, thread }),
            Err(_) => Err(RuntimeError::Pending("no thread could be started for a background run")),
        }
    }

    /// Waits for the run and gives the executable back.
    pub(crate) fn wait(self) -> Result<Finished, RuntimeError> {
        match self.thread.join() {
            Ok((executable, result)) => Ok((self.bindings, executable, result)),
            Err(_) => Err(RuntimeError::Pending("the background run panicked; compile the graph again")),
        }
    }
}
