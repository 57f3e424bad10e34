//! Checkpoints: a session in one safetensors file, written completely or not at all; only the last few are kept.

use crate::error::TrainError;
use crate::scale::LossScale;
use crate::session::{Saved, SessionOn, Snapshot};
use crate::setting::{self, Changed, Setting};
use rlx_files::files::{FileError, make_folder, remove, remove_unfinished};
use rlx_files::weights::{self, StoredType, Tensor, Weights, WeightsError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Format version, stored in each file.
const FORMAT: &str = "rlx-checkpoint-1";

/// Why a checkpoint cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file is incomplete, is not a safetensors file, or cannot be read or written.
    #[error(transparent)]
    File(#[from] WeightsError),
    /// The folder cannot be created or listed, or an old checkpoint cannot be removed.
    #[error(transparent)]
    Folder(#[from] FileError),
    /// A safetensors file that is not a checkpoint of RLX.
    #[error("{path}: not a checkpoint: {problem}", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing or unknown.
        problem: String,
    },
    /// The contents of the file differ from what was written.
    #[error("{path}: its contents have changed since it was written (checksum {got:08x}, expected {expected:08x})", path = path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The checksum stored in the file.
        expected: u32,
        /// The checksum of the file's contents.
        got: u32,
    },
    /// A checkpoint of a different training run.
    #[error(
        "{path}: written by a training run with another configuration; choose another folder or start over (`--fresh`)",
        path = path.display()
    )]
    OtherConfig {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint of a training run that was started with other settings.
    #[error(
        "{path}: the training run was started with other settings: {}; use the earlier ones, choose another folder, or start over (`--fresh`)",
        setting::listed(changed),
        path = path.display()
    )]
    OtherSettings {
        /// The file.
        path: PathBuf,
        /// All settings that changed.
        changed: Vec<Changed>,
    },
    /// A checkpoint that does not fit the session.
    #[error("{path}: {source}", path = path.display())]
    Session {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        source: Box<TrainError>,
    },
    /// The session's values cannot be read.
    #[error(transparent)]
    Train(Box<TrainError>),
}

impl From<TrainError> for CheckpointError {
    fn from(error: TrainError) -> Self {
        CheckpointError::Train(Box::new(error))
    }
}

/// The checkpoints of one training run, in their own folder.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    dir: PathBuf,
    keep: usize,
    config: String,
    settings: Vec<Setting>,
}

/// What was restored from a checkpoint.
#[derive(Debug)]
pub struct Resumed {
    /// The file.
    pub path: PathBuf,
    /// The text that the caller saved with it.
    pub extra: BTreeMap<String, String>,
    /// Settings that have changed since the file was written, and with which the run can still continue.
    pub changed: Vec<Changed>,
    /// Newer files that could not be used, each with the reason.
    pub refused: Vec<CheckpointError>,
}

impl Checkpoints {
    /// Creates the list of checkpoints in `dir`, of which the last `keep` (at least one) are kept. `config` describes everything that must
    /// be unchanged for a run to continue; checkpoints with a different one are refused.
    pub fn new(dir: impl Into<PathBuf>, keep: usize, config: impl Into<String>) -> Self {
        Checkpoints { dir: dir.into(), keep: keep.max(1), config: config.into(), settings: Vec::new() }
    }

    /// Stores settings with every checkpoint. When the run continues, changed settings are reported, or the checkpoint is refused if
    /// one of them is fixed.
    pub fn with_settings(mut self, settings: Vec<Setting>) -> Self {
        self.settings = settings;
        self
    }

