//! Lowers elements of reductions along axes.

use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use crate::kernel::{Combiner, Definition, Function, ScalarId, Stmt};
use crate::monoid::identity_of;
use rlx_ir::eval::scalar::identity;
use rlx_ir::{ArgOp, BinaryOp, CompareOp, DType, Dim, Graph, Node, NodeId, Op, ReduceOp, Scalar, UnaryOp};

/// The type in which sums and products of elements of this type are accumulated: f32 for narrower floats, otherwise the type itself.
/// Results round once.
pub(super) fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => DType::F32,
        other => other,
    }
}

/// The type in which such sums and products are accumulated in one chain that may be long: of f32, where the rounding errors would grow
/// with the number of terms, f64.
pub(super) fn chain_accumulator(dtype: DType) -> DType {
    match accumulator(dtype) {
        DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        other => other,
    }
}

/// A reduction that repeats a binary function.
#[derive(Clone, Copy)]
pub(super) struct Fold {
    op: BinaryOp,
    /// The reduction of nothing.
    identity: Scalar,
    dtype: DType,
    accumulator: DType,
}

impl Fold {
    /// Of elements of a type, for a node.
    pub(super) fn new(node: &Node, kind: ReduceOp, dtype: DType) -> Result<Fold, LowerError> {
        let why = "it repeats no binary function";
        let error = || LowerError::NotLowered { op: node.op().mnemonic(), why };
        let (op, identity) = kind.binary().zip(identity(kind, dtype)).ok_or_else(error)?;
        let accumulator = match kind {
            ReduceOp::Sum | ReduceOp::Prod => accumulator(dtype),
            // These choose one of their operands, bit by bit or as a whole: nothing rounds.
            _ => dtype,
        };
        Ok(Fold { op, identity, dtype, accumulator })
    }

    /// The reduction of nothing, as an element.
    pub(super) fn identity(&self, w: &mut Writer) -> ScalarId {
        w.constant(self.dtype, self.identity)
    }

    /// Combines the elements that `body` gives over an index space.
    pub(super) fn over(
        &self,
        w: &mut Writer,
        extents: &[Dim],
        body: impl FnOnce(&mut Writer, &[Dim]) -> Lowered,
    ) -> Lowered {
        let identity = w.constant(self.accumulator, self.identity);
        let combiner = repeating(w, self.op, identity)?;
        let accumulator = self.accumulator;
        let total = w.reduce(extents, combiner, |w, inner| {
            let element = body(w, inner)?;
            Ok::<_, LowerError>(vec![w.convert(element, accumulator)])
        })?;
        Ok(w.convert(total[0], self.dtype))
    }
}

/// The monoid of a binary function.
pub(super) fn repeating(w: &mut Writer, op: BinaryOp, identity: ScalarId) -> Result<Combiner, LowerError> {
    let types = [w.dtype(identity); 2];
    let mut function =
        || w.function(&types, |w, args| Ok::<_, LowerError>(vec![w.binary(op, args[0], args[1])]));
    let (step, merge) = (function()?, function()?);
    Ok(Combiner { identity: vec![identity], once: false, step, merge })
}

/// The indices of an element: `inner` along `axes`, `at` along the others.
pub(super) fn interleaved(at: &[Dim], axes: &[usize], inner: &[Dim]) -> Vec<Dim> {
    let mut kept = at.iter();
    let index = |axis: usize| match axes.iter().position(|&a| a == axis) {
        Some(place) => Some(&inner[place]),
        None => kept.next(),
    };
    (0..at.len() + axes.len()).map_while(index).cloned().collect()
}

/// The axes in ascending order, so that elements are combined in row-major order, and their sizes.
fn ordered(axes: &[usize], dims: &[Dim]) -> (Vec<usize>, Vec<Dim>) {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let extents = axes.iter().map(|&axis| dims[axis].clone()).collect();
    (axes, extents)
}

pub(super) fn elements(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
) -> Result<Vec<ScalarId>, LowerError> {
    match node.op() {
        Op::Reduce { kind, axes } => Ok(vec![reduce(reader, w, node, at, (*kind, axes))?]),
        Op::ArgReduce { op, axis, .. } => Ok(vec![argreduce(reader, w, node, at, (*op, *axis))?]),
        Op::ReduceGraph { body, axes } => reduce_graph(reader, w, node, at, (body, axes)),
        _ => Err(LowerError::unruled(node)),
    }
}

/// All elements along axes, by a named reduction.
fn reduce(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
    (kind, axes): (ReduceOp, &[usize]),
) -> Lowered {
    let x = node.inputs()[0];
    let shape = reader.shape(x);
    let (axes, extents) = ordered(axes, shape.dims());
    let fold = Fold::new(node, kind, shape.dtype())?;
    fold.over(w, &extents, |w, inner| reader.element(w, x, &interleaved(at, &axes, inner)))
}

