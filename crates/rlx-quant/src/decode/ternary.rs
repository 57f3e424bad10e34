//! Decodes formats of −1, 0 and 1 with one scale.

use super::{Value, half};
use crate::arithmetic::{Float, Int, PackedBlock, Place};

/// Powers of three.
const POWERS: [u16; 5] = [1, 3, 9, 27, 81];

/// Digits in base 3: five in each of 48 bytes (first the first digits of 32 bytes, then their second digits, and so on; then those of 16
/// bytes), and four in each of the last 4 bytes. A byte holds its digits as a fraction of 1, in 256ths. Multiplied by 3ⁿ modulo 256, what
/// remains begins with digit n, which is the integer part of 3/256 of it.
#[inline(always)]
pub(crate) fn tq1_0<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let (one, second, third) = (i.fixed(1), i.div(160), i.div(240));
    let (first, second) = (one.minus(&second), second.minus(&third));
    let at = first.times(&i.rem(32));
    let at = at.plus(&second.times(&i.rem(16).offset(32)));
    let at = at.plus(&third.times(&i.rem(4).offset(48)));
    let digit = first.times(&i.div(32)).plus(&second.times(&i.div(16))).plus(&third.times(&i.div(4)));
    let digit = digit.minus(&second.scaled(160 / 16)).minus(&third.scaled(240 / 4));
    let rest = block.byte(&at).times(&block.int(&digit).lookup(&POWERS)).masked(255);
    rest.scaled(3).down(8).offset(-1).float().times(&half(block, i, 52))
}

/// Two bits.
#[inline(always)]
pub(crate) fn tq2_0<B: PackedBlock>(block: &B, i: &B::Place) -> Value<B> {
    let at = i.div(128).scaled(32).plus(&i.rem(32));
    let quant = block.byte(&at).shr(&block.int(&i.rem(128).div(32).scaled(2))).masked(3);
    quant.offset(-1).float().times(&half(block, i, 64))
}
