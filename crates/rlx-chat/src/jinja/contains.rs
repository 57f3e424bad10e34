//! The operator `in`.

use super::compare::{equal, same};
use super::error::{Result, fail};
use super::interp::Interp;
use super::iterate::Items;
use super::value::{TemplateValue, View};

/// Whether a value contains another.
pub(crate) fn contains(interp: &mut Interp<'_>, whole: &TemplateValue, part: &TemplateValue) -> Result<bool> {
    let meter = interp.meter.clone();
    match whole {
        TemplateValue::Str(text) => match part {
            TemplateValue::Str(part) => find(interp, text, part).map(|at| at.is_some()),
            TemplateValue::Undefined(missing) => fail(interp.missing(*missing)),
            other => fail(format!("`in` a string needs a string, not a {}", other.type_name())),
        },
        TemplateValue::Dict(dict) | TemplateValue::View(View::Keys, dict) => Ok(dict.get(part)?.is_some()),
        TemplateValue::View(View::Items, dict) => {
            let TemplateValue::Tuple(pair) = part else { return Ok(false) };
            let [key, value] = &pair.items[..] else { return Ok(false) };
            match dict.get(key)? {
                Some(found) => equal(&meter, found, value),
                None => Ok(false),
            }
        }
        TemplateValue::Range(range) => {
            let value = match part {
                TemplateValue::Float(value) if value.fract() == 0.0 && value.abs() < 1e18 => *value as i128,
                other => match other.as_int() {
                    Some(value) => value,
                    None => return Ok(false),
                },
            };
            let offset = value - i128::from(range.start);
            let step = i128::from(range.step);
            Ok(offset % step == 0 && (0..range.len() as i128).contains(&(offset / step)))
        }
        _ => {
            let mut items = Items::of(whole)?;
            while let Some(item) = items.next(&meter)? {
                if same(&item, part) || equal(&meter, &item, part)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

/// Returns the byte position of a text in another. The search takes linear time, and its work is counted.
pub(crate) fn find(interp: &Interp<'_>, text: &str, part: &str) -> Result<Option<usize>> {
    interp.meter.work((text.len() + part.len()) / 16 + 1)?;
    Ok(text.find(part))
}
