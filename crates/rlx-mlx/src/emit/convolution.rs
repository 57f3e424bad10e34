//! Convolutions: with MLX's own operation if it has one, otherwise as products with the windows of x.

use super::contraction::MatrixProduct;
use super::movement::zero;
use super::windows::Windows;
use super::{ArrayType, Declined, Site, Step, step, types};
use crate::launch::Launch;
use rlx_ir::{ConvolutionAxes, DotDims, Op, WindowSpec};
use rlx_mlx_sys::{Convolution, ElementType, MlxArray, MlxError, Slices};

/// A convolution with its axes in MLX's order.
#[derive(Clone, Debug)]
struct ConvolutionLayout {
    /// x as [batch, spatial …, features].
    x: Vec<usize>,
    /// The kernel as [features out, spatial …, features in].
    kernel: Vec<usize>,
    /// The permutation from [batch, spatial …, features] to the result.
    out: Vec<usize>,
    strides: Vec<usize>,
    input_dilation: Vec<usize>,
    kernel_dilation: Vec<usize>,
    low: Vec<i64>,
    high: Vec<i64>,
    /// Axes of the kernel, in MLX's order, that are reversed.
    reversed: Vec<usize>,
    groups: usize,
    batch_groups: usize,
    /// Permutes the result to its own order of axes.
    result: ArrayType,
    by_mlx: bool,
}

/// `[batch, spatial …, feature]`.
fn with_ends(axes: &ConvolutionAxes) -> Vec<usize> {
    [&[axes.batch], &axes.spatial[..], &[axes.feature]].concat()
}

/// Returns the inverse of a permutation.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &o)| back[o] = i);
    back
}

pub(super) fn convolution(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Convolution { spec: of, .. } = site.op else { return site.decline("here") };
    let spatial = of.strides.len();
    let element = site.result().element;
    let is_wide = matches!(element, ElementType::F32 | ElementType::F16 | ElementType::BF16);
    let fits = (1..=3).contains(&spatial) && is_wide && of.low.iter().chain(&of.high).all(|&pad| pad >= 0);
    let layout = ConvolutionLayout {
        x: with_ends(&of.x),
        kernel: with_ends(&of.kernel),
        out: inverse(&with_ends(&of.out)),
        strides: of.strides.clone(),
        input_dilation: of.lhs_dilation.clone(),
        kernel_dilation: of.rhs_dilation.clone(),
        low: of.low.clone(),
        high: of.high.clone(),
        reversed: (0..spatial).filter(|&i| of.reversal[i]).map(|i| i + 1).collect(),
        groups: of.feature_groups,
        batch_groups: of.batch_groups,
        result: site.result().clone(),
        by_mlx: fits && !site.x().is_empty() && !site.operands[1].is_empty(),
    };
    step(move |cx, x| layout.apply(cx, x[0], x[1]))
}

/// Returns a part of one axis.
fn part(cx: &Launch<'_>, x: &MlxArray, axis: usize, start: usize, stop: usize) -> Result<MlxArray, MlxError> {
    let mut slices = Slices::default();
    for (i, &d) in x.dims().iter().enumerate() {
        let (from, to) = if i == axis { (start, stop) } else { (0, d) };
        slices.push(from, to, 1);
    }
    cx.slice(x, &slices)
}

