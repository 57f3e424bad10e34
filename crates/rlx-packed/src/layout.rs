//! Defines how blocks of a format are laid out in a panel, with one row per format.
//!
//! A panel is [`ROWS`] rows of a matrix. For each block of these rows it contains, one after the other:
//! - the codes as planes of bits. For 32 values, a plane of b bits has b vectors of 64 bytes. Vector v contains the groups of four values
//!   v, v + b, v + 2b, …, with b bits each, starting at the lowest; a group of four values is 64 numbers, with the four of each row
//!   together.
//! - the factors of the parts, with the bytes of all rows together, and those of the minimums.
//! - the factors of the blocks, with those of all rows together, and those of the minimums.

use BlockFactor::{Exponent, F16, F32, Nothing};
use Codes::{Digits, Levels, Planes};
use PartFactor::{Float8, I8, Odd, One, U4, U8};
use rlx_quant::{Format, QuantScheme, formats};

/// Number of rows in a panel.
pub(crate) const ROWS: usize = 16;
/// Number of values that share a factor in the activations. Blocks are multiples of it.
pub(crate) const GROUP: usize = 32;
/// Number of base-3 digits in a byte.
pub(crate) const DIGITS: usize = 5;
/// The maximum number of parts in a block, and of values.
pub(crate) const MOST_PARTS: usize = 16;
pub(crate) const MOST_VALUES: usize = 256;

/// How a code is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codes {
    /// The code minus the lowest one, as planes of these numbers of bits, the lowest bits first.
    Planes(&'static [u32]),
    /// The index of the code in a table of up to 16 entries, in planes; the table contains codes minus the lowest one.
    Levels(&'static [u32], &'static [u8; 16]),
    /// A base-3 digit. For each 32 values, one vector contains the first [`DIGITS`] groups of four as fractions of 256, with the first
    /// group in the highest digit. After all of these vectors come the other groups, with 2 bits each and four groups in a vector.
    Digits,
}

/// How the factor of a part is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartFactor {
    /// Not stored; the factor is 1.
    One,
    /// A byte.
    U8,
    /// A signed byte.
    I8,
    /// Four bits; parts 2p and 2p + 1 share a byte.
    U4,
    /// An odd number. Half of it, rounded down, is stored in four bits.
    Odd,
    /// An unsigned float of eight bits (UE4M3), in a block that has no factor of its own.
    Float8,
}

/// How the factor of a block is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockFactor {
    F16,
    F32,
    /// A power of two, as the exponent of an f32.
    Exponent,
    /// Not stored; the factor is 1.
    Nothing,
}

/// How minimums are stored: the factor of a part, and an f16 for the block.
pub(crate) type Min = Option<PartFactor>;

/// How blocks of a format are laid out in a panel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PanelFormat {
    pub(crate) codes: Codes,
    /// The lowest code.
    pub(crate) lowest: i32,
    /// Number of values in a block, and in a part of it (16 or 32).
    pub(crate) block: usize,
    pub(crate) part: usize,
    pub(crate) factor: PartFactor,
    pub(crate) whole: BlockFactor,
    /// A power of two by which the factors of all blocks are multiplied.
    pub(crate) unit: f32,
    pub(crate) min: Min,
    /// Whether a code minus the lowest one may exceed 127.
    pub(crate) is_wide: bool,
    pub(crate) places: PartPlaces,
}

/// Where the sections of a block in a panel begin, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartPlaces {
    /// The factors of the parts, after the codes.
    pub(crate) factors: usize,
    /// The factors of the parts' minimums.
    pub(crate) mins: usize,
    /// The factors of the blocks.
    pub(crate) wholes: usize,
    /// The factors of the blocks' minimums.
    pub(crate) whole_mins: usize,
    /// The next block.
    pub(crate) end: usize,
}

