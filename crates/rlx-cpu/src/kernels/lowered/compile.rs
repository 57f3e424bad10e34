//! Compiles kernels of the kernel language, at known sizes, to programs over lanes. Kernels that the executor does not support are refused
//! here, with a reason.

use super::place::SlotInfo;
use super::program::{Access, Condition, Instruction, LanePlace, Register, Slot, SlotCode, Sum, allocate};
use rlx_codegen::build::is_selection;
use rlx_codegen::kernel::{
    Axis, Block, Carried, Cell, Combiner, Definition, Function, Guard, Kernel, ScalarId, Stmt,
};
use rlx_elementwise::compute_type::{ComputeType, is_narrow, register_form};
use rlx_elementwise::steps::{StepWriter, elementwise, total_order};
use rlx_elementwise::tile::{Code, arithmetic, comparison, conversion, load, narrow};
use rlx_ir::{DType, Dim, Op, Scalar, SizeArithmetic, Symbol};
use std::collections::{HashMap, HashSet};

/// Why the executor does not support a kernel.
pub(super) type Refusal = &'static str;

/// A parallel loop of a launch, ready to run.
pub(super) struct Section {
    /// The loop's axes, outermost first: the number of iterations of each, and the slot that counts them.
    pub(super) extents: Vec<usize>,
    pub(super) axes: Vec<Slot>,
    /// Instructions that run once per thread, and those that run for each tile.
    pub(super) once: Vec<Instruction>,
    pub(super) body: Vec<Instruction>,
    /// Number of slots.
    pub(super) slots: usize,
    /// Offsets of registers, in bytes per lane, and the bytes of all registers.
    pub(super) registers: Vec<usize>,
    pub(super) bytes: usize,
    /// Approximate time per index.
    pub(super) picoseconds: u64,
}

/// The state from which reductions start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begin {
    /// The state for no elements.
    Identity,
    /// The first element, which is itself a state. There must be one.
    FirstElement,
}

/// Compiles the sections of a kernel, in order.
pub(super) fn sections(kernel: &Kernel, begin: Begin) -> Result<Vec<Section>, Refusal> {
    let is_par = |stmt: &Stmt| matches!(stmt, Stmt::Par { .. });
    if !kernel.body.iter().all(is_par) {
        return Ok(vec![Compiler::new(kernel, begin).section(&[], &kernel.body)?]);
    }
    let section = |stmt: &Stmt| match stmt {
        Stmt::Par { axes, body } => Compiler::new(kernel, begin).section(axes, body),
        _ => Err("it has statements between its loops"),
    };
    kernel.body.iter().map(section).collect()
}

pub(super) struct Compiler<'k> {
    kernel: &'k Kernel,
    begin: Begin,
    pub(super) blocks: Vec<Vec<Instruction>>,
    pub(super) symbols: HashMap<Symbol, Slot>,
    pub(super) slots: Vec<SlotInfo>,
    pub(super) known_slots: HashMap<SlotCode, Slot>,
    /// Whether a symbol was found that nothing defines.
    pub(super) unknown: bool,
    scalars: HashMap<ScalarId, Register>,
    /// For each scalar, whether it differs between lanes.
    varying: Vec<bool>,
    sizes: Vec<usize>,
    /// The register that says that a reduction has had an element, if reductions begin with one.
    begun: Option<Register>,
    /// The lanes in which the statements run.
    mask: Option<Register>,
    /// How many times the statements run per index of the section, and the time of all so far.
    times: u64,
    picoseconds: u64,
}

/// What nested loops have in common.
struct Loops<'a> {
    reverse: bool,
    begin: Begin,
    carried: &'a [Carried],
    /// The registers of the carried values.
    states: Vec<Register>,
}

/// Maximum number of states for which next values are computed directly in the state's register, which requires reading the body once per
/// state. With more states, next values are copied.
const MOST_MOVED: usize = 16;

/// Approximate picoseconds for the slots and the access of a load or a store, and for an access through a list.
const ACCESS_PICOSECONDS: u64 = 300;

impl StepWriter for Compiler<'_> {
    type Value = Register;

    fn step(&mut self, code: Code, args: &[Register], dtype: DType, _: bool) -> Register {
        self.apply(code, args, ComputeType::of(dtype).size())
    }
}

