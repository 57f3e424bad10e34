//! Register programs over tiles: instructions and operand loads with registers in scratch memory, and how a tile
//! runs through them. Knows neither graphs nor threads.

use super::compiled::{MAX_STREAMS, MachineCode};
use super::compute_type::{ComputeType, is_narrow};
use super::dag::{Definition, ExprDag, OperandRef, SsaValue};
use super::index::{AccessPattern, Space, row_offset};
use super::registers::Registers;
use super::segment::{Segment, Usage, segments};
use super::tile::{Call, Code, Extra, comparison, load, narrow};
use crate::exec::Span;
use crate::isa::Cpu;
use std::sync::Arc;

/// Bytes of registers that leave room for operands and results in the first-level cache.
const REGISTER_BYTES: usize = 12 << 10;
/// Elements of a tile: few enough for the cache, enough to hide what an instruction costs to start.
const TILE: std::ops::RangeInclusive<usize> = 128..=2048;
/// Elements of a tile of a program that only hands on its operand.
const WHOLE: usize = 1 << 14;
/// Rows at least this long are cut into tiles; shorter ones share a tile.
pub(crate) const LONG_ROW: usize = 256;
/// Tiles are a multiple of this, so that all vectors but a row's last are whole.
const GRAIN: usize = 32;

/// Where a program leaves its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// In the caller's memory, stored as the element type says.
    Stored,
    /// The only result wherever it comes to lie, as registers hold it.
    InRegisters,
}

/// Where a tile of a value lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Location {
    /// This many register bytes per element from the start.
    Register(usize),
    /// The operand itself, or the register that it is read into.
    Load(usize),
    /// The caller's memory for this result.
    Out(usize),
}

#[derive(Clone, Debug)]
struct Load {
    source: OperandRef,
    layout: AccessPattern,
    code: Code,
    /// Bytes of a stored element and of one in a register.
    stored: usize,
    held: usize,
    register: usize,
    /// Whether stored elements may be used where they lie.
    as_stored: bool,
    /// Whether they always are, so that there is no register.
    in_place: bool,
}

#[derive(Clone, Copy, Debug)]
enum Instruction {
    /// Makes the tile of an operand available.
    Load(usize),
    Apply {
        code: Code,
        args: [Location; 3],
        out: Location,
    },
    /// Runs a compiled loop.
    Loop(usize),
}

/// A compiled loop with its operands and results.
#[derive(Clone, Debug)]
struct CompiledLoop {
    code: Arc<MachineCode>,
    /// What its pointers name: `inputs` operands, then results.
    streams: Vec<Location>,
    inputs: usize,
}

/// A program ready to run on tiles of consecutive indices.
pub(crate) struct TileProgram {
    total: usize,
    row: usize,
    tile: usize,
    loads: Vec<Load>,
    /// Loads and constants that hold for every tile.
    lasting: Vec<usize>,
    constants: Vec<(usize, [u8; 16], usize)>,
    instructions: Vec<Instruction>,
    loops: Vec<CompiledLoop>,
    /// Where the first result lies.
    result: Location,
    /// Operands that are one of several results as they are.
    handed_on: Vec<usize>,
    /// Register bytes per element, all registers together.
    registers: usize,
    /// Elements that a register holds.
    capacity: usize,
    picoseconds: u64,
}

impl TileProgram {
    /// Gives the values of a dag registers. Dimensions before and after each of `splits` stay apart, so that rows of
    /// what follows the last are rows of tiles.
    pub(crate) fn new(dag: &ExprDag, splits: &[usize], target: Target, cpu: Cpu) -> TileProgram {
        let mut planner = Planner::new(dag, splits);
        let result = planner.place(dag, target, cpu);
        let row = planner.space.row();
        let picoseconds = planner.picoseconds;
        let registers = planner.registers.size();
        let tile = tile_size(row, planner.space.total(), registers, picoseconds == 0);
        // A repeated row is read once, and then used from any of its elements on.
        let capacity = (tile + if row < LONG_ROW { row } else { 0 }).next_multiple_of(16);
        let mut program = TileProgram {
            total: planner.space.total(),
            row,
            tile,
            loads: planner.loads,
            lasting: Vec::new(),
            constants: planner.constants,
            instructions: planner.instructions,
            loops: planner.loops,
            result,
            handed_on: planner.handed_on,
            registers,
            capacity,
            picoseconds,
        };
        program.lasting = (0..program.loads.len()).filter(|&i| program.lasts(i)).collect();
        let lasting = program.lasting.clone();
        program.instructions.retain(|s| !matches!(s, Instruction::Load(i) if lasting.contains(i)));
        program
    }

