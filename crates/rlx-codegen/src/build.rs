//! Builds kernels block by block, and infers the types of scalars.

use crate::kernel::{
    Axis, Block, BufferId, Carried, Cell, Combiner, Definition, Function, Guard, Joined, Kernel, Level,
    Place, ScalarId, Space, Stmt,
};
use crate::range::Ranges;
use crate::tile::Tile;
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Op, Scalar, Symbol, UnaryOp};
use std::collections::HashMap;
use std::sync::Arc;

/// A block that is being written.
#[derive(Debug, Default)]
struct Open {
    /// Which of all blocks it is.
    number: usize,
    block: Block,
}

/// A kernel that is being written. Statements go to the end of the innermost block.
#[derive(Debug, Default)]
pub struct Writer {
    kernel: Kernel,
    blocks: Vec<Open>,
    /// How many blocks there have been.
    begun: usize,
    names: usize,
    ranges: Ranges,
    /// How many axes have a name of each stem.
    taken: HashMap<String, usize>,
}

impl Writer {
    /// Begins a kernel.
    pub fn new(name: impl Into<String>) -> Writer {
        Writer { kernel: Kernel::new(name), blocks: vec![Open::default()], begun: 1, ..Writer::default() }
    }

    /// The kernel.
    pub fn finish(mut self) -> Kernel {
        self.kernel.body = self.blocks.pop().unwrap_or_default().block;
        self.kernel
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: &str, dtype: DType, extents: &[Dim], place: Place) -> BufferId {
        self.kernel.buffer(name, dtype, extents.to_vec(), place)
    }

    /// Makes a local array here.
    pub fn array(&mut self, dtype: DType, extents: &[Dim]) -> BufferId {
        let name = self.name("t");
        let buffer = self.kernel.buffer(name, dtype, extents.to_vec(), Place::Local(Space::Lane));
        self.push(Stmt::Array(buffer));
        buffer
    }

    /// Makes a local array here, which lanes of this space hold.
    pub fn array_in(&mut self, space: Space, dtype: DType, extents: &[Dim]) -> BufferId {
        let buffer = self.array(dtype, extents);
        self.kernel.buffers[buffer.index()].place = Place::Local(space);
        buffer
    }

    /// All lanes of the group arrive here before any goes on.
    pub fn barrier(&mut self) {
        self.push(Stmt::Barrier);
    }

    /// Adds a statement on tiles.
    pub fn tile(&mut self, tile: Tile) {
        self.push(Stmt::Tile(Box::new(tile)));
    }

    /// The type of a scalar.
    pub fn dtype(&self, scalar: ScalarId) -> DType {
        self.kernel.dtype(scalar)
    }

