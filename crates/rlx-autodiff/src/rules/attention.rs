//! Rules of attention. Its reverse mode recomputes the scores (`attention_backward`), so only the operands are kept. A batch is
//! merged with the operands' own batch.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward, JvpGraph, Mode, jvp_graph};
use crate::trace;
use rlx_ir::rewrite::remove_dead;
use rlx_ir::{Builder, Dim, Graph, MaskKind, Op, OpKind, Shape, Tensor};

const ATTENTION: Rules = Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::None, batch: Batch::Rule(batch) };
const ATTENTION_BACKWARD: Rules =
    Rules { jvp: Jvp::Table, transpose: Transpose::None, batch: Batch::Rule(batch) };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Attention => ATTENTION,
        OpKind::AttentionBackward => ATTENTION_BACKWARD,
        _ => return None,
    })
}

/// Reverse mode sees a single linear function of the tangents, whose transpose is one node.
fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Attention { options } = op else { return cx.decomposed(op, operands) };
    // Attention to stored keys and values is decomposed to attention to the numbers that they represent.
    let is_stored = options.kv_scheme.is_some()
        || operands[1..3].iter().any(|x| x.primal.dtype() != operands[0].primal.dtype());
    if cx.mode == Mode::Forward || is_stored {
        return cx.decomposed(op, operands);
    }
    let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
    let out = cx.apply(op, &primals).swap_remove(0);
    // Of a mask of numbers, only where they are zero matters; operands after the mask are lengths.
    let varies = |(i, dual): (usize, &Dual)| {
        dual.tangent.is_some() && (i < 3 || (i == 3 && options.mask == MaskKind::Bias))
    };
    let linear: Vec<bool> = operands.iter().enumerate().map(varies).collect();
    if !linear.contains(&true) {
        return Ok(vec![Dual::constant(out)]);
    }
    let shapes: Vec<Shape> = primals.iter().map(Tensor::shape).collect();
    let tangents = operands.iter().zip(&linear).filter(|(_, linear)| **linear);
    let args: Vec<Tensor> =
        primals.iter().cloned().chain(tangents.filter_map(|(d, _)| d.tangent.clone())).collect();
    let call = Op::LinearCall {
        forward: pushed(cx, op, &shapes, &linear)?.into(),
        transpose: pulled(op, &shapes, &linear, out.shape())?.into(),
        known: shapes.len(),
    };
    let tangent = cx.builder.apply(call, &args.iter().collect::<Vec<_>>());
    Ok(vec![Dual::new(out, tangent)])
}

/// From the operands, and tangents of those that vary, to the tangent of the result.
fn pushed(cx: &Forward<'_>, op: &Op, shapes: &[Shape], linear: &[bool]) -> Result<Graph, Error> {
    let JvpGraph { mut graph, .. } =
        jvp_graph(&op.decompose(shapes)?, linear, &[true], Mode::Linearize, cx.options)?;
    graph.set_outputs(graph.outputs()[1..].to_vec());
    Ok(remove_dead(&graph))
}

/// From the operands and the cotangent of the result to the cotangents of the operands that vary.
fn pulled(op: &Op, shapes: &[Shape], linear: &[bool], out: Shape) -> Result<Graph, Error> {
    let Op::Attention { options } = op else {
        return Err(Error::no_rule("derivative", "this is not attention"));
    };
    let backward = Op::AttentionBackward { options: options.unpacked() };
    let builder = Builder::new(backward.mnemonic());
    let operands = trace::inputs(&builder, "x", shapes.to_vec());
    let ct = builder.input("out.cotangent", out);
    let (qkv, optional) = operands.split_at(3);
    let args: Vec<&Tensor> = qkv.iter().chain([&ct]).chain(optional).collect();
    let given = builder.apply_many(backward, &args);
    let wanted: Vec<&Tensor> = given.iter().zip(linear).filter(|(_, l)| **l).map(|(ct, _)| ct).collect();
    trace::finish(&builder, &wanted)
}

/// Merges the mapped batch axis with the batch axis of q, k, v and the cotangent.
fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (tensors, mask) = match op {
        // The cotangent of a bias is summed over the operands' batch axis, but must not be summed over the mapped one.
        Op::AttentionBackward { options } if options.mask == MaskKind::Bias => {
            return cx.decomposed(op, operands);
        }
        Op::AttentionBackward { options } => (4, options.mask),
        Op::Attention { options } => (3, options.mask),
        _ => return cx.decomposed(op, operands),
    };
    let own = operands[0].own_shape().dim(0).clone();
    let join = Join { cx, own: own.clone() };
    let mut values: Vec<Tensor> = operands[..tensors].iter().map(|x| joined(cx.front(x))).collect();
    let optional: Vec<&Batched> = operands[tensors..].iter().collect();
    let (mask_values, kv_len) = mask.operands(&optional);
    if let Some(mask) = mask_values {
        let dims = match mask.own_shape().dims() {
            [batch, keys] => vec![batch.clone(), 1.into(), 1.into(), keys.clone()],
            other => [vec![Dim::Static(1); 4usize.saturating_sub(other.len())], other.to_vec()].concat(),
        };
        values.push(join.repeated(mask, &dims));
    }
    if let Some(kv_len) = kv_len {
        let is_scalar = kv_len.own_shape().rank() == 0;
        values.push(if is_scalar && !kv_len.batched {
            kv_len.value.clone()
        } else {
            let dims = if is_scalar { vec![Dim::Static(1)] } else { kv_len.own_shape().dims().to_vec() };
            join.repeated(kv_len, &dims)
        });
    }
    let apart = |x: Tensor| x.reshape(&[&[cx.size.clone(), own.clone()], &x.dims()[1..]].concat());
    Ok(cx.apply(op.clone(), &values).into_iter().map(|x| Batched::each(apart(x.value))).collect())
}

/// Merges the first two axes.
fn joined(x: Tensor) -> Tensor {
    x.reshape(&[&[&x.dim(0) * &x.dim(1)], &x.dims()[2..]].concat())
}

/// Merges a mapped batch with an operand's own batch.
struct Join<'a> {
    cx: &'a Batching<'a>,
    /// The size of the operands' own batch.
    own: Dim,
}

impl Join<'_> {
    /// An optional operand with dimensions `dims`, repeated along both batches unless it is the same for all entries of both.
    fn repeated(&self, x: &Batched, dims: &[Dim]) -> Tensor {
        if !x.batched && dims[0] == Dim::Static(1) {
            return x.value.reshape(dims);
        }
        let each = if x.batched {
            x.value.reshape(&[std::slice::from_ref(&self.cx.size), dims].concat())
        } else {
            x.value.reshape(dims)
        };
        joined(each.broadcast_to(&[&[self.cx.size.clone(), self.own.clone()], &dims[1..]].concat()))
    }
}