impl<'k> Compiler<'k> {
    fn new(kernel: &'k Kernel, begin: Begin) -> Compiler<'k> {
        Compiler {
            kernel,
            begin,
            blocks: vec![Vec::new()],
            symbols: HashMap::new(),
            slots: Vec::new(),
            known_slots: HashMap::new(),
            unknown: false,
            scalars: HashMap::new(),
            varying: Vec::new(),
            sizes: Vec::new(),
            begun: None,
            mask: None,
            times: 1,
            picoseconds: 0,
        }
    }

    fn section(mut self, axes: &[Axis], body: &Block) -> Result<Section, Refusal> {
        self.blocks.push(Vec::new());
        let mut extents = Vec::with_capacity(axes.len());
        for axis in axes {
            let extent =
                axis.extent.as_static().ok_or("an axis of a parallel loop has a size that is not known")?;
            extents.push(extent);
        }
        let axes: Vec<Slot> = axes.iter().map(|axis| self.count(&axis.symbol, true)).collect();
        self.block(body)?;
        let (Some(mut body), Some(mut once)) = (self.blocks.pop(), self.blocks.pop()) else {
            return Err("its blocks do not end");
        };
        let (registers, bytes) = allocate(&self.sizes, &mut once, &mut body);
        let (slots, picoseconds) = (self.slots.len(), self.picoseconds);
        Ok(Section { extents, axes, once, body, slots, registers, bytes, picoseconds })
    }

    /// Adds a slot for a loop's variable.
    fn count(&mut self, symbol: &Symbol, varies: bool) -> Slot {
        let slot = self.given(varies);
        self.symbols.insert(symbol.clone(), slot);
        slot
    }

    pub(super) fn push(&mut self, instruction: Instruction) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(instruction);
        }
    }

    fn register(&mut self, size: usize, varies: bool) -> Register {
        self.sizes.push(size);
        self.varying.push(varies);
        self.sizes.len() - 1
    }

    fn size(&self, scalar: ScalarId) -> usize {
        ComputeType::of(self.kernel.dtype(scalar)).size()
    }

    fn scalar(&self, scalar: ScalarId) -> Result<Register, Refusal> {
        self.scalars.get(&scalar).copied().ok_or("it uses an undefined scalar")
    }

    fn scalars(&self, scalars: &[ScalarId]) -> Result<Vec<Register>, Refusal> {
        scalars.iter().map(|&scalar| self.scalar(scalar)).collect()
    }

    /// Returns an index expression in the form that the program reads.
    fn index(&mut self, index: &Dim) -> Result<LanePlace, Refusal> {
        let sum = self.sum(index)?;
        Ok(self.place(&sum))
    }

    fn sum(&mut self, index: &Dim) -> Result<Sum, Refusal> {
        let sum = index.compute(self).map_err(|_| "an index has no value")?;
        if self.unknown { Err("an index has a symbol without a value") } else { Ok(sum) }
    }

    /// Adds an instruction; returns its result.
    fn apply(&mut self, code: Code, args: &[Register], size: usize) -> Register {
        let varies = args.iter().any(|&arg| self.varying[arg]);
        let out = self.register(size, varies);
        self.apply_to(code, args, out);
        out
    }

    fn apply_to(&mut self, code: Code, args: &[Register], out: Register) {
        let mut three = [args.first().copied().unwrap_or(out); 3];
        three.iter_mut().zip(args).for_each(|(place, &arg)| *place = arg);
        self.takes(u64::from(code.picoseconds));
        self.push(Instruction::Apply { code, args: three, out });
    }

    fn takes(&mut self, picoseconds: u64) {
        self.picoseconds = self.picoseconds.saturating_add(picoseconds.saturating_mul(self.times));
    }

    fn block(&mut self, block: &[Stmt]) -> Result<(), Refusal> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        match stmt {
            Stmt::Let { scalar, value } => {
                let register = self.value(*scalar, value)?;
                self.scalars.insert(*scalar, register);
                Ok(())
            }
            Stmt::Name { symbol, scalar, .. } => self.name(symbol, *scalar),
            Stmt::Store { cell, guard, scalar } => self.store(cell, guard, *scalar),
            Stmt::Par { axes, body } => self.loops(axes, false, &[], body).map(|_| ()),
            Stmt::For { axis, reverse, carried, body } => {
                let handed = self.loops(std::slice::from_ref(axis), *reverse, carried, body)?;
                self.scalars.extend(carried.iter().map(|c| c.last).zip(handed));
                Ok(())
            }
            Stmt::If { condition, then, otherwise, joined } => {
                let condition = self.scalar(*condition)?;
                let inverse = self.apply(arithmetic::negation(), &[condition], 1);
                self.masked(condition, then)?;
                self.masked(inverse, otherwise)?;
                for join in joined {
                    let args = [condition, self.scalar(join.then)?, self.scalar(join.otherwise)?];
                    let code = comparison::select(ComputeType::of(self.kernel.dtype(join.result)));
                    let result = self.apply(code, &args, self.size(join.result));
                    self.scalars.insert(join.result, result);
                }
                Ok(())
            }
            Stmt::Reduce { axes, combiner, body, elements, results } => {
                let totals = self.reduce(axes, combiner, body, elements)?;
                self.scalars.extend(results.iter().copied().zip(totals));
                Ok(())
            }
            Stmt::While { .. } => Err("it has a loop that ends by a condition"),
            Stmt::Array(_) => Err("it has a local array"),
            Stmt::Barrier | Stmt::Tile(_) => Err("it is for machines whose lanes work in groups"),
        }
    }

    /// Compiles a block that runs only in the lanes of a mask.
    fn masked(&mut self, mask: Register, block: &Block) -> Result<(), Refusal> {
        if block.is_empty() {
            return Ok(());
        }
        let outer = self.mask;
        let mask = match outer {
            Some(outer) => self.both(outer, mask)?,
            None => mask,
        };
        self.mask = Some(mask);
        self.blocks.push(Vec::new());
        self.block(block)?;
        let body = self.blocks.pop().unwrap_or_default();
        self.mask = outer;
        self.push(Instruction::Masked { mask, body });
        Ok(())
    }

    fn both(&mut self, a: Register, b: Register) -> Result<Register, Refusal> {
        let and = arithmetic::bool_binary(rlx_ir::BinaryOp::And).ok_or("booleans have no conjunction")?;
        Ok(self.apply(and, &[a, b], 1))
    }

    fn name(&mut self, symbol: &Symbol, scalar: ScalarId) -> Result<(), Refusal> {
        let (mut from, dtype) = (self.scalar(scalar)?, self.kernel.dtype(scalar));
        if let Some(code) = conversion::convert(dtype, DType::I64) {
            from = self.apply(code, &[from], 8);
        }
        let slot = self.count(symbol, self.varying[from]);
        self.push(Instruction::Name { slot, from });
        Ok(())
    }

    fn value(&mut self, scalar: ScalarId, value: &Definition) -> Result<Register, Refusal> {
        let (dtype, size) = (self.kernel.dtype(scalar), self.size(scalar));
        match value {
            Definition::Constant(value) => {
                let (out, bytes) = (self.register(size, false), register_form(value.convert(dtype), dtype));
                self.blocks[0].push(Instruction::Constant { bytes, size, out });
                Ok(out)
            }
            Definition::Index(index) => {
                let place = self.index(index)?;
                let out = self.register(8, place.varying.is_some());
                self.takes(ACCESS_PICOSECONDS);
                self.push(Instruction::Index { place, out });
                let code = conversion::convert(DType::I64, dtype);
                Ok(code.map_or(out, |code| self.apply(code, &[out], size)))
            }
            Definition::Holds(guard) => {
                let only = self.condition(guard, None)?;
                let out = self.register(1, only.places.iter().any(|place| place.varying.is_some()));
                self.takes(ACCESS_PICOSECONDS);
                self.push(Instruction::Holds { only, out });
                Ok(out)
            }
            Definition::Load { cell, guard, fill } => self.load(scalar, cell, guard, *fill),
            Definition::Apply { op, args } => self.function(op, args, dtype),
            Definition::Bitcast(from) => {
                let (mut register, from) = (self.scalar(*from)?, self.kernel.dtype(*from));
                if let Some(code) = narrow::shorten(from) {
                    register = self.apply(code, &[register], from.size());
                }
                Ok(narrow::widen(dtype).map_or(register, |code| self.apply(code, &[register], size)))
            }
            Definition::Fma(_) => Err("it rounds a product and a sum once"),
        }
    }

    fn function(&mut self, op: &Op, args: &[ScalarId], result: DType) -> Result<Register, Refusal> {
        if let &[begun, chosen, _] = args
            && is_selection(op)
            && self.begun.is_some_and(|known| self.scalars.get(&begun) == Some(&known))
        {
            return self.scalar(chosen);
        }
        // A machine that widens need not preserve which NaN a narrow float is.
        let mut types = args.iter().map(|&arg| self.kernel.dtype(arg));
        if total_order(op).is_some() && types.any(is_narrow) {
            return Err("it has a total order of narrow floats");
        }
        let typed = args.iter().map(|&arg| Ok((self.scalar(arg)?, self.kernel.dtype(arg))));
        let typed: Vec<(Register, DType)> = typed.collect::<Result<_, Refusal>>()?;
        elementwise(self, op, &typed, result).ok_or("it has a function without tiles")
    }

    fn condition(&mut self, guard: &Guard, mask: Option<Register>) -> Result<Condition, Refusal> {
        let places = guard.0.iter().map(|index| self.index(index)).collect::<Result<_, _>>()?;
        Ok(Condition { places, mask })
    }

    fn access(&mut self, cell: &Cell, guard: &Guard, dtype: DType) -> Result<Access, Refusal> {
        let buffer = &self.kernel.buffers[cell.buffer.index()];
        let mut place = Sum::default();
        for (index, extent) in cell.at.iter().zip(&buffer.extents) {
            let extent = extent.as_static().ok_or("a buffer has a size that is not known")? as i64;
            let index = self.sum(index)?;
            place = place.times(extent).plus(&index);
        }
        self.takes(ACCESS_PICOSECONDS);
        let (stored, held) = (dtype.size(), ComputeType::of(dtype).size());
        let (place, only) = (self.place(&place), self.condition(guard, self.mask)?);
        let is_fixed = buffer.place == rlx_codegen::kernel::Place::In;
        Ok(Access { buffer: cell.buffer.index(), is_fixed, place, only, stored, held, code: None })
    }

    fn load(
        &mut self,
        scalar: ScalarId,
        cell: &Cell,
        guard: &Guard,
        fill: Option<ScalarId>,
    ) -> Result<Register, Refusal> {
        let dtype = self.kernel.dtype(scalar);
        let fill = fill.map(|fill| self.scalar(fill)).transpose()?;
        let mut access = self.access(cell, guard, dtype)?;
        let is_as_stored = access.stored == access.held && dtype != DType::Bool;
        access.code = (!is_as_stored).then(|| load::load(dtype));
        self.takes(u64::from(load::load(dtype).picoseconds));
        let varies = access.place.varying.is_some()
            || access.only.places.iter().any(|place| place.varying.is_some())
            || fill.is_some_and(|fill| self.varying[fill])
            || self.mask.is_some();
        let out = self.register(access.held, varies);
        self.push(Instruction::Load { access, fill, out });
        Ok(out)
    }

    fn store(&mut self, cell: &Cell, guard: &Guard, scalar: ScalarId) -> Result<(), Refusal> {
        let (dtype, from) = (self.kernel.dtype(scalar), self.scalar(scalar)?);
        let mut access = self.access(cell, guard, dtype)?;
        access.code = narrow::shorten(dtype);
        self.push(Instruction::Store { access, from });
        Ok(())
    }

    fn reduce(
        &mut self,
        axes: &[Axis],
        combiner: &Combiner,
        body: &Block,
        elements: &[ScalarId],
    ) -> Result<Vec<Register>, Refusal> {
        let Function { params, body: step, results } = &combiner.step;
        let (states, given) = params.split_at(combiner.identity.len());
        let mut carried: Vec<Carried> = (combiner.identity.iter().zip(states).zip(results))
            .map(|((&first, &inside), &next)| Carried { first, inside, next, last: inside })
            .collect();
        let first = match self.begin {
            Begin::Identity => self.scalars(&combiner.identity)?,
            Begin::FirstElement => {
                let zero = self.slot_of(&Sum::constant(0));
                axes.iter().for_each(|axis| _ = self.symbols.insert(axis.symbol.clone(), zero));
                self.block(body)?;
                // If a state has one more scalar, it says that there was an element.
                carried.truncate(elements.len());
                if let Some(&begun) = states.get(elements.len()) {
                    let register = self.value(begun, &Definition::Constant(Scalar::Int(1)))?;
                    self.scalars.insert(begun, register);
                    self.begun = Some(register);
                }
                self.scalars(elements)?
            }
        };
        let mut loops = Loops { reverse: false, begin: self.begin, carried: &carried, states: Vec::new() };
        let mut totals = self.looped(axes, &mut loops, &first, &mut |compiler| {
            compiler.block(body)?;
            let elements = compiler.scalars(elements)?;
            compiler.scalars.extend(given.iter().copied().zip(elements));
            compiler.block(step)
        })?;
        if totals.len() < combiner.identity.len() {
            totals.extend(self.begun);
        }
        Ok(totals)
    }

    fn loops(
        &mut self,
        axes: &[Axis],
        reverse: bool,
        carried: &[Carried],
        body: &Block,
    ) -> Result<Vec<Register>, Refusal> {
        let first = self.scalars(&carried.iter().map(|c| c.first).collect::<Vec<_>>())?;
        let mut loops = Loops { reverse, begin: Begin::Identity, carried, states: Vec::new() };
        self.looped(axes, &mut loops, &first, &mut |compiler| compiler.block(body))
    }

    /// Compiles nested loops; returns the registers of the carried values.
    fn looped(
        &mut self,
        axes: &[Axis],
        loops: &mut Loops<'_>,
        first: &[Register],
        body: &mut dyn FnMut(&mut Self) -> Result<(), Refusal>,
    ) -> Result<Vec<Register>, Refusal> {
        for (c, &first) in loops.carried.iter().zip(first) {
            let size = self.size(c.inside);
            // A value that is the same in all lanes may differ after the body.
            let state = self.register(size, true);
            self.apply_to(comparison::copy(size), &[first], state);
            self.scalars.insert(c.inside, state);
            loops.states.push(state);
        }
        self.nested(axes, &Sum::default(), loops, body)?;
        Ok(std::mem::take(&mut loops.states))
    }

    /// Compiles the loops over axes; `outer` is the sum of the indices of the loops around them.
    fn nested(
        &mut self,
        axes: &[Axis],
        outer: &Sum,
        loops: &Loops<'_>,
        body: &mut dyn FnMut(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some((axis, rest)) = axes.split_first() else {
            body(self)?;
            return self.hand_on(loops.carried, &loops.states);
        };
        let extent_sum = self.sum(&axis.extent)?;
        let extent = self.place(&extent_sum);
        // The very first element is skipped.
        let is_second = loops.begin == Begin::FirstElement && rest.is_empty();
        let from = if is_second {
            let left_out = Sum::constant(1).plus(&outer.times(-1));
            self.larger(&Sum::default(), &left_out)
        } else {
            Sum::default()
        };
        let from = self.place(&from);
        let (times, mask) = (self.times, self.mask);
        let often = extent.rest.constant.max(1) as u64;
        self.times = times.saturating_mul(if extent.varying.is_none() { often } else { often.max(8) });
        self.blocks.push(Vec::new());
        let slot = self.count(&axis.symbol, false);
        let index = Sum::of(slot);
        if extent.varying.is_some() {
            if loops.reverse {
                return Err("it counts down from an index that differs between lanes");
            }
            // Lanes that are done wait for the others.
            let left = extent_sum.plus(&index.times(-1)).plus(&Sum::constant(-1));
            let only = Condition { places: vec![self.place(&left)], mask };
            let out = self.register(1, true);
            self.push(Instruction::Holds { only, out });
            self.mask = Some(out);
        }
        self.nested(rest, &outer.plus(&index), loops, body)?;
        let body = self.blocks.pop().unwrap_or_default();
        (self.times, self.mask) = (times, mask);
        self.push(Instruction::Loop { slot, from, extent, reverse: loops.reverse, body });
        Ok(())
    }

    /// Stores the results of an iteration where the next one reads them.
    fn hand_on(&mut self, carried: &[Carried], states: &[Register]) -> Result<(), Refusal> {
        let mut next = self.scalars(&carried.iter().map(|c| c.next).collect::<Vec<_>>())?;
        if let Some(mask) = self.mask {
            for (i, &state) in states.iter().enumerate() {
                let code = comparison::select(ComputeType::of(self.kernel.dtype(carried[i].next)));
                next[i] = self.apply(code, &[mask, next[i], state], self.sizes[state]);
            }
        }
        let all_states: HashSet<Register> = states.iter().copied().collect();
        // A next value that is itself a state is saved before another value replaces it.
        for i in 0..next.len() {
            if all_states.contains(&next[i]) && next[i] != states[i] {
                next[i] = self.apply(comparison::copy(self.sizes[next[i]]), &[next[i]], self.sizes[next[i]]);
            }
        }
        let mut uses = HashMap::<Register, usize>::new();
        next.iter().for_each(|&made| *uses.entry(made).or_default() += 1);
        for (i, &state) in states.iter().enumerate() {
            let may_move = uses[&next[i]] == 1 && states.len() <= MOST_MOVED;
            if next[i] != state && !(may_move && self.is_made_in(next[i], state)) {
                self.apply_to(comparison::copy(self.sizes[state]), &[next[i]], state);
            }
        }
        Ok(())
    }

    /// Makes the instruction that computes a scalar write to a state, if no instruction after it reads that state. Returns whether it did.
    fn is_made_in(&mut self, made: Register, state: Register) -> bool {
        let Some(block) = self.blocks.last_mut() else { return false };
        let writes = |i: &mut Instruction| matches!(i, Instruction::Apply { out, .. } if *out == made);
        let Some(at) = block.iter_mut().position(writes) else { return false };
        if self.sizes[made] != self.sizes[state] || block[at + 1..].iter_mut().any(|i| i.uses(state)) {
            return false;
        }
        block[at..].iter_mut().for_each(|instruction| instruction.rename(made, state));
        true
    }
}
