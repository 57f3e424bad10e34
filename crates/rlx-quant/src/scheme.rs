//! The table of block formats.
//!
//! A row contains everything that the rest of the project needs to know about a format (QUANT-1; see the docs of this crate).

use crate::arithmetic::{Bytes, Int, PackedBlock};
use crate::{decode, quantize};
use decode::{float4, grid, k, simple, ternary};
use std::fmt;
use std::str::FromStr;

/// The enum and the functions that return what its rows say.
macro_rules! schemes {
    ($($(#[doc = $doc:literal])* $Variant:ident = $name:literal, $id:literal:
        $len:literal values in $bytes:literal bytes, $decode:path, $quantize:path;)*) => {
        /// Block formats of quantized numbers, with the names that ggml gives them.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[allow(non_camel_case_types)] // The names of the formats.
        pub enum QuantScheme { $($(#[doc = $doc])* $Variant,)* }

        impl QuantScheme {
            /// Every format.
            pub const ALL: &'static [Self] = &[$(QuantScheme::$Variant),*];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $(QuantScheme::$Variant => $name),* }
            }

            /// Returns a description of what a block contains.
            pub fn doc(self) -> &'static str {
                match self { $(QuantScheme::$Variant => concat!($($doc),*).trim_ascii()),* }
            }

            /// Returns the number that identifies the format in files (`ggml_type`).
            pub const fn ggml_type(self) -> u32 {
                match self { $(QuantScheme::$Variant => $id),* }
            }

            /// Returns the format with this number.
            pub const fn from_ggml_type(id: u32) -> Option<Self> {
                match id { $($id => Some(QuantScheme::$Variant),)* _ => None }
            }

            /// Number of values per block.
            pub const fn block_len(self) -> usize {
                match self { $(QuantScheme::$Variant => $len),* }
            }

            /// Number of bytes per block.
            pub const fn block_bytes(self) -> usize {
                match self { $(QuantScheme::$Variant => $bytes),* }
            }

            /// Value `i` of a block, in the block's arithmetic.
            #[inline(always)]
            pub fn decode<B: PackedBlock>(self, block: &B, i: &B::Place) -> <B::Int as Int>::Float {
                match self { $(QuantScheme::$Variant => $decode(block, i)),* }
            }

            /// Decodes one block: [`block_bytes`](Self::block_bytes) bytes to [`block_len`](Self::block_len) values. If a slice is shorter,
            /// decodes as much as there is.
            #[inline]
            pub fn decode_block(self, bytes: &[u8], values: &mut [f32]) {
                match self { $(QuantScheme::$Variant => {
                    // For a whole block, the compiler knows the length where its bytes are read.
                    let block = Bytes(bytes.first_chunk::<$bytes>().map_or(bytes, |whole| whole));
                    let values = values.iter_mut().take($len).enumerate();
                    values.for_each(|(i, value)| *value = $decode(&block, &i));
                }),* }
            }

            /// Quantizes one block of [`block_len`](Self::block_len) values, each with its weight in the error that is minimized.
            pub(crate) fn quantize_block(self, values: &[f32], weights: Option<&[f32]>, bytes: &mut [u8]) {
                match self { $(QuantScheme::$Variant => $quantize(values, weights, bytes)),* }
            }
        }

        /// The formats as types, for code that is compiled for each.
        #[allow(non_camel_case_types)] // The names of the formats.
        pub mod formats {
            use super::*;

            $($(#[doc = $doc])* pub enum $Variant {}

            impl Format for $Variant {
                const SCHEME: QuantScheme = QuantScheme::$Variant;

                #[inline(always)]
                fn decode<B: PackedBlock>(block: &B, i: &B::Place) -> <B::Int as Int>::Float {
                    $decode(block, i)
                }
            })*
        }
    };
}

/// A format that is known at compile time.
pub trait Format {
    /// The format.
    const SCHEME: QuantScheme;

    /// Value `i` of a block, in the block's arithmetic.
    fn decode<B: PackedBlock>(block: &B, i: &B::Place) -> <B::Int as Int>::Float;
}

schemes! {
    /// 32 values per block: f16 scale, 32 × i8.
    Q8_0 = "q8_0", 8: 32 values in 34 bytes, simple::q8_0, quantize::simple::q8_0;
    /// 32 values per block: f16 scale, 32 × 4 bits, offset 8.
    Q4_0 = "q4_0", 2: 32 values in 18 bytes, simple::q4_0, quantize::simple::q4_0;
    /// 32 values per block: f16 scale and minimum, 32 × 4 bits.
    Q4_1 = "q4_1", 3: 32 values in 20 bytes, simple::q4_1, quantize::simple::q4_1;
    /// 32 values per block: f16 scale, 32 × 5 bits, offset 16.
    Q5_0 = "q5_0", 6: 32 values in 22 bytes, simple::q5_0, quantize::simple::q5_0;
    /// 32 values per block: f16 scale and minimum, 32 × 5 bits.
    Q5_1 = "q5_1", 7: 32 values in 24 bytes, simple::q5_1, quantize::simple::q5_1;
    /// 32 values per block: f16 scale and sum, 32 × i8. For activations.
    Q8_1 = "q8_1", 9: 32 values in 36 bytes, simple::q8_1, quantize::simple::q8_1;
    /// 128 values per block: f16 scale, 128 signs.
    Q1_0 = "q1_0", 41: 128 values in 18 bytes, simple::q1_0, quantize::simple::q1_0;
    /// 64 values per block: f16 scale, 64 × 2 bits, offset 1.
    Q2_0 = "q2_0", 42: 64 values in 18 bytes, simple::q2_0, quantize::simple::q2_0;
    /// 256 values per block: 16 parts with scales and minimums of 4 bits, 256 × 2 bits.
    Q2_K = "q2_K", 10: 256 values in 84 bytes, k::q2_k, quantize::k::q2_k;
    /// 256 values per block: 16 parts with scales of 6 bits, 256 × 3 bits, offset 4.
    Q3_K = "q3_K", 11: 256 values in 110 bytes, k::q3_k, quantize::k::q3_k;
    /// 256 values per block: 8 parts with scales and minimums of 6 bits, 256 × 4 bits.
    Q4_K = "q4_K", 12: 256 values in 144 bytes, k::q4_k, quantize::k::q4_k;
    /// 256 values per block: 8 parts with scales and minimums of 6 bits, 256 × 5 bits.
    Q5_K = "q5_K", 13: 256 values in 176 bytes, k::q5_k, quantize::k::q5_k;
    /// 256 values per block: 16 parts with scales of 8 bits, 256 × 6 bits, offset 32.
    Q6_K = "q6_K", 14: 256 values in 210 bytes, k::q6_k, quantize::k::q6_k;
    /// 256 values per block: f32 scale, 256 × i8, 16 sums. For activations.
    Q8_K = "q8_K", 15: 256 values in 292 bytes, k::q8_k, quantize::simple::q8_k;
    /// 256 values per block: −1, 0 or 1 times an f16 scale, in base 3.
    TQ1_0 = "tq1_0", 34: 256 values in 54 bytes, ternary::tq1_0, quantize::ternary::tq1_0;
    /// 256 values per block: −1, 0 or 1 times an f16 scale, 2 bits each.
    TQ2_0 = "tq2_0", 35: 256 values in 66 bytes, ternary::tq2_0, quantize::ternary::tq2_0;
    /// 32 values per block: E8M0 scale, 32 × E2M1.
    MXFP4 = "mxfp4", 39: 32 values in 17 bytes, float4::mxfp4, quantize::float4::mxfp4;
    /// 64 values per block: 4 parts with UE4M3 scales, 64 × E2M1.
    NVFP4 = "nvfp4", 40: 64 values in 36 bytes, float4::nvfp4, quantize::float4::nvfp4;
    /// 32 values per block: f16 scale, 32 × one of 16 levels.
    IQ4_NL = "iq4_nl", 20: 32 values in 18 bytes, float4::iq4_nl, quantize::float4::iq4_nl;
    /// 256 values per block: 8 parts with scales of 6 bits, 256 × one of 16 levels.
    IQ4_XS = "iq4_xs", 23: 256 values in 136 bytes, float4::iq4_xs, quantize::float4::iq4_xs;
    /// 256 values per block: 16 parts with scales of 4 bits, 32 × one of 1024 points, signs.
    IQ2_S = "iq2_s", 22: 256 values in 82 bytes, grid::iq2_s, quantize::grid::iq2_s;
    /// 256 values per block: 16 parts with scales of 4 bits, 32 × one of 512 points, an even number of negative signs.
    IQ2_XS = "iq2_xs", 17: 256 values in 74 bytes, grid::iq2_xs, quantize::grid::iq2_xs;
    /// 256 values per block: 8 parts with scales of 4 bits, 32 × one of 256 points, an even number of negative signs.
    IQ2_XXS = "iq2_xxs", 16: 256 values in 66 bytes, grid::iq2_xxs, quantize::grid::iq2_xxs;
    /// 256 values per block: 8 parts with scales of 4 bits, 64 × one of 512 points, signs.
    IQ3_S = "iq3_s", 21: 256 values in 110 bytes, grid::iq3_s, quantize::grid::iq3_s;
    /// 256 values per block: 8 parts with scales of 4 bits, 64 × one of 256 points, an even number of negative signs.
    IQ3_XXS = "iq3_xxs", 18: 256 values in 98 bytes, grid::iq3_xxs, quantize::grid::iq3_xxs;
    /// 256 values per block: 8 parts with scales of 3 bits, 32 × one of 2048 points of −1, 0 and 1.
    IQ1_S = "iq1_s", 19: 256 values in 50 bytes, grid::iq1_s, quantize::grid::iq1_s;
    /// 256 values per block: 16 parts with scales of 3 bits, 32 × one of 2048 points of −1, 0 and 1.
    IQ1_M = "iq1_m", 29: 256 values in 56 bytes, grid::iq1_m, quantize::grid::iq1_m;
}

impl QuantScheme {
    /// Returns whether values are points of a grid, that is, found in tables of hundreds of entries.
    pub const fn is_grid(self) -> bool {
        use QuantScheme::*;
        matches!(self, IQ1_S | IQ1_M | IQ2_XXS | IQ2_XS | IQ2_S | IQ3_XXS | IQ3_S)
    }

    /// Decodes whole blocks. Ignores a last block that is incomplete, and values that do not fit the output.
    pub fn dequantize(self, bytes: &[u8], values: &mut [f32]) {
        let blocks = bytes.chunks_exact(self.block_bytes());
        blocks.zip(values.chunks_exact_mut(self.block_len())).for_each(|(b, v)| self.decode_block(b, v));
    }

    /// Returns the bytes of `values` values; `None` if they are not whole blocks or if the result does not fit a `usize`.
    pub const fn bytes_of(self, values: usize) -> Option<usize> {
        if !values.is_multiple_of(self.block_len()) {
            return None;
        }
        (values / self.block_len()).checked_mul(self.block_bytes())
    }
}

impl fmt::Display for QuantScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for QuantScheme {
    type Err = UnknownScheme;

    /// Parses the name of a format, ignoring case.
    fn from_str(name: &str) -> Result<Self, UnknownScheme> {
        let found = Self::ALL.iter().find(|scheme| scheme.name().eq_ignore_ascii_case(name));
        found.copied().ok_or_else(|| UnknownScheme(name.to_string()))
    }
}

/// No format has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownScheme(String);

impl fmt::Display for UnknownScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = QuantScheme::ALL.iter().map(|scheme| scheme.name()).collect();
        write!(f, "unknown quantization format {:?}; the formats are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownScheme {}
