//! The loop over steps: resumes, steps, writes metrics and checkpoints, evaluates, and stops where it should.

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

/// What the model is, in the text of a file of parameters.
pub const MODEL: &str = "rlx.model";

/// How a training ended.
pub struct Outcome {
    /// Steps taken in all.
    pub step: u64,
    /// The evaluation of the parameters that are the result, and the test if it was asked for.
    pub numbers: Numbers,
    /// Where the parameters are.
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
    if let Some(threads) = config.run.threads.or(settings.env.num_threads) {
        session = session.with_backend_options(CpuOptions::new().num_threads(threads));
    }
    Ok(session)
}

/// What the file of parameters says of itself: how others lay out such files (their loaders ask), and which model it is.
fn said_of(config: &Config) -> BTreeMap<String, String> {
    let entries = [("format", "pt".to_string()), (MODEL, config.model.identity())];
    entries.map(|(key, value)| (key.to_string(), value)).into()
}

/// The checkpoints of a configuration, which keep these settings.
pub fn checkpoints(config: &Config, settings: Vec<Setting>) -> Checkpoints {
    let dir = config.beside(&config.run.dir).join("checkpoints");
    Checkpoints::new(dir, config.run.keep, "").with_settings(settings)
}

/// The settings that checkpoints keep, with what is in the file of examples.
fn kept(config: &Config) -> Result<Vec<Setting>, Failure> {
    let data = config.file("data.path", &config.data.path)?;
    let mut kept = config.kept();
    kept.push(Setting::of_file("data.path(contents)", &data)?);
    if let Model::Llm(Llm { config: sizes, .. }) = &config.model {
        kept.push(Setting::of_file("model.config(contents)", &config.file("model.config", sizes)?)?);
    }
    Ok(kept)
}

/// The evaluation with the lowest loss so far, and the checkpoint of it.
struct Best {
    files: Checkpoints,
    loss: f64,
}

/// The name of the loss beside a checkpoint.
const LOSS: &str = "loss";

impl Best {
    /// What an earlier run of the training found. The session is then as it was there.
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

    /// Keeps the session if it is better. What a run that goes on evaluates again is no better, so that it ends with the same.
    fn offer(&mut self, session: &TrainingSession, numbers: &Numbers) -> Result<(), Failure> {
        let Some(&(_, loss)) = numbers.first().filter(|n| n.1 < self.loss) else { return Ok(()) };
        self.loss = loss;
        self.files.save(session, &BTreeMap::from([(LOSS.into(), loss.to_bits().to_string())]))?;
        Ok(())
    }
}

/// What a caller chooses about a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Earlier checkpoints are removed.
    pub fresh: bool,
    /// The result is tested on what nothing was chosen by.
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
        return Err(Failure::usage("--test: this training keeps no examples for a test"));
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
        bar.message(&format!("going on from {}", resumed.path.display()));
        if !resumed.changed.is_empty() {
            let changed: Vec<String> = resumed.changed.iter().map(ToString::to_string).collect();
            bar.message(&format!("changed since then: {}", changed.join("; ")));
        }
    }
    // Every batch counts, also those whose update was left out: it says which data comes next.
    let steps = config.run.steps;
    let mut at = session.steps();
    if at >= steps {
        let more = "more `steps` go on, `--fresh` starts anew";
        bar.message(&format!("the training has come to its end, with {at} of {steps} steps; {more}"));
    }
    let mut metrics = Metrics::open(dir, at, task.measures())?;
    bar = Bar::of_steps(steps, at, settings.quiet);
    if at == 0 {
        // What the training begins with says how much it changed.
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
        // The best is written first: a run that goes on from the checkpoint does not see this evaluation again.
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
            bar.message("no evaluation has a finite loss: the result is what the last step left");
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

/// A step that could not be made, with the settings that may be why.
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

/// Names and numbers in a line.
pub fn listed(numbers: &[(&'static str, f64)]) -> String {
    numbers.iter().map(|(name, value)| format!(", {name} {value:.4}")).collect()
}
