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
use rlx_ir::{OpKind, ReduceOp, SubGraph};

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

/// The attributes of a moving window, one entry per axis.
#[derive(Clone)]
struct Window {
    sizes: Vec<usize>,
    strides: Vec<usize>,
    base_dilation: Vec<usize>,
    window_dilation: Vec<usize>,
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Window {
    /// The window with a leading batch axis, along which it has size 1.
    fn batched(&self) -> Window {
        let with = |first: usize, rest: &[usize]| [&[first], rest].concat();
        let padding = |rest: &[i64]| [&[0], rest].concat();
        Window {
            sizes: with(1, &self.sizes),
            strides: with(1, &self.strides),
            base_dilation: with(1, &self.base_dilation),
            window_dilation: with(1, &self.window_dilation),
            low: padding(&self.low),
            high: padding(&self.high),
        }
    }

    /// The named reduction over the window.
    fn reduce(self, kind: ReduceOp) -> rlx_ir::Op {
        let Window { sizes: window, strides, base_dilation, window_dilation, low, high } = self;
        rlx_ir::Op::ReduceWindow { kind, window, strides, base_dilation, window_dilation, low, high }
    }

    /// The reduction over the window with a graph.
    fn reduce_graph(self, body: SubGraph) -> rlx_ir::Op {
        let Window { sizes: window, strides, base_dilation, window_dilation, low, high } = self;
        rlx_ir::Op::ReduceWindowGraph { body, window, strides, base_dilation, window_dilation, low, high }
    }

    /// The window of an op; `None` if it has none.
    fn of(op: &rlx_ir::Op) -> Option<Window> {
        use rlx_ir::Op::{ReduceWindow, ReduceWindowGraph, SelectAndScatter};
        match op {
            ReduceWindow { window, strides, base_dilation, window_dilation, low, high, .. }
            | ReduceWindowGraph { window, strides, base_dilation, window_dilation, low, high, .. } => {
                Some(Window {
                    sizes: window.clone(),
                    strides: strides.clone(),
                    base_dilation: base_dilation.clone(),
                    window_dilation: window_dilation.clone(),
                    low: low.clone(),
                    high: high.clone(),
                })
            }
            SelectAndScatter { window, strides, low, high, .. } => Some(Window {
                sizes: window.clone(),
                strides: strides.clone(),
                base_dilation: vec![1; window.len()],
                window_dilation: vec![1; window.len()],
                low: low.clone(),
                high: high.clone(),
            }),
            _ => None,
        }
    }
}
