//! The derivative of attention in reverse mode, which recomputes the weights from queries and keys (Dao et al.,
//! "FlashAttention", 2022). So nothing of the size of the scores is kept between forward and backward pass.

use super::{AttentionOptions, Heads, Lengths, Weighted, contract, grouped, mask, merge_heads, scaled};
use crate::dim::Dim;
use crate::op::OpError;
use crate::op::kinds::{MaskKind, ReduceOp};
use crate::ops::precision::wide;
use crate::tensor::Tensor;

/// The cotangents of q, k and v, and of a bias, from `d_out`, the cotangent of the result. With weights P and their cotangent
/// dP = d_out·vᵀ, the cotangent of the scores is P ∘ (dP − Σ P ∘ dP). Products are rounded as in attention itself. Rows of k and
/// v beyond `kv_len` have cotangents of 0.
pub(crate) fn attention_backward(
    ([q, k, v, d_out], [first, second]): ([&Tensor; 4], [Option<&Tensor>; 2]),
    &options: &AttentionOptions,
) -> Result<Vec<Tensor>, OpError> {
    let AttentionOptions { mask, scale, softcap, .. } = options;
    let optional: Vec<&Tensor> = [first, second].into_iter().flatten().collect();
    let (mask_values, kv_len) = mask::operands(&optional, options)?;
    let heads = Heads::new([("q", q), ("k", k), ("v", v), ("d_out", d_out)], options)?;
    let merge = |x: Tensor| if heads.merged { merge_heads(&x) } else { x };
    let [q, k, v, d_out] = &heads.tensors;
    check_result(q, v, d_out)?;
    let lengths = Lengths::new(kv_len, k)?;
    let (k, v) = (&lengths.kept(k), &lengths.kept(v));
    let Weighted { lead, scores, weights } = Weighted::new(q, k, v, mask_values, &lengths, options)?;

    let d_out = grouped(d_out, &lead);
    // Axes of the products that run over the queries, and over the heads that share a key head.
    let over_queries: Vec<usize> = (2..=lead.len()).collect();
    let to_keys = || contract(&over_queries, &over_queries, None);
    let d_v = grouped(&weights.convert(v.dtype()), &lead).apply(to_keys(), &[&d_out]);
    let d_weights = d_out.apply(contract(&[lead.len() + 1], &[3], Some(wide(v.dtype()))), &[v]);
    let d_weights = d_weights.reshape(&scores.dims());
    let shared = (&weights * &d_weights).reduce(ReduceOp::Sum, &[3], true);
    let d_scores = &weights * (d_weights - shared);
    let d_bias = mask_values.filter(|_| mask == MaskKind::Bias).map(|bias| {
        summed_to(&d_scores, &mask::aligned_dims(bias)).reshape(&bias.dims()).convert(bias.dtype())
    });
    let uncapped = match softcap {
        Some(cap) => {
            let slope = 1.0 - (&scores / cap) * (&scores / cap);
            d_scores * slope
        }
        None => d_scores,
    };
    let d_products = grouped(&scaled(uncapped, q, scale).convert(q.dtype()), &lead);
    let d_q = d_products.apply(contract(&[lead.len() + 1], &[2], None), &[k]).reshape(&q.dims());
    let d_k = d_products.apply(to_keys(), &[&grouped(q, &lead)]);
    let (d_k, d_v) = (lengths.kept(&d_k), lengths.kept(&d_v));
    Ok([merge(d_q), merge(d_k), merge(d_v)].into_iter().chain(d_bias).collect())
}

/// Fails unless `d_out` has the shape of the result.
fn check_result(q: &Tensor, v: &Tensor, d_out: &Tensor) -> Result<(), OpError> {
    let expected = [&q.dims()[..3], &v.dims()[3..]].concat();
    if expected.iter().zip(d_out.dims()).all(|(a, b)| a.compatible(&b)) {
        return Ok(());
    }
    Err(OpError::shape(format!(
        "d_out must have the shape of the result, that of q with heads of the size of those of v; q is {}, v {}, d_out {}",
        q.shape(),
        v.shape(),
        d_out.shape()
    )))
}

/// `x` summed along the axes in which `dims`, aligned at the end, is broadcast to it.
fn summed_to(x: &Tensor, dims: &[Dim]) -> Tensor {
    let missing = x.rank().saturating_sub(dims.len());
    let repeated = |axis: &usize| *axis < missing || (dims[*axis - missing] == Dim::Static(1));
    let axes: Vec<usize> = (0..x.rank()).filter(repeated).collect();
    if axes.is_empty() { x.clone() } else { x.reduce(ReduceOp::Sum, &axes, true) }
}
