//! Splits blocks into integers and the factors that they are multiplied by, with the decoder of the format. The decoder runs with an
//! arithmetic that keeps them separate, on the same block of all rows of a panel at once, so nothing here knows how a format lays out its
//! bits.

use crate::lanes::Lanes;
use crate::layout::ROWS;
use rlx_quant::arithmetic::{Float, Int, PackedBlock};

/// Number of words for the largest block, in lines of [`ROWS`] words, and one more.
const MOST_WORDS: usize = 292usize.div_ceil(4 * ROWS) * ROWS + 1;

/// One block of each row.
pub(crate) struct BlockRows<L: Lanes> {
    pub(crate) lanes: L,
    /// The words at the same position in all rows.
    words: [L::Ints; MOST_WORDS],
}

impl<L: Lanes> BlockRows<L> {
    /// Creates blocks of zeros.
    #[inline(always)]
    pub(crate) fn new(lanes: L) -> BlockRows<L> {
        BlockRows { lanes, words: [lanes.ints(0); MOST_WORDS] }
    }

    /// Reads `len` bytes of each of up to [`ROWS`] rows of `row_bytes` bytes, starting at byte `from` of the row. Missing bytes are zeros.
    #[inline(always)]
    pub(crate) fn fill(&mut self, rows: &[u8], row_bytes: usize, from: usize, len: usize) {
        for (line, words) in self.words.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            if line * 4 * ROWS >= len {
                break;
            }
            let mut lines = [self.lanes.ints(0); ROWS];
            for (row, to) in lines.iter_mut().enumerate() {
                let bytes = rows.get(row * row_bytes + from + line * 4 * ROWS..).unwrap_or_default();
                *to = match bytes.first_chunk() {
                    Some(bytes) => self.lanes.load_words(bytes),
                    None => {
                        let mut padded = [0; 4 * ROWS];
                        padded.iter_mut().zip(bytes).for_each(|(to, &byte)| *to = byte);
                        self.lanes.load_words(&padded)
                    }
                };
            }
            *words = self.lanes.transpose(lines);
        }
    }

    /// Returns the word that contains a byte.
    #[inline(always)]
    fn word(&self, at: usize) -> L::Ints {
        self.words.get(at / 4).copied().unwrap_or(self.words[0])
    }

    /// Returns four bytes starting at a position.
    #[inline(always)]
    pub(crate) fn bytes_from(&self, at: usize) -> L::Ints {
        let lanes = self.lanes;
        if at.is_multiple_of(4) {
            return self.word(at);
        }
        let distance = (at % 4 * 8) as i32;
        let low = lanes.shr_ints(self.word(at), lanes.ints(distance));
        lanes.or_ints(low, lanes.shl_ints(self.word(at + 4), lanes.ints(32 - distance)))
    }
}

impl<L: Lanes> PackedBlock for BlockRows<L> {
    type Place = usize;
    type Int = RowInts<L>;

    #[inline(always)]
    fn byte(&self, at: &usize) -> RowInts<L> {
        RowInts::each(self.lanes, self.word(*at)).down((at % 4 * 8) as i32).masked(255)
    }

    #[inline(always)]
    fn int(&self, place: &usize) -> RowInts<L> {
        RowInts::same(self.lanes, *place as i32)
    }
}

/// An operation on two integers. It is named rather than passed as a function, because a function value is not compiled for the instruction
/// set of its caller.
#[derive(Clone, Copy)]
pub(crate) enum IntOp {
    Plus,
    Minus,
    Times,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

impl IntOp {
    /// Applies it to numbers.
    #[inline(always)]
    pub(crate) fn of(self, a: i32, b: i32) -> i32 {
        match self {
            IntOp::Plus => a.plus(&b),
            IntOp::Minus => a.minus(&b),
            IntOp::Times => a.times(&b),
            IntOp::And => a & b,
            IntOp::Or => a | b,
            IntOp::Xor => a ^ b,
            IntOp::Shl => Int::shl(&a, &b),
            IntOp::Shr => Int::shr(&a, &b),
        }
    }

