//! Filters of lists, dictionaries and attributes.

use super::{Args, FilterFn, filter, flag, int_arg, text_arg};
use crate::jinja::ast::Binary;
use crate::jinja::dict::{Dict, hashable};
use crate::jinja::error::{Result, fail};
use crate::jinja::interp::Interp;
use crate::jinja::iterate::{Items, collect};
use crate::jinja::methods::own_attribute;
use crate::jinja::numbers::binary;
use crate::jinja::predicates::test;
use crate::jinja::show::show;
use crate::jinja::slices::item;
use crate::jinja::value::{Listing, Missing, TemplateValue, Text, View};
pub(super) const FILTERS: &[(&str, FilterFn)] = &[
    ("attr", attr),
    ("batch", batch),
    ("count", length),
    ("d", default),
    ("default", default),
    ("first", first),
    ("items", items),
    ("join", join),
    ("last", last),
    ("length", length),
    ("list", list),
    ("map", map),
    ("random", |_, _, _| fail("`random` is not supported: its result is random")),
    ("reject", |interp, value, args| select(interp, value, args, false, false)),
    ("rejectattr", |interp, value, args| select(interp, value, args, true, false)),
    ("reverse", reverse),
    ("select", |interp, value, args| select(interp, value, args, false, true)),
    ("selectattr", |interp, value, args| select(interp, value, args, true, true)),
    ("slice", slice),
    ("sum", sum),
    ("unique", unique),
];

/// A path of attributes and items.
pub(super) struct Path {
    parts: Vec<TemplateValue>,
    default: Option<TemplateValue>,
}

impl Path {
    /// Returns the path that `attribute` names. Without one, the path is the item itself.
    pub(super) fn new(
        interp: &mut Interp<'_>,
        attribute: Option<TemplateValue>,
        default: Option<TemplateValue>,
    ) -> Result<Self> {
        let mut parts = Vec::new();
        match attribute {
            None | Some(TemplateValue::None) => {}
            Some(TemplateValue::Str(text)) => {
                interp.meter.bytes(text.len())?;
                let count = text.bytes().filter(|&b| b == b'.').count();
                interp.meter.work(count)?;
                if count > 100 {
                    return fail("a path of attributes is too long");
                }
                for part in text.split('.') {
                    let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
                    parts.push(match part.parse::<i128>() {
                        Ok(index) if digits => TemplateValue::Int(index),
                        _ => TemplateValue::text(&interp.meter, part)?,
                    });
                }
            }
            Some(other) => parts.push(other),
        }
        Ok(Path { parts, default: default.filter(|value| !matches!(value, TemplateValue::None)) })
    }

    pub(super) fn get(&self, interp: &mut Interp<'_>, value: &TemplateValue) -> Result<TemplateValue> {
        let mut found = value.clone();
        for part in &self.parts {
            found = item(interp, &found, part)?;
            if let (TemplateValue::Undefined(_), Some(default)) = (&found, &self.default) {
                found = default.clone();
            }
        }
        Ok(found)
    }
}

/// Returns a string in lower case, and any other value unchanged.
pub(super) fn ignore_case(interp: &mut Interp<'_>, value: TemplateValue) -> Result<TemplateValue> {
    match &value {
        TemplateValue::Str(text) => {
            interp.meter.work(text.len() / 4)?;
            let mut out = Text::new(&interp.meter);
            out.reserve(text.len())?;
            out.push(&text.to_lowercase())?;
            out.finish()
        }
        _ => Ok(value),
    }
}

fn attr(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [name] = args.bind("attr", ["name"], 1)?;
    let name = name.unwrap_or(TemplateValue::None);
    if let TemplateValue::Undefined(missing) = value {
        return fail(interp.missing(missing));
    }
    let name = text_arg(interp, &name)?;
    let found = own_attribute(interp, &value, name)?;
    Ok(found.unwrap_or(TemplateValue::Undefined(Missing::Other("there is no such attribute"))))
}

fn batch(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [count, fill] = args.bind("batch", ["linecount", "fill_with"], 1)?;
    let count = int_arg(count.as_ref(), 1)?;
    let fill = fill.filter(|fill| !matches!(fill, TemplateValue::None));
    let meter = interp.meter.clone();
    let mut items = Items::of(&value)?;
    let (mut out, mut line) = (Listing::new(&meter)?, Listing::new(&meter)?);
    while let Some(item) = items.next(&meter)? {
        if line.len() as i128 == count {
            out.push(std::mem::replace(&mut line, Listing::new(&meter)?).finish()?)?;
        }
        line.push(item)?;
    }
    if line.len() > 0 {
        if let Some(fill) = fill {
            while (line.len() as i128) < count {
                line.push(fill.clone())?;
            }
        }
        out.push(line.finish()?)?;
    }
    out.finish_iter()
}

