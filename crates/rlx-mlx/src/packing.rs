//! Converts packed blocks to MLX's layout: codes in words, with a scale and a bias per group. The values are bit-identical.

use rlx_ir::QuantScheme;
use rlx_quant::Levels;
use std::ffi::CStr;

/// How a format of blocks is converted to a format of MLX.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Packing {
    pub(crate) scheme: QuantScheme,
    /// Bits per code.
    pub(crate) bits: usize,
    /// Weights per group.
    pub(crate) group: usize,
    /// Values in a part of a block with one scale. If that is half a group, the other half is zeros, in x too.
    part: usize,
    /// The level of code 0, or `None` if codes are E2M1 numbers.
    first: Option<i32>,
}

/// Packed weights of some rows.
pub(crate) struct PackedBytes {
    /// Little-endian 32-bit words.
    pub(crate) words: Vec<u8>,
    /// f32 scales; for formats with E2M1 codes, one byte each in E8M0 or E4M3.
    pub(crate) scales: Vec<u8>,
    /// f32 biases; empty for formats with E2M1 codes.
    pub(crate) biases: Vec<u8>,
}

/// A scale of a block that MLX's formats cannot represent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a block of {scheme} has the scale 0x{byte:02x}, which is NaN in MLX's {mode}")]
pub(crate) struct ScaleError {
    scheme: QuantScheme,
    byte: u8,
    mode: &'static str,
}

impl Packing {
    /// Returns how a format is packed for MLX. Returns `None` unless its values are levels at equal distances, or E2M1 numbers with 8-bit
    /// scales.
    pub(crate) fn of(scheme: QuantScheme) -> Option<Packing> {
        match scheme {
            QuantScheme::MXFP4 => {
                return Some(Packing { scheme, bits: 4, group: 32, part: 32, first: None });
            }
            QuantScheme::NVFP4 => {
                return Some(Packing { scheme, bits: 4, group: 16, part: 16, first: None });
            }
            _ => (),
        }
        let form = scheme.level_form()?;
        let (first, last) = match form.levels {
            Levels::Range(first, last) => (first, last),
            Levels::Signs => (-1, 1),
            Levels::Iq4 | Levels::E2m1 => return None,
        };
        // Products of codes and f16 scales are exact in f32; those with f32 scales are not.
        if form.is_wide {
            return None;
        }
        let count = last - first + 1;
        let bits = [2, 3, 4, 5, 6, 8].into_iter().find(|&bits| count <= 1 << bits)?;
        let group = form.part.clamp(32, 128);
        Some(Packing { scheme, bits, group, part: form.part, first: Some(first) })
    }

    /// Returns the number of arrays of packed weights: words, scales, and biases in the affine format.
    pub(crate) fn arrays(&self) -> usize {
        if self.first.is_some() { 3 } else { 2 }
    }

