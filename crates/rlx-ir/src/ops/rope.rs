//! Rotary position embeddings (Su et al., 2021).

use crate::dim::Dim;
use crate::op::kinds::RopeStyle;
use crate::op::{Op, OpError};
use crate::ops::precision::{check_companion, check_float};
use crate::tensor::Tensor;

/// Rotates pairs of the first `rotary_dims` elements of the last axis (all by default) by the angles with the given cosines and
/// sines. The other elements do not change. cos and sin are `[seq, rotary_dims / 2]`, or `[batch, seq, rotary_dims / 2]` with the
/// batch on axis 0 of x. Pair (a, b) becomes (a·cos − b·sin, b·cos + a·sin).
pub(crate) fn rope(
    x: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    style: RopeStyle,
    rotary_dims: Option<usize>,
    seq_axis: usize,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    let Some(last) = x.rank().checked_sub(1).filter(|&last| seq_axis < last) else {
        return Err(OpError::attribute(format!(
            "seq_axis = {seq_axis} must be an axis before the last of x {}",
            x.shape()
        )));
    };
    let d = x.dim(last);
    let rotary = rotary_dims.map_or_else(|| d.clone(), Dim::Static);
    let fits = rotary.as_static().is_none_or(|r| r % 2 == 0 && d.as_static().is_none_or(|d| r <= d));
    if !fits {
        return Err(OpError::attribute(format!("rotary_dims = {rotary} must be even and at most {d}")));
    }
    let half = rotary.floor_div(&Dim::Static(2));
    let wide = x.widened();
    let rotated = wide.slice_axis(last, 0, rotary.clone());
    let (a, b) = pairs(&rotated, last, &half, style);
    let cos = placed("cos", cos, x, seq_axis, &half)?;
    let sin = placed("sin", sin, x, seq_axis, &half)?;
    let (a, b) = (&a * &cos - &b * &sin, &b * &cos + &a * &sin);
    let rotated = joined(&a, &b, last, &rotary, style);
    let out = if rotary == d {
        rotated
    } else {
        rotated.apply(Op::Concatenate { axis: last }, &[&wide.slice_axis(last, rotary, d)])
    };
    Ok(out.convert(x.dtype()))
}

/// cos or sin with its axes placed at those of x, and `half` elements along the last axis.
fn placed(
    name: &'static str,
    table: &Tensor,
    x: &Tensor,
    seq_axis: usize,
    half: &Dim,
) -> Result<Tensor, OpError> {
    check_companion(name, table, x)?;
    let mut dims = x.dims();
    let last = dims.len() - 1;
    dims[last] = half.clone();
    let axes: &[usize] = match table.rank() {
        2 => &[seq_axis, last],
        3 if seq_axis > 0 => &[0, seq_axis, last],
        _ => &[],
    };
    let expected: Vec<Dim> = axes.iter().map(|&a| dims[a].clone()).collect();
    let fits = !axes.is_empty() && table.dims().iter().zip(&expected).all(|(a, b)| a.compatible(b));
    if !fits {
        return Err(OpError::shape(format!(
            "{name} must be [seq, rotary_dims / 2] = [{}, {half}], with the batch before it where angles differ, got {}",
            dims[seq_axis],
            table.shape()
        )));
    }
    Ok(table.widened().broadcast_in_dim(&dims, axes))
}

/// The first and second elements of all pairs.
fn pairs(x: &Tensor, last: usize, half: &Dim, style: RopeStyle) -> (Tensor, Tensor) {
    match style {
        RopeStyle::Halves => {
            (x.slice_axis(last, 0, half.clone()), x.slice_axis(last, half.clone(), half * 2))
        }
        RopeStyle::Interleaved => {
            let dims = x.dims();
            let lead = &dims[..last.min(dims.len())];
            let split = x.reshape(&[lead, &[half.clone(), Dim::Static(2)]].concat());
            let flat = [lead, std::slice::from_ref(half)].concat();
            let part = |i: usize| split.slice_axis(last + 1, i, i + 1).reshape(&flat);
            (part(0), part(1))
        }
    }
}

/// The inverse of [`pairs`].
fn joined(a: &Tensor, b: &Tensor, last: usize, rotary: &Dim, style: RopeStyle) -> Tensor {
    match style {
        RopeStyle::Halves => a.apply(Op::Concatenate { axis: last }, &[b]),
        RopeStyle::Interleaved => {
            let both =
                a.unsqueeze(last + 1).apply(Op::Concatenate { axis: last + 1 }, &[&b.unsqueeze(last + 1)]);
            let dims = a.dims();
            both.reshape(&[&dims[..last.min(dims.len())], std::slice::from_ref(rotary)].concat())
        }
    }
}

impl Tensor {
    /// Rotary position embedding of all elements of the last axis, with positions along `seq_axis`.
    #[track_caller]
    pub fn rope(&self, cos: &Tensor, sin: &Tensor, style: RopeStyle, seq_axis: usize) -> Tensor {
        self.apply(Op::Rope { style, rotary_dims: None, seq_axis }, &[cos, sin])
    }
}
