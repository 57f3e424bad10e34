//! Environment variables as typed values. Each crate declares the variables that it reads with [`variables!`](crate::variables), and their
//! values are read here. docs/environment.md is generated from the declarations.
//!
//! ```
//! use rlx_driver::env::{self, Env};
//!
//! rlx_driver::variables! {
//!     /// The number of cooks in the kitchen.
//!     pub COOKS: usize = "KITCHEN_COOKS" {
//!         values: "a number",
//!         parse: env::parsed,
//!         default: "one cook per pot",
//!     }
//! }
//!
//! let env = Env::from_iter([("KITCHEN_COOKS", "3")]);
//! assert_eq!(env.get(&COOKS), Ok(Some(3)));
//! assert_eq!(Env::default().get(&COOKS), Ok(None));
//!
//! let too_many = Env::from_iter([("KITCHEN_COOKS", "too many")]);
//! let error = too_many.check(VARIABLES).unwrap_err();
//! assert_eq!(error.to_string(), "KITCHEN_COOKS is \"too many\"; it takes a number");
//! assert_eq!(VARIABLES[0].doc(), "The number of cooks in the kitchen. Default: one cook per pot.");
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// An environment variable that is read as a `T`. [`variables!`](crate::variables) declares it.
pub struct Variable<T: 'static> {
    /// The name.
    pub name: &'static str,
    /// The values that it accepts, as the documentation describes them.
    pub values: &'static str,
    /// What the variable does, as written above its declaration.
    pub doc: &'static str,
    /// What applies if the variable is not set; empty if `doc` says it or nothing applies.
    pub default: &'static str,
    /// Converts a value, and returns `None` for an invalid one.
    pub parse: fn(&str) -> Option<T>,
    /// Whether an empty value is a value. If not, it counts as unset.
    pub accepts_empty: bool,
}

/// A variable of any type: what the documentation says about it, and whether its value is valid.
pub trait AnyVariable: Send + Sync {
    /// Returns the name.
    fn name(&self) -> &'static str;
    /// Returns a description of the accepted values.
    fn values(&self) -> &'static str;
    /// Returns what the variable does, in sentences.
    fn doc(&self) -> String;
    /// Checks the value in an environment.
    fn check(&self, env: &Env) -> Result<(), EnvError>;
}

/// The variables that a crate declares.
pub type Variables = &'static [&'static dyn AnyVariable];

impl<T: 'static> AnyVariable for Variable<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn values(&self) -> &'static str {
        self.values
    }

    fn doc(&self) -> String {
        let doc = self.doc.trim();
        if self.default.is_empty() { doc.into() } else { format!("{doc} Default: {}.", self.default) }
    }

    fn check(&self, env: &Env) -> Result<(), EnvError> {
        env.get(self).map(drop)
    }
}

