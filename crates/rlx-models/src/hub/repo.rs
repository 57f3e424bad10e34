//! Fetches models of any repository on the hub by name: `org/name`, or one of its files, `org/name:file`.
//!
//! Such models are not pinned. When a model is first fetched, the hub names its newest commit, and the length and
//! SHA-256 of each file; these are recorded next to the model, and files are fetched from that commit from then on. A
//! folder that was filled by other means is used as it is. Files are stored in `<cache>/models/<org>/<name>`. Each
//! one is fetched under a temporary name, checked, and renamed. After an interrupted transfer, the bytes that arrived
//! are kept, and the next fetch continues from there.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use thiserror::Error;

use super::http;
use super::partial::PartialFile;
use super::{FetchError, HubError, HubOptions, Progress};
use crate::display::{list, quoted};
use crate::files::{FileError, make_folder, read_json, sync_folder, write_atomically};
use crate::lock::{Attempt, Lock};

/// The file with the record of what the hub said about a model.
const RECORD: &str = ".rlx-pins.json";
/// The maximum size of a record and of an answer from the hub, in bytes.
const MAX_RECORD: u64 = 16 << 20;
/// The maximum number of bytes in one model.
const MAX_MODEL: u64 = 4 << 40;
/// Files that are fetched in addition to the weights.
const BESIDE: [&str; 12] = [
    "adapter_config.json",
    "added_tokens.json",
    "chat_template.jinja",
    "chat_template.json",
    "config.json",
    "generation_config.json",
    "merges.txt",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "vocab.json",
];
const INDEX: &str = "model.safetensors.index.json";

/// A model on the hub, and optionally one of its files: `org/name[:file]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepoId {
    organization: String,
    model: String,
    file: Option<String>,
}

impl fmt::Display for RepoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.organization, self.model)
    }
}

/// Why a model of the hub cannot be provided.
#[derive(Debug, Error)]
pub enum RepoError {
    /// There is no cache folder.
    #[error(transparent)]
    Cache(#[from] HubError),
    /// A file of the cache cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// Files are missing, but fetching is forbidden.
    #[error(
        "the model {id} is incomplete in the cache, and {by} forbids fetching it: {} lacks {missing}; fetch it once without {by}, or copy \
         its files there", dir.display()
    )]
    Offline {
        /// The model.
        id: String,
        /// What forbids it: the name of an option or a variable.
        by: &'static str,
        /// The folder of its files.
        dir: PathBuf,
        /// The missing files.
        missing: String,
    },
    /// The hub did not answer, or a file could not be fetched.
    #[error(
        "the model {id} is incomplete in the cache ({}) and could not be fetched: {error}\nWhat arrived is kept, and the next try continues from \
         there; or put its files into that folder", dir.display()
    )]
    Fetch {
        /// The model.
        id: String,
        /// The folder of its files.
        dir: PathBuf,
        /// Why it could not be fetched.
        error: Box<FetchError>,
    },
    /// The hub's description of the model cannot be used.
    #[error("the model {id}: the description from {endpoint} cannot be used: {problem}")]
    Listing {
        /// The model.
        id: String,
        /// The hub.
        endpoint: String,
        /// What is wrong.
        problem: String,
    },
    /// The model has no such file.
    #[error("the model {id} has no file {file}; it has {known}")]
    NoFile {
        /// The model.
        id: String,
        /// The requested file.
        file: String,
        /// The files of the model.
        known: String,
    },
    /// A file that arrived differs from the one that the hub describes.
    #[error("{file} of the model {id} differs from the file on the hub: {problem}; it was removed")]
    Wrong {
        /// The model.
        id: String,
        /// The file.
        file: String,
        /// How it differs.
        problem: String,
    },
}

/// What is known about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FileFacts {
    len: u64,
    /// The hash stated by the hub; after fetching, the actual one.
    sha256: Option<String>,
}

