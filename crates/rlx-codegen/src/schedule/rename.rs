//! Renames in statements, and copies statements under fresh names.

use crate::kernel::{
    Axis, Block, BufferId, Carried, Cell, Combiner, Definition, Function, Guard, Joined, Kernel, ScalarId,
    Stmt,
};
use crate::tile::Tile;
use crate::visit::{defined_symbols, for_each_definition, for_each_stmt};
use rlx_ir::{Dim, Symbol};
use std::collections::{HashMap, HashSet};

/// A mapping of names. Names that are not listed stay.
#[derive(Default, Debug)]
pub(crate) struct Renaming {
    pub scalars: HashMap<ScalarId, ScalarId>,
    pub buffers: HashMap<BufferId, BufferId>,
    /// The expressions that replace symbols. Where a symbol is defined, the expression must be another symbol;
    /// otherwise the definition is left as it is.
    pub symbols: HashMap<Symbol, Dim>,
}

impl Renaming {
    /// Returns a renaming of a symbol to an expression.
    pub fn symbol(symbol: &Symbol, by: Dim) -> Renaming {
        Renaming { symbols: HashMap::from([(symbol.clone(), by)]), ..Renaming::default() }
    }

    pub fn block(&self, block: &mut Block) {
        block.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    pub fn dim(&self, dim: &mut Dim) {
        if !self.symbols.is_empty() {
            let with = |s: &Symbol| self.symbols.get(s).cloned().unwrap_or_else(|| Dim::Dynamic(s.clone()));
            *dim = dim.substitute(&with);
        }
    }

    pub fn scalar(&self, scalar: &mut ScalarId) {
        *scalar = self.scalars.get(scalar).copied().unwrap_or(*scalar);
    }

    fn all(&self, scalars: &mut [ScalarId]) {
        scalars.iter_mut().for_each(|s| self.scalar(s));
    }

    fn defined(&self, symbol: &mut Symbol) {
        if let Some(Dim::Dynamic(new)) = self.symbols.get(symbol) {
            *symbol = new.clone();
        }
    }

    fn axis(&self, axis: &mut Axis) {
        self.defined(&mut axis.symbol);
        self.dim(&mut axis.extent);
    }

    fn buffer(&self, buffer: &mut BufferId) {
        *buffer = self.buffers.get(buffer).copied().unwrap_or(*buffer);
    }

    fn guard(&self, guard: &mut Guard) {
        guard.0.iter_mut().for_each(|dim| self.dim(dim));
    }

    fn cell(&self, cell: &mut Cell) {
        self.buffer(&mut cell.buffer);
        cell.at.iter_mut().for_each(|dim| self.dim(dim));
    }

    fn carried(&self, carried: &mut [Carried]) {
        for Carried { first, inside, next, last } in carried {
            [first, inside, next, last].into_iter().for_each(|s| self.scalar(s));
        }
    }

    fn function(&self, function: &mut Function) {
        self.all(&mut function.params);
        self.block(&mut function.body);
        self.all(&mut function.results);
    }

    pub fn combiner(&self, combiner: &mut Combiner) {
        self.all(&mut combiner.identity);
        self.function(&mut combiner.step);
        self.function(&mut combiner.merge);
    }

    fn stmt(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Let { scalar, value } => {
                self.scalar(scalar);
                self.value(value);
            }
            Stmt::Name { symbol, scalar, extent } => {
                self.defined(symbol);
                self.scalar(scalar);
                self.dim(extent);
            }
            Stmt::Array(buffer) => self.buffer(buffer),
            Stmt::Barrier => {}
            Stmt::Tile(tile) => self.tile(tile),
            Stmt::Store { cell, guard, scalar } => {
                self.cell(cell);
                self.guard(guard);
                self.scalar(scalar);
            }
            Stmt::Par { axes, body } => {
                axes.iter_mut().for_each(|axis| self.axis(axis));
                self.block(body);
            }
            Stmt::For { axis, carried, body, .. } => {
                self.axis(axis);
                self.carried(carried);
                self.block(body);
            }
            Stmt::While { carried, condition, again, body, bound } => {
                self.carried(carried);
                self.block(condition);
                self.scalar(again);
                self.block(body);
                self.dim(bound);
            }
            Stmt::If { condition, then, otherwise, joined } => {
                self.scalar(condition);
                self.block(then);
                self.block(otherwise);
                for Joined { then, otherwise, result } in joined {
                    [then, otherwise, result].into_iter().for_each(|s| self.scalar(s));
                }
            }
            Stmt::Reduce { axes, combiner, body, elements, results } => {
                axes.iter_mut().for_each(|axis| self.axis(axis));
                self.combiner(combiner);
                self.block(body);
                self.all(elements);
                self.all(results);
            }
        }
    }

    fn tile(&self, tile: &mut Tile) {
        tile.axes_mut().into_iter().for_each(|axis| self.axis(axis));
        tile.cells_mut().into_iter().for_each(|cell| self.cell(cell));
        tile.dims_mut().into_iter().for_each(|dim| self.dim(dim));
        if let Tile::Copy { fill: Some(fill), .. } = tile {
            self.scalar(fill);
        }
    }

