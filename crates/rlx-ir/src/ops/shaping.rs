//! Primitives that move elements without computing.

pub(crate) mod dynamic;

pub(crate) use dynamic::{dynamic_slice, dynamic_update_slice};

/// The same elements with other dimensions.
pub(crate) mod reshape {
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, dims: &[Dim]) -> Result<Shape, OpError> {
        let out = x.with_dims(dims.to_vec());
        if !x.num_elements_dim().compatible(&out.num_elements_dim()) {
            return Err(OpError::shape(format!(
                "{x} has {} elements, {out} has {}",
                x.num_elements_dim(),
                out.num_elements_dim()
            )));
        }
        Ok(out)
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, _: &[Dim]) -> Result<Value, OpError> {
        Ok(x.clone().with_dims(cx.dims()))
    }
}

/// Permutes axes.
pub(crate) mod transpose {
    use crate::eval::{EvalCx, Value, linear};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(x: &Shape, perm: &[usize]) -> Result<Shape, OpError> {
        OpError::check_axes(perm, x.rank())?;
        if perm.len() != x.rank() {
            return Err(OpError::attribute(format!("{perm:?} is not a permutation of {} axes", x.rank())));
        }
        Ok(x.with_dims(perm.iter().map(|&p| x.dim(p).clone()).collect()))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, perm: &[usize]) -> Result<Value, OpError> {
        let strides = row_major_strides(x.dims());
        let strides: Vec<usize> = perm.iter().map(|&p| strides[p]).collect();
        Ok(x.pick(&cx.dims(), |index| linear(index, &strides)))
    }
}

/// Repeats a tensor along new axes and axes of size 1.
pub(crate) mod broadcast_in_dim {
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value, linear};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(x: &Shape, dims: &[Dim], axes: &[usize]) -> Result<Shape, OpError> {
        OpError::check_axes(axes, dims.len())?;
        if axes.len() != x.rank() {
            return Err(OpError::attribute(format!(
                "axes must have {} entries, one per axis of x",
                x.rank()
            )));
        }
        for (from, &to) in x.dims().iter().zip(axes) {
            if *from != Dim::Static(1) && !from.compatible(&dims[to]) {
                return Err(OpError::shape(format!(
                    "axis of size {from} does not broadcast to size {}",
                    dims[to]
                )));
            }
        }
        Ok(x.with_dims(dims.to_vec()))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, _: &[Dim], axes: &[usize]) -> Result<Value, OpError> {
        let own = row_major_strides(x.dims());
        let mut strides = vec![0; cx.out().rank()];
        for (i, &axis) in axes.iter().enumerate() {
            strides[axis] = if x.dims()[i] == 1 { 0 } else { own[i] };
        }
        Ok(x.pick(&cx.dims(), |index| linear(index, &strides)))
    }
}

/// A strided slice.
pub(crate) mod slice {
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(
        x: &Shape,
        starts: &[Dim],
        limits: &[Dim],
        strides: &[usize],
    ) -> Result<Shape, OpError> {
        if [starts.len(), limits.len(), strides.len()] != [x.rank(); 3] {
            return Err(OpError::attribute(format!(
                "starts, limits and strides must each have {} items",
                x.rank()
            )));
        }
        let mut dims = Vec::with_capacity(x.rank());
        for axis in 0..x.rank() {
            let (start, limit, stride) = (&starts[axis], &limits[axis], strides[axis]);
            if stride == 0 {
                return Err(OpError::attribute(format!("the stride of axis {axis} is 0")));
            }
            let out_of_range = || {
                OpError::attribute(format!(
                    "{start}..{limit} is not inside axis {axis} of size {}",
                    x.dim(axis)
                ))
            };
            if let (Some(s), Some(l)) = (start.as_static(), limit.as_static())
                && (s > l || x.dim(axis).as_static().is_some_and(|n| l > n))
            {
                return Err(out_of_range());
            }
            let span = limit - start;
            let rounded = &span + (stride - 1);
            dims.push(rounded.floor_div(&Dim::Static(stride)));
        }
        Ok(x.with_dims(dims))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        x: &Value,
        starts: &[Dim],
        _: &[Dim],
        strides: &[usize],
    ) -> Result<Value, OpError> {
        let own = row_major_strides(x.dims());
        let starts: Vec<usize> = starts.iter().map(|s| s.as_static().unwrap_or(0)).collect();
        Ok(x.pick(&cx.dims(), |index| {
            index.iter().enumerate().map(|(a, i)| (starts[a] + i * strides[a]) * own[a]).sum()
        }))
    }
}

