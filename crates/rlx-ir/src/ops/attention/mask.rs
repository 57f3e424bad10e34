//! The masks that say which keys a query may attend to, and the attention weights under them.

use super::{AttentionOptions, Lengths, softmax_or_zeros};
use crate::dim::Dim;
use crate::dtype::{Class, DType};
use crate::op::OpError;
use crate::op::kinds::MaskKind;
use crate::shape::Shape;
use crate::shape::broadcast_dims;
use crate::tensor::Tensor;

impl MaskKind {
    /// Whether attention takes a mask or bias tensor with this mask.
    pub fn takes_values(self) -> bool {
        matches!(self, MaskKind::Custom | MaskKind::Bias)
    }

    /// Assigns the optional operands of attention: the mask or bias tensor if this mask takes one, then `kv_len`.
    pub fn operands<T: Copy>(self, optional: &[T]) -> (Option<T>, Option<T>) {
        let values = usize::from(self.takes_values());
        (optional[..values.min(optional.len())].first().copied(), optional.get(values).copied())
    }
}

/// The mask or bias and the lengths among the optional operands. Fails unless they are those that the attributes require.
pub(super) fn operands<'a>(
    optional: &[&'a Tensor],
    options: AttentionOptions,
) -> Result<(Option<&'a Tensor>, Option<&'a Tensor>), OpError> {
    let AttentionOptions { mask: kind, window, .. } = options;
    let (values, kv_len) = kind.operands(optional);
    if kind.takes_values() && values.is_none() {
        return Err(OpError::attribute(format!(
            "the mask `{kind}` needs a fourth operand, the mask or bias tensor"
        )));
    }
    let foreign = kv_len.filter(|len| !len.dtype().is_int());
    if let (false, Some(given)) = (kind.takes_values(), foreign.or(optional.get(1).copied())) {
        return Err(OpError::attribute(format!(
            "the mask `{kind}` takes no mask or bias tensor, and only kv_len (integers) besides q, k and v; got {}",
            given.shape()
        )));
    }
    match (kind, window) {
        (MaskKind::SlidingWindow, None | Some(0)) => {
            Err(OpError::attribute("the mask `sliding_window` needs a window of 1 or more keys"))
        }
        (MaskKind::SlidingWindow, Some(_)) | (_, None) => Ok((values, kv_len)),
        (kind, Some(_)) => {
            Err(OpError::attribute(format!("the mask `{kind}` takes no window; use `sliding_window`")))
        }
    }
}

/// The attention weights of `scores` `[batch, heads, seq_q, seq_k]` under a mask.
pub(super) fn weights(
    scores: &Tensor,
    [q, k]: [&Tensor; 2],
    values: Option<&Tensor>,
    lengths: &Lengths,
    options: AttentionOptions,
) -> Result<Tensor, OpError> {
    let mut biased = scores.clone();
    let by_mask = match (options.mask, values) {
        (MaskKind::Custom, Some(mask)) => {
            let mask = aligned(mask, scores)?;
            let is_bool = mask.dtype() == DType::Bool;
            Some(if is_bool { mask } else { mask.not_equal(&mask.scalar_like(0.0)) })
        }
        (MaskKind::Bias, Some(bias)) => {
            if bias.dtype().class() != Class::Float {
                return Err(OpError::shape(format!("a bias is of a float type, got {}", bias.shape())));
            }
            biased = scores + aligned(&bias.convert(scores.dtype()), scores)?;
            None
        }
        (MaskKind::Causal | MaskKind::SlidingWindow, _) => Some(causal(q, k, lengths, options.window)),
        _ => None,
    };
    let seen = match (by_mask, lengths.mask(scores)) {
        (Some(a), Some(b)) => Some(both(&a, &b)),
        (a, b) => a.or(b),
    };
    Ok(match seen {
        Some(seen) => softmax_or_zeros(&seen.select(&biased, &scores.scalar_like(f64::NEG_INFINITY))),
        None if options.mask == MaskKind::Bias => softmax_or_zeros(&biased),
        None => scores.softmax(scores.rank().saturating_sub(1)),
    })
}

/// Where both are true.
fn both(a: &Tensor, b: &Tensor) -> Tensor {
    let (a, b) = a.broadcast_with(b);
    a.and(&b)
}

/// The dimensions of a mask that align with those of the scores, at the end.
pub(super) fn aligned_dims(mask: &Tensor) -> Vec<Dim> {
    match mask.dims().as_slice() {
        [batch, keys] => vec![batch.clone(), Dim::Static(1), Dim::Static(1), keys.clone()],
        other => other.to_vec(),
    }
}

/// The mask or bias with four axes. One of rank 2 is `[batch, seq_k]`, whatever the sizes; other ranks align at the end.
fn aligned(mask: &Tensor, scores: &Tensor) -> Result<Tensor, OpError> {
    let dims = aligned_dims(mask);
    let own = scores.dims();
    let repeats = dims.len() <= own.len()
        && broadcast_dims(&dims, &own).is_some_and(|d| d.iter().zip(&own).all(|(a, b)| a.compatible(b)));
    if !repeats {
        return Err(OpError::shape(format!(
            "the mask {} does not broadcast to the scores {}; a mask of rank 2 is [batch, seq_k], and a matrix for all \
             batches is [1, seq_q, seq_k]",
            mask.shape(),
            scores.shape()
        )));
    }
    Ok(mask.reshape(&dims).broadcast_to(&own))
}

/// Query i attends to keys j with i + n − seq_q − window < j ≤ i + n − seq_q, where n is the number of keys that count. The
/// result is booleans that broadcast to the scores.
fn causal(q: &Tensor, k: &Tensor, lengths: &Lengths, window: Option<usize>) -> Tensor {
    let shape = Shape::from_dims(&[q.dim(2), k.dim(2)], DType::I32);
    let builder = q.builder();
    let (query, key) = (builder.iota(shape.clone(), 0), builder.iota(shape, 1));
    let newest = query + (lengths.end(k) - q.size(2));
    let seen = key.less_equal(&newest);
    match window {
        Some(window) => {
            let width =
                builder.int(i64::try_from(window).unwrap_or(i64::MAX).min(i64::from(i32::MAX)), DType::I32);
            // The distance cannot overflow, because both positions are below sizes.
            seen.and(&(newest - key).less(&width))
        }
        None => seen,
    }
}
