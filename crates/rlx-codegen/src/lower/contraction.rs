//! Lowers elements of `dot_general` and `ragged_dot`.

use super::reduction::{accumulator, repeating};
use super::{LowerError, Lowered, Reader, convolution};
use crate::build::Writer;
use crate::kernel::{Guard, ScalarId};
use rlx_ir::{BinaryOp, Class, CompareOp, DType, Dim, DotDims, DotSide, Graph, Node, Op, Scalar, Shape};

/// The types in which the products of a node are computed, accumulated, and rounded in the end.
#[derive(Clone, Copy)]
pub(super) struct Products {
    accumulator: DType,
    result: DType,
}

impl Products {
    /// Chooses the types for a node. Floats are summed in f32, or in f64 if operands or results are f64. Integers wrap
    /// like the result, which does not depend on when they wrap.
    pub(super) fn new(operand: DType, result: DType) -> Products {
        let wide = [operand, result].iter().any(|&dtype| dtype.real() == DType::F64);
        let accumulator = match result.class() {
            Class::Float if wide => DType::F64,
            Class::Complex if wide => DType::C128,
            _ => accumulator(result),
        };
        Products { accumulator, result }
    }

    /// Returns the accumulator type.
    pub(super) fn accumulator(self) -> DType {
        self.accumulator
    }

    /// Returns the sum of products of the factors that `body` returns over an index space, without rounding.
    fn sum(
        self,
        w: &mut Writer,
        extents: &[Dim],
        body: impl FnOnce(&mut Writer, &[Dim]) -> Result<[ScalarId; 2], LowerError>,
    ) -> Lowered {
        let zero = w.constant(self.accumulator, Scalar::Int(0));
        let combiner = repeating(w, BinaryOp::Add, zero)?;
        let sum = w.reduce(extents, combiner, |w, inner| {
            let factors = body(w, inner)?;
            let [a, b] = factors.map(|factor| w.convert(factor, self.accumulator));
            Ok::<_, LowerError>(vec![w.binary(BinaryOp::Mul, a, b)])
        })?;
        Ok(sum[0])
    }

    /// Does the same, and rounds the sum.
    pub(super) fn total(
        self,
        w: &mut Writer,
        extents: &[Dim],
        body: impl FnOnce(&mut Writer, &[Dim]) -> Result<[ScalarId; 2], LowerError>,
    ) -> Lowered {
        let sum = self.sum(w, extents, body)?;
        Ok(w.convert(sum, self.result))
    }
}

/// Returns the indices of a factor of this rank.
fn indices(axes: DotSide<'_>, rank: usize, batch: &[Dim], free: &[Dim], inner: &[Dim]) -> Vec<Dim> {
    let mut free = free.iter();
    let place = |axes: &[usize], axis: usize| axes.iter().position(|&a| a == axis);
    let index = |axis: usize| match (place(axes.batch, axis), place(axes.contract, axis)) {
        (Some(place), _) => Some(&batch[place]),
        (_, Some(place)) => Some(&inner[place]),
        _ => free.next(),
    };
    (0..rank).map_while(index).cloned().collect()
}

pub(super) fn element(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    match node.op() {
        Op::DotGeneral { .. } => dot_general(reader, w, node, at),
        Op::RaggedDot { .. } => ragged_dot(reader, w, node, at),
        _ => convolution::element(reader, w, node, at),
    }
}

/// A sum of products as a matrix product: the extents of batches, rows, columns and summands.
pub(super) struct Spaces {
    pub(super) batch: Vec<Dim>,
    pub(super) rows: Vec<Dim>,
    pub(super) columns: Vec<Dim>,
    pub(super) inner: Vec<Dim>,
}

/// Returns the extents for a product of two tensors.
pub(super) fn spaces(graph: &Graph, node: &Node) -> Option<Spaces> {
    let Op::DotGeneral { dims: axes, .. } = node.op() else { return None };
    let shape = |operand: usize| graph.shape(node.inputs()[operand]);
    let dims = node.shape().dims();
    let (batch, split) = (axes.lhs_batch.len(), shape(0).rank() - axes.lhs_contract.len());
    Some(Spaces {
        batch: dims[..batch].to_vec(),
        rows: dims[batch..split].to_vec(),
        columns: dims[split..].to_vec(),
        inner: summands(axes, shape(0), shape(1)),
    })
}

/// Returns the extents of the contracting axes. If a size has two expressions, the static one is used.
fn summands(axes: &DotDims, left: &Shape, right: &Shape) -> Vec<Dim> {
    let extent = |(&l, &r): (&usize, &usize)| match right.dim(r) {
        size @ Dim::Static(_) => size.clone(),
        _ => left.dim(l).clone(),
    };
    axes.lhs_contract.iter().zip(&axes.rhs_contract).map(extent).collect()
}