/// Pads before, after and between elements.
pub(crate) mod pad {
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value, for_each_index};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(
        x: &Shape,
        value: &Shape,
        low: &[i64],
        high: &[i64],
        interior: &[usize],
    ) -> Result<Shape, OpError> {
        if [low.len(), high.len(), interior.len()] != [x.rank(); 3] {
            return Err(OpError::attribute(format!(
                "low, high and interior must each have {} items",
                x.rank()
            )));
        }
        OpError::check_same("value", value, "a scalar of x", &Shape::scalar(x.dtype()))?;
        let mut dims = Vec::with_capacity(x.rank());
        for axis in 0..x.rank() {
            dims.push(padded(x.dim(axis), low[axis], high[axis], interior[axis]).ok_or_else(|| {
                OpError::attribute(format!(
                    "padding {} and {} of axis {axis} is out of range",
                    low[axis], high[axis]
                ))
            })?);
        }
        Ok(x.with_dims(dims))
    }

    /// The size of an axis after padding.
    fn padded(dim: &Dim, low: i64, high: i64, interior: usize) -> Option<Dim> {
        if let Some(n) = dim.as_static() {
            let inner = n as i128 + interior as i128 * (n as i128 - 1).max(0);
            return usize::try_from(inner + i128::from(low) + i128::from(high)).ok().map(Dim::Static);
        }
        let inner = if interior == 0 { dim.clone() } else { &(dim * (interior + 1)) - interior };
        Some(inner.offset(low.checked_add(high)?))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        x: &Value,
        value: &Value,
        low: &[i64],
        _: &[i64],
        interior: &[usize],
    ) -> Result<Value, OpError> {
        let dims = cx.dims();
        let strides = row_major_strides(&dims);
        let mut out = Value::splat(dims.clone(), x.dtype(), value.get(0));
        let mut from = 0;
        for_each_index(x.dims(), |index| {
            let place =
                |axis: usize| index[axis] as i128 * (interior[axis] as i128 + 1) + i128::from(low[axis]);
            let inside = (0..dims.len()).all(|axis| (0..dims[axis] as i128).contains(&place(axis)));
            if inside {
                let to = (0..dims.len()).map(|axis| place(axis) as usize * strides[axis]).sum();
                out.set_from(to, x, from);
            }
            from += 1;
        });
        Ok(out)
    }
}

/// Joins tensors along an axis.
pub(crate) mod concatenate {
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value, for_each_index};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(xs: &[Shape], axis: usize) -> Result<Shape, OpError> {
        let Some((first, rest)) = xs.split_first() else {
            return Err(OpError::shape("concatenate needs at least one operand"));
        };
        OpError::check_axis(axis, first.rank())?;
        let mut out = first.clone();
        for x in rest {
            let same_elsewhere = x.rank() == first.rank()
                && x.dtype() == first.dtype()
                && x.without_axes(&[axis]).compatible(&first.without_axes(&[axis]));
            if !same_elsewhere {
                return Err(OpError::shape(format!("{first} and {x} differ outside axis {axis}")));
            }
            out = super::super::elementwise::merge(
                &out,
                &x.with_dims(dims_with(x, axis, out.dim(axis).clone())),
            );
        }
        // All at once, because there may be many operands, each with a different symbol.
        let size = Dim::sum(xs.iter().map(|x| x.dim(axis).clone()));
        Ok(out.with_dims(dims_with(&out, axis, size)))
    }

    fn dims_with(x: &Shape, axis: usize, dim: Dim) -> Vec<Dim> {
        let mut dims = x.dims().to_vec();
        dims[axis] = dim;
        dims
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, xs: &[Value], axis: usize) -> Result<Value, OpError> {
        let dims = cx.dims();
        let strides = row_major_strides(&dims);
        let mut out = Value::splat(dims, cx.out().dtype(), crate::eval::Scalar::Int(0));
        let mut offset = 0;
        for x in xs {
            let mut from = 0;
            for_each_index(x.dims(), |index| {
                out.set_from(crate::eval::linear(index, &strides) + offset * strides[axis], x, from);
                from += 1;
            });
            offset += x.dims()[axis];
        }
        Ok(out)
    }
}

/// Reverses axes.
pub(crate) mod reverse {
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(x: &Shape, axes: &[usize]) -> Result<Shape, OpError> {
        OpError::check_axes(axes, x.rank())?;
        Ok(x.clone())
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, axes: &[usize]) -> Result<Value, OpError> {
        let dims = cx.dims();
        let strides = row_major_strides(&dims);
        Ok(x.pick(&dims, |index| {
            let at = |a: usize| if axes.contains(&a) { dims[a] - 1 - index[a] } else { index[a] };
            (0..dims.len()).map(|a| at(a) * strides[a]).sum()
        }))
    }
}
