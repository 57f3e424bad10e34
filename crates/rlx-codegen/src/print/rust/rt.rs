//! Functions that printed kernels call: numbers as the op table defines them. Nothing here depends on RLX.

/// The elements of a slice from `first` on. An empty range may be anywhere.
#[inline(always)]
pub fn part<T>(slice: &[T], first: usize, length: usize) -> &[T] {
    if length == 0 { &[] } else { &slice[first..][..length] }
}

/// The same for a slice that is written.
#[inline(always)]
pub fn part_mut<T>(slice: &mut [T], first: usize, length: usize) -> &mut [T] {
    if length == 0 { &mut [] } else { &mut slice[first..][..length] }
}

/// Integers, which wrap.
pub trait Int: Copy {
    /// The quotient, truncated. Division by 0 gives a number with all bits set.
    fn div(self, other: Self) -> Self;
    /// The remainder with the sign of `self`. The remainder of a division by 0 is `self`.
    fn rem(self, other: Self) -> Self;
    /// The power; a negative exponent gives 0, except for bases 1 and −1.
    fn pow(self, exponent: Self) -> Self;
    /// Shifts left. The result is 0 if the distance is not in 0..width.
    fn shift_left(self, distance: Self) -> Self;
    /// Shifts right with sign fill. The result is all sign bits if the distance is not in 0..width.
    fn shift_right_arithmetic(self, distance: Self) -> Self;
    /// Shifts right with zero fill. The result is 0 if the distance is not in 0..width.
    fn shift_right_logical(self, distance: Self) -> Self;
    /// The absolute value. That of the smallest number is the number itself.
    fn abs(self) -> Self;
    /// −1, 0 or 1.
    fn sign(self) -> Self;
}

macro_rules! int {
    ($($t:ident as $signed:ident, $unsigned:ident);*) => {$(
        impl Int for $t {
            fn div(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }
            fn rem(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }
            fn pow(self, exponent: Self) -> Self {
                #[allow(unused_comparisons)]
                if exponent < 0 {
                    return if self == 1 || (self == !0 && exponent & 1 == 0) { 1 } else if self == !0 { !0 } else { 0 };
                }
                let (mut result, mut base, mut left) = (1 as $t, self, exponent as $unsigned);
                while left > 0 {
                    if left & 1 == 1 {
                        result = result.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    left >>= 1;
                }
                result
            }
            fn shift_left(self, distance: Self) -> Self {
                if (distance as u64) < $t::BITS as u64 { self << distance } else { 0 }
            }
            fn shift_right_arithmetic(self, distance: Self) -> Self {
                let distance = (distance as u64).min($t::BITS as u64 - 1) as u32;
                (self as $signed >> distance) as $t
            }
            fn shift_right_logical(self, distance: Self) -> Self {
                if (distance as u64) < $t::BITS as u64 { (self as $unsigned >> distance) as $t } else { 0 }
            }
            fn abs(self) -> Self {
                #[allow(unused_comparisons)]
                if self < 0 { (0 as $t).wrapping_sub(self) } else { self }
            }
            fn sign(self) -> Self {
                #[allow(unused_comparisons)]
                if self < 0 { !0 } else { (self != 0) as $t }
            }
        }
    )*};
}
int! {
    i8 as i8, u8; i16 as i16, u16; i32 as i32, u32; i64 as i64, u64;
    u8 as i8, u8; u16 as i16, u16; u32 as i32, u32; u64 as i64, u64
}

/// Floats.
pub trait Float: Copy {
    /// The larger number. NaN if either is NaN; 0 is larger than −0.
    fn max(self, other: Self) -> Self;
    /// The smaller number. NaN if either is NaN; −0 is smaller than 0.
    fn min(self, other: Self) -> Self;
    /// −1, 0 or 1. Zeros and NaN are returned unchanged.
    fn sign(self) -> Self;
}

macro_rules! float {
    ($($t:ident),*) => {$(
        impl Float for $t {
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let larger = if self > other || (self == other && other.is_sign_negative()) { self } else { other };
                if self.is_nan() { self } else { larger }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let smaller = if self < other || (self == other && self.is_sign_negative()) { self } else { other };
                if self.is_nan() { self } else { smaller }
            }
            fn sign(self) -> Self {
                if self == 0.0 || self.is_nan() { self } else { (1.0 as $t).copysign(self) }
            }
        }
    )*};
}
float!(f32, f64);

/// A binary floating-point format.
#[derive(Clone, Copy)]
pub struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    has_infinity: bool,
}

