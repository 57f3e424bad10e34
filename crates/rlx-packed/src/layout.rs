//! How blocks of a format lie in a panel: a row per format.
//!
//! A panel is [`ROWS`] rows of a matrix. Of each block of these rows it has, one behind the other:
//! - the codes as planes of bits: of 32 values a plane of b bits has b vectors of 64 bytes, of which vector v has, b bits each from the
//!   lowest, the groups of four values v, v + b, v + 2b, …; a group of four values is 64 numbers, the four of each row together;
//! - the factors of the parts, the bytes of all rows together, and those of the smallest values;
//! - the factors of the blocks, those of all rows together, and those of the smallest values.

use BlockFactor::{Exponent, F16, F32};
use Codes::{Digits, Levels, Planes};
use PartFactor::{I8, One, U4, U8};
use rlx_quant::QuantScheme;

/// Rows of a panel.
pub(crate) const ROWS: usize = 16;
/// Values with one factor in the activations, of which blocks are multiples.
pub(crate) const GROUP: usize = 32;
/// Digits to the base 3 in a byte.
pub(crate) const DIGITS: usize = 5;
/// The most parts of a block, and the most values.
pub(crate) const MOST_PARTS: usize = 16;
pub(crate) const MOST_VALUES: usize = 256;

/// How a code is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codes {
    /// The code less the lowest one, as planes of so many bits, the lowest bits first.
    Planes(&'static [u32]),
    /// The place of the code in a table of up to 16, in planes; the table holds codes less the lowest one.
    Levels(&'static [u32], &'static [u8; 16]),
    /// A digit to the base 3: of each 32 values, the first [`DIGITS`] groups of four in a vector, as fractions of 256, the first in the
    /// highest digit; behind all of these the other groups, of 2 bits each, four in a vector.
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
    /// Whether a code less the lowest one may be more than 127.
    pub(crate) is_wide: bool,
    pub(crate) places: Places,
}

/// Where in a block of a panel what it has begins, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// The factors of the parts, behind the codes.
    pub(crate) factors: usize,
    /// Those of the smallest values.
    pub(crate) mins: usize,
    /// The factors of the blocks.
    pub(crate) wholes: usize,
    /// Those of their smallest values.
    pub(crate) whole_mins: usize,
    /// The next block.
    pub(crate) end: usize,
}

/// Levels of the IQ4 formats, less the lowest.
const IQ4: [u8; 16] = [0, 23, 44, 62, 78, 92, 105, 117, 128, 140, 152, 165, 180, 196, 216, 240];
/// Twice the numbers of E2M1, less the lowest.
const E2M1: [u8; 16] = [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0];

/// Code that is compiled for each format, so that it knows how it lies.
pub(crate) trait ForFormat {
    type Output;

    /// Runs. Implementations are `#[inline(always)]`.
    fn run(self, scheme: QuantScheme, layout: &'static PanelFormat) -> Self::Output;
}

/// The table of layouts: codes and the lowest of them, values of a part, factors of parts, of blocks, and smallest values.
macro_rules! layouts {
    ($($Scheme:ident: $codes:expr, $lowest:literal, $part:literal, $factor:expr, $whole:expr, $min:expr;)*) => {
        impl PanelFormat {
            /// The layout of a format; `None` of those whose values are points of a grid, which are not multiplied as they lie.
            pub(crate) const fn of(scheme: QuantScheme) -> Option<&'static PanelFormat> {
                match scheme {
                    $(QuantScheme::$Scheme => {
                        const BLOCK: usize = QuantScheme::$Scheme.block_len();
                        Some(const { &PanelFormat {
                            codes: $codes,
                            lowest: $lowest,
                            block: BLOCK,
                            part: $part,
                            factor: $factor,
                            whole: $whole,
                            min: $min,
                            is_wide: $codes.are_wide(),
                            places: Places::new($codes.bytes(BLOCK), BLOCK / $part, $factor, $whole, $min),
                        } })
                    })*
                    _ => None,
                }
            }

            /// Runs what is compiled for a format; `None` of those that have no layout.
            #[inline(always)]
            pub(crate) fn compiled_for<W: ForFormat>(scheme: QuantScheme, work: W) -> Option<W::Output> {
                match scheme {
                    $(QuantScheme::$Scheme => {
                        let layout = const { PanelFormat::of(QuantScheme::$Scheme) };
                        Some(work.run(QuantScheme::$Scheme, layout?))
                    })*
                    _ => None,
                }
            }
        }
    };
}

