//! Settings that all commands share: verbosity and the environment, typed.

use std::path::{Path, PathBuf};

use rlx_coreml::variables::HOST_DEQUANT;
use rlx_driver::Env;
use rlx_driver::env::EnvError;
use rlx_models::hub::{HubOptions, RepoId};
use rlx_runtime::variables::{NUM_THREADS, VERBOSE};

use crate::engine::llm::ModelSource;
use crate::failure::Failure;
use crate::models::{self, Takes};
use crate::output;
use crate::progress::Bar;
use crate::variables;

/// Settings of this invocation.
pub struct Settings {
    /// Report each step.
    pub verbose: bool,
    /// Report only errors.
    pub quiet: bool,
    /// Fetch nothing, because of an option on the command line.
    offline: bool,
    /// Threads to use if no option says it: `RLX_NUM_THREADS`.
    pub threads: Option<usize>,
    /// Whether packages store weights unpacked: `RLX_COREML_HOST_DEQUANT`.
    pub host_dequant: bool,
}

impl Settings {
    /// Reads the environment. A variable with an invalid value is an error of usage.
    pub fn read(verbose: bool, quiet: bool, offline: bool) -> Result<Self, Failure> {
        let env = Env::process();
        let read = || -> Result<Settings, EnvError> {
            env.check(&variables::all())?;
            Ok(Settings {
                verbose: !quiet && (verbose || env.is_on(&VERBOSE)?),
                quiet,
                offline,
                threads: env.get(&NUM_THREADS)?,
                host_dequant: env.is_on(&HOST_DEQUANT)?,
            })
        };
        read().map_err(Failure::usage)
    }

    /// The folder of the sentence encoder that the user named; fetched into the cache if necessary.
    pub fn model(&self, name: &str) -> Result<PathBuf, Failure> {
        self.model_path(name, Takes::ENCODER)
    }

    /// The file or folder of a model that the user named, if it is of a kind that the command takes.
    pub fn model_path(&self, name: &str, takes: Takes) -> Result<PathBuf, Failure> {
        match self.find(name, Takes { built_in: false, ..takes })? {
            ModelSource::Path(path) => Ok(path),
            // INVARIANT: the built-in model is not among the kinds that are requested here.
            ModelSource::Tiny => Err(Failure::usage(format!("{name}: expected a file or folder"))),
        }
    }

    /// The model that the user named, if it is of a kind that the command takes.
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

    /// Options for finding and fetching models.
    fn hub(&self) -> HubOptions {
        let options = HubOptions::from_env();
        let offline = if self.offline { Some("--offline") } else { options.offline };
        HubOptions { offline, ..options }
    }

    /// The language model that the user named, or the built-in one.
    pub fn language_model(&self, name: Option<&str>) -> Result<ModelSource, Failure> {
        self.find_or_tiny(name, Takes::LANGUAGE)
    }

    /// The model that the user named, or the built-in language model.
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

    /// Reports progress on standard error if the user asked for it.
    pub fn say(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            self.warn(&text());
        }
    }

    /// Warns the user on standard error; the command continues.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            output::note(text);
        }
    }
}
