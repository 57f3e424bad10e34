//! What blocks are made of: whole numbers, and the factors that they are multiplied with. The decoder of a format is run over an
//! arithmetic that keeps these apart, on the same block of all rows of a panel at once, so that nothing here knows how a format lays out
//! its bits.

use crate::layout::ROWS;
use rlx_quant::arithmetic::{Float, Int, PackedBlock};
use std::array::from_fn;

/// Words of the largest block.
const MOST_WORDS: usize = 292 / 4;

/// A block of each row, word by word: the words of all rows at the same place stand together.
pub(crate) struct BlockRows {
    words: [[u32; ROWS]; MOST_WORDS],
}

impl BlockRows {
    /// No rows yet.
    pub(crate) const EMPTY: BlockRows = BlockRows { words: [[0; ROWS]; MOST_WORDS] };

    /// Takes the block of a row in.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<4>();
        for (of_rows, word) in self.words.iter_mut().zip(words) {
            of_rows[row % ROWS] = u32::from_le_bytes(*word);
        }
        if let Some(last) = self.words.get_mut(words.len()).filter(|_| !rest.is_empty()) {
            last[row % ROWS] = rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
    }
}

impl PackedBlock for BlockRows {
    type Place = usize;
    type Int = RowInts;

    #[inline(always)]
    fn byte(&self, at: &usize) -> RowInts {
        let shift = at % 4 * 8;
        match self.words.get(at / 4) {
            Some(words) => RowInts::of(from_fn(|row| (words[row] >> shift & 255).cast_signed())),
            None => RowInts::of([0; ROWS]),
        }
    }

    #[inline(always)]
    fn int(&self, place: &usize) -> RowInts {
        RowInts::of([*place as i32; ROWS])
    }
}

/// An integer of each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RowInts {
    pub(crate) values: [i32; ROWS],
    /// The places at which a table was asked for what the values are made of, 0 if none was.
    pub(crate) places: [i32; ROWS],
    is_looked_up: bool,
}

impl RowInts {
    #[inline(always)]
    pub(crate) const fn of(values: [i32; ROWS]) -> RowInts {
        RowInts { values, places: [0; ROWS], is_looked_up: false }
    }

    /// Row by row `of` both.
    #[inline(always)]
    fn with(&self, other: &RowInts, of: impl Fn(i32, i32) -> i32) -> RowInts {
        let source = if self.is_looked_up { self } else { other };
        RowInts { values: from_fn(|row| of(self.values[row], other.values[row])), ..*source }
    }
}

impl Int for RowInts {
    type Float = Affine;

    #[inline(always)]
    fn constant(&self, value: i32) -> RowInts {
        RowInts::of([value; ROWS])
    }

    #[inline(always)]
    fn plus(&self, other: &RowInts) -> RowInts {
        self.with(other, i32::wrapping_add)
    }

    #[inline(always)]
    fn minus(&self, other: &RowInts) -> RowInts {
        self.with(other, i32::wrapping_sub)
    }

    #[inline(always)]
    fn times(&self, other: &RowInts) -> RowInts {
        self.with(other, i32::wrapping_mul)
    }

