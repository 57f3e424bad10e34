//! Constant tensors: a static shape with its bytes. Owns storage and typed views; no arithmetic.

use crate::dtype::DType;
use crate::shape::Shape;
use bytemuck::Pod;
use std::sync::Arc;

/// A dense row-major tensor of a static shape. Cloning shares the bytes.
///
/// ```
/// use rlx_ir::{DType, Literal, Shape};
///
/// let scores = Literal::new(&[2, 3], &[0.5f32, 1.0, -2.0, 4.0, 0.0, 8.0])?;
/// assert_eq!(scores.shape(), &Shape::new(&[2, 3], DType::F32));
/// assert_eq!(scores.as_slice::<f32>()?[3], 4.0);
/// assert!(scores.as_slice::<i32>().is_err());
/// // Any element type can be made from bytes; their number is checked.
/// assert!(Literal::from_bytes(&Shape::new(&[2], DType::BF16), &[0; 3]).is_err());
/// # Ok::<(), rlx_ir::LiteralError>(())
/// ```
#[derive(Clone)]
pub struct Literal {
    shape: Shape,
    /// Backing store in 8-byte words, so that every element type is aligned.
    words: Arc<[u64]>,
}

/// Why bytes and a shape do not make a tensor.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LiteralError {
    /// The shape has symbolic dimensions or its size overflows.
    #[error("shape {0} has no static size in bytes")]
    NoStaticSize(Shape),
    /// The number of bytes differs from what the shape needs.
    #[error("shape {shape} needs {expected} bytes, got {got}")]
    WrongLength {
        /// The shape.
        shape: Shape,
        /// Bytes that it needs.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// The requested element type is not that of the tensor.
    #[error("the tensor is {got}, asked for {asked}")]
    WrongDType {
        /// The tensor's element type.
        got: DType,
        /// The requested element type.
        asked: DType,
    },
}

/// A Rust type whose values have the representation of a [`DType`].
pub trait Element: Pod {
    /// The element type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($t:ty => $d:ident),* $(,)?) => { $(impl Element for $t { const DTYPE: DType = DType::$d; })* };
}
elements! {
    f64 => F64, f32 => F32, half::f16 => F16, half::bf16 => BF16,
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    [f32; 2] => C64, [f64; 2] => C128,
}

impl Literal {
    /// A tensor from the little-endian bytes of its elements. Booleans are normalized to 0 and 1.
    pub fn from_bytes(shape: &Shape, bytes: &[u8]) -> Result<Self, LiteralError> {
        let expected = shape.num_bytes().ok_or_else(|| LiteralError::NoStaticSize(shape.clone()))?;
        if bytes.len() != expected {
            return Err(LiteralError::WrongLength { shape: shape.clone(), expected, got: bytes.len() });
        }
        let mut words = vec![0u64; expected.div_ceil(8)];
        let target = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..expected];
        target.copy_from_slice(bytes);
        if shape.dtype() == DType::Bool {
            target.iter_mut().for_each(|b| *b = u8::from(*b != 0));
        }
        Ok(Literal { shape: shape.clone(), words: words.into() })
    }

    /// A tensor of static sizes from its elements.
    pub fn new<T: Element>(dims: &[usize], elements: &[T]) -> Result<Self, LiteralError> {
        Self::from_bytes(&Shape::new(dims, T::DTYPE), bytemuck::cast_slice(elements))
    }

    /// A boolean tensor.
    pub fn from_bools(dims: &[usize], elements: &[bool]) -> Result<Self, LiteralError> {
        let bytes: Vec<u8> = elements.iter().map(|&b| u8::from(b)).collect();
        Self::from_bytes(&Shape::new(dims, DType::Bool), &bytes)
    }

    /// A scalar.
    pub fn scalar<T: Element>(value: T) -> Self {
        let mut words = vec![0u64; std::mem::size_of::<T>().div_ceil(8)];
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..std::mem::size_of::<T>()]
            .copy_from_slice(bytemuck::bytes_of(&value));
        Literal { shape: Shape::scalar(T::DTYPE), words: words.into() }
    }

    /// The shape; always static.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.shape.dtype()
    }

    /// The sizes.
    pub fn dims(&self) -> Vec<usize> {
        // INVARIANT: constructors accept only static shapes.
        self.shape.static_dims().unwrap_or_default()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.num_elements().unwrap_or(0)
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements' bytes, little-endian, row-major.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice::<u64, u8>(&self.words)[..self.shape.num_bytes().unwrap_or(0)]
    }

    /// The elements, if `T` represents the element type.
    pub fn as_slice<T: Element>(&self) -> Result<&[T], LiteralError> {
        if T::DTYPE != self.dtype() {
            return Err(LiteralError::WrongDType { got: self.dtype(), asked: T::DTYPE });
        }
        Ok(bytemuck::cast_slice(self.bytes()))
    }

    /// The same elements with another static shape of the same number of bytes.
    pub fn reshaped(&self, shape: &Shape) -> Result<Self, LiteralError> {
        let expected = shape.num_bytes().ok_or_else(|| LiteralError::NoStaticSize(shape.clone()))?;
        if expected != self.bytes().len() {
            return Err(LiteralError::WrongLength {
                shape: shape.clone(),
                expected,
                got: self.bytes().len(),
            });
        }
        Ok(Literal { shape: shape.clone(), words: self.words.clone() })
    }
}

impl PartialEq for Literal {
    /// Equal shapes and equal bytes: NaNs with equal payloads are equal, `0.0` and `-0.0` are not.
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.bytes() == other.bytes()
    }
}

impl Eq for Literal {}

impl std::fmt::Debug for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Literal({})", self.shape)
    }
}
