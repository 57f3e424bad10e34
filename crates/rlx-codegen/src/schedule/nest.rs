//! `nest`: turns the later axes of a parallel loop into a loop of their own in its body.
//!
//! *Obligation*: none beyond that of parallel loops. What is written once per index of the outer loop (`unroll`) is then a loop each.

use super::groups::{has, meets};
use super::{Done, Scheduled};
use crate::kernel::{Axis, Level, Stmt};
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
            let any = |axes: &[Axis], is: fn(Level) -> bool| axes.iter().any(|axis| is(axis.level));
            let is_group = |level: Level| level == Level::Group;
            let nested = any(&inner, is_group) || any(&inner, Level::is_worker);
            let meet = body.iter().any(|stmt| has(stmt, meets));
            if any(&axes, Level::is_worker) && nested
                || any(&axes, is_group) && any(&inner, is_group)
                || meet && !any(&inner, is_group)
            {
                return Err(format!("what runs the axes behind `{axis}` does not stand inside what runs it"));
            }
            Ok(vec![Stmt::Par { axes, body: vec![Stmt::Par { axes: inner, body }] }])
        })
    }
}
