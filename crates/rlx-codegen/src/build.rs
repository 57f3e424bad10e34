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
    /// The number of the block, which is unique in the kernel.
    number: usize,
    block: Block,
}

/// A kernel that is being written. Statements are added to the end of the innermost block.
#[derive(Debug, Default)]
pub struct Writer {
    kernel: Kernel,
    blocks: Vec<Open>,
    /// The number of blocks that have been started.
    begun: usize,
    names: usize,
    ranges: Ranges,
    /// The number of axes whose names start with each stem.
    taken: HashMap<String, usize>,
}

impl Writer {
    /// Starts a kernel.
    pub fn new(name: impl Into<String>) -> Writer {
        Writer { kernel: Kernel::new(name), blocks: vec![Open::default()], begun: 1, ..Writer::default() }
    }

    /// Finishes the kernel.
    pub fn finish(mut self) -> Kernel {
        self.kernel.body = self.blocks.pop().unwrap_or_default().block;
        self.kernel
    }

    /// Starts a block of statements that use the scalars of a kernel. [`Writer::take`] returns them.
    pub(crate) fn among(kernel: Kernel) -> Writer {
        Writer { kernel, blocks: vec![Open::default()], begun: 1, ..Writer::default() }
    }

    /// Returns the kernel so far, without the blocks that are being written.
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Takes the statements of the innermost block.
    pub(crate) fn take(&mut self) -> Block {
        self.blocks.last_mut().map(|open| std::mem::take(&mut open.block)).unwrap_or_default()
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: &str, dtype: DType, extents: &[Dim], place: Place) -> BufferId {
        self.kernel.buffer(name, dtype, extents.to_vec(), place)
    }

    /// Adds a local array to the current block.
    pub fn array(&mut self, dtype: DType, extents: &[Dim]) -> BufferId {
        let name = self.name("t");
        let buffer = self.kernel.buffer(name, dtype, extents.to_vec(), Place::Local(Space::Lane));
        self.push(Stmt::Array(buffer));
        buffer
    }

    /// Adds a local array that is held in this space.
    pub fn array_in(&mut self, space: Space, dtype: DType, extents: &[Dim]) -> BufferId {
        let buffer = self.array(dtype, extents);
        self.kernel.buffers[buffer.index()].place = Place::Local(space);
        buffer
    }

    /// Adds a barrier: all lanes of the group arrive here before any continues.
    pub fn barrier(&mut self) {
        self.push(Stmt::Barrier);
    }

    /// Adds a statement on tiles.
    pub fn tile(&mut self, tile: Tile) {
        self.push(Stmt::Tile(Box::new(tile)));
    }

    /// Returns the type of a scalar.
    pub fn dtype(&self, scalar: ScalarId) -> DType {
        self.kernel.dtype(scalar)
    }

