//! Reads experts as GPT-OSS stores them, with alternating rows of gate and up. They are numbers `[experts, inputs,
//! rows]`, or scales and blocks of MXFP4 whose numbers are ordered differently than in ggml.

use rlx_gguf::TensorType;
use rlx_ir::QuantScheme;

/// Numbers in a block, and the bytes that they take.
const BLOCK: usize = 32;
const NIBBLES: usize = BLOCK / 2;

/// Which rows of a tensor belong to a parameter: `offset`, `offset + every`, and so on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Turn {
    pub(super) offset: usize,
    pub(super) every: usize,
}

impl Turn {
    /// Returns the rows of a part of the experts.
    pub(super) fn of(part: &str) -> Turn {
        match part {
            "feed.experts.gate" => Turn { offset: 0, every: 2 },
            "feed.experts.up" => Turn { offset: 1, every: 2 },
            _ => Turn { offset: 0, every: 1 },
        }
    }

    /// Returns the dimensions of the tensor that contains a parameter with these dimensions.
    pub(super) fn stored_dims(self, dims: &[usize]) -> Vec<usize> {
        match *dims {
            [experts, rows, columns] => vec![experts, columns, rows * self.every],
            [experts, rows] => vec![experts, rows * self.every],
            _ => dims.to_vec(),
        }
    }

    /// Extracts the parameter `[experts, rows, columns]`, with elements of `size` bytes.
    pub(super) fn weights(self, bytes: &[u8], [experts, rows, columns]: [usize; 3], size: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(experts * rows * columns * size);
        for expert in 0..experts {
            for row in 0..rows {
                for column in 0..columns {
                    let at = (expert * columns + column) * rows * self.every + row * self.every + self.offset;
                    out.extend_from_slice(&bytes[at * size..][..size]);
                }
            }
        }
        out
    }

    /// Extracts the parameter `[experts, rows]`.
    pub(super) fn biases(self, values: &[f32]) -> Vec<f32> {
        values.iter().skip(self.offset).step_by(self.every).copied().collect()
    }

    /// Extracts the parameter as ggml's blocks, from blocks `[experts, alternating rows, n, 16]` and scales
    /// `[experts, alternating rows, n]`, where `n` is the number of blocks in a row.
    pub(super) fn blocks(self, blocks: &[u8], scales: &[u8], n: usize) -> Vec<u8> {
        let rows = blocks.chunks_exact(n * NIBBLES).zip(scales.chunks_exact(n));
        let own = rows.skip(self.offset).step_by(self.every);
        own.flat_map(|(blocks, scales)| blocks.chunks_exact(NIBBLES).zip(scales))
            .flat_map(|(block, scale)| std::iter::once(*scale).chain(reordered(block)))
            .collect()
    }
}

/// Reorders a block: a byte holds numbers 2i and 2i + 1 before, and i and i + 16 after.
fn reordered(block: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let number = |i: usize| (block[i / 2] >> (4 * (i % 2))) & 15;
    (0..NIBBLES).map(move |i| number(i) | (number(i + NIBBLES) << 4))
}

/// The type of these blocks.
pub(super) const MXFP4: TensorType = TensorType::Blocks(QuantScheme::MXFP4);
