//! Windows that move over a tensor: views of it in which each window has axes of its own.

use super::movement::Padding;
use super::{Declined, Site, Step, reduction, step};
use crate::launch::Launch;
use rlx_ir::{Op, ReduceOp};
use rlx_mlx_sys::{Array, MlxError};

/// How windows move, axis by axis.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    pub(super) window: Vec<usize>,
    pub(super) strides: Vec<usize>,
    pub(super) base_dilation: Vec<usize>,
    pub(super) window_dilation: Vec<usize>,
    pub(super) low: Vec<i64>,
    pub(super) high: Vec<i64>,
}

/// A size plus padding, which is never below zero.
fn padded(size: usize, dilation: usize, low: i64, high: i64) -> usize {
    let spread = if size == 0 { 0 } else { (size - 1) * dilation + 1 };
    usize::try_from(spread as i64 + low + high).unwrap_or(0)
}

impl Windows {
    /// The tensor with its padding.
    pub(super) fn padded(&self, cx: &Launch<'_>, x: &Array, value: &Array) -> Result<Array, MlxError> {
        let sizes = x.dims();
        let dims: Vec<usize> = (0..sizes.len())
            .map(|i| padded(sizes[i], self.base_dilation[i], self.low[i], self.high[i]))
            .collect();
        if x.is_empty() {
            return cx.full(&dims, value);
        }
        Padding { low: self.low.clone(), steps: self.base_dilation.clone(), dims }.apply(cx, x, value)
    }

    /// A view [windows …, inside …] of a padded tensor; `count` are the numbers of windows.
    pub(super) fn view(&self, cx: &Launch<'_>, x: &Array, count: &[usize]) -> Result<Array, MlxError> {
        let steps = rlx_ir::shape::row_major_strides(&x.dims());
        let outer = steps.iter().zip(&self.strides).map(|(&s, &stride)| (s * stride) as i64);
        let inner = steps.iter().zip(&self.window_dilation).map(|(&s, &dilation)| (s * dilation) as i64);
        let strides: Vec<i64> = outer.chain(inner).collect();
        cx.as_strided(x, &[count, &self.window].concat(), &strides, 0)
    }

    /// Whether windows have one element each.
    pub(super) fn is_single(&self) -> bool {
        self.window.iter().all(|&w| w == 1)
    }
}

/// The windows of an op of windows.
pub(super) fn of_op(op: &Op) -> Option<Windows> {
    let (window, strides, low, high, base, spread) = match op {
        Op::ReduceWindow { window, strides, base_dilation, window_dilation, low, high, .. }
        | Op::ReduceWindowGraph { window, strides, base_dilation, window_dilation, low, high, .. } => {
            (window, strides, low, high, base_dilation.clone(), window_dilation.clone())
        }
        Op::SelectAndScatter { window, strides, low, high, .. } => {
            let ones = vec![1; window.len()];
            (window, strides, low, high, ones.clone(), ones)
        }
        _ => return None,
    };
    Some(Windows {
        window: window.clone(),
        strides: strides.clone(),
        base_dilation: base,
        window_dilation: spread,
        low: low.clone(),
        high: high.clone(),
    })
}

pub(super) fn reduce_window(site: &Site<'_>) -> Result<Step, Declined> {
    let (&Op::ReduceWindow { kind, .. }, Some(windows)) = (site.op, of_op(site.op)) else {
        return site.decline("here");
    };
    if kind == ReduceOp::Mean {
        return site.decline("of means");
    }
    let reduction = reduction::Reduction::new(kind, site.result().element)?;
    let count = site.result().dims.clone();
    let axes: Vec<usize> = (count.len()..2 * count.len()).collect();
    step(move |cx, x| {
        let identity = reduction.identity(cx)?;
        let padded = windows.padded(cx, x[0], &identity)?;
        let view = windows.view(cx, &padded, &count)?;
        if windows.is_single() {
            return cx.reshape(&view, &count);
        }
        reduction.apply(cx, &view, &axes)
    })
}
