//! Methods and attributes of values other than strings.

use super::MethodFn;
use crate::jinja::compare::{equal, same};
use crate::jinja::contains::contains;
use crate::jinja::dict::Dict;
use crate::jinja::error::{Result, fail};
use crate::jinja::filters::Args;
use crate::jinja::interp::Interp;
use crate::jinja::iterate::Items;
use crate::jinja::slices::bounds;
use crate::jinja::value::{Listing, Missing, TemplateValue, View};
use std::rc::Rc;

/// Returns the methods of a value.
pub(super) fn table(value: &TemplateValue) -> Option<&'static [(&'static str, MethodFn)]> {
    Some(match value {
        TemplateValue::List(_) => LIST,
        TemplateValue::Tuple(_) | TemplateValue::Range(_) => TUPLE,
        TemplateValue::Dict(_) => DICT,
        TemplateValue::View(View::Keys | View::Items, _) => VIEW,
        TemplateValue::Int(_) | TemplateValue::Bool(_) => INT,
        TemplateValue::Float(_) => FLOAT,
        TemplateValue::Loop(..) => LOOP,
        TemplateValue::Cycler(_) => CYCLER,
        TemplateValue::Func(function) if function.name == "dict" => DICT_TYPE,
        _ => return None,
    })
}

const LIST: &[(&str, MethodFn)] = &[
    ("copy", |interp, value, args| {
        args.bind("copy", [], 0)?;
        Listing::of(&interp.meter, items_of(value).iter().cloned())?.finish()
    }),
    ("count", count),
    ("index", index),
];
const TUPLE: &[(&str, MethodFn)] = &[("count", count), ("index", index)];
const DICT: &[(&str, MethodFn)] = &[
    ("copy", copy),
    ("get", get),
    ("items", |_, value, args| view(value, args, View::Items)),
    ("keys", |_, value, args| view(value, args, View::Keys)),
    ("values", |_, value, args| view(value, args, View::Values)),
    ("fromkeys", from_keys),
];
const DICT_TYPE: &[(&str, MethodFn)] = &[("fromkeys", from_keys)];
const VIEW: &[(&str, MethodFn)] = &[("isdisjoint", |interp, value, args| {
    let [other] = args.bind("isdisjoint", [""], 1)?;
    let mut items = Items::of(&other.unwrap_or(TemplateValue::None))?;
    let meter = interp.meter.clone();
    while let Some(item) = items.next(&meter)? {
        if contains(interp, value, &item)? {
            return Ok(TemplateValue::Bool(false));
        }
    }
    Ok(TemplateValue::Bool(true))
})];
const INT: &[(&str, MethodFn)] = &[
    ("as_integer_ratio", |interp, value, args| {
        args.bind("as_integer_ratio", [], 0)?;
        Listing::of(&interp.meter, [TemplateValue::Int(int(value)), TemplateValue::Int(1)])?.finish_tuple()
    }),
    ("bit_count", |_, value, args| {
        args.bind("bit_count", [], 0)?;
        Ok(TemplateValue::Int(i128::from(int(value).unsigned_abs().count_ones())))
    }),
    ("bit_length", |_, value, args| {
        args.bind("bit_length", [], 0)?;
        Ok(TemplateValue::Int(i128::from(128 - int(value).unsigned_abs().leading_zeros())))
    }),
    ("conjugate", |_, value, args| {
        args.bind("conjugate", [], 0)?;
        Ok(TemplateValue::Int(int(value)))
    }),
];
const FLOAT: &[(&str, MethodFn)] = &[
    ("conjugate", |_, value, args| {
        args.bind("conjugate", [], 0)?;
        Ok(value.clone())
    }),
    ("is_integer", |_, value, args| {
        args.bind("is_integer", [], 0)?;
        Ok(TemplateValue::Bool(
            matches!(value, TemplateValue::Float(value) if value.is_finite() && value.fract() == 0.0),
        ))
    }),
];
const LOOP: &[(&str, MethodFn)] = &[("changed", changed), ("cycle", cycle)];
const CYCLER: &[(&str, MethodFn)] = &[
    ("next", |interp, value, args| {
        args.bind("next", [], 0)?;
        let current = attribute(interp, value, "current")?.unwrap_or(TemplateValue::None);
        if let TemplateValue::Cycler(cycler) = value {
            cycler.at.set((cycler.at.get() + 1) % cycler.items.items.len().max(1));
        }
        Ok(current)
    }),
    ("reset", |_, value, args| {
        args.bind("reset", [], 0)?;
        if let TemplateValue::Cycler(cycler) = value {
            cycler.at.set(0);
        }
        Ok(TemplateValue::None)
    }),
];

