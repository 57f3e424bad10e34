//! Reads a JSON object of settings field by field, with errors that name the file, the field, its value and what
//! would be right. It knows nothing about models.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use thiserror::Error;

use crate::display::quoted;
use crate::files::{FileError, read_json};

/// The maximum size of a settings file, in bytes.
pub const MAX_SETTINGS: u64 = 16 << 20;

/// Why the settings of a model cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A field is missing.
    #[error("{}: the field {field} is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The field.
        field: String,
    },
    /// A field has a value that cannot be used.
    #[error("{}: {field} = {value}: {problem}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The field.
        field: String,
        /// Its value as JSON, shortened to a readable length.
        value: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// Two files of the model contradict each other.
    #[error("{} and {} contradict each other: {problem}", path.display(), other.display())]
    Contradiction {
        /// One file.
        path: PathBuf,
        /// The other.
        other: PathBuf,
        /// How they contradict each other.
        problem: String,
    },
}

/// An object of settings, and the file that it came from.
#[derive(Debug, Clone)]
pub struct Fields {
    path: PathBuf,
    map: Map<String, Value>,
    /// The file's names of fields, if they differ.
    keys: BTreeMap<String, String>,
    /// The prefix of field names, for an object inside of another one.
    within: String,
    /// The fields that were asked for, shared by all copies of this value.
    read: Arc<Mutex<BTreeSet<String>>>,
}

