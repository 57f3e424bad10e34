//! Programs of instructions on registers, and how a tile runs through them. This module knows neither graphs nor threads.

use super::dag::{ExprDag, OperandRef};
use super::index::{AccessPattern, row_offset};
use super::planner::{Location, Planner};
use crate::exec::Span;
use crate::isa::Cpu;
use rlx_elementwise::compiled::{MAX_STREAMS, MachineCode};
use rlx_elementwise::tile::{Call, Code, Extra, load};
use std::sync::Arc;

/// Maximum bytes of registers, which leaves room for operands and results in the first-level cache.
const REGISTER_BYTES: usize = 12 << 10;
/// Range of elements in a tile: few enough for the cache, and enough to hide the cost of starting an instruction.
const TILE: std::ops::RangeInclusive<usize> = 128..=2048;
/// Number of elements in a tile of a program that only copies its operand.
const WHOLE: usize = 1 << 14;
/// Rows of at least this length are divided into tiles; shorter ones share a tile.
pub(crate) const LONG_ROW: usize = 256;
/// Tiles are a multiple of this, so that all vectors except the last one of a row are whole.
const GRAIN: usize = 32;

/// Where a program stores its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// In the caller's memory, in the form of the element type.
    Stored,
    /// The only result, wherever it is, in the form that registers hold.
    InRegisters,
}

/// Index of the address of a value's tile in the table of a run. Addresses of operands come first, followed by those of the tiles of loads,
/// of registers, and of results.
type Place = usize;

#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) source: OperandRef,
    pub(super) layout: AccessPattern,
    pub(super) code: Code,
    /// Size of a stored element, and of one in a register, in bytes.
    pub(super) stored: usize,
    pub(super) held: usize,
    pub(super) register: usize,
    /// Whether stored elements may be used in place.
    pub(super) as_stored: bool,
    /// Whether they are always used in place, so that there is no register.
    pub(super) in_place: bool,
    /// Whether tiles follow one another in memory.
    pub(super) is_plain: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction<P> {
    /// Makes the tile of an operand available.
    Load(usize),
    Apply {
        code: Code,
        args: [P; 3],
        out: P,
    },
    /// Runs a compiled loop.
    Loop(usize),
}

/// A compiled loop with its operands and results.
#[derive(Clone, Debug)]
pub(super) struct CompiledLoop<P> {
    pub(super) code: Arc<MachineCode>,
    /// The values of its pointers: `inputs` operands, then results.
    pub(super) streams: Vec<P>,
    pub(super) inputs: usize,
}

impl CompiledLoop<Place> {
    /// # Safety
    /// The table's addresses of all streams are valid for `len` elements; a result's address does not overlap an operand, or is exactly
    /// that of one.
    #[inline(never)]
    unsafe fn run(&self, table: *const *const u8, len: usize) {
        let mut pointers = [std::ptr::null(); MAX_STREAMS];
        // SAFETY: the caller's promise.
        unsafe {
            for (pointer, &stream) in pointers.iter_mut().zip(&self.streams) {
                *pointer = *table.add(stream);
            }
            self.code.run(&pointers, len);
        }
    }
}

/// A program that can run on tiles of consecutive indices.
pub(crate) struct TileProgram {
    total: usize,
    row: usize,
    tile: usize,
    loads: Vec<Load>,
    /// Loads and constants that are the same for every tile.
    lasting: Vec<usize>,
    constants: Vec<(usize, [u8; 16], usize)>,
    instructions: Vec<Instruction<Place>>,
    loops: Vec<CompiledLoop<Place>>,
    /// Registers that instructions use, as offsets in register bytes per element, in the order of the table.
    named: Vec<usize>,
    /// Number of results that the caller has memory for.
    results: usize,
    /// The location of the first result.
    result: Place,
    /// Operands that are unchanged results of a program with several results.
    handed_on: Vec<usize>,
    /// Register bytes per element, for all registers together.
    registers: usize,
    /// Number of elements that a register holds.
    capacity: usize,
    picoseconds: u64,
}

