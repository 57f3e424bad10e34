//! The angle of a number in quarter turns, for all numbers and without a wider type.
//!
//! It is computed from the bits of the number (M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions", 1983).
//!
//! For |x| = m·2ᵉ with an integer m of 24 bits, |x|·2/π is the product of m with the bits of 2/π. Those of them that give multiples of 4
//! are left out, so that the 64 upper bits of the product are the quadrant, in two bits, and the fraction of a quarter turn.

use super::number::{Int, Number};

/// 32 zeros, followed by the bits of 2/π after the point.
const TWO_OVER_PI: [u32; 8] =
    [0, 0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab];

/// The 12 upper bits of π/2, and the rest.
const HALF_PI: [f32; 2] = [1.570_312_5, 4.838_268e-4];

/// Below this, x is its own remainder.
const LOWEST: f32 = 0.5;

/// Returns the r and n with x = r + n·π/2 and |r| at most about π/4. n counts modulo 4, and r is NaN where x is not finite.
#[inline(always)]
pub fn quarter_turns<N: Number>(x: N) -> (N, N::Int) {
    let magnitude = x.abs();
    let bits = magnitude.to_bits();
    let significand = bits.and(bits.lit(0x7f_ffff)).or(bits.lit(0x80_0000));
    // The position in `TWO_OVER_PI` of the first bit that counts, from 6 for x = ½.
    let position = bits.shift_right(23).sub(bits.lit(120));
    let [upper, middle, lower] = window::<N>(position);
    let [high, low] = product::<N>(significand, [upper, middle, lower]);
    // Rounds to the nearest quadrant. What is left is a signed fraction, in units of 2⁻³⁰ and 2⁻⁶².
    let quadrant = high.add(high.lit(0x2000_0000)).shift_right(30);
    let fraction = high.sub(quadrant.shift_left(30));
    let r = radians::<N>(x, fraction, low);
    let zero = x.lit(0.0);
    let negative = x.lt(zero);
    let (r, n) =
        (N::select(negative, -r, r), N::select_int(negative, quadrant.lit(0).sub(quadrant), quadrant));
    let small = magnitude.lt(x.lit(LOWEST));
    let finite = magnitude.lt(x.lit(f32::INFINITY));
    let r = N::select(small, x, N::select(finite, r, x.lit(f32::NAN)));
    (r, N::select_int(small, n.lit(0), n))
}

/// Returns the 96 bits of `TWO_OVER_PI` from a position on.
#[inline(always)]
fn window<N: Number>(position: N::Int) -> [N::Int; 3] {
    let word = N::from_int(position.shift_right(5));
    let within = N::from_int(position.and(position.lit(31)));
    let entry = |at: usize| {
        let mut found = position.lit(TWO_OVER_PI[at] as i32);
        for first in 1..=4 {
            let is_here = word.lit(first as f32 - 0.5).lt(word);
            found = N::select_int(is_here, position.lit(TWO_OVER_PI[at + first] as i32), found);
        }
        found
    };
    let words = [entry(0), entry(1), entry(2), entry(3)];
    shifted::<N>(words, within)
}

/// Shifts 128 bits left by 0 to 31 and returns the 96 upper ones.
#[inline(always)]
fn shifted<N: Number>(words: [N::Int; 4], distance: N) -> [N::Int; 3] {
    let mut words = words;
    let mut left = distance;
    for step in [16, 8, 4, 2, 1] {
        // A distance is the sum of the powers of two that still fit.
        let fits = left.lit(step as f32 - 0.5).lt(left);
        left = N::select(fits, left - left.lit(step as f32), left);
        for at in 0..3 {
            let moved = words[at].shift_left(step).or(words[at + 1].shift_right(32 - step));
            words[at] = N::select_int(fits, moved, words[at]);
        }
        words[3] = N::select_int(fits, words[3].shift_left(step), words[3]);
    }
    [words[0], words[1], words[2]]
}

/// Returns the 64 upper bits, of the 96 lower ones, of the product of a number of 24 bits with one of 96.
#[inline(always)]
fn product<N: Number>(factor: N::Int, [upper, middle, lower]: [N::Int; 3]) -> [N::Int; 2] {
    let below = upper_half::<N>(factor, lower);
    let low = factor.mul(middle);
    let sum = low.add(below);
    let high = factor.mul(upper).add(upper_half::<N>(factor, middle));
    [high.add(carry::<N>(low, below, sum)), sum]
}

/// Returns the 32 upper bits of the product of a number of 24 bits with one of 32.
#[inline(always)]
fn upper_half<N: Number>(a: N::Int, b: N::Int) -> N::Int {
    let mask = a.lit(0xffff);
    let (a_high, a_low) = (a.shift_right(16), a.and(mask));
    let (b_high, b_low) = (b.shift_right(16), b.and(mask));
    let (cross, other) = (a_low.mul(b_high), a_high.mul(b_low));
    let inner = a_low.mul(b_low).shift_right(16).add(cross.and(mask)).add(other.and(mask));
    let outer = a_high.mul(b_high).add(cross.shift_right(16)).add(other.shift_right(16));
    outer.add(inner.shift_right(16))
}

/// Returns 1 if the sum of unsigned integers has lost its upper bit, and otherwise 0.
#[inline(always)]
fn carry<N: Number>(a: N::Int, b: N::Int, sum: N::Int) -> N::Int {
    let all = sum.xor(sum.lit(-1));
    a.and(b).or(a.or(b).and(all)).shift_right(31)
}

/// Returns π/2 times a fraction, given as an integer in units of 2⁻³⁰ and its continuation in units of 2⁻⁶².
#[inline(always)]
fn radians<N: Number>(like: N, high: N::Int, low: N::Int) -> N {
    // Three integers that are exact as floats, in units of 2⁻²⁴, 2⁻⁴⁸ and 2⁻⁶².
    let first = high.shift_right_signed(6);
    let second = high.and(high.lit(63)).shift_left(18).or(low.shift_right(14));
    let third = low.and(low.lit(0x3fff));
    let power = |exponent: i32| like.lit(f32::from_bits(((127 + exponent) as u32) << 23));
    let (leading, next) = (N::from_int(first) * power(-24), N::from_int(second) * power(-48));
    let near = leading + next;
    let rest = (next - (near - leading)) + N::from_int(third) * power(-62);
    let sum = near + rest;
    let error = rest - (sum - near);
    // The product of the upper bits is exact.
    let bits = sum.to_bits();
    let upper = N::from_bits(bits.and(bits.lit(!0xfff)));
    let lower = (sum - upper) + error;
    let [half_pi, remainder] = HALF_PI;
    upper * like.lit(half_pi) + (upper * like.lit(remainder) + lower * like.lit(half_pi + remainder))
}
