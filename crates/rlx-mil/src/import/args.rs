//! The arguments of an operation: tensors, known settings, lists of tensors.

use super::constants::Stored;
use rlx_ir::{Builder, DType, Literal, Tensor};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why an operation cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unread(pub(crate) String);

impl From<String> for Unread {
    fn from(reason: String) -> Unread {
        Unread(reason)
    }
}

impl From<&str> for Unread {
    fn from(reason: &str) -> Unread {
        Unread(reason.into())
    }
}

/// The reason for an operation that reads a value that could not be read.
pub(super) const MISSING: &str = "a value that it reads is missing";

/// The result of reading an operation.
pub(crate) type Read = Result<Vec<Tensor>, Unread>;

/// A value of a program.
#[derive(Clone)]
pub(crate) enum Item {
    /// A tensor of the graph, with its elements if they are few and known.
    Tensor(Tensor, Option<Literal>),
    /// A text.
    Text(String),
    /// A constant that is not in the graph yet, because no operation of the graph reads it.
    Stored(Rc<Stored>),
}

/// A budget for what may be made from numbers in a program: elements of constants, and nodes. It keeps a small file from requesting a large
/// graph.
pub(crate) struct Room(Cell<usize>);

impl Room {
    /// Creates a budget for this many elements.
    pub(crate) fn of(elements: usize) -> Room {
        Room(Cell::new(elements))
    }

    /// Returns the budget of a function.
    pub(crate) fn of_function() -> Room {
        Room::of(1 << 24)
    }

    /// Takes a share of the budget.
    fn take(&self, elements: usize) -> Result<(), Unread> {
        let left = self.0.get().checked_sub(elements);
        self.0.set(left.ok_or("the operations of the program make more than 2^24 indices and parts")?);
        Ok(())
    }
}

/// The arguments of an operation, by name.
pub(crate) struct Args<'a> {
    pub(crate) builder: &'a Builder,
    pub(crate) room: &'a Room,
    pub(crate) items: BTreeMap<&'a str, Vec<Item>>,
}

impl Args<'_> {
    /// Returns the tensor with this name.
    pub(crate) fn x(&self, name: &str) -> Result<&Tensor, Unread> {
        self.opt(name)?.ok_or_else(|| format!("the argument `{name}` is missing").into())
    }

    /// Returns the tensor with this name, which may be missing.
    pub(crate) fn opt(&self, name: &str) -> Result<Option<&Tensor>, Unread> {
        match self.items.get(name).map(Vec::as_slice) {
            None => Ok(None),
            Some([Item::Tensor(tensor, _)]) => Ok(Some(tensor)),
            Some(_) => Err(format!("the argument `{name}` is not one tensor").into()),
        }
    }

    /// Returns a list of tensors.
    pub(crate) fn list(&self, name: &str) -> Result<Vec<&Tensor>, Unread> {
        let items =
            self.items.get(name).ok_or_else(|| Unread(format!("the argument `{name}` is missing")))?;
        let other = || Unread(format!("the argument `{name}` contains something other than tensors"));
        items
            .iter()
            .map(|item| if let Item::Tensor(tensor, _) = item { Ok(tensor) } else { Err(other()) })
            .collect()
    }

    fn known(&self, name: &str) -> Result<Option<&Literal>, Unread> {
        match self.items.get(name).map(Vec::as_slice) {
            None => Ok(None),
            Some([Item::Tensor(_, Some(literal))]) => Ok(Some(literal)),
            Some(_) => Err(format!("the argument `{name}` is not a constant").into()),
        }
    }

    /// Whether a setting is present and known.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        matches!(self.items.get(name).map(Vec::as_slice), Some([Item::Tensor(_, Some(_))]))
    }

    /// Returns known integers, which may be missing.
    pub(crate) fn ints(&self, name: &str) -> Result<Option<Vec<i64>>, Unread> {
        let Some(literal) = self.known(name)? else { return Ok(None) };
        integers(literal).map(Some).ok_or_else(|| format!("the argument `{name}` has no integers").into())
    }

    /// Returns known integers.
    pub(crate) fn some_ints(&self, name: &str) -> Result<Vec<i64>, Unread> {
        self.ints(name)?.ok_or_else(|| format!("the argument `{name}` is missing").into())
    }

    /// Returns known integers or booleans, with one element each.
    pub(crate) fn numbers(&self, name: &str) -> Result<Vec<i64>, Unread> {
        let items =
            self.items.get(name).ok_or_else(|| Unread(format!("the argument `{name}` is missing")))?;
        let number = |item: &Item| match item {
            Item::Tensor(_, Some(literal)) if literal.dtype() == DType::Bool => {
                Some(literal.bytes().iter().map(|&byte| i64::from(byte != 0)).collect())
            }
            Item::Tensor(_, Some(literal)) => integers(literal),
            _ => None,
        };
        let lists: Option<Vec<Vec<i64>>> = items.iter().map(number).collect();
        Ok(lists.ok_or_else(|| Unread(format!("the argument `{name}` needs known numbers")))?.concat())
    }

    /// Returns a known integer, or a default if it is missing.
    pub(crate) fn int(&self, name: &str, default: i64) -> Result<i64, Unread> {
        match self.ints(name)?.as_deref() {
            None => Ok(default),
            Some(&[value]) => Ok(value),
            Some(_) => Err(format!("the argument `{name}` is not one integer").into()),
        }
    }

    /// Returns known booleans, which may be missing.
    pub(crate) fn flags(&self, name: &str) -> Result<Option<Vec<bool>>, Unread> {
        let Some(literal) = self.known(name)? else { return Ok(None) };
        match literal.dtype() {
            DType::Bool => Ok(Some(literal.bytes().iter().map(|&byte| byte != 0).collect())),
            _ => Err(format!("the argument `{name}` must be booleans").into()),
        }
    }

    /// Returns a known boolean, or a default if it is missing.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool, Unread> {
        match self.flags(name)?.as_deref() {
            None => Ok(default),
            Some(&[value]) => Ok(value),
            Some(_) => Err(format!("the argument `{name}` is not one boolean").into()),
        }
    }

    /// Returns a known number, or a default if it is missing.
    pub(crate) fn number(&self, name: &str, default: f64) -> Result<f64, Unread> {
        let Some(literal) = self.known(name)? else { return Ok(default) };
        let number =
            (literal.len() == 1).then(|| floats(literal).and_then(|list| list.first().copied())).flatten();
        number.ok_or_else(|| format!("the argument `{name}` is not one number").into())
    }

    /// Returns a text, or a default if it is missing.
    pub(crate) fn text<'b>(&'b self, name: &str, default: &'b str) -> Result<&'b str, Unread> {
        match self.items.get(name).map(Vec::as_slice) {
            None => Ok(default),
            Some([Item::Text(text)]) => Ok(text),
            Some(_) => Err(format!("the argument `{name}` is not a text").into()),
        }
    }

    /// Returns an axis of a tensor of this rank; negative ones count from the end.
    pub(crate) fn axis(&self, name: &str, default: i64, rank: usize) -> Result<usize, Unread> {
        axis(self.int(name, default)?, rank).ok_or_else(|| format!("`{name}` exceeds rank {rank}").into())
    }

    /// Returns axes of a tensor of this rank in ascending order, or `None` if they are missing.
    pub(crate) fn axes(&self, name: &str, rank: usize) -> Result<Option<Vec<usize>>, Unread> {
        let Some(list) = self.ints(name)? else { return Ok(None) };
        let axes: Option<Vec<usize>> = list.into_iter().map(|n| axis(n, rank)).collect();
        let mut axes = axes.ok_or_else(|| Unread(format!("`{name}` has an axis beyond rank {rank}")))?;
        axes.sort_unstable();
        axes.dedup();
        Ok(Some(axes))
    }

    /// Returns the sizes of a tensor, which must be static. Products of some of them do not overflow.
    pub(crate) fn dims(&self, x: &Tensor) -> Result<Vec<usize>, Unread> {
        // The result of a failed step has no sizes; why it failed is reported only once.
        x.id().ok_or(MISSING)?;
        let shape = x.shape();
        let dims = shape.static_dims().ok_or_else(|| Unread(format!("sizes of {shape} are not known")))?;
        shape.num_bytes().ok_or_else(|| Unread(format!("the size of {shape} overflows")))?;
        Ok(dims)
    }

    /// Declares that an operation makes constants of this many elements, or one node per 64 of them.
    ///
    /// # Errors
    /// Fails if the program exceeds its budget.
    pub(crate) fn makes(&self, elements: usize) -> Result<(), Unread> {
        self.room.take(elements)
    }
}