fn slice(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [slices, fill] = args.bind("slice", ["slices", "fill_with"], 1)?;
    let slices = int_arg(slices.as_ref(), 1)?;
    let fill = fill.filter(|fill| !matches!(fill, TemplateValue::None));
    let meter = interp.meter.clone();
    let list = collect(&meter, &value)?.finish_list()?;
    if slices == 0 {
        return fail("`slice` needs at least 1 part");
    }
    let length = list.items.len() as i128;
    let (each, extra) = (length / slices.max(1), length % slices.max(1));
    let (mut out, mut offset) = (Listing::new(&meter)?, 0);
    let mut number = 0;
    while number < slices {
        let start = offset + number * each;
        offset += i128::from(number < extra);
        let end = offset + (number + 1) * each;
        let items = list.items.get(start as usize..end as usize).unwrap_or(&[]);
        let mut part = Listing::of(&meter, items.iter().cloned())?;
        if let Some(fill) = fill.as_ref().filter(|_| number >= extra) {
            part.push(fill.clone())?;
        }
        out.push(part.finish()?)?;
        number += 1;
    }
    out.finish_iter()
}

fn default(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [default, boolean] = args.bind("default", ["default_value", "boolean"], 0)?;
    if value.is_undefined() || flag(boolean.as_ref(), false) && !value.is_true() {
        return default.map_or_else(|| TemplateValue::text(&interp.meter, ""), Ok);
    }
    Ok(value)
}

fn first(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("first", [], 0)?;
    let found = Items::of(&value)?.next(&interp.meter)?;
    Ok(found.unwrap_or(TemplateValue::Undefined(Missing::Other("there is no first item"))))
}

/// Returns the items in reverse order if Python can iterate over them in reverse.
fn reversed(interp: &mut Interp<'_>, value: &TemplateValue) -> Result<Option<Listing>> {
    let reversible = matches!(
        value,
        TemplateValue::Str(_)
            | TemplateValue::List(_)
            | TemplateValue::Tuple(_)
            | TemplateValue::Dict(_)
            | TemplateValue::View(..)
            | TemplateValue::Range(_)
    );
    if !reversible {
        return Ok(None);
    }
    let mut list = collect(&interp.meter, value)?;
    list.items().reverse();
    Ok(Some(list))
}

fn last(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("last", [], 0)?;
    let none = TemplateValue::Undefined(Missing::Other("there is no last item"));
    let found = match &value {
        TemplateValue::List(list) | TemplateValue::Tuple(list) => list.items.last().cloned(),
        TemplateValue::Str(text) => match text.chars().next_back() {
            Some(c) => Some(TemplateValue::char(&interp.meter, c)?),
            None => None,
        },
        TemplateValue::Undefined(_) => None,
        value => match reversed(interp, value)? {
            Some(mut list) => (list.len() > 0).then(|| list.items().swap_remove(0)),
            None => return fail(format!("a {} has no last item", value.type_name())),
        },
    };
    Ok(found.unwrap_or(none))
}

fn reverse(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("reverse", [], 0)?;
    if let TemplateValue::Str(text) = &value {
        interp.meter.work(text.len() / 8)?;
        let mut out = Text::new(&interp.meter);
        out.reserve(text.len())?;
        let reversed: String = text.chars().rev().collect();
        out.push(&reversed)?;
        return out.finish_as(text.is_markup());
    }
    match reversed(interp, &value)? {
        Some(list) => list.finish_iter(),
        None => {
            if let TemplateValue::Undefined(missing) = value {
                return fail(interp.missing(missing));
            }
            let mut list = collect(&interp.meter, &value)?;
            list.items().reverse();
            list.finish()
        }
    }
}

fn items(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("items", [], 0)?;
    match value {
        TemplateValue::Undefined(_) => Listing::new(&interp.meter)?.finish_iter(),
        TemplateValue::Dict(dict) => {
            let depth = dict.depth();
            TemplateValue::iter(&interp.meter, Items::Dict(View::Items, dict, 0), depth)
        }
        other => fail(format!("`items` needs a dictionary, not a {}", other.type_name())),
    }
}

fn join(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [separator, attribute] = args.bind("join", ["d", "attribute"], 0)?;
    let path = Path::new(interp, attribute, None)?;
    let mut between = Text::new(&interp.meter);
    if let Some(separator) = separator {
        show(interp, &separator, &mut between)?;
    }
    let meter = interp.meter.clone();
    let mut items = Items::of(&value)?;
    let mut out = Text::new(&meter);
    let mut first = true;
    while let Some(item) = items.next(&meter)? {
        if !std::mem::take(&mut first) {
            out.push(between.as_str())?;
        }
        let item = path.get(interp, &item)?;
        show(interp, &item, &mut out)?;
    }
    out.finish()
}

/// Python's `len`.
pub(crate) fn len(interp: &Interp<'_>, value: &TemplateValue) -> Result<usize> {
    Ok(match value {
        TemplateValue::Undefined(_) => 0,
        TemplateValue::Str(text) => {
            interp.meter.bytes(text.len())?;
            text.chars().count()
        }
        TemplateValue::List(list) | TemplateValue::Tuple(list) => list.items.len(),
        TemplateValue::Dict(dict) | TemplateValue::View(_, dict) => dict.len(),
        TemplateValue::Range(range) => range.len(),
        other => return fail(format!("a {} has no length", other.type_name())),
    })
}

