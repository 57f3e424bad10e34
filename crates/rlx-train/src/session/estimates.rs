//! Estimates of the Hessian's diagonal, for optimizers that need them (Sophia). They are made before the update, from its examples at the
//! old parameters, and become part of the optimizer's state after it.

use super::SessionOn;
use super::programs::Programs;
use super::steps::{Given, first, lost, run, scalar};
use crate::config::NanPolicy;
use crate::error::TrainError;
use crate::graphs::{KEEP, KEY, SHARE, estimate_graph, estimated_name, kept_name};
use crate::state::Home;
use rlx_ir::DType;
use rlx_ir::math::random::SplitMix64;
use std::borrow::Cow;

impl<D> SessionOn<D> {
    /// Returns the value of the input `hutchinson.key` in the next step: two numbers that follow from the seed of the settings and the
    /// number of the update, so that an interrupted run continues with the same ones.
    pub fn estimate_key(&self) -> [u32; 2] {
        let bits = SplitMix64::stream(self.settings.seed, self.step).bits();
        [(bits >> 32) as u32, bits as u32]
    }

    /// Estimates the Hessian for a batch, if the next update needs an estimate. Adds it to the pending ones if `keep` is set.
    pub(super) fn estimate(&mut self, inputs: &[(&str, &[u8], DType)], keep: bool) -> Result<(), TrainError> {
        if !self.config.optimizer.takes_estimate(self.step) {
            return Ok(());
        }
        self.estimates = if keep { self.estimates } else { 0 };
        self.enter_estimate()?;
        let names: Vec<String> = (0..self.model.params.len()).map(estimated_name).collect();
        let is_finite = self.with_program(
            |programs| &mut programs.estimate,
            |session, program| {
                run(program, &session.estimate_operands(inputs, &names)?)?;
                Ok(first(program, 0) > 0.0)
            },
        )?;
        if is_finite || self.settings.allows_all() {
            self.estimates += 1;
        } else if self.settings.nan == NanPolicy::Error && self.scale.is_none() {
            let (step, what) = (self.step + 1, "estimate of the Hessian");
            return Err(TrainError::NotFinite { step, what, value: f32::NAN });
        }
        Ok(())
    }

    fn estimate_operands<'a>(
        &'a self,
        inputs: &'a [(&'a str, &'a [u8], DType)],
        names: &'a [String],
    ) -> Result<Given<'a>, TrainError> {
        let mut given = self.with_params(inputs)?;
        let key = self.estimate_key().iter().flat_map(|k| k.to_le_bytes()).collect();
        given.push((KEY, Cow::Owned(key), DType::U32));
        given.push((KEEP, scalar(if self.estimates > 0 { 1.0 } else { 0.0 }), DType::F32));
        given.push((SHARE, scalar(1.0 / (self.estimates + 1) as f32), DType::F32));
        for (name, at) in names.iter().zip(self.estimated()) {
            given.push((name, self.value(at)?, self.state.values[at].shape.dtype()));
        }
        Ok(given)
    }

    /// Returns, for each parameter, the index of the optimizer's state of the estimates among the values.
    fn estimated(&self) -> Vec<usize> {
        let Some(slot) = self.config.optimizer.estimate_slot() else { return Vec::new() };
        let name = |param: &rlx_optim::Param| format!("{}.{slot}", param.name());
        self.model.params.iter().filter_map(|param| self.state.position(&name(param))).collect()
    }

    /// After an update, moves the estimates made for it into the optimizer's state.
    pub(super) fn keep_estimates(&mut self) -> Result<(), TrainError> {
        if std::mem::take(&mut self.estimates) == 0 {
            return Ok(());
        }
        let first = self.first_value(self.state.home);
        let places = self.estimated();
        let Programs { fused, update, estimate, .. } = &mut self.programs;
        let home = if self.state.home == Home::Fused { fused } else { update };
        let (Some(home), Some(estimate)) = (home, estimate) else { return Err(lost()) };
        for (i, at) in places.into_iter().enumerate() {
            let dtype = self.state.values[at].shape.dtype();
            home.set_handle_typed(&kept_name(first + at), estimate.output_bytes(1 + i), dtype)?;
        }
        Ok(())
    }

    fn enter_estimate(&mut self) -> Result<(), TrainError> {
        if self.programs.estimate.is_some() {
            return Ok(());
        }
        let graph = estimate_graph(&self.model, &self.config.optimizer, &self.settings)?;
        let Some(graph) = graph else { return Ok(()) };
        let mut program = self.compiled(graph)?;
        for (i, at) in self.estimated().into_iter().enumerate() {
            let shape = &self.state.values[at].shape;
            let zeros = vec![0u8; shape.num_bytes().unwrap_or(0)];
            program.set_handle_typed(&kept_name(1 + self.model.params.len() + i), &zeros, shape.dtype())?;
        }
        self.programs.estimate = Some(program);
        Ok(())
    }
}
