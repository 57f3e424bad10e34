//! Moving windows, as views in which each window has separate axes.

use super::movement::Padding;
use super::{Declined, Site, Step, reduction, step};
use crate::launch::Launch;
use rlx_ir::{Op, ReduceOp};
use rlx_mlx_sys::{ElementType, MlxArray, MlxError, Slices};

/// Up to this number of elements, the elements of a window are combined one at a time.
const FEW_TAPS: usize = 8;

/// The windows and their movement along each axis.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    pub(super) window: Vec<usize>,
    pub(super) strides: Vec<usize>,
    pub(super) base_dilation: Vec<usize>,
    pub(super) window_dilation: Vec<usize>,
    pub(super) low: Vec<i64>,
    pub(super) high: Vec<i64>,
}

/// Returns a size plus padding, but at least zero.
fn padded(size: usize, dilation: usize, low: i64, high: i64) -> usize {
    let spread = if size == 0 { 0 } else { (size - 1) * dilation + 1 };
    usize::try_from(spread as i64 + low + high).unwrap_or(0)
}

impl Windows {
    /// Returns the padded tensor.
    pub(super) fn padded(
        &self,
        cx: &Launch<'_>,
        x: &MlxArray,
        value: &MlxArray,
    ) -> Result<MlxArray, MlxError> {
        let sizes = x.dims();
        let dims: Vec<usize> = (0..sizes.len())
            .map(|i| padded(sizes[i], self.base_dilation[i], self.low[i], self.high[i]))
            .collect();
        if x.is_empty() {
            return cx.full(&dims, value);
        }
        Padding { low: self.low.clone(), steps: self.base_dilation.clone(), dims }.apply(cx, x, value)
    }

    /// Returns a view [windows …, inside …] of a padded tensor. `count` lists the numbers of windows.
    pub(super) fn view(&self, cx: &Launch<'_>, x: &MlxArray, count: &[usize]) -> Result<MlxArray, MlxError> {
        let steps = rlx_ir::shape::row_major_strides(&x.dims());
        let outer = steps.iter().zip(&self.strides).map(|(&s, &stride)| (s * stride) as i64);
        let inner = steps.iter().zip(&self.window_dilation).map(|(&s, &dilation)| (s * dilation) as i64);
        let strides: Vec<i64> = outer.chain(inner).collect();
        cx.as_strided(x, &[count, &self.window].concat(), &strides, 0)
    }

    /// Reduces `count` windows along one axis of a padded tensor.
    fn along(
        &self,
        cx: &Launch<'_>,
        x: &MlxArray,
        axis: usize,
        count: usize,
        reduction: &reduction::Reduction,
    ) -> Result<MlxArray, MlxError> {
        let (taps, step, spread) = (self.window[axis], self.strides[axis], self.window_dilation[axis]);
        if taps <= FEW_TAPS || reduction.is_by_pairs() || x.element_type() == ElementType::C64 {
            let tap = |tap: usize| {
                let mut slices = Slices::default();
                for (i, &d) in x.dims().iter().enumerate() {
                    let first = tap * spread;
                    match i == axis {
                        true => slices.push(
                            first,
                            first + (count.max(1) - 1) * step + usize::from(count > 0),
                            step,
                        ),
                        false => slices.push(0, d, 1),
                    }
                }
                cx.slice(x, &slices)
            };
            let mut total = tap(0)?;
            for next in 1..taps {
                total = reduction.pair(cx, &total, &tap(next)?)?;
            }
            return Ok(total);
        }
        let rank = x.dims().len();
        let ones = vec![1; rank];
        let mut single = Windows {
            window: ones.clone(),
            strides: ones.clone(),
            base_dilation: ones.clone(),
            window_dilation: ones,
            low: Vec::new(),
            high: Vec::new(),
        };
        (single.window[axis], single.strides[axis], single.window_dilation[axis]) = (taps, step, spread);
        let mut dims = x.dims();
        dims[axis] = count;
        let view = single.view(cx, x, &dims)?;
        reduction.apply(cx, &view, &(rank..2 * rank).collect::<Vec<_>>())
    }
}

/// Returns the windows of an op with windows.
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
    step(move |cx, x| {
        let identity = reduction.identity(cx)?;
        let mut made = windows.padded(cx, x[0], &identity)?;
        // One axis after the other, so that windows are copied along only one axis at a time.
        for (axis, &count) in count.iter().enumerate() {
            made = windows.along(cx, &made, axis, count, &reduction)?;
        }
        Ok(made)
    })
}
