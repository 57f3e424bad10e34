//! How a command fails: its message and exit code.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use crate::{output, signals};

/// Why a command stops.
#[derive(Debug)]
pub enum Failure {
    /// Something failed: exit code 1.
    Failed(Box<dyn Error + Send + Sync>),
    /// The command line or the environment is wrong: exit code 2.
    Usage(Box<dyn Error + Send + Sync>),
    /// The reader closed our output: no message. The process ends as a closed pipe ends it on this system.
    Closed,
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Failed(Box::new(error))
    }
}

impl Failure {
    pub fn usage(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Failure::Usage(error.into())
    }

    /// An error of writing to standard output.
    pub fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Failed(format!("cannot write to standard output: {error}").into()),
        }
    }

    /// A panic, which is always a bug in rlx.
    pub fn bug(panic: &str) -> Self {
        let text = format!(
            "internal error: {panic}\nThis is a bug in rlx. Please report it with the command you ran."
        );
        Failure::Failed(text.into())
    }

    /// Reports the failure on standard error and returns the exit code.
    pub fn report(self) -> ExitCode {
        let (error, code) = match self {
            Failure::Closed => return signals::closed_pipe(),
            Failure::Failed(error) => (error, 1),
            Failure::Usage(error) => (error, 2),
        };
        output::note(&message(error.as_ref()));
        ExitCode::from(code)
    }
}

/// Prints help, the version, or an error of the command line, and returns the exit code.
pub fn of_command_line(error: &clap::Error) -> ExitCode {
    if let Err(failure) = output::of_command_line(error) {
        return failure.report();
    }
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

/// An error with its causes, outermost first.
pub fn message(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!("\n  because: {error}"));
        cause = error.source();
    }
    text
}
