//! Decodes the K formats, with 256 values per block, in parts of 16 or 32 that have scales and in some formats minimums.

use super::{Value, bit, half, nibble, nibbles, signed, word};
use crate::arithmetic::{Float, Int, PackedBlock, Place};

/// Two bits of the 64 bytes from `start`: of each 32 bytes first the lowest two bits, then the next two, and so on.
#[inline(always)]
fn pairs<B: PackedBlock>(block: &B, i: &B::Place, start: usize) -> B::Int {
    let at = i.div(128).scaled(32).plus(&i.rem(32)).offset(start);
    block.byte(&at).shr(&block.int(&i.rem(128).div(32).scaled(2))).masked(3)
}

/// For a later part, its upper two bits of 6, from the byte of an earlier part; 0 for an earlier part.
#[inline(always)]
fn upper<B: PackedBlock>(block: &B, at: &B::Place, is_later: &B::Int) -> B::Int {
    block.byte(&at.offset(4)).down(6).up(4).times(is_later)
}

/// The scale and minimum of a part of 32 values, with 6 bits each, from 12 bytes starting at the fourth. Parts 0 to 3 have whole bytes.
/// Parts 4 to 7 use halves of the last four bytes, and the upper two bits of the bytes of the earlier parts.
#[inline(always)]
fn scale_and_min<B: PackedBlock>(block: &B, part: &B::Place) -> [B::Int; 2] {
    let later = part.div(4);
    let is_later = block.int(&later);
    // 15 for later parts, 63 for the first ones.
    let mask = is_later.scaled(-48).offset(63);
    let scale = block.byte(&part.plus(&later.scaled(4)).offset(4)).and(&mask);
    let scale = scale.or(&upper(block, &part.minus(&later.scaled(4)), &is_later));
    let min = block.byte(&part.offset(8)).shr(&is_later.scaled(4)).and(&mask);
    [scale, min.or(&upper(block, part, &is_later))]
}

/// Two bits; the scale and minimum of each 16 values are the halves of a byte.
#[inline(always)]
pub(crate) fn q2_k<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let part = block.byte(&i.div(16));
    let scale = half(block, i, 80).times(&part.masked(15).float());
    let min = half(block, i, 82).times(&part.down(4).float());
    scale.times(&pairs(block, i, 16).float()).minus(&min)
}

/// Three bits, where 4 represents 0. The third bits of 8 parts of 32 values are the bits of 32 bytes. Scales of 16 values have 6 bits.
#[inline(always)]
pub(crate) fn q3_k<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let part = i.div(16);
    let low = nibble(block, &part.rem(8).offset(96), &part.div(8));
    let high = block.byte(&part.rem(4).offset(104)).shr(&block.int(&part.div(4).scaled(2))).masked(3);
    let scale = half(block, i, 108).times(&low.or(&high.up(4)).offset(-32).float());
    let quant = pairs(block, i, 32).or(&bit(block, &i.rem(32).scaled(8).plus(&i.div(32)), 0).up(2));
    scale.times(&quant.offset(-4).float())
}

/// Four bits.
#[inline(always)]
pub(crate) fn q4_k<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    with_min(block, i, nibbles(block, i, 16, 32))
}

/// Five bits. The fifth bits of 8 parts of 32 values are the bits of 32 bytes.
#[inline(always)]
pub(crate) fn q5_k<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let high = bit(block, &i.rem(32).scaled(8).plus(&i.div(32)), 16);
    with_min(block, i, nibbles(block, i, 48, 32).or(&high.up(4)))
}

/// A level above the minimum of its part.
#[inline(always)]
fn with_min<B: PackedBlock>(block: &B, i: &B::Place, quant: B::Int) -> Value<B> {
    let [scale, min] = scale_and_min(block, &i.div(32));
    let scale = half(block, i, 0).times(&scale.float());
    scale.times(&quant.float()).minus(&half(block, i, 2).times(&min.float()))
}

/// Six bits, where 32 represents 0. Scales of 16 values have 8 bits.
#[inline(always)]
pub(crate) fn q6_k<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let quant = nibbles(block, i, 0, 64).or(&pairs(block, i, 128).up(4));
    let scale = half(block, i, 208).times(&signed(block, &i.div(16).offset(192)).float());
    scale.times(&quant.offset(-32).float())
}

/// Eight bits with a single-precision scale, and the sums of each 16 values.
#[inline(always)]
pub(crate) fn q8_k<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let scale = word(block, &i.fixed(0)).or(&word(block, &i.fixed(2)).up(16)).single();
    scale.times(&signed(block, &i.offset(4)).float())
}
