//! Settings of optimizers and schedules: the table from which their enums follow, their text form, and their allowed values.

use crate::error::Error;

/// A type of values for settings.
pub(crate) trait Setting: Sized {
    /// What is expected, for messages.
    const WHAT: &'static str;
    /// Parses a value.
    fn parse(text: &str) -> Option<Self>;
    /// Returns the text of a value, which parses to the same value.
    fn print(&self) -> String;
    /// Returns the value as a number, for range checks; NaN if the value is invalid in itself.
    fn number(&self) -> f64;
}

impl Setting for f64 {
    const WHAT: &'static str = "a number";
    fn parse(text: &str) -> Option<f64> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        format!("{self:?}")
    }
    fn number(&self) -> f64 {
        *self
    }
}

impl Setting for usize {
    const WHAT: &'static str = "a whole number";
    fn parse(text: &str) -> Option<usize> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn number(&self) -> f64 {
        *self as f64
    }
}

impl Setting for bool {
    const WHAT: &'static str = "true or false";
    fn parse(text: &str) -> Option<bool> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        self.to_string()
    }
    fn number(&self) -> f64 {
        f64::from(u8::from(*self))
    }
}

/// The allowed values of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Range {
    /// Weights of averages: 0 ≤ x < 1.
    Decay,
    /// 0 ≤ x, finite.
    NotNegative,
    /// 0 < x, including infinity: a threshold that is never reached.
    Positive,
    /// At least 1.
    Count,
    /// Any finite number.
    Finite,
    /// Any value that is valid in itself.
    Sound,
}

impl Range {
    fn contains(self, x: f64) -> bool {
        match self {
            Range::Decay => (0.0..1.0).contains(&x),
            Range::NotNegative => x >= 0.0 && x.is_finite(),
            Range::Positive => x > 0.0,
            Range::Count => x >= 1.0 && x.is_finite(),
            Range::Finite | Range::Sound => x.is_finite(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Range::Decay => "at least 0 and below 1",
            Range::NotNegative => "finite and not negative",
            Range::Positive => "above 0",
            Range::Count => "at least 1",
            Range::Finite => "finite",
            Range::Sound => "sound",
        }
    }

    /// Like [`check`](Self::check), for a value that may never have been given: numbers without a default are NaN until they are set.
    pub(crate) fn check_set<T: Setting>(self, of: &str, setting: &str, value: &T) -> Result<(), Error> {
        if value.print() != "NaN" {
            return self.check(of, setting, value);
        }
        let problem = format!("is not given or NaN, but must be {}, {}", T::WHAT, self.name());
        Err(Error::Setting { of: of.into(), setting: setting.into(), problem })
    }

    /// Fails unless the value of a setting is allowed.
    pub(crate) fn check<T: Setting>(self, of: &str, setting: &str, value: &T) -> Result<(), Error> {
        if self.contains(value.number()) {
            return Ok(());
        }
        let problem = match self {
            Range::Sound => format!("is {:?}, but must be {}", value.print(), T::WHAT),
            _ => format!("is {}, but must be {}", value.print(), self.name()),
        };
        Err(Error::Setting { of: of.into(), setting: setting.into(), problem })
    }
}

/// Parses the value of a setting.
pub(crate) fn parse<T: Setting>(of: &str, setting: &str, text: &str) -> Result<T, Error> {
    T::parse(text).ok_or_else(|| Error::Setting {
        of: of.into(),
        setting: setting.into(),
        problem: format!("is {text:?}, but must be {}", T::WHAT),
    })
}

/// Returns the error for a setting that does not exist.
pub(crate) fn unknown(of: &str, setting: &str, known: &[&str]) -> Error {
    let problem = format!("does not exist; there are {}", known.join(", "));
    Error::Setting { of: of.into(), setting: setting.into(), problem }
}

/// Splits `name(a, b, …)` or `name` into its name and its arguments, which stay text. Commas inside parentheses do not separate arguments.
pub(crate) fn call(text: &str) -> Result<(&str, Vec<&str>), Error> {
    let syntax = |problem: &str| Error::Syntax { text: text.into(), problem: problem.into() };
    let trimmed = text.trim();
    let Some(open) = trimmed.find('(') else { return Ok((trimmed, Vec::new())) };
    let inner = trimmed[open + 1..].strip_suffix(')').ok_or_else(|| syntax("it does not end with `)`"))?;
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or_else(|| syntax("it has an extra `)`"))?,
            ',' if depth == 0 => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth != 0 {
        return Err(syntax("it is missing a `)`"));
    }
    let last = inner[start..].trim();
    if !last.is_empty() || !parts.is_empty() {
        parts.push(last);
    }
    Ok((trimmed[..open].trim(), parts))
}

/// Splits `setting=value` into its two parts.
pub(crate) fn assignment<'a>(text: &str, part: &'a str) -> Result<(&'a str, &'a str), Error> {
    let (setting, value) = part.split_once('=').ok_or_else(|| Error::Syntax {
        text: text.into(),
        problem: format!("{part:?} is not of the form `setting=value`"),
    })?;
    Ok((setting.trim(), value.trim()))
}

