//! Primitives that combine elements along axes.

pub(crate) mod reduce_graph;

use crate::dtype::DType;
use crate::eval::Scalar;
use crate::op::OpError;
use crate::op::kinds::{BinaryOp, ReduceOp};
use crate::ops::scalar;
use crate::shape::row_major_strides;

/// One step of a reduction in type `dtype`. Integers wrap at each step. Floats stay in f64, and the caller rounds once at the
/// end, because rounding at each step would make the result of a reduction depend on the order.
pub(crate) fn accumulate(op: BinaryOp, dtype: DType, total: Scalar, x: Scalar) -> Scalar {
    match scalar::binary(op, dtype, total, x) {
        Scalar::Int(v) => Scalar::Int(v).convert(dtype),
        other => other,
    }
}

/// The reduction's binary function, and its identity as a number of type `dtype`. Fails for a reduction that does not repeat a
/// binary function.
pub(crate) fn repeated(kind: ReduceOp, dtype: DType) -> Result<(BinaryOp, Scalar), OpError> {
    OpError::check_reduction(kind, ReduceOp::BINARY)?;
    let missing = || OpError::attribute(format!("{kind} does not repeat a binary function"));
    let op = kind.binary().ok_or_else(missing)?;
    let identity = scalar::identity(kind, dtype).ok_or_else(missing)?;
    Ok((op, identity.convert(dtype)))
}

/// For each axis of a tensor of sizes `from`, the stride along it in the result, which lacks `axes`.
fn strides_without(from: &[usize], result: &[usize], axes: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; from.len()];
    let kept = (0..from.len()).filter(|a| !axes.contains(a));
    kept.zip(row_major_strides(result)).for_each(|(axis, stride)| strides[axis] = stride);
    strides
}

/// Combines all elements along axes.
pub(crate) mod reduce {
    use super::{accumulate, repeated, strides_without};
    use crate::eval::{EvalCx, Value, for_each_index, linear};
    use crate::op::OpError;
    use crate::op::kinds::ReduceOp;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, kind: ReduceOp, axes: &[usize]) -> Result<Shape, OpError> {
        OpError::check_axes(axes, x.rank())?;
        OpError::check_reduction(kind, ReduceOp::BINARY)?;
        OpError::check_dtype("x", x.dtype(), kind.accepts())?;
        Ok(x.without_axes(axes))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, kind: ReduceOp, axes: &[usize]) -> Result<Value, OpError> {
        let out_dims = cx.dims();
        let strides = strides_without(x.dims(), &out_dims, axes);
        let dtype = x.dtype();
        let n: usize = out_dims.iter().product();
        let (op, identity) = repeated(kind, dtype)?;
        let mut totals = vec![identity; n];
        let mut i = 0;
        for_each_index(x.dims(), |index| {
            let slot = &mut totals[linear(index, &strides)];
            *slot = accumulate(op, dtype, *slot, x.get(i));
            i += 1;
        });
        Ok(Value::from_fn(out_dims, dtype, |i| totals[i]))
    }
}
