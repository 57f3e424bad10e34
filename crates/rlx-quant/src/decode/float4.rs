//! Decodes formats whose 4 bits select one of 16 numbers: floats (E2M1) and the levels of the IQ4 formats.

use super::{Value, half, nibble, nibbles, word};
use crate::arithmetic::{Float, Int, PackedBlock, Place};

/// The levels of the IQ4 formats, minus the lowest of them.
const LEVELS: [u16; 16] = [0, 23, 44, 62, 78, 92, 105, 117, 128, 140, 152, 165, 180, 196, 216, 240];
const LOWEST: i32 = -127;

/// Twice the numbers of E2M1, plus 12, which is twice the largest.
const DOUBLED: [u16; 16] = [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0];

/// The level that 4 bits select.
#[inline(always)]
pub(crate) fn level<I: Int>(quant: &I) -> I {
    quant.lookup(&LEVELS).offset(LOWEST)
}

/// Twice the E2M1 number with these 4 bits; −0 becomes 0.
#[inline(always)]
pub(crate) fn doubled<I: Int>(quant: &I) -> I {
    quant.lookup(&DOUBLED).offset(-12)
}

/// Half of the value of an E8M0 scale: 2^(e − 128), a subnormal number for e below 2.
#[inline(always)]
pub(crate) fn half_of_e8m0<I: Int>(exponent: &I) -> I::Float {
    let small = exponent.below(2);
    let subnormal = exponent.constant(0x0020_0000).shl(&exponent.times(&small));
    let normal = exponent.minus(&exponent.constant(1).minus(&small)).up(23);
    subnormal.times(&small).plus(&normal.times(&exponent.constant(1).minus(&small))).single()
}

/// Half of the value of a UE4M3 scale: an E4M3 whose sign is ignored. Read as an f16, the bits without the sign are too small by a factor
/// of 2^8.
#[inline(always)]
pub(crate) fn half_of_ue4m3<I: Int>(bits: &I) -> I::Float {
    // Bits that would be NaN give 0.
    let kept = bits.constant(1).minus(&bits.below(0x80).minus(&bits.below(0x7f)));
    bits.masked(0x7f).times(&kept).up(7).half().scaled(128.0)
}

/// E2M1 with an E8M0 scale.
#[inline(always)]
pub(crate) fn mxfp4<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    doubled(&nibbles(block, i, 1, 16)).float().times(&half_of_e8m0(&block.byte(&i.fixed(0))))
}

/// E2M1 with a UE4M3 scale for each 16 values.
#[inline(always)]
pub(crate) fn nvfp4<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    doubled(&nibbles(block, i, 4, 8)).float().times(&half_of_ue4m3(&block.byte(&i.div(16))))
}

/// Levels with one scale.
#[inline(always)]
pub(crate) fn iq4_nl<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    level(&nibbles(block, i, 2, 16)).float().times(&half(block, i, 0))
}

/// Levels with a scale of 6 bits for each 32 values, stored in two places: 4 bits and 2 bits.
#[inline(always)]
pub(crate) fn iq4_xs<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let part = i.div(32);
    let low = nibble(block, &part.div(2).offset(4), &part.rem(2));
    let high = word(block, &i.fixed(2)).shr(&block.int(&part.scaled(2))).masked(3);
    let scale = half(block, i, 0).times(&low.or(&high.up(4)).offset(-32).float());
    level(&nibbles(block, i, 8, 16)).float().times(&scale)
}