/// A commit of a repository.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Commit {
    revision: String,
    files: BTreeMap<String, FileFacts>,
}

impl RepoId {
    /// Parses the name of a model; `None` if the text is a path.
    pub fn parse(name: &str) -> Option<RepoId> {
        let (id, file) = name.split_once(':').map_or((name, None), |(id, file)| (id, Some(file)));
        let (organization, model) = id.split_once('/')?;
        let is_id = is_plain(organization) && is_plain(model) && file.is_none_or(is_plain);
        // A path to a file, with two components, is not an id.
        let is_id = is_id && !model.to_ascii_lowercase().ends_with(".gguf");
        let (organization, model, file) = (organization.into(), model.into(), file.map(String::from));
        is_id.then_some(RepoId { organization, model, file })
    }

    /// Returns the file or folder of the model in the cache, and fetches it if it is not there yet.
    ///
    /// # Errors
    /// Returns a [`RepoError`]. Bytes of files that arrived are kept for the next try.
    pub fn resolve(&self, options: &HubOptions, progress: &mut dyn Progress) -> Result<PathBuf, RepoError> {
        let cache = options.cache.as_ref().ok_or(HubError::NoCacheFolder)?;
        let dir = cache.join("models").join(&self.organization).join(&self.model);
        let place = self.file.as_ref().map_or(dir.clone(), |file| dir.join(file));
        let known = Commit::read(&dir)?;
        if self.is_whole(&dir, known.as_ref()) {
            return Ok(place);
        }
        if let Some(by) = options.offline {
            let missing = match &known {
                Some(commit) => list(commit.missing(&self.wanted(commit)?, &dir).iter()),
                None => self.file.clone().unwrap_or_else(|| "config.json, tokenizer.json and weights".into()),
            };
            return Err(RepoError::Offline { id: self.to_string(), by, dir, missing });
        }
        make_folder(&dir)?;
        let _lock = match Lock::attempt(&dir.join(".lock"))? {
            Attempt::Taken(lock) => lock,
            Attempt::Held(other) => {
                progress.message(&format!("waiting for {}, which fetches the model {self}", other.owner));
                other.wait()?
            }
        };
        // Another process may have fetched it while this one waited.
        let known = Commit::read(&dir)?;
        if !self.is_whole(&dir, known.as_ref()) {
            self.fetch(&dir, known, options, progress)?;
        }
        Ok(place)
    }

    /// Whether everything that was asked for is present: all of its files in the record or, without a record,
    /// anything that the user put there.
    fn is_whole(&self, dir: &Path, known: Option<&Commit>) -> bool {
        match (known, &self.file) {
            (None, Some(file)) => dir.join(file).is_file(),
            (None, None) => {
                dir.is_dir()
                    && fs::read_dir(dir).is_ok_and(|mut entries| {
                        entries.any(|entry| {
                            entry.is_ok_and(|e| !e.file_name().to_string_lossy().starts_with('.'))
                        })
                    })
            }
            (Some(commit), _) => {
                self.wanted(commit).is_ok_and(|wanted| commit.missing(&wanted, dir).is_empty())
            }
        }
    }

    /// Returns the files of a commit that are asked for.
    fn wanted(&self, commit: &Commit) -> Result<Vec<String>, RepoError> {
        let names = || commit.files.keys().filter(|name| is_plain(name));
        let no_file = |file: &str, known: Vec<&String>| RepoError::NoFile {
            id: self.to_string(),
            file: quoted(file),
            known: if known.is_empty() { "no model files".into() } else { list(known.iter()) },
        };
        if let Some(file) = &self.file {
            if !commit.files.contains_key(file) {
                return Err(no_file(file, names().filter(|name| is_weights(name)).collect()));
            }
            // Asking for a part of a file asks for all parts.
            let parts = |name: &&String| {
                *name == file || part_of(name).is_some_and(|whole| part_of(file) == Some(whole))
            };
            return Ok(names().filter(parts).cloned().collect());
        }
        let has_parts = commit.files.contains_key(INDEX);
        let is_safetensors = |name: &str| {
            name.ends_with(".safetensors")
                && !name.starts_with("consolidated")
                && (!has_parts || name != "model.safetensors")
        };
        let wanted: Vec<String> = names()
            .filter(|name| BESIDE.contains(&name.as_str()) || *name == INDEX || is_safetensors(name))
            .cloned()
            .collect();
        if wanted.iter().any(|name| is_safetensors(name)) {
            return Ok(wanted);
        }
        let files: Vec<&String> = names().filter(|name| name.ends_with(".gguf")).collect();
        Err(no_file("model.safetensors", files))
    }

