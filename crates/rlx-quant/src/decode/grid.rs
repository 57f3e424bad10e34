//! Decodes the IQ formats of 1 to 3 bits, with 256 values per block: each 8 or 4 values are a point of a grid, and signs are separate.

use super::{Value, bit, half, nibble, sign, word};
use crate::arithmetic::{Float, Int, PackedBlock, Place};
use crate::grids;

/// Coordinate `i` of a point with `bits` bits per coordinate.
#[inline(always)]
fn coordinate<B: PackedBlock>(block: &B, point: &B::Int, i: &B::Place, bits: usize) -> B::Int {
    point.shr(&block.int(&i.scaled(bits))).masked((1 << bits) - 1)
}

/// The magnitude of a coordinate of two bits: 8, 25 or 43.
#[inline(always)]
fn magnitude2<I: Int>(coordinate: &I) -> I {
    coordinate.lookup(&grids::MAGNITUDES2)
}

/// The sign of value `i` of 8 from seven bits. The eighth sign makes the number of negative values even.
#[inline(always)]
fn even_sign<B: PackedBlock>(block: &B, bits: &B::Int, i: &B::Place) -> B::Int {
    let bits = bits.masked(127);
    let folded = bits.xor(&bits.down(4));
    let folded = folded.xor(&folded.down(2));
    let parity = folded.xor(&folded.down(1)).masked(1);
    sign(&bits.or(&parity.up(7)).shr(&block.int(&i.rem(8))).masked(1))
}

/// Reads a u32 whose lowest 28 bits are the signs of four groups of 8 values and whose highest 4 bits are a scale. Returns the signs of the
/// group that contains `i`, and the scale.
#[inline(always)]
fn signs_and_scale<B: PackedBlock>(block: &B, at: &B::Place, i: &B::Place) -> (B::Int, B::Int) {
    let all = word(block, at).or(&word(block, &at.offset(2)).up(16));
    (all.shr(&block.int(&i.rem(32).div(8).scaled(7))), all.down(28))
}

/// A scale of 4 bits, plus one half, times `factor`, which is a power of two.
#[inline(always)]
fn between<B: PackedBlock>(block: &B, i: &B::Place, scale: &B::Int, factor: f32) -> Value<B> {
    half(block, i, 0).times(&scale.float().offset(0.5)).scaled(factor)
}

/// Points of 8 values out of 256; for each 32 values a scale of 4 bits and 28 bits of signs.
#[inline(always)]
pub(crate) fn iq2_xxs<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let part = i.div(32).scaled(8);
    let point = block.byte(&part.plus(&i.rem(32).div(8)).offset(2)).lookup(&grids::IQ2_XXS);
    let (signs, scale) = signs_and_scale(block, &part.offset(6), i);
    let value = magnitude2(&coordinate(block, &point, &i.rem(8), 2)).times(&even_sign(block, &signs, i));
    between(block, i, &scale, 0.25).times(&value.float())
}

/// Points of 8 values out of 512 with 7 bits of signs each; a scale of 4 bits for each 16 values.
#[inline(always)]
pub(crate) fn iq2_xs<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let packed = word(block, &i.div(8).scaled(2).offset(2));
    let point = packed.masked(511).lookup(&grids::IQ2_XS);
    let value =
        magnitude2(&coordinate(block, &point, &i.rem(8), 2)).times(&even_sign(block, &packed.down(9), i));
    between(block, i, &scale16(block, i, 66), 0.25).times(&value.float())
}

/// Points of 8 values out of 1024 with 8 bits of signs each; a scale of 4 bits for each 16 values.
#[inline(always)]
pub(crate) fn iq2_s<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let (group, part) = (i.div(8), i.div(32));
    let high = block.byte(&part.offset(66)).shr(&block.int(&group.rem(4).scaled(2))).masked(3);
    let point = block.byte(&group.offset(2)).or(&high.up(8)).lookup(&grids::IQ2_S);
    let value = magnitude2(&coordinate(block, &point, &i.rem(8), 2)).times(&sign(&bit(block, i, 34)));
    between(block, i, &scale16(block, i, 74), 0.25).times(&value.float())
}

