//! Expresses indices as sums of slots, which are computed outside of the loops that do not change them. A slot is an integer per lane that
//! the program computes only once, as soon as everything that it depends on is known.

use super::compile::Compiler;
use super::program::{Instruction, LanePlace, Slot, SlotCode, Sum};
use rlx_ir::{SizeArithmetic, Symbol};
use std::collections::BTreeMap;

/// What is known about a slot.
pub(super) struct SlotInfo {
    /// The nesting depth in the program at which it is computed.
    pub(super) depth: usize,
    /// Whether it may differ between lanes.
    pub(super) varies: bool,
}

impl Sum {
    pub(super) fn constant(constant: i64) -> Sum {
        Sum { constant, terms: Vec::new() }
    }

    pub(super) fn of(slot: Slot) -> Sum {
        Sum { constant: 0, terms: vec![(slot, 1)] }
    }

    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(super) fn times(&self, factor: i64) -> Sum {
        let terms = self.terms.iter().map(|&(slot, times)| (slot, times.wrapping_mul(factor)));
        let terms = terms.filter(|term| term.1 != 0).collect();
        Sum { constant: self.constant.wrapping_mul(factor), terms }
    }

    pub(super) fn plus(&self, other: &Sum) -> Sum {
        let mut terms = self.terms.clone();
        for &(slot, times) in &other.terms {
            match terms.iter_mut().find(|term| term.0 == slot) {
                Some(term) => term.1 = term.1.wrapping_add(times),
                None => terms.push((slot, times)),
            }
        }
        terms.retain(|term| term.1 != 0);
        terms.sort_unstable();
        Sum { constant: self.constant.wrapping_add(other.constant), terms }
    }
}

impl Compiler<'_> {
    /// Adds a slot that a loop or a scalar provides, known from here on.
    pub(super) fn given(&mut self, varies: bool) -> Slot {
        let depth = self.blocks.len() - 1;
        self.slots.push(SlotInfo { depth, varies });
        self.slots.len() - 1
    }

    /// Adds a slot that is computed at the depth of what it depends on.
    fn computed(&mut self, code: SlotCode) -> Slot {
        if let Some(&slot) = self.known_slots.get(&code) {
            return slot;
        }
        let (mut depth, mut varies) = (0, false);
        code.for_each_slot(&mut |slot| {
            depth = depth.max(self.slots[slot].depth);
            varies |= self.slots[slot].varies;
        });
        self.slots.push(SlotInfo { depth, varies });
        let slot = self.slots.len() - 1;
        self.known_slots.insert(code.clone(), slot);
        self.blocks[depth].push(Instruction::Slot { slot, code });
        slot
    }

    pub(super) fn slot_of(&mut self, sum: &Sum) -> Slot {
        match sum.terms[..] {
            [(slot, 1)] if sum.constant == 0 => slot,
            _ => self.computed(SlotCode::Sum(sum.clone())),
        }
    }

    /// Returns a sum in the form that the program reads: the slots that differ between lanes are combined to one.
    pub(super) fn place(&mut self, sum: &Sum) -> LanePlace {
        let (varying, rest): (Vec<_>, Vec<_>) =
            sum.terms.iter().copied().partition(|term| self.slots[term.0].varies);
        // Terms that are known further outside are added there.
        let mut by_depth = BTreeMap::<usize, Vec<(Slot, i64)>>::new();
        varying.into_iter().for_each(|term| by_depth.entry(self.slots[term.0].depth).or_default().push(term));
        let mut slot = None;
        for terms in by_depth.into_values() {
            let sum = Sum { constant: 0, terms };
            let sum = slot.map_or(sum.clone(), |slot| sum.plus(&Sum::of(slot)));
            slot = Some(self.slot_of(&sum));
        }
        LanePlace { varying: slot, rest: Sum { constant: sum.constant, terms: rest } }
    }
}

impl SizeArithmetic for Compiler<'_> {
    type Number = Sum;

    fn constant(&mut self, value: i64) -> Sum {
        Sum::constant(value)
    }

    fn symbol(&mut self, symbol: &Symbol) -> Sum {
        match self.symbols.get(symbol) {
            Some(&slot) => Sum::of(slot),
            None => {
                self.unknown = true;
                Sum::default()
            }
        }
    }

    fn add(&mut self, a: &Sum, b: &Sum) -> Sum {
        a.plus(b)
    }

    fn multiply(&mut self, a: &Sum, b: &Sum) -> Sum {
        if let Some(factor) = b.as_constant() {
            return a.times(factor);
        }
        if let Some(factor) = a.as_constant() {
            return b.times(factor);
        }
        let (a, b) = (self.slot_of(a), self.slot_of(b));
        Sum::of(self.computed(SlotCode::Product(a, b)))
    }

    fn floor_divide(&mut self, a: &Sum, b: &Sum, _: Option<i64>) -> Sum {
        match (a.as_constant(), b.as_constant()) {
            (_, Some(1)) => a.clone(),
            (Some(a), Some(b)) if b > 0 => Sum::constant(a.div_euclid(b)),
            _ => {
                let (a, b) = (self.slot_of(a), self.slot_of(b));
                Sum::of(self.computed(SlotCode::Quotient(a, b)))
            }
        }
    }

    fn larger(&mut self, a: &Sum, b: &Sum) -> Sum {
        if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
            return Sum::constant(a.max(b));
        }
        let (a, b) = (self.slot_of(a), self.slot_of(b));
        Sum::of(self.computed(SlotCode::Larger(a, b)))
    }
}