    fn fetch(
        &self,
        dir: &Path,
        known: Option<Commit>,
        options: &HubOptions,
        progress: &mut dyn Progress,
    ) -> Result<(), RepoError> {
        let begin = Instant::now();
        let left = || options.fetch_timeout.saturating_sub(begin.elapsed());
        let failed =
            |error| RepoError::Fetch { id: self.to_string(), dir: dir.to_path_buf(), error: Box::new(error) };
        let agent = http::agent(options).map_err(failed)?;
        progress.message(&format!("fetching {self} from {}", options.endpoint));
        let mut commit = match known {
            Some(commit) => commit,
            None => {
                let url = format!("{}/api/models/{self}/revision/main?blobs=true", options.endpoint);
                let text = http::text(&agent, &url, MAX_RECORD, left(), options).map_err(failed)?;
                self.listed(&text, options)?
            }
        };
        let missing = commit.missing(&self.wanted(&commit)?, dir);
        commit.write(dir)?;
        let total: u64 =
            missing.iter().filter_map(|name| commit.files.get(name)).map(|facts| facts.len).sum();
        progress.begin(&self.to_string(), Some(total));
        let done = missing.iter().try_for_each(|name| {
            let Some(facts) = commit.files.get_mut(name) else { return Ok(()) };
            let url = format!("{}/{self}/resolve/{}/{name}", options.endpoint, commit.revision);
            // Bytes from another commit belong to another file.
            let revision = &commit.revision[..commit.revision.len().min(12)];
            let partial = dir.join(format!(".{name}.{revision}.part"));
            let part = PartialFile { url: &url, path: &partial, len: facts.len };
            let sha256 = part.fetch(&agent, &left, options, progress).map_err(failed)?;
            if let Some(expected) = facts.sha256.as_ref().filter(|expected| **expected != sha256) {
                let problem = format!("its SHA-256 is {sha256} instead of {expected}");
                let _ = fs::remove_file(&partial);
                return Err(RepoError::Wrong { id: self.to_string(), file: name.clone(), problem });
            }
            facts.sha256 = Some(sha256);
            let place = dir.join(name);
            fs::rename(&partial, &place).map_err(|e| FileError::io(&place, "installing", e))?;
            Ok(())
        });
        progress.end();
        commit.write(dir)?;
        // The contents of files were flushed; if a name is lost, the file is fetched again.
        let _ = sync_folder(dir);
        done
    }

