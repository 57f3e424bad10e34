//! Weights in packed blocks as MLX has them: codes in words, a scale and a number to add for each group. Values are the same, bit for bit.

use rlx_ir::QuantScheme;
use rlx_quant::Levels;
use std::ffi::CStr;

/// How a format of blocks becomes one of MLX's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Packing {
    pub(crate) scheme: QuantScheme,
    /// Bits of a code.
    pub(crate) bits: usize,
    /// Weights of a group.
    pub(crate) group: usize,
    /// Values of a part of a block, which have one scale. Where it is half a group, the other half is zeros, of x too.
    part: usize,
    /// The level of code 0; codes of E2M1 where there is none.
    first: Option<i32>,
}

/// Packed weights of some rows.
pub(crate) struct PackedBytes {
    /// Words of 32 bits, little-endian.
    pub(crate) words: Vec<u8>,
    /// f32, or exponents of E8M0 in the format of E2M1.
    pub(crate) scales: Vec<u8>,
    /// f32; empty in the format of E2M1.
    pub(crate) biases: Vec<u8>,
}

impl Packing {
    /// How a format is packed for MLX; none for those whose values are no levels at equal distances.
    pub(crate) fn of(scheme: QuantScheme) -> Option<Packing> {
        if scheme == QuantScheme::MXFP4 {
            return Some(Packing { scheme, bits: 4, group: 32, part: 32, first: None });
        }
        let form = scheme.level_form()?;
        let (first, last) = match form.levels {
            Levels::Range(first, last) => (first, last),
            Levels::Signs => (-1, 1),
            Levels::Iq4 | Levels::E2m1 => return None,
        };
        // Codes times scales of f16 are exact in f32, those of f32 are not.
        if form.is_wide {
            return None;
        }
        let count = last - first + 1;
        let bits = [2, 3, 4, 5, 6, 8].into_iter().find(|&bits| count <= 1 << bits)?;
        let group = form.part.clamp(32, 128);
        Some(Packing { scheme, bits, group, part: form.part, first: Some(first) })
    }

    /// How many arrays packed weights are: words, scales, and what is added in the affine format.
    pub(crate) fn arrays(&self) -> usize {
        if self.first.is_some() { 3 } else { 2 }
    }

