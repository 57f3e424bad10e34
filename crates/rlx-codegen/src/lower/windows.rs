//! Lowers elements of reductions over moving windows.

use super::reduction::{Fold, by_graph};
use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use crate::kernel::{Combiner, Guard, ScalarId};
use rlx_ir::{DType, Dim, Graph, Node, Op, WindowSpec};

/// How a window moves along one axis.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    pub(super) stride: usize,
    pub(super) base_dilation: usize,
    pub(super) window_dilation: usize,
    /// The padding before the axis.
    pub(super) low: i64,
}

impl Motion {
    /// Returns the index into an axis of size `base` that the window at `place` sees at `tap`, and the condition under
    /// which that is neither padding nor a gap.
    pub(super) fn seen(self, place: &Dim, tap: &Dim, base: &Dim) -> (Dim, Guard) {
        let offset = (&(place * self.stride) + &(tap * self.window_dilation)).offset(-self.low);
        if self.base_dilation == 1 {
            let guard = Guard::inside(&offset, base);
            return (offset, guard);
        }
        let index = offset.floor_div(&Dim::Static(self.base_dilation));
        // In a gap the remainder is not 0.
        let whole = Guard(vec![&(&index * self.base_dilation) - &offset]);
        let guard = whole.and(Guard::inside(&index, base));
        (index, guard)
    }
}

/// Returns what the window at `places` sees at `taps` of a tensor of sizes `base`.
fn seen(spec: &WindowSpec, places: &[Dim], taps: &[Dim], base: &[Dim]) -> (Vec<Dim>, Guard) {
    let mut guard = Guard::default();
    let mut source = Vec::with_capacity(base.len());
    for (axis, ((place, tap), base)) in places.iter().zip(taps).zip(base).enumerate() {
        let motion = Motion {
            stride: spec.strides[axis],
            base_dilation: spec.base_dilation[axis],
            window_dilation: spec.window_dilation[axis],
            low: spec.low[axis],
        };
        let (index, seen) = motion.seen(place, tap, base);
        guard = guard.and(seen);
        source.push(index);
    }
    (source, guard)
}

pub(super) fn elements(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
) -> Result<Vec<ScalarId>, LowerError> {
    match node.op() {
        Op::ReduceWindow { .. } => Ok(vec![reduce_window(reader, w, node, at)?]),
        _ => reduce_window_graph(reader, w, node, at),
    }
}

fn sizes(window: &[usize]) -> Vec<Dim> {
    window.iter().map(|&size| Dim::Static(size)).collect()
}

/// Computes a named reduction over a window.
fn reduce_window(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let Op::ReduceWindow { kind, spec } = node.op() else { return Err(LowerError::unruled(node)) };
    let x = node.inputs()[0];
    let shape = reader.shape(x);
    let fold = Fold::new(node, *kind, shape.dtype())?;
    let nothing = fold.identity(w);
    fold.over(w, &sizes(&spec.window), |w, taps| {
        let (source, guard) = seen(spec, at, taps, shape.dims());
        reader.element_where(w, x, &source, guard, nothing)
    })
}

/// Computes a reduction by a graph over windows of several tensors.
fn reduce_window_graph(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
) -> Result<Vec<ScalarId>, LowerError> {
    let Op::ReduceWindowGraph { body, spec } = node.op() else { return Err(LowerError::unruled(node)) };
    let (xs, initial) = node.inputs().split_at(node.inputs().len() / 2);
    let dims = reader.shape(xs[0]).dims();
    let monoid = by_graph(reader, w, node, (body, initial))?;
    let combiner = seeing(w, monoid, body)?;
    let nothing = combiner.identity.clone();
    w.reduce(&sizes(&spec.window), combiner, |w, taps| {
        let (source, guard) = seen(spec, at, taps, dims);
        let elements = xs.iter().zip(&nothing);
        let elements =
            elements.map(|(&x, &nothing)| reader.element_where(w, x, &source, guard.clone(), nothing));
        let mut elements = elements.collect::<Result<Vec<ScalarId>, LowerError>>()?;
        elements.push(w.holds(guard));
        Ok(elements)
    })
}

/// Returns the monoid with an additional operand of its step: whether there is an element. The initial value need not
/// be an identity of the graph, so elements that are not seen must not be combined.
fn seeing(w: &mut Writer, combiner: Combiner, body: &Graph) -> Result<Combiner, LowerError> {
    let states: Vec<DType> = combiner.identity.iter().map(|&s| w.dtype(s)).collect();
    let types = [&states[..], &states, &[DType::Bool]].concat();
    let step = w.function(&types, |w, args| {
        let Some((&seen, args)) = args.split_last() else { return Ok(Vec::new()) };
        let next = Reader::applied(w, body, args)?;
        Ok::<_, LowerError>(
            next.iter().zip(args).map(|(&next, &state)| w.select(seen, next, state)).collect(),
        )
    })?;
    Ok(Combiner { step, ..combiner })
}
