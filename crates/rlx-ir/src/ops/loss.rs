//! Losses.

use crate::dtype::DTypeSet;
use crate::op::kinds::ReduceOp;
use crate::op::{Op, OpError};
use crate::ops::one_hot::class_mask;
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// −log softmax(logits)[label] over the last axis: logits `[…, classes]`, labels `[…]` → `[…]`. Labels are integers, or
/// floats that hold integers; any other label gives NaN. Narrow floats are computed in f32.
pub(crate) fn softmax_cross_entropy(logits: &Tensor, labels: &Tensor) -> Result<Tensor, OpError> {
    check_float("logits", logits)?;
    OpError::check_dtype("labels", labels.dtype(), DTypeSet::REAL)?;
    let Some(last) = logits.rank().checked_sub(1) else {
        return Err(OpError::shape("logits must be [..., classes], got a scalar"));
    };
    let rows = logits.shape().without_axes(&[last]);
    if !labels.shape().with_dtype(rows.dtype()).compatible(&rows) {
        return Err(OpError::shape(format!(
            "labels must have the dimensions of logits {} without the last, got {}",
            logits.shape(),
            labels.shape()
        )));
    }
    let wide = logits.widened();
    let shifted = &wide - wide.reduce(ReduceOp::Max, &[last], true);
    let total = shifted.exp().reduce(ReduceOp::Sum, &[last], false).log();
    let chosen = class_mask(labels, logits.dim(last));
    // A selection instead of a product, so that a logit of −inf that is not selected does not become NaN.
    let picked = chosen.select(&shifted, &wide.scalar_like(0.0)).reduce(ReduceOp::Sum, &[last], false);
    let known = chosen.reduce(ReduceOp::Or, &[last], false);
    Ok(known.select(&(total - picked), &wide.scalar_like(f64::NAN)).convert(logits.dtype()))
}

/// The mean of (x − target)² over all elements, as a scalar; narrow floats are computed in f32.
pub(crate) fn mse(x: &Tensor, target: &Tensor) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    OpError::check_same("x", &x.shape(), "target", &target.shape())?;
    let difference = x.widened() - target.widened();
    let axes: Vec<usize> = (0..x.rank()).collect();
    Ok((&difference * &difference).mean(&axes, false).convert(x.dtype()))
}

impl Tensor {
    /// `−log softmax(self)[label]` over the last axis, one loss per row.
    #[track_caller]
    pub fn softmax_cross_entropy(&self, labels: &Tensor) -> Tensor {
        self.apply(Op::SoftmaxCrossEntropy {}, &[labels])
    }

    /// The mean squared difference, as a scalar.
    #[track_caller]
    pub fn mse(&self, target: &Tensor) -> Tensor {
        self.apply(Op::Mse {}, &[target])
    }
}
