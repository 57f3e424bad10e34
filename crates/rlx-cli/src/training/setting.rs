//! Describes a setting of the configuration as one row, which the parser, the docs and the comparison with an earlier
//! run all use. A row has the name, type, default, range, unit, what a change means for a run that continues, and what
//! the setting does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::config::{ConfigError, SECTIONS, Section};

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// The table that it belongs to.
    pub table: &'static str,
    pub name: &'static str,
    /// Describes its type.
    pub kind: fn() -> String,
    pub need: Need,
    pub range: Range,
    /// The unit of its numbers; empty if it has none.
    pub unit: &'static str,
    pub change: Change,
    pub doc: &'static str,
}

impl Setting {
    /// The table and the name.
    pub fn key(&self) -> String {
        format!("{}.{}", self.table, self.name)
    }

    /// Its type and range.
    pub fn expected(&self) -> String {
        format!("{}{}", (self.kind)(), self.range.text())
    }
}

/// Whether a setting is required, and what happens if it is not given.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    Required,
    /// A description of a default that is not a value of the setting.
    Or(&'static str),
    Default(fn() -> String),
}

/// What happens if a run continues and the setting has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// An error, since it would be a different run.
    Never,
    /// The change is reported.
    Said,
    /// Another optimizer is an error; changes of its settings are reported.
    InPart,
    /// Does not affect training.
    Free,
}

/// The range of a numeric setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    Any,
    AtLeast1,
    Above0,
}

impl Range {
    fn text(self) -> &'static str {
        match self {
            Range::Any => "",
            Range::AtLeast1 => ", at least 1",
            Range::Above0 => ", above 0",
        }
    }

    fn problem(self, value: f64) -> Option<String> {
        match self {
            Range::AtLeast1 if value < 1.0 => Some(format!("is {value}; it must be at least 1")),
            Range::Above0 if !value.is_finite() => {
                Some(format!("is {value}; it must be a finite number above 0"))
            }
            Range::Above0 if value <= 0.0 => Some(format!("is {value}; it must be above 0")),
            _ => None,
        }
    }
}

/// A type of values.
pub trait SettingValue: Sized {
    /// A description of the type, for messages and the docs.
    fn kind() -> String;
    /// Parses the value; the error says what is wrong with it.
    fn read(value: &DeValue<'_>) -> Result<Self, String>;
    /// The value in the syntax of the configuration.
    fn show(&self) -> String;
    /// The value as a number, if it is one.
    fn number(&self) -> Option<f64> {
        None
    }
}

/// The error for a value that is not of type `T`.
pub fn unexpected<T: SettingValue>(value: &DeValue<'_>) -> String {
    let found = match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_string(),
        DeValue::Array(_) => "an array".to_string(),
        DeValue::Table(_) => "a table".to_string(),
    };
    format!("is {found}; it must be {}", T::kind())
}

fn integer(value: &DeValue<'_>) -> Option<i128> {
    value.as_integer().and_then(|n| i128::from_str_radix(n.as_str(), n.radix()).ok())
}

macro_rules! number_values {
    ($($Type:ty, $kind:literal, $read:expr;)*) => {$(
        impl SettingValue for $Type {
            fn kind() -> String {
                $kind.into()
            }
            fn read(value: &DeValue<'_>) -> Result<Self, String> {
                let read: fn(&DeValue<'_>) -> Option<$Type> = $read;
                read(value).ok_or_else(|| unexpected::<Self>(value))
            }
            fn show(&self) -> String {
                self.to_string()
            }
            fn number(&self) -> Option<f64> {
                Some(*self as f64)
            }
        }
    )*};
}

number_values! {
    usize, "a whole number", |value| integer(value)?.try_into().ok();
    u64, "a whole number", |value| integer(value)?.try_into().ok();
    f32, "a number", |value| <f64 as SettingValue>::read(value).ok().map(|x| x as f32);
    f64, "a number", |value| match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        other => integer(other).map(|n| n as f64),
    };
}

impl SettingValue for String {
    fn kind() -> String {
        "a string".into()
    }
    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        value.as_str().map(str::to_string).ok_or_else(|| unexpected::<Self>(value))
    }
    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl SettingValue for PathBuf {
    fn kind() -> String {
        "a path".into()
    }
    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        match value.as_str() {
            Some("") => Err("is empty; it must be a path".into()),
            Some(text) => Ok(text.into()),
            None => Err(unexpected::<Self>(value)),
        }
    }
    fn show(&self) -> String {
        format!("{self:?}")
    }
}

