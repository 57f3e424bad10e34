//! Decodes value `i` of a block: one function per format, and what they share.

pub(crate) mod float4;
pub(crate) mod grid;
pub(crate) mod k;
pub(crate) mod simple;
pub(crate) mod ternary;

use crate::arithmetic::{Int, PackedBlock, Place};

/// The type of the values of a block.
pub(crate) type Value<B> = <<B as PackedBlock>::Int as Int>::Float;

/// The u16 at a position, little-endian.
#[inline(always)]
fn word<B: PackedBlock>(block: &B, at: &B::Place) -> B::Int {
    block.byte(at).or(&block.byte(&at.offset(1)).up(8))
}

/// The f16 at a constant position; `i` may be any position.
#[inline(always)]
fn half<B: PackedBlock>(block: &B, i: &B::Place, at: usize) -> Value<B> {
    word(block, &i.fixed(at)).half()
}

/// The i8 at a position.
#[inline(always)]
fn signed<B: PackedBlock>(block: &B, at: &B::Place) -> B::Int {
    block.byte(at).masked(255).xor(&block.int(at).constant(128)).offset(-128)
}

/// The low half of a byte if `upper` is 0, the high half if it is 1.
#[inline(always)]
fn nibble<B: PackedBlock>(block: &B, at: &B::Place, upper: &B::Place) -> B::Int {
    block.byte(at).shr(&block.int(&upper.scaled(4))).masked(15)
}

/// Value `i` of the half bytes from `start`: the low halves of each `group` bytes come first, then their high halves.
#[inline(always)]
fn nibbles<B: PackedBlock>(block: &B, i: &B::Place, start: usize, group: usize) -> B::Int {
    let (pair, within) = (i.div(2 * group), i.rem(2 * group));
    let at = pair.scaled(group).plus(&within.rem(group)).offset(start);
    nibble(block, &at, &within.div(group))
}

/// Bit number `bit` of the bytes from `start`, counted from the lowest bit of each byte.
#[inline(always)]
fn bit<B: PackedBlock>(block: &B, bit: &B::Place, start: usize) -> B::Int {
    block.byte(&bit.div(8).offset(start)).shr(&block.int(&bit.rem(8))).masked(1)
}

/// −1 if a bit is set, else 1.
#[inline(always)]
fn sign<I: Int>(bit: &I) -> I {
    bit.constant(1).minus(&bit.scaled(2))
}
