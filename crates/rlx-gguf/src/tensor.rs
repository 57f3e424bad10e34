//! The types of tensors, and access to one tensor of a file.

use crate::error::{GgufError, Problem};
use rlx_files::display::quoted;
use rlx_ir::{DType, QuantScheme};
use std::borrow::Cow;
use std::fmt;

/// How a tensor's values are stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TensorType {
    /// As numbers.
    Plain(DType),
    /// As quantized blocks along the last dimension.
    Blocks(QuantScheme),
}

/// The numbers of element types in files.
const PLAIN: [(u32, DType); 8] = [
    (0, DType::F32),
    (1, DType::F16),
    (24, DType::I8),
    (25, DType::I16),
    (26, DType::I32),
    (27, DType::I64),
    (28, DType::F64),
    (30, DType::BF16),
];

/// Types that ggml removed, with the formats that they were.
const REMOVED: [(u32, &str); 8] = [
    (4, "q4_2"),
    (5, "q4_3"),
    (31, "q4_0_4_4"),
    (32, "q4_0_4_8"),
    (33, "q4_0_8_8"),
    (36, "iq4_nl_4_4"),
    (37, "iq4_nl_4_8"),
    (38, "iq4_nl_8_8"),
];

impl TensorType {
    /// Returns the type with this number.
    pub(crate) fn from_id(id: u32) -> Result<Self, Problem> {
        if let Some(&(_, dtype)) = PLAIN.iter().find(|row| row.0 == id) {
            return Ok(TensorType::Plain(dtype));
        }
        if let Some(scheme) = QuantScheme::from_ggml_type(id) {
            return Ok(TensorType::Blocks(scheme));
        }
        let why = match REMOVED.iter().find(|row| row.0 == id) {
            Some((_, name)) => format!("({name}) was removed from ggml; convert the model again"),
            None => "is not known; update RLX, or convert the model to a known type".into(),
        };
        Err(Problem::TensorType { id, why })
    }

    /// Returns the number of the type, or `None` for element types without a number in GGUF.
    pub fn id(self) -> Option<u32> {
        match self {
            TensorType::Plain(dtype) => PLAIN.iter().find(|row| row.1 == dtype).map(|row| row.0),
            TensorType::Blocks(scheme) => Some(scheme.ggml_type()),
        }
    }

    /// Returns the values and bytes of the smallest unit: one number, or one block.
    pub fn block(self) -> (usize, usize) {
        match self {
            TensorType::Plain(dtype) => (1, dtype.size()),
            TensorType::Blocks(scheme) => (scheme.block_len(), scheme.block_bytes()),
        }
    }

    /// Returns ggml's name of the type.
    pub fn name(self) -> &'static str {
        match self {
            TensorType::Plain(dtype) => dtype.name(),
            TensorType::Blocks(scheme) => scheme.name(),
        }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One tensor of a file.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    pub(crate) name: &'a str,
    pub(crate) stored: TensorType,
    pub(crate) shape: &'a [usize],
    pub(crate) bytes: &'a [u8],
    pub(crate) big_endian: bool,
}

impl<'a> TensorView<'a> {
    /// Returns the name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the type.
    pub fn stored_type(&self) -> TensorType {
        self.stored
    }

    /// Returns the dimensions; the contiguous one comes last (in the file it is first).
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes as they are in the file.
    pub fn stored_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the bytes in little-endian order. They are only copied if the file is big-endian.
    pub fn bytes(&self) -> Cow<'a, [u8]> {
        if !self.big_endian {
            return Cow::Borrowed(self.bytes);
        }
        let mut bytes = self.bytes.to_vec();
        match self.stored {
            TensorType::Plain(dtype) => bytes.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse),
            TensorType::Blocks(scheme) => {
                bytes.chunks_exact_mut(scheme.block_bytes()).for_each(|block| scheme.swap_bytes(block));
            }
        }
        Cow::Owned(bytes)
    }

    /// Converts the values to f32.
    ///
    /// # Errors
    /// Returns [`GgufError::NotFloat`] for integers.
    pub fn to_f32(&self) -> Result<Vec<f32>, GgufError> {
        let bytes = self.bytes();
        fn numbers<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> f32) -> Vec<f32> {
            let each = |chunk: &[u8]| {
                let mut number = [0; N];
                number.copy_from_slice(chunk);
                value(number)
            };
            bytes.chunks_exact(N).map(each).collect()
        }
        Ok(match self.stored {
            TensorType::Plain(DType::F32) => numbers(&bytes, f32::from_le_bytes),
            TensorType::Plain(DType::F64) => numbers(&bytes, |b| f64::from_le_bytes(b) as f32),
            TensorType::Plain(DType::F16) => numbers(&bytes, |b| half::f16::from_le_bytes(b).to_f32()),
            TensorType::Plain(DType::BF16) => numbers(&bytes, |b| half::bf16::from_le_bytes(b).to_f32()),
            TensorType::Blocks(scheme) => {
                let mut values = vec![0.0; self.len()];
                scheme.dequantize(&bytes, &mut values);
                values
            }
            TensorType::Plain(dtype) => {
                let problem =
                    format!("{dtype} cannot be converted to f32; only floats and quantized blocks can");
                return Err(GgufError::NotFloat { tensor: quoted(self.name), problem });
            }
        })
    }
}