layouts! {
    Q8_0: Planes(&[8]), -128, 32, One, F16, None;
    Q8_1: Planes(&[8]), -128, 32, One, F16, None;
    Q8_K: Planes(&[8]), -128, 32, One, F32, None;
    Q4_0: Planes(&[4]), -8, 32, One, F16, None;
    Q4_1: Planes(&[4]), 0, 32, One, F16, Some(One);
    Q5_0: Planes(&[4, 1]), -16, 32, One, F16, None;
    Q5_1: Planes(&[4, 1]), 0, 32, One, F16, Some(One);
    Q1_0: Planes(&[2]), -1, 32, One, F16, None;
    Q2_0: Planes(&[2]), -1, 32, One, F16, None;
    Q2_K: Planes(&[2]), 0, 16, U4, F16, Some(U4);
    Q3_K: Planes(&[2, 1]), -4, 16, I8, F16, None;
    Q4_K: Planes(&[4]), 0, 32, U8, F16, Some(U8);
    Q5_K: Planes(&[4, 1]), 0, 32, U8, F16, Some(U8);
    Q6_K: Planes(&[4, 2]), -32, 16, I8, F16, None;
    TQ1_0: Digits, -1, 32, One, F16, None;
    TQ2_0: Planes(&[2]), -1, 32, One, F16, None;
    MXFP4: Levels(&[4], &E2M1), -12, 32, One, Exponent, None;
    IQ4_NL: Levels(&[4], &IQ4), -127, 32, One, F16, None;
    IQ4_XS: Levels(&[4], &IQ4), -127, 32, I8, F16, None;
}

impl PanelFormat {
    /// Parts of a block.
    #[inline(always)]
    pub(crate) const fn parts(&self) -> usize {
        self.block / self.part
    }
}

impl Codes {
    /// Bytes of the codes of a block of a panel.
    const fn bytes(self, block: usize) -> usize {
        let groups = block / GROUP;
        match self {
            Planes(widths) | Levels(widths, _) => groups * sum(widths) as usize * 64,
            Digits => (groups + (groups * (GROUP / 4 - DIGITS)).div_ceil(4)) * 64,
        }
    }

    /// Whether any, less the lowest one, is more than 127.
    const fn are_wide(self) -> bool {
        match self {
            Planes(widths) => sum(widths) > 7,
            Levels(_, levels) => {
                let (mut i, mut are_wide) = (0, false);
                while i < levels.len() {
                    are_wide |= levels[i] > 127;
                    i += 1;
                }
                are_wide
            }
            Digits => false,
        }
    }
}

/// The sum of the widths of planes.
#[inline(always)]
pub(crate) const fn sum(widths: &[u32]) -> u32 {
    match widths {
        [] => 0,
        [first] => *first,
        [first, rest @ ..] => *first + sum(rest),
    }
}

impl PartFactor {
    /// Bytes of the factors of so many parts.
    const fn bytes(self, parts: usize) -> usize {
        match self {
            One => 0,
            U8 | I8 => parts * ROWS,
            U4 => parts / 2 * ROWS,
        }
    }
}

impl BlockFactor {
    /// Bytes of the factors of all rows.
    const fn bytes(self) -> usize {
        match self {
            F16 => 2 * ROWS,
            F32 => 4 * ROWS,
            Exponent => ROWS,
        }
    }
}

impl Places {
    const fn new(codes: usize, parts: usize, factor: PartFactor, whole: BlockFactor, min: Min) -> Places {
        let mins = codes + factor.bytes(parts);
        let (part_mins, block_mins) = match min {
            Some(part) => (part.bytes(parts), F16.bytes()),
            None => (0, 0),
        };
        let wholes = mins + part_mins;
        let whole_mins = wholes + whole.bytes();
        Places { factors: codes, mins, wholes, whole_mins, end: whole_mins + block_mins }
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
            let ratio = layout.places.end as f64 / (scheme.block_bytes() * ROWS) as f64;
            assert!(ratio <= if scheme == QuantScheme::Q1_0 { 1.9 } else { 1.1 }, "{scheme}: {ratio}");
        }
        assert_eq!(count, 19);
    }
}
