//! `interchange`: moves the loops in the body of a parallel loop outside its last axes.
//!
//! ```text
//! par i, j { r = reduce k { … }  rest }     becomes
//! array a  par i, j { store a[i,j] = identity }  for k { par i, j { a[i,j] joined by … } }  par i, j { rest }
//! ```
//!
//! Statements between loops become parallel loops, and so do those in the bodies of the loops, at any depth. Values
//! that an iteration hands from one of them to the next are elements of local arrays: scalars, states of reductions,
//! and what ordered loops carry. The arrays of an iteration get the axes as their last ones. Reductions become ordered
//! loops.
//!
//! *Obligation*: each iteration does what it did before, in the same order. Iterations are independent, so it does not
//! matter how they are interleaved. Float results are identical to the bit. A loop stays where it is if its extent
//! differs between iterations.

use super::find::{self, unmarked};
use super::groups::{has, is_spread, meets};
use super::rename::{Renaming, free_name};
use super::uses::{has_any, uses};
use super::{Done, Scheduled};
use crate::kernel::{
    Axis, Block, BufferId, Carried, Cell, Combiner, Definition, Guard, Place, ScalarId, Space, Stmt,
};
use rlx_ir::{DType, Dim, Scalar, Symbol};
use std::collections::{BTreeMap, HashMap};

impl Scheduled {
    pub fn interchange(&mut self, symbols: &[Symbol]) -> Done {
        let Some(first) = symbols.first() else { return Err("no axes are named".into()) };
        self.change(first, |s, stmt, place| {
            let Stmt::Par { mut axes, body } = stmt else {
                return Err(format!("`{first}` is not an axis of a parallel loop"));
            };
            if !axes[place..].iter().map(|axis| &axis.symbol).eq(symbols) {
                return Err(format!("the axes from `{first}` on are different ones; reorder them first"));
            }
            let inner = axes.split_off(place);
            inner.iter().try_for_each(unmarked)?;
            if let Some(axis) = inner.iter().find(|axis| has_any(&axis.extent, symbols)) {
                return Err(format!("how often `{}` runs depends on another one of the axes", axis.symbol));
            }
            let of_groups = |s: &Stmt| meets(s) || is_spread(s) || matches!(s, Stmt::Tile(_));
            if body.iter().any(|stmt| has(stmt, of_groups)) {
                return Err(format!("a group works together inside the loop of `{first}`"));
            }
            let mut work = Interchange { s, axes: inner, total: HashMap::new(), held: BTreeMap::new() };
            let mut body = body;
            work.check(&body)?;
            work.expand_arrays(&mut body)?;
            let body = work.plain(body);
            work.total = uses(&body);
            let block = work.distributed(body);
            Ok(if axes.is_empty() { block } else { vec![Stmt::Par { axes, body: block }] })
        })
    }
}

/// Where an iteration finds a scalar that another loop has defined.
enum Held {
    /// It is defined again in every loop.
    Constant(Scalar),
    /// It is in the iteration's element of an array.
    Array(BufferId),
}

struct Interchange<'s> {
    s: &'s mut Scheduled,
    /// The axes that run inside.
    axes: Vec<Axis>,
    /// How often the body reads each scalar.
    total: HashMap<ScalarId, usize>,
    held: BTreeMap<ScalarId, Held>,
}