/// The scale of 4 bits for each 16 values, two per byte from `start`.
#[inline(always)]
fn scale16<B: PackedBlock>(block: &B, i: &B::Place, start: usize) -> B::Int {
    nibble(block, &i.div(32).offset(start), &i.div(16).rem(2))
}

/// Points of 4 values out of 256; for each 32 values a scale of 4 bits and 28 bits of signs.
#[inline(always)]
pub(crate) fn iq3_xxs<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let point = block.byte(&i.div(4).offset(2)).lookup(&grids::IQ3_XXS);
    let (signs, scale) = signs_and_scale(block, &i.div(32).scaled(4).offset(66), i);
    let magnitude = coordinate(block, &point, &i.rem(4), 3).lookup(&grids::MAGNITUDES3);
    between(block, i, &scale, 0.5).times(&magnitude.times(&even_sign(block, &signs, i)).float())
}

/// Points of 4 values out of 512, with 8 bits of signs for each 8 values; an odd scale for each 32 values.
#[inline(always)]
pub(crate) fn iq3_s<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let (group, part) = (i.div(4), i.div(32));
    let point = block.byte(&group.offset(2)).or(&bit(block, &group, 66).up(8)).lookup(&grids::IQ3_S);
    // The odd numbers from 1 to 15.
    let magnitude = coordinate(block, &point, &i.rem(4), 3).scaled(2).offset(1);
    let scale = nibble(block, &part.div(2).offset(106), &part.rem(2)).scaled(2).offset(1);
    let value = magnitude.times(&sign(&bit(block, i, 74)));
    half(block, i, 0).times(&scale.float()).times(&value.float())
}

/// −1, 0 or 1 from a point of 8 values out of 2048, shifted by an eighth.
#[inline(always)]
fn moved<B: PackedBlock>(block: &B, i: &B::Place, point: &B::Int, down: &B::Int) -> Value<B> {
    let value = coordinate(block, &point.lookup(&grids::IQ1), &i.rem(8), 2).offset(-1);
    value.float().plus(&sign(down).float().scaled(0.125))
}

/// Points of 8 values out of 2048; for each 32 values an odd scale and the direction in which all of them are shifted.
#[inline(always)]
pub(crate) fn iq1_s<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let group = i.div(8);
    let rest = word(block, &i.div(32).scaled(2).offset(34));
    let high = rest.shr(&block.int(&group.rem(4).scaled(3))).masked(7);
    let point = block.byte(&group.offset(2)).or(&high.up(8));
    let scale = half(block, i, 0).times(&rest.down(12).masked(7).scaled(2).offset(1).float());
    scale.times(&moved(block, i, &point, &rest.down(15)))
}

/// The upper four bits of a word that holds scales of `iq1_m`.
#[inline(always)]
fn top<B: PackedBlock>(block: &B, i: &B::Place, at: usize) -> B::Int {
    word(block, &i.fixed(48 + 2 * at)).down(12)
}

/// Points of 8 values out of 2048, each with its own direction. There is an odd scale for each 16 values; the block's scale is in the upper
/// bits of the four words that hold these scales.
#[inline(always)]
pub(crate) fn iq1_m<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let group = i.div(8);
    let rest = nibble(block, &group.div(2).offset(32), &group.rem(2));
    let point = block.byte(&group).or(&rest.masked(7).up(8));
    let whole =
        top(block, i, 0).or(&top(block, i, 1).up(4)).or(&top(block, i, 2).up(8)).or(&top(block, i, 3).up(12));
    let part = word(block, &i.div(64).scaled(2).offset(48)).shr(&block.int(&i.rem(64).div(16).scaled(3)));
    let scale = whole.half().times(&part.masked(7).scaled(2).offset(1).float());
    scale.times(&moved(block, i, &point, &rest.down(3)))
}
