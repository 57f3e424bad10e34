//! Primitives that combine elements along axes.

use crate::dtype::DType;
use crate::eval::Scalar;
use crate::op::kinds::{BinaryOp, Reducer};
use crate::ops::scalar;

/// One step of a reduction in type `dtype`. Integers wrap at each step; floats stay in f64, for the caller to round
/// once at the end: rounding at each step would make the meaning of a reduction depend on its order.
pub(crate) fn accumulate(op: BinaryOp, dtype: DType, total: Scalar, x: Scalar) -> Scalar {
    match scalar::binary(op, dtype, total, x) {
        Scalar::Int(v) => Scalar::Int(v).convert(dtype),
        other => other,
    }
}

/// The reducer's identity as a number of type `dtype`.
pub(crate) fn identity(kind: Reducer, dtype: DType) -> Scalar {
    scalar::identity(kind, dtype).convert(dtype)
}

/// All elements along axes, combined.
pub(crate) mod reduce {
    use super::{accumulate, identity};
    use crate::eval::{EvalCx, Value, for_each_index, linear};
    use crate::op::OpError;
    use crate::op::kinds::Reducer;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(x: &Shape, kind: Reducer, axes: &[usize]) -> Result<Shape, OpError> {
        OpError::check_axes(axes, x.rank())?;
        OpError::check_dtype("x", x.dtype(), kind.accepts())?;
        Ok(x.without_axes(axes))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, kind: Reducer, axes: &[usize]) -> Result<Value, OpError> {
        let out_dims = cx.dims();
        let kept: Vec<usize> = (0..x.dims().len()).filter(|a| !axes.contains(a)).collect();
        let out_strides = row_major_strides(&out_dims);
        let mut strides = vec![0; x.dims().len()];
        kept.iter().zip(&out_strides).for_each(|(&axis, &stride)| strides[axis] = stride);
        let dtype = x.dtype();
        let n: usize = out_dims.iter().product();
        let mut totals = vec![identity(kind, dtype); n];
        let mut i = 0;
        for_each_index(x.dims(), |index| {
            let slot = &mut totals[linear(index, &strides)];
            *slot = accumulate(kind.binary(), dtype, *slot, x.get(i));
            i += 1;
        });
        Ok(Value::from_fn(out_dims, dtype, |i| totals[i]))
    }
}
