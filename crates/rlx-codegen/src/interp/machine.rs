//! Runs [`Code`].

use super::code::{
    Access, BufferInfo, Code, Compute, Conditional, CopyCode, Counter, Handed, Instruction as I, Later,
    Reduction, Routine, Spread,
};
use super::compute;
use super::fault::{Fault, FaultKind};
use super::gathered::Gathered;
use super::index::Index;
use super::memory::{Clock, Misuse, Moment, Watched, Worker};
use super::{Counts, Interpreter};
use crate::kernel::Space;
use rlx_ir::{Scalar, Symbol};

type Done = Result<(), Box<Fault>>;

/// The bytes of an element: 8 or 16 for the value, and three moments.
const ELEMENT_BYTES: u64 = 28;

/// The state that outlives a kernel.
pub(super) struct Run<'a> {
    pub(super) interpreter: &'a Interpreter,
    /// All memory.
    pub(super) memories: Vec<Watched>,
    /// The number of bytes that it takes.
    pub(super) bytes: u64,
    pub(super) clock: Clock,
    pub(super) counts: Counts,
}

impl Run<'_> {
    /// Adds memory without contents.
    pub(super) fn allocate(&mut self, dims: &[usize], dtype: rlx_ir::DType) -> Result<Watched, FaultKind> {
        let elements = rlx_ir::shape::checked_product(dims).and_then(|n| u64::try_from(n).ok());
        let bytes =
            elements.and_then(|n| n.checked_mul(ELEMENT_BYTES)).and_then(|b| b.checked_add(self.bytes));
        let limit = self.interpreter.bytes;
        match bytes {
            Some(bytes) if bytes <= limit => self.bytes = bytes,
            bytes => return Err(FaultKind::TooLarge { bytes: bytes.unwrap_or(u64::MAX), limit }),
        }
        let made = self.clock.advance();
        Ok(Watched::empty(dims.to_vec(), dtype, made))
    }

    /// Returns memory for a local array, whose elements are held in its space.
    pub(super) fn array(
        &mut self,
        dims: &[usize],
        info: &BufferInfo,
        has_workers: bool,
    ) -> Result<Watched, FaultKind> {
        let memory = self.allocate(dims, info.dtype)?;
        Ok(match info.space {
            Some(Space::Group) => memory.shared(),
            Some(Space::Lane) if has_workers => memory.held_by(1),
            Some(Space::Subgroup) if has_workers => memory.held_by(self.interpreter.subgroup.max(1)),
            _ => memory,
        })
    }

    /// Stops counting the bytes of memory that is no longer needed.
    fn release(&mut self, memory: usize) {
        self.bytes -= self.memories[memory].value.len() as u64 * ELEMENT_BYTES;
    }

    /// Releases all memory from this one on.
    pub(super) fn release_from(&mut self, first: usize) {
        (first..self.memories.len()).for_each(|memory| self.release(memory));
        self.memories.truncate(first);
    }
}

/// A kernel that is running.
pub(super) struct Machine<'a, 'r> {
    pub(super) run: &'a mut Run<'r>,
    pub(super) code: &'a Code,
    /// The memory of each buffer. That of a local array is empty until the array is made.
    pub(super) bound: Vec<usize>,
    pub(super) scalars: Vec<Scalar>,
    pub(super) symbols: Vec<i64>,
    pub(super) scratch: Vec<i64>,
    pub(super) bytes: Vec<u8>,
    /// Scalars that are being moved.
    pub(super) moving: Vec<Scalar>,
    /// How often each function has been applied.
    pub(super) applied: Vec<u64>,
    /// When the kernel began.
    pub(super) began: Moment,
    /// The simultaneous accesses of a subgroup's lanes.
    pub(super) gathered: Gathered,
    /// The copies in progress.
    pub(super) copies: Vec<Pending>,
}

/// An element that is being copied asynchronously.
pub(super) struct Pending {
    slot: i64,
    /// The buffers, for error messages.
    buffers: [usize; 2],
    /// The destination.
    to: (usize, usize),
    /// The source, or the fill value.
    from: Result<(usize, usize), Scalar>,
    /// The element, if it was read when the copy began.
    early: Option<Scalar>,
}

impl Machine<'_, '_> {
    fn fault(&self, kind: FaultKind) -> Box<Fault> {
        Fault::new(&self.code.name, kind)
    }

