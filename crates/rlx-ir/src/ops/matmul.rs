//! Matrix products with NumPy's rules for vectors and leading axes.

use crate::op::{DotDims, Op, OpError};
use crate::shape::broadcast_dims;
use crate::tensor::Tensor;

/// lhs `[…, m, k]` · rhs `[…, k, n]` → `[…, m, n]`. A vector is a row on the left and a column on the right; its axis disappears.
pub(crate) fn matmul(lhs: &Tensor, rhs: &Tensor) -> Result<Tensor, OpError> {
    if lhs.rank() == 0 || rhs.rank() == 0 {
        return Err(OpError::shape("matmul needs operands of rank 1 or more; multiply scalars with mul"));
    }
    let contract = |l: usize, r: usize, batch: usize| Op::DotGeneral {
        dims: DotDims::contracting(&[l], &[r]).batched(batch),
        dtype: None,
    };
    if rhs.rank() <= 2 {
        // All leading axes use the same matrix, so this is a single product without a batch.
        return Ok(lhs.apply(contract(lhs.rank() - 1, 0, 0), &[rhs]));
    }
    if lhs.rank() == 1 {
        let row = matmul(&lhs.unsqueeze(0), rhs)?;
        return Ok(row.squeeze(row.rank().saturating_sub(2)));
    }
    let split = |t: &Tensor| (t.dims()[..t.rank() - 2].to_vec(), t.dims()[t.rank() - 2..].to_vec());
    let ((lhs_lead, lhs_matrix), (rhs_lead, rhs_matrix)) = (split(lhs), split(rhs));
    let lead = broadcast_dims(&lhs_lead, &rhs_lead).ok_or_else(|| {
        OpError::shape(format!("the leading axes of {} and {} do not broadcast", lhs.shape(), rhs.shape()))
    })?;
    let (l, r) = (
        lhs.broadcast_to(&[lead.clone(), lhs_matrix].concat()),
        rhs.broadcast_to(&[lead.clone(), rhs_matrix].concat()),
    );
    Ok(l.apply(contract(lead.len() + 1, lead.len(), lead.len()), &[&r]))
}
