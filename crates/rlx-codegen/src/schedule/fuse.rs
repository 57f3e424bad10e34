//! `fuse`: runs two neighboring axes of one loop as one.
//!
//! *Obligation*: every pair of indices runs once, in row-major order, so reductions may be fused too.

use super::find::unmarked;
use super::rename::Renaming;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, Stmt};
use rlx_ir::{Dim, Symbol};
use std::collections::HashMap;

impl Scheduled {
    pub fn fuse(&mut self, fused: &[Symbol; 2], into: &Symbol) -> Done {
        self.name(std::slice::from_ref(into))?;
        let [outer, inner] = fused;
        self.change(outer, |s, mut stmt, place| {
            let (axes, body): (&mut Vec<Axis>, &mut Block) = match &mut stmt {
                Stmt::Par { axes, body } | Stmt::Reduce { axes, body, .. } => (axes, body),
                _ => return Err(format!("`{outer}` is the axis of an ordered loop; it cannot be fused")),
            };
            if axes.get(place + 1).is_none_or(|next| next.symbol != *inner) {
                return Err(format!("`{inner}` does not follow `{outer}` in its loop; reorder them first"));
            }
            unmarked(&axes[place])?;
            unmarked(&axes[place + 1])?;
            let (rows, columns) = (axes[place].extent.clone(), axes[place + 1].extent.clone());
            let index = Dim::Dynamic(into.clone());
            let row = index.floor_div(&columns);
            let column = &index - &(&row * &columns);
            let symbols = HashMap::from([(outer.clone(), row), (inner.clone(), column)]);
            s.substitute(&Renaming { symbols, ..Renaming::default() }, body);
            axes.splice(place..place + 2, [Axis::new(into.clone(), &rows * &columns)]);
            Ok(vec![stmt])
        })
    }
}