/// Where along an axis the extreme is: a NaN before any number, of equals the first.
fn argreduce(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
    (op, axis): (ArgOp, usize),
) -> Lowered {
    let (x, index) = (node.inputs()[0], node.shape().dtype());
    let shape = reader.shape(x);
    let worst = match op {
        ArgOp::Max => ReduceOp::Max,
        ArgOp::Min => ReduceOp::Min,
    };
    // Behind every element: of elements that are as bad the first wins.
    let behind = index.int_range().map_or(0, |(_, last)| last);
    let worst = identity(worst, shape.dtype()).unwrap_or(Scalar::Int(0));
    let identity = vec![w.constant(shape.dtype(), worst), w.constant(index, Scalar::Int(behind))];
    let types = [shape.dtype(), index, shape.dtype(), index];
    let mut function = || w.function(&types, |w, args| Ok::<_, LowerError>(better(w, op, args)));
    let (step, merge) = (function()?, function()?);
    let combiner = Combiner { identity, once: false, step, merge };
    let best = w.reduce(&shape.dims()[axis..=axis], combiner, |w, inner| {
        let element = reader.element(w, x, &interleaved(at, &[axis], inner))?;
        Ok::<_, LowerError>(vec![element, w.index(index, &inner[0])])
    })?;
    Ok(best[1])
}

/// Of two elements with their indices the better one.
fn better(w: &mut Writer, op: ArgOp, args: &[ScalarId]) -> Vec<ScalarId> {
    let &[best, at, x, index] = args else { return Vec::new() };
    let order = match op {
        ArgOp::Max => CompareOp::Gt,
        ArgOp::Min => CompareOp::Lt,
    };
    let mut wins = w.compare(order, x, best);
    let mut equal = w.compare(CompareOp::Eq, x, best);
    if w.dtype(x).is_float() {
        let (nan, had) = (w.compare(CompareOp::Ne, x, x), w.compare(CompareOp::Ne, best, best));
        let number = w.unary(UnaryOp::Not, had);
        let first = w.binary(BinaryOp::And, nan, number);
        let both = w.binary(BinaryOp::And, nan, had);
        wins = w.binary(BinaryOp::Or, wins, first);
        equal = w.binary(BinaryOp::Or, equal, both);
    }
    let earlier = w.compare(CompareOp::Lt, index, at);
    let tied = w.binary(BinaryOp::And, equal, earlier);
    let wins = w.binary(BinaryOp::Or, wins, tied);
    vec![w.select(wins, x, best), w.select(wins, index, at)]
}

/// All elements of several tensors along axes, by a graph.
fn reduce_graph(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
    (body, axes): (&Graph, &[usize]),
) -> Result<Vec<ScalarId>, LowerError> {
    let (xs, initial) = node.inputs().split_at(node.inputs().len() / 2);
    let (axes, extents) = ordered(axes, reader.shape(xs[0]).dims());
    let combiner = by_graph(reader, w, node, (body, initial))?;
    w.reduce(&extents, combiner, |w, inner| {
        let source = interleaved(at, &axes, inner);
        xs.iter().map(|&x| reader.element(w, x, &source)).collect()
    })
}

/// How a graph from (accumulators…, elements…) to accumulators combines elements. It begins with the initial values.
pub(super) fn by_graph(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    (body, initial): (&Graph, &[NodeId]),
) -> Result<Combiner, LowerError> {
    let why = "its body is no function of scalars: it has a loop or loads from memory";
    let identity = initial.iter().map(|&id| reader.element(w, id, &[]));
    let identity = identity.collect::<Result<Vec<ScalarId>, LowerError>>()?;
    let types: Vec<DType> = identity.iter().chain(&identity).map(|&s| w.dtype(s)).collect();
    let mut function = || {
        let function = w.function(&types, |w, args| Reader::applied(w, body, args))?;
        only_scalars(&function)
            .then_some(function)
            .ok_or(LowerError::NotLowered { op: node.op().mnemonic(), why })
    };
    let (step, merge) = (function()?, function()?);
    let first = initial.iter().map(|&id| reader.constant(id)).collect::<Option<Vec<Scalar>>>();
    let once = first.is_none() || first != identity_of(&merge, |scalar| w.dtype(scalar));
    Ok(Combiner { identity, once, step, merge })
}

/// Whether a function computes scalars from scalars: it loads nothing and has no loop.
fn only_scalars(function: &Function) -> bool {
    let is_scalar = |stmt: &Stmt| match stmt {
        Stmt::Let { value, .. } => !matches!(value, Definition::Load { .. }),
        _ => false,
    };
    function.body.iter().all(is_scalar)
}