/// Returns the product of sizes.
pub(crate) fn product(sizes: &[usize]) -> Result<usize, Unread> {
    rlx_ir::shape::checked_product(sizes).ok_or_else(|| Unread(format!("the sizes {sizes:?} overflow")))
}

/// Returns an axis; negative ones count from the end.
pub(crate) fn axis(n: i64, rank: usize) -> Option<usize> {
    let from_start = if n < 0 { n.checked_add(i64::try_from(rank).ok()?)? } else { n };
    usize::try_from(from_start).ok().filter(|&axis| axis < rank)
}

/// Returns the elements of integers.
pub(crate) fn integers(literal: &Literal) -> Option<Vec<i64>> {
    let bytes = literal.bytes();
    Some(match literal.dtype() {
        DType::I32 => bytes.as_chunks().0.iter().map(|x| i32::from_le_bytes(*x).into()).collect(),
        DType::I64 => bytes.as_chunks().0.iter().map(|x| i64::from_le_bytes(*x)).collect(),
        DType::I16 => bytes.as_chunks().0.iter().map(|x| i16::from_le_bytes(*x).into()).collect(),
        DType::U16 => bytes.as_chunks().0.iter().map(|x| u16::from_le_bytes(*x).into()).collect(),
        DType::U32 => bytes.as_chunks().0.iter().map(|x| u32::from_le_bytes(*x).into()).collect(),
        DType::I8 => bytes.iter().map(|&x| i64::from(x as i8)).collect(),
        DType::U8 => bytes.iter().map(|&x| x.into()).collect(),
        _ => return None,
    })
}

/// Returns the elements of numbers.
pub(crate) fn floats(literal: &Literal) -> Option<Vec<f64>> {
    let bytes = literal.bytes();
    Some(match literal.dtype() {
        DType::F32 => bytes.as_chunks().0.iter().map(|x| f32::from_le_bytes(*x).into()).collect(),
        DType::F64 => bytes.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)).collect(),
        DType::F16 => bytes.as_chunks().0.iter().map(|x| half::f16::from_le_bytes(*x).into()).collect(),
        _ => integers(literal)?.into_iter().map(|x| x as f64).collect(),
    })
}