    /// Returns the folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes a checkpoint with `extra`, and removes the oldest ones and files left by interrupted writes.
    pub fn save<D>(
        &self,
        session: &SessionOn<D>,
        extra: &BTreeMap<String, String>,
    ) -> Result<PathBuf, CheckpointError> {
        make_folder(&self.dir)?;
        let values = session.saved()?;
        let Snapshot { step, scale } = session.snapshot();
        let mut about: BTreeMap<String, String> = BTreeMap::new();
        about.insert("format".into(), FORMAT.into());
        about.insert("step".into(), step.to_string());
        about.insert("config".into(), self.config.clone());
        about.extend(setting::entries(&self.settings));
        if let Some(s) = scale {
            // Bits represent a scale exactly.
            let bits = [s.scale, s.growth, s.backoff].map(|x| x.to_bits().to_string());
            about.insert("scale".into(), format!("{} {} {}", bits.join(" "), s.interval, s.good));
        }
        about.extend(extra.iter().map(|(k, v)| (format!("extra.{k}"), v.clone())));
        about.insert(
            "checksum".into(),
            checksum(&about, values.iter().map(|v| (v.name, &*v.bytes))).to_string(),
        );
        let path = self.dir.join(format!("step-{step:010}.safetensors"));
        write(&path, &values, &about, AllowedNumbers::Any)?;
        remove_unfinished(&self.dir)?;
        // Files of later steps do not count: they must have been unusable, because training would otherwise have continued from them.
        let earlier = self.list()?.into_iter().filter(|(at, _)| *at <= step);
        earlier.skip(self.keep).try_for_each(|(_, old)| remove(&old))?;
        Ok(path)
    }

    /// Returns the files with their steps, newest first.
    pub fn list(&self) -> Result<Vec<(u64, PathBuf)>, CheckpointError> {
        let folder = |e| FileError::io(&self.dir, "listing it", e);
        let entries = match std::fs::read_dir(&self.dir) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(folder)?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(folder)?.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let step = name.strip_prefix("step-").and_then(|n| n.strip_suffix(".safetensors"));
            if let Some(step) = step.and_then(|s| s.parse().ok()) {
                found.push((step, path));
            }
        }
        found.sort_by(|a: &(u64, PathBuf), b| b.cmp(a));
        Ok(found)
    }

    /// Returns the files that are checkpoints, and the files with the name of a checkpoint that are complete safetensors files of something
    /// else. A damaged file is in neither list.
    pub fn told_apart(&self) -> Result<(Vec<PathBuf>, Vec<PathBuf>), CheckpointError> {
        let (mut ours, mut others) = (Vec::new(), Vec::new());
        for (_, path) in self.list()? {
            let Ok(file) = Weights::open(&path) else { continue };
            let is_ours = file.metadata().get("format").map(String::as_str) == Some(FORMAT);
            if is_ours { &mut ours } else { &mut others }.push(path);
        }
        Ok((ours, others))
    }

    /// Restores the newest usable checkpoint into a session. Returns `None` if there are no files. Skips files that are truncated, corrupt
    /// or foreign, and names them in the result.
    ///
    /// # Errors
    /// Returns the error of the newest file if there are files and none can be used.
    pub fn resume<D>(&self, session: &mut SessionOn<D>) -> Result<Option<Resumed>, CheckpointError> {
        let mut refused = Vec::new();
        for (_, path) in self.list()? {
            match self.load(&path, session) {
                Ok((extra, changed)) => return Ok(Some(Resumed { path, extra, changed, refused })),
                // Older files have the same configuration and settings.
                Err(
                    error @ (CheckpointError::OtherConfig { .. } | CheckpointError::OtherSettings { .. }),
                ) => {
                    return Err(error);
                }
                Err(error) => refused.push(error),
            }
        }
        match refused.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(None),
        }
    }

    fn load<D>(
        &self,
        path: &Path,
        session: &mut SessionOn<D>,
    ) -> Result<(BTreeMap<String, String>, Vec<Changed>), CheckpointError> {
        let file = Weights::read(path)?;
        let mut about = file.metadata().clone();
        let foreign = |problem: String| CheckpointError::Foreign { path: path.to_path_buf(), problem };
        if about.get("format").map(String::as_str) != Some(FORMAT) {
            return Err(foreign(format!("`format` is not {FORMAT:?}")));
        }
        let expected: Option<u32> = about.remove("checksum").and_then(|c| c.parse().ok());
        let expected = expected.ok_or_else(|| foreign("it has no checksum".into()))?;
        let views: Vec<_> = file.iter().collect();
        let got = checksum(&about, views.iter().map(|v| (v.name(), v.bytes())));
        if got != expected {
            return Err(CheckpointError::Corrupt { path: path.to_path_buf(), expected, got });
        }
        if about.get("config") != Some(&self.config) {
            return Err(CheckpointError::OtherConfig { path: path.to_path_buf() });
        }
        let changed = setting::changed(&self.settings, &about);
        if changed.iter().any(|c| c.fixed) {
            return Err(CheckpointError::OtherSettings { path: path.to_path_buf(), changed });
        }
        let step = about.get("step").and_then(|s| s.parse().ok());
        let step = step.ok_or_else(|| foreign("it has no step".into()))?;
        let scale = match about.get("scale") {
            Some(text) => {
                Some(parse_scale(text).ok_or_else(|| foreign("its loss scale cannot be read".into()))?)
            }
            None => None,
        };
        let find = |name: &str| file.get(name).map(|view| view.bytes());
        let restored = session.restore(Snapshot { step, scale }, find);
        let unfit = |source| CheckpointError::Session { path: path.to_path_buf(), source: Box::new(source) };
        restored.map_err(unfit)?;
        let own = about.into_iter().filter_map(|(k, v)| Some((k.strip_prefix("extra.")?.to_string(), v)));
        Ok((own.collect(), changed))
    }
}

