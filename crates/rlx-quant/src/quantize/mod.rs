//! Quantizes a block of values to each format. Without importances, the formats with one scale per block do it as ggml's reference does,
//! bit for bit. Otherwise scales with little error are searched for, where each value is weighted by its importance.

pub(crate) mod float4;
pub(crate) mod grid;
pub(crate) mod k;
mod search;
pub(crate) mod simple;
pub(crate) mod ternary;

use crate::QuantScheme;
use std::fmt;

/// Why values could not be quantized.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum QuantizeError {
    /// The number of values is not a multiple of the block length.
    Blocks {
        /// The format.
        scheme: QuantScheme,
        /// Number of values.
        values: usize,
    },
    /// The rows that the importance is given for are not whole numbers of blocks, or the values are not a whole number of rows.
    Rows {
        /// The format.
        scheme: QuantScheme,
        /// Number of values.
        values: usize,
        /// Number of values in a row.
        row: usize,
    },
    /// A value or an importance is NaN or infinite, or an importance is negative.
    Number {
        /// What the number is: "value" or "importance".
        what: &'static str,
        /// Its index.
        index: usize,
        /// The number.
        number: f32,
    },
}

impl fmt::Display for QuantizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            QuantizeError::Blocks { scheme, values } => write!(
                f,
                "{values} values are not a whole number of {scheme} blocks of {}; keep this tensor unquantized, or use a format of \
                 shorter blocks",
                scheme.block_len()
            ),
            QuantizeError::Rows { scheme, values, row } => write!(
                f,
                "an importance for rows of {row} does not fit {values} values in {scheme} blocks of {}",
                scheme.block_len()
            ),
            QuantizeError::Number { what, index, number } => {
                write!(f, "{what} {index} is {number}; only finite numbers can be quantized")
            }
        }
    }
}

impl std::error::Error for QuantizeError {}

impl QuantScheme {
    /// Returns the blocks of these values.
    ///
    /// `importance` weights the error of each value of a row; its numbers must not be negative. (An importance matrix has one number per
    /// column.) Formats without a search for scales ignore it.
    ///
    /// # Errors
    /// If the values are not a whole number of blocks, if the importance does not fit them, or if a number is not finite.
    pub fn quantize(self, values: &[f32], importance: Option<&[f32]>) -> Result<Vec<u8>, QuantizeError> {
        let (len, scheme) = (self.block_len(), self);
        if !values.len().is_multiple_of(len) {
            return Err(QuantizeError::Blocks { scheme, values: values.len() });
        }
        check("value", values, |v| v.is_finite())?;
        let row = importance.map_or(len, <[f32]>::len);
        if row == 0 || !row.is_multiple_of(len) || !values.len().is_multiple_of(row) {
            return Err(QuantizeError::Rows { scheme, values: values.len(), row });
        }
        check("importance", importance.unwrap_or_default(), |w| w.is_finite() && w >= 0.0)?;
        let mut bytes = vec![0; values.len() / len * self.block_bytes()];
        let blocks = values.chunks_exact(len).zip(bytes.chunks_exact_mut(self.block_bytes()));
        for (at, (values, bytes)) in blocks.enumerate() {
            let first = at * len % row;
            self.quantize_block(values, importance.and_then(|w| w.get(first..first + len)), bytes);
        }
        Ok(bytes)
    }
}

fn check(what: &'static str, numbers: &[f32], allowed: fn(f32) -> bool) -> Result<(), QuantizeError> {
    match numbers.iter().position(|&x| !allowed(x)) {
        Some(index) => Err(QuantizeError::Number { what, index, number: numbers[index] }),
        None => Ok(()),
    }
}

/// Writes a number as f16 and returns the value that was written.
fn put_half(bytes: &mut [u8], at: usize, value: f32) -> f32 {
    let half = half::f16::from_f32(value);
    bytes[at..at + 2].copy_from_slice(&half.to_le_bytes());
    half.to_f32()
}

/// Writes 4 bits per value: first the low halves of `group` bytes, then their high halves.
fn put_nibbles(bytes: &mut [u8], group: usize, quants: impl IntoIterator<Item = u8>) {
    for (i, quant) in quants.into_iter().enumerate() {
        let (pair, within) = (i / (2 * group), i % (2 * group));
        bytes[pair * group + within % group] |= (quant & 15) << (4 * (within / group));
    }
}

/// The number with the largest magnitude, or the first of several.
fn extreme(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |most: f32, &v| if v.abs() > most.abs() { v } else { most })
}

/// 1/x, or 0 if x is 0.
fn inverse(x: f32) -> f32 {
    if x == 0.0 { 0.0 } else { 1.0 / x }
}
