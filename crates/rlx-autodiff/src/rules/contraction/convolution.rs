//! Rules of `convolution`, whose transpose is a convolution. For x, strides and base dilation are exchanged; for the kernel,
//! strides and window dilation. A mapped batch of x is merged with its batch or features, and one of the kernel with its output
//! features.

use super::met;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::trace;
use crate::vmap::move_axis;
use rlx_ir::op::ConvolutionAxes;
use rlx_ir::{DType, Dim, Op, Shape, Tensor};

/// The axes of one tensor. For the kernel, `batch` is the axis of the output features and `feature` that of the input features.
#[derive(Clone)]
struct Axes {
    batch: usize,
    feature: usize,
    spatial: Vec<usize>,
}

impl From<ConvolutionAxes<'_>> for Axes {
    fn from(of: ConvolutionAxes<'_>) -> Axes {
        Axes { batch: of.batch, feature: of.feature, spatial: of.spatial.to_vec() }
    }
}

impl Axes {
    fn exchanged(&self) -> Axes {
        Axes { batch: self.feature, feature: self.batch, spatial: self.spatial.clone() }
    }
}

/// The attributes of a convolution.
#[derive(Clone)]
struct Convolution {
    strides: Vec<usize>,
    lhs_dilation: Vec<usize>,
    rhs_dilation: Vec<usize>,
    padding: Vec<(i64, i64)>,
    reversal: Vec<bool>,
    x: Axes,
    kernel: Axes,
    out: Axes,
    feature_groups: usize,
    batch_groups: usize,
    dtype: Option<DType>,
}

impl Convolution {
    fn of(op: &Op) -> Result<Convolution, Error> {
        let Some(of) = op.convolution() else {
            return Err(Error::no_rule("rule", "this is not a convolution"));
        };
        Ok(Convolution {
            strides: of.strides.to_vec(),
            lhs_dilation: of.lhs_dilation.to_vec(),
            rhs_dilation: of.rhs_dilation.to_vec(),
            padding: of.low.iter().copied().zip(of.high.iter().copied()).collect(),
            reversal: of.reversal.to_vec(),
            x: of.x.into(),
            kernel: of.kernel.into(),
            out: of.out.into(),
            feature_groups: of.feature_groups,
            batch_groups: of.batch_groups,
            dtype: of.dtype,
        })
    }

    fn apply(self, x: &Tensor, kernel: &Tensor) -> Tensor {
        let (low, high) = self.padding.into_iter().unzip();
        let op = Op::Convolution {
            strides: self.strides,
            lhs_dilation: self.lhs_dilation,
            rhs_dilation: self.rhs_dilation,
            low,
            high,
            reversal: self.reversal,
            lhs_batch_dim: self.x.batch,
            lhs_feature_dim: self.x.feature,
            lhs_spatial_dims: self.x.spatial,
            rhs_in_dim: self.kernel.feature,
            rhs_out_dim: self.kernel.batch,
            rhs_spatial_dims: self.kernel.spatial,
            out_batch_dim: self.out.batch,
            out_feature_dim: self.out.feature,
            out_spatial_dims: self.out.spatial,
            feature_groups: self.feature_groups,
            batch_groups: self.batch_groups,
            dtype: self.dtype,
        };
        x.apply(op, &[kernel])
    }

    /// The number of groups, of features or of the batch.
    fn groups(&self) -> usize {
        self.feature_groups.max(self.batch_groups)
    }
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [x, kernel] = operands else { return Err(Error::no_rule("transpose", "it has two operands")) };
    let conv = Convolution::of(op)?;
    let ct = cts.first(cx.builder);
    let spans = Span::all(&conv, &x.shape(), &kernel.shape(), &ct.shape())?;
    if x.is_linear() {
        let dtype = x.shape().dtype();
        let own = met(&ct, kernel.known()?, dtype, |ct, kernel| conv.cotangent_of_x(&spans, ct, kernel));
        return Ok(vec![Some(own), None]);
    }
    let dtype = kernel.shape().dtype();
    let own = met(&ct, x.known()?, dtype, |ct, x| conv.cotangent_of_kernel(&spans, ct, x));
    Ok(vec![None, Some(own)])
}

