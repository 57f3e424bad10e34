//! Steps, accumulation and evaluation.

use super::SessionOn;
use super::programs::Programs;
use crate::config::NanPolicy;
use crate::error::TrainError;
use crate::graphs::{INVERSE, KEEP, RATE, SCALE, STEP, kept_name};
use crate::report::{EvalReport, StepKind, StepReport};
use crate::state::to_f32s;
use rlx_ir::{DType, Literal, Op, Shape};
use rlx_session::{CompiledGraph, RuntimeError};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Named inputs for a run, as bytes.
pub(super) type Given<'a> = Vec<(&'a str, Cow<'a, [u8]>, DType)>;

/// The outcome of an update.
struct Update {
    grad_norm: f32,
    made: bool,
}

impl<D> SessionOn<D> {
    /// Takes one step on a batch: computes the loss and its gradients, and updates the parameters.
    ///
    /// # Panics
    /// Panics with the full message if [`try_step`](SessionOn::try_step) fails.
    pub fn step(&mut self, inputs: &[(&str, &[f32])]) -> StepReport {
        self.try_step(inputs).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Takes one step on a batch. Inputs are given by name as f32, and are converted to their declared element types.
    pub fn try_step(&mut self, inputs: &[(&str, &[f32])]) -> Result<StepReport, TrainError> {
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        self.step_typed(&given)
    }

    /// Takes one step on a batch. Inputs are given by name as little-endian bytes of a type; f32 is converted to the declared type.
    pub fn step_typed(&mut self, inputs: &[(&str, &[u8], DType)]) -> Result<StepReport, TrainError> {
        if !self.pending.is_empty() {
            return Err(TrainError::Pending(self.pending.len()));
        }
        self.forget_lost_sums();
        if self.settings.fused {
            return self.step_fused(inputs);
        }
        self.estimate(inputs, false)?;
        let (loss, metrics) = self.add_gradients(inputs, false)?;
        let update = self.update(1)?;
        self.finished((StepKind::Separate, 1), loss, metrics, update)
    }

    fn step_fused(&mut self, inputs: &[(&str, &[u8], DType)]) -> Result<StepReport, TrainError> {
        self.estimate(inputs, false)?;
        self.enter_fused()?;
        let mut given = self.converted(inputs)?;
        let (rate, step) = (self.learning_rate()?, self.step);
        push_scalars(&mut given, rate, step);
        if let Some(scale) = self.scale {
            given.push((SCALE, scalar(scale.scale), DType::F32));
            given.push((INVERSE, scalar(scale.scale.recip()), DType::F32));
        }
        let count = self.model.outputs();
        self.copies.clear();
        let Some(program) = &mut self.programs.fused else { return Err(lost()) };
        run(program, &given)?;
        let (loss, metrics) = values(program, count);
        let update = Update { grad_norm: first(program, count), made: first(program, count + 1) > 0.0 };
        self.finished((StepKind::Fused, 1), loss, metrics, update)
    }

    /// Adds the gradients of a batch to the accumulated ones. The parameters do not change.
    ///
    /// # Panics
    /// Panics with the full message if [`try_accumulate`](SessionOn::try_accumulate) fails.
    pub fn accumulate(&mut self, inputs: &[(&str, &[f32])]) -> EvalReport {
        self.try_accumulate(inputs).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Adds the gradients of a batch to the accumulated ones. The parameters do not change.
    pub fn try_accumulate(&mut self, inputs: &[(&str, &[f32])]) -> Result<EvalReport, TrainError> {
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        self.accumulate_typed(&given)
    }

    /// Like [`try_accumulate`](SessionOn::try_accumulate), but accepts inputs of any type.
    pub fn accumulate_typed(&mut self, inputs: &[(&str, &[u8], DType)]) -> Result<EvalReport, TrainError> {
        self.forget_lost_sums();
        self.estimate(inputs, !self.pending.is_empty())?;
        let (loss, metrics) = self.add_gradients(inputs, !self.pending.is_empty())?;
        self.pending.push(loss);
        Ok(EvalReport { loss, metrics })
    }

    /// Makes one update with the mean of the accumulated gradients. Returns the number of batches that were averaged.
    ///
    /// # Panics
    /// Panics with the full message if [`try_step_accumulated`](SessionOn::try_step_accumulated) fails. That function returns the whole
    /// report.
    pub fn step_accumulated(&mut self) -> usize {
        self.try_step_accumulated().unwrap_or_else(|e| panic!("{e}")).batches
    }

    /// Makes one update with the mean of the accumulated gradients. The report's loss is the mean of the batches' losses.
    pub fn try_step_accumulated(&mut self) -> Result<StepReport, TrainError> {
        if self.pending.is_empty() {
            return Err(TrainError::NothingAccumulated);
        }
        let losses = std::mem::take(&mut self.pending);
        let update = self.update(losses.len())?;
        let sum: f64 = losses.iter().map(|l| f64::from(*l)).sum();
        let loss = (sum / losses.len() as f64) as f32;
        self.finished((StepKind::Accumulated, losses.len()), loss, Vec::new(), update)
    }

    /// Drops accumulated gradients, including sums that a failed run has lost.
    pub fn discard_accumulated(&mut self) {
        self.pending.clear();
        self.forget_lost_sums();
    }

    /// Resets sums that a failed run has lost, if nothing is accumulated.
    fn forget_lost_sums(&mut self) {
        if self.pending.is_empty() {
            let Programs { gradient, estimate, .. } = &mut self.programs;
            for program in [gradient, estimate] {
                if program.as_ref().is_some_and(CompiledGraph::has_lost_state) {
                    *program = None;
                }
            }
        }
    }

    /// Computes the loss and the metrics of a batch, without changing the session.
    ///
    /// # Panics
    /// Panics with the full message if [`try_eval`](SessionOn::try_eval) fails.
    pub fn eval(&mut self, inputs: &[(&str, &[f32])]) -> EvalReport {
        self.try_eval(inputs).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Computes the loss and the metrics of a batch, without changing the session.
    pub fn try_eval(&mut self, inputs: &[(&str, &[f32])]) -> Result<EvalReport, TrainError> {
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        self.eval_typed(&given)
    }

    /// Like [`try_eval`](SessionOn::try_eval), but accepts inputs of any type.
    pub fn eval_typed(&mut self, inputs: &[(&str, &[u8], DType)]) -> Result<EvalReport, TrainError> {
        self.enter_eval()?;
        self.with_program(
            |programs| &mut programs.eval,
            |session, program| {
                run(program, &session.with_params(inputs)?)?;
                let (loss, metrics) = values(program, session.model.outputs());
                Ok(EvalReport { loss, metrics })
            },
        )
    }

    /// Runs the program for gradients. Its sums are reset unless `keep` is set.
    fn add_gradients(
        &mut self,
        inputs: &[(&str, &[u8], DType)],
        keep: bool,
    ) -> Result<(f32, Vec<Vec<f32>>), TrainError> {
        self.enter_separate()?;
        self.with_program(
            |programs| &mut programs.gradient,
            |session, program| {
                let mut given = session.with_params(inputs)?;
                given.push((KEEP, scalar(if keep { 1.0 } else { 0.0 }), DType::F32));
                given.extend(session.scale.map(|s| (SCALE, scalar(s.scale), DType::F32)));
                run(program, &given)?;
                Ok(values(program, session.model.outputs()))
            },
        )
    }

    /// Calls `f` with one of the programs and the session, whose other programs may provide values for it. The program stays part of the
    /// session however `f` ends; after a panic, it contains what the run has lost.
    pub(super) fn with_program<R>(
        &mut self,
        which: impl Fn(&mut Programs) -> &mut Option<CompiledGraph>,
        f: impl FnOnce(&Self, &mut CompiledGraph) -> Result<R, TrainError>,
    ) -> Result<R, TrainError> {
        let Some(mut program) = which(&mut self.programs).take() else { return Err(lost()) };
        let session = &*self;
        let ended = catch_unwind(AssertUnwindSafe(|| f(session, &mut program)));
        *which(&mut self.programs) = Some(program);
        ended.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// Runs the program for the update on the mean of `count` gradients.
    fn update(&mut self, count: usize) -> Result<Update, TrainError> {
        self.copies.clear();
        let names: Vec<String> = (0..self.model.params.len()).map(|i| format!("grad{i}")).collect();
        let (rate, step) = (self.learning_rate()?, self.step);
        let scale = self.scale.map_or(1.0, |s| s.scale);
        let first_sum = self.model.outputs();
        let (Some(gradient), Some(program)) = (&self.programs.gradient, &mut self.programs.update) else {
            return Err(lost());
        };
        let mut given: Given<'_> = Vec::with_capacity(names.len() + 3);
        for (i, (name, param)) in names.iter().zip(&self.model.params).enumerate() {
            let sum = gradient.handle(&kept_name(first_sum + i))?;
            given.push((name, sum, param.shape().dtype()));
        }
        push_scalars(&mut given, rate, step);
        given.push((INVERSE, scalar((f64::from(scale) * count as f64).recip() as f32), DType::F32));
        run(program, &given)?;
        Ok(Update { grad_norm: first(program, 0), made: first(program, 1) > 0.0 })
    }

    /// Records a step and reports it.
    fn finished(
        &mut self,
        (kind, batches): (StepKind, usize),
        loss: f32,
        metrics: Vec<Vec<f32>>,
        update: Update,
    ) -> Result<StepReport, TrainError> {
        let (learning_rate, loss_scale) = (self.learning_rate()?, self.scale.map_or(1.0, |s| s.scale));
        let scaled = self.scale.is_some();
        // A scale that cannot decrease further cannot make a step succeed.
        let mut at_least = false;
        if let Some(scale) = &mut self.scale {
            let before = scale.scale;
            scale.update(update.made);
            at_least = scale.scale == before && scale.backoff < 1.0;
        }
        let skipped = !self.settings.allows_all() && !update.made;
        if skipped && !scaled && self.settings.nan == NanPolicy::Error {
            let (what, value) =
                if loss.is_finite() { ("gradient norm", update.grad_norm) } else { ("loss", loss) };
            return Err(TrainError::NotFinite { step: self.step + 1, what, value });
        }
        self.skipped = if skipped { self.skipped + 1 } else { 0 };
        if skipped && (at_least || self.skipped > self.settings.most_skipped()) {
            let (step, skipped) = (self.step + 1, self.skipped);
            return Err(TrainError::NoProgress { step, skipped, scale: scaled.then_some(loss_scale) });
        }
        if !skipped {
            self.keep_estimates()?;
            self.step += 1;
        }
        let (step, grad_norm) = (self.step, update.grad_norm);
        Ok(StepReport {
            loss,
            path: self.update_path(),
            kind,
            batches,
            step,
            learning_rate,
            grad_norm,
            skipped,
            loss_scale,
            metrics,
        })
    }

    /// Returns the caller's inputs and the parameters, for programs that only read parameters.
    pub(super) fn with_params<'a>(
        &'a self,
        inputs: &'a [(&'a str, &'a [u8], DType)],
    ) -> Result<Given<'a>, TrainError> {
        let mut given = self.converted(inputs)?;
        for (i, param) in self.model.params.iter().enumerate() {
            given.push((param.name(), self.value(i)?, param.shape().dtype()));
        }
        Ok(given)
    }

    /// Returns the caller's inputs, with f32 converted to the declared types.
    fn converted<'a>(&self, inputs: &[(&'a str, &'a [u8], DType)]) -> Result<Given<'a>, TrainError> {
        let declared = |name: &str| {
            let is_named = |n: &&rlx_ir::Node| matches!(n.op(), Op::Input { name: n } if n == name);
            self.graph.inputs().find(is_named).map(|n| n.shape().dtype())
        };
        let one = |&(name, bytes, dtype): &(&'a str, &'a [u8], DType)| {
            let Some(wanted) = declared(name) else {
                let known: Vec<String> = self.graph.inputs().filter_map(input_name).collect();
                let known = known.join(", ");
                return Err(RuntimeError::UnknownName { what: "input", name: name.into(), known }.into());
            };
            if dtype != DType::F32 || wanted == DType::F32 {
                return Ok((name, Cow::Borrowed(bytes), dtype));
            }
            let flat = Shape::new(&[bytes.len() / dtype.size()], dtype);
            let literal = Literal::from_bytes(&flat, bytes).map_err(RuntimeError::from)?;
            Ok((name, Cow::Owned(literal.convert(wanted).bytes().to_vec()), wanted))
        };
        inputs.iter().map(one).collect()
    }
}

fn input_name(node: &rlx_ir::Node) -> Option<String> {
    match node.op() {
        Op::Input { name } => Some(format!("`{name}`")),
        _ => None,
    }
}

pub(super) fn scalar(value: f32) -> Cow<'static, [u8]> {
    Cow::Owned(value.to_le_bytes().to_vec())
}

fn push_scalars(given: &mut Given<'_>, rate: f32, step: u64) {
    given.push((RATE, scalar(rate), DType::F32));
    let step = i32::try_from(step).unwrap_or(i32::MAX);
    given.push((STEP, Cow::Owned(step.to_le_bytes().to_vec()), DType::I32));
}

pub(super) fn run(program: &mut CompiledGraph, given: &Given<'_>) -> Result<(), TrainError> {
    let views: Vec<(&str, &[u8], DType)> =
        given.iter().map(|(name, bytes, dtype)| (*name, bytes.as_ref(), *dtype)).collect();
    Ok(program.run_kept(&views)?)
}

/// Returns the first number of an output.
pub(super) fn first(program: &CompiledGraph, output: usize) -> f32 {
    let dtype = program.outputs()[output].dtype();
    to_f32s(program.output_bytes(output), dtype).first().copied().unwrap_or(f32::NAN)
}

/// Returns the loss, and the outputs after it.
fn values(program: &CompiledGraph, outputs: usize) -> (f32, Vec<Vec<f32>>) {
    let metric = |i: usize| to_f32s(program.output_bytes(i), program.outputs()[i].dtype());
    (first(program, 0), (1..outputs).map(metric).collect())
}

/// Returns the error for a program that a failed step has lost.
pub(super) fn lost() -> TrainError {
    TrainError::State("the session's values were lost in a failed run; restore a checkpoint".into())
}