/// Levels of the IQ4 formats, minus the lowest.
const IQ4: [u8; 16] = [0, 23, 44, 62, 78, 92, 105, 117, 128, 140, 152, 165, 180, 196, 216, 240];
/// Twice the numbers of E2M1, minus the lowest.
const E2M1: [u8; 16] = [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0];
/// Coordinates of points of two bits with their signs, minus the lowest: ±8, ±25 and ±43.
const IQ2: [u8; 16] = [0, 18, 35, 51, 68, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86, 86];
/// Coordinates of points of three bits with their signs, minus the lowest: ±4 to ±52 in steps of 8, and ±62.
const IQ3: [u8; 16] = [0, 10, 18, 26, 34, 42, 50, 58, 66, 74, 82, 90, 98, 106, 114, 124];
/// The odd numbers up to ±15, minus the lowest.
const ODD: [u8; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
/// Eight times −1, 0 and 1, shifted up or down by 1, minus the lowest.
const MOVED: [u8; 16] = [0, 2, 8, 10, 16, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18];

/// Code that is compiled for each format, so that its layout is known at compile time.
pub(crate) trait ForFormat {
    type Output;

    /// Runs the code. Implementations are `#[inline(always)]`.
    fn run<F: Format>(self) -> Self::Output;
}

/// The table of layouts: codes, the lowest code, values in a part, factors of parts, factors of blocks, the unit of block factors, and
/// minimums.
macro_rules! layouts {
    ($($Scheme:ident:
        $codes:expr, $lowest:literal, $part:literal, $factor:expr, $whole:expr, $unit:literal, $min:expr;)*) => {
        impl PanelFormat {
            /// Returns the layout of a format.
            pub(crate) const fn of(scheme: QuantScheme) -> &'static PanelFormat {
                match scheme {
                    $(QuantScheme::$Scheme => {
                        const BLOCK: usize = QuantScheme::$Scheme.block_len();
                        const { &PanelFormat {
                            codes: $codes,
                            lowest: $lowest,
                            block: BLOCK,
                            part: $part,
                            factor: $factor,
                            whole: $whole,
                            unit: $unit,
                            min: $min,
                            is_wide: $codes.are_wide(),
                            places: PartPlaces::new($codes.bytes(BLOCK), BLOCK / $part, $factor, $whole, $min),
                        } }
                    })*
                }
            }

            /// Runs the code that is compiled for a format.
            #[inline(always)]
            pub(crate) fn compiled_for<W: ForFormat>(scheme: QuantScheme, work: W) -> W::Output {
                match scheme {
                    $(QuantScheme::$Scheme => work.run::<formats::$Scheme>(),)*
                }
            }
        }
    };
}

layouts! {
    Q8_0: Planes(&[8]), -128, 32, One, F16, 1.0, None;
    Q8_1: Planes(&[8]), -128, 32, One, F16, 1.0, None;
    Q8_K: Planes(&[8]), -128, 32, One, F32, 1.0, None;
    Q4_0: Planes(&[4]), -8, 32, One, F16, 1.0, None;
    Q4_1: Planes(&[4]), 0, 32, One, F16, 1.0, Some(One);
    Q5_0: Planes(&[4, 1]), -16, 32, One, F16, 1.0, None;
    Q5_1: Planes(&[4, 1]), 0, 32, One, F16, 1.0, Some(One);
    Q1_0: Planes(&[2]), -1, 32, One, F16, 1.0, None;
    Q2_0: Planes(&[2]), -1, 32, One, F16, 1.0, None;
    Q2_K: Planes(&[2]), 0, 16, U4, F16, 1.0, Some(U4);
    Q3_K: Planes(&[2, 1]), -4, 16, I8, F16, 1.0, None;
    Q4_K: Planes(&[4]), 0, 32, U8, F16, 1.0, Some(U8);
    Q5_K: Planes(&[4, 1]), 0, 32, U8, F16, 1.0, Some(U8);
    Q6_K: Planes(&[4, 2]), -32, 16, I8, F16, 1.0, None;
    TQ1_0: Digits, -1, 32, One, F16, 1.0, None;
    TQ2_0: Planes(&[2]), -1, 32, One, F16, 1.0, None;
    MXFP4: Levels(&[4], &E2M1), -12, 32, One, Exponent, 1.0, None;
    NVFP4: Levels(&[4], &E2M1), -12, 16, Float8, Nothing, 1.0, None;
    IQ4_NL: Levels(&[4], &IQ4), -127, 32, One, F16, 1.0, None;
    IQ4_XS: Levels(&[4], &IQ4), -127, 32, I8, F16, 1.0, None;
    IQ3_S: Levels(&[4], &ODD), -15, 32, Odd, F16, 1.0, None;
    IQ3_XXS: Levels(&[4], &IQ3), -62, 32, Odd, F16, 0.25, None;
    IQ2_S: Levels(&[2, 1], &IQ2), -43, 16, Odd, F16, 0.125, None;
    IQ2_XS: Levels(&[2, 1], &IQ2), -43, 16, Odd, F16, 0.125, None;
    IQ2_XXS: Levels(&[2, 1], &IQ2), -43, 32, Odd, F16, 0.125, None;
    IQ1_S: Levels(&[2, 1], &MOVED), -9, 32, Odd, F16, 0.125, None;
    IQ1_M: Levels(&[2, 1], &MOVED), -9, 16, Odd, F16, 0.125, None;
}

