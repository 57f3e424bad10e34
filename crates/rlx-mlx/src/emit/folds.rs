//! Ops with a graph over elements. The graph runs on whole arrays if it is entirely elementwise.

use super::indexing::{Scattering, combine};
use super::windows::Windows;
use super::{Declined, Site, Step, StepError, table::claimed};
use crate::launch::Launch;
use crate::plan::{Plan, inner};
use rlx_ir::{Access, BinaryOp, Combiner, Graph, Op, OpClass, OpKind, ReduceOp, WindowSpec};
use rlx_mlx_sys::{Binary, Combine, ElementType, MlxArray, MlxError, Slices};
use std::sync::Arc;

/// Whether a graph over elements can run on arrays that all have the same shape, whatever it is.
fn is_elementwise(body: &Graph) -> bool {
    body.nodes().iter().all(|node| {
        let kind = node.op().kind();
        kind.class() == OpClass::Leaf
            || kind == OpKind::Constant
            || node.is_projection()
            || kind.access() == Access::Elementwise
    })
}

/// Claims an op with this graph over elements, if the graph can run on arrays.
fn claim(site: &Site<'_>, body: &Graph) -> Result<Step, Declined> {
    match is_elementwise(body) {
        true => claimed(),
        false => site.decline("with a graph that is not elementwise"),
    }
}

/// Makes a plan for arrays of a graph over elements.
fn elementwise(site: &Site<'_>, body: &Graph) -> Result<Arc<Plan>, Declined> {
    if !is_elementwise(body) {
        return site.decline("with a graph that is not elementwise");
    }
    inner(body, site.mlx)
}

/// Runs a graph over elements on arrays of one shape. Results that are the same for all elements are broadcast.
fn over(cx: &Launch<'_>, body: &Arc<Plan>, arrays: Vec<MlxArray>) -> Result<Vec<MlxArray>, StepError> {
    let dims = arrays.first().map(MlxArray::dims).unwrap_or_default();
    let made = body.run(cx, arrays)?;
    Ok(made.iter().map(|array| cx.broadcast_to(array, &dims)).collect::<Result<_, MlxError>>()?)
}

/// Returns `count` elements of one axis, starting at `start`, at every `step`-th place.
fn some(
    cx: &Launch<'_>,
    x: &MlxArray,
    axis: usize,
    start: usize,
    step: usize,
    count: usize,
) -> Result<MlxArray, MlxError> {
    let mut slices = Slices::default();
    for (i, &d) in x.dims().iter().enumerate() {
        match i == axis {
            true => slices.push(start, start + (count.max(1) - 1) * step + usize::from(count > 0), step),
            false => slices.push(0, d, 1),
        }
    }
    cx.slice(x, &slices)
}

/// Folds arrays along their last axis by pairs of neighbors. Returns `None` if the axis is empty.
fn folded(
    cx: &Launch<'_>,
    body: &Arc<Plan>,
    mut arrays: Vec<MlxArray>,
) -> Result<Option<Vec<MlxArray>>, StepError> {
    let dims = arrays.first().map(MlxArray::dims).unwrap_or_default();
    let axis = dims.len().saturating_sub(1);
    let mut size = dims.last().copied().unwrap_or(1);
    if size == 0 {
        return Ok(None);
    }
    while size > 1 {
        let (half, odd) = (size / 2, size % 2 == 1);
        let part = |start: usize| arrays.iter().map(move |x| (x, start));
        let pairs = part(0).chain(part(1)).map(|(x, start)| some(cx, x, axis, start, 2, half));
        let mut next = over(cx, body, pairs.collect::<Result<_, _>>()?)?;
        if odd {
            for (next, x) in next.iter_mut().zip(&arrays) {
                *next = cx.concatenate(&[&*next, &some(cx, x, axis, size - 1, 1, 1)?], axis)?;
            }
        }
        arrays = next;
        size = half + usize::from(odd);
    }
    let outer = &dims[..axis];
    Ok(Some(arrays.iter().map(|x| cx.reshape(x, outer)).collect::<Result<_, _>>()?))
}

