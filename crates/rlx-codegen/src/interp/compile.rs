//! Compiles verified kernels to [`Code`].

use super::FaultKind;
use super::code::{
    Access, BufferInfo, Code, Compute, Conditional, CopyCode, Counter, Handed, Instruction, Later, Reduction,
    Routine, Spread,
};
use super::index::Index;
use crate::kernel::{
    Axis, Block, Carried, Cell, Combiner, Definition, Function, Guard, Kernel, Level, Place, ScalarId, Stmt,
};
use crate::monoid::identity_of;
use crate::tile::Tile;
use rlx_ir::{Bindings, Class, DType, Dim, Op, Symbol};
use std::collections::HashMap;
use std::sync::Arc;

type Compiled<T> = Result<T, FaultKind>;

/// Compiles a kernel at these sizes.
pub(super) fn compile(kernel: &Kernel, sizes: &Bindings) -> Compiled<Code> {
    let mut compiler = Compiler {
        kernel,
        sizes,
        symbols: Vec::new(),
        places: HashMap::new(),
        functions: Vec::new(),
        sites: 0,
        has_workers: false,
    };
    let body = compiler.block(&kernel.body)?;
    let info = |b: &crate::kernel::Buffer| BufferInfo {
        name: b.name.clone(),
        dtype: b.dtype,
        once: b.place == Place::Out,
        swizzle: b.swizzle,
        space: match b.place {
            Place::Local(space) => Some(space),
            _ => None,
        },
    };
    Ok(Code {
        name: kernel.name.clone(),
        buffers: kernel.buffers.iter().map(info).collect(),
        scalars: kernel.scalars.len(),
        symbols: compiler.symbols,
        functions: compiler.functions,
        sites: compiler.sites,
        has_workers: compiler.has_workers,
        body,
    })
}

struct Compiler<'a> {
    kernel: &'a Kernel,
    sizes: &'a Bindings,
    /// The axes and named scalars, with the index of each.
    symbols: Vec<Symbol>,
    places: HashMap<Symbol, usize>,
    functions: Vec<(&'static str, u64)>,
    sites: usize,
    has_workers: bool,
}

/// Returns the number of float operations of a function.
fn operations(compute: &Compute, dtype: DType) -> u64 {
    match compute {
        Compute::Fma => 2,
        Compute::Apply(op, _) => of_floats(op, dtype),
        Compute::Bitcast(_) => 0,
    }
}

/// Returns the number of float operations of applying an op that returns a scalar of this type.
pub(crate) fn of_floats(op: &Op, dtype: DType) -> u64 {
    let is_float = dtype.is_float() || dtype.class() == Class::Complex;
    let moves = matches!(op, Op::Convert { .. } | Op::Select {} | Op::Compare { .. });
    u64::from(is_float && !moves)
}

fn places(scalars: &[ScalarId]) -> Vec<usize> {
    scalars.iter().map(|scalar| scalar.index()).collect()
}

fn handed(carried: &[Carried]) -> Vec<Handed> {
    let handed = |c: &Carried| Handed {
        first: c.first.index(),
        inside: c.inside.index(),
        next: c.next.index(),
        last: c.last.index(),
    };
    carried.iter().map(handed).collect()
}