/// Returns whether a factor has its batches first, followed by rows and columns in order, and whether it is summed over the last axis.
pub(super) fn along_last(node: &Node, which: usize) -> Option<bool> {
    let Op::DotGeneral { dims, .. } = node.op() else { return None };
    let DotSide { batch, contract } = dims.sides()[which.min(1)];
    let &[axis] = contract else { return None };
    let in_order = batch.iter().copied().eq(0..batch.len());
    (in_order && (axis == batch.len() || axis == batch.len() + 1)).then_some(axis > batch.len())
}

/// Returns where the factors of a product of two tensors are, given the indices of the result (batch, row and column) and of the summand.
pub(super) fn factors(
    graph: &Graph,
    node: &Node,
    (batch, row, column): (&[Dim], &[Dim], &[Dim]),
    inner: &[Dim],
) -> Option<[Vec<Dim>; 2]> {
    let Op::DotGeneral { dims, .. } = node.op() else { return None };
    let rank = |operand: usize| graph.shape(node.inputs()[operand]).rank();
    let [lhs, rhs] = dims.sides();
    Some([indices(lhs, rank(0), batch, row, inner), indices(rhs, rank(1), batch, column, inner)])
}

/// Computes a product of two tensors over contracting axes.
fn dot_general(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let Op::DotGeneral { dims, .. } = node.op() else { return Err(LowerError::unruled(node)) };
    let (lhs, rhs) = (node.inputs()[0], node.inputs()[1]);
    let (left, right) = (reader.shape(lhs), reader.shape(rhs));
    let [lhs_axes, rhs_axes] = dims.sides();
    let (batch, free) = at.split_at(lhs_axes.batch.len());
    let (rows, columns) = free.split_at(lhs_axes.free(left.rank()).len());
    let products = Products::new(left.dtype(), node.shape().dtype());
    products.total(w, &summands(dims, left, right), |w, inner| {
        let a = reader.element(w, lhs, &indices(lhs_axes, left.rank(), batch, rows, inner))?;
        Ok([a, reader.element(w, rhs, &indices(rhs_axes, right.rank(), batch, columns, inner))?])
    })
}

/// Computes a product of rows with the matrix of the run that contains them.
fn ragged_dot(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let (&[lhs, rhs, sizes], [row, column]) = (node.inputs(), at) else {
        return Err(LowerError::unruled(node));
    };
    let (left, right) = (reader.shape(lhs), reader.shape(rhs));
    let products = Products::new(left.dtype(), node.shape().dtype());
    let zero = w.constant(products.accumulator, Scalar::Int(0));
    let start = w.constant(DType::I64, Scalar::Int(0));
    let number = w.index(DType::I64, row);
    // Runs overlap if sizes are negative, so a row looks at all of them.
    let last = w.repeat(right.dim(0), false, &[zero, start], |w, group, carried| {
        let &[total, start] = carried else { return Ok(carried.to_vec()) };
        let size = reader.element(w, sizes, std::slice::from_ref(group))?;
        let end = saturating_end(w, start, size);
        let (from, before) = (w.compare(CompareOp::Le, start, number), w.compare(CompareOp::Lt, number, end));
        let inside = w.binary(BinaryOp::And, from, before);
        let totals = w.branch(
            inside,
            |w| {
                let sum = products.sum(w, &left.dims()[1..], |w, inner| {
                    let a = reader.element(w, lhs, &[row.clone(), inner[0].clone()])?;
                    let place = [group.clone(), inner[0].clone(), column.clone()];
                    Ok([a, reader.element(w, rhs, &place)?])
                })?;
                Ok::<_, LowerError>(vec![w.binary(BinaryOp::Add, total, sum)])
            },
            |_| Ok(vec![total]),
        )?;
        Ok::<_, LowerError>(vec![totals[0], end])
    })?;
    Ok(w.convert(last[0], products.result))
}

/// Computes start + size, saturating at the range of i64.
fn saturating_end(w: &mut Writer, start: ScalarId, size: ScalarId) -> ScalarId {
    let size = w.widened_index(size);
    let bound = |w: &mut Writer, value: i64| w.constant(DType::I64, Scalar::Int(i128::from(value)));
    let (low, zero, high) = (bound(w, i64::MIN), bound(w, 0), bound(w, i64::MAX));
    let (down, up) = (w.binary(BinaryOp::Min, size, zero), w.binary(BinaryOp::Max, size, zero));
    let (lowest, highest) = (w.binary(BinaryOp::Sub, low, down), w.binary(BinaryOp::Sub, high, up));
    let start = w.apply(Op::Clamp {}, &[lowest, start, highest], DType::I64);
    w.binary(BinaryOp::Add, start, size)
}

/// Returns factors that are both zero where the guard does not hold, so that they add nothing. One zero is not enough,
/// because zero times NaN is NaN.
pub(super) fn factors_where(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    operands: [(rlx_ir::NodeId, Vec<Dim>); 2],
    guard: &Guard,
) -> Result<[ScalarId; 2], LowerError> {
    let [(a, at), (b, there)] = operands;
    let zero = w.constant(reader.shape(a).dtype(), Scalar::Int(0));
    let a = reader.element_where(w, a, &at, guard.clone(), zero)?;
    Ok([a, reader.element_where(w, b, &there, guard.clone(), zero)?])
}
