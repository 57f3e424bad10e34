//! Primitives that combine elements along axes.

/// All elements along axes, combined.
pub(crate) mod reduce {
    use crate::dtype::Class;
    use crate::eval::{EvalCx, Scalar, Value, for_each_index, linear};
    use crate::op::OpError;
    use crate::op::kinds::Reducer;
    use crate::ops::scalar;
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
        let mut totals = vec![scalar::identity(kind, dtype); n];
        if dtype.class() == Class::Complex {
            totals.iter_mut().for_each(|t| *t = t.convert(dtype));
        }
        // Sums and products stay in f64 until the end; rounding after each step would make the meaning of a
        // reduction depend on its order.
        let mut i = 0;
        for_each_index(x.dims(), |index| {
            let slot = &mut totals[linear(index, &strides)];
            *slot = match scalar::binary(kind.binary(), dtype, *slot, x.get(i)) {
                Scalar::Int(v) => Scalar::Int(v).convert(dtype),
                other => other,
            };
            i += 1;
        });
        Ok(Value::from_fn(out_dims, dtype, |i| totals[i]))
    }
}
