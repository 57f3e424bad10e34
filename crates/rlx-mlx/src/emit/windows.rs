//! Moving windows, as views in which each window has separate axes.

use super::movement::Padding;
use super::{Declined, Site, Step, reduction, step};
use crate::launch::Launch;
use rlx_ir::{Op, ReduceOp, WindowSpec};
use rlx_mlx_sys::{ElementType, MlxArray, MlxError, Slices};

/// Up to this number of elements, the elements of a window are combined one at a time.
const FEW_TAPS: usize = 8;

/// Windows as parts of MLX arrays.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    pub(super) spec: WindowSpec,
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
            .map(|i| padded(sizes[i], self.spec.base_dilation[i], self.spec.low[i], self.spec.high[i]))
            .collect();
        if x.is_empty() {
            return cx.full(&dims, value);
        }
        Padding { low: self.spec.low.clone(), steps: self.spec.base_dilation.clone(), dims }
            .apply(cx, x, value)
    }

    /// Returns a view [windows …, inside …] of a padded tensor. `count` lists the numbers of windows.
    pub(super) fn view(&self, cx: &Launch<'_>, x: &MlxArray, count: &[usize]) -> Result<MlxArray, MlxError> {
        let steps = rlx_ir::shape::row_major_strides(&x.dims());
        let outer = steps.iter().zip(&self.spec.strides).map(|(&s, &stride)| (s * stride) as i64);
        let inner = steps.iter().zip(&self.spec.window_dilation).map(|(&s, &dilation)| (s * dilation) as i64);
        let strides: Vec<i64> = outer.chain(inner).collect();
        cx.as_strided(x, &[count, &self.spec.window].concat(), &strides, 0)
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
        let (taps, step, spread) =
            (self.spec.window[axis], self.spec.strides[axis], self.spec.window_dilation[axis]);
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
        let mut single = WindowSpec::plain(&vec![1; rank]);
        (single.window[axis], single.strides[axis], single.window_dilation[axis]) = (taps, step, spread);
        let mut dims = x.dims();
        dims[axis] = count;
        let view = Windows { spec: single }.view(cx, x, &dims)?;
        reduction.apply(cx, &view, &(rank..2 * rank).collect::<Vec<_>>())
    }
}

pub(super) fn reduce_window(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::ReduceWindow { kind, spec } = site.op else {
        return site.decline("here");
    };
    if *kind == ReduceOp::Mean {
        return site.decline("of means");
    }
    let reduction = reduction::Reduction::new(*kind, site.result().element)?;
    let (windows, count) = (Windows { spec: spec.clone() }, site.result().dims.clone());
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
