//! Derivatives of JAX's pseudo-inverse and determinant for matrices without full rank, for which the derivatives of the
//! decompositions are not finite.

use super::cones::extracted;
use rlx_ir::{Builder, DType, Graph, NodeId, Op, ReduceOp, Shape, SubGraph, Tensor, UnaryOp};

/// The pseudo-inverse p of a, with the derivative of Golub and Pereyra (SIAM Journal on Numerical Analysis 10(2), 1973):
/// dp = −p da p + p pᴴ daᴴ (1 − a p) + (1 − p a) daᴴ pᴴ p, at constant rank.
pub(super) fn pseudo_inverse(graph: &Graph, root: NodeId, arguments: &[NodeId]) -> Option<SubGraph> {
    let (&a, rest) = arguments.split_first()?;
    let (shape, result) = (graph.shape(a), graph.shape(root));
    let rank = shape.rank();
    let transposed = rank >= 2 && result.rank() == rank && result.dim(rank - 1) == shape.dim(rank - 2);
    let fixed = rest.iter().all(|&id| graph.shape(id).is_scalar());
    if !transposed || !fixed {
        return None;
    }
    let forward = extracted(graph, root, arguments)?;
    let decomposes = |wanted: fn(&Op) -> bool| forward.nodes().iter().any(|n| wanted(n.op()));
    let symmetric = decomposes(|op| matches!(op, Op::Eigh { .. }));
    if !symmetric && !decomposes(|op| matches!(op, Op::Svd { .. })) {
        return None;
    }
    let builder = Builder::new("jvp");
    let shapes = forward.input_shapes();
    let args: Vec<Tensor> =
        shapes.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
    let p = builder.input("y", result.clone());
    let tangents: Vec<Option<Tensor>> = shapes
        .iter()
        .enumerate()
        .map(|(i, s)| {
            let inexact = s.dtype().is_float() || s.dtype().is_complex();
            inexact.then(|| builder.input(format!("x{i}.tangent"), s.clone()))
        })
        .collect();
    let da = tangents.first()?.clone()?;
    // A decomposition of symmetric matrices only uses the symmetric part.
    let part = |x: &Tensor| if symmetric { (x + adjoint(x)) * 0.5 } else { x.clone() };
    let (a, da) = (part(&args[0]), part(&da));
    let (pt, dat) = (adjoint(&p), adjoint(&da));
    let inner = -p.matmul(&da).matmul(&p);
    let left = p.matmul(&pt).matmul(&dat);
    let right = dat.matmul(&pt).matmul(&p);
    let dp = inner + (&left - left.matmul(&a).matmul(&p)) + (&right - p.matmul(&a).matmul(&right));
    let jvp = builder.finish(&[&dp]).ok()?;
    let builder = Builder::new("pinv");
    let args: Vec<Tensor> =
        shapes.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
    let results = builder.custom_fn(&args, &forward, Some(&jvp), None);
    builder.finish(&results.iter().collect::<Vec<_>>()).ok().map(SubGraph::new)
}

/// The determinant by elimination. Where it is 0, its derivative is the matrix of cofactors, det(U Vᴴ) U diag(Π_(j≠i)
/// s_j) Vᴴ from the singular value decomposition, which is exact at any rank. Elsewhere it is that of the elimination.
pub(super) fn determinant(graph: &Graph, root: NodeId, arguments: &[NodeId]) -> Option<SubGraph> {
    let &[a] = arguments else { return None };
    let (shape, result) = (graph.shape(a), graph.shape(root));
    let rank = shape.rank();
    let square = rank >= 2 && shape.dim(rank - 1) == shape.dim(rank - 2) && shape.dtype().is_float();
    let forward = extracted(graph, root, arguments).filter(|_| square && result.rank() + 2 == rank)?;
    forward.nodes().iter().find(|node| matches!(node.op(), Op::Lu {}))?;
    let builder = Builder::new("det");
    let a = builder.input("x0", shape.clone());
    let given = builder.inline(&forward, std::slice::from_ref(&a)).ok()?.pop()?;
    let singular = given.equal(&full(&given, 0.0));
    let rows = |mask: &Tensor| mask.broadcast_in_dim(&a.dims(), &(0..rank - 2).collect::<Vec<_>>());
    let regular = rows(&singular).select(&identity(&a), &a);
    let elsewhere = builder.inline(&forward, &[regular]).ok()?.pop()?;
    let change = builder
        .custom_fn(std::slice::from_ref(&a), &nothing(&forward)?, Some(&cofactors(&forward)?), None)
        .pop()?;
    let at_zero = given.stop_gradient() + change;
    builder.finish(&[&singular.select(&at_zero, &elsewhere)]).ok().map(SubGraph::new)
}

/// Returns zeros in the shape of a determinant.
fn nothing(forward: &Graph) -> Option<Graph> {
    let builder = Builder::new("nothing");
    let a = builder.input("x0", forward.input_shapes().pop()?);
    let y = builder.inline(forward, &[a]).ok()?.pop()?;
    builder.finish(&[&full(&y, 0.0)]).ok()
}

/// Maps (a, 0, da) to the sum of the cofactors of a times da.
fn cofactors(forward: &Graph) -> Option<Graph> {
    let builder = Builder::new("cofactors");
    let shape = forward.input_shapes().pop()?;
    let a = builder.input("x0", shape.clone());
    builder.input("y", forward.output_shapes().pop()?);
    let da = builder.input("x0.tangent", shape.clone());
    let parts = builder.apply_many(Op::Svd { full_matrices: false }, &[&a.stop_gradient()]);
    let [u, s, v] = parts.as_slice() else { return None };
    let axis = s.rank().checked_sub(1)?;
    let running =
        |reverse| s.apply(Op::Cumulative { op: ReduceOp::Prod, axis, exclusive: true, reverse }, &[]);
    let others = running(false) * running(true);
    let sign = builder.inline(forward, &[u.matmul(v)]).ok()?.pop()?.unary(UnaryOp::Sign);
    let weights = others * sign.unsqueeze(axis).broadcast_to(&s.dims());
    let cofactors = (u * weights.unsqueeze(axis).broadcast_to(&u.dims())).matmul(v);
    let total = (cofactors * da).reduce(ReduceOp::Sum, &[axis, axis + 1], false);
    builder.finish(&[&total]).ok()
}

/// Returns the identity matrix for each matrix of a tensor.
fn identity(a: &Tensor) -> Tensor {
    let count = |axis: usize| a.builder().iota(Shape::from_dims(&a.dims(), DType::I32), axis);
    let diagonal = count(a.rank() - 1).equal(&count(a.rank() - 2));
    diagonal.select(&full(a, 1.0), &full(a, 0.0))
}

fn full(x: &Tensor, value: f64) -> Tensor {
    x.scalar_like(value).broadcast_to(&x.dims())
}

fn adjoint(x: &Tensor) -> Tensor {
    let turned = x.transpose_last();
    if x.dtype().is_complex() { turned.unary(UnaryOp::Conj) } else { turned }
}
