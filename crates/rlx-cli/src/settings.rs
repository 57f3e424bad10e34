//! What holds for every command: verbosity and the environment, as typed settings.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rlx_driver::Env;
use rlx_models::hub::{self, HubError, HubOptions};

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

    /// The file or folder of the language model that the user named.
    pub fn language_model(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = PathBuf::from(name);
        if path.is_dir() || path.is_file() {
            return Ok(path);
        }
        match HubId::of(name) {
            Some(id) => id.find(HubOptions::from_env().cache.as_deref()),
            None if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf")) => Ok(path),
            None => self.model(name),
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
        if self.quiet {
            return;
        }
        // A note that cannot be written is not worth stopping for.
        let _ = writeln!(io::stderr().lock(), "rlx: {text}");
    }
}

/// A model by the name that it has on a hub, and of a folder of several files the one that is meant: `org/name[:file]`.
struct HubId<'a> {
    organisation: &'a str,
    model: &'a str,
    file: Option<&'a str>,
}

impl<'a> HubId<'a> {
    fn of(name: &'a str) -> Option<Self> {
        let (id, file) = name.split_once(':').map_or((name, None), |(id, file)| (id, Some(file)));
        let (organisation, model) = id.split_once('/')?;
        let plain = |text: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !text.is_empty() && !text.starts_with('.') && text.chars().all(allowed)
        };
        let sound = plain(organisation) && plain(model) && file.is_none_or(plain);
        // A path of two parts to a file is no id.
        let is_id = sound && !model.to_ascii_lowercase().ends_with(".gguf");
        is_id.then_some(HubId { organisation, model, file })
    }

    /// The folder or file in the cache. What nobody has published the hashes of is not fetched.
    fn find(&self, cache: Option<&Path>) -> Result<PathBuf, Failure> {
        let Some(cache) = cache else {
            return Err(Failure::Failed(Box::new(HubError::NoCacheFolder)));
        };
        let folder = cache.join("models").join(self.organisation).join(self.model);
        let found = self.file.map_or(folder.clone(), |file| folder.join(file));
        if found.exists() {
            return Ok(found);
        }
        let files = self.file.unwrap_or("config.json, tokenizer.json and its .safetensors files");
        let text = format!(
            "the model {}/{} is not in the cache, and RLX fetches only models whose hashes it knows: put {files} into {}",
            self.organisation,
            self.model,
            folder.display()
        );
        Err(Failure::Failed(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hub_ids_are_told_from_paths() {
        let parts = |name| HubId::of(name).map(|id| (id.organisation, id.model, id.file));
        assert_eq!(parts("Qwen/Qwen3-0.6B"), Some(("Qwen", "Qwen3-0.6B", None)));
        assert_eq!(parts("a/b:c-q4_k_m.gguf"), Some(("a", "b", Some("c-q4_k_m.gguf"))));
        for name in ["minilm", "./a", "../a", "a/b/c", "a/b.gguf", "a/b:../c", "/a", "a/"] {
            assert_eq!(parts(name), None, "{name}");
        }
    }

    #[test]
    fn a_model_that_is_not_there_is_an_error_that_says_where_it_belongs() {
        let cache = tempfile::tempdir().unwrap();
        let find = |name| HubId::of(name).unwrap().find(Some(cache.path()));
        let failure = find("a/b:c.gguf").unwrap_err();
        let Failure::Failed(error) = failure else { panic!("{failure:?}") };
        let folder = cache.path().join("models/a/b");
        assert!(error.to_string().ends_with(&format!("put c.gguf into {}", folder.display())), "{error}");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("c.gguf"), "").unwrap();
        assert_eq!(find("a/b:c.gguf").unwrap(), folder.join("c.gguf"));
        assert_eq!(find("a/b").unwrap(), folder);
    }
}
