//! Splits blocks into levels, scales and minimums: a value is `level · scale + min`. Levels are integers, and each part of a block has one
//! scale and one minimum. The decoders themselves find them, by running on numbers that remember how they were computed, so nothing here
//! knows how a format lays out its bits. Formats whose values are points of a grid cannot be split this way.

use crate::arithmetic::{Bytes, Float, Int, PackedBlock};
use crate::decode::float4;
use crate::scheme::QuantScheme;

/// The parts of a value: `level · scale + min`, where each step is rounded to f32.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leveled {
    /// The integer that only this value has.
    pub level: i32,
    /// The scale of the value's part.
    pub scale: f32,
    /// The minimum of the value's part; 0 if the format has none.
    pub min: f32,
    /// Whether it was computed only from an integer, so that it may become the level of a product.
    whole: bool,
}

impl Leveled {
    /// Returns the value.
    pub fn value(&self) -> f32 {
        self.product() + self.min
    }

    fn product(&self) -> f32 {
        self.level as f32 * self.scale
    }

    /// Creates a float without a level.
    fn of(scale: f32) -> Leveled {
        Leveled { level: 1, scale, min: 0.0, whole: false }
    }
}

impl Float for Leveled {
    /// What is added to a product is its minimum.
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Leveled { min: self.min + other.value(), whole: false, ..*self }
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Leveled { min: self.min - other.value(), whole: false, ..*self }
    }

    /// The last integer factor of a product is its level.
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        let (level, scale) = match (self.whole, other.whole) {
            (true, false) => (self, other),
            _ => (other, self),
        };
        Leveled { level: level.level, scale: scale.product(), min: 0.0, whole: false }
    }

    #[inline(always)]
    fn scaled(&self, factor: f32) -> Self {
        Leveled { scale: self.scale * factor, min: self.min * factor, whole: false, ..*self }
    }

    #[inline(always)]
    fn offset(&self, distance: f32) -> Self {
        Leveled { min: self.min + distance, whole: false, ..*self }
    }
}

/// An integer whose floats are [`Leveled`].
#[derive(Clone)]
struct Whole(i32);

impl Int for Whole {
    type Float = Leveled;

    #[inline(always)]
    fn constant(&self, value: i32) -> Self {
        Whole(value)
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Whole(self.0.plus(&other.0))
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Whole(Int::minus(&self.0, &other.0))
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        Whole(Int::times(&self.0, &other.0))
    }

    #[inline(always)]
    fn and(&self, other: &Self) -> Self {
        Whole(self.0 & other.0)
    }

    #[inline(always)]
    fn or(&self, other: &Self) -> Self {
        Whole(self.0 | other.0)
    }

    #[inline(always)]
    fn xor(&self, other: &Self) -> Self {
        Whole(self.0 ^ other.0)
    }

    #[inline(always)]
    fn shl(&self, distance: &Self) -> Self {
        Whole(self.0.shl(&distance.0))
    }

    #[inline(always)]
    fn shr(&self, distance: &Self) -> Self {
        Whole(self.0.shr(&distance.0))
    }

    #[inline(always)]
    fn below(&self, limit: i32) -> Self {
        Whole(self.0.below(limit))
    }

    #[inline(always)]
    fn lookup(&self, table: &'static [u16]) -> Self {
        Whole(self.0.lookup(table))
    }

    #[inline(always)]
    fn float(&self) -> Leveled {
        Leveled { level: self.0, scale: 1.0, min: 0.0, whole: true }
    }

    #[inline(always)]
    fn half(&self) -> Leveled {
        Leveled::of(self.0.half())
    }

    #[inline(always)]
    fn single(&self) -> Leveled {
        Leveled::of(self.0.single())
    }
}

/// The bytes of a block that is to be split.
struct Apart<'a>(Bytes<'a>);

impl PackedBlock for Apart<'_> {
    type Place = usize;
    type Int = Whole;

    #[inline(always)]
    fn byte(&self, at: &usize) -> Whole {
        Whole(self.0.byte(at))
    }

    #[inline(always)]
    fn int(&self, place: &usize) -> Whole {
        Whole(self.0.int(place))
    }
}

/// How the values of a format are made of levels, scales and minimums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelForm {
    /// Number of values in a part; they have one scale and one minimum.
    pub part: usize,
    /// The possible levels.
    pub levels: Levels,
    /// Whether parts have minimums.
    pub has_min: bool,
    /// Whether scales can exceed the range of f16.
    pub is_wide: bool,
}

/// The levels of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Levels {
    /// All integers from the first to the second, inclusive.
    Range(i32, i32),
    /// −1 and 1.
    Signs,
    /// The levels of the IQ4 formats.
    Iq4,
    /// Twice the numbers of E2M1.
    E2m1,
}

