//! Padding, and slices at computed positions.

use super::{ArrayType, Declined, Site, Step, step};
use crate::launch::Launch;
use rlx_ir::Op;
use rlx_mlx_sys::{ElementType, MlxArray, MlxError, Slices};

/// The positions of a tensor's elements among padding, which may be negative.
#[derive(Clone, Debug)]
pub(super) struct Padding {
    /// The padding before each axis. Negative numbers cut elements off.
    pub(super) low: Vec<i64>,
    /// The distance from one element to the next, at least 1.
    pub(super) steps: Vec<usize>,
    /// The sizes of the result.
    pub(super) dims: Vec<usize>,
}

impl Padding {
    /// Returns `value` with the elements of x written into it.
    pub(super) fn apply(
        &self,
        cx: &Launch<'_>,
        x: &MlxArray,
        value: &MlxArray,
    ) -> Result<MlxArray, MlxError> {
        let sizes = x.dims();
        let plain = self.steps.iter().all(|&s| s == 1) && self.low.iter().all(|&l| l >= 0);
        let high: Vec<i64> =
            (0..sizes.len()).map(|i| self.dims[i] as i64 - self.low[i] - sizes[i] as i64).collect();
        if plain && high.iter().all(|&h| h >= 0) {
            if self.dims == sizes {
                return Ok(x.clone());
            }
            let unsigned = |pads: &[i64]| pads.iter().map(|&p| p as usize).collect::<Vec<_>>();
            return cx.pad(x, &unsigned(&self.low), &unsigned(&high), value);
        }
        let around = cx.full(&self.dims, value)?;
        let (mut from, mut to) = (Slices::default(), Slices::default());
        for (i, &size) in sizes.iter().enumerate() {
            let (step, low, end) = (self.steps[i] as i64, self.low[i], self.dims[i] as i64);
            // The elements that are not cut off.
            let first = if low < 0 { (-low + step - 1) / step } else { 0 };
            let last = if end - 1 - low < 0 { -1 } else { ((end - 1 - low) / step).min(size as i64 - 1) };
            if first > last {
                return Ok(around);
            }
            from.push(first as usize, last as usize + 1, 1);
            to.push((low + first * step) as usize, (low + last * step) as usize + 1, self.steps[i]);
        }
        cx.slice_update(&around, &cx.slice(x, &from)?, &to)
    }
}

pub(super) fn pad(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Pad { low, interior, .. } = site.op else { return site.decline("here") };
    let steps = interior.iter().map(|&i| i + 1).collect();
    let padding = Padding { low: low.clone(), steps, dims: site.result().dims.clone() };
    let is_empty = site.x().is_empty();
    step(move |cx, x| if is_empty { cx.full(&padding.dims, x[1]) } else { padding.apply(cx, x[0], x[1]) })
}

/// Converts an index to i32. Other types are clamped to the valid range first, so that they fit. Users of the index clamp it anyway.
pub(super) fn index(cx: &Launch<'_>, index: &MlxArray, places: usize) -> Result<MlxArray, MlxError> {
    if index.element_type() == ElementType::I32 { Ok(index.clone()) } else { cx.inside(index, places) }
}

/// Combines the starts of a slice into one array.
fn starts(
    cx: &Launch<'_>,
    starts: &[&MlxArray],
    dims: &[usize],
    part: &[usize],
) -> Result<MlxArray, MlxError> {
    let one = |(i, start): (usize, &&MlxArray)| {
        let places = dims[i].saturating_sub(part[i]) + 1;
        cx.reshape(&index(cx, start, places)?, &[1])
    };
    let all: Vec<MlxArray> = starts.iter().enumerate().map(one).collect::<Result<_, _>>()?;
    match &all[..] {
        [one] => Ok(one.clone()),
        several => cx.concatenate(&several.iter().collect::<Vec<_>>(), 0),
    }
}

/// Returns the axes along which the start may differ from 0. Along the other axes, the slice is determined by its size.
fn moving(site: &Site<'_>, first: usize, part: &[usize], dims: &[usize]) -> Vec<usize> {
    let is_fixed = |axis: &usize| {
        let constant = site.constants.get(first + axis).copied().flatten();
        part[*axis] == dims[*axis] || constant.is_some_and(|value| value.bytes().iter().all(|&b| b == 0))
    };
    (0..part.len()).filter(|axis| !is_fixed(axis)).collect()
}

