//! The compiled programs of a session, and moving values into the program that updates them.

use super::SessionOn;
use super::steps::lost;
use crate::error::TrainError;
use crate::graphs::{
    UPDATE_OUTPUTS, compile_options, fused_graph, gradient_graph, kept_name, named, update_program,
};
use crate::state::Home;
use rlx_compile::precision::apply_precision;
use rlx_ir::Graph;
use rlx_session::{CompiledGraph, Session, legalize_graph_for_device_with_options};
use std::borrow::Cow;

/// Programs, compiled when they are first needed.
#[derive(Default)]
pub(super) struct Programs {
    pub(super) fused: Option<CompiledGraph>,
    pub(super) gradient: Option<CompiledGraph>,
    pub(super) update: Option<CompiledGraph>,
    /// Updates the optimizer's state with an estimate of the Hessian's diagonal.
    pub(super) estimate: Option<CompiledGraph>,
    pub(super) eval: Option<CompiledGraph>,
}

impl<D> SessionOn<D> {
    /// Compiles what the first step would compile, and moves the parameters to the device.
    pub fn try_prepare(&mut self) -> Result<(), TrainError> {
        if self.settings.fused { self.enter_fused() } else { self.enter_separate() }
    }

    /// Returns one step as a graph: the loss, its gradients and the update.
    ///
    /// The inputs are:
    /// - the inputs of the session's graph;
    /// - the values that persist from step to step, under their names in [`saved`](SessionOn::saved);
    /// - if the loss is scaled, `train.scale`, its factor, and `train.inverse`, by which gradients are multiplied;
    /// - `train.step`, the number of updates made (an i32 scalar), and `train.lr`, the learning rate (f32);
    /// - if the update needs an estimate of the Hessian's diagonal (Sophia), `hutchinson.key`, which is
    ///   [`estimate_key`](SessionOn::estimate_key).
    ///
    /// The outputs are those of the session's graph, the norm of all gradients, 1 if that is finite or else 0, and the new values in the
    /// order of the old ones. Parameters that are not trained are parameters of the graph.
    pub fn step_graph(&self) -> Result<Graph, TrainError> {
        self.settings.check()?;
        let estimates = self.config.optimizer.takes_estimate(self.step);
        let graph = fused_graph(&self.model, self.device, &self.config.optimizer, &self.settings, estimates)?;
        named(&graph, &self.model, self.first_value(Home::Fused))
    }

    pub(super) fn compiled(&self, graph: Graph) -> Result<CompiledGraph, TrainError> {
        self.settings.check()?;
        let session = Session::new(self.device).with_options(compile_options(&self.settings));
        let mut compiled = session.try_compile(graph)?;
        let wanted: Vec<String> = compiled.params().map(|(name, _)| name.to_string()).collect();
        for (name, value) in self.fixed.iter().filter(|(name, _)| wanted.contains(name)) {
            compiled.set_param_shared(name, value.clone())?;
        }
        Ok(compiled)
    }

    /// Compiles the program of the whole step if necessary, and moves the values into it.
    pub(super) fn enter_fused(&mut self) -> Result<(), TrainError> {
        if self.state.home == Home::Fused {
            return Ok(());
        }
        self.bring_out()?;
        self.programs.update = None;
        if self.programs.fused.is_none() {
            let (optimizer, settings) = (&self.config.optimizer, &self.settings);
            let graph = fused_graph(&self.model, self.device, optimizer, settings, false)?;
            self.programs.fused = Some(self.compiled(graph)?);
        }
        let first = self.first_value(Home::Fused);
        match &mut self.programs.fused {
            Some(program) => self.state.enter(Home::Fused, program, first),
            None => Ok(()),
        }
    }

    /// Compiles the programs for gradients and update if necessary, and moves the values into the latter.
    pub(super) fn enter_separate(&mut self) -> Result<(), TrainError> {
        if self.programs.gradient.is_none() {
            let graph = gradient_graph(&self.model, self.device, &self.settings)?;
            let mut program = self.compiled(graph)?;
            for (i, param) in self.model.params.iter().enumerate() {
                let zeros = vec![0u8; param.shape().num_bytes().unwrap_or(0)];
                let name = kept_name(self.model.outputs() + i);
                program.set_handle_typed(&name, &zeros, param.shape().dtype())?;
            }
            self.programs.gradient = Some(program);
        }
        if self.state.home == Home::Update {
            return Ok(());
        }
        self.bring_out()?;
        self.programs.fused = None;
        if self.programs.update.is_none() {
            let graph = update_program(&self.model, &self.config.optimizer, &self.settings)?;
            self.programs.update = Some(self.compiled(graph)?);
        }
        match &mut self.programs.update {
            Some(program) => self.state.enter(Home::Update, program, UPDATE_OUTPUTS),
            None => Ok(()),
        }
    }

    /// Compiles the loss without gradients if necessary.
    pub(super) fn enter_eval(&mut self) -> Result<(), TrainError> {
        if self.programs.eval.is_none() {
            let mut graph = self.model.graph.clone();
            if self.settings.precision.is_mixed() {
                let options = &self.settings.compile;
                graph = legalize_graph_for_device_with_options(graph, self.device, options)?.0;
            }
            let graph = apply_precision(&graph, self.settings.precision)?.unwrap_or(graph);
            self.programs.eval = Some(self.compiled(graph)?);
        }
        Ok(())
    }

    /// Copies the values out of the program that they are in.
    pub(super) fn bring_out(&mut self) -> Result<(), TrainError> {
        let first = self.first_value(self.state.home);
        match (self.state.home, &self.programs.fused, &self.programs.update) {
            (Home::Fused, Some(program), _) | (Home::Update, _, Some(program)) => {
                self.state.leave(program, first)
            }
            _ => Ok(()),
        }
    }

    /// Returns the output that replaces the first value in a program.
    pub(super) fn first_value(&self, home: Home) -> usize {
        match home {
            Home::Fused => self.model.outputs() + UPDATE_OUTPUTS,
            Home::Outside | Home::Update => UPDATE_OUTPUTS,
        }
    }

    /// Returns the bytes of a value, wherever it is.
    pub(super) fn value(&self, index: usize) -> Result<Cow<'_, [u8]>, TrainError> {
        let name = || kept_name(self.first_value(self.state.home) + index);
        match (self.state.home, &self.programs.fused, &self.programs.update) {
            (Home::Fused, Some(program), _) | (Home::Update, _, Some(program)) => {
                Ok(program.handle(&name())?)
            }
            (Home::Outside, ..) => Ok(Cow::Borrowed(&self.state.outside[index])),
            _ => Err(lost()),
        }
    }
}
