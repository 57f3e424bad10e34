//! How a command fails: the message and the exit code.

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
    /// Whoever reads our output has seen enough: no message, and the end that a closed pipe has on this system.
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

    /// A failure to write to standard output.
    pub fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Failed(format!("cannot write to standard output: {error}").into()),
        }
    }

    /// A panic, which is never the user's fault.
    pub fn bug(panic: &str) -> Self {
        let text = format!(
            "internal error: {panic}\nThis is a bug in rlx. Please report it with the command you ran."
        );
        Failure::Failed(text.into())
    }

    /// Says on standard error what happened, and gives the exit code.
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

/// Prints help, the version, or what is wrong with the command line, and gives the exit code.
pub fn of_command_line(error: &clap::Error) -> ExitCode {
    if let Err(failure) = output::of_command_line(error) {
        return failure.report();
    }
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

/// An error and its causes, from the outermost to the innermost.
pub fn message(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!("\n  because: {error}"));
        cause = error.source();
    }
    text
}
