//! Runs a tile of lanes through the instructions of a program.

use super::compile::Section;
use super::lanes::{Lanes, axes, quotients};
use super::program::{Access, Condition, Instruction, LanePlace, Register, Slot, SlotCode, Sum};
use crate::isa::Cpu;
use crate::kernels::lines_of;
use rlx_compile::memory::ALIGNMENT;
use rlx_elementwise::tile::{Call, Code, Extra, load};
use std::ops::Range;

/// Offsets of the parts of a thread's scratch memory, and its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Number of lanes for which registers have room. It fills whole cache lines, so that elements are aligned.
    lanes: usize,
    lists: usize,
    table: usize,
    values: usize,
    staging: usize,
    chosen: usize,
    pub(super) bytes: usize,
}

impl Layout {
    pub(super) fn new(section: &Section, lanes: usize) -> Layout {
        let lanes = lanes.next_multiple_of(ALIGNMENT);
        let mut end = 0usize;
        let mut part = |bytes: usize| {
            let start = end;
            end = end.saturating_add(bytes);
            start
        };
        part(lines_of::<u8>(section.bytes.saturating_mul(lanes)));
        Layout {
            lanes,
            lists: part(lines_of::<i64>(section.slots.saturating_mul(lanes))),
            table: part(lines_of::<*mut u8>(section.registers.len())),
            values: part(lines_of::<Lanes>(section.slots)),
            staging: part(lines_of::<[u8; 16]>(lanes)),
            chosen: part(lines_of::<u8>(lanes)),
            bytes: end,
        }
    }
}

/// The lanes in which something is done.
enum Chosen {
    Range(Range<usize>),
    /// Those that have a 1 in the list of chosen lanes.
    Some,
}

/// A section that runs on one thread.
pub(super) struct SectionRun<'a> {
    section: &'a Section,
    cpu: Cpu,
    /// Returns a pointer to the beginning of each buffer.
    buffer: &'a dyn Fn(usize) -> *mut u8,
    scratch: *mut u8,
    layout: Layout,
    len: usize,
}

/// Runs an expression with `$T` as an integer of that many bytes.
macro_rules! by_size {
    ($size:expr, $T:ident => $body:expr) => {
        match $size {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            8 => {
                type $T = u64;
                $body
            }
            _ => {
                type $T = u128;
                $body
            }
        }
    };
}

