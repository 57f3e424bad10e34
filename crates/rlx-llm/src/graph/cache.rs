//! The layout of keys and values in a cache.

use super::recurrent::concatenate;
use rlx_ir::{DType, Op, QuantScheme, ReduceOp, Tensor, UnaryOp};

/// The type of the numbers in a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheType {
    /// As they were computed.
    F32,
    /// Half of the memory.
    F16,
    /// The same, with the range of f32.
    Bf16,
    /// Blocks of 32 numbers with a common scale: 0.53 of f16. Heads are whole blocks.
    Q8_0,
}

impl CacheType {
    /// All.
    pub const ALL: [CacheType; 4] = [CacheType::F32, CacheType::F16, CacheType::Bf16, CacheType::Q8_0];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            CacheType::F32 => "f32",
            CacheType::F16 => "f16",
            CacheType::Bf16 => "bf16",
            CacheType::Q8_0 => "q8_0",
        }
    }

    /// The type with a name.
    pub fn named(name: &str) -> Option<CacheType> {
        CacheType::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The format, where it has blocks.
    pub(crate) fn scheme(self) -> Option<QuantScheme> {
        (self == CacheType::Q8_0).then_some(QuantScheme::Q8_0)
    }

    /// The type of its elements.
    pub(super) fn dtype(self) -> DType {
        match self {
            CacheType::F32 => DType::F32,
            CacheType::F16 => DType::F16,
            CacheType::Bf16 => DType::BF16,
            CacheType::Q8_0 => DType::U8,
        }
    }

    /// Elements of `size` numbers.
    pub(super) fn elements(self, size: usize) -> usize {
        self.scheme().map_or(size, |scheme| size / scheme.block_len() * scheme.block_bytes())
    }

    /// Numbers `[…, size]` as they lie in the cache, `[…, elements]`.
    pub(super) fn store(self, x: &Tensor) -> Tensor {
        match self.scheme() {
            Some(scheme) => q8_0(x, scheme.block_len()),
            None => x.convert(self.dtype()),
        }
    }

    /// The numbers that lie in a cache.
    pub(super) fn load(self, stored: &Tensor) -> Tensor {
        match self.scheme() {
            Some(scheme) => stored.dequantize_blocks(scheme),
            None => stored.convert(DType::F32),
        }
    }
}

/// Blocks of `len` numbers: a scale of f16, the largest of |x| / 127, then x / scale as bytes, rounded as ggml does.
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