/// Returns the totals of arrays along their last axis, combined with initial values.
fn totals(
    cx: &Launch<'_>,
    body: &Arc<Plan>,
    arrays: Vec<MlxArray>,
    inits: &[&MlxArray],
) -> Result<Vec<MlxArray>, StepError> {
    let dims = arrays.first().map(MlxArray::dims).unwrap_or_default();
    let outer = &dims[..dims.len().saturating_sub(1)];
    let inits: Vec<MlxArray> =
        inits.iter().map(|init| cx.broadcast_to(init, outer)).collect::<Result<_, _>>()?;
    match folded(cx, body, arrays)? {
        Some(totals) => over(cx, body, inits.into_iter().chain(totals).collect()),
        None => Ok(inits),
    }
}

pub(super) fn reduce_graph(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::ReduceGraph { body, axes } = site.op else { return site.decline("here") };
    if site.claiming {
        return claim(site, body);
    }
    let body = elementwise(site, body)?;
    let dims = site.x().dims.clone();
    let kept: Vec<usize> = (0..dims.len()).filter(|axis| !axes.contains(axis)).collect();
    let order = [&kept[..], axes].concat();
    let mut wanted: Vec<usize> = kept.iter().map(|&axis| dims[axis]).collect();
    wanted.push(axes.iter().map(|&axis| dims[axis]).product());
    let n = site.operands.len() / 2;
    Ok(Box::new(move |cx, x| {
        let arranged = |x: &&MlxArray| cx.reshape(&cx.transpose(x, &order)?, &wanted);
        let arrays: Vec<MlxArray> = x[..n].iter().map(arranged).collect::<Result<_, _>>()?;
        totals(cx, &body, arrays, &x[n..])
    }))
}

pub(super) fn reduce_window_graph(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::ReduceWindowGraph { body, spec } = site.op else { return site.decline("here") };
    if site.claiming {
        return claim(site, body);
    }
    let body = elementwise(site, body)?;
    let count = site.result().dims.clone();
    let n = site.operands.len() / 2;
    let (windows, taps) = (Windows { spec: spec.clone() }, spec.taps());
    Ok(Box::new(move |cx, x| {
        let mut wanted = count.clone();
        wanted.push(taps);
        let one = |(x, init): (&&MlxArray, &&MlxArray)| {
            let padded = windows.padded(cx, x, init)?;
            cx.reshape(&windows.view(cx, &padded, &count)?, &wanted)
        };
        let arrays = x[..n].iter().zip(&x[n..]).map(one).collect::<Result<_, MlxError>>()?;
        totals(cx, &body, arrays, &x[n..])
    }))
}

/// Returns the combiner that a graph over an old element and an update is equivalent to.
fn named(body: &Graph) -> Option<Combine> {
    let [result] = body.outputs() else { return None };
    let node = body.node(*result);
    let inputs: Vec<_> = body.inputs().map(|node| node.id()).collect();
    match node.op() {
        Op::Input { .. } => (inputs.get(1) == Some(result)).then_some(Combine::Set),
        Op::Binary { op }
            if node.inputs().iter().all(|id| inputs.contains(id)) && node.inputs()[0] != node.inputs()[1] =>
        {
            let kind = match op {
                BinaryOp::Add => ReduceOp::Sum,
                BinaryOp::Mul => ReduceOp::Prod,
                BinaryOp::Max => ReduceOp::Max,
                BinaryOp::Min => ReduceOp::Min,
                _ => return None,
            };
            combine(Combiner::Reduce(kind))
        }
        _ => None,
    }
}

