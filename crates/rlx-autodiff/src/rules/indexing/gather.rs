//! Rules of `gather`.

use super::{Front, Windows, batched, gather_op, scattered};
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::rules::{Batch, Jvp, Rules, Transpose};
use rlx_ir::{Dim, Op, Tensor};

pub(in crate::rules) const GATHER: Rules =
    Rules { jvp: Jvp::Table, transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) };

/// Adds the cotangent of each element to the position from which it was read. A scatter skips windows that a gather moves inside,
/// so the indices are clamped first.
fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::Gather { dims, slice_sizes }, [x, indices]) = (op, operands) else {
        return Err(Error::no_rule("transpose", "not a gather"));
    };
    let dims = dims.to_scatter();
    let shape = x.shape();
    let windows = Windows {
        builder: cx.builder,
        dims: &dims,
        x: shape.dims(),
        indices: indices.known()?,
        sizes: slice_sizes.clone(),
    };
    let ct = scattered(cx.builder, &shape, &dims, &windows.clamped(), &cts.first(cx.builder));
    Ok(vec![Some(ct), None])
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Op::Gather { dims, slice_sizes }, [x, indices]) = (op, operands) else {
        return Err(Error::no_rule("batching rule", "not a gather"));
    };
    let (front, size) = match (x.batched, indices.batched) {
        (true, false) => (Front::Tensor, Some(cx.size.clone())),
        (false, true) => (Front::Indices, None),
        _ => (Front::Both, Some(Dim::Static(usize::from(cx.size != Dim::Static(0))))),
    };
    let sizes = size.into_iter().chain(slice_sizes.iter().cloned()).collect();
    Ok(cx.apply(
        gather_op(&batched(&dims.to_scatter(), front), sizes),
        &[x.value.clone(), indices.value.clone()],
    ))
}