    /// Returns the commit that the hub's answer describes.
    fn listed(&self, text: &str, options: &HubOptions) -> Result<Commit, RepoError> {
        let wrong = |problem: &str| RepoError::Listing {
            id: self.to_string(),
            endpoint: options.endpoint.clone(),
            problem: problem.into(),
        };
        let answer: Value = serde_json::from_str(text).map_err(|e| wrong(&e.to_string()))?;
        let revision = answer.get("sha").and_then(Value::as_str).unwrap_or_default();
        if revision.len() != 40 || !revision.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(wrong("it does not name a commit"));
        }
        let files = answer
            .get("siblings")
            .and_then(Value::as_array)
            .ok_or_else(|| wrong("it does not list files"))?;
        let mut commit = Commit { revision: revision.into(), files: BTreeMap::new() };
        for file in files {
            let name = file.get("rfilename").and_then(Value::as_str).unwrap_or_default();
            let large = file.get("lfs").unwrap_or(&Value::Null);
            let len = large.get("size").or(file.get("size")).and_then(Value::as_u64);
            let sha256 = large.get("sha256").or(large.get("oid")).and_then(Value::as_str);
            // Files in subfolders and hidden files do not belong to a model.
            if !is_plain(name) {
                continue;
            }
            let len =
                len.ok_or_else(|| wrong(&format!("it does not state the length of {}", quoted(name))))?;
            let is_hash = |text: &&str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
            let sha256 = sha256.filter(is_hash).map(str::to_ascii_lowercase);
            commit.files.insert(name.into(), FileFacts { len, sha256 });
        }
        let total = commit.files.values().try_fold(0u64, |sum, facts| sum.checked_add(facts.len));
        match total {
            Some(total) if total <= MAX_MODEL => Ok(commit),
            _ => Err(wrong(&format!("its files have more than {} TiB", MAX_MODEL >> 40))),
        }
    }
}

impl Commit {
    /// Reads the record next to a model, or returns `None` if nothing was fetched.
    fn read(dir: &Path) -> Result<Option<Commit>, FileError> {
        let path = dir.join(RECORD);
        let record: Value = match read_json(&path, MAX_RECORD) {
            Ok(record) => record,
            Err(FileError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let broken = || FileError::io(&path, "reading", io::Error::other("the file is damaged; remove it"));
        let revision = record.get("revision").and_then(Value::as_str).ok_or_else(broken)?;
        let mut commit = Commit { revision: revision.into(), files: BTreeMap::new() };
        for (name, facts) in record.get("files").and_then(Value::as_object).ok_or_else(broken)? {
            let len = facts.get("len").and_then(Value::as_u64).ok_or_else(broken)?;
            let sha256 = facts.get("sha256").and_then(Value::as_str).map(String::from);
            if !is_plain(name) || !revision.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(broken());
            }
            commit.files.insert(name.clone(), FileFacts { len, sha256 });
        }
        Ok(Some(commit))
    }

    fn write(&self, dir: &Path) -> Result<(), FileError> {
        let facts = |facts: &FileFacts| serde_json::json!({"len": facts.len, "sha256": facts.sha256});
        let files: serde_json::Map<String, Value> =
            self.files.iter().map(|(name, file)| (name.clone(), facts(file))).collect();
        let record = serde_json::json!({"revision": self.revision, "files": files});
        write_atomically(&dir.join(RECORD), |out| writeln!(out, "{record:#}"))
    }

    /// Returns which of these files are not in the folder with their length.
    fn missing(&self, wanted: &[String], dir: &Path) -> Vec<String> {
        let is_there = |name: &String| {
            let len = self.files.get(name).map(|facts| facts.len);
            fs::metadata(dir.join(name)).is_ok_and(|meta| meta.is_file() && Some(meta.len()) == len)
        };
        wanted.iter().filter(|name| !is_there(name)).cloned().collect()
    }
}

/// Whether a text is a plain name, of a visible file directly in the folder or of a part of an id.
fn is_plain(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !text.is_empty() && text.len() <= 200 && !text.starts_with('.') && text.chars().all(allowed)
}

fn is_weights(name: &str) -> bool {
    name.ends_with(".gguf") || name.ends_with(".safetensors")
}

/// Returns the name of the whole file for a part `NAME-00001-of-00003.gguf`, and the number of its parts.
fn part_of(name: &str) -> Option<(&str, &str)> {
    let (front, count) = name.strip_suffix(".gguf")?.rsplit_once("-of-")?;
    let (whole, number) = front.rsplit_once('-')?;
    let digits = |text: &str| text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit());
    (digits(count) && digits(number)).then_some((whole, count))
}

#[cfg(test)]
#[path = "repo_tests.rs"]
mod tests;