/// IEEE 754 binary64.
pub const F64: Format = Format { exponent_bits: 11, mantissa_bits: 52, has_infinity: true };
/// IEEE 754 binary32.
pub const F32: Format = Format { exponent_bits: 8, mantissa_bits: 23, has_infinity: true };
/// IEEE 754 binary16.
pub const F16: Format = Format { exponent_bits: 5, mantissa_bits: 10, has_infinity: true };
/// bfloat16.
pub const BF16: Format = Format { exponent_bits: 8, mantissa_bits: 7, has_infinity: true };
/// OCP E4M3, which has no infinities.
pub const F8E4M3: Format = Format { exponent_bits: 4, mantissa_bits: 3, has_infinity: false };
/// OCP E5M2.
pub const F8E5M2: Format = Format { exponent_bits: 5, mantissa_bits: 2, has_infinity: true };

impl Format {
    fn exponent_ones(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.exponent_bits + self.mantissa_bits)
    }

    /// The bits of a NaN with these 52 bits of payload.
    fn nan(self, negative: bool, payload: u64) -> u64 {
        let ones = (1 << self.mantissa_bits) - 1;
        let payload = if self.has_infinity { payload >> (52 - self.mantissa_bits) } else { ones };
        let quiet = 1 << (self.mantissa_bits - 1);
        self.sign(negative) | self.exponent_ones() | if payload == 0 { quiet } else { payload }
    }

    /// The bits of a number, rounded to nearest even.
    #[inline]
    pub fn encode(self, x: f64) -> u64 {
        let bits = x.to_bits();
        if self.mantissa_bits == 52 {
            return bits;
        }
        let negative = x.is_sign_negative();
        let (field, payload) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        if x.is_nan() {
            return self.nan(negative, payload);
        }
        let overflow = if self.has_infinity { self.exponent_ones() } else { self.nan(false, 0) };
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let biased = field - 1023 + bias;
        // Numbers below the normal ones lose a digit for each power of two.
        let shift = 52 - self.mantissa_bits as i32 + (1 - biased).max(0);
        if field == 0 || shift > 53 {
            return self.sign(negative);
        }
        let significand = payload | 1 << 52;
        let (digits, rest) = (significand >> shift, significand & ((1 << shift) - 1));
        let half = 1u64 << (shift - 1);
        let rounded = digits + u64::from(rest > half || (rest == half && digits & 1 == 1));
        // A carry correctly goes into the exponent.
        let exponent = (biased.max(1) as u64 - 1) << self.mantissa_bits;
        let magnitude = if biased < 1 { rounded } else { exponent + rounded };
        self.sign(negative) | magnitude.min(overflow)
    }

    /// The number with these bits.
    #[inline]
    pub fn decode(self, bits: u64) -> f64 {
        if self.mantissa_bits == 52 {
            return f64::from_bits(bits);
        }
        let mantissa = bits & ((1 << self.mantissa_bits) - 1);
        let biased = bits >> self.mantissa_bits & ((1 << self.exponent_bits) - 1);
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let negative = bits & self.sign(true) != 0;
        let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
        let magnitude = if bits & self.exponent_ones() == self.exponent_ones() && self.has_infinity {
            f64::from_bits(0x7ff << 52 | mantissa << (52 - self.mantissa_bits))
        } else if !self.has_infinity && bits & !self.sign(true) == self.nan(false, 0) {
            f64::NAN
        } else {
            let leading = u64::from(biased > 0) << self.mantissa_bits;
            (mantissa | leading) as f64 * power(biased.max(1) as i64 - bias - i64::from(self.mantissa_bits))
        };
        if negative { -magnitude } else { magnitude }
    }

    /// Loads a number of a format below f32 from memory, preserving every bit of a NaN.
    #[inline]
    pub fn load(self, bits: u64) -> f32 {
        let x = self.decode(bits);
        if !x.is_nan() {
            return x as f32;
        }
        let sign = u32::from(bits & self.sign(true) != 0) << 31;
        let payload = (bits & ((1 << self.mantissa_bits) - 1)) as u32;
        f32::from_bits(sign | 0x7f80_0000 | payload << (23 - self.mantissa_bits))
    }

    /// The bits of a number that the format has. Only the leading bits of a NaN are kept.
    #[inline]
    pub fn store(self, x: f32) -> u64 {
        if !x.is_nan() {
            return self.encode(f64::from(x));
        }
        self.nan(x.is_sign_negative(), u64::from(x.to_bits() & 0x7f_ffff) << 29)
    }

    /// A number rounded to the format.
    #[inline]
    pub fn round(self, x: f64) -> f32 {
        self.load(self.encode(x))
    }

    /// The number of the format next to `a` in the direction of `b`.
    pub fn next_after(self, a: f64, b: f64) -> f64 {
        if a.is_nan() || b.is_nan() {
            return f64::NAN;
        }
        if a == b {
            return b;
        }
        let start = if a == 0.0 { (0.0f64).copysign(b - a) } else { a };
        // Magnitudes are ordered like their bits.
        let away = a == 0.0 || (b > a) == (a > 0.0);
        let bits = self.encode(start);
        self.decode(if away { bits + 1 } else { bits - 1 })
    }
}

