//! Kernels of windows that move over tensors. A place is a position of the window, and so an element of the result. `taps` finds the
//! elements that windows see. `reduce` combines them with a named reduction, `graph` with a graph, and `select` scatters values to the
//! element that each window selects. `sliding` divides an axis into blocks that long windows share; `long` reduces them with a named
//! reduction and `long_graph` with a graph. `fold` defines how elements are combined, which running reductions use too.

pub(crate) mod fold;
pub(crate) mod graph;
mod long;
mod long_graph;
mod reduce;
mod select;
mod sliding;
pub(crate) mod taps;

use super::{PrepareContext, Way, cumulative, missing};
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_ir::{Op, OpKind};
use taps::Grid;

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        ReduceWindow | ReduceWindowGraph | SelectAndScatter => Way::Kernel(prepare),
        Cumulative => Way::Kernel(cumulative::prepare),
        _ => return None,
    })
}

/// Prepares the kernel of an op with a moving window.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let x = cx.dims(0);
    match cx.node.op() {
        Op::ReduceWindow { kind, spec } => reduce::prepare(cx, *kind, Grid::new(&x, spec, &cx.out_dims())),
        Op::ReduceWindowGraph { body, spec } => graph::prepare(cx, body, Grid::new(&x, spec, &cx.out_dims())),
        Op::SelectAndScatter { select, scatter, spec } => {
            if let Some(kernel) = super::lowered::prepare(cx) {
                return Ok(kernel);
            }
            let places = cx.dims(1);
            // Leading axes along which each place sees one separate element are processed separately.
            let is_apart = |a: usize| {
                spec.window[a] == 1 && spec.strides[a] == 1 && spec.low[a] == 0 && places[a] == x[a]
            };
            let apart = (0..x.len()).take_while(|&a| is_apart(a)).count();
            let grid = Grid::new(&x[apart..], &spec.trailing(apart), &places[apart..]);
            select::prepare(cx, [select, scatter], x[..apart].iter().product(), grid)
        }
        _ => missing(cx),
    }
}
