//! The inverse of the error function.
//!
//! For w = −log(1 − x²), erf⁻¹(x)/x is a polynomial in w for small w and in √w for large w (M. Giles, "Approximating the erfinv function",
//! 2010).

use super::logarithm::log_of_sum;
use super::number::Number;
use super::polynomial::polynomial;

/// Where the tail begins.
const TAIL_FROM: f32 = 5.0;

/// erf⁻¹(x)/x as a polynomial in w − 2½ on [0, 5], fitted with relative errors.
const CENTRAL: [f32; 10] = [
    1.501_409_4,
    0.246_640_28,
    -0.004_177_668_6,
    -0.001_252_755_6,
    0.000_218_577_38,
    -4.943_474e-6,
    -3.523_655_8e-6,
    4.599_356_5e-7,
    2.818_512_7e-8,
    -8.234_451e-9,
];
/// erf⁻¹(x)/x as a polynomial in √w − 3 on [√5, 4], fitted with relative errors.
const TAIL: [f32; 10] = [
    2.832_976_8,
    1.001_675_2,
    0.009_445_346,
    -0.007_641_144,
    0.005_684_720_4,
    -0.003_581_572_6,
    0.001_492_809_5,
    -8.259_576e-5,
    -0.000_316_470_98,
    0.000_130_670_09,
];

/// The y with erf y = x; ±∞ for ±1, NaN beyond.
#[inline(always)]
pub fn erf_inv<N: Number>(x: N) -> N {
    let one = x.lit(1.0);
    let (square, error) = x.square_parts();
    // 1 − x² in two parts: near ±1, what is left of 1 has few digits.
    let sum = one - square;
    let w = -log_of_sum(sum, ((one - sum) - square) - error);
    let central = polynomial(w - x.lit(2.5), CENTRAL);
    let tail = polynomial(w.sqrt() - x.lit(3.0), TAIL);
    let result = x * N::select(w.lt(x.lit(TAIL_FROM)), central, tail);
    let magnitude = x.abs();
    let result = N::select(one.lt(magnitude), x.lit(f32::NAN), result);
    N::select(magnitude.eq(one), x.lit(f32::INFINITY).copysign(x), result)
}
