//! `nest`: the axes of a parallel loop behind one of them as a loop of their own, in its body.
//!
//! *Obligation*: none beyond that of parallel loops. What is written once per index of the outer loop (`unroll`) is then a loop each.

use super::{Done, Scheduled};
use crate::kernel::{Level, Stmt};
use rlx_ir::Symbol;

impl Scheduled {
    pub fn nest(&mut self, axis: &Symbol) -> Done {
        self.change(axis, |_, stmt, place| {
            let Stmt::Par { mut axes, body } = stmt else {
                return Err(format!("`{axis}` is no axis of a parallel loop"));
            };
            if place + 1 == axes.len() {
                return Err(format!("no axis follows `{axis}` in its loop"));
            }
            if axes[place].level == Level::Vector {
                return Err(format!("`{axis}` is bound to `vector`, and has to be the last of its loop"));
            }
            let inner = axes.split_off(place + 1);
            Ok(vec![Stmt::Par { axes, body: vec![Stmt::Par { axes: inner, body }] }])
        })
    }
}