impl<'a> SectionRun<'a> {
    /// Prepares to run tiles.
    ///
    /// # Safety
    /// `scratch` has the bytes of the layout, is aligned to a cache line, and is used by nobody else during the run. Buffers are what the
    /// kernel declares.
    pub(super) unsafe fn begin(
        section: &'a Section,
        cpu: Cpu,
        buffer: &'a dyn Fn(usize) -> *mut u8,
        layout: Layout,
        scratch: *mut u8,
    ) -> SectionRun<'a> {
        let run = SectionRun { section, cpu, buffer, scratch, layout, len: layout.lanes };
        // SAFETY: the scratch memory has room for each register and slot.
        unsafe {
            (0..section.registers.len()).for_each(|register| run.put(register, run.own(register)));
            (0..section.slots).for_each(|slot| run.set(slot, Lanes::uniform(0)));
            run.block(&section.once);
        }
        run
    }

    /// Runs a tile of `len` indices starting at `at`.
    ///
    /// # Safety
    /// The indices exist, there are at most as many as lanes, and nobody else uses what they write.
    pub(super) unsafe fn tile(&mut self, at: usize, len: usize) {
        self.len = len;
        let section = self.section;
        let list = |axis: usize| self.list(section.axes[axis]);
        // SAFETY: the lists of slots have room for the lanes.
        unsafe {
            axes(&section.extents, at, len, list, |axis, lanes| self.set(section.axes[axis], lanes));
            self.block(&section.body);
        }
    }

    fn own(&self, register: Register) -> *mut u8 {
        self.scratch.wrapping_add(self.section.registers[register] * self.layout.lanes)
    }

    fn list(&self, slot: Slot) -> *mut i64 {
        self.scratch.wrapping_add(self.layout.lists).cast::<i64>().wrapping_add(slot * self.layout.lanes)
    }

    fn staging(&self) -> *mut u8 {
        self.scratch.wrapping_add(self.layout.staging)
    }

    fn chosen_list(&self) -> *mut u8 {
        self.scratch.wrapping_add(self.layout.chosen)
    }

    /// Returns the address of a register: in its own memory, or in an operand.
    ///
    /// # Safety
    /// As for [`begin`](Self::begin); this also applies to the functions that follow.
    unsafe fn at(&self, register: Register) -> *mut u8 {
        // SAFETY: the table has all registers.
        unsafe { self.scratch.add(self.layout.table).cast::<*mut u8>().add(register).read() }
    }

    unsafe fn put(&self, register: Register, at: *mut u8) {
        // SAFETY: the table has all registers.
        unsafe { self.scratch.add(self.layout.table).cast::<*mut u8>().add(register).write(at) }
    }

    unsafe fn value(&self, slot: Slot) -> Lanes {
        // SAFETY: the table has all slots.
        unsafe { self.scratch.add(self.layout.values).cast::<Lanes>().add(slot).read() }
    }

    unsafe fn set(&self, slot: Slot, lanes: Lanes) {
        // SAFETY: the table has all slots.
        unsafe { self.scratch.add(self.layout.values).cast::<Lanes>().add(slot).write(lanes) }
    }

    unsafe fn place(&self, place: &LanePlace) -> Lanes {
        // SAFETY: the caller's promise.
        unsafe {
            let mut lanes = place.varying.map_or(Lanes::uniform(0), |slot| self.value(slot));
            let mut rest = place.rest.constant;
            for &(slot, times) in &place.rest.terms {
                rest = rest.wrapping_add(self.value(slot).first.wrapping_mul(times));
            }
            lanes.first = lanes.first.wrapping_add(rest);
            lanes
        }
    }

    unsafe fn block(&self, block: &[Instruction]) {
        for instruction in block {
            // SAFETY: the caller's promise.
            unsafe { self.instruction(instruction) };
        }
    }

    #[inline]
    unsafe fn call(&self, code: Code, dst: *mut u8, src: [*const u8; 3], len: usize, extra: Extra) {
        // SAFETY: the caller vouches for the operands.
        unsafe { (code.run)(&Call { cpu: self.cpu, dst, src, len, extra }) }
    }

    unsafe fn instruction(&self, instruction: &Instruction) {
        let len = self.len;
        // SAFETY: registers and slots have room for the lanes; what is accessed lies in buffers, as the kernel guarantees.
        unsafe {
            match instruction {
                Instruction::Constant { bytes, size, out } => {
                    let code = load::load_size(*size);
                    self.call(code, self.at(*out), [bytes.as_ptr(); 3], len, Extra::Stride(0));
                }
                Instruction::Apply { code, args, out } => {
                    let args = args.map(|arg| self.at(arg).cast_const());
                    self.call(*code, self.at(*out), args, len, code.extra);
                }
                Instruction::Slot { slot, code } => self.set(*slot, self.computed(*slot, code)),
                Instruction::Name { slot, from } => {
                    let list = self.list(*slot);
                    std::ptr::copy_nonoverlapping(self.at(*from).cast(), list, len);
                    self.set(*slot, Lanes::of(list, len));
                }
                Instruction::Index { place, out } => {
                    let (lanes, out) = (self.place(place), self.at(*out).cast::<i64>());
                    (0..len).for_each(|lane| out.add(lane).write(lanes.at(lane)));
                }
                Instruction::Holds { only, out } => self.holds(only, self.at(*out)),
                Instruction::Load { access, fill, out } => self.load(access, *fill, *out),
                Instruction::Store { access, from } => self.store(access, self.at(*from)),
                Instruction::Loop { slot, from, extent, reverse, body } => {
                    let count = self.place(extent).largest(len);
                    for i in self.place(from).first..count {
                        self.set(*slot, Lanes::uniform(if *reverse { count - 1 - i } else { i }));
                        self.block(body);
                    }
                }
                Instruction::Masked { mask, body } => {
                    let mask = std::slice::from_raw_parts(self.at(*mask), len);
                    if mask.contains(&1) {
                        self.block(body);
                    }
                }
            }
        }
    }

    unsafe fn computed(&self, slot: Slot, code: &SlotCode) -> Lanes {
        let (len, list) = (self.len, self.list(slot));
        // SAFETY: lists have room for the lanes; those of operands are different lists.
        unsafe {
            let each = |f: &dyn Fn(i64, i64) -> i64, a: Lanes, b: Lanes| {
                if a.is_affine() && a.step == 0 && b.is_affine() && b.step == 0 {
                    return Lanes::uniform(f(a.first, b.first));
                }
                (0..len).for_each(|lane| list.add(lane).write(f(a.at(lane), b.at(lane))));
                Lanes::of(list, len)
            };
            match *code {
                SlotCode::Sum(ref sum) => self.sum(sum, list),
                SlotCode::Product(a, b) => each(&i64::wrapping_mul, self.value(a), self.value(b)),
                SlotCode::Larger(a, b) => each(&i64::max, self.value(a), self.value(b)),
                SlotCode::Quotient(a, b) => {
                    let (a, b) = (self.value(a), self.value(b));
                    match b.is_affine() && b.step == 0 {
                        true => quotients(a, b.first.max(1), len, list),
                        false => each(&|a, b| a.div_euclid(b.max(1)), a, b),
                    }
                }
            }
        }
    }

    unsafe fn sum(&self, sum: &Sum, list: *mut i64) -> Lanes {
        let mut affine = Lanes::uniform(sum.constant);
        let mut lists = false;
        // SAFETY: the caller's promise.
        unsafe {
            for &(slot, times) in &sum.terms {
                let value = self.value(slot);
                affine.first = affine.first.wrapping_add(value.first.wrapping_mul(times));
                affine.step = affine.step.wrapping_add(value.step.wrapping_mul(times));
                lists |= !value.is_affine();
            }
            if !lists {
                return affine;
            }
            (0..self.len).for_each(|lane| list.add(lane).write(affine.at(lane)));
            for &(slot, times) in &sum.terms {
                let value = self.value(slot);
                if !value.is_affine() {
                    for lane in 0..self.len {
                        let term = value.each.add(lane).read().wrapping_mul(times);
                        list.add(lane).write(list.add(lane).read().wrapping_add(term));
                    }
                }
            }
            Lanes::of(list, self.len)
        }
    }

    /// Returns the lanes in which a condition holds.
    unsafe fn chosen(&self, only: &Condition) -> Chosen {
        let len = self.len;
        // SAFETY: the list has room for the lanes.
        unsafe {
            let (mut range, mut is_range) = (0..len, only.mask.is_none());
            for place in &only.places {
                match self.place(place).not_negative(len) {
                    Some(holds) => range = range.start.max(holds.start)..range.end.min(holds.end),
                    None => is_range = false,
                }
            }
            if is_range || range.is_empty() {
                return Chosen::Range(range.start..range.end.max(range.start));
            }
            let chosen = std::slice::from_raw_parts_mut(self.chosen_list(), len);
            match only.mask {
                Some(mask) => std::ptr::copy_nonoverlapping(self.at(mask), chosen.as_mut_ptr(), len),
                None => chosen.fill(1),
            }
            chosen[..range.start].fill(0);
            chosen[range.end..].fill(0);
            for lanes in only.places.iter().map(|place| self.place(place)).filter(|lanes| !lanes.is_affine())
            {
                let list = chosen.iter_mut().enumerate();
                list.for_each(|(lane, chosen)| *chosen &= u8::from(lanes.at(lane) >= 0));
            }
            match chosen.contains(&0) {
                false => Chosen::Range(0..len),
                true if !chosen.contains(&1) => Chosen::Range(0..0),
                true => Chosen::Some,
            }
        }
    }

    unsafe fn holds(&self, only: &Condition, out: *mut u8) {
        // SAFETY: the register has room for the lanes.
        unsafe {
            match self.chosen(only) {
                Chosen::Range(range) => {
                    let out = std::slice::from_raw_parts_mut(out, self.len);
                    out.fill(0);
                    out[range].fill(1);
                }
                Chosen::Some => std::ptr::copy_nonoverlapping(self.chosen_list(), out, self.len),
            }
        }
    }

    unsafe fn load(&self, access: &Access, fill: Option<Register>, register: Register) {
        let (stored, held) = (access.stored, access.held);
        // SAFETY: the kernel accesses only what the buffer has; registers have room for the lanes.
        unsafe {
            let (base, lanes) = ((self.buffer)(access.buffer), self.place(&access.place));
            let element =
                |lane: usize| base.wrapping_offset((lanes.at(lane) as isize).wrapping_mul(stored as isize));
            let chosen = self.chosen(&access.only);
            let is_all = matches!(&chosen, Chosen::Range(range) if range.len() == self.len);
            let is_steady = lanes.is_affine() && lanes.step >= 0;
            let lies_as_held = access.code.is_none() && element(0).addr().is_multiple_of(held);
            // With a mask, lanes that are left out in another tile would still be read from where they are in this tile.
            let stays = access.is_fixed && access.only.mask.is_none();
            if is_all && is_steady && lanes.step == 1 && lies_as_held && stays {
                return self.put(register, element(0));
            }
            let out = self.own(register);
            self.put(register, out);
            if let Some(fill) = fill.filter(|_| !is_all) {
                std::ptr::copy_nonoverlapping(self.at(fill), out, self.len * held);
            }
            match (chosen, access.code) {
                (Chosen::Range(range), _) if range.is_empty() => {}
                (Chosen::Range(range), code) if is_steady => {
                    let code = code.unwrap_or_else(|| load::load_size(held));
                    let (dst, stride) = (out.add(range.start * held), Extra::Stride(lanes.step as usize));
                    self.call(code, dst, [element(range.start).cast_const(); 3], range.len(), stride);
                }
                (Chosen::Range(range), Some(code)) => {
                    let (dst, staging) = (out.add(range.start * held), self.staging());
                    by_size!(stored, T => (0..range.len()).for_each(|i| {
                        let x = element(range.start + i).cast::<T>().read_unaligned();
                        staging.cast::<T>().add(i).write_unaligned(x);
                    }));
                    self.call(code, dst, [staging.cast_const(); 3], range.len(), Extra::Stride(1));
                }
                (Chosen::Range(range), None) => by_size!(stored, T => range.into_iter().for_each(|lane| {
                    let x = element(lane).cast::<T>().read_unaligned();
                    out.cast::<T>().add(lane).write_unaligned(x);
                })),
                (Chosen::Some, Some(code)) => self.each_chosen(|lane| {
                    let src = [element(lane).cast_const(); 3];
                    self.call(code, out.add(lane * held), src, 1, Extra::Stride(1));
                }),
                (Chosen::Some, None) => by_size!(stored, T => self.each_chosen(|lane| {
                    let x = element(lane).cast::<T>().read_unaligned();
                    out.cast::<T>().add(lane).write_unaligned(x);
                })),
            }
        }
    }

    #[inline(always)]
    unsafe fn each_chosen(&self, f: impl Fn(usize)) {
        // SAFETY: the list was written for the lanes.
        let chosen = unsafe { std::slice::from_raw_parts(self.chosen_list(), self.len) };
        chosen.iter().enumerate().filter(|(_, chosen)| **chosen != 0).for_each(|(lane, _)| f(lane));
    }

    unsafe fn store(&self, access: &Access, from: *const u8) {
        let (stored, held) = (access.stored, access.held);
        // SAFETY: the kernel accesses only what the buffer has, and each element once; registers have room for the lanes.
        unsafe {
            let (base, lanes) = ((self.buffer)(access.buffer), self.place(&access.place));
            let element =
                |lane: usize| base.wrapping_offset((lanes.at(lane) as isize).wrapping_mul(stored as isize));
            let chosen = self.chosen(&access.only);
            if let (Chosen::Range(range), true) = (&chosen, lanes.is_affine() && lanes.step == 1) {
                let (start, count) = (range.start, range.len());
                let (dst, src) = (element(start), from.add(start * held));
                return match access.code {
                    Some(code) => self.call(code, dst, [src; 3], count, code.extra),
                    None => std::ptr::copy_nonoverlapping(src, dst, count * stored),
                };
            }
            let mut from = from;
            if let Some(code) = access.code {
                self.call(code, self.staging(), [from; 3], self.len, code.extra);
                from = self.staging();
            }
            by_size!(stored, T => {
                let write = |lane: usize| {
                    let x = from.cast::<T>().add(lane).read_unaligned();
                    element(lane).cast::<T>().write_unaligned(x);
                };
                match chosen {
                    Chosen::Range(range) => range.into_iter().for_each(write),
                    Chosen::Some => self.each_chosen(write),
                }
            });
        }
    }
}
