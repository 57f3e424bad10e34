//! Register programs over tiles: instructions and operand loads with registers in scratch memory, and how a tile
//! runs through them. Knows neither graphs nor threads.

use super::draft::{Draft, Source, Value, ValueId};
use super::index::{Layout, Space, row_offset};
use super::lane::{Lane, is_narrow};
use super::registers::Registers;
use super::tile::{Call, Code, Extra, comparison, load, narrow};
use crate::exec::Span;
use crate::isa::Cpu;

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
    Lanes,
}

/// Where a tile of a value lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    /// This many register bytes an element from the start.
    Register(usize),
    /// The operand itself, or the register that it is read into.
    Load(usize),
    /// The caller's memory for this result.
    Out(usize),
}

#[derive(Clone, Debug)]
struct Load {
    source: Source,
    layout: Layout,
    code: Code,
    /// Bytes of a stored element and of one in a register.
    stored: usize,
    held: usize,
    register: usize,
    /// Whether stored elements may be used where they lie.
    as_stored: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Makes the tile of an operand available.
    Load(usize),
    Apply {
        code: Code,
        args: [Slot; 3],
        out: Slot,
    },
}

/// A program ready to run on tiles of consecutive indices.
pub(crate) struct Program {
    total: usize,
    row: usize,
    tile: usize,
    loads: Vec<Load>,
    /// Loads and constants that hold for every tile.
    lasting: Vec<usize>,
    constants: Vec<(usize, [u8; 16], usize)>,
    steps: Vec<Step>,
    /// Where the first result lies.
    result: Slot,
    /// Operands that are one of several results as they are.
    handed_on: Vec<usize>,
    /// Register bytes an element, all registers together.
    registers: usize,
    /// Elements that a register holds.
    capacity: usize,
    picoseconds: u64,
}

