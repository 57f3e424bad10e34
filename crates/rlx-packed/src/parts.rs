//! What blocks are made of: whole numbers, and the factors that they are multiplied with. The decoder of a format is run over an
//! arithmetic that keeps these apart, on the same block of all rows of a panel at once, so that nothing here knows how a format lays out
//! its bits.

use crate::lanes::{Lanes, each};
use crate::layout::ROWS;
use rlx_quant::arithmetic::{Float, Int, PackedBlock};

/// Words of the largest block.
const MOST_WORDS: usize = 292 / 4;

/// A block of each row.
pub(crate) struct BlockRows<L: Lanes> {
    lanes: L,
    /// The bytes row by row; of a shorter block zeros follow up to a whole word.
    bytes: [[[u8; 4]; MOST_WORDS]; ROWS],
    /// The words at the same place in all rows.
    words: [L::Ints; MOST_WORDS],
}

impl<L: Lanes> BlockRows<L> {
    /// Blocks of zeros.
    #[inline(always)]
    pub(crate) fn new(lanes: L) -> BlockRows<L> {
        BlockRows { lanes, bytes: [[[0; 4]; MOST_WORDS]; ROWS], words: [lanes.ints(0); MOST_WORDS] }
    }

    /// Takes in the blocks of up to [`ROWS`] rows, all of one length.
    #[inline(always)]
    pub(crate) fn fill<'a>(&mut self, blocks: impl Iterator<Item = &'a [u8]>) {
        let mut most = 0;
        for (row, block) in self.bytes.iter_mut().zip(blocks) {
            let row = row.as_flattened_mut();
            let len = block.len().min(row.len());
            row[..len].copy_from_slice(&block[..len]);
            most = len.div_ceil(4);
        }
        for (at, word) in self.words.iter_mut().enumerate().take(most) {
            *word = self.lanes.load_ints(&each(|row| i32::from_le_bytes(self.bytes[row][at])));
        }
    }
}

impl<L: Lanes> PackedBlock for BlockRows<L> {
    const GRIDS: bool = false;
    type Place = usize;
    type Int = RowInts<L>;

    #[inline(always)]
    fn byte(&self, at: &usize) -> RowInts<L> {
        let word = self.words.get(at / 4).copied().unwrap_or(self.lanes.ints(0));
        RowInts::each(self.lanes, word).down((at % 4 * 8) as i32).masked(255)
    }

    #[inline(always)]
    fn int(&self, place: &usize) -> RowInts<L> {
        RowInts::same(self.lanes, *place as i32)
    }
}

/// An integer of each row. What decoders look up in a table by bits of a block stays the place in the table, whatever follows: panels hold
/// places, and tables are for those who unpack them.
#[derive(Clone, Copy)]
pub(crate) struct RowInts<L: Lanes> {
    lanes: L,
    pub(crate) values: L::Ints,
    /// The integer of all rows, where it is computed of places in a block alone.
    same: Option<i32>,
    is_place: bool,
}

impl<L: Lanes> RowInts<L> {
    #[inline(always)]
    fn each(lanes: L, values: L::Ints) -> RowInts<L> {
        RowInts { lanes, values, same: None, is_place: false }
    }

    #[inline(always)]
    fn same(lanes: L, value: i32) -> RowInts<L> {
        RowInts { lanes, values: lanes.ints(value), same: Some(value), is_place: false }
    }

    /// What an operation makes of both, said for lanes and for numbers.
    #[inline(always)]
    fn with(
        &self,
        other: &RowInts<L>,
        op: impl Fn(L, L::Ints, L::Ints) -> L::Ints,
        same: impl Fn(&i32, &i32) -> i32,
    ) -> RowInts<L> {
        match (self.same, other.same) {
            (Some(a), Some(b)) => RowInts::same(self.lanes, same(&a, &b)),
            _ if self.is_place => *self,
            _ if other.is_place => *other,
            _ => RowInts::each(self.lanes, op(self.lanes, self.values, other.values)),
        }
    }

    /// The values as an array.
    #[inline(always)]
    pub(crate) fn stored(&self) -> [i32; ROWS] {
        self.lanes.store_ints(self.values)
    }
}

impl<L: Lanes> Int for RowInts<L> {
    type Float = Affine<L>;

    #[inline(always)]
    fn constant(&self, value: i32) -> RowInts<L> {
        RowInts::same(self.lanes, value)
    }

