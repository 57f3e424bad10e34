//! Programs over the lanes of a tile. Scalars are registers, which hold one element per lane; integers of index expressions are slots. This
//! module knows how registers share memory, and nothing of kernels.

use crate::kernels::elementwise::registers::Registers;
use rlx_elementwise::tile::Code;

/// An integer per lane, by its index in the table.
pub(super) type Slot = usize;

/// An element per lane, by its index in the table.
pub(super) type Register = usize;

/// A constant plus multiples of slots.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Sum {
    pub(super) constant: i64,
    /// Slots and their factors, ordered by slot.
    pub(super) terms: Vec<(Slot, i64)>,
}

/// A sum in which at most one slot differs between lanes.
#[derive(Clone, Debug)]
pub(super) struct LanePlace {
    pub(super) varying: Option<Slot>,
    pub(super) rest: Sum,
}

/// How a slot is computed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum SlotCode {
    Sum(Sum),
    Product(Slot, Slot),
    /// Rounded down; the divisor must be positive.
    Quotient(Slot, Slot),
    Larger(Slot, Slot),
}

impl SlotCode {
    pub(super) fn for_each_slot(&self, f: &mut dyn FnMut(Slot)) {
        match self {
            SlotCode::Sum(sum) => sum.terms.iter().for_each(|term| f(term.0)),
            SlotCode::Product(a, b) | SlotCode::Quotient(a, b) | SlotCode::Larger(a, b) => {
                [*a, *b].into_iter().for_each(f);
            }
        }
    }
}

/// The lanes in which something is done: those in which no place is negative and the mask holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Condition {
    pub(super) places: Vec<LanePlace>,
    pub(super) mask: Option<Register>,
}

/// An access to one element of a buffer per lane.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// The index of the buffer in the launch.
    pub(super) buffer: usize,
    /// Whether nobody writes to it while the launch runs.
    pub(super) is_fixed: bool,
    /// The index of the element.
    pub(super) place: LanePlace,
    /// The lanes in which the access is made.
    pub(super) only: Condition,
    /// Size of an element in memory, and in a register, in bytes.
    pub(super) stored: usize,
    pub(super) held: usize,
    /// Converts from one form to the other if they differ: contiguous stored elements for a load, lanes for a store.
    pub(super) code: Option<Code>,
}

/// An operation on all lanes.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    /// Writes the same element to every lane.
    Constant {
        bytes: [u8; 16],
        size: usize,
        out: Register,
    },
    Apply {
        code: Code,
        args: [Register; 3],
        out: Register,
    },
    Slot {
        slot: Slot,
        code: SlotCode,
    },
    /// Reads a slot from a register of i64.
    Name {
        slot: Slot,
        from: Register,
    },
    /// Writes a place to a register of i64.
    Index {
        place: LanePlace,
        out: Register,
    },
    Holds {
        only: Condition,
        out: Register,
    },
    Load {
        access: Access,
        fill: Option<Register>,
        out: Register,
    },
    Store {
        access: Access,
        from: Register,
    },
    /// Runs the body for each value of a slot, up to the largest extent of any lane.
    Loop {
        slot: Slot,
        from: LanePlace,
        extent: LanePlace,
        reverse: bool,
        body: Vec<Instruction>,
    },
    /// Runs the body if the mask holds in any lane.
    Masked {
        mask: Register,
        body: Vec<Instruction>,
    },
}

impl Instruction {
    /// Returns the registers that it reads, without those that its body reads.
    fn reads(&self) -> [Option<Register>; 3] {
        match self {
            Instruction::Apply { args, .. } => args.map(Some),
            Instruction::Name { from, .. } => [Some(*from), None, None],
            Instruction::Holds { only, .. } => [only.mask, None, None],
            Instruction::Load { access, fill, .. } => [*fill, access.only.mask, None],
            Instruction::Store { access, from } => [Some(*from), access.only.mask, None],
            Instruction::Masked { mask, .. } => [Some(*mask), None, None],
            Instruction::Constant { .. }
            | Instruction::Slot { .. }
            | Instruction::Index { .. }
            | Instruction::Loop { .. } => [None; 3],
        }
    }

    /// Returns the register that it writes, without those that its body writes.
    pub(super) fn out(&mut self) -> Option<&mut Register> {
        match self {
            Instruction::Constant { out, .. }
            | Instruction::Apply { out, .. }
            | Instruction::Index { out, .. }
            | Instruction::Holds { out, .. }
            | Instruction::Load { out, .. } => Some(out),
            _ => None,
        }
    }