/// The extents of x, the kernel and the strided result along a spatial axis, including gaps.
struct Span {
    /// The extent of x minus that of the result, if it is known.
    difference: i64,
    kernel: i64,
}

impl Span {
    fn all(conv: &Convolution, x: &Shape, kernel: &Shape, out: &Shape) -> Result<Vec<Span>, Error> {
        (0..conv.strides.len())
            .map(|i| {
                let size = |shape: &Shape, axes: &Axes| shape.dim(axes.spatial[i]).clone();
                Span::along(conv, i, &size(x, &conv.x), &size(kernel, &conv.kernel), &size(out, &conv.out))
            })
            .collect()
    }

    fn along(conv: &Convolution, i: usize, x: &Dim, kernel: &Dim, out: &Dim) -> Result<Span, Error> {
        let reach = |n: &Dim, by: usize| {
            let n = i64::try_from(n.as_static()?).ok()?;
            if n == 0 { Some(0) } else { (n - 1).checked_mul(i64::try_from(by).ok()?)?.checked_add(1) }
        };
        let unknown = || {
            let why =
                "the cotangent of a convolution needs the sizes of spatial axes; bind their symbols first";
            Error::no_rule("transpose", why)
        };
        let kernel = reach(kernel, conv.rhs_dilation[i]).ok_or_else(unknown)?;
        let (low, high) = conv.padding[i];
        let difference = match (reach(x, conv.lhs_dilation[i]), reach(out, conv.strides[i])) {
            (Some(x), Some(out)) => x - out,
            // With stride 1, the result is as long as the rest of x, whatever its size.
            _ if conv.strides[i] == 1 => kernel - 1 - low - high,
            _ => return Err(unknown()),
        };
        Ok(Span { difference, kernel })
    }
}

impl Convolution {
    /// Convolves the cotangent with the reversed kernel, whose input and output features are exchanged.
    fn cotangent_of_x(&self, spans: &[Span], ct: &Tensor, kernel: &Tensor) -> Tensor {
        let groups = self.groups();
        let kernel = match groups {
            1 => kernel.clone(),
            // Groups split the output features. For the cotangent they must split what are input features here.
            _ => joined(&parted(kernel, self.kernel.batch, groups), self.kernel.batch, self.kernel.feature),
        };
        let padding = spans.iter().zip(&self.padding).map(|(span, (low, _))| {
            let before = span.kernel - low - 1;
            (before, span.difference + span.kernel - 1 - before)
        });
        let conv = Convolution {
            strides: self.lhs_dilation.clone(),
            lhs_dilation: self.strides.clone(),
            rhs_dilation: self.rhs_dilation.clone(),
            padding: padding.collect(),
            reversal: self.reversal.iter().map(|r| !r).collect(),
            x: self.out.clone(),
            kernel: self.kernel.exchanged(),
            out: self.x.clone(),
            feature_groups: groups,
            batch_groups: 1,
            dtype: None,
        };
        let given = conv.apply(ct, &kernel);
        match self.batch_groups {
            1 => given,
            groups => joined(&parted(&given, self.x.feature, groups), self.x.feature, self.x.batch),
        }
    }

