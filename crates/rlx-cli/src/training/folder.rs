//! The folder of a training run. One training at a time writes to it, and none replaces files there that are
//! not a training's.

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

/// The lock of a run, in its folder.
const LOCK: &str = ".rlx_train.lock";

/// The folder of a run while a training has it.
pub struct RunFolder {
    /// Where it is.
    pub path: PathBuf,
    _lock: Lock,
}

impl RunFolder {
    /// Makes the folder and takes it.
    ///
    /// # Errors
    /// Another training has it, or it holds files of the names of a training's that no training wrote.
    pub fn open(config: &Config, checkpoints: &[&Checkpoints]) -> Result<RunFolder, Failure> {
        let path = config.beside(&config.run.dir);
        make_folder(&path).map_err(|e| config.refuse_file("run.dir", &e))?;
        let foreign = foreign(&path, checkpoints)?;
        if !foreign.is_empty() {
            let names: Vec<String> = foreign.iter().map(|path| path.display().to_string()).collect();
            let problem = format!(
                "names a folder with files that no training wrote, and that this one would replace: {}; \
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
                    "names {path}, where another training writes ({owner}); wait for its end, stop it, or choose another \
                     folder"
                );
                return Err(config.refuse("run.dir", problem).into());
            }
        };
        remove_unfinished(&path)?;
        Ok(RunFolder { path, _lock: lock })
    }
}

/// The files in a folder that a training would replace or remove, and that no training wrote.
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
    // No checkpoint says that a training was here: each file must say so itself.
    let [rows, table] = ["metrics.jsonl", "metrics.csv"].map(there);
    let rows_are_ours = rows.as_deref().is_some_and(has_rows);
    foreign.extend(rows.filter(|_| !rows_are_ours));
    foreign.extend(table.filter(|path| !has_table(path)));
    let pictures = ["loss.svg", "loss.png"].map(there).into_iter().flatten();
    foreign.extend(pictures.filter(|_| !rows_are_ours));
    // The settings of a model of sentences are written before its parameters.
    if let Some(model) = there("model")
        && there("model/model.safetensors").is_none()
        && fs::read_dir(&model).map_or(true, |mut entries| entries.next().is_some())
    {
        foreign.push(model);
    }
    Ok(foreign)
}

/// Whether a file has rows of metrics and nothing else; the last may be cut off.
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

/// Whether a file begins as the table of metrics does.
fn has_table(path: &Path) -> bool {
    let text = read_text(path, metrics::MAX_METRICS_BYTES).unwrap_or_default();
    let columns: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    columns.starts_with(&["step", "loss"]) && columns.ends_with(&metrics::OF_STEP)
}