    /// Returns MLX's name of the format.
    pub(crate) fn mode(&self) -> &'static CStr {
        match (self.first, self.scheme) {
            (Some(_), _) => c"affine",
            (None, QuantScheme::NVFP4) => c"nvfp4",
            (None, _) => c"mxfp4",
        }
    }

    /// Returns the number of codes per value, which is 2 if each part of a block is half a group.
    pub(crate) fn spread(&self) -> usize {
        self.group.div_ceil(self.part)
    }

    /// Returns the number of values in a row of blocks with this many bytes, or `None` if they do not form whole groups.
    pub(crate) fn values(&self, row_bytes: usize) -> Option<usize> {
        let blocks = row_bytes / self.scheme.block_bytes();
        let values = blocks * self.scheme.block_len();
        (values > 0 && (values * self.spread()).is_multiple_of(self.group)).then_some(values)
    }

    /// Converts rows of blocks to MLX's layout.
    pub(crate) fn pack(&self, bytes: &[u8]) -> Result<PackedBytes, ScaleError> {
        let blocks = bytes.chunks_exact(self.scheme.block_bytes());
        let per_block = self.scheme.block_len();
        let mut levels = vec![0i8; per_block];
        let mut codes = vec![0u8; per_block * self.spread()];
        let mut packed = PackedBytes { words: Vec::new(), scales: Vec::new(), biases: Vec::new() };
        packed.words.reserve(blocks.len() * codes.len() * self.bits / 8);
        for block in blocks {
            match self.first {
                Some(first) => self.affine(block, first, &mut levels, &mut codes, &mut packed),
                None => self.e2m1(block, &mut codes, &mut packed)?,
            }
            self.push_codes(&codes, &mut packed.words);
        }
        Ok(packed)
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

    /// Converts blocks of E2M1 numbers with a scale per group. The codes are the same, in another order.
    fn e2m1(&self, block: &[u8], codes: &mut [u8], packed: &mut PackedBytes) -> Result<(), ScaleError> {
        let (scales, nibbles) = block.split_at(self.scheme.block_len() / self.group);
        for &scale in scales {
            packed.scales.push(self.scale(scale)?);
        }
        let groups = codes.chunks_exact_mut(self.group).zip(nibbles.chunks_exact(self.group / 2));
        for (codes, nibbles) in groups {
            let (low, high) = codes.split_at_mut(nibbles.len());
            for ((low, high), byte) in low.iter_mut().zip(high).zip(nibbles) {
                (*low, *high) = (byte & 15, byte >> 4);
            }
        }
        Ok(())
    }

    /// Converts a scale of a format with E2M1 codes. The scale with all bits set is a number in blocks, but NaN in MLX.
    fn scale(&self, byte: u8) -> Result<u8, ScaleError> {
        let fails = |mode| Err(ScaleError { scheme: self.scheme, byte, mode });
        match (self.scheme, byte) {
            (QuantScheme::NVFP4, 0xff) => fails("nvfp4"),
            // A scale that would be NaN without its sign means 0, and signs are ignored.
            (QuantScheme::NVFP4, 0x7f) => Ok(0),
            (QuantScheme::NVFP4, _) => Ok(byte & 0x7f),
            (_, 0xff) => fails("mxfp4"),
            (_, _) => Ok(byte),
        }
    }

    /// Packs consecutive codes, lowest bits first.
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

    /// Returns the values that MLX's definition assigns to packed weights.
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
            let scale = |byte: u8| match packing.scheme {
                QuantScheme::NVFP4 => {
                    let (exponent, fraction) = (i32::from(byte >> 3), f32::from(byte & 7) / 8.0);
                    let lead = if exponent == 0 { 0.0 } else { 1.0 };
                    (lead + fraction) * 2f32.powi(exponent.max(1) - 7)
                }
                _ => 2f64.powi(i32::from(byte) - 127) as f32,
            };
            let value = |i: usize| {
                let code = code(i) as usize;
                let sign = if code & 8 == 0 { 1.0 } else { -1.0 };
                sign * E2M1[code & 7] * scale(packed.scales[i / packing.group])
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
                // Small exponents, so that scales are neither infinite nor NaN.
                (state >> 33) as u8 & 0x3b
            };
            let blocks = 128 / scheme.block_len().min(128) * 4;
            let bytes: Vec<u8> = (0..blocks * scheme.block_bytes()).map(|_| byte()).collect();
            let mut wanted = vec![0f32; blocks * scheme.block_len()];
            scheme.dequantize(&bytes, &mut wanted);
            let got = values(packing, &packing.pack(&bytes).expect("scales that MLX has"));
            let part = packing.part.min(packing.group);
            for (i, &wanted) in wanted.iter().enumerate() {
                let at = i / part * part * packing.spread() + i % part;
                // Formats with minimum values per part round once more.
                let off = if scheme.level_form().is_some_and(|form| form.has_min) { 1.2e-7 } else { 0.0 };
                let apart = (got[at] - wanted).abs();
                assert!(
                    apart <= off * wanted.abs().max(got[at].abs()),
                    "{scheme} {i}: {} of {wanted}",
                    got[at]
                );
            }
        }
        assert!(packed_formats >= 15, "{packed_formats}");
    }
}