    /// Applies it to each lane.
    #[inline(always)]
    pub(crate) fn of_lanes<L: Lanes>(self, lanes: L, a: L::Ints, b: L::Ints) -> L::Ints {
        match self {
            IntOp::Plus => lanes.add_ints(a, b),
            IntOp::Minus => lanes.sub_ints(a, b),
            IntOp::Times => lanes.mul_ints(a, b),
            IntOp::And => lanes.and_ints(a, b),
            IntOp::Or => lanes.or_ints(a, b),
            IntOp::Xor => lanes.xor_ints(a, b),
            IntOp::Shl => lanes.shl_ints(a, b),
            IntOp::Shr => lanes.shr_ints(a, b),
        }
    }
}

/// Returns the entries of a table. It is called rather than inlined, because the decoders of all formats are compiled with it.
#[inline(never)]
fn entries(places: &[i32; ROWS], table: &'static [u16]) -> [i32; ROWS] {
    places.map(|place| place.lookup(table))
}

/// One integer for each row.
#[derive(Clone, Copy)]
pub(crate) struct RowInts<L: Lanes> {
    lanes: L,
    pub(crate) values: L::Ints,
    /// The integer, if it is the same in all rows because it depends only on positions in a block.
    same: Option<i32>,
}

impl<L: Lanes> RowInts<L> {
    #[inline(always)]
    fn each(lanes: L, values: L::Ints) -> RowInts<L> {
        RowInts { lanes, values, same: None }
    }

    #[inline(always)]
    fn same(lanes: L, value: i32) -> RowInts<L> {
        RowInts { lanes, values: lanes.ints(value), same: Some(value) }
    }

    /// Applies an operation to both.
    #[inline(always)]
    fn with(&self, other: &RowInts<L>, op: IntOp) -> RowInts<L> {
        match (self.same, other.same) {
            (Some(a), Some(b)) => RowInts::same(self.lanes, op.of(a, b)),
            _ => RowInts::each(self.lanes, op.of_lanes(self.lanes, self.values, other.values)),
        }
    }

    /// Returns the values as an array.
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
        self.with(other, IntOp::Plus)
    }

    #[inline(always)]
    fn minus(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, IntOp::Minus)
    }

    #[inline(always)]
    fn times(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, IntOp::Times)
    }

    #[inline(always)]
    fn and(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, IntOp::And)
    }

    #[inline(always)]
    fn or(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, IntOp::Or)
    }

    #[inline(always)]
    fn xor(&self, other: &RowInts<L>) -> RowInts<L> {
        self.with(other, IntOp::Xor)
    }

    #[inline(always)]
    fn shl(&self, distance: &RowInts<L>) -> RowInts<L> {
        self.with(distance, IntOp::Shl)
    }

    #[inline(always)]
    fn shr(&self, distance: &RowInts<L>) -> RowInts<L> {
        self.with(distance, IntOp::Shr)
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
            None => RowInts::each(self.lanes, self.lanes.load_ints(&entries(&self.stored(), table))),
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

/// One value for each row, as `unit · whole · part · code − min_whole · min_part`. Of intermediate values of decoders, some factors are
/// present and the others are 1.
#[derive(Clone, Copy)]
pub(crate) struct Affine<L: Lanes> {
    /// Which factors are present.
    state: Progress,
    /// A power of two, the same in all blocks, of which codes or factors of parts are multiples.
    pub(crate) unit: f32,
    /// The factor of the block.
    pub(crate) whole: L::Floats,
    /// The factor of a part of the block.
    pub(crate) part: RowInts<L>,
    /// The integer of the value itself.
    pub(crate) code: RowInts<L>,
    /// The block's factor of minimums.
    pub(crate) min_whole: L::Floats,
    /// The part's factor of minimums.
    pub(crate) min_part: RowInts<L>,
}

/// How far a value has been decoded.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    /// Only `unit · code`.
    Code,
    /// Only `whole`.
    Whole,
    /// `unit · whole · part · code`.
    Product,
}

impl<L: Lanes> Affine<L> {
    #[inline(always)]
    fn one(lanes: L) -> Affine<L> {
        let one = RowInts::same(lanes, 1);
        let (whole, min_whole) = (lanes.floats(1.0), lanes.floats(0.0));
        Affine { state: Progress::Code, unit: 1.0, whole, part: one, code: one, min_whole, min_part: one }
    }

