//! Primitives that sum products.

pub(crate) mod convolution;
pub(crate) mod dot_general;
pub(crate) mod ragged_dot;
mod sums;

use crate::dim::Dim;
use crate::dtype::{Class, DType};
use crate::op::{Op, OpError};
use crate::shape::Shape;

impl Op {
    /// For an op that sums products, dimensions whose product is the number of products, including those with padding; `None` for
    /// other ops. `operands` and `result` are shapes that the op accepted and inferred.
    pub fn products(&self, operands: &[Shape], result: &Shape) -> Option<Vec<Dim>> {
        let mut dims: Vec<Dim> = result.dims().to_vec();
        match (self, operands) {
            (Op::DotGeneral { dims: axes, .. }, [lhs, ..]) => {
                dims.extend(axes.lhs_contract.iter().map(|&axis| lhs.dim(axis).clone()));
            }
            // Each element of the result sums a window over the features of one group.
            (Op::Convolution { spec, .. }, [_, kernel]) => {
                let window = kernel.dims().iter().enumerate().filter(|(axis, _)| *axis != spec.kernel.batch);
                dims.extend(window.map(|(_, dim)| dim.clone()));
            }
            // Each row is multiplied by the matrix of its group.
            (Op::RaggedDot { .. }, [lhs, ..]) => dims.extend(lhs.dims().last().cloned()),
            _ => return None,
        }
        Some(dims)
    }
}

/// The element type of sums of products of these operands. `dtype` may select a wider or narrower type, but not one of a class
/// that cannot represent such numbers.
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