    fn value(&self, value: &mut Definition) {
        match value {
            Definition::Constant(_) => {}
            Definition::Index(dim) => self.dim(dim),
            Definition::Load { cell, guard, fill } => {
                self.cell(cell);
                self.guard(guard);
                fill.iter_mut().for_each(|fill| self.scalar(fill));
            }
            Definition::Apply { args, .. } => self.all(args),
            Definition::Fma(args) => self.all(args),
            Definition::Bitcast(x) => self.scalar(x),
            Definition::Holds(guard) => self.guard(guard),
        }
    }
}

/// Names that a kernel does not use yet.
#[derive(Debug)]
pub(crate) struct Fresh {
    taken: HashSet<Symbol>,
}

impl Fresh {
    /// Returns all names except the symbols of the kernel and of its sizes.
    pub fn of(kernel: &Kernel) -> Fresh {
        let mut taken: HashSet<Symbol> = defined_symbols(&kernel.body).into_iter().collect();
        let mut sizes = rlx_ir::Symbols::default();
        kernel.buffers.iter().flat_map(|b| &b.extents).for_each(|extent| extent.symbols(&mut sizes));
        taken.extend(sizes.into_vec());
        Fresh { taken }
    }

    /// Takes a symbol, and returns whether it was free.
    pub fn take(&mut self, symbol: &Symbol) -> bool {
        self.taken.insert(symbol.clone())
    }

    /// Returns a new symbol whose name resembles this one.
    pub fn like(&mut self, symbol: &Symbol) -> Symbol {
        let named = |number: usize| Symbol::new(&format!("{}_{number}", symbol.name()));
        // INVARIANT: a finite set does not contain all of them.
        let free = (1..).map(named).find(|symbol| !self.taken.contains(symbol));
        let free = free.unwrap_or_else(|| symbol.clone());
        self.taken.insert(free.clone());
        free
    }

    /// Copies statements so that the copy defines nothing that the original defines. Names that `renaming` already lists keep that meaning.
    pub fn copy(&mut self, kernel: &mut Kernel, block: &[Stmt], renaming: &mut Renaming) -> Block {
        let (mut scalars, mut arrays) = (Vec::new(), Vec::new());
        for_each_stmt(block, &mut |stmt| {
            for_each_definition(stmt, &mut |scalar| scalars.push(scalar));
            if let Stmt::Array(array) = stmt {
                arrays.push(*array);
            }
        });
        for scalar in scalars {
            let copy = kernel.scalar(kernel.dtype(scalar));
            renaming.scalars.insert(scalar, copy);
        }
        for symbol in defined_symbols(block) {
            let copy = self.like(&symbol);
            renaming.symbols.insert(symbol, Dim::Dynamic(copy));
        }
        for array in arrays {
            let mut buffer = kernel.buffers[array.index()].clone();
            buffer.extents.iter_mut().for_each(|extent| renaming.dim(extent));
            buffer.name = free_name(kernel, &buffer.name);
            renaming.buffers.insert(array, kernel.add(buffer));
        }
        let mut copy = block.to_vec();
        renaming.block(&mut copy);
        copy
    }

    /// Copies a function so that the copy defines nothing that the original defines.
    pub fn function(&mut self, kernel: &mut Kernel, function: &Function) -> Function {
        let mut renaming = Renaming::default();
        for &param in &function.params {
            let copy = kernel.scalar(kernel.dtype(param));
            renaming.scalars.insert(param, copy);
        }
        let body = self.copy(kernel, &function.body, &mut renaming);
        let mut copy = Function { body, params: function.params.clone(), results: function.results.clone() };
        renaming.all(&mut copy.params);
        renaming.all(&mut copy.results);
        copy
    }
}

/// Returns a name that resembles this one and that no buffer has.
pub(crate) fn free_name(kernel: &Kernel, stem: &str) -> String {
    let free = |name: &String| kernel.buffers.iter().all(|b| b.name != *name);
    let numbered = (1..).map(|number| format!("{stem}_{number}"));
    // INVARIANT: finitely many buffers do not have all names.
    std::iter::once(stem.to_string()).chain(numbered).find(free).unwrap_or_default()
}

/// Numbers scalars and arrays in the order of the text, and drops those that no statement defines.
pub(crate) fn renumber(kernel: &mut Kernel) {
    let mut renaming = Renaming::default();
    let (mut scalars, mut buffers) = (Vec::new(), Vec::new());
    for (number, buffer) in (0..).zip(&kernel.buffers) {
        if buffer.place.is_param() {
            renaming.buffers.insert(BufferId::new(number), BufferId::new(buffers.len() as u32));
            buffers.push(buffer.clone());
        }
    }
    for_each_stmt(&kernel.body, &mut |stmt| {
        for_each_definition(stmt, &mut |scalar| {
            renaming.scalars.insert(scalar, ScalarId::new(scalars.len() as u32));
            scalars.push(kernel.dtype(scalar));
        });
        if let Stmt::Array(array) = stmt {
            renaming.buffers.insert(*array, BufferId::new(buffers.len() as u32));
            buffers.push(kernel.buffers[array.index()].clone());
        }
    });
    renaming.block(&mut kernel.body);
    (kernel.scalars, kernel.buffers) = (scalars, buffers);
}
