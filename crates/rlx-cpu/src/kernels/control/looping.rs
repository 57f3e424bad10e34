//! Kernels of `while` and `scan`. Carried values pass from step to step as pointers. A value alternates between the result's memory and a
//! spare place. If the body can overwrite it, it stays in the result's memory; if the body passes it on unchanged, it stays in the operand.

use super::Body;
use crate::exec::{LaunchContext, OpKernel, Packed, Packer, Packing, RunError};
use crate::kernels::{PrepareContext, lines, lines_of, num_bytes};
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::Graph;

/// How a value is carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Carry {
    /// The body returns its input.
    Same,
    /// The body overwrites its input.
    InPlace,
    /// The body writes elsewhere: to the result, or to the spare place at this offset in the scratch memory.
    Alternating(usize),
}

/// Where a carried value is, and where the next one is written.
#[derive(Clone, Copy)]
struct Slot {
    now: *mut u8,
    next: *mut u8,
}

/// The part that both kinds of loops share: a body and the values that it carries.
struct Carried {
    body: Body,
    /// How each value is carried, and its size.
    values: Vec<(Carry, usize)>,
    /// The carried values that the body writes, in the order of its outputs. The outputs after them are not carried.
    written: Vec<usize>,
    /// Number of operands before the first carried value.
    first: usize,
    /// Offset of the slots in the scratch memory, and the size of all of it in bytes.
    slots_at: usize,
    scratch_bytes: usize,
}

impl Carried {
    /// Prepares the body of a loop, which takes `first` inputs, then `count` carried values, then others.
    fn new(
        cx: &PrepareContext<'_>,
        body: &Graph,
        first: usize,
        count: usize,
    ) -> Result<Carried, BackendError> {
        let inputs: Vec<_> = body.inputs().map(|node| node.id()).collect();
        let is_same = |i: usize| body.outputs().get(i) == inputs.get(first + i);
        let written: Vec<usize> = (0..count).filter(|&i| !is_same(i)).collect();
        let mut reduced = body.clone();
        let outputs = body.outputs().iter().enumerate();
        reduced.set_outputs(outputs.filter(|(i, _)| *i >= count || !is_same(*i)).map(|(_, &o)| o).collect());
        let pairs: Vec<(usize, usize)> =
            written.iter().enumerate().map(|(output, value)| (first + value, output)).collect();
        // Values that are the same in each step and each run may be packed once for all.
        let stays = |&i: &usize| {
            let same = i < first || (i < first + count && is_same(i - first));
            same && cx.is_fixed(cx.node.inputs()[i])
        };
        let fixed: Vec<usize> = (0..inputs.len()).filter(stays).collect();
        let body = Body::with_fixed(cx, &reduced, &pairs, &fixed)?;
        let mut scratch_bytes = body.scratch_bytes();
        let mut values = Vec::with_capacity(count);
        // Pairs are in the order of their inputs.
        let mut next = pairs.iter().peekable();
        for i in 0..count {
            let bytes = num_bytes(cx.operand(first + i));
            let carry = match next.next_if(|p| p.0 == first + i) {
                None => Carry::Same,
                Some(&(input, output)) if body.keeps(input, output) => Carry::InPlace,
                Some(_) => {
                    let at = scratch_bytes;
                    scratch_bytes = lines(scratch_bytes.saturating_add(bytes));
                    Carry::Alternating(at)
                }
            };
            values.push((carry, bytes));
        }
        let slots_at = scratch_bytes;
        scratch_bytes = scratch_bytes.saturating_add(lines_of::<Slot>(count));
        Ok(Carried { body, values, written, first, slots_at, scratch_bytes })
    }

    /// Returns what the body wants packed of the operands. Carried values are copied to the results whether or not they are packed.
    fn packings(&self) -> Vec<Packing> {
        let of_body = self.body.packings().into_iter();
        of_body
            .map(|packing| {
                let is_carried = packing.operands.iter().any(|&operand| operand >= self.first);
                Packing { replaces: packing.replaces && !is_carried, ..packing }
            })
            .collect()
    }

    /// Returns the slots, with each value in its operand. The first step writes to the result unless `spare_first`.
    ///
    /// # Safety
    /// The context is that of the loop, and the slots of an earlier call are no longer used.
    #[allow(clippy::mut_from_ref)]
    unsafe fn begin<'s>(&self, cx: &'s LaunchContext<'_>, spare_first: bool) -> &'s mut [Slot] {
        // SAFETY: the scratch memory is on a cache line and has room for the slots at this multiple of one, after what the bodies use; the
        // caller vouches that there are no others. Any bytes are valid slots.
        let slots = unsafe {
            let first = cx.scratch_ptr().add(self.slots_at).cast::<Slot>();
            std::slice::from_raw_parts_mut(first, self.values.len())
        };
        for (i, (slot, &(carry, bytes))) in slots.iter_mut().zip(&self.values).enumerate() {
            let (init, out) = (cx.input_ptr(self.first + i).cast_mut(), cx.output_ptr(i));
            *slot = match carry {
                Carry::Same => Slot { now: init, next: init },
                Carry::InPlace => {
                    // SAFETY: operand and result have one shape and do not overlap.
                    unsafe { std::ptr::copy_nonoverlapping(init, out, bytes) };
                    Slot { now: out, next: out }
                }
                Carry::Alternating(at) => Slot {
                    now: init,
                    next: if spare_first { cx.scratch_ptr().wrapping_add(at) } else { out },
                },
            };
        }
        slots
    }

