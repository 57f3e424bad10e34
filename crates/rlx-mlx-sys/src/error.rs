//! Errors of MLX, and of loading it.

use std::path::PathBuf;

/// Why MLX cannot be had. Each is one sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// No shim was built, and none is named.
    #[error(
        "MLX is not there: this program was built without it, and RLX_MLX_LIBRARY names no shim (docs/mlx.md has the set-up)"
    )]
    Missing,
    /// The file that is named is none.
    #[error("RLX_MLX_LIBRARY names {0}, which is not a file")]
    NoFile(PathBuf),
    /// The system does not load it.
    #[error("{file} cannot be loaded: {message}")]
    Load {
        /// The shim.
        file: PathBuf,
        /// What the system says.
        message: String,
    },
    /// A library, but no shim.
    #[error("{0} is no shim for MLX: it has no function `rlx_mlx_table`")]
    NoShim(PathBuf),
    /// A shim of another version of RLX.
    #[error(
        "{file} was built for another version of RLX (interface {got}, this is {expected}): build it anew"
    )]
    Interface {
        /// The shim.
        file: PathBuf,
        /// Its interface.
        got: u64,
        /// The one that is spoken here.
        expected: u64,
    },
    /// A shim that was built for another MLX than the one that the system finds.
    #[error("{file} was built for MLX {built_for}, and finds MLX {found}: build it anew")]
    Version {
        /// The shim.
        file: PathBuf,
        /// The version that it was built for.
        built_for: String,
        /// The version that is there.
        found: String,
    },
    /// A process has one MLX.
    #[error("{file} cannot be loaded beside {loaded}: a process has one MLX; name the same file each time")]
    Another {
        /// The shim that was asked for.
        file: PathBuf,
        /// The one that is loaded.
        loaded: PathBuf,
    },
    /// MLX has no device of this kind.
    #[error("MLX {version} has no {kind} here")]
    NoDevice {
        /// The version of MLX.
        version: String,
        /// What was asked for.
        kind: &'static str,
    },
}

/// What goes wrong in a call.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MlxError {
    /// MLX failed, and says why.
    #[error("MLX: {0}")]
    Failed(String),
    /// Memory could not be had.
    #[error("MLX is out of memory: {message}")]
    OutOfMemory {
        /// How much was asked for in bytes, 0 where it does not say.
        bytes: usize,
        /// What it says.
        message: String,
    },
    /// A size that MLX cannot have: its dimensions have 31 bits.
    #[error("MLX has no array with a dimension of {0}")]
    TooLarge(usize),
    /// What MLX would not check is wrong.
    #[error("{0}")]
    Argument(String),
    /// This process is a fork of the one that MLX was loaded in, and has none of its threads.
    #[error(
        "MLX does not work in a process that was forked after it was loaded; start the work in a new program"
    )]
    Forked,
}