    /// MLX's name of the format.
    pub(crate) fn mode(&self) -> &'static CStr {
        if self.first.is_some() { c"affine" } else { c"mxfp4" }
    }

    /// Codes per value: 2 where each part of a block is half a group.
    pub(crate) fn spread(&self) -> usize {
        self.group.div_ceil(self.part)
    }

    /// The values of a row of so many bytes of blocks; none where they make no whole groups.
    pub(crate) fn values(&self, row_bytes: usize) -> Option<usize> {
        let blocks = row_bytes / self.scheme.block_bytes();
        let values = blocks * self.scheme.block_len();
        (values > 0 && (values * self.spread()).is_multiple_of(self.group)).then_some(values)
    }

    /// Rows of blocks, packed anew.
    pub(crate) fn pack(&self, bytes: &[u8]) -> PackedBytes {
        let blocks = bytes.chunks_exact(self.scheme.block_bytes());
        let per_block = self.scheme.block_len();
        let mut levels = vec![0i8; per_block];
        let mut codes = vec![0u8; per_block * self.spread()];
        let mut packed = PackedBytes { words: Vec::new(), scales: Vec::new(), biases: Vec::new() };
        packed.words.reserve(blocks.len() * codes.len() * self.bits / 8);
        for block in blocks {
            match self.first {
                Some(first) => self.affine(block, first, &mut levels, &mut codes, &mut packed),
                None => self.e2m1(block, &mut codes, &mut packed),
            }
            self.push_codes(&codes, &mut packed.words);
        }
        packed
    }

    fn affine(
        &self,
        block: &[u8],
        first: i32,
        levels: &mut [i8],
        codes: &mut [u8],
        packed: &mut PackedBytes,
    ) {
        self.scheme.levels_of(block, levels);
        for (start, part) in levels.chunks(self.part).enumerate() {
            let at = start * self.part * self.spread();
            for (code, &level) in codes[at..].iter_mut().zip(part) {
                *code = (i32::from(level) - first) as u8;
            }
        }
        for start in (0..levels.len()).step_by(self.part.min(self.group)) {
            let made = self.scheme.leveled(block, start);
            packed.scales.extend(made.scale.to_le_bytes());
            packed.biases.extend((made.scale * first as f32 + made.min).to_le_bytes());
        }
    }

    /// Blocks of E2M1 with an exponent: the codes are the same, in another order.
    fn e2m1(&self, block: &[u8], codes: &mut [u8], packed: &mut PackedBytes) {
        let (exponent, nibbles) = (block[0], &block[1..]);
        for (i, byte) in nibbles.iter().enumerate() {
            codes[i] = byte & 15;
            codes[i + nibbles.len()] = byte >> 4;
        }
        packed.scales.push(exponent);
    }

    /// Codes one behind the other, the lowest bits first.
    fn push_codes(&self, codes: &[u8], words: &mut Vec<u8>) {
        let (mut held, mut count) = (0u32, 0);
        for &code in codes {
            held |= u32::from(code) << count;
            count += self.bits;
            while count >= 8 {
                words.push(held as u8);
                held >>= 8;
                count -= 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that MLX makes of packed weights, by its definition.
    fn values(packing: Packing, packed: &PackedBytes) -> Vec<f32> {
        let f32s = |bytes: &[u8]| -> Vec<f32> {
            bytes.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        };
        let count = packed.words.len() * 8 / packing.bits;
        let code = |i: usize| {
            let bit = |b: usize| u32::from(packed.words[b / 8] >> (b % 8) & 1);
            (0..packing.bits).fold(0, |code, k| code | bit(i * packing.bits + k) << k)
        };
        const E2M1: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
        if packing.first.is_none() {
            let value = |i: usize| {
                let (code, scale) = (code(i) as usize, packed.scales[i / packing.group]);
                let sign = if code & 8 == 0 { 1.0 } else { -1.0 };
                sign * E2M1[code & 7] * 2f64.powi(i32::from(scale) - 127) as f32
            };
            return (0..count).map(value).collect();
        }
        let (scales, biases) = (f32s(&packed.scales), f32s(&packed.biases));
        (0..count).map(|i| code(i) as f32 * scales[i / packing.group] + biases[i / packing.group]).collect()
    }

    #[test]
    fn values_are_those_of_the_blocks() {
        let mut packed_formats = 0;
        for &scheme in QuantScheme::ALL {
            let Some(packing) = Packing::of(scheme) else { continue };
            packed_formats += 1;
            let mut state = 0x2545_F491_4F6C_DD1Du64 ^ u64::from(scheme.ggml_type());
            let mut byte = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                // Scales of small exponents: no infinities, no NaN.
                (state >> 33) as u8 & 0x3b
            };
            let blocks = 128 / scheme.block_len().min(128) * 4;
            let bytes: Vec<u8> = (0..blocks * scheme.block_bytes()).map(|_| byte()).collect();
            let mut wanted = vec![0f32; blocks * scheme.block_len()];
            scheme.dequantize(&bytes, &mut wanted);
            let got = values(packing, &packing.pack(&bytes));
            let part = packing.part.min(packing.group);
            for (i, &wanted) in wanted.iter().enumerate() {
                let at = i / part * part * packing.spread() + i % part;
                // Where parts have smallest values one more rounding is made.
                let off = if scheme.level_form().is_some_and(|form| form.has_min) { 1.2e-7 } else { 0.0 };
                let apart = (got[at] - wanted).abs();
                assert!(
                    apart <= off * wanted.abs().max(got[at].abs()),
                    "{scheme} {i}: {} of {wanted}",
                    got[at]
                );
            }
        }
        assert!(packed_formats >= 14, "{packed_formats}");
    }
}