    /// Number of indices.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The size of the innermost merged dimension.
    pub(crate) fn row(&self) -> usize {
        self.row
    }

    /// Preferred elements of a tile.
    pub(crate) fn tile(&self) -> usize {
        self.tile
    }

    /// Scratch bytes of one thread.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.register_bytes() + (self.loads.len() * size_of::<*const u8>()).next_multiple_of(64)
    }

    fn register_bytes(&self) -> usize {
        (self.registers * self.capacity).next_multiple_of(64)
    }

    /// About how long an element takes on one thread.
    pub(crate) fn picoseconds(&self) -> u64 {
        self.picoseconds
    }

    /// The operands that a result may overwrite when it has elements of `size` bytes: those that are only read where the
    /// results of the same index are written, and before any is.
    pub(crate) fn in_place(&self, size: usize) -> Vec<usize> {
        let safe = |l: &Load| l.layout == AccessPattern::Dense && l.stored == size && !l.source.in_registers;
        let mut list = Vec::new();
        for load in self.loads.iter().filter(|l| safe(l)) {
            let operand = load.source.operand;
            let is_safe = self.loads.iter().filter(|l| l.source.operand == operand).all(safe)
                && !self.handed_on.contains(&operand);
            if is_safe && !list.contains(&operand) {
                list.push(operand);
            }
        }
        list
    }

    /// Whether the register of a load holds for every tile.
    fn lasts(&self, load: usize) -> bool {
        match self.loads[load].layout {
            // What is held in registers comes with each tile.
            _ if self.loads[load].source.in_registers || self.loads[load].in_place => false,
            AccessPattern::Uniform => true,
            AccessPattern::Repeated { .. } => self.row < LONG_ROW,
            _ => false,
        }
    }

    /// How many of the indices from `at` to `end` make the next tile.
    pub(crate) fn next(&self, at: usize, end: usize) -> usize {
        let left = end - at;
        if self.row == self.total || self.row < LONG_ROW {
            return left.min(self.tile);
        }
        left.min(self.tile).min(self.row - at % self.row)
    }

    /// Makes ready to run tiles: reads what holds for all of them.
    ///
    /// # Safety
    /// `operands` hold what the sources of the dag say; `scratch` has [`scratch_bytes`](TileProgram::scratch_bytes) bytes
    /// at a cache line's alignment and is used by nobody else as long as the run.
    pub(crate) unsafe fn begin<'a>(&'a self, cpu: Cpu, operands: &'a [Span], scratch: *mut u8) -> Run<'a> {
        let tiles = scratch.wrapping_add(self.register_bytes()).cast();
        let run = Run { program: self, cpu, operands, in_registers: std::ptr::null(), scratch, tiles };
        let filled = self.capacity.min(self.total + self.row);
        for &(register, bytes, size) in &self.constants {
            let code = load::load_size(size);
            // SAFETY: the register lies in the scratch memory and holds `filled` elements.
            unsafe {
                let dst = run.register(register);
                run.call(code, dst, [bytes.as_ptr(); 3], filled, Extra::Stride(0));
            }
        }
        for &i in &self.lasting {
            // SAFETY: the register lies in the scratch memory and holds `filled` elements; every row of the operand
            // begins at its first element.
            unsafe { run.fill(&self.loads[i], 0, filled) };
        }
        run
    }
}

/// Elements of a tile over rows of `row` elements with this many register bytes per element.
fn tile_size(row: usize, total: usize, registers: usize, empty: bool) -> usize {
    let most = if empty {
        WHOLE
    } else {
        (REGISTER_BYTES / registers.max(1)).clamp(*TILE.start(), *TILE.end()) / GRAIN * GRAIN
    };
    if row < LONG_ROW && row < total {
        return (most / row).max(1) * row;
    }
    let pieces = row.div_ceil(most).max(1);
    row.div_ceil(pieces).next_multiple_of(GRAIN)
}