/// Applies updates one at a time with the graph, if no combiner is equivalent to it.
pub(super) fn scatter_graph(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::ScatterGraph { dims, body } = site.op else { return site.decline("here") };
    if site.claiming {
        return claim(site, body);
    }
    let n = site.operands.len() / 2;
    let (indices, updates) = (site.operands[n].dims.clone(), site.operands[n + 1].dims.clone());
    let sizes = site.x().dims.clone();
    let scattering = Scattering::new(dims, &sizes, &indices, &updates);
    if n == 1
        && let Some(how) =
            named(body).filter(|_| !matches!(site.x().element, ElementType::Bool | ElementType::C64))
    {
        return super::step(move |cx, x| scattering.apply(cx, how, x[0], x[1], x[2]));
    }
    let body = elementwise(site, body)?;
    let total: usize = updates.iter().product();
    Ok(Box::new(move |cx, x| {
        if total == 0 || sizes.contains(&0) {
            return Ok(x[..n].iter().map(|&x| x.clone()).collect());
        }
        // The destination of each update element, as the index of an element of x, or past the last one.
        let flat: usize = sizes.iter().product();
        let numbers = cx.reshape(&cx.arange(0, total as i64, ElementType::I32)?, &updates)?;
        let nothing = cx.full(&sizes, &cx.int(-1)?)?;
        let mut state: Vec<MlxArray> = Vec::with_capacity(n);
        for x in &x[..n] {
            state.push(cx.reshape(x, &[flat])?);
        }
        // Remaining updates are applied in rounds, the earliest update of each element first.
        let mut left = cx.full(&updates, &cx.scalar(&[1], ElementType::Bool)?)?;
        loop {
            let hidden = cx.select(&left, &numbers, &cx.int(-1)?)?;
            let reversed = cx.select(
                &left,
                &cx.binary(Binary::Subtract, &cx.int(total as i32)?, &hidden)?,
                &cx.int(-1)?,
            )?;
            let earliest = scattering.apply(cx, Combine::Max, &nothing, x[n], &reversed)?;
            let earliest = cx.reshape(&earliest, &[flat])?;
            let has = cx.binary(Binary::Greater, &earliest, &cx.int(0)?)?;
            if !cx.is_true(&cx.reduce(Combine::Any, &has, &[0])?)? {
                break;
            }
            let which = cx.binary(Binary::Subtract, &cx.int(total as i32)?, &earliest)?;
            let mut arguments = state.clone();
            for update in &x[n + 1..] {
                arguments.push(cx.take(&cx.reshape(update, &[total])?, &which, 0)?);
            }
            let next = over(cx, &body, arguments)?;
            for (state, next) in state.iter_mut().zip(&next) {
                *state = cx.select(&has, next, state)?;
            }
            let done = cx.select(&has, &which, &cx.int(total as i32)?)?;
            let marks = cx.full(&[total + 1], &cx.scalar(&[0], ElementType::U8)?)?;
            let ones = cx.full(&[flat, 1], &cx.scalar(&[1], ElementType::U8)?)?;
            let marks = cx.scatter(Combine::Max, &marks, &[&done], &ones, &[0])?;
            let marks = cx.reshape(&some(cx, &marks, 0, 0, 1, total)?, &updates)?;
            let open = cx.binary(Binary::Equal, &marks, &cx.number_like(0, &marks)?)?;
            left = cx.binary(Binary::LogicalAnd, &left, &open)?;
        }
        Ok(state.iter().map(|state| cx.reshape(state, &sizes)).collect::<Result<_, _>>()?)
    }))
}

