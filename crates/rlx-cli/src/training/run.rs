//! The training loop: resumes, takes steps, writes metrics and checkpoints, evaluates, and stops.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rlx_runtime::{CpuOptions, PrecisionPolicy};
use rlx_train::{
    Checkpoints, Mask, MatrixLayout, Setting, TrainConfig, TrainError, TrainingSession, save_params,
};

use super::config::{Choice, Config, Llm, Model};
use super::curve;
use super::folder::RunFolder;
use super::metrics::Metrics;
use super::setting::SettingValue;
use super::task::{self, Numbers, Task, views};
use crate::failure::Failure;
use crate::progress::Bar;
use crate::settings::Settings;
use rlx_models::files::remove;
use rlx_models::hub::Progress;

/// The metadata key under which a file of parameters stores the model.
pub const MODEL: &str = "rlx.model";

/// How a run ended.
pub struct Outcome {
    /// Number of steps taken in all.
    pub step: u64,
    /// The evaluation of the final parameters, and their test if it was requested.
    pub numbers: Numbers,
    /// The file of the final parameters.
    pub params: PathBuf,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

/// The session of a configuration, before its first step.
pub fn session(config: &Config, task: &dyn Task, settings: &Settings) -> Result<TrainingSession, Failure> {
    let graph = task.graph()?;
    let values = task.initial(&graph, config.run.seed)?;
    let names: Vec<String> = values.keys().cloned().collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    let lr = config.optimizer.lr.unwrap_or(0.0);
    let train = TrainConfig { lr, optimizer: config.optimizer.name };
    let mut session = TrainingSession::try_new(graph, &names, values, train)?
        .with_fused_optimizer()
        .with_precision_policy(config.run.precision)
        .with_decay_mask(config.optimizer.decay.mask())
        .with_layout(Mask::All, MatrixLayout::OutIn)
        .with_seed(config.run.seed)
        .with_schedule(config.schedule.clone());
    if let Some(clip) = config.optimizer.clip {
        session = session.with_clip_norm(clip);
    }
    if let Some(threads) = config.run.threads.or(settings.threads) {
        session = session.with_backend_options(CpuOptions::new().num_threads(threads));
    }
    Ok(session)
}

/// The metadata of the file of parameters: the format, which loaders of other libraries ask for, and the model.
fn said_of(config: &Config) -> BTreeMap<String, String> {
    let entries = [("format", "pt".to_string()), (MODEL, config.model.identity())];
    entries.map(|(key, value)| (key.to_string(), value)).into()
}

/// The checkpoints of a configuration. They store these settings.
pub fn checkpoints(config: &Config, settings: Vec<Setting>) -> Checkpoints {
    let dir = config.beside(&config.run.dir).join("checkpoints");
    Checkpoints::new(dir, config.run.keep, "").with_settings(settings)
}

/// The settings that checkpoints store, with the contents of the files that they name.
fn kept(config: &Config) -> Result<Vec<Setting>, Failure> {
    let data = config.file("data.path", &config.data.path)?;
    let mut kept = config.kept();
    kept.push(Setting::of_file("data.path(contents)", &data)?);
    if let Model::Llm(Llm { config: sizes, .. }) = &config.model {
        kept.push(Setting::of_file("model.config(contents)", &config.file("model.config", sizes)?)?);
    }
    Ok(kept)
}

/// The evaluation with the lowest loss so far, and its checkpoint.
struct Best {
    files: Checkpoints,
    loss: f64,
}

/// The name of the loss in a checkpoint.
const LOSS: &str = "loss";

impl Best {
    /// Restores the best evaluation of an earlier run, and puts the session in its state.
    fn resume(
        config: &Config,
        settings: Vec<Setting>,
        session: &mut TrainingSession,
    ) -> Result<Best, Failure> {
        let dir = config.beside(&config.run.dir).join("best");
        let files = Checkpoints::new(dir, 1, "").with_settings(settings);
        let found = files.resume(session)?;
        let bits = found.and_then(|f| f.extra.get(LOSS)?.parse().ok());
        Ok(Best { files, loss: bits.map_or(f64::INFINITY, f64::from_bits) })
    }

    /// Saves the session if its loss is lower. Evaluating the same step again after resuming is not an improvement, so
    /// the result is the same.
    fn offer(&mut self, session: &TrainingSession, numbers: &Numbers) -> Result<(), Failure> {
        let Some(&(_, loss)) = numbers.first().filter(|n| n.1 < self.loss) else { return Ok(()) };
        self.loss = loss;
        self.files.save(session, &BTreeMap::from([(LOSS.into(), loss.to_bits().to_string())]))?;
        Ok(())
    }
}

/// Options of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Remove earlier checkpoints.
    pub fresh: bool,
    /// Test the result on examples that were not used to choose anything.
    pub test: bool,
}

