//! Reads attributes by name and kind: lists of axes, numbers, words. Accepts the different forms in which they are
//! written.

use super::context::{Outcome, Problem};
use crate::syntax::{Attribute, Attributes, Dense, ElementType};
use rlx_ir::DType;

/// The maximum length of a list of integers: enough for the padding of a tensor of high rank.
const MAX_LIST: usize = 1 << 16;

/// The attributes of an operation, or the fields of one of them.
#[derive(Clone, Copy)]
pub(super) struct Fields<'m>(pub(super) &'m Attributes);

impl<'m> Fields<'m> {
    /// Returns the integers of an attribute, or `None` if it is missing.
    pub(super) fn ints(&self, name: &str) -> Outcome<Option<Vec<i64>>> {
        let Some(attribute) = self.0.get(name) else { return Ok(None) };
        match integers(attribute) {
            Some(list) => Ok(Some(list)),
            None => Err(Problem::error(format!("attribute `{name}` is not a list of integers"))),
        }
    }

    /// Returns the `count` integers of an attribute, or `default` for each if it is missing.
    pub(super) fn ints_or(&self, name: &str, count: usize, default: i64) -> Outcome<Vec<i64>> {
        let list = self.ints(name)?.unwrap_or_else(|| vec![default; count]);
        if list.len() == count {
            return Ok(list);
        }
        Err(Problem::error(format!("attribute `{name}` has {} items, expected {count}", list.len())))
    }

    /// Returns a list of axes or sizes, which is empty if the attribute is missing.
    pub(super) fn axes(&self, name: &str) -> Outcome<Vec<usize>> {
        naturals(name, self.ints(name)?.unwrap_or_default())
    }

    /// Returns a required list of axes or sizes.
    pub(super) fn need_axes(&self, name: &str) -> Outcome<Vec<usize>> {
        naturals(name, self.ints(name)?.ok_or_else(|| missing(name))?)
    }

    /// Returns a list of `count` sizes, or `default` for each if the attribute is missing.
    pub(super) fn sizes_or(&self, name: &str, count: usize, default: i64) -> Outcome<Vec<usize>> {
        naturals(name, self.ints_or(name, count, default)?)
    }

    /// Returns an integer, or `None` if the attribute is missing.
    pub(super) fn int(&self, name: &str) -> Outcome<Option<i64>> {
        let Some(attribute) = self.0.get(name) else { return Ok(None) };
        let value = match attribute {
            Attribute::Int(value, _) => i64::try_from(*value).ok(),
            Attribute::Bool(value) => Some(i64::from(*value)),
            Attribute::Dense(_) => integers(attribute).filter(|l| l.len() == 1).map(|l| l[0]),
            _ => None,
        };
        value.map(Some).ok_or_else(|| Problem::error(format!("attribute `{name}` is not an integer")))
    }

    /// Returns a required axis, size or count.
    pub(super) fn need_size(&self, name: &str) -> Outcome<usize> {
        let value = self.int(name)?.ok_or_else(|| missing(name))?;
        usize::try_from(value).map_err(|_| negative(name, value))
    }

    /// Returns an axis, a size or a count, or `default` if the attribute is missing.
    pub(super) fn size_or(&self, name: &str, default: usize) -> Outcome<usize> {
        match self.int(name)? {
            Some(value) => usize::try_from(value).map_err(|_| negative(name, value)),
            None => Ok(default),
        }
    }