impl TileProgram {
    /// Assigns registers to the values of a dag. The dimensions before and after each of `splits` are not merged, so that rows of the
    /// dimensions after the last split are rows of tiles.
    pub(crate) fn new(dag: &ExprDag, splits: &[usize], target: Target, cpu: Cpu) -> TileProgram {
        let mut planner = Planner::new(dag, splits);
        let result = planner.place(dag, target, cpu);
        let row = planner.space.row();
        let picoseconds = planner.picoseconds;
        let registers = planner.registers.size();
        let named = planner.named();
        let place = |location| match location {
            Location::Load(i) => planner.loads.len() + i,
            Location::Register(bytes) => {
                2 * planner.loads.len() + named.iter().position(|&named| named == bytes).unwrap_or_default()
            }
            Location::Out(result) => 2 * planner.loads.len() + named.len() + result,
        };
        let instructions = planner.instructions.iter().map(|instruction| match *instruction {
            Instruction::Load(i) => Instruction::Load(i),
            Instruction::Apply { code, args, out } => {
                Instruction::Apply { code, args: args.map(place), out: place(out) }
            }
            Instruction::Loop(i) => Instruction::Loop(i),
        });
        let loops = planner.loops.iter().map(|CompiledLoop { code, streams, inputs }| CompiledLoop {
            code: code.clone(),
            streams: streams.iter().copied().map(place).collect(),
            inputs: *inputs,
        });
        let tile = tile_size(row, planner.space.total(), registers, picoseconds == 0);
        // A repeated row is read once, and can then be used starting at any of its elements.
        let capacity = (tile + if row < LONG_ROW { row } else { 0 }).next_multiple_of(16);
        let mut program = TileProgram {
            total: planner.space.total(),
            row,
            tile,
            instructions: instructions.collect(),
            loops: loops.collect(),
            result: place(result),
            results: if target == Target::Stored { dag.results.len() } else { 0 },
            loads: planner.loads,
            lasting: Vec::new(),
            constants: planner.constants,
            named,
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

    /// Returns the preferred number of elements in a tile.
    pub(crate) fn tile(&self) -> usize {
        self.tile
    }

    /// Returns the scratch memory of one thread in bytes.
    pub(crate) fn scratch_bytes(&self) -> usize {
        let table = self.first_result() + self.results;
        self.register_bytes() + (table * size_of::<*const u8>()).next_multiple_of(64)
    }

    fn first_result(&self) -> Place {
        2 * self.loads.len() + self.named.len()
    }

    fn register_bytes(&self) -> usize {
        (self.registers * self.capacity).next_multiple_of(64)
    }

    /// Returns the approximate time per element on one thread.
    pub(crate) fn picoseconds(&self) -> u64 {
        self.picoseconds
    }

    /// Returns the operands that a result with elements of `size` bytes may overwrite: those whose elements are read only for the index at
    /// which the result is written, and before any result is written there.
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

    /// Returns whether the register of a load is the same for every tile.
    fn lasts(&self, load: usize) -> bool {
        match self.loads[load].layout {
            // Values held in registers change with each tile.
            _ if self.loads[load].source.in_registers || self.loads[load].in_place => false,
            AccessPattern::Uniform => true,
            AccessPattern::Repeated { .. } => self.row < LONG_ROW,
            _ => false,
        }
    }

    /// Returns how many of the indices from `at` to `end` are in the next tile.
    pub(crate) fn next(&self, at: usize, end: usize) -> usize {
        let left = end - at;
        if self.row == self.total || self.row < LONG_ROW {
            return left.min(self.tile);
        }
        left.min(self.tile).min(self.row - at % self.row)
    }

    /// Prepares to run tiles: reads what is the same for all of them.
    ///
    /// # Safety
    /// `operands` are what the sources of the dag describe; `scratch` has [`scratch_bytes`](TileProgram::scratch_bytes) bytes, is aligned
    /// to a cache line, and is used by nobody else during the run.
    pub(crate) unsafe fn begin<'a>(&'a self, cpu: Cpu, operands: &'a [Span], scratch: *mut u8) -> Run<'a> {
        let table = scratch.wrapping_add(self.register_bytes()).cast::<*const u8>();
        let run = Run { program: self, cpu, scratch, table };
        for (i, load) in self.loads.iter().enumerate() {
            let base = operands.get(load.source.operand).map_or(std::ptr::null_mut(), |span| span.start);
            // SAFETY: the table has an entry for the operand of each load.
            unsafe { table.add(i).write(base) };
        }
        for (i, &register) in self.named.iter().enumerate() {
            // SAFETY: the table has an entry for each register.
            unsafe { table.add(2 * self.loads.len() + i).write(run.register(register)) };
        }
        let filled = self.capacity.min(self.total + self.row);
        for &(register, bytes, size) in &self.constants {
            let code = load::load_size(size);
            // SAFETY: the register is in the scratch memory and holds `filled` elements.
            unsafe {
                let dst = run.register(register);
                run.call(code, dst, [bytes.as_ptr(); 3], filled, Extra::Stride(0));
            }
        }
        for &i in &self.lasting {
            // SAFETY: the register is in the scratch memory and holds `filled` elements; every row of the operand begins at its first
            // element.
            unsafe { run.fill(&self.loads[i], table.add(i).read(), 0, filled) };
        }
        run
    }
}

/// Returns the number of elements in a tile over rows of `row` elements, with this many register bytes per element.
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

/// A run of a program on one thread.
pub(crate) struct Run<'a> {
    program: &'a TileProgram,
    cpu: Cpu,
    scratch: *mut u8,
    /// The addresses of the tiles of values.
    table: *mut *const u8,
}

impl Run<'_> {
    /// Sets the address that the operand held in registers would have if all of it were in memory. The next tiles must be there.
    pub(crate) fn set_in_registers(&self, in_registers: *const u8) {
        for (i, _) in self.program.loads.iter().enumerate().filter(|(_, load)| load.source.in_registers) {
            // SAFETY: the table has the operand of each load.
            unsafe { self.table.add(i).write(in_registers) };
        }
    }