    fn body(&mut self) -> &mut [Instruction] {
        match self {
            Instruction::Loop { body, .. } | Instruction::Masked { body, .. } => body,
            _ => &mut [],
        }
    }

    /// Returns whether it or its body uses a register.
    pub(super) fn uses(&mut self, register: Register) -> bool {
        self.reads().contains(&Some(register)) || self.body().iter_mut().any(|inner| inner.uses(register))
    }

    /// Replaces a register by another one.
    pub(super) fn rename(&mut self, from: Register, to: Register) {
        let put = |register: &mut Register| *register = if *register == from { to } else { *register };
        self.out().into_iter().for_each(put);
        match self {
            Instruction::Apply { args, .. } => args.iter_mut().for_each(put),
            Instruction::Name { from, .. } => put(from),
            Instruction::Holds { only, .. } => only.mask.iter_mut().for_each(put),
            Instruction::Load { access, fill, .. } => {
                access.only.mask.iter_mut().chain(fill).for_each(put);
            }
            Instruction::Store { access, from } => access.only.mask.iter_mut().chain([from]).for_each(put),
            Instruction::Masked { mask, .. } => put(mask),
            _ => {}
        }
        self.body().iter_mut().for_each(|inner| inner.rename(from, to));
    }
}

/// When a register is first written and last used, counted in instructions.
#[derive(Clone, Copy)]
struct Life {
    first: usize,
    last: usize,
}

/// Returns the offsets of registers of these sizes, in bytes per lane, and the bytes of all of them. Registers that are not needed at the
/// same time share memory. Registers that `once` writes are needed until the end.
pub(super) fn allocate(
    sizes: &[usize],
    once: &mut [Instruction],
    body: &mut [Instruction],
) -> (Vec<usize>, usize) {
    let mut lives: Vec<Option<Life>> = vec![None; sizes.len()];
    let mut clock = 0;
    live(body, &mut lives, &mut clock);
    let mut ends: Vec<(usize, Register)> = lives
        .iter()
        .enumerate()
        .filter_map(|(register, life)| Some((life.as_ref()?.last, register)))
        .collect();
    ends.sort_unstable_by(|a, b| b.cmp(a));
    let mut memory =
        RegisterMemory { registers: Registers::default(), places: vec![None; sizes.len()], sizes, ends };
    for out in once.iter_mut().filter_map(Instruction::out) {
        memory.places[*out] = Some(memory.registers.lasting(sizes[*out]));
    }
    memory.place(body, &mut 0);
    (memory.places.into_iter().map(Option::unwrap_or_default).collect(), memory.registers.size())
}

fn live(block: &mut [Instruction], lives: &mut [Option<Life>], clock: &mut usize) {
    for instruction in block {
        *clock += 1;
        let start = *clock;
        let reads = instruction.reads();
        let written = instruction.out().copied();
        for register in reads.into_iter().flatten().chain(written) {
            let life = lives[register].get_or_insert(Life { first: start, last: start });
            life.last = start;
        }
        let is_loop = matches!(instruction, Instruction::Loop { .. });
        live(instruction.body(), lives, clock);
        // What exists before a loop is needed in each of its iterations.
        for life in lives.iter_mut().flatten().filter(|life| is_loop && life.first < start) {
            life.last = if life.last > start { *clock } else { life.last };
        }
    }
}

/// The state of allocating memory to registers.
struct RegisterMemory<'a> {
    registers: Registers,
    places: Vec<Option<usize>>,
    sizes: &'a [usize],
    /// When each register is last used, the latest first.
    ends: Vec<(usize, Register)>,
}

impl RegisterMemory<'_> {
    fn place(&mut self, block: &mut [Instruction], clock: &mut usize) {
        for instruction in block {
            *clock += 1;
            if let Some(&mut out) = instruction.out() {
                self.places[out].get_or_insert_with(|| self.registers.take(self.sizes[out]));
            }
            self.place(instruction.body(), clock);
            while let Some((_, register)) = self.ends.pop_if(|(last, _)| *last <= *clock) {
                if let Some(offset) = self.places[register] {
                    self.registers.give_back(offset, |_| true);
                }
            }
        }
    }
}
