//! What a block is made of: whole numbers, and the factors that they are multiplied with. The row of a format is run over an
//! arithmetic that keeps these apart, so that nothing here knows how a format lays out its bits.

use rlx_quant::arithmetic::{Float, Real};

/// A value as `whole · part · code − min_whole · min_part`. Of what decoders compute, some factors are there and some are 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine {
    /// What the factors are, where decoding has not gone further.
    state: Progress,
    /// The factor of the block.
    pub(crate) whole: f32,
    /// The factor of a part of the block.
    pub(crate) part: i32,
    /// The number of the value itself.
    pub(crate) code: i32,
    /// The factor of smallest values of the block.
    pub(crate) min_whole: f32,
    /// That of the part.
    pub(crate) min_part: i32,
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
    pub(crate) const ONE: Affine =
        Affine { state: Progress::Code, whole: 1.0, part: 1, code: 1, min_whole: 0.0, min_part: 1 };
}

impl Float for Affine {
    /// Of a code, one with a factor of its own whose inverse is a whole number; of a product, a smallest value to come on top.
    #[inline(always)]
    fn plus(&self, other: &Affine) -> Affine {
        if self.state == Progress::Code {
            let code = (self.code as f32 / other.whole) as i32 + other.code;
            return Affine { state: Progress::Product, whole: other.whole, code, ..*self };
        }
        Affine { min_whole: -other.whole, min_part: other.code, ..*self }
    }

    #[inline(always)]
    fn minus(&self, other: &Affine) -> Affine {
        Affine { min_whole: other.whole, min_part: other.code, ..*self }
    }

    /// The product: what was a code becomes the factor of a part once it is multiplied with another code.
    #[inline(always)]
    fn times(&self, other: &Affine) -> Affine {
        let whole = self.whole * other.whole;
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
        Affine { state, whole: self.whole * factor, ..*self }
    }

    /// Of a code and a half, twice the code and one by a factor of a half.
    #[inline(always)]
    fn offset(&self, distance: f32) -> Affine {
        let code = (self.code as f32 / distance) as i32 + 1;
        Affine { state: Progress::Product, whole: distance, code, ..*self }
    }
}

impl Real for Affine {
    #[inline(always)]
    fn integer(code: i32) -> Affine {
        Affine { code, ..Affine::ONE }
    }

    #[inline(always)]
    fn real(whole: f32) -> Affine {
        Affine { state: Progress::Whole, whole, ..Affine::ONE }
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
            for _ in 0..64 {
                let mut block: Vec<u8> = (0..scheme.block_bytes()).map(|_| byte()).collect();
                // No exponent of a scale that means infinity.
                block.iter_mut().for_each(|b| *b &= !0x40);
                let mut expected = vec![0f32; scheme.block_len()];
                scheme.dequantize(&block, &mut expected);
                let mut found = vec![Affine::ONE; expected.len()];
                scheme.decode_each(&block, 1, &mut found, |value: Affine| value);
                for (i, (&expected, v)) in expected.iter().zip(found).enumerate() {
                    let min = f64::from(v.min_whole) * f64::from(v.min_part);
                    let scaled = f64::from(v.whole) * f64::from(v.part) * f64::from(v.code);
                    let room = (scaled.abs() + min.abs()) * 1e-6;
                    assert!(
                        ((scaled - min) - f64::from(expected)).abs() <= room,
                        "{scheme} {i}: {v:?}, {expected}"
                    );
                }
            }
        }
    }
}
