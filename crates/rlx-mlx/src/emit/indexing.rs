//! Gathers, which clamp indices, and scatters, which skip updates outside the tensor.

use super::{Declined, Site, Step, step};
use crate::launch::Launch;
use rlx_ir::{Combiner, Op, ReduceOp, ScatterDims, WindowAxes};
use rlx_mlx_sys::{Binary, Combine, ElementType, MlxArray, MlxError, Slices};

/// The positions of the windows of a gather or scatter.
#[derive(Clone, Debug)]
pub(super) struct WindowPlaces {
    /// Axes of x along which a window moves: first the axes of the index vectors, then the batch axes shared with the indices.
    pub(super) axes: Vec<usize>,
    /// Batch axes of the indices that correspond to axes of x, not counting the axis of the index vectors.
    batch: Vec<usize>,
    vector_dim: usize,
    items: usize,
    /// The sizes of the indices without the axis of the index vectors.
    pub(super) count: Vec<usize>,
}

impl WindowPlaces {
    pub(super) fn new(windows: &WindowAxes<'_>, indices: &[usize]) -> WindowPlaces {
        WindowPlaces {
            axes: [windows.map, windows.x_batch].concat(),
            batch: windows.batch_places(),
            vector_dim: windows.vector_dim,
            items: windows.map.len(),
            count: windows.index_axes(indices.len()).into_iter().map(|axis| indices[axis]).collect(),
        }
    }

    /// Returns an array of indices [count …] for each of the axes.
    pub(super) fn indices(&self, cx: &Launch<'_>, indices: &MlxArray) -> Result<Vec<MlxArray>, MlxError> {
        let mut all = Vec::with_capacity(self.axes.len());
        for item in 0..self.items {
            all.push(if self.vector_dim == indices.dims().len() {
                indices.clone()
            } else {
                let mut slices = Slices::default();
                for (axis, &d) in indices.dims().iter().enumerate() {
                    let (from, to) = if axis == self.vector_dim { (item, item + 1) } else { (0, d) };
                    slices.push(from, to, 1);
                }
                cx.reshape(&cx.slice(indices, &slices)?, &self.count)?
            });
        }
        for &axis in &self.batch {
            let size = self.count[axis];
            let mut along = vec![1; self.count.len()];
            along[axis] = size;
            let numbers = cx.arange(0, i64::try_from(size).unwrap_or(i64::MAX), ElementType::I32)?;
            all.push(cx.broadcast_to(&cx.reshape(&numbers, &along)?, &self.count)?);
        }
        Ok(all)
    }
}

pub(super) fn gather(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Gather { dims: gather, slice_sizes } = site.op else { return site.decline("here") };
    let Some(part) = slice_sizes.iter().map(|d| d.as_static()).collect::<Option<Vec<usize>>>() else {
        return site.decline("for windows without static sizes");
    };
    let windows = gather.windows();
    let places = WindowPlaces::new(&windows, &site.operands[1].dims);
    let dims = site.result().dims.clone();
    let rank = dims.len();
    // MLX returns [count …, window …]. The axes of the window are moved to their places among the others.
    let counting = windows.counting(rank);
    let made: Vec<usize> = counting.iter().chain(windows.window).map(|&axis| dims[axis]).collect();
    let mut order = vec![0; rank];
    counting.iter().chain(windows.window).enumerate().for_each(|(from, &to)| order[to] = from);
    let empty = site.x().is_empty();
    let (element, in_order) = (site.x().element, order.iter().enumerate().all(|(i, &o)| i == o));
    step(move |cx, x| {
        if empty {
            return cx.full(&dims, &super::movement::zero(cx, element)?);
        }
        let mut all = places.indices(cx, x[1])?;
        let mut axes = places.axes.clone();
        if axes.is_empty() {
            // All windows are the same.
            all.push(cx.full(&places.count, &cx.int(0)?)?);
            axes.push(0);
        }
        if x[0].dims().is_empty() {
            return cx.broadcast_to(x[0], &dims);
        }
        let windows = cx.gather(x[0], &all.iter().collect::<Vec<_>>(), &axes, &part)?;
        let windows = cx.reshape(&windows, &made)?;
        if in_order { Ok(windows) } else { cx.transpose(&windows, &order) }
    })
}

/// A scatter with its axes in MLX's order.
pub(super) struct Scattering {
    places: WindowPlaces,
    /// Updates as [count …, window …] …
    order: Vec<usize>,
    /// … with an axis for each of x.
    windows: Vec<usize>,
    part: Vec<usize>,
}

impl Scattering {
    pub(super) fn new(dims: &ScatterDims, x: &[usize], indices: &[usize], updates: &[usize]) -> Scattering {
        let axes = dims.windows();
        let places = WindowPlaces::new(&axes, indices);
        let part = axes.widths(x.len(), updates);
        let windows = [&places.count[..], &part].concat();
        let order = [&axes.counting(updates.len())[..], axes.window].concat();
        Scattering { places, order, windows, part }
    }

