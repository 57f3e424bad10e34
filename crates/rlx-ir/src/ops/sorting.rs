//! Primitives that order elements along an axis.

pub(crate) mod argreduce;
pub(crate) mod sort;
pub(crate) mod sort_graph;
pub(crate) mod top_k;

use super::elementwise::merge;
use super::lines::lines;
use crate::eval::Value;
use crate::op::OpError;
use crate::shape::Shape;

/// The shapes of tensors sorted together, which must have the same dimensions.
fn infer_together(xs: &[Shape], axis: usize) -> Result<Vec<Shape>, OpError> {
    let Some((first, rest)) = xs.split_first() else {
        return Err(OpError::shape("needs at least one operand"));
    };
    OpError::check_axis(axis, first.rank())?;
    let mut shape = first.clone();
    for x in rest {
        OpError::check_same("operands sorted together", &shape, "another", &x.with_dtype(shape.dtype()))?;
        shape = merge(&shape, x);
    }
    Ok(xs.iter().map(|x| shape.with_dtype(x.dtype())).collect())
}

/// Rearranges each line of the tensors along `axis`. `order` orders the linear positions of a line's elements.
fn rearrange(
    xs: &[Value],
    axis: usize,
    mut order: impl FnMut(Vec<usize>) -> Result<Vec<usize>, OpError>,
) -> Result<Vec<Value>, OpError> {
    let mut out = xs.to_vec();
    for line in lines(xs[0].dims(), axis) {
        let sorted = order((0..line.len).map(|i| line.at(i)).collect())?;
        for (i, from) in sorted.into_iter().enumerate() {
            out.iter_mut().zip(xs).for_each(|(to, x)| to.set_from(line.at(i), x, from));
        }
    }
    Ok(out)
}
