//! `divide`: gives the first and the last indices of a parallel axis separate loops.
//!
//! *Obligation*: every index runs once. Where a loop knows more about an index than before, guards that always hold are
//! dropped.

use super::find::unmarked;
use super::rename::Renaming;
use super::{Done, Scheduled};
use crate::kernel::{Axis, Block, Definition, Stmt};
use crate::range::Ranges;
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, Symbol};

/// The maximum number of separate loops.
const MOST: u32 = 64;

impl Scheduled {
    pub fn divide(&mut self, axis: &Symbol, first: u32, last: u32, into: &Symbol) -> Done {
        if first.saturating_add(last) > MOST {
            return Err(format!("at most {MOST} indices can have separate loops"));
        }
        self.name(std::slice::from_ref(into))?;
        let ranges = self.ranges();
        self.change(axis, |s, stmt, place| {
            let Stmt::Par { axes, .. } = &stmt else {
                return Err(format!("`{axis}` is not an axis of a parallel loop; only those can be divided"));
            };
            unmarked(&axes[place])?;
            if axes.len() == 1 {
                return Err(format!(
                    "the loop of `{axis}` has no other axis, so single indices would have no loop"
                ));
            }
            let extent = axes[place].extent.clone();
            let [begin, end] = [first, last].map(|count| Dim::Static(count as usize));
            let middle = &(&extent - &begin) - &end;
            if !ranges.never_negative(&middle) {
                return Err(format!(
                    "`{axis}` has {extent} indices, which are not known to be {first} and {last} more"
                ));
            }
            let mut block = Block::new();
            for index in 0..first {
                block.extend(s.piece(&stmt, place, (&Dim::Static(index as usize), None), &ranges));
            }
            let inside = &Dim::Dynamic(into.clone()) + &begin;
            let counted = Axis::new(into.clone(), middle);
            block.extend(s.piece(&stmt, place, (&inside, Some(counted)), &ranges));
            for index in (1..=last).rev() {
                let index = extent.offset(-i64::from(index));
                block.extend(s.piece(&stmt, place, (&index, None), &ranges));
            }
            Ok(block)
        })
    }

    /// Returns a copy of a loop with an axis fixed at an index, or counted by another axis.
    fn piece(
        &mut self,
        stmt: &Stmt,
        place: usize,
        (index, counted): (&Dim, Option<Axis>),
        ranges: &Ranges,
    ) -> Block {
        let mut piece =
            self.fresh.copy(&mut self.kernel, std::slice::from_ref(stmt), &mut Renaming::default());
        let mut symbol = None;
        if let Some(Stmt::Par { axes, .. }) = piece.first_mut() {
            symbol = Some(axes[place].symbol.clone());
            axes.splice(place..=place, counted);
        }
        if let Some(symbol) = symbol {
            self.substitute(&Renaming::symbol(&symbol, index.clone()), &mut piece);
        }
        let mut ranges = ranges.clone();
        for_each_stmt(&piece, &mut |stmt| {
            stmt.axes().iter().for_each(|axis| ranges.count(&axis.symbol, &axis.extent));
        });
        drop_proven(&mut piece, &ranges);
        piece
    }
}

/// Drops conditions of loads that always hold.
fn drop_proven(block: &mut Block, ranges: &Ranges) {
    for stmt in block {
        if let Stmt::Let { value: Definition::Load { guard, fill, .. }, .. } = stmt {
            guard.0.retain(|condition| !ranges.never_negative(condition));
            *fill = fill.filter(|_| !guard.is_empty());
        }
        stmt.blocks_mut().for_each(|inner| drop_proven(inner, ranges));
    }
}
