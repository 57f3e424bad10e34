//! Assigns registers to the values of a program, and decides which instructions become compiled loops. This module does not know how tiles
//! run.

use super::dag::{Definition, ExprDag, OperandRef, SsaValue};
use super::index::{AccessPattern, Space};
use super::program::{CompiledLoop, Instruction, LONG_ROW, Load, Target};
use super::registers::Registers;
use super::segment::{Segment, Usage, segments};
use crate::isa::Cpu;
use rlx_elementwise::compute_type::{ComputeType, is_narrow};
use rlx_elementwise::tile::{Code, comparison, load, narrow};

/// Where a tile of a value is, while registers are being assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Location {
    /// The register at this offset, in register bytes per element.
    Register(usize),
    /// The operand itself, or the register that it is read into.
    Load(usize),
    /// The caller's memory for this result.
    Out(usize),
}

/// A program that is being built.
pub(super) struct Planner {
    pub(super) space: Space,
    pub(super) loads: Vec<Load>,
    pub(super) constants: Vec<(usize, [u8; 16], usize)>,
    pub(super) instructions: Vec<Instruction<Location>>,
    pub(super) loops: Vec<CompiledLoop<Location>>,
    pub(super) registers: Registers,
    /// The location of each value, if it has one yet.
    locations: Vec<Option<Location>>,
    /// The last value that uses each value.
    last_use: Vec<usize>,
    /// Whether anything other than compiled loops reads each value.
    read_by_tile: Vec<bool>,
    pub(super) handed_on: Vec<usize>,
    pub(super) picoseconds: u64,
}

/// The last use of results, and of values that are not computed.
const RESULT: usize = usize::MAX;
const NEVER: usize = usize::MAX - 1;

impl Planner {
    pub(super) fn new(dag: &ExprDag, splits: &[usize]) -> Planner {
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

    /// Finds the loops of the program, and records which values are read by what.
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

    /// Places every value and returns the location of the first result.
    pub(super) fn place(&mut self, dag: &ExprDag, target: Target, cpu: Cpu) -> Location {
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

    /// Returns the values to store. Storing a narrow type rounds to it, so a rounding that nothing else reads is left out. A wider result
    /// may be a rounded value too: a converted narrow value whose register does not change.
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
        // If tiles can always be used in place, nothing needs to be done.
        let in_place = as_stored
            && match layout {
                AccessPattern::Dense => true,
                // Loops read the single element.
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
            is_plain: as_stored && layout == AccessPattern::Dense,
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
        let location = |arg: &SsaValue| self.locations[arg.0].unwrap_or(Location::Out(0));
        let mut locations = [args.first().map_or(Location::Out(0), location); 3];
        locations.iter_mut().zip(args).for_each(|(place, arg)| *place = location(arg));
        // If an operand is no longer needed and is as wide as the result, the result gets its register; the others must survive the
        // instruction.
        let dying: Vec<SsaValue> = args.iter().copied().filter(|a| self.last_use[a.0] == value).collect();
        dying.iter().for_each(|&a| self.free(a, |size| size == compute.size()));
        let register = self.registers.take(compute.size());
        dying.iter().for_each(|&a| self.free(a, |size| size != compute.size()));
        let out = Location::Register(register);
        self.instructions.push(Instruction::Apply { code, args: locations, out });
        self.locations[value] = Some(out);
    }

    /// Adds a compiled loop. For each index it reads everything before it writes, so its results can use the registers of operands that are
    /// no longer needed.
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

    /// Frees the register of a value if `wanted` accepts its size.
    fn free(&mut self, value: SsaValue, wanted: impl Fn(usize) -> bool) {
        let register = match self.locations[value.0] {
            Some(Location::Register(register)) => register,
            Some(Location::Load(i)) if !self.loads[i].in_place => self.loads[i].register,
            _ => return,
        };
        self.registers.give_back(register, wanted);
    }

    /// Makes the results end up in the caller's memory. Everything is read before anything is written, because results may overwrite
    /// operands.
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
                // The last instruction writes it there directly.
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

    /// Returns the registers that instructions use, each once.
    pub(super) fn named(&self) -> Vec<usize> {
        let made = self.locations.iter().filter_map(|location| match location {
            Some(Location::Register(bytes)) => Some(*bytes),
            _ => None,
        });
        let mut named: Vec<usize> = made.collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// Returns the output location of the last instruction if it writes to this location.
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

/// Returns whether elements are stored as registers hold them.
fn lies_as_held(source: &OperandRef) -> bool {
    let is_wider = ComputeType::of(source.dtype).size() != source.dtype.size();
    !source.in_registers && !is_wider && source.dtype != rlx_ir::DType::Bool
}