/// Implements [`SettingValue`] for a type whose values have names.
macro_rules! named_values {
    ($Type:ty: $($name:literal => $value:expr),* $(,)?) => {
        impl $crate::training::setting::SettingValue for $Type {
            fn kind() -> String {
                let names = [$(concat!("`\"", $name, "\"`")),*];
                match names.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => names.concat(),
                }
            }
            fn read(value: &toml::de::DeValue<'_>) -> Result<Self, String> {
                match value.as_str() {
                    $(Some($name) => Ok($value),)*
                    _ => Err($crate::training::setting::unexpected::<Self>(value)),
                }
            }
            fn show(&self) -> String {
                [$(($value, concat!("\"", $name, "\""))),*]
                    .into_iter()
                    .find(|(value, _)| value == self)
                    .map_or_else(String::new, |(_, name)| name.to_string())
            }
        }
    };
}
pub(crate) use named_values;

/// Defines a table of the configuration, one row per setting: `name: type, (default), range, unit, change;`. Generates
/// the struct of its values, the rows, and the function that reads it.
macro_rules! settings {
    (
        $(#[doc = $about:literal])*
        $Table:ident $table:literal {
            $( $(#[doc = $doc:literal])* $name:ident: $Type:ty, $need:tt, $range:ident, $unit:literal, $change:ident; )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        pub struct $Table { $( $(#[doc = $doc])* pub $name: settings!(@type $Type, $need), )* }

        impl $Table {
            pub const ABOUT: &'static str = concat!($($about),*);

            pub const SETTINGS: &'static [$crate::training::setting::Setting] = &[$(
                $crate::training::setting::Setting {
                    table: $table,
                    name: stringify!($name),
                    kind: <$Type as $crate::training::setting::SettingValue>::kind,
                    need: settings!(@need $Type, $need),
                    range: $crate::training::setting::Range::$range,
                    unit: $unit,
                    change: $crate::training::setting::Change::$change,
                    doc: concat!($($doc),*),
                }
            ),*];

            pub fn read(tables: &mut $crate::training::setting::Tables<'_>) -> Result<Self, ConfigError> {
                let mut rows = Self::SETTINGS.iter();
                $(
                    let $name = settings!(@read tables, rows.next().expect("there is a row per field"), $Type, $need);
                )*
                Ok($Table { $($name),* })
            }
        }
    };
    (@type $Type:ty, (required)) => { $Type };
    (@type $Type:ty, (or $other:literal)) => { Option<$Type> };
    (@type $Type:ty, (default $value:expr)) => { $Type };
    (@need $Type:ty, (required)) => { $crate::training::setting::Need::Required };
    (@need $Type:ty, (or $other:literal)) => { $crate::training::setting::Need::Or($other) };
    (@need $Type:ty, (default $value:expr)) => {
        $crate::training::setting::Need::Default(|| {
            let value: $Type = $value;
            $crate::training::setting::SettingValue::show(&value)
        })
    };
    (@read $tables:ident, $row:expr, $Type:ty, (required)) => { $tables.required::<$Type>($row)? };
    (@read $tables:ident, $row:expr, $Type:ty, (or $other:literal)) => { $tables.take::<$Type>($row)? };
    (@read $tables:ident, $row:expr, $Type:ty, (default $value:expr)) => {
        $tables.or_default::<$Type>($row, || $value)?
    };
}
pub(crate) use settings;

/// The lines of the settings and tables of a file, for messages.
#[derive(Clone, Debug)]
pub struct Places {
    path: PathBuf,
    lines: BTreeMap<String, usize>,
}

impl Places {
    /// The error for a setting with an invalid value.
    pub fn refuse(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        // A missing setting is reported at the line where its table begins.
        let table = key.split('.').next().unwrap_or_default();
        let line = self.lines.get(key).or_else(|| self.lines.get(table)).copied();
        ConfigError::Value { path: self.path.clone(), line, key: key.to_string(), problem: problem.into() }
    }
}

/// A setting of a run: its row, and its value as text.
pub type Held = (&'static Setting, Option<String>);

/// The tables of a file, from which settings are taken.
pub struct Tables<'a> {
    values: BTreeMap<String, DeValue<'a>>,
    /// Settings from the command line, by key.
    set: BTreeMap<&'static str, DeValue<'a>>,
    pub places: Places,
    pub held: Vec<Held>,
}

impl<'a> Tables<'a> {
    /// Parses the text of the file at `path`.
    pub fn parse(
        path: &Path,
        text: &'a str,
        set: BTreeMap<&'static str, DeValue<'a>>,
    ) -> Result<Self, ConfigError> {
        let document = DeTable::parse(text)
            .map_err(|source| ConfigError::Syntax { path: path.to_path_buf(), source: Box::new(source) })?;
        let line = |at: usize| 1 + text[..at.min(text.len())].matches('\n').count();
        let mut places = Places { path: path.to_path_buf(), lines: BTreeMap::new() };
        let mut values = BTreeMap::new();
        for (table, content) in document.into_inner() {
            let at = line(table.span().start);
            let table = table.into_inner().into_owned();
            places.lines.insert(table.clone(), at);
            if !SECTIONS.iter().any(|section| section.table == table) {
                let known = SECTIONS.iter().map(|section| section.table);
                let problem = format!("is not a table{}", nearest(&table, known, "[", "]"));
                return Err(places.refuse(&table, problem));
            }
            let DeValue::Table(content) = content.into_inner() else {
                return Err(places.refuse(&table, format!("is a table: [{table}]")));
            };
            for (name, value) in content {
                let key = format!("{table}.{}", name.get_ref());
                places.lines.insert(key.clone(), line(name.span().start));
                values.insert(key, Spanned::into_inner(value));
            }
        }
        Ok(Tables { values, set, places, held: Vec::new() })
    }

    fn taken<T: SettingValue>(&mut self, row: &'static Setting) -> Result<Option<T>, ConfigError> {
        let key = row.key();
        let (written, set) = (self.values.remove(&key), self.set.remove(key.as_str()));
        let Some(value) = set.or(written) else { return Ok(None) };
        let value = T::read(&value).map_err(|problem| self.places.refuse(&key, problem))?;
        match value.number().and_then(|number| row.range.problem(number)) {
            Some(problem) => {
                let without = match row.need {
                    Need::Or(other) => format!(" (without it: {other})"),
                    Need::Required | Need::Default(_) => String::new(),
                };
                Err(self.places.refuse(&key, problem + &without))
            }
            None => Ok(Some(value)),
        }
    }

    pub fn take<T: SettingValue>(&mut self, row: &'static Setting) -> Result<Option<T>, ConfigError> {
        let value = self.taken::<T>(row)?;
        self.held.push((row, value.as_ref().map(T::show)));
        Ok(value)
    }

    pub fn or_default<T: SettingValue>(
        &mut self,
        row: &'static Setting,
        default: fn() -> T,
    ) -> Result<T, ConfigError> {
        let value = self.taken(row)?.unwrap_or_else(default);
        self.held.push((row, Some(value.show())));
        Ok(value)
    }

    pub fn required<T: SettingValue>(&mut self, row: &'static Setting) -> Result<T, ConfigError> {
        let missing = || {
            let problem = format!("is missing; it must be {}: {}", row.expected(), first_sentence(row.doc));
            self.places.refuse(&row.key(), problem)
        };
        let missing = missing();
        self.take(row)?.ok_or(missing)
    }

    /// Fails if a setting remains that a model of this kind does not have.
    pub fn check_known(&self, kind: &str) -> Result<(), ConfigError> {
        let here = |section: &&Section| section.kind.is_none_or(|of| of == kind);
        let known: Vec<String> =
            SECTIONS.iter().filter(here).flat_map(|s| s.settings).map(Setting::key).collect();
        let unknown = self.values.keys().filter(|key| !known.contains(key));
        let Some(key) = unknown.min_by_key(|key| self.places.lines.get(*key)) else { return Ok(()) };
        let (table, name) = key.split_once('.').unwrap_or((key, ""));
        let others = SECTIONS.iter().filter(|s| s.settings.iter().any(|row| row.name == name));
        // A setting with this name in another table is a better match than a similar name.
        let problem = match others.min_by_key(|section| section.table != table) {
            Some(section) if section.table == table => {
                let of = section.kind.unwrap_or_default();
                format!("is a setting of `kind = \"{of}\"`; the model here is of `kind = \"{kind}\"`")
            }
            Some(section) => format!("is not a setting; `{name}` belongs in [{}]", section.table),
            None => {
                let known = known.iter().filter_map(|key| key.strip_prefix(table)?.strip_prefix('.'));
                format!("is not a setting{}", nearest(name, known, &format!("`{table}."), "`"))
            }
        };
        Err(self.places.refuse(key, problem))
    }
}

/// The known name that is most similar to `name`, and all known names, as the end of a message.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>, before: &str, after: &str) -> String {
    let known: Vec<&str> = known.collect();
    let nearest = known.iter().min_by_key(|k| strsim::osa_distance(name, k)).copied().unwrap_or_default();
    format!("; the nearest is {before}{nearest}{after} (known are {})", known.join(", "))
}

/// The first sentence of a text, without its period.
pub fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}
