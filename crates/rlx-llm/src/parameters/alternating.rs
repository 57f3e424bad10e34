//! Experts as GPT-OSS stores them, with alternating rows of gate and up. They are numbers `[experts, inputs,
//! rows]`, or scales and blocks of MXFP4 whose numbers have another order than ggml's.

use rlx_gguf::TensorType;
use rlx_ir::QuantScheme;

/// Numbers of a block, and bytes that they take.
const BLOCK: usize = 32;
const NIBBLES: usize = BLOCK / 2;

/// Which rows of a tensor are a parameter's: `offset`, `offset + every`, and so on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Turn {
    pub(super) offset: usize,
    pub(super) every: usize,
}

impl Turn {
    /// Of the part of an expert.
    pub(super) fn of(part: &str) -> Turn {
        match part {
            "feed.experts.gate" => Turn { offset: 0, every: 2 },
            "feed.experts.up" => Turn { offset: 1, every: 2 },
            _ => Turn { offset: 0, every: 1 },
        }
    }

    /// The dimensions of the tensor that holds a parameter of these.
    pub(super) fn stored_dims(self, dims: &[usize]) -> Vec<usize> {
        match *dims {
            [experts, rows, columns] => vec![experts, columns, rows * self.every],
            [experts, rows] => vec![experts, rows * self.every],
            _ => dims.to_vec(),
        }
    }

    /// The parameter `[experts, rows, columns]` in elements of `size` bytes.
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

    /// The parameter `[experts, rows]`.
    pub(super) fn biases(self, values: &[f32]) -> Vec<f32> {
        values.iter().skip(self.offset).step_by(self.every).copied().collect()
    }

    /// The parameter as ggml's blocks, from blocks `[experts, rows in turns, n, 16]` and scales `[experts, rows in turns, n]`; `n` is the
    /// number of blocks of a row.
    pub(super) fn blocks(self, blocks: &[u8], scales: &[u8], n: usize) -> Vec<u8> {
        let rows = blocks.chunks_exact(n * NIBBLES).zip(scales.chunks_exact(n));
        let own = rows.skip(self.offset).step_by(self.every);
        own.flat_map(|(blocks, scales)| blocks.chunks_exact(NIBBLES).zip(scales))
            .flat_map(|(block, scale)| std::iter::once(*scale).chain(reordered(block)))
            .collect()
    }
}

/// Numbers 2i and 2i + 1 of a block in a byte → i and i + 16.
fn reordered(block: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let number = |i: usize| (block[i / 2] >> (4 * (i % 2))) & 15;
    (0..NIBBLES).map(move |i| number(i) | (number(i + NIBBLES) << 4))
}

/// How those blocks are stored.
pub(super) const MXFP4: TensorType = TensorType::Blocks(QuantScheme::MXFP4);
