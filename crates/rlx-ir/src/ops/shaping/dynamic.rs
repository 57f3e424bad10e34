//! `dynamic_slice` and `dynamic_update_slice`: slices at offsets known only at run time. Offsets are integer scalars, one per
//! axis; a slice that would go out of bounds is moved inside.

use crate::dtype::DTypeSet;
use crate::eval::Value;
use crate::op::OpError;
use crate::shape::Shape;

fn check_starts(starts: &[Shape], rank: usize) -> Result<(), OpError> {
    if starts.len() != rank {
        return Err(OpError::shape(format!("needs {rank} start offsets, got {}", starts.len())));
    }
    for start in starts {
        OpError::check_dtype("start", start.dtype(), DTypeSet::INT)?;
        if !start.is_scalar() {
            return Err(OpError::shape(format!("a start offset must be a scalar, got {start}")));
        }
    }
    Ok(())
}

/// Fails unless a slice of sizes `inner` fits into sizes `outer`.
fn check_fits(inner: &Shape, outer: &Shape) -> Result<(), OpError> {
    let fits = inner.rank() == outer.rank()
        && inner.dims().iter().zip(outer.dims()).all(|(a, b)| match (a.as_static(), b.as_static()) {
            (Some(a), Some(b)) => a <= b,
            _ => true,
        });
    if fits { Ok(()) } else { Err(OpError::shape(format!("the slice {inner} does not fit into {outer}"))) }
}

/// The offsets, clamped so that the slice lies inside.
fn clamped(starts: &[Value], inner: &[usize], outer: &[usize]) -> Vec<usize> {
    let place = |axis: usize, start: &Value| {
        let last = outer[axis].saturating_sub(inner[axis]) as i128;
        start.to_ints()[0].clamp(0, last) as usize
    };
    starts.iter().enumerate().map(|(axis, start)| place(axis, start)).collect()
}

pub(crate) mod dynamic_slice {
    use super::{check_fits, check_starts, clamped};
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value, linear};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(x: &Shape, starts: &[Shape], sizes: &[Dim]) -> Result<Shape, OpError> {
        check_starts(starts, x.rank())?;
        let out = x.with_dims(sizes.to_vec());
        check_fits(&out, x)?;
        Ok(out)
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, starts: &[Value], _: &[Dim]) -> Result<Value, OpError> {
        let dims = cx.dims();
        let strides = row_major_strides(x.dims());
        let origin = linear(&clamped(starts, &dims, x.dims()), &strides);
        Ok(x.pick(&dims, |index| origin + linear(index, &strides)))
    }
}

pub(crate) mod dynamic_update_slice {
    use super::{check_fits, check_starts, clamped};
    use crate::eval::{EvalCx, Value, for_each_index, linear};
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(x: &Shape, update: &Shape, starts: &[Shape]) -> Result<Shape, OpError> {
        check_starts(starts, x.rank())?;
        if update.dtype() != x.dtype() {
            return Err(OpError::shape(format!("update {update} must have the element type of x {x}")));
        }
        check_fits(update, x)?;
        Ok(x.clone())
    }

    pub(crate) fn eval(
        _: &EvalCx<'_>,
        x: &Value,
        update: &Value,
        starts: &[Value],
    ) -> Result<Value, OpError> {
        let strides = row_major_strides(x.dims());
        let origin = linear(&clamped(starts, update.dims(), x.dims()), &strides);
        let mut out = x.clone();
        let mut from = 0;
        for_each_index(update.dims(), |index| {
            out.set_from(origin + linear(index, &strides), update, from);
            from += 1;
        });
        Ok(out)
    }
}