impl Levels {
    /// Returns the levels in ascending order.
    pub fn list(self) -> Vec<i32> {
        let mut list: Vec<i32> = match self {
            Levels::Range(first, last) => (first..=last).collect(),
            Levels::Signs => vec![-1, 1],
            Levels::Iq4 => (0..16).map(|bits| float4::level(&bits)).collect(),
            Levels::E2m1 => (0..16).map(|bits| float4::doubled(&bits)).collect(),
        };
        list.sort_unstable();
        list.dedup();
        list
    }
}

impl QuantScheme {
    /// Returns how values are made of levels, scales and minimums; `None` if they are points of a grid.
    pub const fn level_form(self) -> Option<LevelForm> {
        use Levels::Range;
        use QuantScheme::*;
        let (part, levels, has_min) = match self {
            Q4_0 => (32, Range(-8, 7), false),
            Q4_1 => (32, Range(0, 15), true),
            Q5_0 => (32, Range(-16, 15), false),
            Q5_1 => (32, Range(0, 31), true),
            Q8_0 | Q8_1 => (32, Range(-128, 127), false),
            Q8_K => (256, Range(-128, 127), false),
            Q1_0 => (128, Levels::Signs, false),
            Q2_0 => (64, Range(-1, 2), false),
            Q2_K => (16, Range(0, 3), true),
            Q3_K => (16, Range(-4, 3), false),
            Q4_K => (32, Range(0, 15), true),
            Q5_K => (32, Range(0, 31), true),
            Q6_K => (16, Range(-32, 31), false),
            TQ1_0 => (256, Range(-1, 1), false),
            TQ2_0 => (256, Range(-1, 2), false),
            MXFP4 => (32, Levels::E2m1, false),
            NVFP4 => (16, Levels::E2m1, false),
            IQ4_NL | IQ4_XS => (32, Levels::Iq4, false),
            IQ1_S | IQ1_M | IQ2_XXS | IQ2_XS | IQ2_S | IQ3_XXS | IQ3_S => return None,
        };
        let is_wide = matches!(self, Q8_K | MXFP4);
        Some(LevelForm { part, levels, has_min, is_wide })
    }

    /// Returns the parts of value `i` of a block.
    #[inline]
    pub fn leveled(self, block: &[u8], i: usize) -> Leveled {
        self.decode(&Apart(Bytes(block)), &i)
    }

    /// Writes the levels of all values of a block.
    pub fn levels_of(self, block: &[u8], levels: &mut [i8]) {
        let block = Apart(Bytes(block));
        for (i, level) in levels.iter_mut().take(self.block_len()).enumerate() {
            *level = self.decode(&block, &i).level as i8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns blocks of pseudo-random bytes whose scales are not NaN.
    fn blocks(scheme: QuantScheme) -> impl Iterator<Item = Vec<u8>> {
        let mut state = 0x2545_F491_4F6C_DD1Du64 ^ u64::from(scheme.ggml_type());
        (0..200).map(move |_| {
            let byte = |state: &mut u64| {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                (*state >> 33) as u8
            };
            (0..scheme.block_bytes()).map(|_| byte(&mut state)).collect()
        })
    }

    #[test]
    fn what_values_are_made_of_gives_them_and_is_as_the_form_says() {
        for &scheme in QuantScheme::ALL {
            let Some(form) = scheme.level_form() else { continue };
            let list = form.levels.list();
            let mut seen = std::collections::BTreeSet::new();
            for block in blocks(scheme) {
                let mut values = vec![0.0; scheme.block_len()];
                scheme.decode_block(&block, &mut values);
                for (i, value) in values.iter().enumerate() {
                    let found = scheme.leveled(&block, i);
                    let same =
                        found.value().to_bits() == value.to_bits() || (found.value(), *value) == (0.0, 0.0);
                    assert!(
                        same || (found.value().is_nan() && value.is_nan()),
                        "{scheme} {i}: {found:?} of {value}"
                    );
                    assert!(list.contains(&found.level), "{scheme}: {found:?}");
                    let first = scheme.leveled(&block, i / form.part * form.part);
                    assert_eq!(
                        [found.scale, found.min].map(f32::to_bits),
                        [first.scale, first.min].map(f32::to_bits),
                        "{scheme} {i}"
                    );
                    assert!(form.has_min || found.min == 0.0, "{scheme}: {found:?}");
                    seen.insert(found.level);
                }
            }
            assert!(list.iter().all(|level| seen.contains(level)), "{scheme}: {seen:?} of {list:?}");
        }
    }
}