fn parse_scale(text: &str) -> Option<LossScale> {
    let numbers: Vec<u32> = text.split(' ').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let [scale, growth, backoff, interval, good] = numbers[..] else { return None };
    let [scale, growth, backoff] = [scale, growth, backoff].map(f32::from_bits);
    Some(LossScale { scale, growth, backoff, interval, good })
}

/// Returns the CRC-32 of the metadata and all values with their names.
fn checksum<'a>(about: &BTreeMap<String, String>, values: impl Iterator<Item = (&'a str, &'a [u8])>) -> u32 {
    let mut sorted: Vec<(&str, &[u8])> = values.collect();
    sorted.sort_unstable();
    let mut crc = crc32fast::Hasher::new();
    let mut add = |bytes: &[u8]| {
        crc.update(&(bytes.len() as u64).to_le_bytes());
        crc.update(bytes);
    };
    for (key, value) in about {
        add(key.as_bytes());
        add(value.as_bytes());
    }
    for (name, bytes) in sorted {
        add(name.as_bytes());
        add(bytes);
    }
    crc.finalize()
}

/// Whether values may be infinite or NaN. A session continues with any state, but parameters are exported for other programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AllowedNumbers {
    Any,
    Finite,
}

fn write(
    path: &Path,
    values: &[Saved<'_>],
    about: &BTreeMap<String, String>,
    numbers: AllowedNumbers,
) -> Result<(), CheckpointError> {
    let dims: Vec<Vec<usize>> = values.iter().map(|v| v.shape.static_dims().unwrap_or_default()).collect();
    let mut tensors: Vec<Tensor<'_>> = Vec::with_capacity(values.len());
    for (v, shape) in values.iter().zip(&dims) {
        let Some(stored) = StoredType::of(v.shape.dtype()) else {
            let message = format!("`{}` is {}, which safetensors files cannot store", v.name, v.shape);
            return Err(TrainError::State(message).into());
        };
        let tensor = Tensor { name: v.name, stored, shape, bytes: &v.bytes };
        if numbers == AllowedNumbers::Finite {
            tensor.check_finite()?;
        }
        tensors.push(tensor);
    }
    Ok(weights::save(path, &tensors, about)?)
}

/// Writes the parameters of a session to a safetensors file, with `about` as the metadata. `name` maps the name of a parameter to its name
/// in the file.
///
/// # Errors
/// Fails if a parameter is infinite or NaN: training diverged, and an earlier checkpoint should be used. Also fails if the file cannot
/// be written, as for checkpoints.
pub fn save_params<D>(
    session: &SessionOn<D>,
    path: &Path,
    about: &BTreeMap<String, String>,
    name: impl Fn(&str) -> String,
) -> Result<(), CheckpointError> {
    let params: Vec<Saved<'_>> = session.saved()?.into_iter().filter(|v| v.is_param).collect();
    let names: Vec<String> = params.iter().map(|v| name(v.name)).collect();
    let renamed = params.into_iter().zip(&names).map(|(v, name)| Saved { name, ..v });
    write(path, &renamed.collect::<Vec<_>>(), about, AllowedNumbers::Finite)
}
