//! Iteration over values.

use super::dict::Dict;
use super::error::{Result, fail};
use super::meter::Meter;
use super::value::{List, Listing, Range, Str, TemplateValue, View};
use std::rc::Rc;

/// The remaining items of a value.
#[derive(Clone, Debug)]
pub(crate) enum Items {
    None,
    List(Rc<List>, usize),
    /// The characters of a string from a byte position on.
    Chars(Str, usize),
    Dict(View, Rc<Dict>, usize),
    Range(Range, usize),
    Iter(Rc<super::value::Iter>),
}

impl Items {
    /// Returns the items of a value.
    pub(crate) fn of(value: &TemplateValue) -> Result<Items> {
        Ok(match value {
            TemplateValue::Undefined(_) => Items::None,
            TemplateValue::Str(text) => Items::Chars(text.clone(), 0),
            TemplateValue::List(list) | TemplateValue::Tuple(list) => Items::List(list.clone(), 0),
            TemplateValue::Dict(dict) => Items::Dict(View::Keys, dict.clone(), 0),
            TemplateValue::View(view, dict) => Items::Dict(*view, dict.clone(), 0),
            TemplateValue::Range(range) => Items::Range(*range, 0),
            TemplateValue::Iter(iter) => Items::Iter(iter.clone()),
            other => return fail(format!("a {} has no items to iterate over", other.type_name())),
        })
    }

    /// Returns how many items are left, if that is known.
    pub(crate) fn len(&self) -> Option<usize> {
        Some(match self {
            Items::None => 0,
            Items::List(list, at) => list.items.len() - at,
            Items::Chars(text, at) => text[*at..].chars().count(),
            Items::Dict(_, dict, at) => dict.len() - at,
            Items::Range(range, at) => range.len() - at,
            Items::Iter(_) => return None,
        })
    }

    pub(crate) fn next(&mut self, meter: &Rc<Meter>) -> Result<Option<TemplateValue>> {
        meter.work(1)?;
        Ok(match self {
            Items::None => None,
            Items::List(list, at) => {
                *at += 1;
                let found = list.items.get(*at - 1).cloned();
                *at = (*at).min(list.items.len());
                found
            }
            Items::Chars(text, at) => match text[*at..].chars().next() {
                Some(c) => {
                    *at += c.len_utf8();
                    Some(TemplateValue::char(meter, c)?)
                }
                None => None,
            },
            Items::Dict(view, dict, at) => match dict.entries().get(*at) {
                Some(entry) => {
                    *at += 1;
                    Some(of_entry(meter, *view, entry)?)
                }
                None => None,
            },
            Items::Range(range, at) => {
                let found = (*at < range.len()).then(|| TemplateValue::Int(range.get(*at)));
                *at += usize::from(found.is_some());
                found
            }
            Items::Iter(iter) => {
                let iter = iter.clone();
                let Ok(mut items) = iter.items.try_borrow_mut() else {
                    return fail("a generator is already running");
                };
                items.next(meter)?
            }
        })
    }
}

fn of_entry(
    meter: &Rc<Meter>,
    view: View,
    (key, value): &(TemplateValue, TemplateValue),
) -> Result<TemplateValue> {
    match view {
        View::Keys => Ok(key.clone()),
        View::Values => Ok(value.clone()),
        View::Items => Listing::of(meter, [key.clone(), value.clone()])?.finish_tuple(),
    }
}

/// Collects all items of a value.
pub(crate) fn collect(meter: &Rc<Meter>, value: &TemplateValue) -> Result<Listing> {
    let mut items = Items::of(value)?;
    let mut list = Listing::new(meter)?;
    while let Some(item) = items.next(meter)? {
        list.push(item)?;
    }
    Ok(list)
}
