//! Subscripts and slices of values.

use super::error::{Result, fail};
use super::interp::Interp;
use super::methods::attribute;
use super::value::{Listing, Missing, Range, TemplateValue, Text};

/// Evaluates `value[index]`.
pub(crate) fn item(
    interp: &mut Interp<'_>,
    value: &TemplateValue,
    index: &TemplateValue,
) -> Result<TemplateValue> {
    let missing = TemplateValue::Undefined(Missing::Other("there is no such item"));
    match value {
        TemplateValue::Undefined(reason) => return fail(interp.missing(*reason)),
        TemplateValue::Dict(dict) => {
            if matches!(index, TemplateValue::List(_) | TemplateValue::Dict(_) | TemplateValue::View(..)) {
                return Ok(missing);
            }
            if let Some(found) = dict.get(index)? {
                return Ok(found.clone());
            }
        }
        TemplateValue::Itself => {
            let TemplateValue::Str(name) = index else { return Ok(missing) };
            return Ok(attribute(interp, value, name)?.unwrap_or(missing));
        }
        _ => {}
    }
    if let Some(index) = index.as_int() {
        return at(interp, value, index).map(|found| found.unwrap_or(missing));
    }
    // If there is no such item, there may be such an attribute.
    match index {
        TemplateValue::Str(name) => Ok(attribute(interp, value, name)?.unwrap_or(missing)),
        _ => Ok(missing),
    }
}

/// Returns the item at a position, which is counted from the end if negative.
fn at(interp: &mut Interp<'_>, value: &TemplateValue, index: i128) -> Result<Option<TemplateValue>> {
    let from_start = |length: usize| {
        let index = if index < 0 { index.saturating_add(length as i128) } else { index };
        usize::try_from(index).ok().filter(|index| *index < length)
    };
    Ok(match value {
        TemplateValue::List(list) | TemplateValue::Tuple(list) => {
            from_start(list.items.len()).map(|at| list.items[at].clone())
        }
        TemplateValue::Range(range) => from_start(range.len()).map(|at| TemplateValue::Int(range.get(at))),
        TemplateValue::Str(text) => {
            interp.meter.bytes(text.len())?;
            let found = if index < 0 {
                usize::try_from(-(index + 1)).ok().and_then(|at| text.chars().nth_back(at))
            } else {
                usize::try_from(index).ok().and_then(|at| text.chars().nth(at))
            };
            match found {
                Some(c) => {
                    let mut out = Text::new(&interp.meter);
                    out.push_char(c)?;
                    Some(out.finish_as(text.is_markup())?)
                }
                None => None,
            }
        }
        _ => None,
    })
}

/// Returns the first index, the end and the step of a slice of `length` items.
pub(crate) fn bounds(parts: &[TemplateValue; 3], length: usize) -> Result<(i128, i128, i128)> {
    let part = |value: &TemplateValue| match (value, value.as_int()) {
        (TemplateValue::None, _) => Ok(None),
        (_, Some(value)) => Ok(Some(value)),
        (other, None) => fail(format!("slices need integers, not a {}", other.type_name())),
    };
    let length = length as i128;
    let step = part(&parts[2])?.unwrap_or(1).clamp(-(1 << 62), 1 << 62);
    if step == 0 {
        return fail("the step of a slice is 0");
    }
    let (lowest, highest) = if step > 0 { (0, length) } else { (-1, length - 1) };
    let clip = |value: i128| {
        let value = if value < 0 { value.saturating_add(length) } else { value };
        value.clamp(lowest, highest)
    };
    let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
    let start = part(&parts[0])?.map_or(first, clip);
    let stop = part(&parts[1])?.map_or(last, clip);
    Ok((start, stop, step))
}

/// Evaluates `value[start:stop:step]`.
pub(crate) fn slice(
    interp: &mut Interp<'_>,
    value: &TemplateValue,
    parts: &[TemplateValue; 3],
) -> Result<TemplateValue> {
    let meter = interp.meter.clone();
    let indices = |(start, stop, step): (i128, i128, i128)| {
        std::iter::successors(Some(start), move |at| Some(at + step))
            .take_while(move |at| if step > 0 { *at < stop } else { *at > stop })
            .map(|at| at as usize)
    };
    match value {
        TemplateValue::Undefined(missing) => fail(interp.missing(*missing)),
        TemplateValue::List(list) | TemplateValue::Tuple(list) => {
            let bounds = bounds(parts, list.items.len())?;
            let found = Listing::of(&meter, indices(bounds).map(|at| list.items[at].clone()))?;
            if matches!(value, TemplateValue::List(_)) { found.finish() } else { found.finish_tuple() }
        }
        TemplateValue::Str(text) => {
            meter.bytes(text.len())?;
            let mut out = Text::new(&meter);
            let count = text.chars().count();
            let found = bounds(parts, count)?;
            let (start, stop, step) = found;
            if step == 1 {
                let byte = |at: i128| {
                    let at = usize::try_from(at).unwrap_or(0);
                    if count == text.len() {
                        at
                    } else {
                        text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
                    }
                };
                let (from, to) = (byte(start), byte(stop));
                out.push(text.get(from..to).unwrap_or(""))?;
            } else if text.is_ascii() {
                for at in indices(found) {
                    out.push(&text[at..=at])?;
                }
            } else {
                meter.work(count / 8)?;
                let mut chars = Listing::new(&meter)?;
                for c in text.chars() {
                    chars.push(TemplateValue::Int(i128::from(u32::from(c))))?;
                }
                let chars = chars.finish_list()?;
                for at in indices(found) {
                    let code = chars.items[at].as_int().and_then(|code| u32::try_from(code).ok());
                    out.push_char(code.and_then(char::from_u32).unwrap_or_default())?;
                }
            }
            out.finish_as(text.is_markup())
        }
        TemplateValue::Range(range) => {
            let (start, stop, step) = bounds(parts, range.len())?;
            let value = |at: i128| i64::try_from(i128::from(range.start) + i128::from(range.step) * at);
            let step = i64::try_from(step).ok().and_then(|step| step.checked_mul(range.step));
            match (value(start), value(stop), step) {
                (Ok(start), Ok(stop), Some(step)) => Ok(TemplateValue::Range(Range { start, stop, step })),
                _ => fail("the slice of a range is too large"),
            }
        }
        other => fail(format!("a {} has no slices", other.type_name())),
    }
}
