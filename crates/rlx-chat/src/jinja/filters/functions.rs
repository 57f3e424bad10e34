//! Functions that templates may call.

use super::{Args, Builtin, int_arg, text_arg};
use crate::jinja::dict::Dict;
use crate::jinja::error::{Error, Result, fail};
use crate::jinja::interp::Interp;
use crate::jinja::iterate::{Items, collect};
use crate::jinja::show::shown;
use crate::jinja::strftime::strftime;
use crate::jinja::value::{Listing, Range, TemplateValue, Text};
use std::rc::Rc;

/// The maximum length of a range.
const LONGEST_RANGE: usize = 100_000;

pub(crate) static GLOBALS: &[Builtin] = &[
    Builtin { name: "range", run: range },
    Builtin { name: "dict", run: dict },
    Builtin { name: "namespace", run: namespace },
    Builtin { name: "cycler", run: cycler },
    Builtin { name: "joiner", run: joiner },
    Builtin { name: "lipsum", run: |_, _| fail("`lipsum` is not supported: its text is random") },
    Builtin { name: "raise_exception", run: raise_exception },
    Builtin { name: "strftime_now", run: strftime_now },
];

fn range(_: &mut Interp<'_>, args: Args) -> Result<TemplateValue> {
    let [a, b, step] = args.bind("range", ["", "", ""], 1)?;
    let part = |value: Option<&TemplateValue>, default: i64| {
        let value = int_arg(value, i128::from(default))?;
        i64::try_from(value).or_else(|_| fail("the range is too large"))
    };
    let (start, stop) = match &b {
        Some(stop) => (part(a.as_ref(), 0)?, part(Some(stop), 0)?),
        None => (0, part(a.as_ref(), 0)?),
    };
    let step = part(step.as_ref(), 1)?;
    if step == 0 {
        return fail("the step of a range is 0");
    }
    let range = Range { start, stop, step };
    if range.len() > LONGEST_RANGE {
        return fail(format!("a range may have at most {LONGEST_RANGE} numbers, not {}", range.len()));
    }
    Ok(TemplateValue::Range(range))
}

/// Builds the dictionary that `dict` and `namespace` make of their arguments.
fn dict_of(interp: &mut Interp<'_>, args: Args) -> Result<Dict> {
    let meter = interp.meter.clone();
    let mut dict = Dict::new(&meter)?;
    if args.pos.len() > 1 {
        return fail("`dict` takes at most one value");
    }
    match args.pos.first() {
        None => {}
        Some(TemplateValue::Dict(from)) => {
            for (key, value) in from.entries() {
                dict.set(key.clone(), value.clone())?;
            }
        }
        Some(pairs) => {
            let mut pairs = Items::of(pairs)?;
            while let Some(pair) = pairs.next(&meter)? {
                let mut pair = collect(&meter, &pair)?;
                if pair.len() != 2 {
                    return fail("`dict` needs a list of pairs");
                }
                let value = pair.items().pop().unwrap_or(TemplateValue::None);
                let key = pair.items().pop().unwrap_or(TemplateValue::None);
                dict.set(key, value)?;
            }
        }
    }
    for (key, value) in args.named {
        dict.set(TemplateValue::Str(key), value)?;
    }
    Ok(dict)
}

fn dict(interp: &mut Interp<'_>, args: Args) -> Result<TemplateValue> {
    Ok(TemplateValue::Dict(Rc::new(dict_of(interp, args)?)))
}

fn namespace(interp: &mut Interp<'_>, args: Args) -> Result<TemplateValue> {
    let attributes = dict_of(interp, args)?;
    if attributes.entries().iter().any(|(key, _)| key.as_str().is_some_and(|key| key.starts_with('_'))) {
        return fail("attributes of namespaces cannot begin with `_`");
    }
    interp.namespace(attributes)
}

fn cycler(interp: &mut Interp<'_>, args: Args) -> Result<TemplateValue> {
    if args.pos.is_empty() || !args.named.is_empty() {
        return fail("`cycler` needs values");
    }
    let items = Listing::of(&interp.meter, args.pos)?.finish_list()?;
    TemplateValue::cycler(&interp.meter, items)
}

fn joiner(interp: &mut Interp<'_>, args: Args) -> Result<TemplateValue> {
    let [separator] = args.bind("joiner", ["sep"], 0)?;
    let separator = match separator {
        Some(separator) => separator,
        None => TemplateValue::text(&interp.meter, ", ")?,
    };
    TemplateValue::joiner(&interp.meter, separator)
}

fn raise_exception(interp: &mut Interp<'_>, args: Args) -> Result<TemplateValue> {
    let [message] = args.bind("raise_exception", ["message"], 1)?;
    let message = shown(interp, &message.unwrap_or(TemplateValue::None))?;
    Err(Error::raised(message.to_string()))
}

fn strftime_now(interp: &mut Interp<'_>, args: Args) -> Result<TemplateValue> {
    let [format] = args.bind("strftime_now", ["format"], 1)?;
    let format = format.unwrap_or(TemplateValue::None);
    let format = text_arg(interp, &format)?;
    let mut out = Text::new(&interp.meter);
    strftime(format, interp.now, &mut out)?;
    out.finish()
}
