//! The folder of a training run. Only one run at a time writes to it, and a run never replaces files that no run wrote.

use std::fs;
use std::path::{Path, PathBuf};

use rlx_models::files::{make_folder, read_text, remove_unfinished};
use rlx_models::lock::{Attempt, Lock};
use rlx_models::weights::Weights;
use rlx_train::Checkpoints;
use serde_json::Value;

use super::config::Config;
use super::metrics;
use super::run::MODEL;
use crate::failure::Failure;

/// The lock file in the folder of a run.
const LOCK: &str = ".rlx_train.lock";

/// The folder of a run, locked by that run.
pub struct RunFolder {
    /// The path of the folder.
    pub path: PathBuf,
    _lock: Lock,
}

impl RunFolder {
    /// Creates and locks the folder.
    ///
    /// # Errors
    ///
    /// Another run has locked it, or it contains files that a run would write but that no run wrote.
    pub fn open(config: &Config, checkpoints: &[&Checkpoints]) -> Result<RunFolder, Failure> {
        let path = config.beside(&config.run.dir);
        make_folder(&path).map_err(|e| config.refuse_file("run.dir", &e))?;
        let foreign = foreign(&path, checkpoints)?;
        if !foreign.is_empty() {
            let names: Vec<String> = foreign.iter().map(|path| path.display().to_string()).collect();
            let problem = format!(
                "names a folder with files that no training run wrote but that this one would replace: {}; \
                 choose another folder, or move them away",
                names.join(", ")
            );
            return Err(config.refuse("run.dir", problem).into());
        }
        let lock = match Lock::attempt(&path.join(LOCK))? {
            Attempt::Taken(lock) => lock,
            Attempt::Held(other) => {
                let (path, owner) = (path.display(), other.owner);
                let problem = format!(
                    "names {path}, where another training run writes ({owner}); wait until it ends, stop it, or choose another \
                     folder"
                );
                return Err(config.refuse("run.dir", problem).into());
            }
        };
        remove_unfinished(&path)?;
        Ok(RunFolder { path, _lock: lock })
    }
}

/// The files in a folder that a run would replace or remove although no run wrote them.
fn foreign(dir: &Path, checkpoints: &[&Checkpoints]) -> Result<Vec<PathBuf>, Failure> {
    let mut foreign = Vec::new();
    let mut known = false;
    for files in checkpoints {
        let (ours, others) = files.told_apart()?;
        known |= !ours.is_empty();
        foreign.extend(others);
    }
    let there = |name: &str| Some(dir.join(name)).filter(|path| path.symlink_metadata().is_ok());
    let is_model = |path: &Path| Weights::open(path).is_ok_and(|file| file.metadata().contains_key(MODEL));
    let models = [there("model.safetensors"), there("model/model.safetensors")];
    foreign.extend(models.into_iter().flatten().filter(|path| !is_model(path)));
    if known {
        return Ok(foreign);
    }
    // There is no checkpoint of a run here, so each file must show that a run wrote it.
    let [rows, table] = ["metrics.jsonl", "metrics.csv"].map(there);
    let rows_are_ours = rows.as_deref().is_some_and(has_rows);
    foreign.extend(rows.filter(|_| !rows_are_ours));
    foreign.extend(table.filter(|path| !has_table(path)));
    let pictures = ["loss.svg", "loss.png"].map(there).into_iter().flatten();
    foreign.extend(pictures.filter(|_| !rows_are_ours));
    // The settings of a sentence encoder are written before its parameters.
    if let Some(model) = there("model")
        && there("model/model.safetensors").is_none()
        && fs::read_dir(&model).map_or(true, |mut entries| entries.next().is_some())
    {
        foreign.push(model);
    }
    Ok(foreign)
}

/// Whether a file contains only rows of metrics. The last row may be incomplete.
fn has_rows(path: &Path) -> bool {
    let Ok(text) = read_text(path, metrics::MAX_METRICS_BYTES) else { return false };
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().all(|line| {
        serde_json::from_str(line).is_ok_and(|row: Value| {
            let ours = metrics::OF_STEP.iter().all(|key| row.get(key).is_some());
            row["step"] == 0 || row["step"].is_u64() && ours
        })
    })
}

/// Whether a file begins like the table of metrics.
fn has_table(path: &Path) -> bool {
    let text = read_text(path, metrics::MAX_METRICS_BYTES).unwrap_or_default();
    let columns: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    columns.starts_with(&["step", "loss"]) && columns.ends_with(&metrics::OF_STEP)
}
