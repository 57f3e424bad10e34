//! Prepares input values for an instance: conversion, alignment, and short lists without allocation.

use crate::error::RuntimeError;
use rlx_ir::{DType, Literal, Shape};

/// How inputs of another element type than declared are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// f32 values stand for any element type.
    FromF32,
    /// They are errors.
    None,
}

/// The elements converted; booleans are normalized.
pub(crate) fn converted(bytes: &[u8], from: DType, to: DType) -> Result<Vec<u8>, RuntimeError> {
    let literal = Literal::from_bytes(&Shape::new(&[bytes.len() / from.size()], from), bytes)?;
    Ok(literal.convert(to).bytes().to_vec())
}

/// Elements that a list holds without an allocation.
const FEW: usize = 16;

/// A list without an allocation for the usual number of inputs and outputs.
pub(crate) struct ShortList<T> {
    few: [T; FEW],
    len: usize,
    many: Vec<T>,
}

impl<T> ShortList<T> {
    /// The elements; `filler` stands where there are none.
    pub(crate) fn of(all: impl IntoIterator<Item = T>, filler: impl Fn() -> T) -> Self {
        let mut list = ShortList { few: std::array::from_fn(|_| filler()), len: 0, many: Vec::new() };
        for element in all {
            if list.len < FEW {
                list.few[list.len] = element;
            } else {
                if list.many.is_empty() {
                    list.many.extend(list.few.iter_mut().map(|e| std::mem::replace(e, filler())));
                }
                list.many.push(element);
            }
            list.len += 1;
        }
        list
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        if self.many.is_empty() { &mut self.few[..self.len] } else { &mut self.many }
    }
}

/// Little-endian f32 elements.
pub(crate) fn to_f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}