impl ConvolutionLayout {
    fn apply(&self, cx: &Launch<'_>, x: &MlxArray, kernel: &MlxArray) -> Result<MlxArray, MlxError> {
        let element = self.result.element;
        let x = cx.transpose(&types::converted(cx, x, element)?, &self.x)?;
        let kernel = cx.transpose(&types::converted(cx, kernel, element)?, &self.kernel)?;
        let kernel = if self.reversed.is_empty() { kernel } else { cx.reverse(&kernel, &self.reversed)? };
        let made = if self.batch_groups == 1 {
            self.grouped(cx, &x, &kernel)?
        } else {
            // Each group of the batch has separate features.
            let (batch, features) = (x.dims()[0] / self.batch_groups, kernel.dims()[0] / self.batch_groups);
            let one = |g: usize| {
                let x = part(cx, &x, 0, g * batch, (g + 1) * batch)?;
                self.grouped(cx, &x, &part(cx, &kernel, 0, g * features, (g + 1) * features)?)
            };
            let all: Vec<MlxArray> = (0..self.batch_groups).map(one).collect::<Result<_, _>>()?;
            cx.concatenate(&all.iter().collect::<Vec<_>>(), x.dims().len() - 1)?
        };
        cx.transpose(&made, &self.out)
    }

    /// Computes the convolution of groups of features.
    fn grouped(&self, cx: &Launch<'_>, x: &MlxArray, kernel: &MlxArray) -> Result<MlxArray, MlxError> {
        if self.by_mlx {
            let sizes = |pads: &[i64]| pads.iter().map(|&p| p as usize).collect();
            let how = Convolution {
                strides: self.strides.clone(),
                low: sizes(&self.low),
                high: sizes(&self.high),
                kernel_dilation: self.kernel_dilation.clone(),
                input_dilation: self.input_dilation.clone(),
                groups: self.groups,
                flip: false,
            };
            return cx.convolution(x, kernel, &how);
        }
        let (inner, outer) = (kernel.dims()[kernel.dims().len() - 1], kernel.dims()[0] / self.groups.max(1));
        let last = x.dims().len() - 1;
        let one = |g: usize| {
            let x = part(cx, x, last, g * inner, (g + 1) * inner)?;
            self.by_windows(cx, &x, &part(cx, kernel, 0, g * outer, (g + 1) * outer)?)
        };
        let all: Vec<MlxArray> = (0..self.groups).map(one).collect::<Result<_, _>>()?;
        cx.concatenate(&all.iter().collect::<Vec<_>>(), last)
    }

    /// Computes the product of a kernel with the windows of x.
    fn by_windows(&self, cx: &Launch<'_>, x: &MlxArray, kernel: &MlxArray) -> Result<MlxArray, MlxError> {
        let (sizes, taps) = (x.dims(), kernel.dims());
        let last = sizes.len() - 1;
        let spatial = last - 1;
        let element = self.result.element;
        let around = |inner: &[usize], first: usize, end: usize| {
            let mut list = vec![first];
            list.extend(inner);
            list.push(end);
            list
        };
        let mut spec = WindowSpec {
            strides: around(&self.strides, 1, 1),
            base_dilation: around(&self.input_dilation, 1, 1),
            window_dilation: around(&self.kernel_dilation, 1, 1),
            ..WindowSpec::plain(&around(&taps[1..=spatial], 1, sizes[last]))
        };
        spec.low[1..=spatial].copy_from_slice(&self.low);
        spec.high[1..=spatial].copy_from_slice(&self.high);
        let windows = Windows { spec };
        // The sizes of the result, in MLX's order.
        let back = inverse(&self.out);
        let in_order: Vec<usize> = back.iter().map(|&axis| self.result.dims[axis]).collect();
        let mut count = in_order.clone();
        count[0] = sizes[0];
        count[last] = 1;
        let mut dims = count.clone();
        dims[last] = taps[0];
        if dims.contains(&0) || kernel.is_empty() || x.is_empty() {
            return cx.full(&dims, &zero(cx, element)?);
        }
        let padded = windows.padded(cx, x, &zero(cx, element)?)?;
        let view = windows.view(cx, &padded, &count)?;
        // [batch, spatial …, 1, 1, taps …, features]
        let contract: Vec<usize> = (last + 2..2 * last + 2).collect();
        let axes = DotDims::contracting(&contract, &(1..=last).collect::<Vec<usize>>());
        MatrixProduct::new(&view.dims(), &taps, &axes, &dims, element).apply(cx, &view, kernel)
    }
}
