//! Reads a JSON object of settings field by field, with errors that name the file, the field, its value and
//! what would be right. Knows no model.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use thiserror::Error;

use crate::display::quoted;
use crate::files::{FileError, read_json};

/// Longest file of settings that is read, in bytes.
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
        /// Its value as JSON, cut to a readable length.
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
        /// In what.
        problem: String,
    },
}

/// An object of settings and the file it came from.
#[derive(Debug, Clone)]
pub struct Fields {
    path: PathBuf,
    map: Map<String, Value>,
    /// What the file calls fields, where that is something else.
    keys: BTreeMap<String, String>,
    /// What stands in front of the name of a field whose object is inside of another.
    within: String,
    /// The fields that were asked for, of this value and its copies.
    read: Arc<Mutex<BTreeSet<String>>>,
}

impl Fields {
    /// Reads a file that holds one object.
    ///
    /// # Errors
    /// Where it cannot be read, or holds anything else.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Ok(Fields::translated(path, read_json(path, MAX_SETTINGS)?, BTreeMap::new()))
    }

    /// Settings of a file of another format, whose words for these fields are `keys`: errors say those.
    pub fn translated(path: &Path, map: Map<String, Value>, keys: BTreeMap<String, String>) -> Self {
        Fields { path: path.to_path_buf(), map, keys, within: String::new(), read: Arc::default() }
    }

    /// The settings in the object of a field, if it is one: errors name them behind it.
    pub fn inside(&self, field: &str) -> Option<Fields> {
        let map = self.get(field)?.as_object()?.clone();
        let within = format!("{}.", self.key(field));
        Some(Fields { path: self.path.clone(), map, keys: BTreeMap::new(), within, read: Arc::default() })
    }

    /// The same with this value of a field, whatever it had.
    pub fn with(mut self, field: &str, value: Value) -> Fields {
        self.map.insert(field.into(), value);
        self
    }

    /// What the file calls a field.
    fn key(&self, field: &str) -> String {
        format!("{}{}", self.within, self.keys.get(field).map_or(field, String::as_str))
    }

    /// Reads the file if there is one.
    ///
    /// # Errors
    /// Where it cannot be read, or holds anything else.
    pub fn load_if_present(path: &Path) -> Result<Option<Self>, ConfigError> {
        match Self::load(path) {
            Err(ConfigError::File(FileError::Missing { .. })) => Ok(None),
            other => other.map(Some),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The value of a field; `null` counts as absent, as it does for the tools that write these files.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.asked(field);
        self.map.get(field).filter(|v| !v.is_null())
    }

    /// Notes that a field was asked for.
    fn asked(&self, field: &str) {
        let mut read = self.asked_for();
        if !read.contains(field) {
            read.insert(field.into());
        }
    }

    fn asked_for(&self) -> MutexGuard<'_, BTreeSet<String>> {
        // A panic elsewhere leaves a set of names as good as it was.
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fields that are there with a value and that nobody has asked for yet: these settings have no effect.
    pub fn unread(&self) -> Vec<(&str, &Value)> {
        let read = self.asked_for();
        let unread = self.map.iter().filter(|(key, value)| !value.is_null() && !read.contains(*key));
        unread.map(|(key, value)| (key.as_str(), value)).collect()
    }

    /// Whether the field is there, `null` included.
    pub fn has(&self, field: &str) -> bool {
        self.asked(field);
        self.map.contains_key(field)
    }

    /// Fails where the field is there and is `null`, which says neither a value nor that the default holds.
    ///
    /// # Errors
    /// A [`ConfigError::Value`] with the field.
    pub fn not_null(&self, field: &str, needed: &str) -> Result<(), ConfigError> {
        self.asked(field);
        match self.map.get(field) {
            Some(Value::Null) => {
                Err(self.wrong(field, format!("{needed}; leave the field out for the default")))
            }
            _ => Ok(()),
        }
    }

    /// The error of a field that must be there.
    pub fn missing(&self, field: &str) -> ConfigError {
        ConfigError::Missing { path: self.path.clone(), field: self.key(field) }
    }

    /// The error of a field whose value cannot be used; `problem` says what would be right.
    pub fn wrong(&self, field: &str, problem: impl Into<String>) -> ConfigError {
        let value = self.map.get(field).unwrap_or(&Value::Null);
        let value = match value {
            Value::String(text) => quoted(text),
            // Quoting is for text; other JSON needs only the cut.
            other => quoted(&other.to_string()).trim_matches('"').replace("\\\"", "\""),
        };
        ConfigError::Value { path: self.path.clone(), field: self.key(field), value, problem: problem.into() }
    }

    /// A whole number within a range.
    ///
    /// # Errors
    /// Where the field is missing or is anything else.
    pub fn count(&self, field: &str, range: RangeInclusive<usize>) -> Result<usize, ConfigError> {
        self.count_or(field, range)?.ok_or_else(|| self.missing(field))
    }

    /// The same of a field that need not be there.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn count_or(&self, field: &str, range: RangeInclusive<usize>) -> Result<Option<usize>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        match value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| range.contains(n)) {
            Some(n) => Ok(Some(n)),
            None => Err(self
                .wrong(field, format!("a whole number from {} to {} is needed", range.start(), range.end()))),
        }
    }

    /// A text.
    ///
    /// # Errors
    /// Where the field is anything else.
    pub fn text(&self, field: &str) -> Result<Option<&str>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| self.wrong(field, "text is needed"))
    }

    /// True or false.
    ///
    /// # Errors
    /// Where the field is anything else.
    pub fn flag(&self, field: &str) -> Result<Option<bool>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        value.as_bool().map(Some).ok_or_else(|| self.wrong(field, "true or false is needed"))
    }

    /// Fails where the field is there with another value than `value`.
    ///
    /// # Errors
    /// A [`ConfigError::Value`] with the field.
    pub fn only(&self, field: &str, value: &Value, problem: &str) -> Result<(), ConfigError> {
        match self.get(field) {
            Some(v) if v != value => Err(self.wrong(field, problem)),
            _ => Ok(()),
        }
    }

    /// Fails where the field is there and is not empty.
    ///
    /// # Errors
    /// A [`ConfigError::Value`] with the field.
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

    /// Fails on a field that is not among `known`.
    ///
    /// # Errors
    /// A [`ConfigError::Value`] with the field.
    pub fn no_others(&self, known: &[&str]) -> Result<(), ConfigError> {
        match self.map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(self.wrong(key, "this setting is not known, so it cannot be honored")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
impl Fields {
    /// Settings that come from no file. They must be an object.
    pub fn of(value: Value) -> Self {
        let Value::Object(map) = value else { panic!("an object is needed") };
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
        assert_eq!(text(f.count_or("n", 1..=9)), "x.json: n = -3: a whole number from 1 to 9 is needed");
        assert_eq!(
            text(f.count_or("big", 1..=9)),
            "x.json: big = 1e+30: a whole number from 1 to 9 is needed"
        );
        assert_eq!(
            text(f.count_or("s", 1..=9)),
            "x.json: s = [1,\"a\"]: a whole number from 1 to 9 is needed"
        );
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
        assert_eq!(wrong, "x.json: text.deep.m = \"x\": a whole number from 1 to 9 is needed");
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