/// Defines an enum with settings in its variants. There is one row per variant, with its name in text form and, for each setting, the
/// default and the range. The row generates the variant, a constructor with the defaults, the checks and the text form
/// `name(setting=value, …)`.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $Enum:ident $what:literal, $vis:vis constructors {
            $(
                $(#[doc = $doc:literal])*
                $name:literal $Variant:ident $constructor:ident {
                    $( $(#[doc = $field_doc:literal])* $field:ident : $ty:ty = $default:expr, $range:ident; )*
                }
            )*
        }
    ) => {
        $(#[$meta])*
        pub enum $Enum {
            $( $(#[doc = $doc])* $Variant { $( $(#[doc = $field_doc])* $field: $ty ),* }, )*
        }

        impl $Enum {
            /// The names of all variants.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            $(
                $(#[doc = $doc])*
                ///
                /// With the default settings.
                $vis const fn $constructor() -> $Enum {
                    $Enum::$Variant { $($field: $default),* }
                }
            )*

            /// Returns the name in the text form.
            pub const fn name(&self) -> &'static str {
                match self { $($Enum::$Variant { .. } => $name),* }
            }

            /// Returns each variant with its default settings and a description. Numbers without a default are NaN or 0.
            pub fn all() -> impl Iterator<Item = ($Enum, &'static str)> {
                [$(($Enum::$constructor(), concat!($($doc),*))),*].into_iter()
            }

            /// Returns the names and values of the settings, as text.
            pub fn settings(&self) -> Vec<(&'static str, String)> {
                use $crate::setting::Setting;
                match self {
                    $($Enum::$Variant { $($field),* } => {
                        vec![$((stringify!($field), Setting::print($field))),*]
                    })*
                }
            }

            /// Sets a setting. [`check`](Self::check) tells whether all settings are valid.
            pub fn set(&mut self, setting: &str, value: &str) -> Result<(), $crate::Error> {
                match self {
                    $($Enum::$Variant { $($field),* } => match setting {
                        $(stringify!($field) => *$field = $crate::setting::parse($name, setting, value)?,)*
                        _ => {
                            return Err($crate::setting::unknown($name, setting, &[$(stringify!($field)),*]));
                        }
                    },)*
                }
                Ok(())
            }

            /// Fails if a setting has a value that is not allowed.
            pub fn check(&self) -> Result<(), $crate::Error> {
                match self {
                    $($Enum::$Variant { $($field),* } => {
                        $($crate::setting::Range::$range.check_set($name, stringify!($field), $field)?;)*
                    })*
                }
                Ok(())
            }

            fn by_name(name: &str) -> Option<$Enum> {
                match name { $($name => Some($Enum::$constructor()),)* _ => None }
            }

            /// Fails if one setting has a value that is not allowed. Settings with the range `Sound` are left to [`check`](Self::check).
            fn check_given(&self, setting: &str) -> Result<(), $crate::Error> {
                use $crate::setting::Range;
                match self {
                    $($Enum::$Variant { $($field),* } => match setting {
                        $(stringify!($field) => match Range::$range {
                            Range::Sound => Ok(()),
                            range => range.check($name, setting, $field),
                        },)*
                        _ => Ok(()),
                    },)*
                }
            }

            /// Parses a text, and checks only the settings that it gives.
            pub(crate) fn parse_given(text: &str) -> Result<$Enum, $crate::Error> {
                let (name, parts) = $crate::setting::call(text)?;
                let mut value = $Enum::by_name(name).ok_or_else(|| $crate::Error::Unknown {
                    what: $what,
                    name: name.into(),
                    known: $Enum::NAMES.join(", "),
                })?;
                for part in parts {
                    let (setting, text) = $crate::setting::assignment(text, part)?;
                    value.set(setting, text)?;
                    value.check_given(setting)?;
                }
                Ok(value)
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let settings: Vec<String> =
                    self.settings().into_iter().map(|(k, v)| format!("{k}={v}")).collect();
                write!(f, "{}({})", self.name(), settings.join(", "))
            }
        }

        impl std::str::FromStr for $Enum {
            type Err = $crate::Error;

            fn from_str(text: &str) -> Result<$Enum, $crate::Error> {
                let value = $Enum::parse_given(text)?;
                value.check()?;
                Ok(value)
            }
        }
    };
}
pub(crate) use table;