/// Trains to the last step, or until `stop` is set.
pub fn train(
    config: &Config,
    wanted: Wanted,
    settings: &Settings,
    stop: &Arc<AtomicBool>,
) -> Result<Outcome, Failure> {
    let mut task = task::open(config, settings)?;
    if wanted.test && !task.has_test() {
        return Err(Failure::usage("--test: this configuration reserves no examples for a test"));
    }
    task.notes().iter().for_each(|note| settings.warn(note));
    let mut session = session(config, task.as_ref(), settings)?;
    let about = kept(config)?;
    let checkpoints = checkpoints(config, about.clone());
    let kept = [&checkpoints, &Checkpoints::new(config.beside(&config.run.dir).join("best"), 1, "")];
    let folder = RunFolder::open(config, &kept)?;
    let dir = &folder.path;
    if wanted.fresh {
        for files in kept {
            files.list()?.into_iter().try_for_each(|(_, path)| remove(&path))?;
        }
    }
    let mut bar = Bar::new(settings.quiet);
    let mut best = match config.run.choose {
        Choice::Best => Some(Best::resume(config, about, &mut session)?),
        Choice::Last => None,
    };
    if let Some(resumed) = checkpoints.resume(&mut session)? {
        resumed.refused.iter().for_each(|e| bar.message(&format!("{e}; an older checkpoint is used")));
        bar.message(&format!("continuing from {}", resumed.path.display()));
        if !resumed.changed.is_empty() {
            let changed: Vec<String> = resumed.changed.iter().map(ToString::to_string).collect();
            bar.message(&format!("changed since then: {}", changed.join("; ")));
        }
    }
    // Every batch counts, even if its update was skipped, since the count determines which data comes next.
    let steps = config.run.steps;
    let mut at = session.steps();
    if at >= steps {
        let more = "more `steps` continue it, `--fresh` starts over";
        bar.message(&format!("training is complete, with {at} of {steps} steps; {more}"));
    }
    let mut metrics = Metrics::open(dir, at, task.measures())?;
    bar = Bar::of_steps(steps, at, settings.quiet);
    if at == 0 {
        // The first evaluation shows how much training changes.
        let begin = task.evaluate(&mut session)?;
        metrics.write(at, None, &begin)?;
        bar.message(&format!("step 0{}", listed(&begin)));
    }
    while at < steps && !stop.load(Ordering::Relaxed) {
        let inputs = task.batch(at);
        let begin = Instant::now();
        let report = session.step_typed(&views(&inputs)).map_err(|e| stopped(config, e))?;
        let ms = begin.elapsed().as_secs_f64() * 1e3;
        at = if report.skipped { at } else { at + 1 };
        bar.step(at, report.loss);
        let evaluated = at.is_multiple_of(config.run.evaluate_every) || at == steps;
        let numbers = if evaluated { task.evaluate(&mut session)? } else { Numbers::new() };
        metrics.write(at, Some((&report, ms)), &numbers)?;
        // The best is saved first: a run that continues from the checkpoint does not repeat this evaluation.
        if evaluated {
            best.iter_mut().try_for_each(|best| best.offer(&session, &numbers))?;
            bar.message(&format!("step {at}: loss {:.4}{}", report.loss, listed(&numbers)));
        }
        if at.is_multiple_of(config.run.checkpoint_every) && at < steps {
            checkpoints.save(&session, &BTreeMap::new())?;
        }
    }
    let interrupted = at < steps;
    checkpoints.save(&session, &BTreeMap::new())?;
    let mut numbers = Numbers::new();
    if !interrupted {
        if let Some(best) = &best
            && best.files.resume(&mut session)?.is_none()
        {
            bar.message("no evaluation has a finite loss; the result has the parameters after the last step");
        }
        numbers = task.evaluate(&mut session)?;
        if wanted.test {
            numbers.extend(task.test(&mut session)?);
        }
    }
    let params = task.target(dir)?;
    save_params(&session, &params, &said_of(config), |param| task.tensor_name(param))?;
    bar.finish();
    let title = config.path.display().to_string();
    curve::draw(dir, &title, &metrics.training, &metrics.validation)?;
    Ok(Outcome { step: at, numbers, params, interrupted })
}

/// The error of a step that failed, with the settings that may be the cause.
fn stopped(config: &Config, error: TrainError) -> Failure {
    let (step, what) = match &error {
        TrainError::NotFinite { step, what, value } => (step, format!("the {what} is {value}")),
        TrainError::NoProgress { step, skipped, scale } => {
            let scale =
                scale.map(|scale| format!(" and the loss scale is {scale} by now")).unwrap_or_default();
            let what = "in a row were skipped, since the loss or a gradient is not finite";
            (step, format!("{skipped} step(s) {what}{scale}"))
        }
        _ => return error.into(),
    };
    let rate = match (&config.optimizer.schedule, config.optimizer.lr) {
        (Some(schedule), _) => format!("`optimizer.schedule`, {schedule}"),
        (None, lr) => format!("`optimizer.lr`, {:?}", lr.unwrap_or_default()),
    };
    let clip = match config.optimizer.clip {
        Some(clip) => format!("lower `optimizer.clip`, {clip}"),
        None => "limit gradients with `optimizer.clip`".into(),
    };
    let precision = match config.run.precision {
        PrecisionPolicy::Declared => String::new(),
        other => format!(", or compute in more than `run.precision`, {}", other.show()),
    };
    let path = config.path.display();
    let text = format!(
        "{path}: step {step}: {what}; no update was made. Lower the learning rate ({rate}), or {clip}{precision}"
    );
    Failure::Failed(text.into())
}

/// Names and numbers as one line.
pub fn listed(numbers: &[(&'static str, f64)]) -> String {
    numbers.iter().map(|(name, value)| format!(", {name} {value:.4}")).collect()
}