    #[inline(always)]
    fn whole(lanes: L, whole: L::Floats) -> Affine<L> {
        Affine { state: Progress::Whole, whole, ..Affine::one(lanes) }
    }

    /// Returns the code in another unit. The current unit is a multiple of it.
    #[inline(always)]
    fn in_unit(&self, unit: f32) -> RowInts<L> {
        self.code.scaled((self.unit / unit) as i32)
    }
}

impl<L: Lanes> Float for Affine<L> {
    /// Adds two codes; to a product, adds a minimum.
    #[inline(always)]
    fn plus(&self, other: &Affine<L>) -> Affine<L> {
        if self.state == Progress::Code && other.state == Progress::Code {
            let unit = self.unit.min(other.unit);
            return Affine { unit, code: self.in_unit(unit).plus(&other.in_unit(unit)), ..*self };
        }
        self.minus(&other.scaled(-1.0))
    }

    #[inline(always)]
    fn minus(&self, other: &Affine<L>) -> Affine<L> {
        Affine { min_whole: other.whole, min_part: other.code, ..*self }
    }

    /// Multiplies. A code that is multiplied by another code becomes the factor of a part.
    #[inline(always)]
    fn times(&self, other: &Affine<L>) -> Affine<L> {
        let whole = self.code.lanes.mul(self.whole, other.whole);
        let (state, unit) = (Progress::Product, self.unit * other.unit);
        match (self.state, other.state) {
            (Progress::Whole, Progress::Whole) => Affine { whole, ..*self },
            (Progress::Whole, _) => Affine { state, unit, whole, ..*other },
            (_, Progress::Whole) => Affine { state, unit, whole, ..*self },
            (Progress::Code, _) => Affine { state, unit, whole, part: other.code, ..*self },
            _ => Affine { state, unit, whole, part: self.code, code: other.code, ..*self },
        }
    }

    #[inline(always)]
    fn scaled(&self, factor: f32) -> Affine<L> {
        let lanes = self.code.lanes;
        match self.state {
            Progress::Whole => Affine { whole: lanes.mul(self.whole, lanes.floats(factor)), ..*self },
            _ => Affine { unit: self.unit * factor, ..*self },
        }
    }

    /// Adds a power of two to a code.
    #[inline(always)]
    fn offset(&self, distance: f32) -> Affine<L> {
        let unit = self.unit.min(distance);
        Affine { unit, code: self.in_unit(unit).offset((distance / unit) as i32), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Portable;
    use crate::layout::{Codes, PanelFormat};
    use rlx_quant::QuantScheme;

    /// Every value of every format is the product of its factors, minus its minimum.
    #[test]
    fn factors_make_the_value() {
        let mut state = 1u64;
        let mut byte = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        for &scheme in QuantScheme::ALL {
            let layout = PanelFormat::of(scheme);
            let mut rows = BlockRows::new(Portable);
            let mut expected = vec![vec![0f32; scheme.block_len()]; ROWS];
            // No exponent of a scale that represents infinity.
            let blocks: Vec<u8> = (0..ROWS * scheme.block_bytes()).map(|_| byte() & !0x40).collect();
            let each = blocks.chunks_exact(scheme.block_bytes());
            expected.iter_mut().zip(each).for_each(|(to, block)| scheme.dequantize(block, to));
            rows.fill(&blocks, scheme.block_bytes(), 0, scheme.block_bytes());
            let found: Vec<_> = (0..scheme.block_len()).map(|i| scheme.decode(&rows, &i)).collect();
            for (i, v) in found.iter().enumerate() {
                for (row, expected) in expected.iter().enumerate() {
                    let code = v.code.values[row];
                    let min = v.min_whole[row] * v.min_part.values[row] as f32;
                    let found = v.unit * v.whole[row] * v.part.values[row] as f32 * code as f32 - min;
                    assert_eq!(v.unit, layout.unit, "{scheme}");
                    if let Codes::Levels(_, levels) = layout.codes {
                        assert!(levels.contains(&((code - layout.lowest) as u8)), "{scheme} {code}");
                    }
                    assert_eq!(found, expected[i], "{scheme} {i} row {row}");
                }
            }
        }
    }
}
