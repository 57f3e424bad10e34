//! Settings of every command: verbosity and the environment, typed.

use std::path::{Path, PathBuf};

use rlx_driver::Env;
use rlx_models::hub::{HubOptions, RepoId};

use crate::engine::llm::ModelSource;
use crate::failure::Failure;
use crate::models::{self, Takes};
use crate::output;
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

    /// The folder of the sentence encoder that the user named, fetched into the cache if it must be.
    pub fn model(&self, name: &str) -> Result<PathBuf, Failure> {
        self.model_path(name, Takes::ENCODER)
    }

    /// The file or folder of a model that the user named, of the kinds that the command takes.
    pub fn model_path(&self, name: &str, takes: Takes) -> Result<PathBuf, Failure> {
        match self.find(name, Takes { built_in: false, ..takes })? {
            ModelSource::Path(path) => Ok(path),
            // INVARIANT: it is not one of the kinds that are asked for.
            ModelSource::Tiny => Err(Failure::usage(format!("{name}: a file or folder is needed"))),
        }
    }

    /// The model that the user named, of the kinds that the command takes.
    pub fn find(&self, name: &str, takes: Takes) -> Result<ModelSource, Failure> {
        let found = models::find(name, takes, &self.hub(), &mut Bar::new(self.quiet))?;
        if let ModelSource::Path(path) = &found {
            self.say(|| format!("the model is in {}", path.display()));
        }
        Ok(found)
    }

    /// Whether an argument that may be a model or something else is a model; see [`models::is_meant`].
    pub fn means_model(&self, text: &str) -> bool {
        models::is_meant(text, &self.hub())
    }

    /// How models are found and fetched.
    fn hub(&self) -> HubOptions {
        let options = HubOptions::from_env();
        let offline = if self.offline { Some("--offline") } else { options.offline };
        HubOptions { offline, ..options }
    }

    /// The language model that the user named; where none was, the one in this program.
    pub fn language_model(&self, name: Option<&str>) -> Result<ModelSource, Failure> {
        self.find_or_tiny(name, Takes::LANGUAGE)
    }

    /// The model that the user named; where none was, the language model in this program.
    pub fn find_or_tiny(&self, name: Option<&str>, takes: Takes) -> Result<ModelSource, Failure> {
        name.map_or(Ok(ModelSource::Tiny), |name| self.find(name, takes))
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
            output::note(text);
        }
    }
}