    #[inline(always)]
    fn and(&self, other: &RowInts) -> RowInts {
        self.with(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(&self, other: &RowInts) -> RowInts {
        self.with(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(&self, other: &RowInts) -> RowInts {
        self.with(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn shl(&self, distance: &RowInts) -> RowInts {
        self.with(distance, |a, n| a.wrapping_shl(n.cast_unsigned()))
    }

    #[inline(always)]
    fn shr(&self, distance: &RowInts) -> RowInts {
        self.with(distance, |a, n| a.cast_unsigned().wrapping_shr(n.cast_unsigned()).cast_signed())
    }

    #[inline(always)]
    fn below(&self, limit: i32) -> RowInts {
        RowInts { values: self.values.map(|x| i32::from(x < limit)), ..*self }
    }

    #[inline(always)]
    fn lookup(&self, table: &'static [u16]) -> RowInts {
        let entry = |x: i32| usize::try_from(x).ok().and_then(|at| table.get(at)).map_or(0, |&e| i32::from(e));
        RowInts { values: self.values.map(entry), places: self.values, is_looked_up: true }
    }

    #[inline(always)]
    fn float(&self) -> Affine {
        Affine { code: *self, ..Affine::ONE }
    }

    #[inline(always)]
    fn half(&self) -> Affine {
        Affine::whole(self.values.map(|bits| half::f16::from_bits(bits as u16).to_f32_const()))
    }

    #[inline(always)]
    fn single(&self) -> Affine {
        Affine::whole(self.values.map(|bits| f32::from_bits(bits.cast_unsigned())))
    }
}

/// Of each row a value as `whole · part · code − min_whole · min_part`. Of what decoders compute, some factors are there and some are 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine {
    /// What the factors are, where decoding has not gone further.
    state: Progress,
    /// The factors of the blocks.
    pub(crate) whole: [f32; ROWS],
    /// The factors of parts of the blocks.
    pub(crate) part: RowInts,
    /// The numbers of the values themselves.
    pub(crate) code: RowInts,
    /// The factors of smallest values of the blocks.
    pub(crate) min_whole: [f32; ROWS],
    /// Those of the parts.
    pub(crate) min_part: RowInts,
}

/// How far a value has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Progress {
    /// `code` alone.
    Code,
    /// `whole` alone.
    Whole,
    /// `whole · part · code`.
    Product,
}

impl Affine {
    pub(crate) const ONE: Affine = Affine {
        state: Progress::Code,
        whole: [1.0; ROWS],
        part: RowInts::of([1; ROWS]),
        code: RowInts::of([1; ROWS]),
        min_whole: [0.0; ROWS],
        min_part: RowInts::of([1; ROWS]),
    };

    #[inline(always)]
    fn whole(whole: [f32; ROWS]) -> Affine {
        Affine { state: Progress::Whole, whole, ..Affine::ONE }
    }

    /// A code in units of `unit`, and a number of them.
    #[inline(always)]
    fn in_units(&self, unit: [f32; ROWS], more: impl Fn(usize) -> i32) -> Affine {
        let code = RowInts::of(from_fn(|row| (self.code.values[row] as f32 / unit[row]) as i32 + more(row)));
        Affine { state: Progress::Product, whole: unit, code, ..*self }
    }
}

impl Float for Affine {
    /// Of a code, one with a factor of its own whose inverse is a whole number; of a product, a smallest value to come on top.
    #[inline(always)]
    fn plus(&self, other: &Affine) -> Affine {
        if self.state == Progress::Code {
            return self.in_units(other.whole, |row| other.code.values[row]);
        }
        Affine { min_whole: other.whole.map(|x| -x), min_part: other.code, ..*self }
    }

    #[inline(always)]
    fn minus(&self, other: &Affine) -> Affine {
        Affine { min_whole: other.whole, min_part: other.code, ..*self }
    }

    /// The product: what was a code becomes the factor of a part once it is multiplied with another code.
    #[inline(always)]
    fn times(&self, other: &Affine) -> Affine {
        let whole = from_fn(|row| self.whole[row] * other.whole[row]);
        let state = Progress::Product;
        match (self.state, other.state) {
            (Progress::Whole, Progress::Whole) => Affine { whole, ..*self },
            (Progress::Whole, _) => Affine { state, whole, ..*other },
            (_, Progress::Whole) => Affine { state, whole, ..*self },
            (Progress::Code, _) => Affine { state, whole, part: other.code, ..*self },
            _ => Affine { state, whole, part: self.code, code: other.code, ..*self },
        }
    }

    #[inline(always)]
    fn scaled(&self, factor: f32) -> Affine {
        let state = if self.state == Progress::Code { Progress::Product } else { self.state };
        Affine { state, whole: self.whole.map(|x| x * factor), ..*self }
    }

    /// Of a code and a half, twice the code and one by a factor of a half.
    #[inline(always)]
    fn offset(&self, distance: f32) -> Affine {
        self.in_units([distance; ROWS], |_| 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_quant::QuantScheme;

    /// Every value of every format is the product of its factors, less its smallest value.
    #[test]
    fn factors_make_the_value() {
        let mut state = 1u64;
        let mut byte = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        for &scheme in QuantScheme::ALL {
            let mut rows = BlockRows::EMPTY;
            let mut expected = vec![vec![0f32; scheme.block_len()]; ROWS];
            for (row, expected) in expected.iter_mut().enumerate() {
                // No exponent of a scale that means infinity.
                let block: Vec<u8> = (0..scheme.block_bytes()).map(|_| byte() & !0x40).collect();
                scheme.dequantize(&block, expected);
                rows.set(row, &block);
            }
            let mut found = vec![Affine::ONE; scheme.block_len()];
            scheme.decode_each(&rows, 1, &mut found, |value| value);
            for (i, v) in found.iter().enumerate() {
                for (row, expected) in expected.iter().enumerate() {
                    let min = f64::from(v.min_whole[row]) * f64::from(v.min_part.values[row]);
                    let number = f64::from(v.part.values[row]) * f64::from(v.code.values[row]);
                    let scaled = f64::from(v.whole[row]) * number;
                    let room = (scaled.abs() + min.abs()) * 1e-6;
                    assert!(
                        ((scaled - min) - f64::from(expected[i])).abs() <= room,
                        "{scheme} {i} row {row}: {v:?}, {}",
                        expected[i]
                    );
                }
            }
        }
    }
}
