//! What holds for every command: verbosity and the environment, as typed settings.

use std::io::{self, Write};
use std::path::PathBuf;

use rlx_driver::Env;
use rlx_models::hub::{self, HubOptions};

use crate::engine::llm::ModelSource;
use crate::failure::Failure;
use crate::progress::Bar;

/// Settings of this invocation.
pub struct Settings {
    /// Say what is being done.
    pub verbose: bool,
    /// Say nothing but what went wrong.
    pub quiet: bool,
    /// Fetch nothing, because the command line says so.
    offline: bool,
    /// The environment.
    pub env: Env,
}

impl Settings {
    /// Reads the environment. A variable with a wrong value is an error of usage.
    pub fn read(verbose: bool, quiet: bool, offline: bool) -> Result<Self, Failure> {
        let env = Env::read().map_err(Failure::usage)?;
        Ok(Settings { verbose: !quiet && (verbose || env.verbose), quiet, offline, env })
    }

    /// The folder of the model that the user named, fetched into the cache if it must be.
    pub fn model(&self, name: &str) -> Result<PathBuf, Failure> {
        let mut options = HubOptions::from_env();
        if self.offline {
            options.offline = Some("--offline");
        }
        let dir = hub::resolve(name, &options, &mut Bar::new(self.quiet))?;
        self.say(|| format!("the model lies in {}", dir.display()));
        Ok(dir)
    }

    /// The language model that the user named; where none was, the one in this program.
    pub fn language_model(&self, name: Option<&str>) -> Result<ModelSource, Failure> {
        let Some(name) = name else { return Ok(ModelSource::Tiny) };
        let path = PathBuf::from(name);
        let is_there = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf")) || path.is_dir();
        Ok(ModelSource::Path(if is_there { path } else { self.model(name)? }))
    }

    /// Says something on standard error if the user wants to know.
    pub fn say(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            self.warn(&text());
        }
    }

    /// Says something on standard error that the user has to know, though the command goes on.
    pub fn warn(&self, text: &str) {
        if self.quiet {
            return;
        }
        // A note that cannot be written is not worth stopping for.
        let _ = writeln!(io::stderr().lock(), "rlx: {text}");
    }
}
