//! The layout of keys and values in a cache.

use super::recurrent::concatenate;
use rlx_ir::{DType, Op, QuantScheme, ReduceOp, Tensor, UnaryOp};

/// The element type of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheType {
    /// Keys and values as they were computed.
    F32,
    /// Half as much memory.
    F16,
    /// Half as much memory, with the range of f32.
    Bf16,
    /// Blocks of 32 numbers with a common scale, 0.53 times as large as f16. The size of heads must be a multiple of
    /// 32.
    Q8_0,
}

impl CacheType {
    /// All cache types.
    pub const ALL: [CacheType; 4] = [CacheType::F32, CacheType::F16, CacheType::Bf16, CacheType::Q8_0];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            CacheType::F32 => "f32",
            CacheType::F16 => "f16",
            CacheType::Bf16 => "bf16",
            CacheType::Q8_0 => "q8_0",
        }
    }

    /// Returns the type with this name.
    pub fn named(name: &str) -> Option<CacheType> {
        CacheType::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the block format, if the type has blocks.
    pub(crate) fn scheme(self) -> Option<QuantScheme> {
        (self == CacheType::Q8_0).then_some(QuantScheme::Q8_0)
    }

    /// Returns the type of the elements that are stored.
    pub(super) fn dtype(self) -> DType {
        match self {
            CacheType::F32 => DType::F32,
            CacheType::F16 => DType::F16,
            CacheType::Bf16 => DType::BF16,
            CacheType::Q8_0 => DType::U8,
        }
    }

    /// Returns how many elements store `size` numbers.
    pub(super) fn elements(self, size: usize) -> usize {
        self.scheme().map_or(size, |scheme| size / scheme.block_len() * scheme.block_bytes())
    }

    /// Converts numbers `[…, size]` to the elements of the cache, `[…, elements]`.
    pub(super) fn store(self, x: &Tensor) -> Tensor {
        match self.scheme() {
            Some(scheme) => q8_0(x, scheme.block_len()),
            None => x.convert(self.dtype()),
        }
    }

    /// Converts elements of the cache back to numbers.
    pub(super) fn load(self, stored: &Tensor) -> Tensor {
        match self.scheme() {
            Some(scheme) => stored.dequantize_blocks(scheme),
            None => stored.convert(DType::F32),
        }
    }
}

/// Quantizes to blocks of `len` numbers: an f16 scale, which is the maximum of |x| / 127, then x / scale as bytes,
/// rounded as in ggml.
fn q8_0(x: &Tensor, len: usize) -> Tensor {
    let (lead, size) = x
        .dims()
        .split_last()
        .map_or((Vec::new(), 0), |(size, lead)| (lead.to_vec(), size.as_static().unwrap_or_default()));
    let with = |last: &[usize]| [lead.clone(), last.iter().map(|&n| n.into()).collect()].concat();
    let blocks = x.reshape(&with(&[size / len, len]));
    let axis = lead.len() + 1;
    let scale = blocks.unary(UnaryOp::Abs).reduce(ReduceOp::Max, &[axis], true) / 127.0;
    let zero = scale.scalar_like(0.0).broadcast_to(&scale.dims());
    let inverse = scale.greater(&zero).select(&(scale.scalar_like(1.0) / &scale), &zero);
    let rounded = (&blocks * inverse).unary(UnaryOp::RoundAway).convert(DType::I8);
    let bytes = |x: &Tensor, each: usize| {
        x.apply(Op::BitcastConvert { dtype: DType::U8 }, &[]).reshape(&with(&[size / len, each]))
    };
    let (scale, rounded) = (bytes(&scale.convert(DType::F16), 2), bytes(&rounded, len));
    concatenate(axis, &scale, &[&rounded]).reshape(&with(&[size / len * (len + 2)]))
}
