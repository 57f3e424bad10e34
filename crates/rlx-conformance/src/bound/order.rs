//! Error bounds of sorts and extremes. Sorted values move no more than the element that moves most, but the positions
//! of the largest ones are uncertain.

use super::{Analysis, Shadow, distance};
use rlx_ir::{ArgOp, BinaryOp, CompareOp, DType, Graph, Node, NodeId, Op, ReduceOp, Tensor, UnaryOp};

/// Returns the largest bound along an axis, for every element of the axis.
fn largest(x: &Shadow, axis: usize) -> Tensor {
    let most = x.error().reduce(ReduceOp::Max, &[axis], true);
    most.maximum(&most.scalar_like(0.0))
}

/// Bounds a sort of one operand.
pub(super) fn sorted(op: &Op, x: &Shadow, axis: usize) -> Shadow {
    let value = x.wide().apply(op.clone(), &[]);
    let error = largest(x, axis).broadcast_to(&value.dims());
    Shadow { value, error: Some(error) }
}

/// Bounds the largest elements and their positions.
pub(super) fn top_k(cx: &Analysis, op: &Op, x: &Shadow) -> Vec<Shadow> {
    let mut results = cx.builder.apply_many(op.clone(), &[&x.wide()]).into_iter();
    let axis = x.value.rank().saturating_sub(1);
    let values = results.next().map(|value| {
        let error = largest(x, axis).broadcast_to(&value.dims());
        Shadow { value, error: Some(error) }
    });
    let places = results.map(|value| match place_is_certain(x, axis, &value) {
        Some(certain) => {
            let zero = certain.convert(DType::F64).scalar_like(0.0).broadcast_to(&value.dims());
            let error = certain.select(&zero, &zero.scalar_like(f64::INFINITY).broadcast_to(&value.dims()));
            Shadow { value, error: Some(error) }
        }
        None => uncertain(value),
    });
    values.into_iter().chain(places).collect()
}

/// Returns whether rounding cannot change an element's position in the order, because its neighbors are further away
/// than the sum of all bounds, each taken twice. −∞ and exact elements do not move. Returns `None` if there are no
/// elements.
fn place_is_certain(x: &Shadow, axis: usize, places: &Tensor) -> Option<Tensor> {
    let (n, k) = (x.value.dims().pop()?.as_static()?, places.dims().pop()?.as_static()?);
    if k == 0 {
        return None;
    }
    let (sorted, _) = x.wide().top_k(n);
    let ends = sorted.scalar_like(1.0).broadcast_to(&sorted.slice_axis(axis, 0, 1).dims());
    let margin = largest(x, axis) * 4.0;
    let apart = (n > 1).then(|| {
        let (front, behind) = (sorted.slice_axis(axis, 0, n - 1), sorted.slice_axis(axis, 1, n));
        let margin = margin.broadcast_to(&front.dims());
        let still =
            front.equal(&front.scalar_like(f64::NEG_INFINITY)).or(&margin.equal(&margin.scalar_like(0.0)));
        (&front - &behind).compare(CompareOp::Gt, &margin).or(&still).convert(DType::F64)
    });
    let [behind_another, before_another] = match &apart {
        Some(apart) => [[&ends, apart], [apart, &ends]]
            .map(|[a, b]| a.apply(Op::Concatenate { axis }, &[b]).slice_axis(axis, 0, k)),
        None => [ends.clone(), ends],
    };
    let both = behind_another * before_another;
    Some(both.greater(&both.scalar_like(0.0)))
}

/// Bounds a gather of single elements by uncertain indices: an element is uncertain where its index is. Returns `None`
/// for other ops and indices.
pub(super) fn picked(op: &Op, operands: &[Shadow]) -> Option<Shadow> {
    let (Op::Gather { dims, .. }, [x, index]) = (op, operands) else { return None };
    let doubt = index.error.as_ref()?;
    if !dims.offset_dims.is_empty() || dims.index_vector_dim != index.value.rank() {
        return None;
    }
    let places = index.value.convert(DType::I32);
    let value = x.wide().apply(op.clone(), &[&places]);
    let error = x.error().apply(op.clone(), &[&places]);
    let certain = doubt.equal(&doubt.scalar_like(0.0));
    let unknown = error.scalar_like(f64::INFINITY).broadcast_to(&error.dims());
    Some(Shadow { value, error: Some(certain.select(&error, &unknown)) })
}

/// Bounds the position of the largest or smallest element along an axis. It is certain if no other element can be as
/// large or as small, each taken at twice its bound, which results have to meet.
pub(super) fn arg_reduce(op: &Op, x: &Shadow, kind: ArgOp, axis: usize) -> Shadow {
    let wide = x.wide();
    let value = wide.apply(op.clone(), &[]);
    let ranked = if kind == ArgOp::Max { wide } else { -wide };
    let margin = x.error() * 2.0;
    let reached = (&ranked - &margin).reduce(ReduceOp::Max, &[axis], true);
    let contends = (&ranked + &margin).greater_equal(&reached).convert(DType::F64);
    let contenders = contends.reduce(ReduceOp::Sum, &[axis], false);
    // A NaN competes with nothing, so there is no competitor.
    let certain = contenders.equal(&contenders.scalar_like(1.0));
    let zero = contenders.scalar_like(0.0);
    let error = certain.select(&zero, &zero.scalar_like(f64::INFINITY));
    Shadow { value, error: Some(error) }
}