impl Interchange<'_> {
    /// Returns whether a loop runs in the same way for every iteration, so that it can run around them.
    fn is_common(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Par { .. } | Stmt::For { .. } | Stmt::Reduce { .. })
            && stmt.axes().iter().all(|axis| {
                unmarked(axis).is_ok() && !has_any(&axis.extent, self.axes.iter().map(|a| &a.symbol))
            })
    }

    /// Refuses scalars in index expressions, because they cannot be elements of arrays.
    fn check(&self, block: &Block) -> Done {
        let mut loops = block.iter().filter(|stmt| self.is_common(stmt)).peekable();
        if loops.peek().is_none() {
            return Ok(());
        }
        if let Some(Stmt::Name { symbol, .. }) = block.iter().find(|stmt| matches!(stmt, Stmt::Name { .. })) {
            return Err(format!("outside its loops the body names a scalar, `{symbol}`"));
        }
        loops.filter_map(find::body).try_for_each(|block| self.check(block))
    }

    /// Returns the arrays of an iteration outside loops that differ between iterations.
    fn arrays(&self, block: &Block) -> Vec<BufferId> {
        let mut arrays = Vec::new();
        for stmt in block {
            match stmt {
                Stmt::Array(array) => arrays.push(*array),
                stmt if self.is_common(stmt) => {
                    arrays.extend(find::body(stmt).into_iter().flat_map(|body| self.arrays(body)));
                }
                _ => {}
            }
        }
        arrays
    }

    fn indices(&self) -> Vec<Dim> {
        self.axes.iter().map(|axis| Dim::Dynamic(axis.symbol.clone())).collect()
    }

    /// Adds the axes to the arrays of an iteration.
    fn expand_arrays(&mut self, block: &mut Block) -> Done {
        let arrays = self.arrays(block);
        for array in &arrays {
            let buffer = &mut self.s.kernel.buffers[array.index()];
            if buffer.extents.iter().any(|extent| has_any(extent, self.axes.iter().map(|a| &a.symbol))) {
                return Err(format!("the size of `{}` differs between iterations", buffer.name));
            }
            buffer.extents.extend(self.axes.iter().map(|axis| axis.extent.clone()));
        }
        let indices = self.indices();
        find::for_each_cell(block, &mut |cell| {
            if arrays.contains(&cell.buffer) {
                cell.at.extend(indices.iter().cloned());
            }
        });
        Ok(())
    }

    /// Makes an array with an element per iteration.
    fn array(&mut self, stem: &str, dtype: DType) -> BufferId {
        let name = free_name(&self.s.kernel, stem);
        let extents = self.axes.iter().map(|axis| axis.extent.clone()).collect();
        self.s.kernel.buffer(name, dtype, extents, Place::Local(Space::Lane))
    }

    fn cell(&self, buffer: BufferId) -> Cell {
        Cell { buffer, at: self.indices() }
    }

    fn load(&self, scalar: ScalarId, buffer: BufferId) -> Stmt {
        let value = Definition::Load { cell: self.cell(buffer), guard: Guard::default(), fill: None };
        Stmt::Let { scalar, value }
    }

    fn store(&self, buffer: BufferId, scalar: ScalarId) -> Stmt {
        Stmt::Store { cell: self.cell(buffer), guard: Guard::default(), scalar }
    }

    /// Rewrites statements with arrays for what common loops carry and reduce.
    fn plain(&mut self, block: Block) -> Block {
        let mut plain = Block::new();
        for stmt in block {
            match stmt {
                stmt if !self.is_common(&stmt) => plain.push(stmt),
                Stmt::Par { axes, body } => {
                    let body = self.plain(body);
                    plain.push(Stmt::Par { axes, body });
                }
                Stmt::For { axis, reverse, carried, body } => {
                    self.plain_ordered(&mut plain, (axis, reverse), &carried, body);
                }
                Stmt::Reduce { axes, combiner, body, elements, results } => {
                    self.plain_reduction(&mut plain, axes, combiner, (body, elements), &results);
                }
                other => plain.push(other),
            }
        }
        plain
    }

    fn plain_ordered(
        &mut self,
        plain: &mut Block,
        (axis, reverse): (Axis, bool),
        carried: &[Carried],
        body: Block,
    ) {
        let arrays: Vec<BufferId> =
            carried.iter().map(|c| self.array("carried", self.s.kernel.dtype(c.inside))).collect();
        let both = || arrays.iter().zip(carried);
        plain.extend(arrays.iter().map(|&array| Stmt::Array(array)));
        plain.extend(both().map(|(&array, c)| self.store(array, c.first)));
        let mut inside: Block = both().map(|(&array, c)| self.load(c.inside, array)).collect();
        inside.extend(self.plain(body));
        inside.extend(both().map(|(&array, c)| self.store(array, c.next)));
        plain.push(Stmt::For { axis, reverse, carried: Vec::new(), body: inside });
        plain.extend(both().map(|(&array, c)| self.load(c.last, array)));
    }

    fn plain_reduction(
        &mut self,
        plain: &mut Block,
        axes: Vec<Axis>,
        combiner: Combiner,
        (body, elements): (Block, Vec<ScalarId>),
        results: &[ScalarId],
    ) {
        let arrays: Vec<BufferId> =
            results.iter().map(|&r| self.array("sums", self.s.kernel.dtype(r))).collect();
        plain.extend(arrays.iter().map(|&array| Stmt::Array(array)));
        plain.extend(arrays.iter().zip(&combiner.identity).map(|(&array, &first)| self.store(array, first)));
        let step = combiner.step;
        let (states, given) = step.params.split_at(results.len());
        let mut renaming = Renaming::default();
        renaming.scalars.extend(given.iter().copied().zip(elements));
        let (mut joined, mut next) = (step.body.clone(), step.results.clone());
        renaming.block(&mut joined);
        next.iter_mut().for_each(|scalar| renaming.scalar(scalar));
        let mut inside = self.plain(body);
        inside.extend(arrays.iter().zip(states).map(|(&array, &state)| self.load(state, array)));
        inside.extend(joined);
        inside.extend(arrays.iter().zip(next).map(|(&array, next)| self.store(array, next)));
        for axis in axes.into_iter().rev() {
            inside = vec![Stmt::For { axis, reverse: false, carried: Vec::new(), body: inside }];
        }
        plain.extend(inside);
        plain.extend(arrays.iter().zip(results).map(|(&array, &result)| self.load(result, array)));
    }

    /// Rewrites statements as loops over the axes, with the common loops between and around them.
    fn distributed(&mut self, block: Block) -> Block {
        let (mut all, mut together) = (Block::new(), Block::new());
        let is_leaf = |w: &Self, block: &Block| !block.iter().any(|stmt| w.is_common(stmt));
        for stmt in block {
            if !self.is_common(&stmt) {
                match stmt {
                    Stmt::Array(_) => all.push(stmt),
                    stmt => together.push(stmt),
                }
                continue;
            }
            self.flush(&mut all, &mut together, Vec::new());
            match stmt {
                Stmt::Par { axes, body } if is_leaf(self, &body) => {
                    let (arrays, mut body): (Block, Block) =
                        body.into_iter().partition(|stmt| matches!(stmt, Stmt::Array(_)));
                    match arrays.is_empty() {
                        true => self.flush(&mut all, &mut body, axes),
                        false => {
                            let mut inside = arrays;
                            self.flush(&mut inside, &mut body, Vec::new());
                            all.push(Stmt::Par { axes, body: inside });
                        }
                    }
                }
                Stmt::Par { axes, body } => {
                    let body = self.distributed(body);
                    all.push(Stmt::Par { axes, body });
                }
                Stmt::For { axis, reverse, carried, body } => {
                    let body = self.distributed(body);
                    all.push(Stmt::For { axis, reverse, carried, body });
                }
                other => together.push(other),
            }
        }
        self.flush(&mut all, &mut together, Vec::new());
        all
    }

    /// Writes statements as a loop over `outer` and the axes.
    fn flush(&mut self, all: &mut Block, together: &mut Block, outer: Vec<Axis>) {
        let mut body = std::mem::take(together);
        let inside = uses(&body);
        let mut defined = Vec::new();
        body.retain(|stmt| match stmt {
            Stmt::Let { scalar, value: Definition::Constant(constant) } => {
                self.held.insert(*scalar, Held::Constant(*constant));
                false
            }
            Stmt::Let { scalar, .. } => {
                defined.push(*scalar);
                true
            }
            Stmt::If { joined, .. } => {
                defined.extend(joined.iter().map(|j| j.result));
                true
            }
            Stmt::For { carried, .. } | Stmt::While { carried, .. } => {
                defined.extend(carried.iter().map(|c| c.last));
                true
            }
            Stmt::Reduce { results, .. } => {
                defined.extend(results);
                true
            }
            _ => true,
        });
        let (mut before, mut renaming) = (Block::new(), Renaming::default());
        for (scalar, held) in &self.held {
            if inside.contains_key(scalar) {
                let copy = self.s.kernel.scalars[scalar.index()];
                let copy = self.s.kernel.scalar(copy);
                renaming.scalars.insert(*scalar, copy);
                before.push(match held {
                    Held::Constant(constant) => {
                        Stmt::Let { scalar: copy, value: Definition::Constant(*constant) }
                    }
                    Held::Array(array) => self.load(copy, *array),
                });
            }
        }
        renaming.block(&mut body);
        before.extend(body);
        for scalar in defined {
            let within = inside.get(&scalar).copied().unwrap_or(0);
            if self.total.get(&scalar).copied().unwrap_or(0) > within {
                let array = self.array("held", self.s.kernel.dtype(scalar));
                self.held.insert(scalar, Held::Array(array));
                all.push(Stmt::Array(array));
                before.push(self.store(array, scalar));
            }
        }
        if before.is_empty() || before.iter().all(|stmt| matches!(stmt, Stmt::Let { .. })) {
            return;
        }
        let mut renaming = Renaming::default();
        let axes = self.axes.iter().map(|axis| {
            let symbol = self.s.fresh.like(&axis.symbol);
            renaming.symbols.insert(axis.symbol.clone(), Dim::Dynamic(symbol.clone()));
            Axis { symbol, ..axis.clone() }
        });
        let axes = outer.into_iter().chain(axes).collect();
        renaming.block(&mut before);
        all.push(Stmt::Par { axes, body: before });
    }
}
