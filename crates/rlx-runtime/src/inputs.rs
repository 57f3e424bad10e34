//! Input values on their way to an instance: conversion, alignment, and a list of views that needs no allocation.

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

/// The elements converted; booleans are normalised.
pub(crate) fn converted(bytes: &[u8], from: DType, to: DType) -> Result<Vec<u8>, RuntimeError> {
    let literal = Literal::from_bytes(&Shape::new(&[bytes.len() / from.size()], from), bytes)?;
    Ok(literal.convert(to).bytes().to_vec())
}

/// Inputs that a list holds without an allocation.
const FEW: usize = 16;

/// A short list of byte slices without an allocation for the usual number of inputs.
pub(crate) struct InputList<'a> {
    few: [&'a [u8]; FEW],
    len: usize,
    many: Vec<&'a [u8]>,
}

impl<'a> InputList<'a> {
    pub(crate) fn of(all: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut list = InputList { few: [&[]; FEW], len: 0, many: Vec::new() };
        all.for_each(|bytes| list.push(bytes));
        list
    }

    fn push(&mut self, bytes: &'a [u8]) {
        if self.len < FEW {
            self.few[self.len] = bytes;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(bytes);
        }
        self.len += 1;
    }

    pub(crate) fn as_slice(&self) -> &[&'a [u8]] {
        if self.many.is_empty() { &self.few[..self.len] } else { &self.many }
    }
}

/// Little-endian f32 elements.
pub(crate) fn to_f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}
