//! Convolutions of images `[N, C, H, W]`, forward and transposed, as in PyTorch.

use crate::dim::Dim;
use crate::dtype::DTypeSet;
use crate::op::{ConvolutionAxes, ConvolutionSpec, Op, OpError};
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// One number per image axis, from an attribute that must have two entries.
fn pair(name: &str, list: &[usize], least: usize) -> Result<[usize; 2], OpError> {
    match list {
        &[h, w] if h.min(w) >= least => Ok([h, w]),
        _ => Err(OpError::attribute(format!(
            "{name} must have two items (height, width), each at least {least}, got {list:?}"
        ))),
    }
}

fn signed(n: usize) -> Result<i64, OpError> {
    i64::try_from(n).map_err(|_| OpError::attribute(format!("padding of {n} is too large")))
}

/// Fails unless x and w are images and kernels, the groups divide the channels, and the bias has `out` elements.
fn check(x: &Tensor, w: &Tensor, bias: Option<&Tensor>, groups: usize, out: &Dim) -> Result<(), OpError> {
    check_float("x", x)?;
    OpError::check_dtype("w", w.dtype(), DTypeSet::of(&[x.dtype()]))?;
    let (given, expected) = (bias.map(Tensor::shape), x.shape().with_dims(vec![out.clone()]));
    match given {
        Some(given) if !given.compatible(&expected) => {
            Err(OpError::shape(format!("bias must be {expected}, one per output channel, got {given}")))
        }
        _ if groups == 0 => Err(OpError::attribute("groups must be at least 1")),
        _ => Ok(()),
    }
}

fn check_ranks(x: &Tensor, w: &Tensor, layout: &str) -> Result<(), OpError> {
    if x.rank() == 4 && w.rank() == 4 {
        return Ok(());
    }
    Err(OpError::shape(format!(
        "x must be [batch, channels, height, width] and w {layout}, got {} and {}",
        x.shape(),
        w.shape()
    )))
}

fn with_bias(y: Tensor, bias: Option<&Tensor>) -> Tensor {
    match bias {
        Some(bias) => &y + bias.reshape(&[bias.dim(0), 1.into(), 1.into()]),
        None => y,
    }
}

/// The cross-correlation of x with w `[O, C/groups, kH, kW]`, plus the bias `[O]`. Both sides are padded with zeros.
pub(crate) fn conv2d(
    ([x, w], bias): ([&Tensor; 2], Option<&Tensor>),
    stride: &[usize],
    padding: &[usize],
    dilation: &[usize],
    groups: usize,
) -> Result<Tensor, OpError> {
    check_ranks(x, w, "[out, in / groups, height, width]")?;
    check(x, w, bias, groups, &w.dim(0))?;
    let [low_h, low_w] = pair("padding", padding, 0)?;
    let pads = vec![signed(low_h)?, signed(low_w)?];
    let spec = ConvolutionSpec {
        strides: pair("stride", stride, 1)?.to_vec(),
        rhs_dilation: pair("dilation", dilation, 1)?.to_vec(),
        low: pads.clone(),
        high: pads,
        feature_groups: groups,
        ..ConvolutionSpec::plain(2)
    };
    Ok(with_bias(x.apply(Op::Convolution { spec, dtype: None }, &[w]), bias))
}

