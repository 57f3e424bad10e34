//! The `rlx` command: runs one of the commands in [`cmd`], and turns a failure into a message and an exit code.
//!
//! Exit codes: 0 for success, 1 for a failure, 2 for a wrong command line. On Unix, a process that is interrupted, or
//! whose output has no reader any more, ends with the corresponding signal.

mod args;
mod arrays;
mod cmd;
mod compute;
mod engine;
mod failure;
mod graph;
mod input;
mod memory;
mod models;
mod output;
mod program;
mod progress;
mod queue;
mod settings;
mod signals;
mod stdin;
mod tensor_file;
mod training;
mod units;
mod variables;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use args::{Cli, Command};
use failure::Failure;
use rlx_models::contents;
use settings::Settings;

/// The message of the last panic. It is only shown if no code caught the panic.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

fn main() -> ExitCode {
    memory::watch();
    // Without the handler, the process ends without a message if a mapped file is shortened; everything else is the same.
    let _ = contents::explain_lost_files();
    panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        if let Ok(mut last) = PANIC.lock() {
            *last = Some(text);
        }
    }));
    rlx_driver::set_report_sink(|_, text| output::reported(text));
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return failure::of_command_line(&error),
    };
    let done = panic::catch_unwind(AssertUnwindSafe(|| run(cli))).unwrap_or_else(|_| {
        let text = PANIC.lock().ok().and_then(|mut last| last.take()).unwrap_or_default();
        Err(Failure::bug(&text))
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    if cli.no_mmap {
        contents::never_map();
    }
    let settings = Settings::read(cli.verbose, cli.quiet, cli.offline)?;
    match cli.command {
        Command::Embed(args) => cmd::embed::run(args, &settings),
        Command::Devices(args) => cmd::devices::run(args, &settings),
        Command::Generate(args) => cmd::generate::run(*args, &settings),
        Command::Imatrix(args) => cmd::imatrix::run(args, &settings),
        Command::Inspect(args) => cmd::inspect::run(args, &settings),
        Command::Run(args) => cmd::run::run(args, &settings),
        Command::Convert(args) => cmd::convert::run(args, &settings),
        Command::Transform(args) => cmd::transform::run(args, &settings),
        Command::Emit(args) => cmd::emit::run(args, &settings),
        Command::Compile(args) => cmd::compile::run(args, &settings),
        Command::Coreml(args) => cmd::coreml::run(args, &settings),
        Command::Bench(args) => cmd::bench::run(args, &settings),
        Command::Perplexity(args) => cmd::perplexity::run(args, &settings),
        Command::Profile(args) => cmd::profile::run(args, &settings),
        Command::Tokenize(args) => cmd::tokenize::run(args, &settings),
        Command::Train(args) => cmd::train::run(args, &settings),
        Command::Sample(args) => cmd::sample::run(args, &settings),
        Command::Completions(args) => cmd::completions::run(args),
    }
}