/// A program at work on one thread.
pub(crate) struct Run<'a> {
    program: &'a TileProgram,
    cpu: Cpu,
    operands: &'a [Span],
    in_registers: *const u8,
    scratch: *mut u8,
    /// Where the tile of each load lies.
    tiles: *mut *const u8,
}

impl Run<'_> {
    /// Where the operand held in registers would lie if all of it were there: the next tiles must be.
    pub(crate) fn set_in_registers(&mut self, in_registers: *const u8) {
        self.in_registers = in_registers;
    }

    /// Runs the tile of `len` indices from `at`, and returns where its first result lies: for a [`Target::Stored`] program
    /// that is what `out` gives for it.
    ///
    /// # Safety
    /// `len` is at most [`TileProgram::tile`] and the indices exist. What `out` gives for each result is valid for the tile's (for
    /// [`Target::InRegisters`] it is not used) and overlaps an operand only where [`TileProgram::in_place`] allows it.
    #[inline]
    pub(crate) unsafe fn tile(&self, at: usize, len: usize, out: impl Fn(usize) -> *mut u8) -> *const u8 {
        for (i, load) in self.program.loads.iter().enumerate() {
            // SAFETY: the scratch memory has a place for each load.
            unsafe { *self.tiles.add(i) = self.operand(load, at, len) };
        }
        let location = |location| match location {
            Location::Register(bytes) => self.register(bytes).cast_const(),
            // SAFETY: the scratch memory has a place for each load, which was just written.
            Location::Load(i) => unsafe { *self.tiles.add(i) },
            Location::Out(result) => out(result).cast_const(),
        };
        for instruction in &self.program.instructions {
            match *instruction {
                Instruction::Load(i) => {
                    let load = &self.program.loads[i];
                    if self.direct(load, at, len).is_none() {
                        // SAFETY: the register holds a tile.
                        unsafe { self.fill(load, at, len) };
                    }
                }
                Instruction::Apply { code, args: [a, b, c], out } => {
                    // SAFETY: each location is valid for the tile, and registers of one instruction do not overlap.
                    unsafe {
                        self.call(
                            code,
                            location(out).cast_mut(),
                            [location(a), location(b), location(c)],
                            len,
                            code.extra,
                        );
                    }
                }
                Instruction::Loop(i) => {
                    let CompiledLoop { code, streams, .. } = &self.program.loops[i];
                    let mut pointers = [std::ptr::null(); MAX_STREAMS];
                    for (pointer, &stream) in pointers.iter_mut().zip(streams) {
                        *pointer = location(stream);
                    }
                    // SAFETY: each location is valid for the tile, and a result's is no operand's or exactly that.
                    unsafe { code.run(&pointers, len) };
                }
            }
        }
        location(self.program.result)
    }

    /// # Safety
    /// As [`TileFn`](super::tile::TileFn) says.
    #[inline]
    unsafe fn call(&self, code: Code, dst: *mut u8, src: [*const u8; 3], len: usize, extra: Extra) {
        // SAFETY: the caller vouches for the operands.
        unsafe { (code.run)(&Call { cpu: self.cpu, dst, src, len, extra }) }
    }

    fn register(&self, bytes: usize) -> *mut u8 {
        self.scratch.wrapping_add(bytes * self.program.capacity)
    }

    fn base(&self, load: &Load) -> *const u8 {
        match self.operands.get(load.source.operand) {
            Some(span) if !load.source.in_registers => span.start.cast_const(),
            _ => self.in_registers,
        }
    }

    /// The tile of an operand where it lies, if its elements can be used there.
    #[inline]
    fn direct(&self, load: &Load, at: usize, len: usize) -> Option<*const u8> {
        if !load.as_stored {
            return None;
        }
        let (row, size) = (self.program.row, load.stored);
        let element = match &load.layout {
            AccessPattern::Dense => at,
            AccessPattern::Uniform if load.in_place => 0,
            AccessPattern::Repeated { inner: 1 } if row >= LONG_ROW && at % row + len <= row => at % row,
            AccessPattern::Strided { inner: 1, outer } if at % row + len <= row => {
                row_offset(outer, at / row) + at % row
            }
            _ => return None,
        };
        Some(self.base(load).wrapping_add(element * size))
    }

    /// The tile of an operand after its load.
    #[inline]
    fn operand(&self, load: &Load, at: usize, len: usize) -> *const u8 {
        if let Some(direct) = self.direct(load, at, len) {
            return direct;
        }
        let register = self.register(load.register);
        match load.layout {
            AccessPattern::Repeated { .. } if self.program.row < LONG_ROW => {
                register.wrapping_add(at % self.program.row * load.held)
            }
            _ => register,
        }
    }

    /// Reads a tile of an operand into its register, row by row.
    ///
    /// # Safety
    /// The register holds `len` elements, and the indices exist or the layout repeats rows.
    unsafe fn fill(&self, load: &Load, at: usize, len: usize) {
        let row = self.program.row;
        let (base, dst) = (self.base(load), self.register(load.register));
        let (inner, outer) = match &load.layout {
            AccessPattern::Dense => {
                let src = base.wrapping_add(at * load.stored);
                // SAFETY: the caller vouches for the tile.
                return unsafe { self.call(load.code, dst, [src; 3], len, Extra::Stride(1)) };
            }
            AccessPattern::Uniform => {
                // SAFETY: the caller vouches for the operand, which has one element, and for the register, which has room
                // for the tile.
                return unsafe { self.call(load.code, dst, [base; 3], len, Extra::Stride(0)) };
            }
            AccessPattern::Repeated { inner } => (*inner, &[][..]),
            AccessPattern::Strided { inner, outer } => (*inner, outer.as_slice()),
        };
        let (mut number, mut column, mut done) = (at / row, at % row, 0);
        while done < len {
            let count = (row - column).min(len - done);
            let element = row_offset(outer, number) + column * inner;
            let src = base.wrapping_add(element * load.stored);
            let dst = dst.wrapping_add(done * load.held);
            // SAFETY: the caller vouches for the tile, whose rows lie in the operand, and for the register, which has
            // room for it.
            unsafe { self.call(load.code, dst, [src; 3], count, Extra::Stride(inner)) };
            (number, column, done) = (number + 1, 0, done + count);
        }
    }
}

