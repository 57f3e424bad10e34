//! The logarithm of the gamma function (DLMF chapter 5).
//!
//! Between ½ and 4½ it is a polynomial around 1, 2 or 3½; at 1 and 2, where it is 0, it is the distance times a polynomial. Above, it is
//! Stirling's formula. Below, numbers are brought into this range by Γ(x) = Γ(x + n)/(x·(x + 1)·…·(x + n − 1)), and from −10½ down by
//! the reflection Γ(x)·Γ(1 − x) = π/sin πx.

use core::f32::consts::FRAC_1_PI;

use super::half_turns::sine_of_half_turns;
use super::logarithm::log;
use super::number::{Mask, Number};
use super::polynomial::polynomial;

/// log Γ(1 + a)/a for |a| ≤ ½, fitted with relative errors.
const NEAR_1: [f32; 13] = [
    -0.577_215_7,
    0.822_467,
    -0.400_685_13,
    0.270_586_52,
    -0.207_397_73,
    0.169_288_8,
    -0.143_809_96,
    0.129_798_34,
    -0.114_706_7,
    0.070_184_7,
    -0.066_478_714,
    0.172_981_58,
    -0.154_986_59,
];
/// log Γ(2 + a)/a for |a| ≤ ½, fitted with relative errors.
const NEAR_2: [f32; 9] = [
    0.422_784_33,
    0.322_467_03,
    -0.067_351_475,
    0.020_581_357,
    -0.007_401_745_3,
    0.002_880_510_2,
    -0.001_089_094,
    0.000_567_155_7,
    -0.000_443_117_17,
];
/// log Γ(3½ + a) for |a| ≤ 1, fitted with relative errors.
const NEAR_3: [f32; 10] = [
    1.200_973_6,
    1.103_156_7,
    0.165_177_94,
    -0.018_035_05,
    0.002_934_337_8,
    -0.000_561_870_75,
    0.000_112_476_22,
    -3.467_048_4e-5,
    1.136_711_9e-5,
    1.781_257_4e-6,
];
/// x·S(x) as a polynomial in 1/x², where S is what Stirling's formula lacks, for x ≥ 4½; an error counts as one of log Γ(x).
const STIRLING: [f32; 3] = [0.083_333_32, -0.002_776_268_9, 0.000_740_816_76];

/// Below this, the reflection replaces the recurrence. It is so far from 0 that no f32 below it lies near a zero of the function.
const RECURRENCE_FROM: f32 = -10.5;
/// The number of steps from there to ½.
const STEPS: usize = 11;
/// (log 2π − 1)/2.
const CONSTANT: f32 = 0.418_938_53;

/// log |Γ(x)|; ∞ for ±∞ and where Γ has poles, which are the integers up to 0.
#[inline(always)]
pub fn lgamma<N: Number>(x: N) -> N {
    let (zero, half, one) = (x.lit(0.0), x.lit(0.5), x.lit(1.0));
    let (mut z, mut product) = (x, one);
    for _ in 0..STEPS {
        let below = z.lt(half);
        product = N::select(below, product * z, product);
        z = N::select(below, z + one, z);
    }
    let reflected = x.lt(x.lit(RECURRENCE_FROM));
    // Exact, so that the sine keeps its digits next to the poles.
    let distance = x - x.round_even();
    let sine = sine_of_half_turns(distance) * x.lit(FRAC_1_PI);
    let below = log(N::select(reflected, sine, product).abs());
    let far = stirling(N::select(reflected, one - x, z));
    // Adding 0 makes the zero at 1 positive.
    let shifted = N::select(z.lt(x.lit(4.5)), near(z), far) + N::select(x.lt(half), -below, zero);
    let result = N::select(reflected, -(below + far), shifted);
    let pole = N::select(x.lt(half), distance, one).eq(zero);
    let infinite = pole.or(x.abs().eq(x.lit(f32::INFINITY)));
    N::select(infinite, x.lit(f32::INFINITY), result)
}

/// log Γ(x) for ½ ≤ x < 4½.
#[inline(always)]
fn near<N: Number>(x: N) -> N {
    let (one, two) = (x - x.lit(1.0), x - x.lit(2.0));
    let upper =
        N::select(x.lt(x.lit(2.5)), two * polynomial(two, NEAR_2), polynomial(x - x.lit(3.5), NEAR_3));
    N::select(x.lt(x.lit(1.5)), one * polynomial(one, NEAR_1), upper)
}

/// log Γ(x) for x ≥ 4½: (x − ½)·log x − x + ½ log 2π + S(x) (DLMF 5.11.1).
#[inline(always)]
fn stirling<N: Number>(x: N) -> N {
    let inverse = x.lit(1.0) / x;
    let rest = inverse.mul_add(polynomial(inverse * inverse, STIRLING), x.lit(CONSTANT));
    (x - x.lit(0.5)).mul_add(log(x) - x.lit(1.0), rest)
}
