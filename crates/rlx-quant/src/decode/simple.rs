//! Decodes formats with one scale, and in some of them a minimum, per block.

use super::{Value, bit, half, nibbles, signed};
use crate::arithmetic::{Float, Int, PackedBlock, Place};

/// Only signs.
#[inline(always)]
pub(crate) fn q1_0<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    bit(block, i, 2).scaled(2).offset(-1).float().times(&half(block, i, 0))
}

/// Two bits, where 1 represents 0.
#[inline(always)]
pub(crate) fn q2_0<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let quant = block.byte(&i.div(4).offset(2)).shr(&block.int(&i.rem(4).scaled(2))).masked(3);
    quant.offset(-1).float().times(&half(block, i, 0))
}

/// Four bits, where 8 represents 0.
#[inline(always)]
pub(crate) fn q4_0<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    nibbles(block, i, 2, 16).offset(-8).float().times(&half(block, i, 0))
}

/// Four bits above a minimum.
#[inline(always)]
pub(crate) fn q4_1<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    nibbles(block, i, 4, 16).float().times(&half(block, i, 0)).plus(&half(block, i, 2))
}

/// Five bits, where 16 represents 0. The fifth bits of all values are stored before the other four.
#[inline(always)]
pub(crate) fn q5_0<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let quant = nibbles(block, i, 6, 16).or(&bit(block, i, 2).up(4));
    quant.offset(-16).float().times(&half(block, i, 0))
}

/// Five bits above a minimum.
#[inline(always)]
pub(crate) fn q5_1<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let quant = nibbles(block, i, 8, 16).or(&bit(block, i, 4).up(4));
    quant.float().times(&half(block, i, 0)).plus(&half(block, i, 2))
}

/// Eight bits.
#[inline(always)]
pub(crate) fn q8_0<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    signed(block, &i.offset(2)).float().times(&half(block, i, 0))
}

/// Eight bits; the sum of the values is stored next to the scale.
#[inline(always)]
pub(crate) fn q8_1<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    signed(block, &i.offset(4)).float().times(&half(block, i, 0))
}