/// Declares the environment variables that a crate reads, and a list of them, `VARIABLES`. See [`env`](crate::env) for an example.
///
/// A declaration has a doc comment, which is also the variable's text in the documentation, the name and the type of the static, the name
/// of the variable, and these fields:
///
/// - `values` describes the accepted values.
/// - `parse` is a function from `&str` to an `Option` of the type, such as [`switch`](crate::env::switch).
/// - `default` describes what applies if the variable is not set. It can be left out.
/// - `accepts_empty: true` passes an empty value to `parse`. Without it, an empty value counts as unset.
#[macro_export]
macro_rules! variables {
    ($(
        $(#[doc = $doc:expr])+
        $vis:vis $variable:ident: $type:ty = $name:literal {
            values: $values:expr,
            parse: $parse:expr
            $(, default: $default:literal)?
            $(, accepts_empty: $empty:literal)?
            $(,)?
        }
    )+) => {
        $(
            $(#[doc = $doc])+
            $vis static $variable: $crate::env::Variable<$type> = $crate::env::Variable {
                name: $name,
                values: $values,
                doc: concat!($($doc),+),
                default: concat!("" $(, $default)?),
                parse: $parse,
                accepts_empty: false $(|| $empty)?,
            };
        )+

        /// All environment variables that this crate reads.
        pub static VARIABLES: $crate::env::Variables = &[$(&$variable),+];
    };
}

/// A source of variables: the environment of the process, or given values. The default has no variables.
///
/// Debug output contains given values, but not the environment of the process, which may have secrets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Env(EnvSource);

#[derive(Clone, PartialEq, Eq, Debug)]
enum EnvSource {
    Process,
    Given(BTreeMap<String, String>),
}

impl Default for EnvSource {
    fn default() -> EnvSource {
        EnvSource::Given(BTreeMap::new())
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Env {
    /// Creates an environment with these names and values.
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Env {
        let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        Env(EnvSource::Given(pairs.collect()))
    }
}

/// A variable has an invalid value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} is {value:?}; it takes {values}")]
pub struct EnvError {
    name: &'static str,
    value: String,
    values: &'static str,
}

impl Env {
    /// Returns the environment of the process. Variables are read when [`Env::get`] asks for them.
    pub const fn process() -> Env {
        Env(EnvSource::Process)
    }

    /// Returns the value of a variable, or `None` if it is not set.
    ///
    /// # Errors
    /// Returns an [`EnvError`] that names the variable and its accepted values if it has another value.
    pub fn get<T: 'static>(&self, variable: &Variable<T>) -> Result<Option<T>, EnvError> {
        let value = match &self.0 {
            EnvSource::Process => std::env::var_os(variable.name).map(|v| v.to_string_lossy().into_owned()),
            EnvSource::Given(values) => values.get(variable.name).cloned(),
        };
        let Some(value) = value.filter(|v| variable.accepts_empty || !v.is_empty()) else { return Ok(None) };
        match (variable.parse)(&value) {
            Some(parsed) => Ok(Some(parsed)),
            None => Err(EnvError { name: variable.name, value, values: variable.values }),
        }
    }

    /// Returns whether a switch is on. A switch that is not set is off.
    ///
    /// # Errors
    /// The same as [`Env::get`].
    pub fn is_on(&self, variable: &Variable<bool>) -> Result<bool, EnvError> {
        Ok(self.get(variable)?.unwrap_or(false))
    }

    /// Checks the values of variables.
    ///
    /// # Errors
    /// Returns an [`EnvError`] for the first variable with an invalid value.
    pub fn check(&self, variables: &[&dyn AnyVariable]) -> Result<(), EnvError> {
        variables.iter().try_for_each(|variable| variable.check(self))
    }
}

/// Converts `0` and `1`, `false` and `true`, or `off` and `on`.
pub fn switch(value: &str) -> Option<bool> {
    match value {
        "0" | "false" | "off" => Some(false),
        "1" | "true" | "on" => Some(true),
        _ => None,
    }
}

/// Converts with [`FromStr`].
pub fn parsed<T: FromStr>(value: &str) -> Option<T> {
    value.parse().ok()
}

/// Converts a word with [`FromStr`], in lower case.
pub fn word<T: FromStr>(value: &str) -> Option<T> {
    value.to_ascii_lowercase().parse().ok()
}

/// Converts the path of a file or folder. Every value is valid.
pub fn path(value: &str) -> Option<PathBuf> {
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::variables! {
        /// The first line,
        /// and the second.
        NUMBER: u8 = "T_NUMBER" { values: "0 … 255", parse: parsed }
        /// A switch.
        SWITCH: bool = "T_SWITCH" { values: "0 | 1", parse: switch, default: "0" }
        /// A folder.
        FOLDER: PathBuf = "T_FOLDER" { values: "a folder", parse: path, accepts_empty: true }
    }

    #[test]
    fn values_are_typed_and_invalid_ones_are_named() {
        let env = Env::from_iter([("T_NUMBER", "3"), ("T_SWITCH", "on")]);
        assert_eq!(
            (env.get(&NUMBER), env.is_on(&SWITCH), env.get(&FOLDER)),
            (Ok(Some(3)), Ok(true), Ok(None))
        );
        assert_eq!(env.check(VARIABLES), Ok(()));
        let env = Env::from_iter([("T_SWITCH", "1"), ("T_NUMBER", "256")]);
        assert_eq!(env.is_on(&SWITCH), Ok(true));
        let error = env.get(&NUMBER).expect_err("it is too large");
        assert_eq!(error.to_string(), "T_NUMBER is \"256\"; it takes 0 … 255");
        assert_eq!(env.check(VARIABLES), Err(error));
    }

    #[test]
    fn an_empty_value_counts_as_unset_unless_it_is_accepted() {
        let env = Env::from_iter(["T_NUMBER", "T_SWITCH", "T_FOLDER"].map(|name| (name, "")));
        assert_eq!((env.get(&NUMBER), env.is_on(&SWITCH)), (Ok(None), Ok(false)));
        assert_eq!((env.get(&FOLDER), Env::default().get(&FOLDER)), (Ok(Some(PathBuf::new())), Ok(None)));
    }

    #[test]
    fn declarations_are_documented() {
        let docs: Vec<_> = VARIABLES.iter().map(|v| (v.name(), v.values(), v.doc())).collect();
        let row = |name, values, doc: &str| (name, values, doc.to_string());
        assert_eq!(docs[0], row("T_NUMBER", "0 … 255", "The first line, and the second."));
        assert_eq!(docs[1], row("T_SWITCH", "0 | 1", "A switch. Default: 0."));
    }

    #[test]
    fn the_environment_of_the_process_is_read_but_not_shown() {
        let variable = Variable {
            name: "CARGO_MANIFEST_DIR",
            values: "a folder",
            doc: "The folder of the crate.",
            default: "",
            parse: path,
            accepts_empty: false,
        };
        assert_eq!(
            Env::process().get(&variable),
            Ok(std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from))
        );
        assert_eq!(format!("{:?}", Env::process()), "Env(Process)");
    }
}
