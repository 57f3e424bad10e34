//! The loop over steps: resumes, steps, writes metrics and checkpoints, evaluates, and stops where it is told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rlx_train::{Checkpoints, TrainConfig, TrainingSession, save_params};

use super::config::Config;
use super::curve;
use super::metrics::Metrics;
use super::task::{self, Task, views};
use crate::failure::Failure;
use crate::progress::Bar;
use crate::settings::Settings;
use rlx_models::hub::Progress;

/// What the model is, in the text of a file of parameters.
pub const MODEL: &str = "rlx.model";

/// How a training ended.
pub struct Outcome {
    /// Steps taken in all.
    pub step: u64,
    /// The last evaluation.
    pub numbers: Vec<(&'static str, f64)>,
    /// Where the parameters are.
    pub params: PathBuf,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

/// The session of a configuration, before its first step.
pub fn session(config: &Config, task: &dyn Task, settings: &Settings) -> Result<TrainingSession, Failure> {
    let graph = task.graph()?;
    let values = task.initial(&graph, config.file.run.seed)?;
    let names: Vec<String> = values.keys().cloned().collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    let lr = config.file.optimizer.lr.as_ref().map_or(0.0, |lr| *lr.get_ref());
    let train = TrainConfig { lr, optimizer: config.optimizer };
    let mut session = TrainingSession::try_new(graph, &names, values, train)?
        .with_fused_optimizer()
        .with_precision_policy(config.precision)
        .with_decay_mask(rlx_train::Mask::MinRank(2))
        .with_schedule(config.schedule.clone());
    if let Some(clip) = &config.file.optimizer.clip {
        session = session.with_clip_norm(*clip.get_ref());
    }
    if let Some(threads) = config.file.run.threads.or(settings.env.num_threads) {
        session = session.with_threads(threads);
    }
    Ok(session)
}

/// What the file of parameters says of itself: how others lay out such files (their loaders ask), and which model it is.
fn about(config: &Config) -> BTreeMap<String, String> {
    let entries = [("format", "pt".to_string()), (MODEL, config.file.model.identity())];
    entries.map(|(key, value)| (key.to_string(), value)).into()
}

/// The checkpoints of a configuration.
pub fn checkpoints(config: &Config) -> Checkpoints {
    let dir = config.beside(&config.file.run.dir).join("checkpoints");
    Checkpoints::new(dir, config.file.run.keep, config.identity.clone())
}

/// Trains to the last step, or until `stop` is set.
pub fn train(
    config: &Config,
    fresh: bool,
    settings: &Settings,
    stop: &Arc<AtomicBool>,
) -> Result<Outcome, Failure> {
    let mut task = task::open(config, settings)?;
    let mut session = session(config, task.as_ref(), settings)?;
    let dir = config.beside(&config.file.run.dir);
    std::fs::create_dir_all(&dir)?;
    let checkpoints = checkpoints(config);
    let mut bar = Bar::new();
    if fresh {
        for (_, path) in checkpoints.list()? {
            std::fs::remove_file(path)?;
        }
    } else if let Some(resumed) = checkpoints.resume(&mut session)? {
        resumed.refused.iter().for_each(|e| bar.message(&format!("{e}; an older checkpoint is used")));
        bar.message(&format!("going on from {}", resumed.path.display()));
    }
    // Every batch counts, also those whose update was left out: it says which data comes next.
    let steps = *config.file.run.steps.get_ref();
    let mut at = session.steps();
    let mut metrics = Metrics::open(&dir, at)?;
    let mut numbers = Vec::new();
    bar = Bar::of_steps(steps, at);
    if at == 0 {
        // What the training begins with says how much it changed.
        let begin = task.evaluate(&mut session)?;
        metrics.evaluation(at, &begin)?;
        bar.message(&format!("step 0{}", listed(&begin)));
    }
    while at < steps && !stop.load(Ordering::Relaxed) {
        let inputs = task.batch(at);
        let begin = Instant::now();
        let report = session.step_typed(&views(&inputs))?;
        let ms = begin.elapsed().as_secs_f64() * 1e3;
        at = if report.skipped { at } else { at + 1 };
        metrics.step(&report, at, ms)?;
        bar.step(at, report.loss);
        if at.is_multiple_of(config.file.run.checkpoint_every) && at < steps {
            checkpoints.save(&session, &BTreeMap::new())?;
        }
        if at.is_multiple_of(config.file.run.evaluate_every) || at == steps {
            numbers = task.evaluate(&mut session)?;
            metrics.evaluation(at, &numbers)?;
            bar.message(&format!("step {at}: loss {:.4}{}", report.loss, listed(&numbers)));
        }
    }
    let interrupted = at < steps;
    checkpoints.save(&session, &BTreeMap::new())?;
    let params = task.target(&dir)?;
    save_params(&session, &params, &about(config))?;
    bar.finish();
    curve::draw(&dir, &metrics.losses, &config.path.display().to_string()).map_err(std::io::Error::other)?;
    Ok(Outcome { step: at, numbers, params, interrupted })
}

/// Names and numbers in a line.
pub fn listed(numbers: &[(&'static str, f64)]) -> String {
    numbers.iter().map(|(name, value)| format!(", {name} {value:.4}")).collect()
}