/// Sorts with a comparator graph. The position of each element is the number of elements that come before it.
pub(super) fn sort_graph(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::SortGraph { axis, comparator, .. } = site.op else { return site.decline("here") };
    if site.claiming {
        return claim(site, comparator);
    }
    let (body, axis) = (elementwise(site, comparator)?, *axis);
    let dims = site.x().dims.clone();
    let size = dims[axis];
    if size <= 1 {
        return super::steps(|_, x| Ok(x.iter().map(|&x| x.clone()).collect()));
    }
    let lines: usize = dims.iter().product::<usize>() / size;
    let mut order: Vec<usize> = (0..dims.len()).filter(|&i| i != axis).collect();
    order.push(axis);
    Ok(Box::new(move |cx, x| {
        let mut state: Vec<MlxArray> = Vec::with_capacity(x.len());
        for x in x {
            state.push(cx.reshape(&cx.transpose(x, &order)?, &[lines, size])?);
        }
        let state = merged(cx, &body, state, lines, size)?;
        let mut outer: Vec<usize> = order.iter().map(|&i| dims[i]).collect();
        outer[dims.len() - 1] = size;
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, &o)| back[o] = i);
        let one = |state: &MlxArray| cx.transpose(&cx.reshape(state, &outer)?, &back);
        Ok(state.iter().map(one).collect::<Result<_, _>>()?)
    }))
}

/// Sorts lines with a network that merges runs of neighbors. Equal elements keep their order, because their indices are compared too.
fn merged(
    cx: &Launch<'_>,
    body: &Arc<Plan>,
    state: Vec<MlxArray>,
    lines: usize,
    size: usize,
) -> Result<Vec<MlxArray>, StepError> {
    let mut state = state;
    let numbers = cx.reshape(&cx.arange(0, size as i64, ElementType::I32)?, &[1, size])?;
    state.push(cx.broadcast_to(&numbers, &[lines, size])?);
    let keys = state.len() - 1;
    // Rounds of comparators, with one partner per place. This is Batcher's network for the next power of two, without the places that do
    // not exist.
    let full = size.next_power_of_two();
    let mut run = 1;
    while run < full {
        let mut distance = run;
        while distance >= 1 {
            let (mut partner, mut is_low) = (Vec::with_capacity(size), Vec::with_capacity(size));
            let offset = if distance == run { 0 } else { distance % (2 * run) };
            let pairs = pairs_of(size, run, distance, offset);
            for (with, low) in pairs {
                partner.extend((with as i32).to_le_bytes());
                is_low.push(u8::from(low));
            }
            let partner = MlxArray::from_bytes(cx.mlx(), &partner, &[size], ElementType::I32)?;
            let is_low = MlxArray::from_bytes(cx.mlx(), &is_low, &[1, size], ElementType::Bool)?;
            let others: Vec<MlxArray> =
                state.iter().map(|state| cx.take(state, &partner, 1)).collect::<Result<_, _>>()?;
            let before = |a: &[MlxArray], b: &[MlxArray]| -> Result<MlxArray, StepError> {
                let pairs = a[..keys].iter().zip(&b[..keys]).flat_map(|(a, b)| [a.clone(), b.clone()]);
                over(cx, body, pairs.collect())?
                    .into_iter()
                    .next()
                    .ok_or_else(|| StepError::Mlx(MlxError::Argument("a comparator has a result".into())))
            };
            let (ours, theirs) = (before(&state, &others)?, before(&others, &state)?);
            let earlier = cx.binary(Binary::Less, &state[keys], &others[keys])?;
            let tie =
                cx.unary(rlx_mlx_sys::Unary::LogicalNot, &cx.binary(Binary::LogicalOr, &ours, &theirs)?)?;
            let first =
                cx.binary(Binary::LogicalOr, &ours, &cx.binary(Binary::LogicalAnd, &tie, &earlier)?)?;
            // A place keeps its element if that is in order. A place without a partner always does.
            let keeps = cx.binary(Binary::Equal, &first, &is_low)?;
            let alone = cx.binary(Binary::Equal, &state[keys], &others[keys])?;
            let keeps = cx.binary(Binary::LogicalOr, &keeps, &alone)?;
            for (state, other) in state.iter_mut().zip(&others) {
                *state = cx.select(&keeps, state, other)?;
            }
            distance /= 2;
        }
        run *= 2;
    }
    state.truncate(keys);
    Ok(state)
}

