//! The filters that `sample` applies before it draws, one row each: name, setting and range. They run in the order of the rows.

use super::{Attr, Key, OpError};
use crate::text::{ParseError, Parser, Printer};

/// A setting of a filter, which is compared with the bounds of its range as a float.
trait Setting: Attr + Copy {
    fn number(self) -> f64;
}

impl Setting for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Setting for usize {
    fn number(self) -> f64 {
        self as f64
    }
}

macro_rules! logit_filters {
    ($($(#[doc = $doc:literal])* $Variant:ident $(($ty:ty))? = $name:literal $(in $low:literal..=$high:literal)?;)*) => {
        /// What a filter does to the logits of candidates.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum LogitFilter {
            $($(#[doc = $doc])* $Variant $(($ty))?,)*
        }

        impl LogitFilter {
            /// The name in the text form.
            pub fn name(&self) -> &'static str {
                match self {
                    $(LogitFilter::$Variant { .. } => $name,)*
                }
            }

            /// Fails if the setting is out of its range.
            ///
            /// # Errors
            /// [`OpError::Attribute`] with the filter, its setting and the range.
            pub fn check(&self) -> Result<(), OpError> {
                match *self {
                    $(logit_filters!(@pattern $Variant setting $($ty)?) => {
                        logit_filters!(@check $name setting $(in $low..=$high)?)
                    })*
                }
            }
        }

        impl Attr for LogitFilter {
            type Arg<'a> = LogitFilter;

            fn arg(&self) -> LogitFilter {
                *self
            }

            /// `[name, setting]`, or `[name]` if the filter has no setting.
            fn print(&self, p: &mut Printer) {
                p.word("[");
                p.word(self.name());
                match self {
                    $(logit_filters!(@pattern $Variant setting $($ty)?) => {
                        logit_filters!(@print p setting $($ty)?)
                    })*
                }
                p.word("]");
            }

            fn parse(p: &mut Parser<'_>) -> Result<Self, ParseError> {
                p.expect('[')?;
                $(if p.eat_word($name) {
                    let filter = logit_filters!(@parse p $Variant $($ty)?);
                    p.expect(']')?;
                    return Ok(filter);
                })*
                p.expected(concat!("a filter of logits:" $(, " ", $name)*))
            }

            fn key(&self, key: &mut Key) {
                key.text(self.name().as_bytes());
                match self {
                    $(logit_filters!(@pattern $Variant setting $($ty)?) => {
                        logit_filters!(@key key setting $($ty)?)
                    })*
                }
            }
        }
    };
    (@pattern $Variant:ident $setting:ident) => { LogitFilter::$Variant };
    (@pattern $Variant:ident $setting:ident $ty:ty) => { LogitFilter::$Variant($setting) };
    (@check $name:literal $setting:ident) => { Ok(()) };
    (@check $name:literal $setting:ident in $low:literal..=$high:literal) => { check($name, $setting, $low, $high) };
    (@print $p:ident $setting:ident) => { {} };
    (@print $p:ident $setting:ident $ty:ty) => {{
        $p.word(", ");
        $setting.print($p);
    }};
    (@parse $p:ident $Variant:ident) => { LogitFilter::$Variant };
    (@parse $p:ident $Variant:ident $ty:ty) => {{
        $p.expect(',')?;
        LogitFilter::$Variant(<$ty as Attr>::parse($p)?)
    }};
    (@key $key:ident $setting:ident) => { {} };
    (@key $key:ident $setting:ident $ty:ty) => { $setting.key($key) };
}

logit_filters! {
    /// Adds the operand `bias` to logits.
    Bias = "bias";
    /// Divides positive logits of tokens with a count above 0 by the setting, and multiplies negative ones by it.
    Repetition(f64) = "repetition" in 1e-6..=1e6;
    /// Subtracts the setting from a logit, multiplied by the token's entry in the operand `counts`.
    Frequency(f64) = "frequency" in -1e6..=1e6;
    /// Subtracts the setting from the logits of tokens with a count above 0.
    Presence(f64) = "presence" in -1e6..=1e6;
    /// Keeps the tokens with the largest logits, as many as the setting says; of equal ones the first.
    TopK(usize) = "top_k" in 1.0..=2147483647.0;
    /// Keeps the tokens whose surprise is nearest to the entropy, until their probabilities add up to the setting.
    Typical(f64) = "typical" in 0.0..=1.0;
    /// Keeps the most likely tokens, until their probabilities add up to the setting.
    TopP(f64) = "top_p" in 0.0..=1.0;
    /// Keeps the tokens whose probability is at least the setting times the largest probability.
    MinP(f64) = "min_p" in 0.0..=1.0;
    /// Divides logits by the setting.
    Temperature(f64) = "temperature" in 1e-30..=1e6;
}

fn check(name: &str, setting: impl Setting, low: f64, high: f64) -> Result<(), OpError> {
    let number = setting.number();
    if (low..=high).contains(&number) {
        return Ok(());
    }
    Err(OpError::attribute(format!(
        "the filter {name} is set to {number}; it has to be from {low} to {high}"
    )))
}