    pub(super) fn block(&mut self, block: &[I]) -> Done {
        self.run.counts.statements += block.len() as u64;
        let limit = self.run.interpreter.statements;
        if self.run.counts.statements > limit || self.run.clock.is_full() {
            return Err(self.fault(FaultKind::TooLong { limit }));
        }
        block.iter().try_for_each(|instruction| self.step(instruction))
    }

    fn step(&mut self, instruction: &I) -> Done {
        match instruction {
            I::Constant { scalar, value } => self.scalars[*scalar] = *value,
            I::Index { scalar, dtype, index } => {
                self.scalars[*scalar] = Scalar::Int(self.index(index)?.into()).convert(*dtype);
            }
            I::Holds { scalar, guard } => {
                self.scalars[*scalar] = Scalar::Int(i128::from(self.holds(guard)?));
            }
            I::Load { scalar, access, fill } => self.scalars[*scalar] = self.load(access, *fill)?,
            I::Compute { scalar, dtype, compute, args, function } => {
                let mut operands = [Scalar::Int(0); 3];
                for (operand, &arg) in operands.iter_mut().zip(args) {
                    *operand = self.scalars[arg];
                }
                self.applied[*function] += 1;
                let result = match compute {
                    Compute::Apply(op, number) => compute::apply(op, *number, &operands[..args.len()])
                        .map_err(|kind| self.fault(kind))?
                        .convert(*dtype),
                    Compute::Fma => compute::fma(*dtype, operands),
                    Compute::Bitcast(from) => compute::bitcast(*from, *dtype, operands[0], &mut self.bytes),
                };
                self.scalars[*scalar] = result;
            }
            I::Name { symbol, scalar, extent } => self.name(*symbol, *scalar, extent)?,
            I::Array { buffer, extents } => self.array(*buffer, extents)?,
            I::Store { access, scalar } => self.store(access, *scalar)?,
            I::Par { axes, spread, body } => self.spread(axes, spread, |machine| machine.block(body))?,
            I::Barrier => self.run.clock.begin_phase(),
            I::Copy(copy) => self.copy(copy)?,
            I::Wait { slot } => self.wait(slot)?,
            I::For { axis, reverse, handed, body } => self.ordered(axis, *reverse, handed, body)?,
            I::While(conditional) => self.conditional(conditional)?,
            I::If { condition, branches: [then, otherwise], joined } => {
                let holds = self.scalars[*condition] == Scalar::Int(1);
                self.block(if holds { then } else { otherwise })?;
                for [ours, theirs, result] in joined {
                    self.scalars[*result] = self.scalars[if holds { *ours } else { *theirs }];
                }
            }
            I::Reduce(reduction) => self.reduce(reduction)?,
        }
        Ok(())
    }

    fn index(&mut self, index: &Index) -> Result<i64, Box<Fault>> {
        index.value(&self.symbols, &mut self.scratch).map_err(|kind| Fault::new(&self.code.name, kind))
    }

    fn extent(&mut self, extent: &Index) -> Result<i64, Box<Fault>> {
        match self.index(extent)? {
            extent @ 0.. => Ok(extent),
            extent => Err(self.fault(FaultKind::NegativeExtent { extent })),
        }
    }

