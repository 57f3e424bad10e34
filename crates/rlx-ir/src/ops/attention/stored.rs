//! Attention to keys and values that are stored in a different type than the queries: narrower floats, or packed blocks.
//!
//! Such attention converts keys and values to a type that represents the numbers of all operands. The format of packed blocks is
//! an attribute, `kv_scheme`, not a pattern of `dequantize_blocks` and `attention` that a pass would have to find. The op is
//! still defined once, as attention to the result of `dequantize_blocks`. Because no other node can use that result, a backend
//! never has to keep the whole cache in f32.

use super::AttentionOptions;
use crate::dtype::DType;
use crate::op::OpError;
use crate::op::kinds::QuantScheme;
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// Whether k and v are packed, or the operands have different types.
pub(super) fn is_stored([q, k, v]: [&Tensor; 3], scheme: Option<QuantScheme>) -> bool {
    scheme.is_some() || k.dtype() != q.dtype() || v.dtype() != q.dtype()
}

/// Attention that first converts k and v, and then converts the result to the type of q.
pub(super) fn attention(
    [q, k, v]: [&Tensor; 3],
    optional: &[&Tensor],
    options: AttentionOptions,
) -> Result<Tensor, OpError> {
    check_float("q", q)?;
    let (k, v) = match options.kv_scheme {
        Some(scheme) => (k.dequantize_blocks(scheme), v.dequantize_blocks(scheme)),
        None => (k.clone(), v.clone()),
    };
    check_float("k", &k)?;
    check_float("v", &v)?;
    let common = [q.dtype(), k.dtype(), v.dtype()].into_iter().reduce(common).unwrap_or(DType::F32);
    let (k, v) = (k.convert(common), v.convert(common));
    let operands: Vec<&Tensor> = [&k, &v].into_iter().chain(optional.iter().copied()).collect();
    let plain = AttentionOptions { kv_scheme: None, ..options };
    Ok(q.convert(common).apply(plain.op(), &operands).convert(q.dtype()))
}

/// The float type in which scores are summed, which represents the numbers of both types.
fn common(a: DType, b: DType) -> DType {
    match (a, b) {
        (a, b) if a == b => a,
        (DType::F64, _) | (_, DType::F64) => DType::F64,
        _ => DType::F32,
    }
}
