//! Rules of moving windows and running reductions.

mod cumulative;
mod patches;
mod reduce_window;
mod reduce_window_graph;
mod select_and_scatter;
mod selected;

use cumulative::CUMULATIVE;
use reduce_window::REDUCE_WINDOW;
use reduce_window_graph::REDUCE_WINDOW_GRAPH;
use select_and_scatter::SELECT_AND_SCATTER;

use super::Rules;
use rlx_ir::OpKind;

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::ReduceWindow => REDUCE_WINDOW,
        OpKind::ReduceWindowGraph => REDUCE_WINDOW_GRAPH,
        OpKind::SelectAndScatter => SELECT_AND_SCATTER,
        OpKind::Cumulative => CUMULATIVE,
        _ => return None,
    })
}
