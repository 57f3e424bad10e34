//! Rules of strided slices and `concatenate`.

use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use crate::trace::zeros;
use rlx_ir::{Dim, Op, Shape, Tensor};

/// The cotangent, placed in zeros at its slice.
pub(super) fn slice_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::Slice { starts, limits, strides }, [x]) = (op, operands) else { return Ok(Vec::new()) };
    let mut ct = cts.first(cx.builder);
    let own = x.shape();
    let rank = own.rank();
    let (mut low, mut high, mut interior) = (vec![0; rank], vec![0; rank], vec![0; rank]);
    for axis in 0..rank {
        let (start, limit, stride) = (&starts[axis], &limits[axis], strides[axis]);
        match padding(own.dim(axis), ct.shape().dim(axis), start, limit, stride) {
            Some(known) => (low[axis], high[axis], interior[axis]) = known,
            None => ct = placed(&ct, axis, own.dim(axis), start, limit, stride),
        }
    }
    if low.iter().chain(&high).all(|&n| n == 0) && interior.iter().all(|&n| n == 0) {
        return Ok(vec![Some(ct)]);
    }
    let zero = ct.scalar_like(0.0);
    Ok(vec![Some(ct.apply(Op::Pad { low, high, interior }, &[&zero]))])
}

/// The padding before, after and between the elements of a slice that restores the axis it was taken from, if the numbers are
/// known.
fn padding(whole: &Dim, part: &Dim, start: &Dim, limit: &Dim, stride: usize) -> Option<(i64, i64, usize)> {
    let low = i64::try_from(start.as_static()?).ok()?;
    let high = match (stride, part.as_static()) {
        (1, _) => (whole - limit).as_static()?,
        (_, Some(n)) => {
            whole.as_static()?.checked_sub(start.as_static()? + n + n.saturating_sub(1) * (stride - 1))?
        }
        _ => return None,
    };
    Some((low, i64::try_from(high).ok()?, stride - 1))
}

/// The elements of a slice at their places along an axis of zeros. Sizes may be symbolic.
fn placed(ct: &Tensor, axis: usize, whole: &Dim, start: &Dim, limit: &Dim, stride: usize) -> Tensor {
    let part = ct.dim(axis);
    let spread = spread(ct, axis, &part, stride);
    let gap = |size: &Dim| {
        let mut dims = spread.dims();
        dims[axis] = size.clone();
        zeros(&ct.builder(), &Shape::from_dims(&dims, ct.dtype()))
    };
    let (before, after) = (gap(start), gap(&(whole - limit)));
    before.apply(Op::Concatenate { axis }, &[&spread, &after]).slice_axis(axis, 0, whole.clone())
}

/// Each element along an axis followed by `stride − 1` zeros.
fn spread(ct: &Tensor, axis: usize, part: &Dim, stride: usize) -> Tensor {
    if stride == 1 {
        return ct.clone();
    }
    let thick = ct.unsqueeze(axis + 1);
    let mut high = vec![0; thick.rank()];
    high[axis + 1] = i64::try_from(stride - 1).unwrap_or(i64::MAX);
    let (low, interior) = (vec![0; thick.rank()], vec![0; thick.rank()]);
    let padded = thick.apply(Op::Pad { low, high, interior }, &[&ct.scalar_like(0.0)]);
    let mut dims = ct.dims();
    dims[axis] = part * stride;
    padded.reshape(&dims)
}

/// The part of the cotangent that came from each operand.
pub(super) fn concatenate_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let Op::Concatenate { axis } = op else { return Ok(Vec::new()) };
    let ct = cts.first(cx.builder);
    let mut start = Dim::Static(0);
    let part = |x: &Arg| {
        let limit = &start + x.shape().dim(*axis);
        let given = x.is_linear().then(|| ct.slice_axis(*axis, start.clone(), limit.clone()));
        start = limit;
        given
    };
    Ok(operands.iter().map(part).collect())
}
