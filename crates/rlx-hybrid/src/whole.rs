//! Graphs that the first backend runs as a whole, except for values that it cannot represent.

use crate::prepare::{BackendPair, bind_error, of_lowered};
use crate::queue::first_queue;
use rlx_compile::{BackendError, BindError, Lowered, Param, StepInfo};
use rlx_driver::Device;
use rlx_exec::{Arguments, Buffer, Executable, Queue, lower};
use rlx_ir::Bindings;
use std::any::Any;
use std::sync::Arc;

/// An executable of the first backend. If it [cannot represent](BackendError::Unrepresentable) the values of a run, that run takes place on
/// the second.
pub(crate) struct WholeExecutable {
    pair: Arc<BackendPair>,
    lowered: Lowered,
    first: Box<dyn Executable>,
    params: Vec<Option<Param>>,
    /// The sizes that it is bound to.
    sizes: Option<Bindings>,
    /// The same program at these sizes on the second backend, prepared when it is first needed.
    second: Option<Box<dyn Executable>>,
    /// Why the last run took place on the second backend, if it did.
    why_second: Option<String>,
}

impl WholeExecutable {
    /// Prepares a lowered graph for the first backend. `queue` is a queue of the pair.
    pub(crate) fn new(
        pair: &Arc<BackendPair>,
        lowered: Lowered,
        queue: &Arc<dyn Queue>,
    ) -> Result<WholeExecutable, BackendError> {
        let first = pair.first.prepare(lowered.clone(), &first_queue(queue))?;
        let params = vec![None; lowered.graph().params().count()];
        let pair = pair.clone();
        Ok(WholeExecutable { pair, lowered, first, params, sizes: None, second: None, why_second: None })
    }

    /// Returns the executable of the last run.
    fn current(&self) -> &dyn Executable {
        match (&self.why_second, &self.second) {
            (Some(_), Some(second)) => &**second,
            _ => &*self.first,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Executable {
        match (&self.why_second, &mut self.second) {
            (Some(_), Some(second)) => &mut **second,
            _ => &mut *self.first,
        }
    }

    /// Prepares the program for the second backend at the current sizes, with the current parameters.
    fn prepare_second(&self) -> Result<Box<dyn Executable>, BackendError> {
        let unsupported = |e: &dyn std::error::Error| BackendError::Unsupported(e.to_string());
        let unbound = Bindings::new();
        let lowered = self.lowered.at(self.sizes.as_ref().unwrap_or(&unbound)).map_err(bind_error)?;
        let second = &*self.pair.second;
        let options = of_lowered(lowered.options());
        let lowered =
            lower(lowered.graph(), lowered.aliases(), second, &options).map_err(|e| unsupported(&e))?;
        let mut executable = second.prepare(lowered, &second.queue(0)?)?;
        executable.bind(&unbound).map_err(bind_error)?;
        for (index, param) in self.params.iter().enumerate() {
            param.iter().for_each(|param| executable.set_param(index, param.clone()));
        }
        Ok(executable)
    }
}

impl Executable for WholeExecutable {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let (pair, lowered, params) = (self.pair.clone(), self.lowered.clone(), self.params.clone());
        let (first, sizes) = (self.first.clone_on(&first_queue(queue))?, self.sizes.clone());
        Ok(Box::new(WholeExecutable { pair, lowered, first, params, sizes, second: None, why_second: None }))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        self.first.set_param(index, value.clone());
        // It is prepared again with the new value if a run needs it.
        (self.second, self.why_second) = (None, None);
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
    }

    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        self.first.bind(bindings)?;
        if self.sizes.as_ref() != Some(bindings) {
            self.sizes = Some(bindings.clone());
            if !self.lowered.is_static() {
                (self.second, self.why_second) = (None, None);
            }
        }
        Ok(())
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        match self.first.prepack() {
            // The runs with this parameter take place on the second backend.
            Err(BackendError::Unrepresentable(_)) => Ok(()),
            packed => packed,
        }
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        let Arguments { inputs, state, outputs } = arguments;
        self.why_second = None;
        let why = match self.first.run(Arguments { inputs, state: &mut *state, outputs: &mut *outputs }) {
            Err(BackendError::Unrepresentable(why)) => why,
            ran => return ran,
        };
        let mut second = match self.second.take() {
            Some(second) => second,
            None => self.prepare_second()?,
        };
        let ran = second.run(Arguments { inputs, state, outputs });
        (self.second, self.why_second) = (Some(second), Some(why));
        ran
    }

    fn wait(&mut self) -> Result<(), BackendError> {
        let first = self.first.wait();
        first.and(self.current_mut().wait())
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        self.current().output(index)
    }

    fn store_output(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        self.current().store_output(index, into)
    }

    fn fetch(&mut self) -> Result<(), BackendError> {
        self.current_mut().fetch()
    }

    fn arena(&self) -> (*const u8, usize) {
        self.current().arena()
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        self.current().output_offset(index)
    }

    fn describe(&self) -> String {
        let mut text = self.first.describe();
        if let Some(why) = &self.why_second {
            let place = match self.pair.second.device() {
                Device::Cpu => "on the host".into(),
                device => format!("on {device}"),
            };
            text.push_str(&format!("the last run was {place}: {why}\n"));
        }
        text
    }

    fn steps(&self) -> Vec<StepInfo> {
        self.first.steps()
    }

    fn as_any(&self) -> &dyn Any {
        self.first.as_any()
    }
}
