//! What templates may call: Python's methods of texts, lists and dictionaries, and the functions of `transformers`.

use crate::dumps::{float, tojson};
use crate::strftime::{now, strftime};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value, escape_formatter};
use minijinja_contrib::pycompat::unknown_method_callback;

/// What a template says by `raise_exception`.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Raised(pub(crate) String);

/// The variable that holds the time that `strftime_now` tells, where it is given.
pub(crate) const NOW: &str = "__now";

/// How deep macros may call each other.
const RECURSION: usize = 100;

/// An environment in which templates mean what they mean to `transformers`.
pub(crate) fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        env.set_syntax(syntax);
    }
    env.set_undefined_behavior(UndefinedBehavior::Lenient);
    env.set_recursion_limit(RECURSION);
    env.set_unknown_method_callback(method);
    env.add_filter("tojson", tojson);
    env.add_filter("string", |value: &Value| shown(value).unwrap_or_else(|| Value::from(value.to_string())));
    env.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
    env.set_formatter(|out, state, value| match shown(value) {
        Some(text) => escape_formatter(out, state, &text),
        None => escape_formatter(out, state, value),
    });
    env.add_function("raise_exception", |message: String| -> Result<Value, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, "raise_exception").with_source(Raised(message)))
    });
    env.add_function("strftime_now", |state: &State<'_, '_>, format: String| {
        let given = state.lookup(NOW).and_then(|seconds| u64::try_from(seconds).ok());
        strftime(&format, given.unwrap_or_else(now))
    });
    env
}

/// Methods that values of the library do not have of their own.
fn method(state: &mut State<'_, '_>, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    let text = |i: usize| args.get(i).and_then(Value::as_str);
    if let (ValueKind::String, Some(this)) = (value.kind(), value.as_str()) {
        match (name, text(0)) {
            ("removeprefix", Some(prefix)) => return Ok(this.strip_prefix(prefix).unwrap_or(this).into()),
            ("removesuffix", Some(suffix)) => return Ok(this.strip_suffix(suffix).unwrap_or(this).into()),
            ("partition", Some(sign)) if !sign.is_empty() => {
                let (before, after) = this.split_once(sign).unwrap_or((this, ""));
                let found = if before.len() == this.len() { "" } else { sign };
                return Ok(texts(&[before, found, after]));
            }
            ("rpartition", Some(sign)) if !sign.is_empty() => {
                let parts = this.rsplit_once(sign);
                let (before, found, after) = parts.map_or(("", "", this), |(b, a)| (b, sign, a));
                return Ok(texts(&[before, found, after]));
            }
            ("rsplit", Some(sign)) if !sign.is_empty() => {
                let limit = args.get(1).and_then(|n| usize::try_from(n.clone()).ok());
                let mut parts: Vec<&str> = match limit {
                    Some(limit) => this.rsplitn(limit.saturating_add(1), sign).collect(),
                    None => this.rsplit(sign).collect(),
                };
                parts.reverse();
                return Ok(texts(&parts));
            }
            _ => {}
        }
    }
    unknown_method_callback(state, value, name, args)
}

/// A float as Python shows it; other values show themselves.
fn shown(value: &Value) -> Option<Value> {
    let is_float = value.kind() == ValueKind::Number && !value.is_integer();
    f64::try_from(value.clone()).ok().filter(|_| is_float).map(|value| Value::from(float(value)))
}

fn texts(parts: &[&str]) -> Value {
    parts.iter().map(|part| Value::from(*part)).collect()
}