impl Fields {
    /// Reads a file that contains one object.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or contains anything else.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Ok(Fields::translated(path, read_json(path, MAX_SETTINGS)?, BTreeMap::new()))
    }

    /// Creates settings from a file of another format. `keys` has the file's names of these fields, which errors use.
    pub fn translated(path: &Path, map: Map<String, Value>, keys: BTreeMap<String, String>) -> Self {
        Fields { path: path.to_path_buf(), map, keys, within: String::new(), read: Arc::default() }
    }

    /// Returns the settings inside of a field, if it is an object. Errors put the name of the field before theirs.
    pub fn inside(&self, field: &str) -> Option<Fields> {
        let map = self.get(field)?.as_object()?.clone();
        let within = format!("{}.", self.key(field));
        Some(Fields { path: self.path.clone(), map, keys: BTreeMap::new(), within, read: Arc::default() })
    }

    /// Returns the settings with a field set to `value`.
    pub fn with(mut self, field: &str, value: Value) -> Fields {
        self.map.insert(field.into(), value);
        self
    }

    /// Returns the name of a field in the file.
    fn key(&self, field: &str) -> String {
        format!("{}{}", self.within, self.keys.get(field).map_or(field, String::as_str))
    }

    /// Reads the file if it exists.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or contains anything else than an object.
    pub fn load_if_present(path: &Path) -> Result<Option<Self>, ConfigError> {
        match Self::load(path) {
            Err(ConfigError::File(FileError::Missing { .. })) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the value of a field. As in the tools that write these files, `null` counts as absent.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.asked(field);
        self.map.get(field).filter(|v| !v.is_null())
    }

    /// Records that a field was asked for.
    fn asked(&self, field: &str) {
        let mut read = self.asked_for();
        if !read.contains(field) {
            read.insert(field.into());
        }
    }

    fn asked_for(&self) -> MutexGuard<'_, BTreeSet<String>> {
        // A panic elsewhere cannot leave a set of names in a bad state.
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the fields that are present but that nothing has asked for yet. These settings have no effect.
    pub fn unread(&self) -> Vec<(&str, &Value)> {
        let read = self.asked_for();
        let unread = self.map.iter().filter(|(key, value)| !value.is_null() && !read.contains(*key));
        unread.map(|(key, value)| (key.as_str(), value)).collect()
    }

    /// Whether the field is present, even if it is `null`.
    pub fn has(&self, field: &str) -> bool {
        self.asked(field);
        self.map.contains_key(field)
    }

    /// Fails if the field is present and `null`, which is neither a value nor the default.
    ///
    /// # Errors
    /// Returns a [`ConfigError::Value`] with the field.
    pub fn not_null(&self, field: &str, needed: &str) -> Result<(), ConfigError> {
        self.asked(field);
        match self.map.get(field) {
            Some(Value::Null) => {
                Err(self.wrong(field, format!("{needed}; remove the field to use the default")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the error for a required field that is missing.
    pub fn missing(&self, field: &str) -> ConfigError {
        ConfigError::Missing { path: self.path.clone(), field: self.key(field) }
    }

    /// Returns the error for a field whose value cannot be used; `problem` says what would be right.
    pub fn wrong(&self, field: &str, problem: impl Into<String>) -> ConfigError {
        let value = self.map.get(field).unwrap_or(&Value::Null);
        let value = match value {
            Value::String(text) => quoted(text),
            // Quoting is for strings; other JSON only needs to be shortened.
            other => quoted(&other.to_string()).trim_matches('"').replace("\\\"", "\""),
        };
        ConfigError::Value { path: self.path.clone(), field: self.key(field), value, problem: problem.into() }
    }

    /// Returns an integer within a range.
    ///
    /// # Errors
    /// Fails if the field is missing or has any other value.
    pub fn count(&self, field: &str, range: RangeInclusive<usize>) -> Result<usize, ConfigError> {
        self.count_or(field, range)?.ok_or_else(|| self.missing(field))
    }

    /// Returns an integer within a range, or `None` if the field is missing.
    ///
    /// # Errors
    /// Fails if the field has any other value.
    pub fn count_or(&self, field: &str, range: RangeInclusive<usize>) -> Result<Option<usize>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        match value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| range.contains(n)) {
            Some(n) => Ok(Some(n)),
            None => {
                Err(self
                    .wrong(field, format!("expected an integer from {} to {}", range.start(), range.end())))
            }
        }
    }

    /// Returns a string.
    ///
    /// # Errors
    /// Fails if the field has any other value.
    pub fn text(&self, field: &str) -> Result<Option<&str>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| self.wrong(field, "expected a string"))
    }

    /// Returns a boolean.
    ///
    /// # Errors
    /// Fails if the field has any other value.
    pub fn flag(&self, field: &str) -> Result<Option<bool>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        value.as_bool().map(Some).ok_or_else(|| self.wrong(field, "expected true or false"))
    }

    /// Fails if the field is present with a value other than `value`.
    ///
    /// # Errors
    /// Returns a [`ConfigError::Value`] with the field.
    pub fn only(&self, field: &str, value: &Value, problem: &str) -> Result<(), ConfigError> {
        match self.get(field) {
            Some(v) if v != value => Err(self.wrong(field, problem)),
            _ => Ok(()),
        }
    }

    /// Fails if the field is present and not empty.
    ///
    /// # Errors
    /// Returns a [`ConfigError::Value`] with the field.
    pub fn absent(&self, field: &str, problem: &str) -> Result<(), ConfigError> {
        let empty = |v: &Value| match v {
            Value::Object(map) => map.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Bool(on) => !on,
            _ => false,
        };
        match self.get(field) {
            Some(v) if !empty(v) => Err(self.wrong(field, problem)),
            _ => Ok(()),
        }
    }

    /// Fails if there is a field that is not in `known`.
    ///
    /// # Errors
    /// Returns a [`ConfigError::Value`] with the field.
    pub fn no_others(&self, known: &[&str]) -> Result<(), ConfigError> {
        match self.map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(self.wrong(key, "unknown setting, which may change the result")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
impl Fields {
    /// Creates settings that do not come from a file. The value must be an object.
    pub fn of(value: Value) -> Self {
        let Value::Object(map) = value else { panic!("expected an object") };
        Fields::translated(Path::new("x.json"), map, BTreeMap::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_file_field_value_and_remedy() {
        let f = Fields::of(
            serde_json::json!({"n": -3, "s": [1, "a"], "big": 1e30, "t": "x".repeat(9000), "none": null}),
        );
        let text = |r: Result<Option<usize>, ConfigError>| r.unwrap_err().to_string();
        assert_eq!(text(f.count_or("n", 1..=9)), "x.json: n = -3: expected an integer from 1 to 9");
        assert_eq!(text(f.count_or("big", 1..=9)), "x.json: big = 1e+30: expected an integer from 1 to 9");
        assert_eq!(text(f.count_or("s", 1..=9)), "x.json: s = [1,\"a\"]: expected an integer from 1 to 9");
        assert!(text(f.count_or("t", 1..=9)).len() < 300);
        assert_eq!(f.count("none", 0..=1).unwrap_err().to_string(), "x.json: the field none is missing");
        assert_eq!(f.count_or("none", 0..=1).unwrap(), None);
        assert!(f.no_others(&["n", "s", "big", "t"]).unwrap_err().to_string().contains("none"));
    }

    #[test]
    fn settings_inside_of_others_are_named_behind_them() {
        let f = Fields::of(serde_json::json!({"text": {"n": 3, "deep": {"m": "x"}}, "flat": 1}));
        let text = f.inside("text").unwrap();
        assert_eq!(text.count("n", 1..=9).unwrap(), 3);
        assert_eq!(text.missing("k").to_string(), "x.json: the field text.k is missing");
        let wrong = text.inside("deep").unwrap().count("m", 1..=9).unwrap_err().to_string();
        assert_eq!(wrong, "x.json: text.deep.m = \"x\": expected an integer from 1 to 9");
        assert_eq!(text.with("n", 4.into()).count("n", 1..=9).unwrap(), 4);
        assert!(f.inside("flat").is_none() && f.inside("none").is_none());
    }

    #[test]
    fn fields_that_nobody_asks_for_are_known() {
        let f = Fields::of(serde_json::json!({"n": 3, "on": true, "none": null, "left": 1, "alone": 2}));
        assert_eq!(f.count("n", 1..=9).unwrap(), 3);
        assert_eq!(f.flag("on").unwrap(), Some(true));
        assert!(f.has("none") && f.clone().with("other", 1.into()).get("left").is_some());
        assert_eq!(f.unread(), [("alone", &Value::from(2))]);
    }
}