    fn holds(&mut self, guard: &[Index]) -> Result<bool, Box<Fault>> {
        for index in guard {
            if self.index(index)? < 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the memory of an element and its position in it.
    fn place(&mut self, access: &Access) -> Result<(usize, usize), Box<Fault>> {
        let memory = self.bound[access.buffer];
        let mut place = 0;
        for (axis, index) in access.at.iter().enumerate() {
            let index = index.value(&self.symbols, &mut self.scratch);
            let index = index.map_err(|kind| Fault::new(&self.code.name, kind))?;
            let extent = self.run.memories[memory].value.dims()[axis];
            match usize::try_from(index) {
                Ok(index) if index < extent => place = place * extent + index,
                _ => {
                    let buffer = self.code.buffers[access.buffer].name.clone();
                    return Err(self.fault(FaultKind::OutOfBounds { buffer, axis, index, extent }));
                }
            }
        }
        let swizzle = self.code.buffers[access.buffer].swizzle;
        Ok((memory, swizzle.map_or(place, |swizzle| swizzle.place(place))))
    }

    fn load(&mut self, access: &Access, fill: Option<usize>) -> Result<Scalar, Box<Fault>> {
        let info = &self.code.buffers[access.buffer];
        if !self.holds(&access.guard)? {
            let fill = fill.map(|fill| self.scalars[fill]);
            return fill.ok_or_else(|| self.fault(FaultKind::NoFill { buffer: info.name.clone() }));
        }
        let (memory, place) = self.place(access)?;
        self.run.counts.loads += 1;
        self.run.counts.bytes_loaded += info.dtype.size() as u64;
        self.gathered.note(access.site, info, place);
        let read = self.run.memories[memory].read(place, &self.run.clock);
        read.map_err(|misuse| self.misuse(access.buffer, memory, place, misuse))
    }

    fn store(&mut self, access: &Access, scalar: usize) -> Done {
        if !self.holds(&access.guard)? {
            return Ok(());
        }
        let info = &self.code.buffers[access.buffer];
        let (memory, place) = self.place(access)?;
        self.run.counts.stores += 1;
        self.run.counts.bytes_stored += info.dtype.size() as u64;
        self.gathered.note(access.site, info, place);
        let once = info.once.then_some(self.began);
        let written = self.run.memories[memory].write(place, self.scalars[scalar], once, &self.run.clock);
        written.map_err(|misuse| self.misuse(access.buffer, memory, place, misuse))
    }

    fn misuse(&self, buffer: usize, memory: usize, place: usize, misuse: Misuse) -> Box<Fault> {
        let BufferInfo { name: buffer, swizzle, .. } = &self.code.buffers[buffer];
        let (buffer, place) = (buffer.clone(), swizzle.map_or(place, |swizzle| swizzle.place(place)));
        let at = indices(place, self.run.memories[memory].value.dims());
        self.fault(match misuse {
            Misuse::Unwritten => FaultKind::Unwritten { buffer, at },
            Misuse::Race(conflict) => FaultKind::Race { buffer, at, conflict },
            Misuse::Twice => FaultKind::WrittenTwice { buffer, at },
            Misuse::Foreign => FaultKind::Foreign { buffer, at },
        })
    }

    fn name(&mut self, symbol: usize, scalar: usize, extent: &Index) -> Done {
        let extent = self.index(extent)?;
        let value = match self.scalars[scalar] {
            Scalar::Int(value) => value,
            other => other.to_f64() as i128,
        };
        match i64::try_from(value) {
            Ok(index) if (0..extent).contains(&index) => self.symbols[symbol] = index,
            _ => {
                let symbol = self.code.symbols[symbol].clone();
                return Err(self.fault(FaultKind::Named { symbol, value, extent }));
            }
        }
        Ok(())
    }

    fn array(&mut self, buffer: usize, extents: &[Index]) -> Done {
        let mut dims = Vec::with_capacity(extents.len());
        for extent in extents {
            dims.push(self.extent(extent)? as usize);
        }
        let memory = self.bound[buffer];
        if self.run.memories[memory].value.dims() == dims {
            let made = self.run.clock.advance();
            self.run.memories[memory].renew(made);
        } else {
            let info = &self.code.buffers[buffer];
            self.run.release(memory);
            let made = self.run.array(&dims, info, self.code.has_workers);
            self.run.memories[memory] = made.map_err(|kind| self.fault(kind))?;
        }
        Ok(())
    }

    /// Runs `body` for each iteration of a parallel loop, on the part of the machine that runs the iteration.
    fn spread(&mut self, axes: &[Counter], spread: &Spread, mut body: impl FnMut(&mut Self) -> Done) -> Done {
        match spread {
            Spread::None => self.index_space(axes, body),
            Spread::Groups => {
                self.index_space(axes, |machine| {
                    machine.run.clock.begin_phase();
                    body(machine)?;
                    machine.finish_copies()
                })?;
                self.run.clock.begin_phase();
                Ok(())
            }
            Spread::Workers { lanes, axes: workers } => {
                let mut counted = Vec::with_capacity(workers.len());
                for &place in workers {
                    counted.push((axes[place].symbol, self.extent(&axes[place].extent)?));
                }
                self.index_space(axes, |machine| {
                    let number =
                        counted.iter().fold(0, |n, &(symbol, extent)| n * extent + machine.symbols[symbol]);
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    let worker = if *lanes { Worker::Lane(number) } else { Worker::Subgroup(number) };
                    machine.run.clock.begin_shift(worker);
                    if *lanes {
                        machine.gathered.begin(number, &mut machine.run.counts);
                    }
                    body(machine)
                })?;
                self.gathered.end(&mut self.run.counts);
                self.run.clock.begin_shift(Worker::All);
                Ok(())
            }
        }
    }

    /// Begins an asynchronous copy. Until it has been waited for, nothing may access the elements that it writes.
    fn copy(&mut self, copy: &CopyCode) -> Done {
        let slot = self.index(&copy.slot)?;
        let CopyCode { axes, spread, within, from, to, fill, slot: _ } = copy;
        self.spread(axes, spread, |machine| {
            if !machine.holds(within)? {
                return Ok(());
            }
            let goes = machine.place(to)?;
            let source = match (machine.holds(&from.guard)?, fill) {
                (true, _) => Ok(machine.place(from)?),
                (false, Some(fill)) => Err(machine.scalars[*fill]),
                (false, None) => {
                    let buffer = machine.code.buffers[from.buffer].name.clone();
                    return Err(machine.fault(FaultKind::NoFill { buffer }));
                }
            };
            let awaited = machine.run.memories[goes.0].await_copy(goes.1, &machine.run.clock);
            awaited.map_err(|misuse| machine.misuse(to.buffer, goes.0, goes.1, misuse))?;
            machine.gathered.note(to.site, &machine.code.buffers[to.buffer], goes.1);
            let buffers = [from.buffer, to.buffer];
            let mut pending = Pending { slot, buffers, to: goes, from: source, early: None };
            if let Ok((_, place)) = source {
                machine.gathered.note(from.site, &machine.code.buffers[from.buffer], place);
            }
            if !machine.run.interpreter.late_copies {
                pending.early = Some(machine.fetched(&pending)?);
            }
            machine.copies.push(pending);
            Ok(())
        })
    }

    /// Returns the element that a copy delivers.
    fn fetched(&mut self, pending: &Pending) -> Result<Scalar, Box<Fault>> {
        let (memory, place) = match pending.from {
            Ok(from) => from,
            Err(fill) => return Ok(fill),
        };
        let (buffer, size) = (pending.buffers[0], self.code.buffers[pending.buffers[0]].dtype.size());
        self.run.counts.loads += 1;
        self.run.counts.bytes_loaded += size as u64;
        let read = self.run.memories[memory].read(place, &self.run.clock);
        read.map_err(|misuse| self.misuse(buffer, memory, place, misuse))
    }

    /// Completes the copies of a slot.
    fn wait(&mut self, slot: &Index) -> Done {
        let slot = self.index(slot)?;
        let all = std::mem::take(&mut self.copies);
        let (arrived, left) = all.into_iter().partition(|pending| pending.slot == slot);
        self.copies = left;
        let arrived: Vec<Pending> = arrived;
        for pending in arrived {
            let scalar = match pending.early {
                Some(scalar) => scalar,
                None => self.fetched(&pending)?,
            };
            let (memory, place) = pending.to;
            let buffer = pending.buffers[1];
            self.run.counts.stores += 1;
            self.run.counts.bytes_stored += self.code.buffers[buffer].dtype.size() as u64;
            let delivered = self.run.memories[memory].deliver(place, scalar, &self.run.clock);
            delivered.map_err(|misuse| self.misuse(buffer, memory, place, misuse))?;
        }
        Ok(())
    }

    /// Reports a copy that nothing has waited for.
    pub(super) fn finish_copies(&self) -> Done {
        match self.copies.first() {
            None => Ok(()),
            Some(&Pending { slot, .. }) => Err(self.fault(FaultKind::NeverAwaited { slot })),
        }
    }

    /// Runs `body` for each element of an index space, in row-major order, but as independent iterations.
    fn index_space(&mut self, axes: &[Counter], mut body: impl FnMut(&mut Self) -> Done) -> Done {
        let mut extents = Vec::with_capacity(axes.len());
        for axis in axes {
            extents.push(self.extent(&axis.extent)?);
        }
        if extents.contains(&0) {
            return Ok(());
        }
        axes.iter().for_each(|axis| self.symbols[axis.symbol] = 0);
        self.run.clock.begin_loop();
        loop {
            self.run.clock.begin_iteration();
            self.run.counts.iterations += 1;
            if let Err(mut fault) = body(self) {
                for axis in axes.iter().rev() {
                    fault = fault.within(self.symbol(axis.symbol), self.symbols[axis.symbol]);
                }
                return Err(fault);
            }
            let next = axes.iter().zip(&extents).rev().find(|&(axis, &extent)| {
                self.symbols[axis.symbol] += 1;
                let inside = self.symbols[axis.symbol] < extent;
                if !inside {
                    self.symbols[axis.symbol] = 0;
                }
                inside
            });
            if next.is_none() {
                break;
            }
        }
        self.run.clock.end_loop();
        Ok(())
    }

    fn symbol(&self, symbol: usize) -> &Symbol {
        &self.code.symbols[symbol]
    }

    fn begin(&mut self, handed: &[Handed]) {
        handed.iter().for_each(|h| self.scalars[h.inside] = self.scalars[h.first]);
    }

    /// Hands scalars to the next iteration, all at the same time.
    fn hand_on(&mut self, handed: &[Handed]) {
        self.moving.clear();
        self.moving.extend(handed.iter().map(|h| self.scalars[h.next]));
        handed.iter().zip(&self.moving).for_each(|(h, scalar)| self.scalars[h.inside] = *scalar);
    }

    fn end(&mut self, handed: &[Handed]) {
        handed.iter().for_each(|h| self.scalars[h.last] = self.scalars[h.inside]);
    }

    fn ordered(&mut self, axis: &Counter, reverse: bool, handed: &[Handed], body: &[I]) -> Done {
        let extent = self.extent(&axis.extent)?;
        self.begin(handed);
        for i in 0..extent {
            let index = if reverse { extent - 1 - i } else { i };
            self.symbols[axis.symbol] = index;
            self.run.counts.iterations += 1;
            self.block(body).map_err(|fault| fault.within(self.symbol(axis.symbol), index))?;
            self.hand_on(handed);
        }
        self.end(handed);
        Ok(())
    }

    fn conditional(&mut self, conditional: &Conditional) -> Done {
        let Conditional { handed, condition, again, body, bound } = conditional;
        let bound = self.index(bound)?;
        let mut iterations = 0;
        self.begin(handed);
        loop {
            self.block(condition)?;
            if self.scalars[*again] != Scalar::Int(1) {
                break;
            }
            if iterations >= bound {
                return Err(self.fault(FaultKind::WhileBound { bound }));
            }
            iterations += 1;
            self.run.counts.iterations += 1;
            self.block(body)?;
            self.hand_on(handed);
        }
        self.end(handed);
        Ok(())
    }

    fn reduce(&mut self, reduction: &Reduction) -> Done {
        let Reduction { axes, identity, later, step, merge, body, elements, results } = reduction;
        let values = |machine: &Self, places: &[usize]| -> Vec<Scalar> {
            places.iter().map(|&place| machine.scalars[place]).collect()
        };
        let first = values(self, identity);
        let later = match later {
            Later::Identity => Some(first.clone()),
            Later::None(state) => Some(state.clone()),
            Later::Element | Later::Nothing => None,
        };
        let most = match (self.run.interpreter.elements_per_part, &reduction.later) {
            (None, _) | (_, Later::Nothing) => u64::MAX,
            (Some(most), _) => most.max(1),
        };
        let mut whole: Option<Vec<Scalar>> = None;
        let (mut part, mut in_part) = (Some(first), 0);
        self.index_space(axes, |machine| {
            if in_part == most
                && let Some(finished) = std::mem::replace(&mut part, later.clone())
            {
                whole = Some(match whole.take() {
                    None => finished,
                    Some(before) => machine.call(merge, &before, &finished)?,
                });
                in_part = 0;
            }
            machine.block(body)?;
            let given = values(machine, elements);
            part = Some(match part.take() {
                Some(state) => machine.call(step, &state, &given)?,
                None => given,
            });
            in_part += 1;
            Ok(())
        })?;
        // A part after the first one has an element.
        let state = match (whole, part.unwrap_or_default()) {
            (None, part) => part,
            (Some(before), part) => self.call(merge, &before, &part)?,
        };
        results.iter().zip(state).for_each(|(&result, scalar)| self.scalars[result] = scalar);
        Ok(())
    }

    fn call(
        &mut self,
        routine: &Routine,
        first: &[Scalar],
        second: &[Scalar],
    ) -> Result<Vec<Scalar>, Box<Fault>> {
        let params = routine.params.iter().zip(first.iter().chain(second));
        params.for_each(|(&param, scalar)| self.scalars[param] = *scalar);
        self.block(&routine.body)?;
        Ok(routine.results.iter().map(|&result| self.scalars[result]).collect())
    }
}

/// Returns the indices of an element from its row-major position.
pub(super) fn indices(place: usize, dims: &[usize]) -> Vec<usize> {
    let mut rest = place;
    let mut indices = vec![0; dims.len()];
    for (index, &dim) in indices.iter_mut().zip(dims).rev() {
        (*index, rest) = (rest % dim, rest / dim);
    }
    indices
}