/// A program in the making.
struct Planner {
    space: Space,
    loads: Vec<Load>,
    constants: Vec<(usize, [u8; 16], usize)>,
    instructions: Vec<Instruction>,
    loops: Vec<CompiledLoop>,
    registers: Registers,
    /// Where each value lies, once it does.
    locations: Vec<Option<Location>>,
    /// The last value that uses each value.
    last_use: Vec<usize>,
    /// Whether anything but compiled loops reads each value.
    read_by_tile: Vec<bool>,
    handed_on: Vec<usize>,
    picoseconds: u64,
}

/// The last use of what is a result, and of what is not computed.
const RESULT: usize = usize::MAX;
const NEVER: usize = usize::MAX - 1;

impl Planner {
    fn new(dag: &ExprDag, splits: &[usize]) -> Planner {
        let strides: Vec<Vec<usize>> = dag
            .values
            .iter()
            .filter_map(|v| match v {
                Definition::Load { strides, .. } => Some(strides.clone()),
                _ => None,
            })
            .collect();
        let mut last_use = vec![0; dag.values.len()];
        for (i, value) in dag.values.iter().enumerate() {
            if let Definition::Apply { args, .. } = value {
                args.iter().for_each(|a| last_use[a.0] = i);
            }
        }
        Planner {
            space: Space::new(&dag.dims, &strides, splits),
            loads: Vec::new(),
            constants: Vec::new(),
            instructions: Vec::new(),
            loops: Vec::new(),
            registers: Registers::default(),
            locations: vec![None; dag.values.len()],
            last_use,
            read_by_tile: vec![false; dag.values.len()],
            handed_on: Vec::new(),
            picoseconds: 0,
        }
    }

    /// The loops of the program. Notes who reads which value.
    fn segments(&mut self, dag: &ExprDag, cpu: Cpu) -> Vec<Segment> {
        let skipped: Vec<bool> = self.last_use.iter().map(|&last| last == NEVER).collect();
        let mut loads = 0;
        let uniform = dag.values.iter().map(|value| match value {
            Definition::Load { source, .. } => {
                loads += 1;
                lies_as_held(source) && self.space.layout(loads - 1) == AccessPattern::Uniform
            }
            _ => false,
        });
        let uniform: Vec<bool> = uniform.collect();
        let usage = Usage { last: &self.last_use, skipped: &skipped, uniform: &uniform };
        let segments = segments(dag, &usage, cpu);
        let mut looped = vec![false; dag.values.len()];
        segments.iter().flat_map(|segment| &segment.values).for_each(|value| looped[value.0] = true);
        for (i, value) in dag.values.iter().enumerate() {
            self.read_by_tile[i] |= self.last_use[i] == RESULT;
            if let (Definition::Apply { args, .. }, false, false) = (value, looped[i], skipped[i]) {
                args.iter().for_each(|arg| self.read_by_tile[arg.0] = true);
            }
        }
        segments
    }