fn length(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("length", [], 0)?;
    if let TemplateValue::Loop(id, serial) = value {
        let id = interp.live_loop(id, serial)?;
        let length = interp.loops[id].index + interp.remaining(id)?;
        return Ok(TemplateValue::Int(length as i128));
    }
    Ok(TemplateValue::Int(len(interp, &value)? as i128))
}

fn list(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("list", [], 0)?;
    collect(&interp.meter, &value)?.finish()
}

fn map(interp: &mut Interp<'_>, value: TemplateValue, mut args: Args) -> Result<TemplateValue> {
    let meter = interp.meter.clone();
    let mut out = Listing::new(&meter)?;
    let by_name = |args: &mut Args, name: &str| {
        let at = args.named.iter().position(|(known, _)| **known == *name)?;
        Some(args.named.remove(at).1)
    };
    if args.pos.is_empty()
        && let Some(attribute) = by_name(&mut args, "attribute")
    {
        let default = by_name(&mut args, "default");
        if !args.named.is_empty() {
            return fail("`map` with `attribute` takes no named argument except `default`");
        }
        let path = Path::new(interp, Some(attribute), default)?;
        if !value.is_true() {
            return out.finish_iter();
        }
        let mut items = Items::of(&value)?;
        while let Some(item) = items.next(&meter)? {
            let found = path.get(interp, &item)?;
            out.push(found)?;
        }
        return out.finish_iter();
    }
    if args.pos.is_empty() {
        return fail("`map` needs a filter or `attribute`");
    }
    if !value.is_true() {
        return out.finish_iter();
    }
    let name = args.pos.remove(0);
    let Some(run) = filter(text_arg(interp, &name)?) else { return fail("`map` does not know this filter") };
    let mut items = Items::of(&value)?;
    while let Some(item) = items.next(&meter)? {
        let args = copy(interp, &args)?;
        let found = interp.nested(|interp| run(interp, item, args))?;
        out.push(found)?;
    }
    out.finish_iter()
}

fn copy(interp: &Interp<'_>, args: &Args) -> Result<Args> {
    let mut out = Args::new(&interp.meter)?;
    args.pos.iter().try_for_each(|value| out.push(value.clone()))?;
    args.named.iter().try_for_each(|(name, value)| out.push_named(name.clone(), value.clone()))?;
    Ok(out)
}

fn select(
    interp: &mut Interp<'_>,
    value: TemplateValue,
    mut args: Args,
    attribute: bool,
    wanted: bool,
) -> Result<TemplateValue> {
    if !value.is_true() {
        return Listing::new(&interp.meter)?.finish_iter();
    }
    let meter = interp.meter.clone();
    let mut path = None;
    if attribute {
        if args.pos.is_empty() {
            return fail("the name of an attribute is missing");
        }
        let attribute = args.pos.remove(0);
        path = Some(Path::new(interp, Some(attribute), None)?);
    }
    let run = if args.pos.is_empty() {
        None
    } else {
        let name = args.pos.remove(0);
        match test(text_arg(interp, &name)?) {
            Some(run) => Some(run),
            None => return fail("unknown test"),
        }
    };
    let mut out = Listing::new(&meter)?;
    let mut items = Items::of(&value)?;
    while let Some(item) = items.next(&meter)? {
        let tested = match &path {
            Some(path) => path.get(interp, &item)?,
            None => item.clone(),
        };
        let holds = match run {
            Some(run) => {
                let args = copy(interp, &args)?;
                run(interp, &tested, args)?
            }
            None => tested.is_true(),
        };
        if holds == wanted {
            out.push(item)?;
        }
    }
    out.finish_iter()
}

fn sum(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [attribute, start] = args.bind("sum", ["attribute", "start"], 0)?;
    let path = Path::new(interp, attribute, None)?;
    let meter = interp.meter.clone();
    let mut total = start.unwrap_or(TemplateValue::Int(0));
    if matches!(total, TemplateValue::Str(_)) {
        return fail("`sum` does not add strings");
    }
    let mut items = Items::of(&value)?;
    while let Some(item) = items.next(&meter)? {
        let item = path.get(interp, &item)?;
        total = binary(interp, Binary::Add, &total, &item)?;
    }
    Ok(total)
}

fn unique(interp: &mut Interp<'_>, value: TemplateValue, args: Args) -> Result<TemplateValue> {
    let [case_sensitive, attribute] = args.bind("unique", ["case_sensitive", "attribute"], 0)?;
    let path = Path::new(interp, attribute, None)?;
    let meter = interp.meter.clone();
    let mut seen = Dict::new(&meter)?;
    let mut out = Listing::new(&meter)?;
    let mut items = Items::of(&value)?;
    while let Some(item) = items.next(&meter)? {
        let mut key = path.get(interp, &item)?;
        if !flag(case_sensitive.as_ref(), false) {
            key = ignore_case(interp, key)?;
        }
        hashable(&meter, &key)?;
        if seen.get(&key)?.is_none() {
            seen.set(key, TemplateValue::None)?;
            out.push(item)?;
        }
    }
    out.finish_iter()
}
