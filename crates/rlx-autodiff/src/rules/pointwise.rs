//! Applies graphs over scalars, which reductions, scatters and window ops contain, to whole tensors.

use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::options::Options;
use rlx_ir::{Builder, DType, Graph, Shape, SubGraph, Tensor};

/// The results of `body`, a graph over scalars, for each element of tensors of the same dimensions.
pub(super) fn apply(
    builder: &Builder,
    options: &Options,
    body: &Graph,
    args: &[Tensor],
) -> Result<Vec<Tensor>, Error> {
    let dims = args.first().map(Tensor::dims).unwrap_or_default();
    if dims.is_empty() {
        return Ok(builder.inline(body, args)?);
    }
    let size = args[0].shape().num_elements_dim();
    let elements: Vec<Batched> =
        args.iter().map(|x| Batched::each(x.reshape(std::slice::from_ref(&size)))).collect();
    let cx = Batching { builder, size, axis_name: None, options };
    let results = cx.graph(body, &elements, &[])?;
    Ok(results.iter().map(|x| cx.front(x).reshape(&dims)).collect())
}

/// A graph over scalars of these types.
pub(super) fn body(
    name: &str,
    inputs: &[DType],
    f: impl FnOnce(&Builder, &[Tensor]) -> Result<Vec<Tensor>, Error>,
) -> Result<SubGraph, Error> {
    let shapes = inputs.iter().map(|&dtype| Shape::scalar(dtype)).collect();
    Ok(SubGraph::new(crate::trace::graph(name, shapes, f)?))
}
