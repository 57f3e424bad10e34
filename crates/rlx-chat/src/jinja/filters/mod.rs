//! Filters, and the functions that templates may call.

mod functions;
mod items;
mod ordering;
mod texts;
mod wrap;

use super::error::{Result, fail};
use super::interp::Interp;
use super::meter::{Charge, Meter};
use super::value::{Str, TemplateValue};
use std::rc::Rc;

pub(crate) use functions::GLOBALS;

pub(crate) type FilterFn = fn(&mut Interp<'_>, TemplateValue, Args) -> Result<TemplateValue>;

/// A function that templates may call.
#[derive(Debug)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Interp<'_>, Args) -> Result<TemplateValue>,
}

/// Returns the filter with a name.
pub(crate) fn filter(name: &str) -> Option<FilterFn> {
    let tables = [items::FILTERS, ordering::FILTERS, texts::FILTERS];
    tables.into_iter().flatten().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) pos: Vec<TemplateValue>,
    pub(crate) named: Vec<(Str, TemplateValue)>,
    charge: Charge,
}

impl Args {
    pub(crate) fn new(meter: &Rc<Meter>) -> Result<Self> {
        Ok(Args { pos: Vec::new(), named: Vec::new(), charge: Charge::new(meter, 32)? })
    }

    pub(crate) fn push(&mut self, value: TemplateValue) -> Result<()> {
        self.charge.grow(2 * size_of::<TemplateValue>())?;
        self.charge.meter().work(1)?;
        self.pos.push(value);
        Ok(())
    }

    pub(crate) fn push_named(&mut self, name: Str, value: TemplateValue) -> Result<()> {
        self.charge.meter().work(1 + self.named.len() / 4)?;
        if self.named.iter().any(|(known, _)| **known == *name) {
            return fail("an argument is given twice");
        }
        self.charge.grow(2 * size_of::<(Str, TemplateValue)>())?;
        self.named.push((name, value));
        Ok(())
    }

    /// Returns the arguments in the order of their names. An empty name stands for an argument that has none.
    pub(crate) fn bind<const N: usize>(
        self,
        what: &str,
        names: [&str; N],
        required: usize,
    ) -> Result<[Option<TemplateValue>; N]> {
        let mut out = [const { None }; N];
        let given = self.pos.len();
        if given > N {
            return fail(format!("`{what}` takes at most {N} arguments, not {given}"));
        }
        for (slot, value) in out.iter_mut().zip(self.pos) {
            *slot = Some(value);
        }
        for (name, value) in self.named {
            match names.iter().position(|known| !known.is_empty() && **known == *name) {
                Some(at) if out[at].is_none() => out[at] = Some(value),
                Some(_) => {
                    return fail(format!(
                        "`{what}` got two values for `{}`",
                        names.get(given.max(1) - 1).unwrap_or(&"")
                    ));
                }
                None => {
                    let name: String = name.chars().take(40).collect();
                    return fail(format!("`{what}` takes no argument `{name}`"));
                }
            }
        }
        if out.iter().take(required).any(Option::is_none) {
            return fail(format!("`{what}` needs {required} arguments"));
        }
        Ok(out)
    }
}

/// Returns an argument that is an integer.
pub(crate) fn int_arg(value: Option<&TemplateValue>, default: i128) -> Result<i128> {
    match value {
        None => Ok(default),
        Some(value) => match value.as_int() {
            Some(value) => Ok(value),
            None => fail(format!("expected an integer, got a {}", value.type_name())),
        },
    }
}

/// Returns an argument that is a string.
pub(crate) fn text_arg<'v>(interp: &Interp<'_>, value: &'v TemplateValue) -> Result<&'v Str> {
    match value {
        TemplateValue::Str(text) => Ok(text),
        TemplateValue::Undefined(missing) => fail(interp.missing(*missing)),
        other => fail(format!("expected a string, got a {}", other.type_name())),
    }
}

pub(crate) fn flag(value: Option<&TemplateValue>, default: bool) -> bool {
    value.map_or(default, TemplateValue::is_true)
}