fn int(value: &TemplateValue) -> i128 {
    value.as_int().unwrap_or(0)
}

fn items_of(value: &TemplateValue) -> &[TemplateValue] {
    match value {
        TemplateValue::List(list) | TemplateValue::Tuple(list) => &list.items,
        _ => &[],
    }
}

fn count(interp: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<TemplateValue> {
    let [wanted] = args.bind("count", [""], 1)?;
    let wanted = wanted.unwrap_or(TemplateValue::None);
    let meter = interp.meter.clone();
    let mut items = Items::of(value)?;
    let mut found = 0;
    while let Some(item) = items.next(&meter)? {
        found += i128::from(same(&item, &wanted) || equal(&meter, &item, &wanted)?);
    }
    Ok(TemplateValue::Int(found))
}

fn index(interp: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<TemplateValue> {
    let [wanted, start, stop] = args.bind("index", ["", "", ""], 1)?;
    let wanted = wanted.unwrap_or(TemplateValue::None);
    let meter = interp.meter.clone();
    let length = match value {
        TemplateValue::Range(range) => range.len(),
        value => items_of(value).len(),
    };
    let ends =
        [start.unwrap_or(TemplateValue::None), stop.unwrap_or(TemplateValue::None), TemplateValue::None];
    let (start, stop, _) = bounds(&ends, length)?;
    let mut items = Items::of(value)?;
    let mut at = 0;
    while let Some(item) = items.next(&meter)? {
        if (start..stop).contains(&at) && (same(&item, &wanted) || equal(&meter, &item, &wanted)?) {
            return Ok(TemplateValue::Int(at));
        }
        at += 1;
    }
    fail("`index` did not find the value")
}

fn view(value: &TemplateValue, args: Args, view: View) -> Result<TemplateValue> {
    args.bind("the method", [], 0)?;
    match value {
        TemplateValue::Dict(dict) => Ok(TemplateValue::View(view, dict.clone())),
        other => fail(format!("a {} is not a dictionary", other.type_name())),
    }
}

fn get(_: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<TemplateValue> {
    let [key, default] = args.bind("get", ["", ""], 1)?;
    let TemplateValue::Dict(dict) = value else { return fail("`get` is a method of dictionaries") };
    let found = dict.get(&key.unwrap_or(TemplateValue::None))?.cloned();
    Ok(found.or(default).unwrap_or(TemplateValue::None))
}

fn copy(interp: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<TemplateValue> {
    args.bind("copy", [], 0)?;
    let TemplateValue::Dict(dict) = value else { return fail("`copy` is a method of dictionaries") };
    let mut out = Dict::new(&interp.meter)?;
    for (key, value) in dict.entries() {
        out.set(key.clone(), value.clone())?;
    }
    Ok(TemplateValue::Dict(Rc::new(out)))
}

fn from_keys(interp: &mut Interp<'_>, _: &TemplateValue, args: Args) -> Result<TemplateValue> {
    let [keys, value] = args.bind("fromkeys", ["", ""], 1)?;
    let value = value.unwrap_or(TemplateValue::None);
    let meter = interp.meter.clone();
    let mut out = Dict::new(&meter)?;
    let mut keys = Items::of(&keys.unwrap_or(TemplateValue::None))?;
    while let Some(key) = keys.next(&meter)? {
        out.set(key, value.clone())?;
    }
    Ok(TemplateValue::Dict(Rc::new(out)))
}

fn cycle(interp: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<TemplateValue> {
    let TemplateValue::Loop(id, serial) = value else { return fail("`cycle` is a method of loops") };
    let id = interp.live_loop(*id, *serial)?;
    if args.pos.is_empty() || !args.named.is_empty() {
        return fail("`cycle` needs values");
    }
    let at = (interp.loops[id].index + args.pos.len() - 1) % args.pos.len();
    Ok(args.pos[at].clone())
}

fn changed(interp: &mut Interp<'_>, value: &TemplateValue, args: Args) -> Result<TemplateValue> {
    let TemplateValue::Loop(id, serial) = value else { return fail("`changed` is a method of loops") };
    let id = interp.live_loop(*id, *serial)?;
    if !args.named.is_empty() {
        return fail("`changed` takes no named arguments");
    }
    let values = Listing::of(&interp.meter, args.pos)?.finish_tuple()?;
    let changed = match &interp.loops[id].changed {
        Some(before) => !equal(&interp.meter, before, &values)?,
        None => true,
    };
    if changed {
        interp.loops[id].changed = Some(values);
    }
    Ok(TemplateValue::Bool(changed))
}

/// Returns an attribute that is not a method.
pub(super) fn attribute(
    interp: &mut Interp<'_>,
    value: &TemplateValue,
    name: &str,
) -> Result<Option<TemplateValue>> {
    Ok(match value {
        TemplateValue::Loop(id, serial) => {
            let id = interp.live_loop(*id, *serial)?;
            loop_attribute(interp, id, name)?
        }
        TemplateValue::Namespace(id) => match interp.namespaces.get(*id as usize) {
            Some(attributes) => attributes.get_str(name)?.cloned(),
            None => None,
        },
        TemplateValue::Macro(id) => {
            let Some(closure) = interp.macros.get(*id as usize).copied() else { return Ok(None) };
            let decl = interp.decl(closure.decl);
            match name {
                "name" => match decl.name {
                    Some(name) => Some(TemplateValue::Str(interp.name(name)?)),
                    None => Some(TemplateValue::None),
                },
                "arguments" => {
                    let mut names = Listing::new(&interp.meter)?;
                    for param in &decl.params {
                        let name = interp.name(*param)?;
                        names.push(TemplateValue::Str(name))?;
                    }
                    Some(names.finish_tuple()?)
                }
                "catch_kwargs" => Some(TemplateValue::Bool(decl.uses_kwargs)),
                "catch_varargs" => Some(TemplateValue::Bool(decl.uses_varargs)),
                "caller" => Some(TemplateValue::Bool(decl.uses_caller)),
                _ => None,
            }
        }
        TemplateValue::Tuple(list) if list.group => match name {
            "grouper" => list.items.first().cloned(),
            "list" => list.items.get(1).cloned(),
            _ => None,
        },
        TemplateValue::Range(range) => match name {
            "start" => Some(TemplateValue::Int(i128::from(range.start))),
            "stop" => Some(TemplateValue::Int(i128::from(range.stop))),
            "step" => Some(TemplateValue::Int(i128::from(range.step))),
            _ => None,
        },
        TemplateValue::Int(_) | TemplateValue::Bool(_) => match name {
            "real" | "numerator" => Some(TemplateValue::Int(int(value))),
            "imag" => Some(TemplateValue::Int(0)),
            "denominator" => Some(TemplateValue::Int(1)),
            _ => None,
        },
        TemplateValue::Float(_) => match name {
            "real" => Some(value.clone()),
            "imag" => Some(TemplateValue::Float(0.0)),
            _ => None,
        },
        TemplateValue::Cycler(cycler) => match name {
            "current" => cycler.items.items.get(cycler.at.get()).cloned(),
            "items" => Some(TemplateValue::Tuple(cycler.items.clone())),
            "pos" => Some(TemplateValue::Int(cycler.at.get() as i128)),
            _ => None,
        },
        TemplateValue::Joiner(joiner) => match name {
            "sep" => Some(joiner.separator.clone()),
            "used" => Some(TemplateValue::Bool(joiner.used.get())),
            _ => None,
        },
        TemplateValue::Itself => {
            let named = |block: &crate::jinja::ast::NamedBlock| interp.ast.names[block.name as usize] == name;
            interp.meter.work(interp.ast.blocks.len())?;
            interp.ast.blocks.iter().position(named).map(|index| TemplateValue::Block(index as u32))
        }
        _ => None,
    })
}

fn loop_attribute(interp: &mut Interp<'_>, id: usize, name: &str) -> Result<Option<TemplateValue>> {
    let index = interp.loops[id].index as i128;
    let number = |value: i128| Ok(Some(TemplateValue::Int(value)));
    match name {
        "index" => number(index),
        "index0" => number(index - 1),
        "depth" => number(interp.loops[id].depth as i128 + 1),
        "depth0" => number(interp.loops[id].depth as i128),
        "first" => Ok(Some(TemplateValue::Bool(index == 1))),
        "last" => Ok(Some(TemplateValue::Bool(interp.peek_item(id)?.is_none()))),
        "length" => {
            let remaining = interp.remaining(id)?;
            number(index + remaining as i128)
        }
        "revindex" => {
            let remaining = interp.remaining(id)?;
            number(remaining as i128 + 1)
        }
        "revindex0" => {
            let remaining = interp.remaining(id)?;
            number(remaining as i128)
        }
        "previtem" => {
            let none = TemplateValue::Undefined(Missing::Other("there is no previous item"));
            Ok(Some(interp.loops[id].before.clone().unwrap_or(none)))
        }
        "nextitem" => {
            let none = TemplateValue::Undefined(Missing::Other("there is no next item"));
            Ok(Some(interp.peek_item(id)?.unwrap_or(none)))
        }
        _ => Ok(None),
    }
}
