//! Imports moving windows.

use super::attributes::naturals;
use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use super::reduction::{body, rounded_once, tensors_and_inits, with_init};
use super::sizes;
use rlx_ir::{DType, Dim, Graph, NodeId, Op, ReduceOp, Shape, SubGraph};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.reduce_window" => reduce_window,
        "stablehlo.select_and_scatter" => select_and_scatter,
        _ => return None,
    })
}

/// The attributes of a moving window.
#[derive(Clone)]
struct Window {
    window: Vec<usize>,
    strides: Vec<usize>,
    base_dilation: Vec<usize>,
    window_dilation: Vec<usize>,
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Window {
    fn of(cx: &ImportContext<'_, '_>, rank: usize) -> Outcome<Window> {
        let fields = cx.fields();
        let [low, high] = fields.padding("padding", rank)?;
        Ok(Window {
            window: fields.sizes_or("window_dimensions", rank, 1)?,
            strides: fields.sizes_or("window_strides", rank, 1)?,
            base_dilation: fields.sizes_or("base_dilations", rank, 1)?,
            window_dilation: fields.sizes_or("window_dilations", rank, 1)?,
            low,
            high,
        })
    }

    /// Returns whether windows contain nothing but elements of the tensor.
    fn is_bare(&self) -> bool {
        self.low.iter().chain(&self.high).all(|&n| n == 0) && self.base_dilation.iter().all(|&n| n == 1)
    }

    fn named(self, kind: ReduceOp) -> Op {
        let Window { window, strides, base_dilation, window_dilation, low, high } = self;
        Op::ReduceWindow { kind, window, strides, base_dilation, window_dilation, low, high }
    }

    fn by_graph(self, body: Graph) -> Op {
        let Window { window, strides, base_dilation, window_dilation, low, high } = self;
        let body = SubGraph::new(body);
        Op::ReduceWindowGraph { body, window, strides, base_dilation, window_dilation, low, high }
    }

    /// Returns the axis along which each window contains all elements up to its position, and whether they are counted from its end.
    fn running(&self, dims: &[Dim]) -> Option<(usize, bool)> {
        let plain = [&self.strides, &self.base_dilation, &self.window_dilation];
        if plain.iter().any(|list| list.iter().any(|&n| n != 1)) {
            return None;
        }
        let mut moved =
            (0..dims.len()).filter(|&a| self.window[a] != 1 || self.low[a] != 0 || self.high[a] != 0);
        let axis = moved.next().filter(|_| moved.next().is_none())?;
        let size = self.window[axis];
        let before = i64::try_from(size).ok()? - 1;
        match (self.low[axis], self.high[axis]) {
            _ if dims[axis] != Dim::Static(size) => None,
            (low, 0) if low == before => Some((axis, false)),
            (0, high) if high == before => Some((axis, true)),
            _ => None,
        }
    }
}

fn reduce_window(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let (xs, inits) = tensors_and_inits(cx)?;
    let window = Window::of(cx, cx.rank(xs[0]))?;
    let body = body(cx, &xs)?;
    reduce_windows(cx, xs, inits, body, window)
}

/// Adds a reduction over windows, by name if the graph is a named one.
fn reduce_windows(
    cx: &mut ImportContext<'_, '_>,
    mut xs: Vec<NodeId>,
    inits: Vec<NodeId>,
    body: Graph,
    mut window: Window,
) -> Outcome<Vec<Val>> {
    let rank = cx.rank(xs[0]);
    let mut unseen = window.is_bare();
    if let ([x], [init]) = (xs.as_slice(), inits.as_slice())
        && let Some(kind) = bodies::running(&body, cx.dtype(*x))
        && bodies::is_identity(&cx.im.scope.graph, *init, kind)
        && let Some((axis, reverse)) = window.running(cx.shape(*x).dims())
    {
        return one(cx.add(Op::Cumulative { op: kind, axis, exclusive: false, reverse }, &[*x])?);
    }
    if let ([x], [init]) = (xs.as_slice(), inits.as_slice())
        && let Some(kind) = bodies::reduction(&body, cx.dtype(*x))
    {
        // Padding with the identity makes no difference, and RLX's windows do not see it.
        unseen |= bodies::is_identity(&cx.im.scope.graph, *init, kind);
        if unseen {
            let reduced = cx.add(window.named(kind), &[*x])?;
            return one(with_init(cx, reduced, *init, kind)?);
        }
    }
    if !unseen {
        for (x, &init) in xs.iter_mut().zip(&inits) {
            let interior = window.base_dilation.iter().map(|n| n.saturating_sub(1)).collect();
            let op = Op::Pad { low: window.low.clone(), high: window.high.clone(), interior };
            *x = cx.add(op, &[*x, init])?;
        }
        window = Window { low: vec![0; rank], high: vec![0; rank], base_dilation: vec![1; rank], ..window };
    }
    many(rounded_once(cx, &[xs, inits].concat(), body, |body| window.by_graph(body))?)
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
        && let Some((axis, reverse)) = running(&lists, &dims)
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
    let window = Window {
        window: natural(0)?,
        strides: natural(1)?,
        base_dilation: natural(2)?,
        window_dilation: natural(3)?,
        low: fixed[4].iter().step_by(2).copied().collect(),
        high: fixed[4].iter().skip(1).step_by(2).copied().collect(),
    };
    reduce_windows(cx, xs, inits, body, window)
}

/// Returns the axis along which each window of these sizes, strides, dilations and padding contains all elements up to
/// its position, and whether they are counted from its end.
fn running(lists: &[Vec<Dim>], dims: &[Dim]) -> Option<(usize, bool)> {
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
    let Window { window, strides, low, high, .. } = Window::of(cx, cx.rank(x))?;
    let op = Op::SelectAndScatter {
        select: SubGraph::new(select),
        scatter: SubGraph::new(scatter),
        window,
        strides,
        low,
        high,
    };
    one(cx.add(op, &[x, source, init])?)
}
