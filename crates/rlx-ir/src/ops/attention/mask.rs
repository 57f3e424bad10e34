//! Which keys a query may attend to, and the attention weights that follow.

use super::softmax_or_zeros;
use crate::dim::Dim;
use crate::dtype::{Class, DType};
use crate::op::OpError;
use crate::op::kinds::MaskKind;
use crate::shape::Shape;
use crate::tensor::{Tensor, broadcast_dims};

/// The attention weights of `scores` `[batch, heads, seq_q, seq_k]` under a mask.
pub(super) fn weights(
    scores: &Tensor,
    q: &Tensor,
    k: &Tensor,
    operand: Option<&Tensor>,
    kind: MaskKind,
    window: Option<usize>,
) -> Result<Tensor, OpError> {
    check_attributes(operand, kind, window)?;
    let keep = |keep: &Tensor| softmax_or_zeros(&keep.select(scores, &scores.scalar_like(f64::NEG_INFINITY)));
    Ok(match (kind, operand) {
        (MaskKind::Custom, Some(mask)) => {
            let mask = aligned(mask, scores)?;
            let mask =
                if mask.dtype() == DType::Bool { mask } else { mask.not_equal(&mask.scalar_like(0.0)) };
            keep(&mask)
        }
        (MaskKind::Bias, Some(bias)) => {
            if bias.dtype().class() != Class::Float {
                return Err(OpError::shape(format!("a bias is of a float type, got {}", bias.shape())));
            }
            softmax_or_zeros(&(scores + aligned(&bias.convert(scores.dtype()), scores)?))
        }
        (MaskKind::Causal | MaskKind::SlidingWindow, _) => keep(&causal(q, k, window)),
        _ => scores.softmax(scores.rank().saturating_sub(1)),
    })
}

fn check_attributes(operand: Option<&Tensor>, kind: MaskKind, window: Option<usize>) -> Result<(), OpError> {
    let takes_operand = matches!(kind, MaskKind::Custom | MaskKind::Bias);
    if operand.is_some() != takes_operand {
        let takes = if takes_operand { "needs a fourth operand" } else { "takes no fourth operand" };
        return Err(OpError::attribute(format!("the mask `{kind}` {takes}, the mask or bias tensor")));
    }
    match (kind, window) {
        (MaskKind::SlidingWindow, None | Some(0)) => {
            Err(OpError::attribute("the mask `sliding_window` needs a window of 1 or more keys"))
        }
        (MaskKind::SlidingWindow, Some(_)) | (_, None) => Ok(()),
        (kind, Some(_)) => {
            Err(OpError::attribute(format!("the mask `{kind}` takes no window; use `sliding_window`")))
        }
    }
}

/// The dimensions of a mask as they align with those of the scores, at the end.
pub(super) fn aligned_dims(mask: &Tensor) -> Vec<Dim> {
    match mask.dims().as_slice() {
        [batch, keys] => vec![batch.clone(), Dim::Static(1), Dim::Static(1), keys.clone()],
        other => other.to_vec(),
    }
}

/// The mask or bias with four axes: rank 2 is `[batch, seq_k]`, whatever the sizes; other ranks align at the end.
fn aligned(mask: &Tensor, scores: &Tensor) -> Result<Tensor, OpError> {
    let dims = aligned_dims(mask);
    let own = scores.dims();
    let repeats = dims.len() <= own.len()
        && broadcast_dims(&dims, &own).is_some_and(|d| d.iter().zip(&own).all(|(a, b)| a.compatible(b)));
    if !repeats {
        return Err(OpError::shape(format!(
            "the mask {} does not repeat to the scores {}; a mask of rank 2 is [batch, seq_k], and a matrix for all \
             batches is [1, seq_q, seq_k]",
            mask.shape(),
            scores.shape()
        )));
    }
    Ok(mask.reshape(&dims).broadcast_to(&own))
}

/// Query i sees keys j with i + seq_k − seq_q − window < j ≤ i + seq_k − seq_q, as booleans `[seq_q, seq_k]`.
fn causal(q: &Tensor, k: &Tensor, window: Option<usize>) -> Tensor {
    let shape = Shape::from_dims(&[q.dim(2), k.dim(2)], DType::I32);
    let builder = q.builder();
    let (query, key) = (builder.iota(shape.clone(), 0), builder.iota(shape, 1));
    let newest = query + (k.size(2) - q.size(2));
    let seen = key.less_equal(&newest);
    match window {
        Some(window) => {
            let width =
                builder.int(i64::try_from(window).unwrap_or(i64::MAX).min(i64::from(i32::MAX)), DType::I32);
            // The distance cannot overflow: both positions are sizes.
            seen.and(&(newest - key).less(&width))
        }
        None => seen,
    }
}