    /// Returns a flag, which is false if the attribute is missing.
    pub(super) fn flag(&self, name: &str) -> Outcome<bool> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Attribute::Unit) => Ok(true),
            Some(Attribute::Bool(value)) => Ok(*value),
            Some(Attribute::Int(value, _)) => Ok(*value != 0),
            Some(_) => Err(Problem::error(format!("attribute `{name}` is neither true nor false"))),
        }
    }

    /// Returns a required float.
    pub(super) fn need_float(&self, name: &str) -> Outcome<f64> {
        match self.0.get(name) {
            Some(Attribute::Float(value, _)) => Ok(*value),
            Some(Attribute::Int(value, _)) => Ok(*value as f64),
            Some(_) => Err(Problem::error(format!("attribute `{name}` is not a number"))),
            None => Err(missing(name)),
        }
    }

    /// Returns the word of an enumeration (`EQ`) or a string.
    pub(super) fn word(&self, name: &str) -> Outcome<Option<&'m str>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Attribute::Enum(_, word) | Attribute::String(word) | Attribute::Symbol(word)) => {
                Ok(Some(word))
            }
            Some(_) => Err(Problem::error(format!("attribute `{name}` is not a word"))),
        }
    }

    /// Returns the required word of an enumeration.
    pub(super) fn need_word(&self, name: &str) -> Outcome<&'m str> {
        self.word(name)?.ok_or_else(|| missing(name))
    }

    /// Returns the fields of a required attribute (`#stablehlo.gather<…>`, a dictionary).
    pub(super) fn need_fields(&self, name: &str) -> Outcome<Fields<'m>> {
        self.fields(name)?.ok_or_else(|| missing(name))
    }

    /// Returns the fields of an attribute, or `None` if it is missing.
    pub(super) fn fields(&self, name: &str) -> Outcome<Option<Fields<'m>>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Attribute::Struct(_, fields) | Attribute::Dictionary(fields)) => Ok(Some(Fields(fields))),
            Some(_) => Err(Problem::error(format!("attribute `{name}` has no fields"))),
        }
    }

    /// Returns the padding before and after each of `rank` axes, or zeros if the attribute is missing.
    pub(super) fn padding(&self, name: &str, rank: usize) -> Outcome<[Vec<i64>; 2]> {
        let list = match self.ints(name)? {
            Some(list) => list,
            None => vec![0; 2 * rank],
        };
        if list.len() != 2 * rank {
            return Err(Problem::error(format!(
                "attribute `{name}` has {} numbers, expected two for each of {rank} axes",
                list.len()
            )));
        }
        Ok([list.iter().step_by(2).copied().collect(), list.iter().skip(1).step_by(2).copied().collect()])
    }
}

fn missing(name: &str) -> Problem {
    Problem::error(format!("attribute `{name}` is missing"))
}

fn negative(name: &str, value: i64) -> Problem {
    Problem::error(format!("attribute `{name}` is {value}, which must not be negative"))
}

/// Converts integers that must not be negative.
pub(super) fn naturals(name: &str, list: Vec<i64>) -> Outcome<Vec<usize>> {
    list.into_iter().map(|n| usize::try_from(n).map_err(|_| negative(name, n))).collect()
}

/// Reads a list of integers in any of the forms `array<i64: …>`, `[…]`, `dense<…>`, or a single integer.
fn integers(attribute: &Attribute) -> Option<Vec<i64>> {
    match attribute {
        Attribute::Integers(list) => Some(list.clone()),
        Attribute::Int(value, _) => Some(vec![i64::try_from(*value).ok()?]),
        Attribute::Array(items) => {
            let mut list = Vec::new();
            for item in items {
                match item {
                    Attribute::Int(value, _) => list.push(i64::try_from(*value).ok()?),
                    Attribute::Bool(value) => list.push(i64::from(*value)),
                    // Padding may also be written as a list of pairs.
                    Attribute::Array(_) | Attribute::Integers(_) => list.extend(integers(item)?),
                    _ => return None,
                }
            }
            Some(list)
        }
        Attribute::Dense(dense) => dense_integers(dense),
        _ => None,
    }
}

/// Returns the elements of a small integer constant.
pub(super) fn dense_integers(dense: &Dense) -> Option<Vec<i64>> {
    let count = rlx_ir::shape::checked_product(&dense.dims).filter(|&n| n <= MAX_LIST)?;
    let dtype = match dense.element {
        ElementType::Known(dtype) => dtype,
        ElementType::Index => DType::I64,
        ElementType::Narrow(narrow) => narrow.held,
        ElementType::Other(_) => return None,
    };
    let size = dtype.size();
    let read = |bytes: &[u8]| -> Option<i64> {
        let mut wide = [0u8; 8];
        wide.get_mut(..size)?.copy_from_slice(bytes.get(..size)?);
        let value = i64::from_le_bytes(wide);
        let unused = 64 - 8 * u32::try_from(size).ok()?;
        match dtype {
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Some(value << unused >> unused),
            DType::U8 | DType::U16 | DType::U32 | DType::Bool => Some(value),
            DType::U64 => u64::try_from(value).ok().and_then(|v| i64::try_from(v).ok()),
            _ => None,
        }
    };
    if dense.splat {
        return Some(vec![read(&dense.bytes)?; count]);
    }
    let list: Option<Vec<i64>> = dense.bytes.chunks_exact(size).map(read).collect();
    list.filter(|l| l.len() == count)
}
