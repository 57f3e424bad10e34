//! Imports moving windows.

use super::attributes::naturals;
use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use super::reduction::{body, rounded_once, tensors_and_inits, with_init};
use super::sizes;
use rlx_ir::{DType, Dim, Graph, NodeId, Op, Shape, SubGraph, UndilatedWindow, WindowSpec};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.reduce_window" => reduce_window,
        "stablehlo.select_and_scatter" => select_and_scatter,
        _ => return None,
    })
}

/// Returns the window that the operation's attributes describe, for tensors of this rank.
fn attributes(cx: &ImportContext<'_, '_>, rank: usize) -> Outcome<WindowSpec> {
    let fields = cx.fields();
    let [low, high] = fields.padding("padding", rank)?;
    Ok(WindowSpec {
        window: fields.sizes_or("window_dimensions", rank, 1)?,
        strides: fields.sizes_or("window_strides", rank, 1)?,
        base_dilation: fields.sizes_or("base_dilations", rank, 1)?,
        window_dilation: fields.sizes_or("window_dilations", rank, 1)?,
        low,
        high,
    })
}

/// Returns the axis along which each window contains all elements up to its position, and whether they are counted from its end. The window
/// is as long as the axis.
fn running(spec: &WindowSpec, dims: &[Dim]) -> Option<(usize, bool)> {
    let found = spec.running(dims).filter(|found| !found.exclusive)?;
    (dims[found.axis] == Dim::Static(spec.window[found.axis])).then_some((found.axis, found.reverse))
}

fn reduce_window(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let (xs, inits) = tensors_and_inits(cx)?;
    let spec = attributes(cx, cx.rank(xs[0]))?;
    let body = body(cx, &xs)?;
    reduce_windows(cx, xs, inits, body, spec)
}

/// Adds a reduction over windows, by name if the graph is a named one.
fn reduce_windows(
    cx: &mut ImportContext<'_, '_>,
    mut xs: Vec<NodeId>,
    inits: Vec<NodeId>,
    body: Graph,
    mut spec: WindowSpec,
) -> Outcome<Vec<Val>> {
    let rank = cx.rank(xs[0]);
    let mut unseen = spec.is_bare();
    if let ([x], [init]) = (xs.as_slice(), inits.as_slice())
        && let Some(kind) = bodies::running(&body, cx.dtype(*x))
        && bodies::is_identity(&cx.im.scope.graph, *init, kind)
        && let Some((axis, reverse)) = running(&spec, cx.shape(*x).dims())
    {
        return one(cx.add(Op::Cumulative { op: kind, axis, exclusive: false, reverse }, &[*x])?);
    }
    if let ([x], [init]) = (xs.as_slice(), inits.as_slice())
        && let Some(kind) = bodies::reduction(&body, cx.dtype(*x))
    {
        // Padding with the identity makes no difference, and RLX's windows do not see it.
        unseen |= bodies::is_identity(&cx.im.scope.graph, *init, kind);
        if unseen {
            let reduced = cx.add(Op::ReduceWindow { kind, spec }, &[*x])?;
            return one(with_init(cx, reduced, *init, kind)?);
        }
    }
    if !unseen {
        for (x, &init) in xs.iter_mut().zip(&inits) {
            let interior = spec.base_dilation.iter().map(|n| n.saturating_sub(1)).collect();
            let op = Op::Pad { low: spec.low.clone(), high: spec.high.clone(), interior };
            *x = cx.add(op, &[*x, init])?;
        }
        spec = WindowSpec { low: vec![0; rank], high: vec![0; rank], base_dilation: vec![1; rank], ..spec };
    }
    let by_graph = |body| Op::ReduceWindowGraph { body: SubGraph::new(body), spec };
    many(rounded_once(cx, &[xs, inits].concat(), body, by_graph)?)
}