    #[inline(always)]
    fn plus(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, L::add_ints, i32::plus)
    }

    #[inline(always)]
    fn minus(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, L::sub_ints, i32::minus)
    }

    #[inline(always)]
    fn times(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, L::mul_ints, i32::times)
    }

    #[inline(always)]
    fn and(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, L::and_ints, i32::and)
    }

    #[inline(always)]
    fn or(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, L::or_ints, i32::or)
    }

    #[inline(always)]
    fn xor(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, L::xor_ints, i32::xor)
    }

    #[inline(always)]
    fn shl(&self, distance: &RowInts<L>) -> RowInts<L> {
        self.with(distance, L::shl_ints, i32::shl)
    }

    #[inline(always)]
    fn shr(&self, distance: &RowInts<L>) -> RowInts<L> {
        self.with(distance, L::shr_ints, i32::shr)
    }

    #[inline(always)]
    fn below(&self, limit: i32) -> RowInts<L> {
        let lanes = self.lanes;
        let difference = lanes.sub_ints(self.values, lanes.ints(limit));
        RowInts::each(lanes, lanes.shr_ints(difference, lanes.ints(31)))
    }

    #[inline(always)]
    fn lookup(&self, table: &'static [u16]) -> RowInts<L> {
        match self.same {
            Some(at) => RowInts::same(self.lanes, at.lookup(table)),
            None => RowInts { is_place: true, ..*self },
        }
    }

    #[inline(always)]
    fn float(&self) -> Affine<L> {
        Affine { code: *self, ..Affine::one(self.lanes) }
    }

    #[inline(always)]
    fn half(&self) -> Affine<L> {
        Affine::whole(self.lanes, self.lanes.halves(self.values))
    }

    #[inline(always)]
    fn single(&self) -> Affine<L> {
        Affine::whole(self.lanes, self.lanes.floats_of_bits(self.values))
    }
}

/// Of each row a value as `whole · part · code − min_whole · min_part`. Of what decoders compute, some factors are there and some are 1.
#[derive(Clone, Copy)]
pub(crate) struct Affine<L: Lanes> {
    /// What the factors are, where decoding has not gone further.
    state: Progress,
    /// The factor of the block.
    pub(crate) whole: L::Floats,
    /// The factor of a part of the block.
    pub(crate) part: RowInts<L>,
    /// The number of the value itself.
    pub(crate) code: RowInts<L>,
    /// The factor of smallest values of the block.
    pub(crate) min_whole: L::Floats,
    /// That of the part.
    pub(crate) min_part: RowInts<L>,
}

/// How far a value has come.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    /// `code` alone.
    Code,
    /// `whole` alone.
    Whole,
    /// `whole · part · code`.
    Product,
}

impl<L: Lanes> Affine<L> {
    #[inline(always)]
    fn one(lanes: L) -> Affine<L> {
        let one = RowInts::same(lanes, 1);
        let (whole, min_whole) = (lanes.floats(1.0), lanes.floats(0.0));
        Affine { state: Progress::Code, whole, part: one, code: one, min_whole, min_part: one }
    }

    #[inline(always)]
    fn whole(lanes: L, whole: L::Floats) -> Affine<L> {
        Affine { state: Progress::Whole, whole, ..Affine::one(lanes) }
    }
}

impl<L: Lanes> Float for Affine<L> {
    /// Of a product, a smallest value to come on top.
    #[inline(always)]
    fn plus(&self, other: &Affine<L>) -> Affine<L> {
        self.minus(&other.scaled(-1.0))
    }

    #[inline(always)]
    fn minus(&self, other: &Affine<L>) -> Affine<L> {
        Affine { min_whole: other.whole, min_part: other.code, ..*self }
    }

    /// The product: what was a code becomes the factor of a part once it is multiplied with another code.
    #[inline(always)]
    fn times(&self, other: &Affine<L>) -> Affine<L> {
        let whole = self.code.lanes.mul(self.whole, other.whole);
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
    fn scaled(&self, factor: f32) -> Affine<L> {
        let lanes = self.code.lanes;
        let state = if self.state == Progress::Code { Progress::Product } else { self.state };
        Affine { state, whole: lanes.mul(self.whole, lanes.floats(factor)), ..*self }
    }

    /// Codes between whole ones are those of grids, which have no panels: the code stays what it is.
    #[inline(always)]
    fn offset(&self, _distance: f32) -> Affine<L> {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Portable;
    use crate::layout::{Codes, PanelFormat};
    use rlx_quant::QuantScheme;

    /// Every value of every format that has panels is the product of its factors, less its smallest value.
    #[test]
    fn factors_make_the_value() {
        let mut state = 1u64;
        let mut byte = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        for &scheme in QuantScheme::ALL {
            let Some(layout) = PanelFormat::of(scheme) else { continue };
            let mut rows = BlockRows::new(Portable);
            let mut expected = vec![vec![0f32; scheme.block_len()]; ROWS];
            // No exponent of a scale that means infinity.
            let blocks: Vec<u8> = (0..ROWS * scheme.block_bytes()).map(|_| byte() & !0x40).collect();
            let blocks = blocks.chunks_exact(scheme.block_bytes());
            expected.iter_mut().zip(blocks.clone()).for_each(|(to, block)| scheme.dequantize(block, to));
            rows.fill(blocks);
            let mut found = vec![Affine::one(Portable); scheme.block_len()];
            scheme.decode_each(&rows, 1, &mut found, |value| value);
            for (i, v) in found.iter().enumerate() {
                for (row, expected) in expected.iter().enumerate() {
                    let code = match layout.codes {
                        Codes::Levels(_, levels) => {
                            i32::from(levels[v.code.values[row] as usize]) + layout.lowest
                        }
                        _ => v.code.values[row],
                    };
                    let min = v.min_whole[row] * v.min_part.values[row] as f32;
                    let found = v.whole[row] * v.part.values[row] as f32 * code as f32 - min;
                    assert_eq!(found, expected[i], "{scheme} {i} row {row}");
                }
            }
        }
    }
}
