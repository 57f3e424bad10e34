//! Errors of calls to a plugin.

use std::fmt;
use std::path::PathBuf;

/// The class of a failed call, as Abseil's statuses have them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Code {
    /// The call was canceled.
    Canceled,
    /// The argument is wrong, whatever the state: a bad program, for one.
    InvalidArgument,
    /// It took too long.
    DeadlineExceeded,
    /// Something does not exist.
    NotFound,
    /// Something exists already.
    AlreadyExists,
    /// Not allowed.
    PermissionDenied,
    /// Out of memory, or of something else.
    ResourceExhausted,
    /// The state does not allow the call.
    FailedPrecondition,
    /// Aborted.
    Aborted,
    /// Out of range.
    OutOfRange,
    /// The plugin does not do that.
    Unimplemented,
    /// A fault of the plugin.
    Internal,
    /// Not now.
    Unavailable,
    /// Data were lost.
    DataLoss,
    /// Not authenticated.
    Unauthenticated,
    /// Any other number.
    Unknown(i32),
}

impl Code {
    /// The code of a number.
    pub(crate) fn of(number: i32) -> Code {
        match number {
            1 => Code::Canceled,
            3 => Code::InvalidArgument,
            4 => Code::DeadlineExceeded,
            5 => Code::NotFound,
            6 => Code::AlreadyExists,
            7 => Code::PermissionDenied,
            8 => Code::ResourceExhausted,
            9 => Code::FailedPrecondition,
            10 => Code::Aborted,
            11 => Code::OutOfRange,
            12 => Code::Unimplemented,
            13 => Code::Internal,
            14 => Code::Unavailable,
            15 => Code::DataLoss,
            16 => Code::Unauthenticated,
            other => Code::Unknown(other),
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Canceled => f.write_str("canceled"),
            Code::InvalidArgument => f.write_str("invalid argument"),
            Code::DeadlineExceeded => f.write_str("deadline exceeded"),
            Code::NotFound => f.write_str("not found"),
            Code::AlreadyExists => f.write_str("already exists"),
            Code::PermissionDenied => f.write_str("permission denied"),
            Code::ResourceExhausted => f.write_str("resource exhausted"),
            Code::FailedPrecondition => f.write_str("failed precondition"),
            Code::Aborted => f.write_str("aborted"),
            Code::OutOfRange => f.write_str("out of range"),
            Code::Unimplemented => f.write_str("unimplemented"),
            Code::Internal => f.write_str("internal"),
            Code::Unavailable => f.write_str("unavailable"),
            Code::DataLoss => f.write_str("data loss"),
            Code::Unauthenticated => f.write_str("unauthenticated"),
            Code::Unknown(2) => f.write_str("unknown"),
            Code::Unknown(number) => write!(f, "code {number}"),
        }
    }
}

/// Why a plugin gave no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PjrtError {
    /// The file is not there or is no library of this system.
    #[error("{}: {message}", .path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// A library, but of another kind.
    #[error("{} is not a PJRT plugin: it has no function `GetPjrtApi`", .0.display())]
    NotAPlugin(PathBuf),
    /// The plugin speaks an incompatible version of the API.
    #[error("{} has version {major}.{minor} of the PJRT API; RLX uses version 0", .path.display())]
    Version {
        /// The plugin.
        path: PathBuf,
        /// Its version.
        major: i32,
        /// Its version.
        minor: i32,
    },
    /// The plugin lacks a function, because it is older than that or never had it.
    #[error("the plugin has no function `{0}`")]
    Missing(&'static str),
    /// A call failed.
    #[error("{function}: {message} ({code})")]
    Call {
        /// The function of the API.
        function: &'static str,
        /// The class of the failure.
        code: Code,
        /// What the plugin says.
        message: String,
    },
    /// Arguments that do not fit together; nothing was called.
    #[error("{0}")]
    Argument(String),
}

impl PjrtError {
    /// The class of a failed call.
    pub fn code(&self) -> Option<Code> {
        match self {
            PjrtError::Call { code, .. } => Some(*code),
            _ => None,
        }
    }
}