impl PanelFormat {
    /// Returns the bytes of a panel whose rows have `depth` values, or the maximum if that does not fit a `usize`.
    pub(crate) fn panel_bytes(&self, depth: usize) -> usize {
        (depth / self.block).saturating_mul(self.places.end)
    }

    /// Returns the number of parts in a block.
    #[inline(always)]
    pub(crate) const fn parts(&self) -> usize {
        self.block / self.part
    }
}

impl Codes {
    /// Returns the bytes of the codes of a block in a panel.
    const fn bytes(self, block: usize) -> usize {
        let groups = block / GROUP;
        match self {
            Planes(widths) | Levels(widths, _) => groups * sum(widths) as usize * 64,
            Digits => (groups + (groups * (GROUP / 4 - DIGITS)).div_ceil(4)) * 64,
        }
    }

    /// Returns whether any code, minus the lowest one, exceeds 127.
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

/// Returns the sum of the widths of planes.
#[inline(always)]
pub(crate) const fn sum(widths: &[u32]) -> u32 {
    match widths {
        [] => 0,
        [first] => *first,
        [first, rest @ ..] => *first + sum(rest),
    }
}

impl PartFactor {
    /// Returns the bytes of the factors of `parts` parts.
    const fn bytes(self, parts: usize) -> usize {
        match self {
            One => 0,
            U8 | I8 | Float8 => parts * ROWS,
            U4 | Odd => parts / 2 * ROWS,
        }
    }
}

impl BlockFactor {
    /// Returns the bytes of the factors of all rows.
    const fn bytes(self) -> usize {
        match self {
            F16 => 2 * ROWS,
            F32 => 4 * ROWS,
            Exponent => ROWS,
            Nothing => 0,
        }
    }
}

impl PartPlaces {
    const fn new(codes: usize, parts: usize, factor: PartFactor, whole: BlockFactor, min: Min) -> PartPlaces {
        let mins = codes + factor.bytes(parts);
        let (part_mins, block_mins) = match min {
            Some(part) => (part.bytes(parts), F16.bytes()),
            None => (0, 0),
        };
        let wholes = mins + part_mins;
        let whole_mins = wholes + whole.bytes();
        PartPlaces { factors: codes, mins, wholes, whole_mins, end: whole_mins + block_mins }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panels take at most a tenth more than the files. The exceptions are formats of signs only, which are stored as numbers of two bits,
    /// and points of a grid, whose coordinates are stored as numbers of three or four bits.
    #[test]
    fn panels_are_as_small_as_files() {
        for &scheme in QuantScheme::ALL {
            let layout = PanelFormat::of(scheme);
            let ratio = layout.places.end as f64 / (scheme.block_bytes() * ROWS) as f64;
            let most = match scheme {
                QuantScheme::IQ1_S => 2.05,
                QuantScheme::Q1_0 | QuantScheme::IQ1_M => 1.9,
                QuantScheme::IQ2_XXS => 1.55,
                QuantScheme::IQ2_XS => 1.45,
                QuantScheme::IQ2_S | QuantScheme::IQ3_XXS => 1.4,
                QuantScheme::IQ3_S => 1.25,
                _ => 1.1,
            };
            assert!(ratio <= most, "{scheme}: {ratio}");
        }
    }
}
