//! Executables of backends that only take static graphs: one prepared graph per binding.
//!
//! If one node of a lowered graph with symbols needs static sizes, [`prepare`] makes a [`PerBinding`]. Each
//! binding makes a static [`Lowered`] ([`Lowered::at`]), which the backend prepares, and of which instances are
//! clones. They are kept and shared as programs of other backends are ([`BoundCache`]). Parameters, and what
//! was made of them, are handed from the instance of one size to that of the next
//! ([`Executable::share_params`]); state and queue belong to the caller. Passes, claims and the dispatch report
//! stay on symbols, and the report says which nodes need static sizes. A backend whose programs of several
//! sizes share something prepares them with a backend of its own ([`Backend::for_sizes`]; models of the device
//! `ane`).

use crate::backend::{Arguments, Backend, BackendError, Executable};
use crate::buffer::Buffer;
use crate::lowered::{BindError, BoundCache, Lowered};
use crate::param::Param;
use crate::profile::StepInfo;
use crate::queue::Queue;
use rlx_ir::Bindings;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// Makes a lowered graph executable on the device of `queue`: as it is where the backend takes its symbols, else once per binding
/// ([`PerBinding`]).
pub fn prepare(
    backend: &Arc<dyn Backend>,
    lowered: Lowered,
    queue: &Arc<dyn Queue>,
) -> Result<Box<dyn Executable>, BackendError> {
    // A static graph asks nobody.
    if lowered.is_static() || !lowered.needs_static_sizes(backend.claims()) {
        return backend.prepare(lowered, queue);
    }
    let of_sizes = backend.for_sizes(&lowered)?.unwrap_or_else(|| backend.clone());
    Ok(Box::new(PerBinding::new(of_sizes, lowered, queue)))
}

/// What all clones share.
struct Shared {
    backend: Arc<dyn Backend>,
    lowered: Lowered,
    /// For each binding an executable that never runs: instances are its clones.
    prepared: BoundCache<Mutex<Box<dyn Executable>>>,
}

impl Shared {
    /// A new instance for these sizes, without parameters.
    fn instance(
        &self,
        bindings: &Bindings,
        queue: &Arc<dyn Queue>,
    ) -> Result<Box<dyn Executable>, BindError> {
        let prepared = self.prepared.get(bindings, || {
            let mut executable = self.backend.prepare(self.lowered.at(bindings)?, queue)?;
            executable.bind(&Bindings::new())?;
            Ok(Mutex::new(executable))
        })?;
        // Cloning changes nothing, and a panic in it leaves nothing half done.
        let prepared = rlx_pool::lock(&prepared);
        Ok(prepared.clone_on(queue))
    }
}

/// One instance of a program whose backend asks for static sizes: it runs by an executable for the sizes that it was last bound
/// to. Parameters and the queue are the same for all sizes, and so is the state, which belongs to the caller. What was prepared for a
/// binding is shared with clones, and kept as long as it is among the bindings used last.
pub struct PerBinding {
    shared: Arc<Shared>,
    queue: Arc<dyn Queue>,
    params: Vec<Option<Param>>,
    /// The sizes last bound, and the instance for them.
    current: Option<(Bindings, Box<dyn Executable>)>,
    /// Whether `current` has run since it was bound.
    has_run: bool,
    /// The instance of the last run, while the one for other sizes has not run yet.
    last: Option<Box<dyn Executable>>,
}

impl PerBinding {
    fn new(backend: Arc<dyn Backend>, lowered: Lowered, queue: &Arc<dyn Queue>) -> PerBinding {
        let params = vec![None; lowered.graph().params().count()];
        let shared = Arc::new(Shared { backend, lowered, prepared: BoundCache::default() });
        PerBinding { shared, queue: queue.clone(), params, current: None, has_run: false, last: None }
    }

    /// The backend's executable for the sizes last bound.
    pub fn executable(&self) -> Option<&dyn Executable> {
        self.current.as_ref().map(|(_, executable)| &**executable)
    }

    fn bound(&self) -> Result<&dyn Executable, BackendError> {
        self.executable().ok_or_else(unbound)
    }

    fn bound_mut(&mut self) -> Result<&mut Box<dyn Executable>, BackendError> {
        self.current.as_mut().map(|(_, executable)| executable).ok_or_else(unbound)
    }
}

fn unbound() -> BackendError {
    BackendError::Argument("the program is not bound to sizes yet".into())
}

impl Executable for PerBinding {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Box<dyn Executable> {
        let current = self.current.as_ref().map(|(bindings, own)| (bindings.clone(), own.clone_on(queue)));
        let (shared, params) = (self.shared.clone(), self.params.clone());
        Box::new(PerBinding { shared, queue: queue.clone(), params, current, has_run: false, last: None })
    }

    fn set_param(&mut self, index: usize, value: Param) {
        if let Some((_, executable)) = &mut self.current {
            executable.set_param(index, value.clone());
        }
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
    }

    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        if self.current.as_ref().is_some_and(|(bound, _)| bound == bindings) {
            return Ok(());
        }
        let mut instance = self.shared.instance(bindings, &self.queue)?;
        let shares = self.executable().is_some_and(|current| instance.share_params(current));
        if !shares {
            for (index, value) in self.params.iter().enumerate() {
                value.iter().for_each(|value| instance.set_param(index, value.clone()));
            }
        }
        let before = self.current.replace((bindings.clone(), instance));
        if std::mem::take(&mut self.has_run) {
            self.last = before.map(|(_, executable)| executable);
        }
        Ok(())
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        self.bound_mut()?.prepack()
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        self.last = None;
        self.has_run = true;
        self.bound_mut()?.run(arguments)
    }

    fn wait(&mut self) -> Result<(), BackendError> {
        match (self.last.take(), &mut self.current) {
            (Some(mut last), _) => last.wait(),
            (None, Some((_, executable))) => executable.wait(),
            (None, None) => Ok(()),
        }
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        self.bound()?.output(index)
    }

    fn store_output(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        self.bound()?.store_output(index, into)
    }

    fn fetch(&mut self) -> Result<(), BackendError> {
        self.bound_mut()?.fetch()
    }

    fn arena(&self) -> (*const u8, usize) {
        self.executable().map_or((std::ptr::null(), 0), |executable| executable.arena())
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        self.executable()?.output_offset(index)
    }

    fn describe(&self) -> String {
        let Some((bindings, executable)) = &self.current else {
            return "static sizes: none bound yet\n".into();
        };
        let sizes: Vec<String> = bindings.iter().map(|(symbol, size)| format!("{symbol} = {size}")).collect();
        format!("static sizes: {}\n{}", sizes.join(", "), executable.describe())
    }

    fn steps(&self) -> Vec<StepInfo> {
        self.executable().map_or_else(Vec::new, |executable| executable.steps())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