    /// Runs the tile of `len` indices starting at `at`, and returns the address of its first result. For a [`Target::Stored`] program that
    /// is what `out` returns for it.
    ///
    /// # Safety
    /// `len` is at most [`TileProgram::tile`], and the indices exist. What `out` returns for each result is valid for the tile's elements
    /// (for [`Target::InRegisters`] it is not used) and overlaps an operand only if [`TileProgram::in_place`] allows it.
    #[inline]
    pub(crate) unsafe fn tile(&self, at: usize, len: usize, out: impl Fn(usize) -> *mut u8) -> *const u8 {
        let TileProgram { loads, results, .. } = self.program;
        let at_place = |place: Place| self.table.wrapping_add(place);
        // SAFETY: the table has all entries; each is valid for the tile, and a result's does not overlap an operand or is exactly that of
        // one.
        unsafe {
            for (i, load) in loads.iter().enumerate() {
                let base = at_place(i).read();
                at_place(loads.len() + i).write(self.operand(load, base, at, len));
            }
            let (mut result, first) = (0, self.program.first_result());
            while result < *results {
                at_place(first + result).write(out(result));
                result += 1;
            }
            let mut call =
                Call { cpu: self.cpu, dst: self.scratch, src: [self.scratch; 3], len, extra: Extra::None };
            for instruction in &self.program.instructions {
                match instruction {
                    &Instruction::Load(i) => {
                        let (load, base) = (&loads[i], at_place(i).read());
                        if self.direct(load, base, at, len).is_none() {
                            self.fill(load, base, at, len);
                        }
                    }
                    Instruction::Apply { code, args, out } => {
                        call.dst = at_place(*out).read().cast_mut();
                        // A function that maps arrays would not be inlined.
                        let &[a, b, c] = args;
                        call.src = [at_place(a).read(), at_place(b).read(), at_place(c).read()];
                        call.extra = code.extra;
                        (code.run)(&call);
                    }
                    &Instruction::Loop(i) => self.program.loops[i].run(self.table, len),
                }
            }
            at_place(self.program.result).read()
        }
    }

    /// # Safety
    /// As for [`TileFn`](rlx_elementwise::tile::TileFn).
    #[inline]
    unsafe fn call(&self, code: Code, dst: *mut u8, src: [*const u8; 3], len: usize, extra: Extra) {
        // SAFETY: the caller vouches for the operands.
        unsafe { (code.run)(&Call { cpu: self.cpu, dst, src, len, extra }) }
    }

    fn register(&self, bytes: usize) -> *mut u8 {
        self.scratch.wrapping_add(bytes * self.program.capacity)
    }

    /// Returns the tile of an operand in place, if its elements can be used there.
    #[inline]
    fn direct(&self, load: &Load, base: *const u8, at: usize, len: usize) -> Option<*const u8> {
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
        Some(base.wrapping_add(element * size))
    }

    /// Returns the tile of an operand after its load.
    #[inline]
    fn operand(&self, load: &Load, base: *const u8, at: usize, len: usize) -> *const u8 {
        if load.is_plain {
            return base.wrapping_add(at * load.stored);
        }
        if let Some(direct) = self.direct(load, base, at, len) {
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
    unsafe fn fill(&self, load: &Load, base: *const u8, at: usize, len: usize) {
        let row = self.program.row;
        let dst = self.register(load.register);
        let (inner, outer) = match &load.layout {
            AccessPattern::Dense => {
                let src = base.wrapping_add(at * load.stored);
                // SAFETY: the caller vouches for the tile.
                return unsafe { self.call(load.code, dst, [src; 3], len, Extra::Stride(1)) };
            }
            AccessPattern::Uniform => {
                // SAFETY: the caller vouches for the operand, which has one element, and for the register, which has room for the tile.
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
            // SAFETY: the caller vouches for the tile, whose rows lie in the operand, and for the register, which has room for it.
            unsafe { self.call(load.code, dst, [src; 3], count, Extra::Stride(inner)) };
            (number, column, done) = (number + 1, 0, done + count);
        }
    }
}
