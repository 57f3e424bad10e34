//! The number of cache rows that count: the operand `kv_len` of attention.

use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::op::OpError;
use crate::shape::Shape;
use crate::tensor::Tensor;

/// The number of keys of each sequence.
pub(super) struct Lengths {
    /// i32 `[batch, 1, 1, 1]`, from 0 to the capacity; `None` if all keys count.
    rows: Option<Tensor>,
}

impl Lengths {
    /// The lengths that `kv_len` gives for keys `[batch, heads, capacity, d]`.
    pub(super) fn new(kv_len: Option<&Tensor>, k: &Tensor) -> Result<Lengths, OpError> {
        let Some(kv_len) = kv_len else { return Ok(Lengths { rows: None }) };
        OpError::check_dtype("kv_len", kv_len.dtype(), DTypeSet::INT)?;
        let batch = k.dim(0);
        let fits = match kv_len.dims().as_slice() {
            [] => true,
            [own] => own.compatible(&batch),
            _ => false,
        };
        if !fits {
            return Err(OpError::shape(format!(
                "kv_len must be a scalar or one length for each of the {batch} sequences, got {}",
                kv_len.shape()
            )));
        }
        let rows = kv_len.limited(&k.size(2)).broadcast_to(std::slice::from_ref(&batch));
        let one = Dim::Static(1);
        Ok(Lengths { rows: Some(rows.reshape(&[batch, one.clone(), one.clone(), one])) })
    }

    /// Keys or values `[batch, heads, capacity, d]` with zeros in the rows that do not count, so that the contents of those rows
    /// never enter a product.
    pub(super) fn kept(&self, x: &Tensor) -> Tensor {
        match &self.rows {
            None => x.clone(),
            Some(rows) => counted(rows, x, 2).select(x, &x.scalar_like(0.0)),
        }
    }

    /// Whether each key counts, for scores `[batch, heads, seq_q, capacity]`; `None` if all do.
    pub(super) fn mask(&self, scores: &Tensor) -> Option<Tensor> {
        self.rows.as_ref().map(|rows| counted(rows, scores, 3))
    }

    /// One past the newest position, for keys with the capacity along axis 2: i32, to be broadcast to the scores.
    pub(super) fn end(&self, k: &Tensor) -> Tensor {
        self.rows.clone().unwrap_or_else(|| k.size(2))
    }
}

/// Whether the position along an axis of `x` is below the number of rows, as booleans that broadcast to `x`.
fn counted(rows: &Tensor, x: &Tensor, axis: usize) -> Tensor {
    let mut dims = vec![Dim::Static(1); 4];
    dims[axis] = x.dim(axis);
    rows.builder().iota(Shape::from_dims(&dims, DType::I32), axis).less(rows)
}
