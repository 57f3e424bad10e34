//! Prepares input values for an instance: conversion, alignment, and short lists without allocation.

use crate::error::RuntimeError;
use rlx_ir::{DType, Literal, Shape};

/// How inputs are converted if their element type differs from the declared one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// Values are f32, and are converted to any element type.
    FromF32,
    /// Other element types are errors.
    None,
}

/// Converts the elements; booleans are normalized.
pub(crate) fn converted(bytes: &[u8], from: DType, to: DType) -> Result<Vec<u8>, RuntimeError> {
    let literal = Literal::from_bytes(&Shape::new(&[bytes.len() / from.size()], from), bytes)?;
    Ok(literal.convert(to).bytes().to_vec())
}

/// Elements that a list stores without an allocation.
const FEW: usize = 16;

/// A list that needs no allocation for the usual numbers of inputs and outputs.
pub(crate) struct ShortList<T> {
    few: [T; FEW],
    len: usize,
    many: Vec<T>,
}

impl<T> ShortList<T> {
    /// Collects the elements; `filler` gives the value of unused places.
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

/// Returns little-endian elements as f32.
pub(crate) fn to_f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}