/// The transpose of [`conv2d`] as a linear map: w is `[C, O/groups, kH, kW]`, and along an axis of size n the result has
/// (n − 1)·stride − 2·padding + dilation·(k − 1) + output_padding + 1 places.
pub(crate) fn conv_transpose2d(
    ([x, w], bias): ([&Tensor; 2], Option<&Tensor>),
    stride: &[usize],
    padding: &[usize],
    output_padding: &[usize],
    dilation: &[usize],
    groups: usize,
) -> Result<Tensor, OpError> {
    check_ranks(x, w, "[in, out / groups, height, width]")?;
    let dims = w.dims();
    check(x, w, bias, groups, &(&dims[1] * groups))?;
    if dims[0].as_static().is_some_and(|n| n % groups != 0) {
        return Err(OpError::attribute(format!("groups = {groups} does not divide {} channels", dims[0])));
    }
    let (Some(kernel_h), Some(kernel_w)) = (dims[2].as_static(), dims[3].as_static()) else {
        return Err(OpError::shape(format!("the kernel must have static sizes, got {}", w.shape())));
    };
    let (padding, extra) = (pair("padding", padding, 0)?, pair("output_padding", output_padding, 0)?);
    let dilation = pair("dilation", dilation, 1)?;
    let mut low = Vec::new();
    let mut high = Vec::new();
    for (axis, kernel) in [kernel_h, kernel_w].into_iter().enumerate() {
        let reach = signed(dilation[axis].saturating_mul(kernel.saturating_sub(1)))?;
        let before = reach - signed(padding[axis])?;
        let after = before.checked_add(signed(extra[axis])?);
        low.push(before);
        high.push(after.ok_or_else(|| OpError::attribute("the output padding overflows".to_string()))?);
    }
    let spec = ConvolutionSpec {
        lhs_dilation: pair("stride", stride, 1)?.to_vec(),
        rhs_dilation: dilation.to_vec(),
        low,
        high,
        reversal: vec![true; 2],
        kernel: ConvolutionAxes::leading(2).exchanged(),
        feature_groups: groups,
        ..ConvolutionSpec::plain(2)
    };
    let op = Op::Convolution { spec, dtype: None };
    Ok(with_bias(x.apply(op, &[&by_group(w, groups)]), bias))
}

/// Converts w from `[C, O/groups, …]` to `[C/groups, O, …]`, so that the groups are in the outputs instead of the inputs.
fn by_group(w: &Tensor, groups: usize) -> Tensor {
    if groups == 1 {
        return w.clone();
    }
    let dims = w.dims();
    let inputs = dims[0].floor_div(&Dim::Static(groups));
    let split = [&[Dim::Static(groups), inputs.clone()], &dims[1..]].concat();
    let joined = [&[inputs, &dims[1] * groups], &dims[2..]].concat();
    w.reshape(&split).transpose(&[1, 0, 2, 3, 4]).reshape(&joined)
}

/// The attributes of [`Tensor::conv2d`] and [`Tensor::conv_transpose2d`], each (height, width).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvOptions {
    /// Steps of the kernel.
    pub stride: [usize; 2],
    /// Zeros added on both sides; the transposed form removes this many rows and columns on both sides instead.
    pub padding: [usize; 2],
    /// Rows and columns that the transposed form adds at the end.
    pub output_padding: [usize; 2],
    /// Window dilation, the distance between elements of the kernel.
    pub dilation: [usize; 2],
    /// Number of groups that the channels are split into.
    pub groups: usize,
}

impl Default for ConvOptions {
    fn default() -> Self {
        ConvOptions { stride: [1; 2], padding: [0; 2], output_padding: [0; 2], dilation: [1; 2], groups: 1 }
    }
}

impl Tensor {
    /// Convolution of these images with kernels `[O, C/groups, kH, kW]`.
    #[track_caller]
    pub fn conv2d(&self, w: &Tensor, bias: Option<&Tensor>, options: ConvOptions) -> Tensor {
        let op = Op::Conv2d {
            stride: options.stride.to_vec(),
            padding: options.padding.to_vec(),
            dilation: options.dilation.to_vec(),
            groups: options.groups,
        };
        self.apply(op, &[w].into_iter().chain(bias).collect::<Vec<_>>())
    }

    /// Transposed convolution of these images with kernels `[C, O/groups, kH, kW]`.
    #[track_caller]
    pub fn conv_transpose2d(&self, w: &Tensor, bias: Option<&Tensor>, options: ConvOptions) -> Tensor {
        let op = Op::ConvTranspose2d {
            stride: options.stride.to_vec(),
            padding: options.padding.to_vec(),
            output_padding: options.output_padding.to_vec(),
            dilation: options.dilation.to_vec(),
            groups: options.groups,
        };
        self.apply(op, &[w].into_iter().chain(bias).collect::<Vec<_>>())
    }
}