    /// Returns x combined with the updates. Updates outside x are written to a margin that is cut off.
    pub(super) fn apply(
        &self,
        cx: &Launch<'_>,
        how: Combine,
        x: &MlxArray,
        indices: &MlxArray,
        updates: &MlxArray,
    ) -> Result<MlxArray, MlxError> {
        let dims = x.dims();
        if updates.is_empty() || x.is_empty() || self.part.iter().zip(&dims).any(|(p, d)| p > d) {
            return Ok(x.clone());
        }
        let updates = cx.reshape(&cx.transpose(updates, &self.order)?, &self.windows)?;
        let mut all = self.places.indices(cx, indices)?;
        let mut axes = self.places.axes.clone();
        if dims.is_empty() {
            // A scalar gets an axis here, so that indices apply to something.
            let mut windows = self.windows.clone();
            windows.push(1);
            let zero = cx.full(&self.places.count, &cx.int(0)?)?;
            let updates = cx.reshape(&updates, &windows)?;
            let made = cx.scatter(how, &cx.reshape(x, &[1])?, &[&zero], &updates, &[0])?;
            return cx.reshape(&made, &[]);
        }
        if axes.is_empty() {
            all.push(cx.full(&self.places.count, &cx.int(0)?)?);
            axes.push(0);
        }
        let mut fits: Option<MlxArray> = None;
        for (index, &axis) in all.iter().zip(&axes) {
            let room = i32::try_from(dims[axis] - self.part[axis]).unwrap_or(i32::MAX);
            let inside = inside(cx, index, room)?;
            fits = Some(match fits {
                Some(fits) => cx.binary(Binary::LogicalAnd, &fits, &inside)?,
                None => inside,
            });
        }
        let fits = fits.ok_or_else(|| MlxError::Argument("a scatter has an axis".into()))?;
        let (moved, width) = (axes[0], self.part[axes[0]]);
        let margin = cx.int(i32::try_from(dims[moved]).unwrap_or(i32::MAX))?;
        let mut bounded = Vec::with_capacity(all.len());
        for (number, (index, &axis)) in all.iter().zip(&axes).enumerate() {
            let index = super::movement::index(cx, index, dims[axis] - self.part[axis] + 1)?;
            bounded.push(if number == 0 { cx.select(&fits, &index, &margin)? } else { index });
        }
        let (low, mut high) = (vec![0; dims.len()], vec![0; dims.len()]);
        high[moved] = width;
        let wide = cx.pad(x, &low, &high, &super::movement::zero(cx, x.element_type())?)?;
        let made = cx.scatter(how, &wide, &bounded.iter().collect::<Vec<_>>(), &updates, &axes)?;
        let mut slices = Slices::default();
        dims.iter().for_each(|&d| slices.push(0, d, 1));
        cx.slice(&made, &slices)
    }
}

/// Returns whether each index is in `0 … last`, compared in its own type.
fn inside(cx: &Launch<'_>, index: &MlxArray, last: i32) -> Result<MlxArray, MlxError> {
    let (bits, signed) = index.element_type().integer().unwrap_or((64, true));
    let largest = if bits >= 32 { i32::MAX } else { (1 << (bits - u32::from(signed))) - 1 };
    let below = cx.binary(Binary::LessEqual, index, &cx.number_like(last.min(largest), index)?)?;
    let above = cx.binary(Binary::GreaterEqual, index, &cx.number_like(0, index)?)?;
    cx.binary(Binary::LogicalAnd, &below, &above)
}

/// Returns MLX's combiner for one of RLX's.
pub(super) fn combine(combiner: Combiner) -> Option<Combine> {
    Some(match combiner {
        Combiner::Set => Combine::Set,
        Combiner::Reduce(ReduceOp::Sum) => Combine::Sum,
        Combiner::Reduce(ReduceOp::Prod) => Combine::Prod,
        Combiner::Reduce(ReduceOp::Max) => Combine::Max,
        Combiner::Reduce(ReduceOp::Min) => Combine::Min,
        Combiner::Reduce(_) => return None,
    })
}

pub(super) fn scatter(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Scatter { dims, combiner } = site.op else { return site.decline("here") };
    let element = site.x().element;
    let Some(how) = combine(*combiner) else { return site.decline(&format!("by {combiner}")) };
    if element == ElementType::C64 && !matches!(how, Combine::Set | Combine::Sum | Combine::Prod) {
        return site.decline("of complex numbers by this combiner");
    }
    let scattering = Scattering::new(dims, &site.x().dims, &site.operands[1].dims, &site.operands[2].dims);
    // Booleans are combined as numbers.
    let as_number = element == ElementType::Bool && how != Combine::Set;
    step(move |cx, x| {
        if !as_number {
            return scattering.apply(cx, how, x[0], x[1], x[2]);
        }
        let number = |x: &MlxArray| cx.astype(x, ElementType::U8);
        let how = if matches!(how, Combine::Sum | Combine::Max) { Combine::Max } else { Combine::Min };
        let made = scattering.apply(cx, how, &number(x[0])?, x[1], &number(x[2])?)?;
        cx.astype(&made, ElementType::Bool)
    })
}

fn taken(site: &Site<'_>, axis: usize) -> Result<Step, Declined> {
    let (size, dims, element) = (site.x().dims[axis], site.result().dims.clone(), site.x().element);
    if size == 0 {
        return step(move |cx, _| cx.full(&dims, &super::movement::zero(cx, element)?));
    }
    step(move |cx, x| cx.take(x[0], x[1], axis))
}

pub(super) fn take(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Take { axis } = site.op else { return site.decline("here") };
    taken(site, axis)
}

pub(super) fn embedding(site: &Site<'_>) -> Result<Step, Declined> {
    taken(site, 0)
}

pub(super) fn gather_axis(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::GatherAxis { axis } = site.op else { return site.decline("here") };
    let (size, dims, element) = (site.x().dims[axis], site.result().dims.clone(), site.x().element);
    if size == 0 {
        return step(move |cx, _| cx.full(&dims, &super::movement::zero(cx, element)?));
    }
    step(move |cx, x| cx.take_along_axis(x[0], x[1], axis))
}