    /// Returns the extents of a buffer.
    pub fn extents(&self, buffer: BufferId) -> &[Dim] {
        &self.kernel.buffers[buffer.index()].extents
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names - 1)
    }

    /// Returns a new symbol that counts from 0 to below `extent`. The `_` before its number distinguishes it from sizes.
    fn symbol(&mut self, extent: &Dim) -> Symbol {
        let symbol = Symbol::new(&self.name("_"));
        self.ranges.count(&symbol, extent);
        symbol
    }

    /// Returns the expression with each quotient that can only have one value here replaced by that value.
    pub fn simplified(&self, index: &Dim) -> Dim {
        self.ranges.simplified(index)
    }

    /// Returns the conditions of a guard that are not known to hold here.
    pub fn unproven(&self, mut guard: Guard) -> Guard {
        guard.0.retain(|index| !self.ranges.never_negative(index));
        guard
    }

    /// Returns a new axis of this extent.
    fn axis(&mut self, extent: &Dim) -> Axis {
        Axis::new(self.symbol(extent), extent.clone())
    }

    /// Returns a new axis of this extent with a name that starts with `stem`.
    pub fn named_axis(&mut self, stem: &str, extent: &Dim) -> Axis {
        let taken = self.taken.entry(stem.into()).or_default();
        let name = if *taken == 0 { stem.to_string() } else { format!("{stem}_{taken}") };
        *taken += 1;
        let symbol = Symbol::new(&name);
        self.ranges.count(&symbol, extent);
        Axis::new(symbol, extent.clone())
    }

    /// Returns new axes of these extents, each marked with what runs it.
    pub fn axes_by(&mut self, extents: &[(Dim, Level)]) -> Vec<Axis> {
        let mut axes: Vec<Axis> = extents.iter().map(|(extent, _)| self.axis(extent)).collect();
        axes.iter_mut().zip(extents).for_each(|(axis, &(_, level))| axis.level = level);
        axes
    }

    /// Returns new axes of these extents, and their symbols as index expressions.
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

    /// Adds a scalar that a loop or a function defines.
    fn bound(&mut self, dtype: DType) -> ScalarId {
        self.kernel.scalar(dtype)
    }

    fn define(&mut self, dtype: DType, value: Definition) -> ScalarId {
        let scalar = self.kernel.scalar(dtype);
        self.push(Stmt::Let { scalar, value });
        scalar
    }

    /// Returns what `inner` writes as a separate block.
    fn block<T, E>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<(Block, T), E> {
        self.blocks.push(Open { number: self.begun, block: Block::new() });
        self.begun += 1;
        let result = inner(self);
        let block = self.blocks.pop().unwrap_or_default().block;
        Ok((block, result?))
    }

    /// Returns the number of the innermost block. No two blocks of a kernel have the same number.
    pub fn innermost(&self) -> usize {
        self.blocks.last().map_or(0, |open| open.number)
    }

    /// Returns whether definitions in the block with this number are visible here.
    pub fn is_open(&self, number: usize) -> bool {
        self.blocks.iter().any(|open| open.number == number)
    }

    /// Adds a constant, converted to the type.
    pub fn constant(&mut self, dtype: DType, value: Scalar) -> ScalarId {
        self.define(dtype, Definition::Constant(value.convert(dtype)))
    }

    /// Adds an integer expression as a scalar.
    pub fn index(&mut self, dtype: DType, index: &Dim) -> ScalarId {
        self.define(dtype, Definition::Index(index.clone()))
    }

    /// Loads an element.
    pub fn load(&mut self, buffer: BufferId, at: &[Dim]) -> ScalarId {
        let dtype = self.kernel.buffers[buffer.index()].dtype;
        let cell = Cell { buffer, at: at.to_vec() };
        self.define(dtype, Definition::Load { cell, guard: Guard::default(), fill: None })
    }

    /// Loads an element if the guard holds, and uses `fill` otherwise.
    pub fn load_guarded(&mut self, buffer: BufferId, at: &[Dim], guard: Guard, fill: ScalarId) -> ScalarId {
        let dtype = self.kernel.buffers[buffer.index()].dtype;
        let cell = Cell { buffer, at: at.to_vec() };
        let fill = (!guard.is_empty()).then_some(fill);
        self.define(dtype, Definition::Load { cell, guard, fill })
    }

    /// Stores an element.
    pub fn store(&mut self, buffer: BufferId, at: &[Dim], scalar: ScalarId) {
        self.store_guarded(buffer, at, Guard::default(), scalar);
    }

    /// Stores an element if the guard holds.
    pub fn store_guarded(&mut self, buffer: BufferId, at: &[Dim], guard: Guard, scalar: ScalarId) {
        self.push(Stmt::Store { cell: Cell { buffer, at: at.to_vec() }, guard, scalar });
    }

    /// Applies an elementwise op whose result has this type.
    pub fn apply(&mut self, op: Op, args: &[ScalarId], dtype: DType) -> ScalarId {
        self.define(dtype, Definition::Apply { op: Arc::new(op), args: args.to_vec() })
    }

    /// Applies a function of one number.
    pub fn unary(&mut self, op: UnaryOp, x: ScalarId) -> ScalarId {
        let dtype = op.result(self.dtype(x));
        self.apply(Op::Unary { op }, &[x], dtype)
    }

    /// Applies a function of two numbers.
    pub fn binary(&mut self, op: BinaryOp, a: ScalarId, b: ScalarId) -> ScalarId {
        let dtype = op.result(self.dtype(a));
        self.apply(Op::Binary { op }, &[a, b], dtype)
    }

    /// Compares two numbers.
    pub fn compare(&mut self, op: CompareOp, a: ScalarId, b: ScalarId) -> ScalarId {
        self.apply(Op::Compare { op, total_order: false }, &[a, b], DType::Bool)
    }

    /// Selects one of two scalars.
    pub fn select(&mut self, pred: ScalarId, on_true: ScalarId, on_false: ScalarId) -> ScalarId {
        let dtype = self.dtype(on_true);
        self.apply(Op::Select {}, &[pred, on_true, on_false], dtype)
    }

    /// Converts a number to another type.
    pub fn convert(&mut self, x: ScalarId, dtype: DType) -> ScalarId {
        if self.dtype(x) == dtype { x } else { self.apply(Op::Convert { dtype }, &[x], dtype) }
    }

    /// Reinterprets the bits as another type of the same width.
    pub fn bitcast(&mut self, x: ScalarId, dtype: DType) -> ScalarId {
        if self.dtype(x) == dtype { x } else { self.define(dtype, Definition::Bitcast(x)) }
    }

    /// Computes a · b + c, rounded once.
    pub fn fma(&mut self, args: [ScalarId; 3]) -> ScalarId {
        self.define(self.dtype(args[0]), Definition::Fma(args))
    }

    /// Returns whether a guard holds, as a scalar.
    pub fn holds(&mut self, guard: Guard) -> ScalarId {
        self.define(DType::Bool, Definition::Holds(guard))
    }

    /// Clamps the scalar to the range from 0 to below `extent`, and returns it as an index expression.
    pub fn clamped(&mut self, scalar: ScalarId, extent: &Dim) -> Dim {
        let wide = self.widened_index(scalar);
        let (low, high) =
            (self.constant(DType::I64, Scalar::Int(0)), self.index(DType::I64, &extent.offset(-1)));
        let inside = self.apply(Op::Clamp {}, &[low, wide, high], DType::I64);
        self.named(inside, extent)
    }

    /// Converts an integer to i64. Values that are too large become the maximum of i64.
    pub fn widened_index(&mut self, scalar: ScalarId) -> ScalarId {
        if self.dtype(scalar) != DType::U64 {
            return self.convert(scalar, DType::I64);
        }
        let largest = self.constant(DType::U64, Scalar::Int(i64::MAX.into()));
        let inside = self.binary(BinaryOp::Min, scalar, largest);
        self.convert(inside, DType::I64)
    }

    /// Returns a scalar that is known to be in the range from 0 to below `extent` as an index expression.
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

    /// Does the same with axes that are marked with what runs them.
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

    /// Runs `body` for each index in order. It receives the index and the carried scalars, and returns the carried
    /// scalars for the next iteration. Returns those of the last iteration.
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

    /// Does the same over an existing axis.
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

    /// Runs one of two blocks, which return scalars of the same types.
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

    /// Returns a function of scalars of these types.
    pub fn function<E>(
        &mut self,
        params: &[DType],
        body: impl FnOnce(&mut Self, &[ScalarId]) -> Result<Vec<ScalarId>, E>,
    ) -> Result<Function, E> {
        let params: Vec<ScalarId> = params.iter().map(|&dtype| self.bound(dtype)).collect();
        let (body, results) = self.block(|w| body(w, &params))?;
        Ok(Function { params, body, results })
    }

    /// Combines the results of `body` for the elements of an index space.
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

