//! `nest`: turns the later axes of a parallel loop into a loop in its body.
//!
//! *Obligation*: none beyond that of parallel loops. If the outer loop is unrolled (`unroll`), each copy contains a
//! loop.

use super::groups::{has, meets};
use super::{Done, Scheduled};
use crate::kernel::{Axis, Level, Stmt};
use rlx_ir::Symbol;

impl Scheduled {
    pub fn nest(&mut self, axis: &Symbol) -> Done {
        self.change(axis, |_, stmt, place| {
            let Stmt::Par { mut axes, body } = stmt else {
                return Err(format!("`{axis}` is not an axis of a parallel loop"));
            };
            if place + 1 == axes.len() {
                return Err(format!("no axis follows `{axis}` in its loop"));
            }
            if axes[place].level == Level::Vector {
                return Err(format!(
                    "`{axis}` is bound to `vector`, so it must be the last axis of its loop"
                ));
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
                return Err(format!("what runs the axes after `{axis}` is not inside what runs that axis"));
            }
            Ok(vec![Stmt::Par { axes, body: vec![Stmt::Par { axes: inner, body }] }])
        })
    }
}
