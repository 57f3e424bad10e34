//! `pipeline`: copies the tiles of later iterations while the loop works on earlier ones.
//!
//! *Obligation*: nothing is read too early, and no slot is overwritten. Each tile has several slots. The copies for an
//! iteration begin some iterations before it, go to its slot, and are waited for in that iteration, before a barrier. A
//! barrier at the end of each iteration ensures that all lanes have left a slot before it is written again. The
//! interpreter delivers copies both as early and as late as possible.

use super::groups::{Touched, merge_barriers};
use super::parts::symbols;
use super::rename::Renaming;
use super::{Done, Scheduled};
use crate::kernel::{Block, BufferId, Definition, Guard, Place, Space, Stmt};
use crate::tile::Tile;
use crate::visit::{defined_symbols, each_cell};
use rlx_ir::{DType, Dim, Symbol};

/// More slots than fit in the memory of any group.
const MOST: u32 = 8;

/// The body of a loop: the arrays that it makes, the copies, and the rest.
struct Stages {
    constants: Block,
    arrays: Vec<BufferId>,
    copies: Block,
    rest: Block,
}

impl Scheduled {
    pub fn pipeline(&mut self, axis: &Symbol, slots: u32) -> Done {
        if !(2..=MOST).contains(&slots) {
            return Err(format!("a pipeline has 2 to {MOST} slots, not {slots}"));
        }
        let (around, _) = self.found(axis)?;
        self.change(axis, |s, stmt, _| {
            let Stmt::For { axis: counter, reverse: false, carried, body } = stmt else {
                return Err(format!("`{axis}` is not an axis of a loop that counts upwards"));
            };
            around.uniform(axis)?;
            let stages = s.stages(axis, body)?;
            let ahead = Dim::Static(slots as usize - 1);
            let last = counter.extent.offset(-1);
            let number = Dim::Dynamic(axis.clone());
            let slot_of = |index: &Dim| {
                let slots = Dim::Static(slots as usize);
                index - &(&index.floor_div(&slots) * &slots)
            };
            for array in &stages.arrays {
                s.kernel.buffers[array.index()].extents.insert(0, Dim::Static(slots as usize));
            }
            let mut block = stages.constants;
            block.extend(stages.arrays.iter().map(|&array| Stmt::Array(array)));
            for early in 0..slots as usize - 1 {
                let index = Dim::Static(early);
                block.extend(s.copies_for(axis, &stages.copies, &index, &slot_of(&index), &last));
            }
            let next = &number + &ahead;
            let mut body = s.copies_for(axis, &stages.copies, &next, &slot_of(&next), &last);
            let slot = slot_of(&number);
            body.push(Stmt::Tile(Box::new(Tile::Wait { slot: slot.clone() })));
            body.push(Stmt::Barrier);
            let mut rest = stages.rest;
            rest.iter_mut().for_each(|stmt| in_slot(stmt, &stages.arrays, &slot));
            body.extend(rest);
            body.push(Stmt::Barrier);
            block.push(Stmt::For { axis: counter, reverse: false, carried, body });
            Ok(block)
        })?;
        merge_barriers(&mut self.kernel);
        Ok(())
    }

    /// Splits a body into copies of inputs to tiles of the group, and the rest, which only reads these.
    fn stages(&self, axis: &Symbol, body: Block) -> Done<Stages> {
        let mut stages = Stages { constants: vec![], arrays: vec![], copies: vec![], rest: vec![] };
        let mut body = body.into_iter().peekable();
        while let Some(stmt) = body.next_if(|stmt| self.is_early(stmt)) {
            match stmt {
                Stmt::Let { .. } => stages.constants.push(stmt),
                Stmt::Array(array) => stages.arrays.push(array),
                Stmt::Tile(_) => stages.copies.push(stmt),
                _ => {}
            }
        }
        stages.rest.extend(body);
        if stages.copies.is_empty() {
            return Err(format!(
                "the loop of `{axis}` does not begin with copies of inputs to arrays in `group`"
            ));
        }
        let inside = [std::slice::from_ref(axis), &defined_symbols(&stages.copies)].concat();
        for array in &stages.arrays {
            let buffer = &self.kernel.buffers[array.index()];
            if buffer.extents.iter().flat_map(symbols).any(|symbol| inside.contains(&symbol)) {
                return Err(format!("the sizes of `{}` differ from iteration to iteration", buffer.name));
            }
        }
        for stmt in &stages.copies {
            let made = |array: &BufferId| Touched::by(stmt).writes(*array);
            if !stages.arrays.iter().any(made) {
                return Err(format!("the loop of `{axis}` copies to an array that is made outside it"));
            }
        }
        let touched: Vec<Touched> = stages.rest.iter().map(Touched::by).collect();
        match stages.arrays.iter().find(|array| touched.iter().any(|touched| touched.writes(**array))) {
            Some(array) => {
                let name = &self.kernel.buffers[array.index()].name;
                Err(format!("the loop of `{axis}` writes `{name}` after the copies"))
            }
            None => Ok(stages),
        }
    }

    /// Returns whether a statement may run some iterations earlier.
    fn is_early(&self, stmt: &Stmt) -> bool {
        let place = |buffer: BufferId| self.kernel.buffers[buffer.index()].place;
        match stmt {
            Stmt::Let { value, .. } => matches!(value, Definition::Constant(_)),
            Stmt::Array(array) => place(*array) == Place::Local(Space::Group),
            Stmt::Barrier => true,
            Stmt::Tile(tile) => matches!(&**tile, Tile::Copy { to, from, slot: None, .. }
                if place(from.buffer) == Place::In && place(to.buffer) == Place::Local(Space::Group)),
            _ => false,
        }
    }

    /// Returns the copies for an iteration, if that iteration exists.
    fn copies_for(&mut self, axis: &Symbol, copies: &[Stmt], index: &Dim, slot: &Dim, last: &Dim) -> Block {
        let mut renaming = Renaming::symbol(axis, index.clone());
        let mut then = self.fresh.copy(&mut self.kernel, copies, &mut renaming);
        for stmt in &mut then {
            let Stmt::Tile(tile) = stmt else { continue };
            if let Tile::Copy { to, slot: of, .. } = &mut **tile {
                to.at.insert(0, slot.clone());
                *of = Some(slot.clone());
            }
        }
        let exists = last - index;
        if exists.as_static().is_some() {
            return then;
        }
        let condition = self.kernel.scalar(DType::Bool);
        vec![
            Stmt::Let { scalar: condition, value: Definition::Holds(Guard(vec![exists])) },
            Stmt::If { condition, then, otherwise: Block::new(), joined: Vec::new() },
        ]
    }
}

/// Makes a statement read tiles from a slot.
fn in_slot(stmt: &mut Stmt, arrays: &[BufferId], slot: &Dim) {
    each_cell(stmt, &mut |cell, _| {
        if arrays.contains(&cell.buffer) {
            cell.at.insert(0, slot.clone());
        }
    });
}