impl Program {
    /// Gives the values of a draft registers. Dimensions before and after each of `splits` stay apart, so that rows of
    /// what follows the last are rows of tiles.
    pub(crate) fn new(draft: &Draft, splits: &[usize], target: Target) -> Program {
        let mut planner = Planner::new(draft, splits);
        let result = planner.place(draft, target);
        let row = planner.space.row();
        let picoseconds = planner.steps.iter().map(|s| match s {
            Step::Load(i) => planner.loads[*i].code.picoseconds,
            Step::Apply { code, .. } => code.picoseconds,
        });
        let picoseconds: u64 = picoseconds.map(u64::from).sum();
        let registers = planner.registers.size();
        let tile = tile_size(row, planner.space.total(), registers, picoseconds == 0);
        // A repeated row is read once, and then used from any of its elements on.
        let capacity = (tile + if row < LONG_ROW { row } else { 0 }).next_multiple_of(16);
        let mut program = Program {
            total: planner.space.total(),
            row,
            tile,
            loads: planner.loads,
            lasting: Vec::new(),
            constants: planner.constants,
            steps: planner.steps,
            result,
            handed_on: planner.handed_on,
            registers,
            capacity,
            picoseconds,
        };
        program.lasting = (0..program.loads.len()).filter(|&i| program.lasts(i)).collect();
        let lasting = program.lasting.clone();
        program.steps.retain(|s| !matches!(s, Step::Load(i) if lasting.contains(i)));
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
        let safe = |l: &Load| l.layout == Layout::Dense && l.stored == size && !l.source.in_lanes;
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
            // What is held in lanes comes with each tile.
            _ if self.loads[load].source.in_lanes => false,
            Layout::Uniform => true,
            Layout::Repeated { .. } => self.row < LONG_ROW,
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
    /// `operands` hold what the sources of the draft say; `scratch` has [`scratch_bytes`](Program::scratch_bytes) bytes
    /// at a cache line's alignment and is used by nobody else as long as the run.
    pub(crate) unsafe fn begin<'a>(&'a self, cpu: Cpu, operands: &'a [Span], scratch: *mut u8) -> Run<'a> {
        let tiles = scratch.wrapping_add(self.register_bytes()).cast();
        let run = Run { program: self, cpu, operands, lanes: std::ptr::null(), scratch, tiles };
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

/// Elements of a tile over rows of `row` elements with this many register bytes an element.
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
    program: &'a Program,
    cpu: Cpu,
    operands: &'a [Span],
    lanes: *const u8,
    scratch: *mut u8,
    /// Where the tile of each load lies.
    tiles: *mut *const u8,
}

impl Run<'_> {
    /// Where the operand held in lanes would lie if all of it were there: the next tiles must be.
    pub(crate) fn set_lanes(&mut self, lanes: *const u8) {
        self.lanes = lanes;
    }

    /// Runs the tile of `len` indices from `at`, and returns where its first result lies: for a [`Target::Stored`] program
    /// that is what `out` gives for it.
    ///
    /// # Safety
    /// `len` is at most [`Program::tile`] and the indices exist. What `out` gives for each result is valid for the tile's (for
    /// [`Target::Lanes`] it is not used) and overlaps an operand only where [`Program::in_place`] allows it.
    #[inline]
    pub(crate) unsafe fn tile(&self, at: usize, len: usize, out: impl Fn(usize) -> *mut u8) -> *const u8 {
        for (i, load) in self.program.loads.iter().enumerate() {
            // SAFETY: the scratch memory has a place for each load.
            unsafe { *self.tiles.add(i) = self.operand(load, at, len) };
        }
        let slot = |slot| match slot {
            Slot::Register(bytes) => self.register(bytes).cast_const(),
            // SAFETY: the scratch memory has a place for each load, which was just written.
            Slot::Load(i) => unsafe { *self.tiles.add(i) },
            Slot::Out(result) => out(result).cast_const(),
        };
        for step in &self.program.steps {
            match *step {
                Step::Load(i) => {
                    let load = &self.program.loads[i];
                    if self.direct(load, at, len).is_none() {
                        // SAFETY: the register holds a tile.
                        unsafe { self.fill(load, at, len) };
                    }
                }
                Step::Apply { code, args: [a, b, c], out } => {
                    // SAFETY: each slot is valid for the tile, and registers of one instruction do not overlap.
                    unsafe {
                        self.call(code, slot(out).cast_mut(), [slot(a), slot(b), slot(c)], len, code.extra);
                    }
                }
            }
        }
        slot(self.program.result)
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
            Some(span) if !load.source.in_lanes => span.start.cast_const(),
            _ => self.lanes,
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
            Layout::Dense => at,
            Layout::Repeated { inner: 1 } if row >= LONG_ROW && at % row + len <= row => at % row,
            Layout::Strided { inner: 1, outer } if at % row + len <= row => {
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
            Layout::Repeated { .. } if self.program.row < LONG_ROW => {
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
            Layout::Dense => {
                let src = base.wrapping_add(at * load.stored);
                // SAFETY: the caller vouches for the tile.
                return unsafe { self.call(load.code, dst, [src; 3], len, Extra::Stride(1)) };
            }
            // SAFETY: the caller vouches for the operand, which has one element, and for the register, which has room
            // for the tile.
            Layout::Uniform => return unsafe { self.call(load.code, dst, [base; 3], len, Extra::Stride(0)) },
            Layout::Repeated { inner } => (*inner, &[][..]),
            Layout::Strided { inner, outer } => (*inner, outer.as_slice()),
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
    steps: Vec<Step>,
    registers: Registers,
    /// Where each value lies, once it does.
    slots: Vec<Option<Slot>>,
    /// The last value that uses each value.
    last_use: Vec<usize>,
    handed_on: Vec<usize>,
}

/// The last use of what is a result, and of what is not computed.
const RESULT: usize = usize::MAX;
const NEVER: usize = usize::MAX - 1;

impl Planner {
    fn new(draft: &Draft, splits: &[usize]) -> Planner {
        let strides: Vec<Vec<usize>> = draft
            .values
            .iter()
            .filter_map(|v| match v {
                Value::Load { strides, .. } => Some(strides.clone()),
                _ => None,
            })
            .collect();
        let mut last_use = vec![0; draft.values.len()];
        for (i, value) in draft.values.iter().enumerate() {
            if let Value::Apply { args, .. } = value {
                args.iter().for_each(|a| last_use[a.0] = i);
            }
        }
        Planner {
            space: Space::new(&draft.dims, &strides, splits),
            loads: Vec::new(),
            constants: Vec::new(),
            steps: Vec::new(),
            registers: Registers::default(),
            slots: vec![None; draft.values.len()],
            last_use,
            handed_on: Vec::new(),
        }
    }

    /// Places every value and returns where the first result lies.
    fn place(&mut self, draft: &Draft, target: Target) -> Slot {
        let results = self.results(draft, target);
        for (i, value) in draft.values.iter().enumerate() {
            let lane = draft.lanes[i];
            match value {
                Value::Load { source, .. } => self.load(i, source),
                Value::Constant { bytes } => {
                    let register = self.registers.lasting(lane.size());
                    self.constants.push((register, *bytes, lane.size()));
                    self.slots[i] = Some(Slot::Register(register));
                }
                Value::Apply { .. } if self.last_use[i] == NEVER => {}
                Value::Apply { code, args, .. } => self.apply(i, *code, args, lane),
            }
        }
        match target {
            Target::Lanes => self.slots[results[0].0].unwrap_or(Slot::Out(0)),
            Target::Stored => {
                self.store(draft, &results);
                Slot::Out(0)
            }
        }
    }

    /// The values to store: storing a narrow type rounds to it, so that a rounding that nothing else reads is left out. A wider
    /// result may be a rounded value too: a narrow one converted, whose register stays as it is.
    fn results(&mut self, draft: &Draft, target: Target) -> Vec<ValueId> {
        let mut results = draft.results.clone();
        for (result, &dtype) in results.iter_mut().zip(&draft.dtypes) {
            let storing_rounds = target == Target::Stored && is_narrow(dtype);
            match &draft.values[result.0] {
                Value::Apply { args, is_rounding: true, .. }
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

    fn load(&mut self, value: usize, source: &Source) {
        let number = self.loads.len();
        let layout = self.space.layout(number);
        let held = Lane::of(source.dtype).size();
        let stored = if source.in_lanes { held } else { source.dtype.size() };
        let code = if source.in_lanes { load::load_size(held) } else { load::load(source.dtype) };
        let widens = stored != held || source.dtype == rlx_ir::DType::Bool;
        let as_stored = !widens || source.in_lanes;
        let lasts = match layout {
            _ if source.in_lanes => false,
            Layout::Uniform => true,
            Layout::Repeated { .. } => self.space.row() < LONG_ROW,
            _ => false,
        };
        // Where tiles may always be used in place, nothing needs doing.
        let in_place = layout == Layout::Dense && as_stored;
        let register = match layout {
            _ if in_place => 0,
            _ if lasts => self.registers.lasting(held),
            _ => self.registers.take(held),
        };
        if !in_place {
            self.steps.push(Step::Load(number));
        }
        self.loads.push(Load { source: source.clone(), layout, code, stored, held, register, as_stored });
        self.slots[value] = Some(Slot::Load(number));
    }

    fn apply(&mut self, value: usize, code: Code, args: &[ValueId], lane: Lane) {
        let mut slots = [Slot::Out(0); 3];
        for (slot, arg) in slots.iter_mut().zip(args) {
            *slot = self.slots[arg.0].unwrap_or(Slot::Out(0));
        }
        // An operand that is not needed any more leaves its register to the result, if that is as wide: the others
        // must outlive the instruction.
        let dying: Vec<ValueId> = args.iter().copied().filter(|a| self.last_use[a.0] == value).collect();
        dying.iter().for_each(|&a| self.free(a, |size| size == lane.size()));
        let register = self.registers.take(lane.size());
        dying.iter().for_each(|&a| self.free(a, |size| size != lane.size()));
        let out = Slot::Register(register);
        self.steps.push(Step::Apply { code, args: slots, out });
        self.slots[value] = Some(out);
    }

    /// Gives back the register of a value if its size is one that is asked for.
    fn free(&mut self, value: ValueId, wanted: impl Fn(usize) -> bool) {
        let register = match self.slots[value.0] {
            Some(Slot::Register(register)) => register,
            Some(Slot::Load(i)) if !(self.loads[i].layout == Layout::Dense && self.loads[i].as_stored) => {
                self.loads[i].register
            }
            _ => return,
        };
        self.registers.give_back(register, wanted);
    }

    /// Makes the results lie in the caller's memory. All is read before anything is written: results may overwrite operands.
    fn store(&mut self, draft: &Draft, results: &[ValueId]) {
        let slots: Vec<Slot> = results.iter().map(|r| self.slots[r.0].unwrap_or(Slot::Out(0))).collect();
        let mut stores = Vec::new();
        for (i, (&slot, &dtype)) in slots.iter().zip(&draft.dtypes).enumerate() {
            if let (Slot::Load(load), true) = (slot, slots.len() > 1) {
                self.handed_on.push(self.loads[load].source.operand);
            }
            let shared = slots.iter().filter(|&&other| other == slot).count() > 1;
            let code = match (narrow::shorten(dtype), self.steps.last_mut()) {
                (Some(code), _) => code,
                // The last instruction writes it there itself.
                (None, Some(Step::Apply { out, .. })) if *out == slot && !shared => {
                    *out = Slot::Out(i);
                    continue;
                }
                _ => comparison::copy(dtype.size()),
            };
            stores.push(Step::Apply { code, args: [slot; 3], out: Slot::Out(i) });
        }
        self.steps.extend(stores);
    }
}