/// Returns the partner of each place, and whether the place is the lower of the two. A place without a partner is its own.
fn pairs_of(size: usize, run: usize, distance: usize, offset: usize) -> Vec<(usize, bool)> {
    let mut pairs: Vec<(usize, bool)> = (0..size).map(|place| (place, true)).collect();
    let mut start = offset;
    while start + distance < size {
        for i in 0..distance {
            let (a, b) = (start + i, start + i + distance);
            if b < size && a / (2 * run) == b / (2 * run) {
                pairs[a] = (b, true);
                pairs[b] = (a, false);
            }
        }
        start += 2 * distance;
    }
    pairs
}

pub(super) fn select_and_scatter(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::SelectAndScatter { select, scatter, spec } = site.op else { return site.decline("here") };
    let Some(how) = named(scatter) else {
        return site.decline("with a combiner of this kind");
    };
    // Booleans are combined as numbers.
    let as_numbers = site.x().element == ElementType::Bool;
    let how = match how {
        Combine::Sum if as_numbers => Combine::Max,
        Combine::Prod if as_numbers => Combine::Min,
        how => how,
    };
    if site.claiming {
        return claim(site, select);
    }
    let body = elementwise(site, select)?;
    let (sizes, count) = (site.x().dims.clone(), site.operands[1].dims.clone());
    let (flat, taps) = (sizes.iter().product::<usize>(), spec.taps());
    let windows = Windows { spec: WindowSpec::clone(spec) };
    let places: usize = count.iter().product();
    Ok(Box::new(move |cx, x| {
        let out = cx.full(&sizes, x[2])?;
        if flat == 0 || places == 0 {
            return Ok(vec![out]);
        }
        // The indices of elements, with −1 for padding, and their values, by windows.
        let numbers = cx.reshape(&cx.arange(0, flat as i64, ElementType::I32)?, &sizes)?;
        let view = |x: &MlxArray, value: &MlxArray| {
            let padded = windows.padded(cx, x, value)?;
            cx.reshape(&windows.view(cx, &padded, &count)?, &[places, taps])
        };
        let numbers = view(&numbers, &cx.int(-1)?)?;
        let values = view(x[0], x[2])?;
        let (mut at, mut best) = (some(cx, &numbers, 1, 0, 1, 1)?, some(cx, &values, 1, 0, 1, 1)?);
        for tap in 1..taps {
            let (number, value) = (some(cx, &numbers, 1, tap, 1, 1)?, some(cx, &values, 1, tap, 1, 1)?);
            let stays = over(cx, &body, vec![best.clone(), value.clone()])?.swap_remove(0);
            let none = |number: &MlxArray| cx.binary(Binary::Less, number, &cx.int(0)?);
            // Padding is never selected.
            let stays = cx.binary(Binary::LogicalOr, &stays, &none(&number)?)?;
            let stays =
                cx.binary(Binary::LogicalAnd, &stays, &cx.binary(Binary::GreaterEqual, &at, &cx.int(0)?)?)?;
            at = cx.select(&stays, &at, &number)?;
            best = cx.select(&stays, &best, &value)?;
        }
        let at = cx.reshape(&at, &[places])?;
        let behind = cx.int(flat as i32)?;
        let at = cx.select(&cx.binary(Binary::Less, &at, &cx.int(0)?)?, &behind, &at)?;
        let number = |x: &MlxArray| if as_numbers { cx.astype(x, ElementType::U8) } else { Ok(x.clone()) };
        let out = number(&out)?;
        let margin =
            cx.pad(&cx.reshape(&out, &[flat])?, &[0], &[1], &super::movement::zero(cx, out.element_type())?)?;
        let source = cx.reshape(&number(x[1])?, &[places, 1])?;
        let made = cx.scatter(how, &margin, &[&at], &source, &[0])?;
        let made = cx.reshape(&some(cx, &made, 0, 0, 1, flat)?, &sizes)?;
        Ok(vec![if as_numbers { cx.astype(&made, ElementType::Bool)? } else { made }])
    }))
}
