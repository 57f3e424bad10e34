//! Expands tile statements to loops.

use super::Tile;
use super::instr::InstrRow;
use crate::kernel::{Axis, Block, Carried, Cell, Definition, Guard, Kernel, ScalarId, Stmt};
use crate::schedule::rename::{Fresh, Renaming, renumber};
use crate::verify::{Violations, verify};
use crate::visit::{defined_symbols, each_cell};
use rlx_ir::{BinaryOp, DType, Dim, Op, Scalar, Symbol};
use std::sync::Arc;

/// Returns the kernel in loop form. Asynchronous copies happen where they are, so that nothing waits for them.
pub fn expand(kernel: &Kernel) -> Result<Kernel, Violations> {
    verify(kernel)?;
    Ok(expanded(kernel, false))
}

/// Returns a verified kernel in loop form, optionally except for asynchronous copies and the statements that wait for them.
pub(crate) fn expanded(kernel: &Kernel, keep_asynchronous: bool) -> Kernel {
    let mut expander = Expander { kernel: kernel.clone(), fresh: Fresh::of(kernel), keep_asynchronous };
    let mut body = std::mem::take(&mut expander.kernel.body);
    expander.block(&mut body);
    let mut kernel = Kernel { body, ..expander.kernel };
    renumber(&mut kernel);
    kernel
}

struct Expander {
    kernel: Kernel,
    fresh: Fresh,
    keep_asynchronous: bool,
}

impl Expander {
    fn block(&mut self, block: &mut Block) {
        for stmt in std::mem::take(block) {
            match stmt {
                Stmt::Tile(tile) => block.extend(self.tile(*tile)),
                mut other => {
                    other.blocks_mut().for_each(|inner| self.block(inner));
                    block.push(other);
                }
            }
        }
    }

    fn tile(&mut self, tile: Tile) -> Block {
        match tile {
            Tile::Copy { slot: Some(_), .. } | Tile::Wait { .. } if self.keep_asynchronous => {
                vec![Stmt::Tile(Box::new(tile))]
            }
            Tile::Wait { .. } => Block::new(),
            Tile::Copy { axes, within, to, from, guard, fill, slot: _ } => {
                let (mut body, dtype) = (Block::new(), self.dtype(&from));
                let guard = within.clone().and(guard);
                let zero = || Definition::Constant(Scalar::Int(0).convert(dtype));
                let fill = match fill {
                    None if !guard.is_empty() => Some(self.define(&mut body, dtype, zero())),
                    fill => fill,
                };
                let scalar = self.define(&mut body, dtype, Definition::Load { cell: from, guard, fill });
                body.push(Stmt::Store { cell: to, guard: within, scalar });
                vec![Stmt::Par { axes, body }]
            }
            Tile::Dot { axes, over, sum, factors } => vec![self.dot(axes, over, sum, factors)],
            Tile::Instr { row, operands } => {
                // The verifier ensures that the row exists.
                InstrRow::of(&row).map(|row| self.instr(&row.meaning(), &operands)).unwrap_or_default()
            }
        }
    }

    fn dtype(&self, cell: &Cell) -> DType {
        self.kernel.buffers[cell.buffer.index()].dtype
    }

    fn define(&mut self, block: &mut Block, dtype: DType, value: Definition) -> ScalarId {
        let scalar = self.kernel.scalar(dtype);
        block.push(Stmt::Let { scalar, value });
        scalar
    }

    fn load(&mut self, block: &mut Block, cell: Cell) -> ScalarId {
        let dtype = self.dtype(&cell);
        self.define(block, dtype, Definition::Load { cell, guard: Guard::default(), fill: None })
    }

    fn apply(&mut self, block: &mut Block, dtype: DType, op: Op, args: Vec<ScalarId>) -> ScalarId {
        self.define(block, dtype, Definition::Apply { op: Arc::new(op), args })
    }

    fn dot(&mut self, axes: Vec<Axis>, over: Axis, sum: Cell, factors: [Cell; 2]) -> Stmt {
        let dtype = self.dtype(&sum);
        let (mut body, mut inner) = (Block::new(), Block::new());
        let first = self.load(&mut body, sum.clone());
        let [inside, last] = [(); 2].map(|()| self.kernel.scalar(dtype));
        let [a, b] = factors.map(|cell| {
            let given = self.load(&mut inner, cell);
            match self.kernel.dtype(given) == dtype {
                true => given,
                false => self.apply(&mut inner, dtype, Op::Convert { dtype }, vec![given]),
            }
        });
        let product = self.apply(&mut inner, dtype, Op::Binary { op: BinaryOp::Mul }, vec![a, b]);
        let next = self.apply(&mut inner, dtype, Op::Binary { op: BinaryOp::Add }, vec![inside, product]);
        let carried = vec![Carried { first, inside, next, last }];
        body.push(Stmt::For { axis: over, reverse: false, carried, body: inner });
        body.push(Stmt::Store { cell: sum, guard: Guard::default(), scalar: last });
        Stmt::Par { axes, body }
    }

    /// Writes the meaning of an instruction on these operands.
    fn instr(&mut self, meaning: &Kernel, operands: &[Cell]) -> Block {
        let mut renaming = Renaming::default();
        for (number, &dtype) in (0..).zip(&meaning.scalars) {
            renaming.scalars.insert(ScalarId::new(number), self.kernel.scalar(dtype));
        }
        for symbol in defined_symbols(&meaning.body) {
            let free: Symbol = self.fresh.like(&symbol);
            renaming.symbols.insert(symbol, Dim::Dynamic(free));
        }
        let mut body = meaning.body.clone();
        renaming.block(&mut body);
        for stmt in &mut body {
            each_cell(stmt, &mut |cell, _| *cell = inside(&operands[cell.buffer.index()], &cell.at));
        }
        body
    }
}

/// Returns an element of the tile that begins at a cell.
fn inside(begin: &Cell, at: &[Dim]) -> Cell {
    let mut cell = begin.clone();
    let first = cell.at.len() - at.len();
    cell.at[first..].iter_mut().zip(at).for_each(|(index, at)| *index = &*index + at);
    cell
}
