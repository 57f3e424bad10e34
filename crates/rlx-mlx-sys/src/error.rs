//! Errors of MLX, and of loading it.

use std::path::PathBuf;

/// Why MLX cannot be loaded. Each message is one sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// No shim was built, and none is configured.
    #[error(
        "MLX is not available: this program was built without it, and RLX_MLX_LIBRARY is not set (docs/mlx.md has the set-up)"
    )]
    Missing,
    /// The configured path is not a file.
    #[error("RLX_MLX_LIBRARY names {0}, which is not a file")]
    NoFile(PathBuf),
    /// The system cannot load the file.
    #[error("{file} cannot be loaded: {message}")]
    Load {
        /// The shim.
        file: PathBuf,
        /// The system's message.
        message: String,
    },
    /// The file is a library, but not a shim.
    #[error("{0} is not a shim for MLX: it has no function `rlx_mlx_table`")]
    NoShim(PathBuf),
    /// The shim was built for another version of RLX.
    #[error(
        "{file} was built for another version of RLX (interface {got}, expected {expected}): rebuild the shim"
    )]
    Interface {
        /// The shim.
        file: PathBuf,
        /// Its interface version.
        got: u64,
        /// The interface version that this program needs.
        expected: u64,
    },
    /// The shim was built for another MLX than the one that the system loads.
    #[error("{file} was built for MLX {built_for}, but MLX {found} is installed: rebuild the shim")]
    Version {
        /// The shim.
        file: PathBuf,
        /// The version that it was built for.
        built_for: String,
        /// The version that was loaded.
        found: String,
    },
    /// A process can load only one MLX.
    #[error("{file} cannot be loaded after {loaded}: a process has one MLX; name the same file each time")]
    Another {
        /// The shim that was requested.
        file: PathBuf,
        /// The shim that is loaded.
        loaded: PathBuf,
    },
    /// MLX has no device of this kind.
    #[error("MLX {version} has no {kind} here")]
    NoDevice {
        /// The version of MLX.
        version: String,
        /// The kind that was requested.
        kind: &'static str,
    },
}

/// Why a call failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MlxError {
    /// MLX failed, with this message.
    #[error("MLX: {0}")]
    Failed(String),
    /// There is not enough memory.
    #[error("MLX is out of memory: {message}")]
    OutOfMemory {
        /// The number of bytes requested, or 0 if MLX does not say.
        bytes: usize,
        /// MLX's message.
        message: String,
    },
    /// A size that MLX does not support: its dimensions have 31 bits.
    #[error("MLX does not support a dimension of {0}")]
    TooLarge(usize),
    /// An argument is wrong in a way that MLX would not check.
    #[error("{0}")]
    Argument(String),
    /// This process is a fork of the one that loaded MLX, and has none of its threads.
    #[error(
        "MLX does not work in a process that was forked after it was loaded; start the work in a new program"
    )]
    Forked,
}
