//! How blocks of a format lie in a panel: a row per format.
//!
//! A panel is [`ROWS`] rows of a matrix. Of each block of these rows it has, one behind the other:
//! - the codes as planes of bits: of 32 values a plane of b bits has b vectors of 64 bytes, of which vector v has, b bits each from the
//!   lowest, the groups of four values v, v + b, v + 2b, …; a group of four values is 64 numbers, the four of each row together;
//! - the factors of the parts, the bytes of all rows together, and those of the smallest values;
//! - the factors of the blocks, those of all rows together, and those of the smallest values.

use rlx_quant::QuantScheme;

/// Rows of a panel.
pub(crate) const ROWS: usize = 16;
/// Values with one factor in the activations, of which blocks are multiples.
pub(crate) const GROUP: usize = 32;
/// The most parts of a block, and the most values.
pub(crate) const MOST_PARTS: usize = 16;
pub(crate) const MOST_VALUES: usize = 256;

/// How a code is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codes {
    /// The code less the lowest one, as planes of so many bits, the lowest bits first.
    Planes(&'static [u32]),
    /// The place of the code in a table of 16, 4 bits; the table holds codes less the lowest one.
    Levels(&'static [u8; 16]),
    /// A digit to the base 3: 5 groups of four values in a vector, as fractions of 256, the first in the highest digit.
    Digits,
}

/// How the factor of a part is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartFactor {
    /// It is 1.
    One,
    /// A byte.
    U8,
    /// A byte with a sign.
    I8,
    /// Four bits: of parts 2p and 2p + 1 the halves of a byte.
    U4,
}

/// How the factor of a block is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockFactor {
    F16,
    F32,
    /// A power of two, as the exponent of an f32.
    Exponent,
}

/// How the smallest values are written down: their part of a part, and an f16 for the block.
pub(crate) type Min = Option<PartFactor>;

/// How blocks of a format lie in a panel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PanelFormat {
    pub(crate) codes: Codes,
    /// The lowest code.
    pub(crate) lowest: i32,
    /// Values of a block, and of a part of it: 16 or 32.
    pub(crate) block: usize,
    pub(crate) part: usize,
    pub(crate) factor: PartFactor,
    pub(crate) whole: BlockFactor,
    pub(crate) min: Min,
}

/// Levels of the IQ4 formats, less the lowest.
const IQ4: [u8; 16] = [0, 23, 44, 62, 78, 92, 105, 117, 128, 140, 152, 165, 180, 196, 216, 240];
/// Twice the numbers of E2M1, less the lowest.
const E2M1: [u8; 16] = [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0];

impl PanelFormat {
    /// The layout of a format; `None` of those whose values are points of a grid, which are not multiplied as they lie.
    pub(crate) fn of(scheme: QuantScheme) -> Option<PanelFormat> {
        use BlockFactor::{Exponent, F16, F32};
        use Codes::{Digits, Levels, Planes};
        use PartFactor::{I8, One, U4, U8};
        use QuantScheme::*;
        let row = |codes, lowest, part, factor, whole, min| {
            Some(PanelFormat { codes, lowest, block: scheme.block_len(), part, factor, whole, min })
        };
        match scheme {
            Q8_0 | Q8_1 => row(Planes(&[8]), -128, 32, One, F16, None),
            Q8_K => row(Planes(&[8]), -128, 32, One, F32, None),
            Q4_0 => row(Planes(&[4]), -8, 32, One, F16, None),
            Q4_1 => row(Planes(&[4]), 0, 32, One, F16, Some(One)),
            Q5_0 => row(Planes(&[4, 1]), -16, 32, One, F16, None),
            Q5_1 => row(Planes(&[4, 1]), 0, 32, One, F16, Some(One)),
            Q1_0 => row(Planes(&[2]), -1, 32, One, F16, None),
            Q2_0 => row(Planes(&[2]), -1, 32, One, F16, None),
            Q2_K => row(Planes(&[2]), 0, 16, U4, F16, Some(U4)),
            Q3_K => row(Planes(&[2, 1]), -4, 16, I8, F16, None),
            Q4_K => row(Planes(&[4]), 0, 32, U8, F16, Some(U8)),
            Q5_K => row(Planes(&[4, 1]), 0, 32, U8, F16, Some(U8)),
            Q6_K => row(Planes(&[4, 2]), -32, 16, I8, F16, None),
            TQ1_0 => row(Digits, -1, 32, One, F16, None),
            TQ2_0 => row(Planes(&[2]), -1, 32, One, F16, None),
            MXFP4 => row(Levels(&E2M1), -12, 32, One, Exponent, None),
            IQ4_NL => row(Levels(&IQ4), -127, 32, One, F16, None),
            IQ4_XS => row(Levels(&IQ4), -127, 32, I8, F16, None),
            _ => None,
        }
    }

    /// Parts of a block.
    pub(crate) const fn parts(&self) -> usize {
        self.block / self.part
    }

    /// Bytes of the codes of a block of a panel.
    pub(crate) fn code_bytes(&self) -> usize {
        let groups = self.block / GROUP;
        match self.codes {
            Codes::Planes(bits) => groups * bits.iter().sum::<u32>() as usize * 64,
            Codes::Levels(_) => groups * 4 * 64,
            Codes::Digits => (self.block / 4).div_ceil(5) * 64,
        }
    }

    fn part_bytes(&self, part: PartFactor) -> usize {
        match part {
            PartFactor::One => 0,
            PartFactor::U8 | PartFactor::I8 => self.parts() * ROWS,
            PartFactor::U4 => self.parts() / 2 * ROWS,
        }
    }

    /// Where the factors of the parts begin.
    pub(crate) fn factors_at(&self) -> usize {
        self.code_bytes()
    }

    /// Where those of the smallest values begin.
    pub(crate) fn mins_at(&self) -> usize {
        self.factors_at() + self.part_bytes(self.factor)
    }

    /// Where the factors of the blocks begin.
    pub(crate) fn wholes_at(&self) -> usize {
        self.mins_at() + self.min.map_or(0, |part| self.part_bytes(part))
    }

    /// Where those of their smallest values begin.
    pub(crate) fn whole_mins_at(&self) -> usize {
        let bytes = match self.whole {
            BlockFactor::F16 => 2,
            BlockFactor::F32 => 4,
            BlockFactor::Exponent => 1,
        };
        self.wholes_at() + bytes * ROWS
    }

    /// Bytes of a block of a panel.
    pub(crate) fn bytes(&self) -> usize {
        self.whole_mins_at() + if self.min.is_some() { 2 * ROWS } else { 0 }
    }

    /// Whether a code less the lowest one may be more than 127.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self.codes, Codes::Planes([8])) || self.codes == Codes::Levels(&IQ4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panels take at most a tenth more than the files, but for signs alone, which are held as numbers of two bits.
    #[test]
    fn panels_are_as_small_as_files() {
        let mut count = 0;
        for &scheme in QuantScheme::ALL {
            let Some(layout) = PanelFormat::of(scheme) else { continue };
            count += 1;
            let ratio = layout.bytes() as f64 / (scheme.block_bytes() * ROWS) as f64;
            assert!(ratio <= if scheme == QuantScheme::Q1_0 { 1.9 } else { 1.1 }, "{scheme}: {ratio}");
        }
        assert_eq!(count, 19);
    }
}
