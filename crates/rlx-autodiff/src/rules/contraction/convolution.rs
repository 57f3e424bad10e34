//! Rules of `convolution`, whose transpose is a convolution. For x, strides and base dilation are exchanged; for the kernel,
//! strides and window dilation. A mapped batch of x is merged with its batch or features, and one of the kernel with its output
//! features.

use super::met;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::trace;
use crate::vmap::move_axis;
use rlx_ir::{ConvolutionAxes, ConvolutionSpec, DType, Dim, Op, Shape, Tensor};

/// The attributes of a convolution.
fn attributes(op: &Op) -> Result<(&ConvolutionSpec, Option<DType>), Error> {
    match op {
        Op::Convolution { spec, dtype } => Ok((spec, *dtype)),
        _ => Err(Error::no_rule("rule", "this is not a convolution")),
    }
}

fn convolved(spec: ConvolutionSpec, dtype: Option<DType>, x: &Tensor, kernel: &Tensor) -> Tensor {
    x.apply(Op::Convolution { spec, dtype }, &[kernel])
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [x, kernel] = operands else { return Err(Error::no_rule("transpose", "it has two operands")) };
    let (spec, _) = attributes(op)?;
    let ct = cts.first(cx.builder);
    let spans = Span::all(spec, &x.shape(), &kernel.shape(), &ct.shape())?;
    if x.is_linear() {
        let dtype = x.shape().dtype();
        let own = met(&ct, kernel.known()?, dtype, |ct, kernel| cotangent_of_x(spec, &spans, ct, kernel));
        return Ok(vec![Some(own), None]);
    }
    let dtype = kernel.shape().dtype();
    let own = met(&ct, x.known()?, dtype, |ct, x| cotangent_of_kernel(spec, &spans, ct, x));
    Ok(vec![None, Some(own)])
}

/// The extents of x, the kernel and the strided result along a spatial axis, including gaps.
struct Span {
    /// The extent of x minus that of the result, if it is known.
    difference: i64,
    kernel: i64,
}

impl Span {
    fn all(spec: &ConvolutionSpec, x: &Shape, kernel: &Shape, out: &Shape) -> Result<Vec<Span>, Error> {
        (0..spec.strides.len())
            .map(|i| {
                let size = |shape: &Shape, axes: &ConvolutionAxes| shape.dim(axes.spatial[i]).clone();
                Span::along(spec, i, &size(x, &spec.x), &size(kernel, &spec.kernel), &size(out, &spec.out))
            })
            .collect()
    }

    fn along(spec: &ConvolutionSpec, i: usize, x: &Dim, kernel: &Dim, out: &Dim) -> Result<Span, Error> {
        let reach = |n: &Dim, by: usize| {
            let n = i64::try_from(n.as_static()?).ok()?;
            if n == 0 { Some(0) } else { (n - 1).checked_mul(i64::try_from(by).ok()?)?.checked_add(1) }
        };
        let unknown = || {
            let why =
                "the cotangent of a convolution needs the sizes of spatial axes; bind their symbols first";
            Error::no_rule("transpose", why)
        };
        let kernel = reach(kernel, spec.rhs_dilation[i]).ok_or_else(unknown)?;
        let difference = match (reach(x, spec.lhs_dilation[i]), reach(out, spec.strides[i])) {
            (Some(x), Some(out)) => x - out,
            // With stride 1, the result is as long as the rest of x, whatever its size.
            _ if spec.strides[i] == 1 => kernel - 1 - spec.low[i] - spec.high[i],
            _ => return Err(unknown()),
        };
        Ok(Span { difference, kernel })
    }
}

/// Convolves the cotangent with the reversed kernel, whose input and output features are exchanged.
fn cotangent_of_x(spec: &ConvolutionSpec, spans: &[Span], ct: &Tensor, kernel: &Tensor) -> Tensor {
    let groups = spec.groups();
    let kernel = match groups {
        1 => kernel.clone(),
        // Groups split the output features. For the cotangent they must split what are input features here.
        _ => joined(&parted(kernel, spec.kernel.batch, groups), spec.kernel.batch, spec.kernel.feature),
    };
    let padding = spans.iter().zip(&spec.low).map(|(span, low)| {
        let before = span.kernel - low - 1;
        (before, span.difference + span.kernel - 1 - before)
    });
    let (low, high) = padding.unzip();
    let transposed = ConvolutionSpec {
        strides: spec.lhs_dilation.clone(),
        lhs_dilation: spec.strides.clone(),
        rhs_dilation: spec.rhs_dilation.clone(),
        low,
        high,
        reversal: spec.reversal.iter().map(|r| !r).collect(),
        x: spec.out.clone(),
        kernel: spec.kernel.exchanged(),
        out: spec.x.clone(),
        feature_groups: groups,
        batch_groups: 1,
    };
    let given = convolved(transposed, None, ct, &kernel);
    match spec.batch_groups {
        1 => given,
        groups => joined(&parted(&given, spec.x.feature, groups), spec.x.feature, spec.x.batch),
    }
}

/// Convolves x with the cotangent as kernel, with batch and features exchanged.
fn cotangent_of_kernel(spec: &ConvolutionSpec, spans: &[Span], ct: &Tensor, x: &Tensor) -> Tensor {
    let high = spans.iter().zip(&spec.low).map(|(span, low)| span.kernel - span.difference - 1 - low);
    let transposed = ConvolutionSpec {
        strides: spec.rhs_dilation.clone(),
        lhs_dilation: spec.lhs_dilation.clone(),
        rhs_dilation: spec.strides.clone(),
        low: spec.low.clone(),
        high: high.collect(),
        reversal: vec![false; spec.reversal.len()],
        x: spec.x.exchanged(),
        kernel: spec.out.exchanged(),
        out: spec.kernel.exchanged(),
        feature_groups: spec.batch_groups,
        batch_groups: spec.feature_groups,
    };
    let given = convolved(transposed, None, x, ct);
    let spatial = spec.kernel.spatial.iter().zip(&spec.reversal);
    let axes: Vec<usize> = spatial.filter(|(_, reversed)| **reversed).map(|(&axis, _)| axis).collect();
    if axes.is_empty() { given } else { given.apply(Op::Reverse { axes }, &[]) }
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let [x, kernel] = operands else { return Err(Error::no_rule("batching rule", "it has two operands")) };
    let (spec, dtype) = attributes(op)?;
    let mut conv = spec.clone();
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
        parted_by(&convolved(conv, dtype, &joined(&x.value, 0, target), &kernel), feature, &cx.size)
    } else if x.batched {
        let joined = joined_in_groups(&x.value, conv.x.batch, conv.batch_groups);
        parted_by(&convolved(conv, dtype, &joined, &kernel.value), batch, &cx.size)
    } else {
        let kernel = joined_in_groups(&kernel.value, conv.kernel.batch, groups);
        let result = convolved(conv, dtype, &x.value, &kernel);
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