    /// The sizes of a buffer.
    pub fn extents(&self, buffer: BufferId) -> &[Dim] {
        &self.kernel.buffers[buffer.index()].extents
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names - 1)
    }

    /// A new symbol that counts from 0 to below `extent`; `_` in front of its number keeps it apart from sizes.
    fn symbol(&mut self, extent: &Dim) -> Symbol {
        let symbol = Symbol::new(&self.name("_"));
        self.ranges.count(&symbol, extent);
        symbol
    }

    /// The expression without quotients that have but one value here.
    pub fn simplified(&self, index: &Dim) -> Dim {
        self.ranges.simplified(index)
    }

    /// The conditions of a guard that do not always hold here.
    pub fn unproven(&self, mut guard: Guard) -> Guard {
        guard.0.retain(|index| !self.ranges.never_negative(index));
        guard
    }

    /// A new axis of this extent.
    fn axis(&mut self, extent: &Dim) -> Axis {
        Axis::new(self.symbol(extent), extent.clone())
    }

    /// A new axis of this extent, whose name begins so.
    pub fn named_axis(&mut self, stem: &str, extent: &Dim) -> Axis {
        let taken = self.taken.entry(stem.into()).or_default();
        let name = if *taken == 0 { stem.to_string() } else { format!("{stem}_{taken}") };
        *taken += 1;
        let symbol = Symbol::new(&name);
        self.ranges.count(&symbol, extent);
        Axis::new(symbol, extent.clone())
    }

    /// New axes of these extents, each run by what is marked.
    pub fn axes_by(&mut self, extents: &[(Dim, Level)]) -> Vec<Axis> {
        let mut axes: Vec<Axis> = extents.iter().map(|(extent, _)| self.axis(extent)).collect();
        axes.iter_mut().zip(extents).for_each(|(axis, &(_, level))| axis.level = level);
        axes
    }

    /// New axes of these extents, and the symbols as index expressions.
    fn axes(&mut self, extents: &[Dim]) -> (Vec<Axis>, Vec<Dim>) {
        let axes: Vec<Axis> = extents.iter().map(|e| self.axis(e)).collect();
        let indices = axes.iter().map(|a| Dim::Dynamic(a.symbol.clone())).collect();
        (axes, indices)
    }

    fn push(&mut self, stmt: Stmt) {
        if let Some(open) = self.blocks.last_mut() {
            open.block.push(stmt);
        }
    }

    /// A scalar that a loop or a function defines.
    fn bound(&mut self, dtype: DType) -> ScalarId {
        self.kernel.scalar(dtype)
    }

    fn define(&mut self, dtype: DType, value: Definition) -> ScalarId {
        let scalar = self.kernel.scalar(dtype);
        self.push(Stmt::Let { scalar, value });
        scalar
    }

    /// What `inner` writes, as a block of its own.
    fn block<T, E>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<(Block, T), E> {
        self.blocks.push(Open { number: self.begun, block: Block::new() });
        self.begun += 1;
        let result = inner(self);
        let block = self.blocks.pop().unwrap_or_default().block;
        Ok((block, result?))
    }

    /// The number of the innermost block. No two blocks of a kernel have the same.
    pub fn innermost(&self) -> usize {
        self.blocks.last().map_or(0, |open| open.number)
    }

    /// Whether what is defined in the block of this number is known here.
    pub fn is_open(&self, number: usize) -> bool {
        self.blocks.iter().any(|open| open.number == number)
    }

    /// A constant, converted to the type.
    pub fn constant(&mut self, dtype: DType, value: Scalar) -> ScalarId {
        self.define(dtype, Definition::Constant(value.convert(dtype)))
    }

    /// An integer expression as a scalar.
    pub fn index(&mut self, dtype: DType, index: &Dim) -> ScalarId {
        self.define(dtype, Definition::Index(index.clone()))
    }

    /// An element.
    pub fn load(&mut self, buffer: BufferId, at: &[Dim]) -> ScalarId {
        let dtype = self.kernel.buffers[buffer.index()].dtype;
        let cell = Cell { buffer, at: at.to_vec() };
        self.define(dtype, Definition::Load { cell, guard: Guard::default(), fill: None })
    }

    /// An element where the guard holds, `fill` elsewhere.
    pub fn load_guarded(&mut self, buffer: BufferId, at: &[Dim], guard: Guard, fill: ScalarId) -> ScalarId {
        let dtype = self.kernel.buffers[buffer.index()].dtype;
        let cell = Cell { buffer, at: at.to_vec() };
        let fill = (!guard.is_empty()).then_some(fill);
        self.define(dtype, Definition::Load { cell, guard, fill })
    }

    /// Writes an element.
    pub fn store(&mut self, buffer: BufferId, at: &[Dim], scalar: ScalarId) {
        self.store_guarded(buffer, at, Guard::default(), scalar);
    }

    /// Writes an element where the guard holds.
    pub fn store_guarded(&mut self, buffer: BufferId, at: &[Dim], guard: Guard, scalar: ScalarId) {
        self.push(Stmt::Store { cell: Cell { buffer, at: at.to_vec() }, guard, scalar });
    }

    /// An elementwise op whose result has this type.
    pub fn apply(&mut self, op: Op, args: &[ScalarId], dtype: DType) -> ScalarId {
        self.define(dtype, Definition::Apply { op: Arc::new(op), args: args.to_vec() })
    }

    /// A function of one number.
    pub fn unary(&mut self, op: UnaryOp, x: ScalarId) -> ScalarId {
        let dtype = op.result(self.dtype(x));
        self.apply(Op::Unary { op }, &[x], dtype)
    }

    /// A function of two numbers.
    pub fn binary(&mut self, op: BinaryOp, a: ScalarId, b: ScalarId) -> ScalarId {
        let dtype = op.result(self.dtype(a));
        self.apply(Op::Binary { op }, &[a, b], dtype)
    }

    /// A comparison.
    pub fn compare(&mut self, op: CompareOp, a: ScalarId, b: ScalarId) -> ScalarId {
        self.apply(Op::Compare { op, total_order: false }, &[a, b], DType::Bool)
    }

    /// A choice.
    pub fn select(&mut self, pred: ScalarId, on_true: ScalarId, on_false: ScalarId) -> ScalarId {
        let dtype = self.dtype(on_true);
        self.apply(Op::Select {}, &[pred, on_true, on_false], dtype)
    }

    /// The number as another type.
    pub fn convert(&mut self, x: ScalarId, dtype: DType) -> ScalarId {
        if self.dtype(x) == dtype { x } else { self.apply(Op::Convert { dtype }, &[x], dtype) }
    }

    /// The bits as another type of the same width.
    pub fn bitcast(&mut self, x: ScalarId, dtype: DType) -> ScalarId {
        if self.dtype(x) == dtype { x } else { self.define(dtype, Definition::Bitcast(x)) }
    }

    /// Whether a guard holds.
    pub fn holds(&mut self, guard: Guard) -> ScalarId {
        self.define(DType::Bool, Definition::Holds(guard))
    }

    /// The scalar, moved into 0 to below `extent`, as an index expression.
    pub fn clamped(&mut self, scalar: ScalarId, extent: &Dim) -> Dim {
        let wide = self.widened_index(scalar);
        let (low, high) =
            (self.constant(DType::I64, Scalar::Int(0)), self.index(DType::I64, &extent.offset(-1)));
        let inside = self.apply(Op::Clamp {}, &[low, wide, high], DType::I64);
        self.named(inside, extent)
    }

    /// An integer as i64; what is above stays as large as i64 can be.
    pub fn widened_index(&mut self, scalar: ScalarId) -> ScalarId {
        if self.dtype(scalar) != DType::U64 {
            return self.convert(scalar, DType::I64);
        }
        let largest = self.constant(DType::U64, Scalar::Int(i64::MAX.into()));
        let inside = self.binary(BinaryOp::Min, scalar, largest);
        self.convert(inside, DType::I64)
    }

    /// A scalar that is known to lie from 0 to below `extent`, as an index expression.
    pub fn named(&mut self, scalar: ScalarId, extent: &Dim) -> Dim {
        let symbol = self.symbol(extent);
        self.push(Stmt::Name { symbol: symbol.clone(), scalar, extent: extent.clone() });
        Dim::Dynamic(symbol)
    }

    /// Runs `body` for each element of an index space, in any order.
    pub fn par<E>(
        &mut self,
        extents: &[Dim],
        body: impl FnOnce(&mut Self, &[Dim]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (axes, indices) = self.axes(extents);
        let (block, ()) = self.block(|w| body(w, &indices))?;
        self.push(Stmt::Par { axes, body: block });
        Ok(())
    }

    /// The same, each axis run by what is marked.
    pub fn par_by<E>(
        &mut self,
        extents: &[(Dim, Level)],
        body: impl FnOnce(&mut Self, &[Dim]) -> Result<(), E>,
    ) -> Result<(), E> {
        let axes = self.axes_by(extents);
        let indices: Vec<Dim> = axes.iter().map(|axis| Dim::Dynamic(axis.symbol.clone())).collect();
        let (block, ()) = self.block(|w| body(w, &indices))?;
        self.push(Stmt::Par { axes, body: block });
        Ok(())
    }

    /// Runs `body` for each index in order. It is given the index and what the iteration before it left of the carried scalars, and
    /// returns what it leaves; the result is what the last one left.
    pub fn repeat<E>(
        &mut self,
        extent: &Dim,
        reverse: bool,
        first: &[ScalarId],
        body: impl FnOnce(&mut Self, &Dim, &[ScalarId]) -> Result<Vec<ScalarId>, E>,
    ) -> Result<Vec<ScalarId>, E> {
        let axis = self.axis(extent);
        self.repeat_by(axis, reverse, first, body)
    }

    /// The same over an axis that was made before.
    pub fn repeat_by<E>(
        &mut self,
        axis: Axis,
        reverse: bool,
        first: &[ScalarId],
        body: impl FnOnce(&mut Self, &Dim, &[ScalarId]) -> Result<Vec<ScalarId>, E>,
    ) -> Result<Vec<ScalarId>, E> {
        let index = Dim::Dynamic(axis.symbol.clone());
        let inside = self.bound_like(first);
        let (block, next) = self.block(|w| body(w, &index, &inside))?;
        let last = self.bound_like(first);
        let carried = carried(first, &inside, &next, &last);
        self.push(Stmt::For { axis, reverse, carried, body: block });
        Ok(last)
    }

    /// Runs `body` while `condition` holds, at most `bound` times, with carried scalars as in [`Writer::repeat`].
    pub fn repeat_while<E>(
        &mut self,
        bound: &Dim,
        first: &[ScalarId],
        condition: impl FnOnce(&mut Self, &[ScalarId]) -> Result<ScalarId, E>,
        body: impl FnOnce(&mut Self, &[ScalarId]) -> Result<Vec<ScalarId>, E>,
    ) -> Result<Vec<ScalarId>, E> {
        let inside = self.bound_like(first);
        let (condition, again) = self.block(|w| condition(w, &inside))?;
        let (body, next) = self.block(|w| body(w, &inside))?;
        let last = self.bound_like(first);
        let carried = carried(first, &inside, &next, &last);
        self.push(Stmt::While { carried, condition, again, body, bound: bound.clone() });
        Ok(last)
    }

    /// Runs one of two blocks, which give scalars of the same types.
    pub fn branch<E>(
        &mut self,
        condition: ScalarId,
        then: impl FnOnce(&mut Self) -> Result<Vec<ScalarId>, E>,
        otherwise: impl FnOnce(&mut Self) -> Result<Vec<ScalarId>, E>,
    ) -> Result<Vec<ScalarId>, E> {
        let (then, ours) = self.block(then)?;
        let (otherwise, theirs) = self.block(otherwise)?;
        let results = self.bound_like(&ours);
        let joined = ours.iter().zip(&theirs).zip(&results);
        let joined =
            joined.map(|((&then, &otherwise), &result)| Joined { then, otherwise, result }).collect();
        self.push(Stmt::If { condition, then, otherwise, joined });
        Ok(results)
    }

    /// A function of scalars of these types.
    pub fn function<E>(
        &mut self,
        params: &[DType],
        body: impl FnOnce(&mut Self, &[ScalarId]) -> Result<Vec<ScalarId>, E>,
    ) -> Result<Function, E> {
        let params: Vec<ScalarId> = params.iter().map(|&dtype| self.bound(dtype)).collect();
        let (body, results) = self.block(|w| body(w, &params))?;
        Ok(Function { params, body, results })
    }

    /// Combines what `body` gives for the elements of an index space.
    pub fn reduce<E>(
        &mut self,
        extents: &[Dim],
        combiner: Combiner,
        body: impl FnOnce(&mut Self, &[Dim]) -> Result<Vec<ScalarId>, E>,
    ) -> Result<Vec<ScalarId>, E> {
        let (axes, indices) = self.axes(extents);
        let (block, elements) = self.block(|w| body(w, &indices))?;
        let results = self.bound_like(&combiner.identity);
        self.push(Stmt::Reduce { axes, combiner, body: block, elements, results: results.clone() });
        Ok(results)
    }

    fn bound_like(&mut self, scalars: &[ScalarId]) -> Vec<ScalarId> {
        scalars.iter().map(|&s| self.bound(self.dtype(s))).collect()
    }
}

fn carried(first: &[ScalarId], inside: &[ScalarId], next: &[ScalarId], last: &[ScalarId]) -> Vec<Carried> {
    let all = first.iter().zip(inside).zip(next).zip(last);
    all.map(|(((&first, &inside), &next), &last)| Carried { first, inside, next, last }).collect()
}

/// Whether a function of two scalars gives the same with these exchanged.
pub(crate) fn is_symmetric(op: &Op) -> bool {
    use BinaryOp::{Add, And, Max, Min, Mul, Or, Xor};
    match op {
        Op::Binary { op } => matches!(op, Add | Mul | Max | Min | And | Or | Xor),
        Op::Compare { op, .. } => matches!(op, CompareOp::Eq | CompareOp::Ne),
        _ => false,
    }
}

/// The sum of two scalars.
pub(crate) fn sum_of(a: ScalarId, b: ScalarId) -> Definition {
    Definition::Apply { op: Arc::new(Op::Binary { op: BinaryOp::Add }), args: vec![a, b] }
}

/// Whether an op changes no more than the type of its operand.
pub(crate) fn is_conversion(op: &Op) -> bool {
    matches!(op, Op::Convert { .. })
}
