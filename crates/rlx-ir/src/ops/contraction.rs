//! Primitives that sum products.

pub(crate) mod convolution;
pub(crate) mod dot_general;
pub(crate) mod ragged_dot;
mod sums;

use crate::dtype::{Class, DType};
use crate::op::OpError;
use crate::shape::Shape;

/// The element type of sums of products of these operands; `dtype` may choose a wider or narrower one, but none that
/// cannot hold such numbers at all.
fn result_dtype(lhs: &Shape, rhs: &Shape, dtype: Option<DType>) -> Result<DType, OpError> {
    let (from, to) = (lhs.dtype(), dtype.unwrap_or(lhs.dtype()));
    if rhs.dtype() != from {
        return Err(OpError::shape(format!("lhs is {from}, rhs is {}; convert one", rhs.dtype())));
    }
    let rank = |dtype: DType| match dtype.class() {
        Class::Bool => 0,
        Class::Signed | Class::Unsigned => 1,
        Class::Float => 2,
        Class::Complex => 3,
    };
    if rank(to) < rank(from) {
        return Err(OpError::attribute(format!(
            "dtype {to} cannot hold sums of {from}; convert the operands first"
        )));
    }
    Ok(to)
}