/// Bounds whether elements equal an extreme: a number compared with the larger or smaller of itself and another, or
/// each number of a group compared with the extreme of the group. However the numbers are rounded, the extreme is one
/// of them, so the answer is certain if the others are further away than all bounds, each taken twice. Returns `None`
/// for other comparisons.
pub(super) fn is_extreme(graph: &Graph, node: &Node, shadows: &[Vec<Shadow>]) -> Option<Shadow> {
    let (Op::Compare { op: CompareOp::Eq, .. }, &[a, b]) = (node.op(), node.inputs()) else { return None };
    let (a, b) = (before_widening(graph, a), before_widening(graph, b));
    [(a, b), (b, a)].into_iter().find_map(|(x, extreme)| equals(graph, x, extreme, shadows))
}

/// Returns the number before it was converted to a wider type, which does not change it.
fn before_widening(graph: &Graph, mut id: NodeId) -> NodeId {
    while let (Op::Convert { dtype }, &[from]) = (graph.node(id).op(), graph.node(id).inputs()) {
        let narrow = graph.shape(from).dtype();
        if !(narrow.is_float() && dtype.is_float() && narrow.size() < dtype.size()) {
            break;
        }
        id = from;
    }
    id
}

fn equals(graph: &Graph, x: NodeId, extreme: NodeId, shadows: &[Vec<Shadow>]) -> Option<Shadow> {
    if !graph.shape(x).dtype().is_float() {
        return None;
    }
    let node = graph.node(extreme);
    let shadow = |id: NodeId| shadows.get(id.index())?.first();
    match (node.op(), node.inputs()) {
        (Op::Binary { op: op @ (BinaryOp::Max | BinaryOp::Min) }, &[a, b]) if (a == x) != (b == x) => {
            let (own, other) = (shadow(x)?, shadow(if a == x { b } else { a })?);
            Some(equals_of_two(own, other, *op == BinaryOp::Max))
        }
        (Op::BroadcastInDim { axes: places, .. }, &[reduced]) => {
            let (Op::Reduce { kind, axes }, &[of]) = (graph.node(reduced).op(), graph.node(reduced).inputs())
            else {
                return None;
            };
            let kept = (0..graph.shape(x).rank()).filter(|axis| !axes.contains(axis));
            let back =
                kept.eq(places.iter().copied()) && graph.shape(extreme).dims() == graph.shape(x).dims();
            let is_extreme = matches!(kind, ReduceOp::Max | ReduceOp::Min);
            (of == x && back && is_extreme).then_some(())?;
            Some(equals_of_group(shadow(x)?, axes, *kind == ReduceOp::Max))
        }
        _ => None,
    }
}

/// Bounds whether a number is the larger (or the smaller) of two.
fn equals_of_two(own: &Shadow, other: &Shadow, larger: bool) -> Shadow {
    let (a, b) = (own.wide(), other.wide());
    let value = if larger { a.greater_equal(&b) } else { b.greater_equal(&a) };
    let margin = (own.error() + other.error()) * 2.0;
    let zero = margin.scalar_like(0.0);
    let certain = distance(&a, &b).compare(CompareOp::Gt, &margin).or(&margin.equal(&zero));
    let error = certain.select(&zero, &zero.scalar_like(f64::INFINITY));
    Shadow { value, error: Some(error) }
}

/// Bounds which numbers of each group are its largest (or smallest).
fn equals_of_group(x: &Shadow, axes: &[usize], largest: bool) -> Shadow {
    let ranked = if largest { x.wide() } else { -x.wide() };
    let most = |t: &Tensor| t.reduce(ReduceOp::Max, axes, true);
    let value = ranked.greater_equal(&most(&ranked));
    let margin = x.error() * 2.0;
    let contends = (&ranked + &margin).greater_equal(&most(&(&ranked - &margin)));
    let contenders = contends.convert(DType::F64).reduce(ReduceOp::Sum, axes, true);
    let zero = margin.scalar_like(0.0);
    let alone = contenders.equal(&contenders.scalar_like(1.0)).or(&most(&margin).equal(&zero));
    // An element that does not compete is not the extreme, and one without competitors is.
    let certain = contends.unary(UnaryOp::Not).or(&alone);
    let error = certain.select(&zero, &zero.scalar_like(f64::INFINITY));
    Shadow { value, error: Some(error) }
}

/// Returns a result that may have any value.
fn uncertain(value: Tensor) -> Shadow {
    let infinite = value.builder().scalar(f64::INFINITY, DType::F64).broadcast_to(&value.dims());
    Shadow { value, error: Some(infinite) }
}