/// Returns whether a function of two scalars is commutative.
pub(crate) fn is_symmetric(op: &Op) -> bool {
    use BinaryOp::{Add, And, Max, Min, Mul, Or, Xor};
    match op {
        Op::Binary { op } => matches!(op, Add | Mul | Max | Min | And | Or | Xor),
        Op::Compare { op, .. } => matches!(op, CompareOp::Eq | CompareOp::Ne),
        _ => false,
    }
}

/// Returns the sum of two scalars.
pub(crate) fn sum_of(a: ScalarId, b: ScalarId) -> Definition {
    Definition::Apply { op: Arc::new(Op::Binary { op: BinaryOp::Add }), args: vec![a, b] }
}

/// Returns the first scalar if a boolean holds, otherwise the second.
pub(crate) fn select_of(holds: ScalarId, first: ScalarId, second: ScalarId) -> Definition {
    Definition::Apply { op: Arc::new(Op::Select {}), args: vec![holds, first, second] }
}

/// Returns whether either of two booleans holds.
pub(crate) fn either_of(a: ScalarId, b: ScalarId) -> Definition {
    Definition::Apply { op: Arc::new(Op::Binary { op: BinaryOp::Or }), args: vec![a, b] }
}

/// Returns whether an op selects one of two scalars by a boolean.
pub fn is_selection(op: &Op) -> bool {
    matches!(op, Op::Select {})
}

/// Returns the function of one number that an op is.
pub(crate) fn function_of(op: &Op) -> Option<UnaryOp> {
    if let Op::Unary { op } = op { Some(*op) } else { None }
}

/// Returns whether an op only changes the type of its operand.
pub(crate) fn is_conversion(op: &Op) -> bool {
    matches!(op, Op::Convert { .. })
}
