//! Jinja templates as `transformers` configures Jinja, with limits on work, memory and stack.
//!
//! A template is parsed into a tree of bounded depth and run over values of bounded depth, so that a small stack is
//! enough. Every operation whose time or memory depends on the input draws from a [`Meter`]. Nothing here reads a
//! clock, a file or the environment.
//!
//! `lexer`, `parser` and `expression` parse a template into `ast`; `interp` and `eval` run it over `value`;
//! `filters`, `methods` and `predicates` contain what it can call.
//!
//! [`Meter`]: meter::Meter

mod ast;
mod compare;
mod contains;
mod dict;
mod error;
mod eval;
mod expression;
mod filters;
mod format;
mod html;
mod interp;
mod iterate;
mod json;
mod lexer;
mod meter;
mod methods;
mod numbers;
mod parser;
mod percent;
mod predicates;
mod show;
mod slices;
mod strftime;
mod unicode;
mod value;

pub(crate) use error::{Error, Failure, Result};
pub(crate) use json::dumps;
pub(crate) use meter::Meter;
pub use meter::{Limits, Usage};
pub(crate) use strftime::now;
pub(crate) use value::{Listing, TemplateValue, Text};

use ast::Ast;
use dict::Dict;
use interp::Interp;
use std::rc::Rc;

/// A template that is ready to run.
#[derive(Debug)]
pub(crate) struct Template(Ast);

impl Template {
    /// Parses a template.
    pub(crate) fn new(source: &str) -> Result<Self> {
        parser::parse(source).map(Template)
    }

    /// Renders the template. `strftime_now` returns the time `now`, in seconds since 1970.
    pub(crate) fn render(
        &self,
        meter: &Rc<Meter>,
        now: u64,
        variables: impl Fn(&str) -> Option<Result<TemplateValue>>,
    ) -> Result<String> {
        Interp::new(&self.0, meter.clone(), now, variables)?.run()
    }
}

/// Makes a dictionary from strings and values.
pub(crate) fn dict(
    meter: &Rc<Meter>,
    pairs: impl IntoIterator<Item = Result<(TemplateValue, TemplateValue)>>,
) -> Result<TemplateValue> {
    let mut dict = Dict::new(meter)?;
    for pair in pairs {
        let (key, value) = pair?;
        dict.set(key, value)?;
    }
    Ok(TemplateValue::Dict(Rc::new(dict)))
}
