//! What holds for every command: verbosity and the environment, as typed settings.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rlx_driver::Env;
use rlx_models::hub::{self, HubOptions, RepoId};

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
        let dir = hub::resolve(name, &self.hub(), &mut Bar::new(self.quiet))?;
        self.say(|| format!("the model lies in {}", dir.display()));
        Ok(dir)
    }

    /// How models are found and fetched.
    fn hub(&self) -> HubOptions {
        let options = HubOptions::from_env();
        let offline = if self.offline { Some("--offline") } else { options.offline };
        HubOptions { offline, ..options }
    }

    /// The language model that the user named; where none was, the one in this program.
    pub fn language_model(&self, name: Option<&str>) -> Result<ModelSource, Failure> {
        name.map_or(Ok(ModelSource::Tiny), |name| self.language_model_path(name).map(ModelSource::Path))
    }

    /// The file or folder of the language model that the user named.
    pub fn language_model_path(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = PathBuf::from(name);
        if path.is_dir() || path.is_file() {
            return Ok(path);
        }
        match RepoId::parse(name) {
            Some(id) => Ok(id.resolve(&self.hub(), &mut Bar::new(self.quiet))?),
            None if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf")) => Ok(path),
            None => self.model(name),
        }
    }

    /// The file or folder of an adapter that the user named.
    pub fn adapter_path(&self, path: &Path) -> Result<PathBuf, Failure> {
        match path.to_str().and_then(RepoId::parse).filter(|_| !path.exists()) {
            Some(id) => Ok(id.resolve(&self.hub(), &mut Bar::new(self.quiet))?),
            None => Ok(path.to_path_buf()),
        }
    }

    /// Says something on standard error if the user wants to know.
    pub fn say(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            self.warn(&text());
        }
    }

    /// Says something on standard error that the user has to know, though the command goes on.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            note(text);
        }
    }
}

/// Says something on standard error.
pub fn note(text: &str) {
    // A note that cannot be written is not worth stopping for.
    let _ = writeln!(io::stderr().lock(), "rlx: {text}");
}
