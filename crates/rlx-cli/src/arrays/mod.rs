//! Arrays for the inputs and parameters of a graph, output files, and values as text. Must not know how graphs run.

mod files;
mod numbers;
mod print;
mod random;

use std::collections::HashSet;
use std::path::PathBuf;

use rlx_ir::{Bindings, Literal, Shape};

use crate::failure::Failure;

pub use files::{Format, write_all};
pub use numbers::Numbers;
pub use print::text;

/// A named array that goes into a graph or comes out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub name: String,
    pub value: Literal,
}

/// A value for an input or parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The name. A value without one goes to the first input or parameter that has no value yet.
    pub name: Option<String>,
    pub value: GivenValue,
}

/// What an input or parameter is given.
#[derive(Clone, Debug, PartialEq)]
pub enum GivenValue {
    /// A tensor with its type and shape, from a file.
    Array(Literal),
    /// Numbers, which take the type of the input.
    Numbers(Numbers),
    /// Random numbers from a seed, of the type and shape of the input.
    Random(u64),
}

impl GivenValue {
    /// The value for the input or parameter `name` with the shape `declared`. `sizes` has the known sizes of symbolic
    /// dimensions.
    pub fn for_input(&self, name: &str, declared: &Shape, sizes: &Bindings) -> Result<Literal, Failure> {
        let failed = |problem: String| Failure::Failed(format!("the value for {name:?}: {problem}").into());
        match self {
            GivenValue::Array(array) => Ok(array.clone()),
            GivenValue::Numbers(numbers) => numbers.literal(declared.dtype()).map_err(failed),
            GivenValue::Random(seed) => random::fill(declared, sizes, *seed).map_err(failed),
        }
    }
}

/// Where a value on the command line comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    File(PathBuf),
    Numbers(Numbers),
    Random(u64),
}

/// `NAME=SOURCE`, or a source that needs no name.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    pub name: Option<String>,
    pub source: Source,
}

/// Reads `[NAME=]SOURCE` from the command line.
pub fn binding(text: &str) -> Result<Binding, String> {
    match text.split_once('=') {
        Some(("", _) | (_, "")) => {
            Err("expected NAME=FILE or NAME=NUMBERS; neither part may be empty".into())
        }
        Some((name, source)) => Ok(Binding { name: Some(name.into()), source: parse_source(source)? }),
        None if text.is_empty() => Err("expected NAME=FILE or FILE".into()),
        None => Ok(Binding { name: None, source: parse_source(text)? }),
    }
}

fn parse_source(text: &str) -> Result<Source, String> {
    if let Some(seed) = text.strip_prefix("random:") {
        let seed = seed.parse().map_err(|_| {
            format!("random:SEED needs a whole number, such as random:0; `{seed}` is not one")
        })?;
        return Ok(Source::Random(seed));
    }
    match Numbers::read(text) {
        Some(numbers) => Ok(Source::Numbers(numbers?)),
        None => Ok(Source::File(text.into())),
    }
}

/// A size of a symbolic dimension, `NAME=SIZE`.
pub fn dim(text: &str) -> Result<(String, usize), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let parts = parts.and_then(|(name, size)| Some((name.to_string(), size.parse().ok()?)));
    parts.ok_or_else(|| "expected NAME=SIZE, for example batch=8".into())
}

/// Reads the values given on the command line, including those in files.
pub fn read_all(bindings: &[Binding]) -> Result<Vec<Given>, Failure> {
    let mut values = Vec::new();
    for Binding { name, source } in bindings {
        let value = match source {
            Source::File(path) => {
                files::read(name.as_deref(), path, &mut values)?;
                continue;
            }
            Source::Numbers(numbers) => GivenValue::Numbers(numbers.clone()),
            Source::Random(seed) => GivenValue::Random(*seed),
        };
        values.push(Given { name: name.clone(), value });
    }
    let mut names = HashSet::new();
    match values.iter().filter_map(|v| v.name.as_deref()).find(|name| !names.insert(*name)) {
        Some(twice) => Err(Failure::usage(format!("the input {twice:?} is given twice"))),
        None => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_names_with_sources() {
        let file = |name: &str| Source::File(name.into());
        assert_eq!(binding("x=a=b.npy"), Ok(Binding { name: Some("x".into()), source: file("a=b.npy") }));
        assert_eq!(binding("w.safetensors"), Ok(Binding { name: None, source: file("w.safetensors") }));
        assert_eq!(binding("x=random:7").unwrap().source, Source::Random(7));
        assert!(matches!(binding("x=[1,2]").unwrap().source, Source::Numbers(_)));
        assert!(matches!(binding("-0.5"), Ok(Binding { name: None, source: Source::Numbers(_) })));
        for bad in ["=x.npy", "x=", "", "x=random:", "x=random:-1", "x=[1"] {
            assert!(binding(bad).is_err(), "{bad}");
        }
    }
}