    /// Makes the values that a step wrote the current ones.
    fn advance(&self, cx: &LaunchContext<'_>, slots: &mut [Slot]) {
        for (i, (slot, &(carry, _))) in slots.iter_mut().zip(&self.values).enumerate() {
            if let Carry::Alternating(at) = carry {
                let (out, spare) = (cx.output_ptr(i), cx.scratch_ptr().wrapping_add(at));
                *slot = Slot { now: slot.next, next: if slot.next == out { spare } else { out } };
            }
        }
    }

    /// Copies each value to its result unless it is there already.
    fn finish(&self, cx: &LaunchContext<'_>, slots: &[Slot]) {
        for (i, (slot, &(_, bytes))) in slots.iter().zip(&self.values).enumerate() {
            if slot.now != cx.output_ptr(i) {
                // SAFETY: operand, spare place and result have the same size and do not overlap.
                unsafe { std::ptr::copy_nonoverlapping(slot.now, cx.output_ptr(i), bytes) };
            }
        }
    }
}

struct While {
    cond: Body,
    carried: Carried,
    /// Offset of the condition's result in the scratch memory.
    holds_at: usize,
}

/// Prepares the kernel of a loop whose number of steps depends on values.
pub(super) fn while_loop(
    cx: &PrepareContext<'_>,
    cond: &Graph,
    body: &Graph,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let cond = Body::new(cx, cond, &[])?;
    let mut carried = Carried::new(cx, body, 0, cx.node.inputs().len())?;
    // Condition and body run one after the other in the same memory; what must survive a run is after both.
    let behind = cond.scratch_bytes().saturating_sub(carried.body.scratch_bytes());
    carried.shift(behind);
    let holds_at = carried.scratch_bytes;
    carried.scratch_bytes = carried.scratch_bytes.saturating_add(ALIGNMENT);
    Ok(Box::new(While { cond, carried, holds_at }))
}

impl Carried {
    /// Moves everything that follows the body's own scratch memory further back.
    fn shift(&mut self, bytes: usize) {
        for (carry, _) in &mut self.values {
            if let Carry::Alternating(at) = carry {
                *at = at.saturating_add(bytes);
            }
        }
        self.slots_at = self.slots_at.saturating_add(bytes);
        self.scratch_bytes = self.scratch_bytes.saturating_add(bytes);
    }
}

impl OpKernel for While {
    fn packings(&self) -> Vec<Packing> {
        self.carried.packings()
    }

    fn pack(&self, index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        self.carried.body.pack(index, operands, packer)
    }

    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.carried.scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let scratch = cx.scratch_ptr();
        let holds = scratch.wrapping_add(self.holds_at);
        // SAFETY: this is the loop's context, and these are the only slots.
        let slots = unsafe { self.carried.begin(cx, false) };
        loop {
            // SAFETY: the condition takes the carried values and computes a boolean, which has its own place.
            unsafe {
                self.cond.run(cx, scratch, &|i| slots[i].now, &|_| holds)?;
                if holds.read() != 1 {
                    break;
                }
            }
            // SAFETY: the body takes the carried values; what it writes has its own place, or may be overwritten.
            unsafe {
                let written = &self.carried.written;
                self.carried.body.run(cx, scratch, &|i| slots[i].now, &|o| slots[written[o]].next)?;
            }
            self.carried.advance(cx, slots);
        }
        self.carried.finish(cx, slots);
        Ok(())
    }
}

struct Scan {
    carried: Carried,
    length: usize,
    reverse: bool,
    /// Size of a slice of each x and of each y in bytes.
    xs: Vec<usize>,
    ys: Vec<usize>,
}

/// Prepares the kernel of a loop over the leading axis of operands and results.
pub(super) fn scan(
    cx: &PrepareContext<'_>,
    body: &Graph,
    (num_consts, num_carry): (usize, usize),
    length: usize,
    reverse: bool,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let inputs = body.input_shapes();
    let xs = inputs[num_consts + num_carry..].iter().map(num_bytes).collect();
    let ys = body.output_shapes()[num_carry..].iter().map(num_bytes).collect();
    let carried = Carried::new(cx, body, num_consts, num_carry)?;
    Ok(Box::new(Scan { carried, length, reverse, xs, ys }))
}

impl OpKernel for Scan {
    fn packings(&self) -> Vec<Packing> {
        self.carried.packings()
    }

    fn pack(&self, index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        self.carried.body.pack(index, operands, packer)
    }

    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.carried.scratch_bytes, in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let (consts, carries) = (self.carried.first, self.carried.values.len());
        let written = &self.carried.written;
        // SAFETY: this is the loop's context, and these are the only slots. The last step writes to the results.
        let slots = unsafe { self.carried.begin(cx, self.length.is_multiple_of(2)) };
        for step in 0..self.length {
            let at = if self.reverse { self.length - 1 - step } else { step };
            let input = |i: usize| match i.checked_sub(consts) {
                None => cx.input_ptr(i),
                Some(i) if i < carries => slots[i].now.cast_const(),
                Some(i) => cx.input_ptr(consts + i).wrapping_add(at * self.xs[i - carries]),
            };
            let output = |o: usize| match o.checked_sub(written.len()) {
                None => slots[written[o]].next,
                Some(y) => cx.output_ptr(carries + y).wrapping_add(at * self.ys[y]),
            };
            // SAFETY: slices belong to the operands and results; carried values have their own places, or may be overwritten.
            unsafe { self.carried.body.run(cx, cx.scratch_ptr(), &input, &output)? };
            self.carried.advance(cx, slots);
        }
        self.carried.finish(cx, slots);
        Ok(())
    }
}