/// Imports `stablehlo.dynamic_reduce_window`. The last five operands describe how the window moves.
pub(super) fn dynamic_reduce_window(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let all = cx.tensors()?;
    let count = all.len().saturating_sub(5) / 2;
    if count == 0 || all.len() != 2 * count + 5 {
        return Err(Problem::error(format!(
            "takes n tensors, n initial values and 5 more, got {}",
            all.len()
        )));
    }
    let (xs, inits) = (all[..count].to_vec(), all[count..2 * count].to_vec());
    let mut lists = Vec::new();
    for &id in &all[2 * count..] {
        lists.push(cx.dims_of(id, "how the window moves")?);
    }
    let dims = cx.shape(xs[0]).dims().to_vec();
    let lengths = [dims.len(), dims.len(), dims.len(), dims.len(), 2 * dims.len()];
    if lists.iter().zip(lengths).any(|(list, length)| list.len() != length) {
        return Err(Problem::error("the operands that describe how the window moves need one item per axis"));
    }
    let elements: Vec<Val> = inits.iter().chain(&inits).map(|&id| Val::Tensor(id)).collect();
    let body = cx.called(&elements)?;
    if let ([x], [init]) = (xs.as_slice(), inits.as_slice())
        && let Some(kind) = bodies::running(&body, cx.dtype(*x))
        && let Some((axis, reverse)) = running_symbolic(&lists, &dims)
        && bodies::is_identity(&cx.im.scope.graph, *init, kind)
    {
        return one(cx.add(Op::Cumulative { op: kind, axis, exclusive: false, reverse }, &[*x])?);
    }
    let fixed: Option<Vec<Vec<i64>>> =
        lists.iter().map(|list| list.iter().map(sizes::constant).collect()).collect();
    let Some(fixed) = fixed else {
        return Err(Problem::unsupported(
            "the window has a size that is not a constant, which RLX needs here",
        ));
    };
    let natural = |i: usize| naturals("the window", fixed[i].clone());
    let spec = WindowSpec {
        window: natural(0)?,
        strides: natural(1)?,
        base_dilation: natural(2)?,
        window_dilation: natural(3)?,
        low: fixed[4].iter().step_by(2).copied().collect(),
        high: fixed[4].iter().skip(1).step_by(2).copied().collect(),
    };
    reduce_windows(cx, xs, inits, body, spec)
}

/// Returns the axis along which each window of these sizes, strides, dilations and padding contains all elements up to
/// its position, and whether they are counted from its end.
fn running_symbolic(lists: &[Vec<Dim>], dims: &[Dim]) -> Option<(usize, bool)> {
    let [window, strides, base, dilation, padding] = lists else { return None };
    let (one, zero) = (Dim::Static(1), Dim::Static(0));
    if [strides, base, dilation].iter().any(|list| list.iter().any(|d| *d != one)) {
        return None;
    }
    let still = |a: usize| window[a] == one && padding[2 * a] == zero && padding[2 * a + 1] == zero;
    let mut moved = (0..dims.len()).filter(|&a| !still(a));
    let axis = moved.next().filter(|_| moved.next().is_none())?;
    let before = dims[axis].offset(-1);
    match (&padding[2 * axis], &padding[2 * axis + 1]) {
        _ if window[axis] != dims[axis] => None,
        (low, high) if *low == before && *high == zero => Some((axis, false)),
        (low, high) if *low == zero && *high == before => Some((axis, true)),
        _ => None,
    }
}

fn select_and_scatter(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, source, init] = cx.operands()?;
    let element = Shape::scalar(cx.dtype(x));
    let select = cx.scalar_body(0, vec![element.clone(), element.clone()])?;
    let scatter = cx.scalar_body(1, vec![element.clone(), element])?;
    if select.output_shapes() != [Shape::scalar(DType::Bool)] {
        return Err(Problem::error("its first region must return one boolean"));
    }
    let WindowSpec { window, strides, low, high, .. } = attributes(cx, cx.rank(x))?;
    let op = Op::SelectAndScatter {
        select: SubGraph::new(select),
        scatter: SubGraph::new(scatter),
        spec: UndilatedWindow::new(window, strides, low, high),
    };
    one(cx.add(op, &[x, source, init])?)
}