    /// Places every value and returns where the first result lies.
    fn place(&mut self, dag: &ExprDag, target: Target, cpu: Cpu) -> Location {
        let results = self.results(dag, target);
        let segments = self.segments(dag, cpu);
        let mut segments = segments.into_iter().peekable();
        for (i, value) in dag.values.iter().enumerate() {
            let compute = dag.compute_types[i];
            if let Definition::Apply { code, .. } = value
                && self.last_use[i] != NEVER
            {
                self.picoseconds += u64::from(code.picoseconds);
                if segments.peek().is_some_and(|segment| segment.values.contains(&SsaValue(i))) {
                    if let Some(segment) = segments.next_if(|s| s.values.last() == Some(&SsaValue(i))) {
                        self.run_loop(segment, compute);
                    }
                    continue;
                }
            }
            match value {
                Definition::Load { source, .. } => self.load(i, source),
                Definition::Constant { .. } if !self.read_by_tile[i] => {}
                Definition::Constant { bytes } => {
                    let register = self.registers.lasting(compute.size());
                    self.constants.push((register, *bytes, compute.size()));
                    self.locations[i] = Some(Location::Register(register));
                }
                Definition::Apply { .. } if self.last_use[i] == NEVER => {}
                Definition::Apply { code, args, .. } => self.apply(i, *code, args, compute),
            }
        }
        match target {
            Target::InRegisters => self.locations[results[0].0].unwrap_or(Location::Out(0)),
            Target::Stored => {
                self.store(dag, &results);
                Location::Out(0)
            }
        }
    }

    /// The values to store: storing a narrow type rounds to it, so that a rounding that nothing else reads is left out. A wider
    /// result may be a rounded value too: a narrow one converted, whose register stays as it is.
    fn results(&mut self, dag: &ExprDag, target: Target) -> Vec<SsaValue> {
        let mut results = dag.results.clone();
        for (result, &dtype) in results.iter_mut().zip(&dag.dtypes) {
            let storing_rounds = target == Target::Stored && is_narrow(dtype);
            match &dag.values[result.0] {
                Definition::Apply { args, is_rounding: true, .. }
                    if storing_rounds && matches!(self.last_use[result.0], 0 | NEVER) =>
                {
                    self.last_use[result.0] = NEVER;
                    *result = args[0];
                }
                _ => {}
            }
        }
        results.iter().for_each(|result| self.last_use[result.0] = RESULT);
        results
    }

    fn load(&mut self, value: usize, source: &OperandRef) {
        let number = self.loads.len();
        let layout = self.space.layout(number);
        let held = ComputeType::of(source.dtype).size();
        let stored = if source.in_registers { held } else { source.dtype.size() };
        let code = if source.in_registers { load::load_size(held) } else { load::load(source.dtype) };
        let as_stored = lies_as_held(source) || source.in_registers;
        let lasts = match layout {
            _ if source.in_registers => false,
            AccessPattern::Uniform => true,
            AccessPattern::Repeated { .. } => self.space.row() < LONG_ROW,
            _ => false,
        };
        // Where tiles may always be used in place, nothing needs doing.
        let in_place = as_stored
            && match layout {
                AccessPattern::Dense => true,
                // Loops read the one element.
                AccessPattern::Uniform => !source.in_registers && !self.read_by_tile[value],
                _ => false,
            };
        let register = match layout {
            _ if in_place => 0,
            _ if lasts => self.registers.lasting(held),
            _ => self.registers.take(held),
        };
        if !in_place {
            self.instructions.push(Instruction::Load(number));
            self.picoseconds += u64::from(code.picoseconds);
        }
        self.loads.push(Load {
            source: source.clone(),
            layout,
            code,
            stored,
            held,
            register,
            as_stored,
            in_place,
        });
        self.locations[value] = Some(Location::Load(number));
    }

