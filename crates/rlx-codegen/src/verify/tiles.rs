//! Verifies statements on tiles.

use super::Verifier;
use crate::kernel::{Cell, Place};
use crate::tile::Tile;
use crate::tile::instr::InstrRow;
use rlx_ir::DType;

/// Returns a statement in a word.
pub(super) fn head(tile: &Tile) -> &'static str {
    match tile {
        Tile::Copy { .. } => "copy",
        Tile::Wait { .. } => "wait",
        Tile::Dot { .. } => "dot",
        Tile::Instr { .. } => "instr",
    }
}

impl Verifier<'_> {
    pub(super) fn tile(&mut self, tile: &Tile) {
        if let Tile::Copy { slot: Some(slot), .. } | Tile::Wait { slot } = tile {
            self.dim(slot, "the slot");
            self.uniform("an asynchronous copy");
        }
        if let Tile::Instr { .. } = tile {
            self.by_subgroup("an instruction");
        }
        let axes: Vec<_> = tile.axes().into_iter().cloned().collect();
        self.axes(&axes);
        let around = match tile {
            Tile::Copy { axes, .. } | Tile::Dot { axes, .. } => Some(self.enter(axes)),
            Tile::Wait { .. } | Tile::Instr { .. } => None,
        };
        self.cells(tile);
        match tile {
            Tile::Copy { within, to, from, guard, fill, .. } => {
                self.guard(within);
                self.guard(guard);
                fill.iter().for_each(|&fill| self.used(fill));
                let [into, given] = [to, from].map(|cell| self.type_of(cell));
                if into != given {
                    self.report("the elements that a copy reads and writes must have the same type");
                }
                if fill.is_some_and(|fill| self.dtype(fill) != given) {
                    self.report("the fill value of a copy must have the type of its elements");
                }
                if !guard.is_empty() && fill.is_none() {
                    self.report("a copy with a guard needs a value for other elements: `else` and a scalar");
                }
                if !matches!(self.place_of(to), Some(Place::Local(_)) | None) {
                    self.report("a copy must go to a local array");
                }
            }
            Tile::Dot { over, sum, factors: [a, b], .. } => {
                self.unmarked(std::slice::from_ref(over));
                if self.type_of(a) != self.type_of(b) {
                    self.report("the factors of a contraction must have the same type");
                }
                if self.type_of(sum).is_some_and(|dtype| !dtype.is_float() && !dtype.is_int()) {
                    self.report("a contraction requires real numbers");
                }
            }
            Tile::Instr { row, operands } => self.instr(row, operands),
            Tile::Wait { .. } => {}
        }
        self.control = around.unwrap_or(self.control);
    }

    /// Checks that what is read may be read, and what is written may be written.
    fn cells(&mut self, tile: &Tile) {
        for (number, cell) in tile.cells().into_iter().enumerate() {
            self.cell(cell);
            let (Some(buffer), writes) = (self.kernel.buffers.get(cell.buffer.index()), tile.writes(number))
            else {
                continue;
            };
            if writes {
                self.stored.insert(cell.buffer);
            }
            if writes && !buffer.place.is_written() {
                self.report(format!("`{}` is an input, which cannot be stored to", buffer.name));
            }
            // A sum is read too.
            let is_read = !writes || !matches!(tile, Tile::Copy { .. });
            if is_read && !buffer.place.is_read() {
                self.report(format!("`{}` is an output, which cannot be loaded from", buffer.name));
            }
        }
    }

    fn type_of(&self, cell: &Cell) -> Option<DType> {
        self.kernel.buffers.get(cell.buffer.index()).map(|buffer| buffer.dtype)
    }

    fn place_of(&self, cell: &Cell) -> Option<Place> {
        self.kernel.buffers.get(cell.buffer.index()).map(|buffer| buffer.place)
    }

    fn instr(&mut self, name: &str, operands: &[Cell]) {
        let Some(row) = InstrRow::of(name) else {
            return self.report(format!("no machine has an instruction `{name}`"));
        };
        let expected = row.operands();
        if operands.len() != expected.len() {
            let (got, takes) = (operands.len(), expected.len());
            return self.report(format!("`{name}` takes {takes} operands, but is given {got}"));
        }
        for (number, (operand, (dtype, sizes))) in operands.iter().zip(expected).enumerate() {
            if self.type_of(operand).is_some_and(|given| given != dtype) {
                self.report(format!("operand {number} of `{name}` must have type {dtype}"));
            }
            if operand.at.len() < sizes.len() {
                self.report(format!("operand {number} of `{name}` must have at least {} axes", sizes.len()));
            }
        }
    }
}