fn picked<T: Copy>(list: &[T], axes: &[usize]) -> Vec<T> {
    axes.iter().map(|&axis| list[axis]).collect()
}

fn has_integers(operands: &[ArrayType]) -> bool {
    operands.iter().all(|operand| operand.element.integer().is_some())
}

pub(super) fn dynamic_slice(site: &Site<'_>) -> Result<Step, Declined> {
    let (dims, part) = (site.x().dims.clone(), site.result().dims.clone());
    if !has_integers(&site.operands[1..]) {
        return site.decline("at positions that are not integers");
    }
    let axes = moving(site, 1, &part, &dims);
    if axes.is_empty() {
        let slices =
            Slices { starts: vec![0; part.len()], stops: part.clone(), strides: vec![1; part.len()] };
        return step(move |cx, x| cx.slice(x[0], &slices));
    }
    step(move |cx, x| {
        let at = starts(cx, &picked(&x[1..], &axes), &picked(&dims, &axes), &picked(&part, &axes))?;
        cx.slice_at(x[0], &at, &axes, &part)
    })
}

pub(super) fn dynamic_update_slice(site: &Site<'_>) -> Result<Step, Declined> {
    let (dims, part) = (site.x().dims.clone(), site.operands[1].dims.clone());
    if !has_integers(&site.operands[2..]) {
        return site.decline("at positions that are not integers");
    }
    if part.contains(&0) {
        return step(|_, x| Ok(x[0].clone()));
    }
    let axes = moving(site, 2, &part, &dims);
    if axes.is_empty() {
        let slices =
            Slices { starts: vec![0; part.len()], stops: part.clone(), strides: vec![1; part.len()] };
        return step(move |cx, x| cx.slice_update(x[0], x[1], &slices));
    }
    step(move |cx, x| {
        let at = starts(cx, &picked(&x[2..], &axes), &picked(&dims, &axes), &picked(&part, &axes))?;
        cx.slice_update_at(x[0], x[1], &at, &axes)
    })
}

/// Appends keys or values to a cache, at one position for all sequences or one for each.
pub(super) fn kv_append(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::KvAppend { axis } = site.op else { return site.decline("here") };
    let (dims, part) = (site.x().dims.clone(), site.operands[1].dims.clone());
    let [_, _, at] = &site.operands[..] else { return site.decline("with this number of operands") };
    if site.claiming {
        return super::table::claimed();
    }
    if part.contains(&0) {
        return step(|_, x| Ok(x[0].clone()));
    }
    let Some(room) = dims[axis].checked_sub(part[axis]) else {
        return super::defined(site, &crate::claims::MlxClaims);
    };
    // Different positions require a scatter.
    let scatter = if at.dims.is_empty() || at.dims == [1] {
        None
    } else {
        Some(super::defined(site, &crate::claims::MlxClaims)?)
    };
    Ok(Box::new(move |cx, x| {
        let common = cx.ready(x[2])?.filter(|at| at.iter().all(|place| *place == at[0]));
        if let Some(first) = common.and_then(|at| at.first().copied()) {
            let first = usize::try_from(first).unwrap_or(0).min(room);
            let mut slices =
                Slices { starts: vec![0; part.len()], stops: part.clone(), strides: vec![1; part.len()] };
            (slices.starts[axis], slices.stops[axis]) = (first, first + part[axis]);
            return Ok(vec![cx.slice_update(x[0], x[1], &slices)?]);
        }
        match &scatter {
            Some(scatter) => scatter(cx, x),
            None => {
                let at = cx.reshape(&index(cx, x[2], room + 1)?, &[1])?;
                Ok(vec![cx.slice_update_at(x[0], x[1], &at, &[axis])?])
            }
        }
    }))
}

/// Returns zero in the given type.
pub(super) fn zero(cx: &Launch<'_>, element: ElementType) -> Result<MlxArray, MlxError> {
    cx.astype(&cx.int(0)?, element)
}