    /// Convolves x with the cotangent as kernel, with batch and features exchanged.
    fn cotangent_of_kernel(&self, spans: &[Span], ct: &Tensor, x: &Tensor) -> Tensor {
        let padding = spans.iter().zip(&self.padding).map(|(span, &(low, _))| {
            let high = span.kernel - span.difference - 1 - low;
            (low, high)
        });
        let conv = Convolution {
            strides: self.rhs_dilation.clone(),
            lhs_dilation: self.lhs_dilation.clone(),
            rhs_dilation: self.strides.clone(),
            padding: padding.collect(),
            reversal: vec![false; self.reversal.len()],
            x: self.x.exchanged(),
            kernel: self.out.exchanged(),
            out: self.kernel.exchanged(),
            feature_groups: self.batch_groups,
            batch_groups: self.feature_groups,
            dtype: None,
        };
        let given = conv.apply(x, ct);
        let spatial = self.kernel.spatial.iter().zip(&self.reversal);
        let axes: Vec<usize> = spatial.filter(|(_, reversed)| **reversed).map(|(&axis, _)| axis).collect();
        if axes.is_empty() { given } else { given.apply(Op::Reverse { axes }, &[]) }
    }
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let [x, kernel] = operands else { return Err(Error::no_rule("batching rule", "it has two operands")) };
    let mut conv = Convolution::of(op)?;
    if cx.size == Dim::Static(0) {
        let own = op.infer(&[x.own_shape(), kernel.own_shape()])?;
        let shapes = own.iter().map(|shape| trace::with_leading(shape, &cx.size));
        return Ok(shapes.map(|shape| Batched::each(trace::zeros(cx.builder, &shape))).collect());
    }
    let (batch, feature) = (conv.out.batch, conv.out.feature);
    let groups = conv.groups();
    let result = if x.batched && kernel.batched {
        let Some(size) = cx.size.as_static() else {
            let why =
                "a batch of kernels becomes groups, whose number must be known; give the size of the axis";
            return Err(Error::no_rule("batching rule", why));
        };
        let by_batch = conv.batch_groups > 1;
        let target = if by_batch { conv.x.batch } else { conv.x.feature };
        *(if by_batch { &mut conv.batch_groups } else { &mut conv.feature_groups }) *= size;
        let kernel = joined(&kernel.value, 0, conv.kernel.batch);
        parted_by(&conv.clone().apply(&joined(&x.value, 0, target), &kernel), feature, &cx.size)
    } else if x.batched {
        let joined = joined_in_groups(&x.value, conv.x.batch, conv.batch_groups);
        parted_by(&conv.clone().apply(&joined, &kernel.value), batch, &cx.size)
    } else {
        let kernel = joined_in_groups(&kernel.value, conv.kernel.batch, groups);
        let result = conv.clone().apply(&x.value, &kernel);
        if groups == 1 {
            parted_by(&result, feature, &cx.size)
        } else {
            // Features come in the order (groups, batch, own). The groups are moved back to their features.
            let apart = parted_by(&parted(&result, feature, groups), feature + 1, &cx.size);
            joined(&move_axis(&apart, feature + 1, 0), feature + 1, feature + 1)
        }
    };
    let batched_at = match (x.batched, kernel.batched) {
        (true, false) => batch,
        (false, true) if groups > 1 => 0,
        _ => feature,
    };
    Ok(vec![Batched::each(move_axis(&result, batched_at, 0))])
}

/// Splits an axis in two: which of the `groups` groups, and the position in it.
fn parted(x: &Tensor, axis: usize, groups: usize) -> Tensor {
    parted_by(x, axis, &Dim::Static(groups))
}

fn parted_by(x: &Tensor, axis: usize, groups: &Dim) -> Tensor {
    let mut dims = x.dims();
    let part = dims[axis].floor_div(groups);
    dims.splice(axis..=axis, [groups.clone(), part]);
    x.reshape(&dims)
}

/// Moves the axis `from` before `into`, and merges the two. `into` does not count `from`.
fn joined(x: &Tensor, from: usize, into: usize) -> Tensor {
    let moved = move_axis(x, from, into);
    let mut dims = moved.dims();
    let one = &dims[into] * &dims[into + 1];
    dims.splice(into..=into + 1, [one]);
    moved.reshape(&dims)
}

/// Merges the leading batch axis of x with another axis, whose groups stay outermost.
fn joined_in_groups(x: &Tensor, axis: usize, groups: usize) -> Tensor {
    if groups == 1 {
        return joined(x, 0, axis);
    }
    // (batch, …, groups, own, …) to (…, groups, batch·own, …) to (…, groups·batch·own, …).
    let apart = joined(&parted(x, axis + 1, groups), 0, axis + 1);
    joined(&apart, axis, axis)
}
