//! Swaps the byte order of blocks, that is, of their fields that have more than one byte.

use crate::QuantScheme;

/// The fields of a block that have more than one byte: the position of the first, the size of each in bytes, and how many follow one
/// another.
const fn fields(scheme: QuantScheme) -> &'static [(usize, usize, usize)] {
    match scheme {
        QuantScheme::MXFP4 | QuantScheme::NVFP4 => &[],
        QuantScheme::Q8_0 | QuantScheme::Q4_0 | QuantScheme::Q1_0 | QuantScheme::Q2_0 => &[(0, 2, 1)],
        QuantScheme::IQ4_NL | QuantScheme::IQ2_S | QuantScheme::IQ3_S => &[(0, 2, 1)],
        QuantScheme::Q4_1 | QuantScheme::Q8_1 | QuantScheme::Q4_K | QuantScheme::Q5_K => &[(0, 2, 2)],
        QuantScheme::IQ4_XS => &[(0, 2, 2)],
        QuantScheme::Q5_0 => &[(0, 2, 1), (2, 4, 1)],
        QuantScheme::Q5_1 => &[(0, 2, 2), (4, 4, 1)],
        QuantScheme::Q2_K => &[(80, 2, 2)],
        QuantScheme::Q3_K => &[(108, 2, 1)],
        QuantScheme::Q6_K => &[(208, 2, 1)],
        QuantScheme::Q8_K => &[(0, 4, 1), (260, 2, 16)],
        QuantScheme::TQ1_0 => &[(52, 2, 1)],
        QuantScheme::TQ2_0 => &[(64, 2, 1)],
        QuantScheme::IQ2_XS => &[(0, 2, 33)],
        QuantScheme::IQ2_XXS => &[(0, 2, 1), (2, 4, 16)],
        QuantScheme::IQ3_XXS => &[(0, 2, 1), (66, 4, 8)],
        QuantScheme::IQ1_S => &[(0, 2, 1), (34, 2, 8)],
        QuantScheme::IQ1_M => &[(48, 2, 4)],
    }
}

impl QuantScheme {
    /// Reverses the bytes of each field that has more than one byte. Decoding reads the least significant byte first.
    pub fn swap_bytes(self, block: &mut [u8]) {
        for &(first, bytes, count) in fields(self) {
            if let Some(fields) = block.get_mut(first..first + bytes * count) {
                fields.chunks_exact_mut(bytes).for_each(<[u8]>::reverse);
            }
        }
    }
}
