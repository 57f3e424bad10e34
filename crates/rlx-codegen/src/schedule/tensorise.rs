//! `tensorise`: computes a contraction of tiles by instructions of a machine.
//!
//! *Obligation*: the instruction computes the same sums of products, in the same types. Where tiles extend past the
//! data that they were copied from, both factors are 0: if one were anything else, 0 times it might be NaN. Each
//! instruction's sums belong to the same subgroup as in the other loops over them.

use super::groups::Around;
use super::{Done, Scheduled};
use crate::kernel::{
    Axis, Block, BufferId, Cell, Definition, Guard, Kernel, Level, Place, ScalarId, Space, Stmt,
};
use crate::tile::Tile;
use crate::tile::instr::InstrRow;
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, Op, Scalar, Symbol};

impl Scheduled {
    pub fn tensorise(&mut self, axis: &Symbol, name: &str, into: &[Symbol; 3]) -> Done {
        let Some(row) = InstrRow::of(name) else {
            return Err(format!("no machine has an instruction `{name}`"));
        };
        self.name(into)?;
        let original = self.kernel.clone();
        let around = self.found(axis).map_or(Around::default(), |(around, _)| around);
        let level = if around.worker { Level::None } else { Level::Subgroup };
        let mut held = None;
        let of_dot = |stmt: &Stmt| match stmt {
            Stmt::Tile(tile) if matches!(**tile, Tile::Dot { .. }) => {
                tile.axes().iter().position(|counted| counted.symbol == *axis)
            }
            _ => None,
        };
        let missing = || format!("no contraction of tiles has an axis `{axis}`");
        self.change_where(&of_dot, missing, |_, stmt, _| {
            let Stmt::Tile(tile) = stmt else { return Ok(Block::new()) };
            let Tile::Dot { axes, over, sum, factors } = *tile else { return Ok(Block::new()) };
            let [rows, columns] = &axes[..] else {
                return Err("an instruction requires a contraction with rows and columns".into());
            };
            let counted = [rows, columns, &over];
            if let Some(marked) = counted.iter().find(|axis| axis.level != Level::None) {
                return Err(format!(
                    "`{}` is already bound, but an instruction is run by whole subgroups",
                    marked.symbol
                ));
            }
            let mut times = Vec::new();
            for (counted, size) in counted.iter().zip(row.shape) {
                let size = size as usize;
                match counted.extent.as_static() {
                    Some(extent) if extent.is_multiple_of(size) => times.push(Dim::Static(extent / size)),
                    _ => {
                        let (symbol, extent) = (&counted.symbol, &counted.extent);
                        return Err(format!(
                            "`{symbol}` has {extent} indices, but `{name}` takes {size} at a time"
                        ));
                    }
                }
            }
            let place = original.buffers[sum.buffer.index()].place;
            if place != Place::Local(Space::Subgroup) {
                return Err("the sum of an instruction must be in `subgroup`; place its array there".into());
            }
            held = Some(sum.buffer);
            let cells = [sum, factors[0].clone(), factors[1].clone()];
            for (cell, (dtype, _)) in cells.iter().zip(row.operands()) {
                let buffer = &original.buffers[cell.buffer.index()];
                if buffer.dtype != dtype {
                    return Err(format!(
                        "`{}` has type {}, but `{name}` takes {dtype}",
                        buffer.name, buffer.dtype
                    ));
                }
            }
            factors.iter().try_for_each(|factor| zero_filled(&original, factor.buffer))?;
            let pairs = [(0, 1), (0, 2), (2, 1)];
            let mut operands = Vec::new();
            for (cell, (first, second)) in cells.iter().zip(pairs) {
                let tile = [first, second].map(|n| (&counted[n].symbol, &into[n], row.shape[n]));
                operands.push(begin(cell, tile, &counted).ok_or_else(|| {
                    let name = &original.buffers[cell.buffer.index()].name;
                    format!("the last two axes of `{name}` are not the rows and columns of a tile")
                })?);
            }
            let instr = Stmt::Tile(Box::new(Tile::Instr { row: name.into(), operands }));
            let [i, j, k] = into.clone();
            let over = Axis::new(k, times[2].clone());
            let inner = Stmt::For { axis: over, reverse: false, carried: Vec::new(), body: vec![instr] };
            let [i, j] = [(i, 0), (j, 1)].map(|(symbol, n)| Axis { symbol, extent: times[n].clone(), level });
            let axes = vec![i, j];
            Ok(vec![Stmt::Par { axes, body: vec![inner] }])
        })?;
        held.map_or(Ok(()), |sum| self.held_by(sum, Level::Subgroup))
    }
}

