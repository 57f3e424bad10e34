//! The tile form of kernels: statements on whole tiles, which stand for loops.
//!
//! Printers only accept loops, and tiles are only ever lowered: [`expand`] writes them as loops.
//!
//! | statement | text |
//! |---|---|
//! | copy | `copy i<128, j<32 { t[i,j] = x[m+i,k+j] where … else %0 }` |
//! | copy of a part | `copy lane<32 @lane, turn<3 where 89-32*turn-lane>=0 { t[32*turn+lane] = x[32*turn+lane] }` |
//! | asynchronous copy | `copy i<128, j<32 { t[i,j] = x[m+i,k+j] } slot s` |
//! | wait for the copies of a slot | `wait s` |
//! | contraction | `dot i<16, j<8 over k<32 { sum[i,j] += a[i,k] * b[k,j] }` |
//! | instruction of a machine | `instr mma_m16n8k16_f16(sum[0,0], a[0,0], b[0,0])` |

mod expand;
pub mod instr;
#[cfg(test)]
mod tests;

pub use expand::expand;
pub(crate) use expand::expanded;

use crate::kernel::{Axis, Cell, Guard, ScalarId};
use rlx_ir::Dim;

/// A statement on tiles.
#[derive(Clone, PartialEq, Debug)]
pub enum Tile {
    /// Copies an element for each index of an index space, like a parallel loop.
    Copy {
        /// The index space.
        axes: Vec<Axis>,
        /// The part of the index space for which something is copied.
        within: Guard,
        /// The destination, in a local array.
        to: Cell,
        /// The source.
        from: Cell,
        /// The condition under which the source is read.
        guard: Guard,
        /// What is written otherwise.
        fill: Option<ScalarId>,
        /// A copy with a slot happens at some time before the statement that waits for the slot.
        slot: Option<Dim>,
    },
    /// Waits for the copies of a slot that have begun.
    Wait {
        /// The slot.
        slot: Dim,
    },
    /// Adds to each element of a tile the sum of products along an axis, in order, in the type of the tile.
    Dot {
        /// The index space of the tile.
        axes: Vec<Axis>,
        /// The axis that is summed over.
        over: Axis,
        /// The tile.
        sum: Cell,
        /// The factors.
        factors: [Cell; 2],
    },
    /// Executes an [instruction](instr::ROWS) of a machine.
    Instr {
        /// Its name in the table.
        row: String,
        /// Where the tile of each operand begins. It extends along the last axes of its buffer.
        operands: Vec<Cell>,
    },
}

impl Tile {
    /// Returns the axes that it counts.
    pub fn axes(&self) -> Vec<&Axis> {
        match self {
            Tile::Copy { axes, .. } => axes.iter().collect(),
            Tile::Dot { axes, over, .. } => axes.iter().chain([over]).collect(),
            Tile::Wait { .. } | Tile::Instr { .. } => Vec::new(),
        }
    }

    /// Returns the axes, to be changed.
    pub fn axes_mut(&mut self) -> Vec<&mut Axis> {
        match self {
            Tile::Copy { axes, .. } => axes.iter_mut().collect(),
            Tile::Dot { axes, over, .. } => axes.iter_mut().chain([over]).collect(),
            Tile::Wait { .. } | Tile::Instr { .. } => Vec::new(),
        }
    }

    /// Returns the elements that it accesses. If a cell stands for a tile, more elements are accessed.
    pub fn cells(&self) -> Vec<&Cell> {
        match self {
            Tile::Copy { to, from, .. } => vec![to, from],
            Tile::Dot { sum, factors: [a, b], .. } => vec![sum, a, b],
            Tile::Instr { operands, .. } => operands.iter().collect(),
            Tile::Wait { .. } => Vec::new(),
        }
    }

    /// Returns the cells, to be changed.
    pub fn cells_mut(&mut self) -> Vec<&mut Cell> {
        match self {
            Tile::Copy { to, from, .. } => vec![to, from],
            Tile::Dot { sum, factors: [a, b], .. } => vec![sum, a, b],
            Tile::Instr { operands, .. } => operands.iter_mut().collect(),
            Tile::Wait { .. } => Vec::new(),
        }
    }

    /// Returns whether it writes the cell with this number in [`Tile::cells`].
    pub fn writes(&self, number: usize) -> bool {
        match self {
            Tile::Copy { .. } | Tile::Dot { .. } => number == 0,
            Tile::Instr { row, .. } => instr::InstrRow::of(row).is_some_and(|row| row.writes(number)),
            Tile::Wait { .. } => false,
        }
    }

    /// Returns its expressions, except for the extents of its axes and the indices of its cells.
    pub fn dims(&self) -> Vec<&Dim> {
        match self {
            Tile::Copy { within, guard, slot, .. } => within.0.iter().chain(&guard.0).chain(slot).collect(),
            Tile::Wait { slot } => vec![slot],
            Tile::Dot { .. } | Tile::Instr { .. } => Vec::new(),
        }
    }

    /// Returns the expressions, to be changed.
    pub fn dims_mut(&mut self) -> Vec<&mut Dim> {
        match self {
            Tile::Copy { within, guard, slot, .. } => {
                within.0.iter_mut().chain(&mut guard.0).chain(slot).collect()
            }
            Tile::Wait { slot } => vec![slot],
            Tile::Dot { .. } | Tile::Instr { .. } => Vec::new(),
        }
    }
}