impl Compiler<'_> {
    fn block(&mut self, block: &Block) -> Compiled<Vec<Instruction>> {
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Compiled<Instruction> {
        Ok(match stmt {
            Stmt::Let { scalar, value } => self.value(*scalar, value)?,
            Stmt::Name { symbol, scalar, extent } => {
                let extent = self.index(extent)?;
                Instruction::Name { symbol: self.place(symbol), scalar: scalar.index(), extent }
            }
            Stmt::Array(buffer) => {
                let extents = &self.kernel.buffers[buffer.index()].extents;
                let extents = extents.iter().map(|e| self.index(e)).collect::<Compiled<_>>()?;
                Instruction::Array { buffer: buffer.index(), extents }
            }
            Stmt::Store { cell, guard, scalar } => {
                Instruction::Store { scalar: scalar.index(), access: self.access(cell, guard)? }
            }
            Stmt::Par { axes, body } => Instruction::Par {
                spread: self.spread(axes),
                axes: self.counters(axes)?,
                body: self.block(body)?,
            },
            Stmt::Barrier => Instruction::Barrier,
            Stmt::Tile(tile) => self.tile(tile)?,
            Stmt::For { axis, reverse, carried, body } => Instruction::For {
                axis: self.counter(axis)?,
                reverse: *reverse,
                handed: handed(carried),
                body: self.block(body)?,
            },
            Stmt::While { carried, condition, again, body, bound } => {
                Instruction::While(Box::new(Conditional {
                    handed: handed(carried),
                    condition: self.block(condition)?,
                    again: again.index(),
                    body: self.block(body)?,
                    bound: self.index(bound)?,
                }))
            }
            Stmt::If { condition, then, otherwise, joined } => Instruction::If {
                condition: condition.index(),
                branches: [self.block(then)?, self.block(otherwise)?],
                joined: (joined.iter())
                    .map(|j| [j.then.index(), j.otherwise.index(), j.result.index()])
                    .collect(),
            },
            Stmt::Reduce { axes, combiner, body, elements, results } => {
                Instruction::Reduce(Box::new(Reduction {
                    axes: self.counters(axes)?,
                    identity: places(&combiner.identity),
                    later: self.later(combiner, elements),
                    step: self.routine(&combiner.step)?,
                    merge: self.routine(&combiner.merge)?,
                    body: self.block(body)?,
                    elements: places(elements),
                    results: places(results),
                }))
            }
        })
    }

    /// Returns what the parts of a reduction after the first one begin with.
    fn later(&self, combiner: &Combiner, elements: &[ScalarId]) -> Later {
        let dtype = |scalar: ScalarId| self.kernel.dtype(scalar);
        let dtypes = |scalars: &[ScalarId]| -> Vec<DType> { scalars.iter().map(|&s| dtype(s)).collect() };
        match identity_of(&combiner.merge, dtype) {
            _ if !combiner.once => Later::Identity,
            Some(identity) => Later::None(identity),
            None if dtypes(elements) == dtypes(&combiner.identity) => Later::Element,
            None => Later::Nothing,
        }
    }

    fn spread(&mut self, axes: &[Axis]) -> Spread {
        let places = (0..axes.len()).filter(|&place| axes[place].level.is_worker()).collect::<Vec<_>>();
        if !places.is_empty() {
            self.has_workers = true;
            return Spread::Workers { lanes: axes[places[0]].level == Level::Lane, axes: places };
        }
        match axes.iter().any(|axis| axis.level == Level::Group) {
            true => Spread::Groups,
            false => Spread::None,
        }
    }

    fn tile(&mut self, tile: &Tile) -> Compiled<Instruction> {
        match tile {
            Tile::Copy { axes, within, to, from, guard, fill, slot: Some(slot) } => {
                let slot = self.index(slot)?;
                Ok(Instruction::Copy(Box::new(CopyCode {
                    spread: self.spread(axes),
                    axes: self.counters(axes)?,
                    within: self.guard(within)?,
                    from: self.access(from, guard)?,
                    to: self.access(to, &Guard::default())?,
                    fill: fill.map(ScalarId::index),
                    slot,
                })))
            }
            Tile::Wait { slot } => Ok(Instruction::Wait { slot: self.index(slot)? }),
            Tile::Copy { .. } | Tile::Dot { .. } | Tile::Instr { .. } => Err(FaultKind::Tile),
        }
    }

    fn routine(&mut self, function: &Function) -> Compiled<Routine> {
        let (params, results) = (places(&function.params), places(&function.results));
        Ok(Routine { params, body: self.block(&function.body)?, results })
    }

    fn value(&mut self, scalar: ScalarId, value: &Definition) -> Compiled<Instruction> {
        let (dtype, place) = (self.kernel.dtype(scalar), scalar.index());
        Ok(match value {
            Definition::Constant(value) => {
                Instruction::Constant { scalar: place, value: value.convert(dtype) }
            }
            Definition::Index(index) => {
                Instruction::Index { scalar: place, dtype, index: self.index(index)? }
            }
            Definition::Holds(guard) => Instruction::Holds { scalar: place, guard: self.guard(guard)? },
            Definition::Load { cell, guard, fill } => {
                let fill = fill.map(ScalarId::index);
                Instruction::Load { scalar: place, access: self.access(cell, guard)?, fill }
            }
            Definition::Apply { op, args } => {
                // The first operand of a select is not a number.
                let number = args.get(usize::from(matches!(**op, Op::Select {})));
                let number = number.map_or(dtype, |&number| self.kernel.dtype(number));
                self.compute(scalar, Compute::Apply(Arc::clone(op), number), args, op.mnemonic())
            }
            Definition::Fma(args) => self.compute(scalar, Compute::Fma, args, "fma"),
            Definition::Bitcast(x) => {
                self.compute(scalar, Compute::Bitcast(self.kernel.dtype(*x)), &[*x], "bitcast")
            }
        })
    }

    fn compute(
        &mut self,
        scalar: ScalarId,
        compute: Compute,
        args: &[ScalarId],
        name: &'static str,
    ) -> Instruction {
        let dtype = self.kernel.dtype(scalar);
        let named = (name, operations(&compute, dtype));
        let known = self.functions.iter().position(|&f| f == named);
        let function = known.unwrap_or_else(|| {
            self.functions.push(named);
            self.functions.len() - 1
        });
        Instruction::Compute { scalar: scalar.index(), dtype, compute, args: places(args), function }
    }

    fn counters(&mut self, axes: &[Axis]) -> Compiled<Vec<Counter>> {
        axes.iter().map(|axis| self.counter(axis)).collect()
    }

    fn counter(&mut self, axis: &Axis) -> Compiled<Counter> {
        let extent = self.index(&axis.extent)?;
        Ok(Counter { symbol: self.place(&axis.symbol), extent })
    }

    fn access(&mut self, cell: &Cell, guard: &Guard) -> Compiled<Access> {
        let at = cell.at.iter().map(|index| self.index(index)).collect::<Compiled<_>>()?;
        self.sites += 1;
        Ok(Access { buffer: cell.buffer.index(), at, site: self.sites - 1, guard: self.guard(guard)? })
    }

    fn guard(&mut self, guard: &Guard) -> Compiled<Vec<Index>> {
        guard.0.iter().map(|index| self.index(index)).collect()
    }

    fn index(&self, index: &Dim) -> Compiled<Index> {
        Ok(Index::compile(&index.bind(self.sizes), &|symbol| self.places.get(symbol).copied())?)
    }

    /// Returns the index of a symbol, which is known from here on.
    fn place(&mut self, symbol: &Symbol) -> usize {
        let place = self.symbols.len();
        self.symbols.push(symbol.clone());
        self.places.insert(symbol.clone(), place);
        place
    }
}