/// Returns where the tile of an instruction begins. `tile` contains, for its rows and columns, the axis, the axis that
/// counts tiles, and the size.
fn begin(cell: &Cell, tile: [(&Symbol, &Symbol, u32); 2], counted: &[&Axis; 3]) -> Option<Cell> {
    let first = cell.at.len().checked_sub(2)?;
    let mut begin = cell.clone();
    for (index, (symbol, number, size)) in begin.at[first..].iter_mut().zip(tile) {
        let rest = &*index - &Dim::Dynamic(symbol.clone());
        *index = &rest + &(&Dim::Dynamic(number.clone()) * &Dim::Static(size as usize));
    }
    let is_counted = |symbol: &Symbol| counted.iter().any(|axis| axis.symbol == *symbol);
    let symbols = begin.at.iter().flat_map(super::parts::symbols);
    (!{ symbols }.any(|symbol| is_counted(&symbol))).then_some(begin)
}

/// Refuses a tile unless it is known to be 0 where nothing is copied to it.
fn zero_filled(kernel: &Kernel, tile: BufferId) -> Done {
    let name = &kernel.buffers[tile.index()].name;
    if !matches!(kernel.buffers[tile.index()].place, Place::Local(_)) {
        return Err(format!("`{name}` is not a tile; stage it first"));
    }
    let mut definitions: Vec<Option<&Definition>> = vec![None; kernel.scalars.len()];
    for_each_stmt(&kernel.body, &mut |stmt| {
        if let Stmt::Let { scalar, value } = stmt {
            definitions[scalar.index()] = Some(value);
        }
    });
    let known = |scalar: ScalarId| definitions[scalar.index()];
    let zero = |scalar: ScalarId| match known(scalar) {
        Some(Definition::Constant(value)) => matches!(*value, Scalar::Int(0)) || *value == Scalar::Float(0.0),
        _ => false,
    };
    let filled = |guard: &Guard, fill: Option<ScalarId>| guard.is_empty() || fill.is_some_and(zero);
    let mut all = true;
    for_each_stmt(&kernel.body, &mut |stmt| match stmt {
        Stmt::Tile(of) => match &**of {
            Tile::Copy { to, guard, fill, .. } if to.buffer == tile => all &= filled(guard, *fill),
            of => {
                let writes = |(number, cell): (usize, &&Cell)| cell.buffer == tile && of.writes(number);
                all &= !of.cells().iter().enumerate().any(writes);
            }
        },
        Stmt::Store { cell, guard, scalar } if cell.buffer == tile => {
            // A scalar is 0 elsewhere, or exists everywhere.
            let mut scalar = *scalar;
            while let Some(Definition::Apply { op, args }) = known(scalar)
                && matches!(**op, Op::Convert { .. })
            {
                scalar = args[0];
            }
            all &= guard.is_empty()
                && match known(scalar) {
                    Some(Definition::Load { guard, fill, .. }) => filled(guard, *fill),
                    Some(Definition::Apply { op, args }) => {
                        matches!(**op, Op::Select {}) && args.get(2).is_some_and(|&other| zero(other))
                    }
                    _ => zero(scalar),
                };
        }
        _ => {}
    });
    match all {
        true => Ok(()),
        false => Err(format!("`{name}` is not known to be 0 where it extends past the data; fill it with 0")),
    }
}