/// Rounds `x` to a format of these widths and back. Overflow gives infinity, and numbers below the normal ones give zero.
pub fn reduce_precision(x: f64, exponent_bits: u32, mantissa_bits: u32) -> f64 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let bias = if exponent_bits >= 11 { 1023 } else { (1i64 << (exponent_bits - 1)) - 1 };
    let dropped = 52 - mantissa_bits.min(52);
    let magnitude = x.abs().to_bits();
    let odd = magnitude >> dropped & 1;
    let half = if dropped == 0 { 0 } else { (1u64 << (dropped - 1)) - 1 + odd };
    let rounded = (magnitude + half) >> dropped << dropped;
    let exponent = (rounded >> 52) as i64 - 1023;
    if exponent > bias {
        return f64::INFINITY.copysign(x);
    }
    if exponent < 1 - bias { (0.0f64).copysign(x) } else { f64::from_bits(rounded).copysign(x) }
}

/// Computes a · b + c of numbers below f64, so that rounding the result to such a type gives the same as rounding once
/// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
pub fn fma_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    let of_c = sum - product;
    let error = (product - (sum - of_c)) + (c - of_c);
    if !sum.is_finite() || error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// The elementary functions in f64, with their names in the op table.
pub mod math {
    use super::libm;
    pub use libm::{acos, asin, asinh, atan, atan2, atanh, cbrt, ceil, cos, cosh, exp, expm1, floor};
    pub use libm::{log, log1p, pow, sin, sinh, sqrt, tan, tanh};

    /// Nearest integer, ties to even.
    pub fn round_even(x: f64) -> f64 {
        libm::rint(x)
    }

    /// Nearest integer, ties away from zero.
    pub fn round_away(x: f64) -> f64 {
        libm::round(x)
    }

    /// 1 / sqrt(x).
    pub fn rsqrt(x: f64) -> f64 {
        1.0 / libm::sqrt(x)
    }

    /// Inverse hyperbolic cosine; NaN below 1.
    pub fn acosh(x: f64) -> f64 {
        if x < 1.0 { f64::NAN } else { libm::acosh(x) }
    }

    /// 1 / (1 + e^−x).
    pub fn logistic(x: f64) -> f64 {
        // For x < 0 the exponential is the small term of the denominator.
        if x >= 0.0 {
            return 1.0 / (1.0 + libm::exp(-x));
        }
        let small = libm::exp(x);
        small / (1.0 + small)
    }

    /// Error function.
    pub fn erf(x: f64) -> f64 {
        let a = x.abs();
        if a > 0.75 {
            return (1.0 - erfc(a)).copysign(x);
        }
        // DLMF 7.6.1.
        let (mut power, mut sum, mut n) = (x, x, 0.0);
        while power.abs() > 1e-17 * a {
            n += 1.0;
            power *= -x * x / n;
            sum += power / (2.0 * n + 1.0);
        }
        sum * core::f64::consts::FRAC_2_SQRT_PI
    }

    /// 1 − erf(x), accurate for large x.
    pub fn erfc(x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        let a = x.abs();
        if a < 0.25 {
            return 1.0 - erf(x);
        }
        if a > 28.0 {
            return if x > 0.0 { 0.0 } else { 2.0 };
        }
        // e^(a²) erfc(a) (1 + 2a) is smooth in t, which goes from −1 to 1 (Shepherd and Laframboise, 1981).
        let t = (a - 3.75) / (a + 3.75);
        let (mut next, mut after) = (0.0, 0.0);
        for &coefficient in ERFC[1..].iter().rev() {
            (next, after) = (2.0 * t * next - after + coefficient, next);
        }
        let smooth = (t * next - after + ERFC[0]) / (1.0 + 2.0 * a);
        // The square of the leading digits is exact.
        let leading = f64::from_bits(a.to_bits() & !0x7ff_ffff);
        let tail = smooth * libm::exp(-(leading * leading)) * libm::exp(-(a - leading) * (a + leading));
        if x > 0.0 { tail } else { 2.0 - tail }
    }

    /// Chebyshev coefficients, to 50 digits by interpolation at 80 points.
    const ERFC: [f64; 25] = [
        1.1775789345674017,
        -0.004590054580646478,
        -0.08424913336651792,
        0.05920993999819189,
        -0.026658668435305753,
        0.009074997670705265,
        -0.002413163540417608,
        0.0004907758365258086,
        -6.916973302501207e-05,
        4.13902798607301e-06,
        7.74038306619849e-07,
        -2.1886401049234397e-07,
        1.076499946567091e-08,
        4.521959811218287e-09,
        -7.754400208831351e-10,
        -6.318088340886684e-11,
        2.86879501093067e-11,
        1.9455868545777347e-13,
        -9.65469674843344e-13,
        3.25254814814874e-14,
        3.3478119482868056e-14,
        -1.864562880419313e-15,
        -1.2507950530688648e-15,
        7.418235256624044e-17,
        5.068148904796111e-17,
    ];
}
