//! Sorts by keys, `top_k`, and positions of extremes.

use super::{Declined, Site, Step, arithmetic, step, steps, types};
use crate::launch::Launch;
use rlx_ir::{ArgOp, Op, SortOrder};
use rlx_mlx_sys::{Binary, Combine, ElementType, MlxArray, MlxError, Slices, Unary};

/// Returns the indices of elements in sorted order. Equal elements keep their order, and NaN is the maximum.
fn order(cx: &Launch<'_>, key: &MlxArray, axis: usize, order: SortOrder) -> Result<MlxArray, MlxError> {
    let key = match key.element_type() {
        ElementType::Bool => cx.astype(key, ElementType::U8)?,
        _ => key.clone(),
    };
    if order == SortOrder::Ascending {
        return cx.argsort(&key, axis);
    }
    // Descending order is the reverse of the ascending order of the reversed elements.
    let places = cx.argsort(&cx.reverse(&key, &[axis])?, axis)?;
    let last = cx.number_like(i32::try_from(key.dims()[axis].max(1) - 1).unwrap_or(i32::MAX), &places)?;
    cx.reverse(&cx.binary(Binary::Subtract, &last, &places)?, &[axis])
}

pub(super) fn sort(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Sort { axis, order: wanted, num_keys, .. } = site.op else { return site.decline("here") };
    if site.operands[..num_keys].iter().any(|key| key.element == ElementType::C64) {
        return site.decline("by complex keys");
    }
    if site.x().is_empty() {
        return steps(|_, x| Ok(x.iter().map(|&x| x.clone()).collect()));
    }
    steps(move |cx, x| {
        // Sorts by the last key first, because later sorts keep the order of equal elements.
        let mut places: Option<MlxArray> = None;
        for key in x[..num_keys].iter().rev() {
            let key = match &places {
                Some(places) => cx.take_along_axis(key, places, axis)?,
                None => (*key).clone(),
            };
            let next = order(cx, &key, axis, wanted)?;
            places = Some(match &places {
                Some(places) => cx.take_along_axis(places, &next, axis)?,
                None => next,
            });
        }
        let places = places.ok_or_else(|| MlxError::Argument("a sort has a key".into()))?;
        x.iter().map(|x| cx.take_along_axis(x, &places, axis)).collect()
    })
}

pub(super) fn top_k(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::TopK { k } = site.op else { return site.decline("here") };
    if site.x().element == ElementType::C64 {
        return site.decline("of complex numbers");
    }
    let index = site.results[1].element;
    let axis = site.x().rank() - 1;
    let (is_float, is_empty) = (site.x().element.is_float(), site.x().is_empty());
    steps(move |cx, x| {
        // Zeros and NaN are ordered by their signs here.
        let key = if is_float && !is_empty { arithmetic::total_key(cx, x[0])? } else { x[0].clone() };
        let places = order(cx, &key, axis, SortOrder::Descending)?;
        let mut slices = Slices::default();
        x[0].dims()[..axis].iter().for_each(|&d| slices.push(0, d, 1));
        slices.push(0, k, 1);
        let places = cx.slice(&places, &slices)?;
        Ok(vec![cx.take_along_axis(x[0], &places, axis)?, cx.astype(&places, index)?])
    })
}

pub(super) fn argreduce(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::ArgReduce { op, axis, .. } = site.op else { return site.decline("here") };
    let to = site.result().element;
    let code = match op {
        ArgOp::Max => Combine::ArgMax,
        ArgOp::Min => Combine::ArgMin,
    };
    if site.x().element == ElementType::C64 || site.x().dims[axis] == 0 {
        return site.decline("for complex numbers or empty arrays");
    }
    let is_float = site.x().element.is_float();
    step(move |cx, x| {
        let key = if x[0].element_type() == ElementType::Bool {
            cx.astype(x[0], ElementType::U8)?
        } else {
            x[0].clone()
        };
        let place = cx.reduce(code, &key, &[axis])?;
        let place = if is_float {
            let nan = cx.unary(Unary::IsNan, x[0])?;
            let first = cx.reduce(Combine::ArgMax, &cx.astype(&nan, ElementType::U8)?, &[axis])?;
            cx.select(&cx.reduce(Combine::Any, &nan, &[axis])?, &first, &place)?
        } else {
            place
        };
        types::converted(cx, &place, to)
    })
}
