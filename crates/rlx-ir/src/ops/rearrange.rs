//! Named forms of slicing and repetition: expand, narrow, split, tile, roll.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::op::kinds::BinaryOp;
use crate::op::{Op, OpError};
use crate::tensor::Tensor;

/// x broadcast to `dims`: axes are aligned at the end, and axes of size 1 repeat.
pub(crate) fn expand(x: &Tensor, dims: &[Dim]) -> Result<Tensor, OpError> {
    if dims.len() < x.rank() {
        let message = format!("{} dimensions are fewer than x {} has", dims.len(), x.shape());
        return Err(OpError::attribute(message));
    }
    Ok(x.broadcast_to(dims))
}

/// `length` elements along `axis`, from `start`.
pub(crate) fn narrow(x: &Tensor, axis: usize, start: &Dim, length: &Dim) -> Result<Tensor, OpError> {
    OpError::check_axis(axis, x.rank())?;
    Ok(x.slice_axis(axis, start.clone(), start + length))
}

/// Consecutive parts of these sizes along `axis`, which together make up x.
pub(crate) fn split(x: &Tensor, axis: usize, sizes: &[Dim]) -> Result<Vec<Tensor>, OpError> {
    OpError::check_axis(axis, x.rank())?;
    let mut start = Dim::Static(0);
    let mut parts = Vec::with_capacity(sizes.len());
    for size in sizes {
        let limit = &start + size;
        parts.push((start, limit.clone()));
        start = limit;
    }
    if parts.is_empty() || !start.compatible(&x.dim(axis)) {
        let message = format!("the sizes add up to {start}, but axis {axis} has size {}", x.dim(axis));
        return Err(OpError::attribute(message));
    }
    Ok(parts.into_iter().map(|(start, limit)| x.slice_axis(axis, start, limit)).collect())
}

/// x repeated `repeats[i]` times along axis i. As in NumPy, ones are prepended to the shorter of axes and repeats.
pub(crate) fn tile(x: &Tensor, repeats: &[usize]) -> Result<Tensor, OpError> {
    let own = x.dims();
    let rank = own.len().max(repeats.len());
    let dims = [vec![Dim::Static(1); rank - own.len()], own].concat();
    let repeats = [vec![1; rank - repeats.len()], repeats.to_vec()].concat();
    // Insert an axis before each axis, and repeat along that.
    let pairs = dims.iter().zip(&repeats);
    let repeated: Vec<Dim> = pairs.clone().flat_map(|(d, &r)| [Dim::Static(r), d.clone()]).collect();
    let places: Vec<usize> = (0..rank).map(|axis| 2 * axis + 1).collect();
    let joined: Vec<Dim> = pairs.map(|(d, &r)| d * r).collect();
    let inner = x.shape().with_dims(repeated.clone());
    if inner.is_static() && inner.num_bytes().is_none() {
        return Err(OpError::attribute(format!("x {} repeated {repeats:?} times is too large", x.shape())));
    }
    Ok(x.reshape(&dims).broadcast_in_dim(&repeated, &places).reshape(&joined))
}

/// Shifts elements by `shifts[i]` toward the end of `axes[i]`; those that leave the axis come back at its start.
pub(crate) fn roll(x: &Tensor, shifts: &[i64], axes: &[usize]) -> Result<Tensor, OpError> {
    OpError::check_axes(axes, x.rank())?;
    if shifts.len() != axes.len() {
        return Err(OpError::attribute(format!(
            "got {} shifts for {} axes; the numbers must be equal",
            shifts.len(),
            axes.len()
        )));
    }
    Ok(shifts.iter().zip(axes).fold(x.clone(), |x, (&shift, &axis)| rolled(&x, shift, axis)))
}

fn rolled(x: &Tensor, shift: i64, axis: usize) -> Tensor {
    let Some(size) = x.dim(axis).as_static() else { return rolled_symbolic(x, shift, axis) };
    // INVARIANT: a remainder by a size fits the type of the size.
    let shift = i128::from(shift).checked_rem_euclid(size as i128).unwrap_or(0) as usize;
    if shift == 0 {
        return x.clone();
    }
    let tail = x.slice_axis(axis, size - shift, size);
    tail.apply(Op::Concatenate { axis }, &[&x.slice_axis(axis, 0, size - shift)])
}

/// Rotates by slicing two consecutive copies, which contain every rotation; which one is known only at run time.
fn rolled_symbolic(x: &Tensor, shift: i64, axis: usize) -> Tensor {
    let twice = x.apply(Op::Concatenate { axis }, &[x]);
    let index = |value: i64| x.builder().int(value, DType::I64);
    let size = x.size(axis).convert(DType::I64);
    let start = -index(shift).binary(BinaryOp::Rem, &size);
    let start = start.less(&index(0)).select(&(&start + &size), &start);
    let starts: Vec<Tensor> =
        (0..x.rank()).map(|a| if a == axis { start.clone() } else { index(0) }).collect();
    twice.apply(Op::DynamicSlice { sizes: x.dims() }, &starts.iter().collect::<Vec<_>>())
}

impl Tensor {
    /// Broadcasts the tensor to `dims`: axes are aligned at the end, and axes of size 1 repeat.
    #[track_caller]
    pub fn expand(&self, dims: &[Dim]) -> Tensor {
        self.apply(Op::Expand { dims: dims.to_vec() }, &[])
    }

    /// `length` elements along `axis`, from `start`.
    #[track_caller]
    pub fn narrow(&self, axis: usize, start: impl Into<Dim>, length: impl Into<Dim>) -> Tensor {
        self.apply(Op::Narrow { axis, start: start.into(), length: length.into() }, &[])
    }

    /// Splits the tensor into consecutive parts of these sizes along `axis`. After an error there is one void tensor.
    #[track_caller]
    pub fn split(&self, axis: usize, sizes: &[Dim]) -> Vec<Tensor> {
        self.apply_many(Op::Split { axis, sizes: sizes.to_vec() }, &[])
    }

    /// Repeats the tensor `repeats[i]` times along axis i.
    #[track_caller]
    pub fn tile(&self, repeats: &[usize]) -> Tensor {
        self.apply(Op::Tile { repeats: repeats.to_vec() }, &[])
    }

    /// Shifts elements by `shifts[i]` toward the end of `axes[i]`; those that leave the axis come back at its start.
    #[track_caller]
    pub fn roll(&self, shifts: &[i64], axes: &[usize]) -> Tensor {
        self.apply(Op::Roll { shifts: shifts.to_vec(), axes: axes.to_vec() }, &[])
    }
}
