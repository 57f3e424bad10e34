//! How the block formats of quantised storage (GGUF) lay out their bytes. Everything that reads packed weights, the
//! evaluator and the backends' packers, decodes them here.

use crate::dtype::DType;
use crate::numeric::Scalar;
use crate::op::kinds::QuantScheme;

impl QuantScheme {
    /// Decodes one block: [`block_bytes`](Self::block_bytes) bytes into [`block_len`](Self::block_len) values. Of
    /// shorter slices as much as there is.
    #[inline] // So that kernels compile it for the instruction set that they run with.
    pub fn decode_block(self, bytes: &[u8], values: &mut [f32]) {
        let Some((scale, quants)) = bytes.split_at_checked(2) else { return };
        let scale = Scalar::read(DType::F16, scale).to_f64() as f32;
        match self {
            QuantScheme::Q8_0 => {
                values.iter_mut().zip(quants).for_each(|(v, &q)| *v = scale * f32::from(q as i8));
            }
            QuantScheme::Q4_0 => {
                // The low halves of all bytes come first, then the high ones.
                let nibbles = quants.iter().map(|q| q & 15).chain(quants.iter().map(|q| q >> 4));
                values.iter_mut().zip(nibbles).for_each(|(v, q)| *v = scale * (f32::from(q) - 8.0));
            }
        }
    }
}