    fn apply(&mut self, value: usize, code: Code, args: &[SsaValue], compute: ComputeType) {
        let mut locations = [Location::Out(0); 3];
        for (location, arg) in locations.iter_mut().zip(args) {
            *location = self.locations[arg.0].unwrap_or(Location::Out(0));
        }
        // An operand that is not needed any more leaves its register to the result, if that is as wide: the others
        // must outlive the instruction.
        let dying: Vec<SsaValue> = args.iter().copied().filter(|a| self.last_use[a.0] == value).collect();
        dying.iter().for_each(|&a| self.free(a, |size| size == compute.size()));
        let register = self.registers.take(compute.size());
        dying.iter().for_each(|&a| self.free(a, |size| size != compute.size()));
        let out = Location::Register(register);
        self.instructions.push(Instruction::Apply { code, args: locations, out });
        self.locations[value] = Some(out);
    }

    /// A compiled loop. It reads all that it reads of an index before it writes there, so that operands that are not needed any more leave
    /// their registers to its results.
    fn run_loop(&mut self, segment: Segment, compute: ComputeType) {
        let Segment { values, inputs, outputs, code } = segment;
        let place =
            |planner: &Planner, value: &SsaValue| planner.locations[value.0].unwrap_or(Location::Out(0));
        let mut streams: Vec<Location> = inputs.iter().map(|value| place(self, value)).collect();
        let end = values.last().map_or(0, |value| value.0);
        let dying: Vec<SsaValue> = inputs.iter().copied().filter(|i| self.last_use[i.0] <= end).collect();
        dying.iter().for_each(|&input| self.free(input, |_| true));
        for output in outputs {
            let out = Location::Register(self.registers.take(compute.size()));
            self.locations[output.0] = Some(out);
            streams.push(out);
        }
        self.instructions.push(Instruction::Loop(self.loops.len()));
        self.loops.push(CompiledLoop { code, streams, inputs: inputs.len() });
    }

    /// Gives back the register of a value if its size is one that is asked for.
    fn free(&mut self, value: SsaValue, wanted: impl Fn(usize) -> bool) {
        let register = match self.locations[value.0] {
            Some(Location::Register(register)) => register,
            Some(Location::Load(i)) if !self.loads[i].in_place => self.loads[i].register,
            _ => return,
        };
        self.registers.give_back(register, wanted);
    }

    /// Makes the results lie in the caller's memory. All is read before anything is written: results may overwrite operands.
    fn store(&mut self, dag: &ExprDag, results: &[SsaValue]) {
        let locations: Vec<Location> =
            results.iter().map(|r| self.locations[r.0].unwrap_or(Location::Out(0))).collect();
        let mut stores = Vec::new();
        for (i, (&location, &dtype)) in locations.iter().zip(&dag.dtypes).enumerate() {
            if let (Location::Load(load), true) = (location, locations.len() > 1) {
                self.handed_on.push(self.loads[load].source.operand);
            }
            let shared = locations.iter().filter(|&&other| other == location).count() > 1;
            let code = match narrow::shorten(dtype) {
                Some(code) => code,
                // The last instruction writes it there itself.
                None if !shared && let Some(out) = self.last_out(location) => {
                    *out = Location::Out(i);
                    continue;
                }
                None => comparison::copy(dtype.size()),
            };
            self.picoseconds += u64::from(code.picoseconds);
            stores.push(Instruction::Apply { code, args: [location; 3], out: Location::Out(i) });
        }
        self.instructions.extend(stores);
    }

    /// Where the last instruction is told to write what it writes at this location.
    fn last_out(&mut self, location: Location) -> Option<&mut Location> {
        match self.instructions.last_mut()? {
            Instruction::Apply { out, .. } => Some(out).filter(|out| **out == location),
            Instruction::Loop(i) => {
                let CompiledLoop { streams, inputs, .. } = &mut self.loops[*i];
                streams[*inputs..].iter_mut().find(|out| **out == location)
            }
            Instruction::Load(_) => None,
        }
    }
}

/// Whether elements are stored as registers hold them.
fn lies_as_held(source: &OperandRef) -> bool {
    let is_wider = ComputeType::of(source.dtype).size() != source.dtype.size();
    !source.in_registers && !is_wider && source.dtype != rlx_ir::DType::Bool
}
