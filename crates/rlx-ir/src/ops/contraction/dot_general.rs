//! `dot_general`: sums of products over contracting axes.

use super::sums::{self, Number, Sums};
use crate::dtype::DType;
use crate::eval::{EvalCx, Value, for_each_index, linear};
use crate::op::{DotDims, DotSide, OpError};
use crate::shape::{Shape, row_major_strides};

pub(crate) fn infer(
    lhs: &Shape,
    rhs: &Shape,
    dims: &DotDims,
    dtype: Option<DType>,
) -> Result<Shape, OpError> {
    let [lhs_special, rhs_special] = dims.sides().map(|side| [side.batch, side.contract].concat());
    OpError::check_axes(&lhs_special, lhs.rank())?;
    OpError::check_axes(&rhs_special, rhs.rank())?;
    let [l, r] = dims.sides();
    if l.batch.len() != r.batch.len() || l.contract.len() != r.contract.len() {
        return Err(OpError::attribute(
            "lhs and rhs must list the same number of batch and contracting axes",
        ));
    }
    let dtype = super::result_dtype(lhs, rhs, dtype)?;
    for (&l, &r) in lhs_special.iter().zip(&rhs_special) {
        if !lhs.dim(l).compatible(rhs.dim(r)) {
            return Err(OpError::shape(format!(
                "axis {l} of lhs has size {}, axis {r} of rhs has size {}",
                lhs.dim(l),
                rhs.dim(r)
            )));
        }
    }
    let mut out: Vec<_> = l.batch.iter().map(|&a| lhs.dim(a).clone()).collect();
    out.extend_from_slice(lhs.without_axes(&lhs_special).dims());
    out.extend_from_slice(rhs.without_axes(&rhs_special).dims());
    Ok(Shape::from_dims(&out, dtype))
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    lhs: &Value,
    rhs: &Value,
    dims: &DotDims,
    _: Option<DType>,
) -> Result<Value, OpError> {
    let [l, r] = dims.sides();
    let plan = DotSums { lhs: Side::new(lhs, l), rhs: Side::new(rhs, r) };
    Ok(sums::eval(cx, lhs, rhs, &plan))
}

/// The elements of one operand. The position of an element is the sum of a batch, a free and a contracted offset.
struct Side {
    batch: Vec<usize>,
    free: Vec<usize>,
    contracted: Vec<usize>,
}

impl Side {
    fn new(x: &Value, axes: DotSide<'_>) -> Side {
        let strides = row_major_strides(x.dims());
        let offsets = |axes: &[usize]| {
            let sizes: Vec<usize> = axes.iter().map(|&a| x.dims()[a]).collect();
            let strides: Vec<usize> = axes.iter().map(|&a| strides[a]).collect();
            let mut out = Vec::new();
            for_each_index(&sizes, |index| out.push(linear(index, &strides)));
            out
        };
        let free = axes.free(x.dims().len());
        Side { batch: offsets(axes.batch), free: offsets(&free), contracted: offsets(axes.contract) }
    }

    /// The elements of one batch entry, with the elements of each sum next to each other.
    fn pack<T: Copy>(&self, data: &[T], batch: usize) -> Vec<T> {
        let sum = |free: &usize| {
            let start = batch + free;
            self.contracted.iter().map(move |c| data[start + c])
        };
        self.free.iter().flat_map(sum).collect()
    }
}

struct DotSums {
    lhs: Side,
    rhs: Side,
}

impl Sums for DotSums {
    fn run<T: Number>(&self, lhs: &[T], rhs: &[T]) -> Vec<T> {
        let (rows, columns, inner) = (self.lhs.free.len(), self.rhs.free.len(), self.lhs.contracted.len());
        let mut out = Vec::with_capacity(self.lhs.batch.len() * rows * columns);
        for (&l, &r) in self.lhs.batch.iter().zip(&self.rhs.batch) {
            let (lhs, rhs) = (self.lhs.pack(lhs, l), self.rhs.pack(rhs, r));
            for row in 0..rows {
                let row = &lhs[row * inner..][..inner];
                for column in 0..columns {
                    let column = &rhs[column * inner..][..inner];
                    out.push(row.iter().zip(column).fold(T::ZERO, |sum, (&a, &b)| sum.add_product(a, b)));
                }
            }
        }
        out
    }
}
