//! Graphs with symbols of which the first backend runs some sizes as a whole and others in part.

use crate::divided::{Placements, divided};
use crate::prepare::BackendPair;
use crate::whole::WholeExecutable;
use rlx_compile::{BackendError, BindError, Lowered, Param, StepInfo};
use rlx_exec::{Arguments, Buffer, Executable, Queue};
use rlx_ir::Bindings;
use std::any::Any;
use std::sync::Arc;

/// The parts that all clones share.
struct SizedGraph {
    pair: Arc<BackendPair>,
    lowered: Lowered,
    placements: Arc<Placements>,
}

/// A graph with symbols. Each binding decides whether the first backend runs it as a whole.
pub(crate) struct SizedExecutable {
    shared: Arc<SizedGraph>,
    queue: Arc<dyn Queue>,
    params: Vec<Option<Param>>,
    whole: Box<dyn Executable>,
    /// The program in segments, prepared for the first sizes that need it.
    divided: Option<Box<dyn Executable>>,
    /// The sizes that it is bound to, if the graph is divided there.
    divided_at: Option<Bindings>,
}

impl SizedExecutable {
    /// Prepares a lowered graph with symbols. `queue` is a queue of the pair.
    pub(crate) fn new(
        pair: &Arc<BackendPair>,
        lowered: Lowered,
        queue: &Arc<dyn Queue>,
    ) -> Result<SizedExecutable, BackendError> {
        let whole = Box::new(WholeExecutable::new(pair, lowered.clone(), queue)?);
        let params = vec![None; lowered.graph().params().count()];
        let shared = Arc::new(SizedGraph { pair: pair.clone(), lowered, placements: Arc::default() });
        let queue = queue.clone();
        Ok(SizedExecutable { shared, queue, params, whole, divided: None, divided_at: None })
    }

    fn current(&self) -> &dyn Executable {
        match &self.divided {
            Some(divided) if self.divided_at.is_some() => &**divided,
            _ => &*self.whole,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Executable {
        match &mut self.divided {
            Some(divided) if self.divided_at.is_some() => &mut **divided,
            _ => &mut *self.whole,
        }
    }

    /// Prepares the program in segments, with the current parameters.
    fn prepare_divided(&self) -> Result<Box<dyn Executable>, BackendError> {
        let SizedGraph { pair, lowered, placements } = &*self.shared;
        let mut executable = divided(pair, lowered.clone(), placements.clone(), &self.queue)?;
        for (index, param) in self.params.iter().enumerate() {
            param.iter().for_each(|param| executable.set_param(index, param.clone()));
        }
        Ok(Box::new(executable))
    }
}

impl Executable for SizedExecutable {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let divided = self.divided.as_ref().map(|divided| divided.clone_on(queue)).transpose()?;
        let (shared, whole) = (self.shared.clone(), self.whole.clone_on(queue)?);
        let (queue, params, divided_at) = (queue.clone(), self.params.clone(), self.divided_at.clone());
        Ok(Box::new(SizedExecutable { shared, queue, params, whole, divided, divided_at }))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        self.whole.set_param(index, value.clone());
        self.divided.iter_mut().for_each(|divided| divided.set_param(index, value.clone()));
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(value);
        }
    }

    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        let SizedGraph { pair, lowered, placements } = &*self.shared;
        let placement = placements.get(bindings, || Ok(pair.placement(lowered.at(bindings)?.graph())))?;
        if placement.is_whole {
            self.whole.bind(bindings)?;
            self.divided_at = None;
            return Ok(());
        }
        let mut divided = match self.divided.take() {
            Some(divided) => divided,
            None => self.prepare_divided()?,
        };
        let bound = divided.bind(bindings);
        self.divided = Some(divided);
        bound?;
        self.divided_at = Some(bindings.clone());
        Ok(())
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        self.current_mut().prepack()
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        self.current_mut().run(arguments)
    }

    fn wait(&mut self) -> Result<(), BackendError> {
        // A run may have started before the last binding.
        let divided = self.divided.as_mut().map_or(Ok(()), |divided| divided.wait());
        self.whole.wait().and(divided)
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
        let text = self.current().describe();
        let Some(sizes) = &self.divided_at else { return text };
        let sizes: Vec<String> = sizes.iter().map(|(symbol, size)| format!("{symbol} = {size}")).collect();
        format!("static sizes: {}\n{text}", sizes.join(", "))
    }

    fn steps(&self) -> Vec<StepInfo> {
        self.current().steps()
    }

    fn as_any(&self) -> &dyn Any {
        self.current().as_any()
    }
}
