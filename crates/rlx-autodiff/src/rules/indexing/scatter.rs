//! Rules of `scatter`, with a named combiner.

use super::sequential::sequential;
use super::{Front, Windows, batched, scatter_add};
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::rules::{Batch, Jvp, Rules, Transpose};
use crate::trace;
use rlx_ir::{Combiner, Op, ReduceOp, ScatterDims, Shape, Tensor};

pub(in crate::rules) const SCATTER: Rules =
    Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) };

fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (Op::Scatter { dims, combiner }, [x, indices, updates]) = (op, operands) else {
        return Err(Error::no_rule("derivative", "not a scatter"));
    };
    let primals = [x.primal.clone(), indices.primal.clone(), updates.primal.clone()];
    let y = cx.apply(op, &primals).swap_remove(0);
    let indices = &indices.primal;
    let tangent = match (combiner, &updates.tangent) {
        (Combiner::Reduce(ReduceOp::Sum), None) => x.tangent_or_zeros(),
        (Combiner::Reduce(ReduceOp::Sum) | Combiner::Set, _) => {
            x.tangent_or_zeros().apply(op.clone(), &[indices, &updates.tangent_or_zeros()])
        }
        (Combiner::Reduce(ReduceOp::Prod), None) => {
            x.tangent_or_zeros().apply(op.clone(), &[indices, &updates.primal])
        }
        (Combiner::Reduce(ReduceOp::Prod), Some(_)) if !unique(dims, &indices.shape()) => {
            let shapes: Vec<Shape> = primals.iter().map(Tensor::shape).collect();
            let one_by_one = trace::graph(op.mnemonic(), shapes, |builder, args| {
                sequential(builder, dims, &args[..1], &args[1], &args[2..], &|_, old, new| {
                    Ok(vec![&old[0] * &new[0]])
                })
            })?;
            return cx.through(op, operands, &one_by_one);
        }
        (Combiner::Reduce(ReduceOp::Prod), Some(t)) => {
            let updated = x.tangent_or_zeros().apply(op.clone(), &[indices, &updates.primal]);
            let (x_dims, windows) = (x.primal.dims(), updates.primal.dims());
            let windows = Windows::of_updates(cx.builder, dims, &x_dims, indices, &windows);
            scatter_add(dims, &updated, indices, &(t * windows.read(&x.primal)))
        }
        (Combiner::Reduce(ReduceOp::Min | ReduceOp::Max), _) => {
            let (of_x, of_updates) = shares(cx, dims, [&x.primal, indices, &updates.primal], &y);
            let kept = x.tangent_or_zeros() * of_x;
            match &updates.tangent {
                Some(t) => scatter_add(dims, &kept, indices, &(t * of_updates)),
                None => kept,
            }
        }
        (Combiner::Reduce(kind), _) => {
            return Err(Error::no_rule("derivative", format!("a scatter does not take {kind}")));
        }
    };
    Ok(vec![Dual::new(y, tangent)])
}

/// Whether no two index vectors can refer to the same place, whatever they are, because there is only one per batch entry.
fn unique(dims: &ScatterDims, indices: &Shape) -> bool {
    let beside = [&dims.scatter_indices_batching_dims[..], &[dims.index_vector_dim]].concat();
    indices.without_axes(&beside).num_elements().is_some_and(|n| n <= 1)
}

/// The share of each element of x and of the updates in an extreme. Elements that equal it have equal shares, as in JAX.
fn shares(
    cx: &Forward<'_>,
    dims: &ScatterDims,
    [x, indices, updates]: [&Tensor; 3],
    y: &Tensor,
) -> (Tensor, Tensor) {
    let (x_dims, window_dims) = (x.dims(), updates.dims());
    let windows = Windows::of_updates(cx.builder, dims, &x_dims, indices, &window_dims);
    let number = |equal: Tensor| equal.convert(x.dtype()).widened();
    let inside = windows.inside(&window_dims);
    let from_x = number(x.equal(y));
    let from_updates = number(windows.read(y).equal(updates).and(&inside));
    let count = scatter_add(dims, &from_x, indices, &from_updates);
    // If a window goes out of bounds, the value that a gather would read instead may be NaN.
    let divisor = inside.select(&windows.read(&count), &count.scalar_like(1.0));
    ((from_x / &count).convert(x.dtype()), (from_updates / divisor).convert(x.dtype()))
}

fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::Scatter { dims, combiner }, [x, indices, updates]) = (op, operands) else {
        return Err(Error::no_rule("transpose", "not a scatter"));
    };
    let (ct, indices) = (cts.first(cx.builder), indices.known()?);
    let (x_shape, shape) = (x.shape(), updates.shape());
    let windows = Windows::of_updates(cx.builder, dims, x_shape.dims(), indices, shape.dims());
    let of_x = match combiner {
        _ if !x.is_linear() => None,
        Combiner::Reduce(ReduceOp::Sum) => Some(ct.clone()),
        Combiner::Set => Some(ct.apply(op.clone(), &[indices, &trace::zeros(cx.builder, &shape)])),
        Combiner::Reduce(ReduceOp::Prod) => Some(ct.apply(op.clone(), &[indices, updates.known()?])),
        Combiner::Reduce(kind) => {
            return Err(Error::no_rule("transpose", format!("{kind} is not linear")));
        }
    };
    let of_updates = match combiner {
        _ if !updates.is_linear() => None,
        Combiner::Reduce(ReduceOp::Sum) => Some(windows.read_or_zeros(&ct)),
        Combiner::Set => {
            let taken = last_written(&windows, op, &x_shape, &shape);
            Some(taken.select(&windows.read(&ct), &trace::zeros(cx.builder, &shape)))
        }
        Combiner::Reduce(ReduceOp::Prod) if unique(dims, &indices.shape()) => {
            Some(windows.read_or_zeros(&(ct * x.known()?)))
        }
        _ => return Err(Error::no_rule("transpose", "it is not linear in its updates")),
    };
    Ok(vec![of_x, None, of_updates])
}

/// Which elements of the updates stay, of all that a scatter writes to the same place. Each is given a number, and the numbers
/// are scattered in the same way. A window that goes out of bounds writes nothing, so its numbers are not found.
fn last_written(windows: &Windows<'_>, op: &Op, x: &Shape, updates: &Shape) -> Tensor {
    let (builder, count) = (windows.builder, updates.num_elements_dim());
    let dtype = trace::position_type(&count);
    let numbers = builder.iota(Shape::from_dims(&[count], dtype), 0).reshape(updates.dims());
    let nothing = builder.int(-1, dtype).broadcast_to(x.dims());
    windows.read(&nothing.apply(op.clone(), &[windows.indices, &numbers])).equal(&numbers)
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Op::Scatter { dims, combiner }, [x, indices, updates]) = (op, operands) else {
        return Err(Error::no_rule("batching rule", "not a scatter"));
    };
    let front = if indices.batched { Front::Both } else { Front::Tensor };
    let scatter = Op::Scatter { dims: batched(dims, front), combiner: *combiner };
    Ok(cx.apply(scatter, &[cx.front(x), indices.value.clone(), cx.front(updates)]))
}
