//! Errors of calls to a plugin.

use std::fmt;
use std::path::PathBuf;

/// The class of a failed call, as in Abseil's status codes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Code {
    /// The call was canceled.
    Canceled,
    /// The argument is wrong regardless of the state, for example an invalid program.
    InvalidArgument,
    /// The call took too long.
    DeadlineExceeded,
    /// Something does not exist.
    NotFound,
    /// Something already exists.
    AlreadyExists,
    /// The call is not permitted.
    PermissionDenied,
    /// Memory or another resource is exhausted.
    ResourceExhausted,
    /// The state does not allow the call.
    FailedPrecondition,
    /// The call was aborted.
    Aborted,
    /// A value is out of range.
    OutOfRange,
    /// The plugin does not implement the call.
    Unimplemented,
    /// There is a bug in the plugin.
    Internal,
    /// The service is currently unavailable.
    Unavailable,
    /// Data was lost.
    DataLoss,
    /// The caller is not authenticated.
    Unauthenticated,
    /// Any other number.
    Unknown(i32),
}

impl Code {
    /// Returns the code with this number.
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

/// Why a plugin returned no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PjrtError {
    /// The file does not exist, or is not a library for this system.
    #[error("{}: {message}", .path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// The system's message.
        message: String,
    },
    /// The library is not a PJRT plugin.
    #[error("{} is not a PJRT plugin: it has no function `GetPjrtApi`", .0.display())]
    NotAPlugin(PathBuf),
    /// The plugin uses an incompatible version of the API.
    #[error("{} has version {major}.{minor} of the PJRT API; RLX uses version 0", .path.display())]
    Version {
        /// The plugin.
        path: PathBuf,
        /// Its version.
        major: i32,
        /// Its version.
        minor: i32,
    },
    /// The plugin lacks a function, because it is older than the function or does not implement it.
    #[error("the plugin has no function `{0}`")]
    Missing(&'static str),
    /// A call failed.
    #[error("{function}: {message} ({code})")]
    Call {
        /// The function of the API.
        function: &'static str,
        /// The class of the failure.
        code: Code,
        /// The plugin's message.
        message: String,
    },
    /// Arguments do not fit together. The plugin was not called.
    #[error("{0}")]
    Argument(String),
}

impl PjrtError {
    /// Returns the class of a failed call.
    pub fn code(&self) -> Option<Code> {
        match self {
            PjrtError::Call { code, .. } => Some(*code),
            _ => None,
        }
    }
}
