//! Ranges of numbers with an order of magnitude, and arithmetic on them, independent of graphs.

use rlx_ir::FloatFormat;

/// How far numbers may exceed their usual order: data of order 1 contains numbers up to this one.
const MARGIN: f64 = 256.0;

/// A narrow format represents numbers with a relative error of less than 1 % from this many of its smallest steps on.
const STEPS: f64 = 64.0;

/// What is known about the numbers of a value.
///
/// The bounds hold for every run, and are infinite if nothing is known. Infinite elements and NaN do not count, because every format
/// has them. `usual` is the order of magnitude of the numbers if inputs and weights are of order 1. It follows from factors,
/// divisors and the lengths of sums.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) usual: f64,
    /// Whether the numbers are integers.
    pub(super) whole: bool,
}

impl Range {
    /// Numbers about which nothing is known: inputs, weights, and values computed from them.
    pub(super) const DATA: Range = Range::data(1.0);

    /// The same with another order.
    pub(super) const fn data(usual: f64) -> Range {
        Range { low: f64::NEG_INFINITY, high: f64::INFINITY, usual, whole: false }
    }

    /// Numbers from `low` to `high`.
    pub(super) fn between(low: f64, high: f64) -> Range {
        let most = low.abs().max(high.abs());
        Range { low, high, usual: if most.is_finite() { most } else { 1.0 }, whole: false }
    }

    /// Integers from `low` to `high`.
    pub(super) fn integers(low: f64, high: f64) -> Range {
        Range { whole: true, ..Range::between(low, high) }
    }

    /// Returns the same numbers with another order.
    pub(super) fn of_order(self, usual: f64) -> Range {
        Range { usual, ..self }
    }

    pub(super) fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Returns the maximum magnitude, which is infinite if it is not known.
    pub(super) fn most(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Returns whether 0 is not among the numbers.
    fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Returns whether a narrow format represents the numbers as well as it represents any: none overflows, integers stay exact, and
    /// numbers other than 0 do not become 0.
    pub(super) fn fits(self, format: FloatFormat) -> bool {
        let finite = |bound: f64| if bound.is_finite() { bound.abs() } else { 0.0 };
        if finite(self.low).max(finite(self.high)) > format.max() {
            return false;
        }
        let least = format.min_subnormal() * STEPS;
        if self.excludes_zero() && self.low.abs().min(self.high.abs()) < least {
            return false;
        }
        if self.is_bounded() {
            let exact = f64::from(1u32 << (format.mantissa_bits + 1));
            return !(self.whole && self.most() > exact) && (self.most() == 0.0 || self.most() >= least);
        }
        self.usual * MARGIN <= format.max() && self.usual >= format.min_normal()
    }

    /// Returns whether these are positive numbers that a narrow format rounds to 0 or close to it, such as a term that keeps a divisor
    /// from being 0.
    pub(super) fn is_tiny(self, format: FloatFormat) -> bool {
        self.low > 0.0 && self.high < format.min_subnormal() * STEPS
    }

    /// Returns the range that contains both.
    pub(super) fn join(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            usual: self.usual.max(other.usual),
            whole: self.whole && other.whole,
        }
    }

    /// Creates a range from bounds of a result; a NaN bound is unknown. If both bounds are known, they count instead of `usual`.
    fn of_bounds(low: f64, high: f64, usual: f64, whole: bool) -> Range {
        let (low, high) = (
            if low.is_nan() { f64::NEG_INFINITY } else { low },
            if high.is_nan() { f64::INFINITY } else { high },
        );
        Range { low, high, usual, whole }
    }

    pub(super) fn neg(self) -> Range {
        Range { low: -self.high, high: -self.low, ..self }
    }

    pub(super) fn abs(self) -> Range {
        let low = if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { self.low.abs().min(self.high.abs()) };
        Range { low, high: self.most(), ..self }
    }

    pub(super) fn add(self, other: Range) -> Range {
        let usual = self.usual.max(other.usual);
        Range::of_bounds(self.low + other.low, self.high + other.high, usual, self.whole && other.whole)
    }

    pub(super) fn sub(self, other: Range) -> Range {
        self.add(other.neg())
    }

    pub(super) fn mul(self, other: Range) -> Range {
        // An infinite bound stands for any finite number, so 0 times it is 0.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        let low = corners.into_iter().fold(f64::INFINITY, f64::min);
        let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Range::of_bounds(low, high, self.usual * other.usual, self.whole && other.whole)
    }

    /// Multiplies a value by itself. Some numbers are larger than usual, and their powers even more so.
    pub(super) fn squared(self) -> Range {
        let size = self.abs();
        Range {
            low: size.low * size.low,
            high: size.high * size.high,
            usual: self.usual * self.usual * OUTLIERS * OUTLIERS,
            ..self
        }
    }

    /// Returns the bounds of 1 / x. The caller determines the order.
    fn inverse(self) -> Range {
        if !self.excludes_zero() {
            let low = if self.low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
            let high = if self.high <= 0.0 { 0.0 } else { f64::INFINITY };
            return Range { low, high, usual: 1.0 / self.usual, whole: false };
        }
        Range { low: 1.0 / self.high, high: 1.0 / self.low, usual: 1.0 / self.usual, whole: false }
    }

    pub(super) fn div(self, other: Range) -> Range {
        let quotient = Range { whole: false, ..self.mul(other.inverse()) };
        // Numbers are usually divided by sums and norms of numbers of the same kind.
        if other.is_bounded() { quotient } else { quotient.of_order(quotient.usual.max(SMALL)) }
    }

    /// Returns the remainder of division by `other`, which has the sign of `self`.
    pub(super) fn rem(self, other: Range) -> Range {
        let most = self.most().min(other.most());
        let low = if self.low >= 0.0 { 0.0 } else { -most };
        let high = if self.high <= 0.0 { 0.0 } else { most };
        let usual = self.usual.min(other.usual);
        Range { low, high, usual, whole: self.whole && other.whole }
    }

    pub(super) fn max(self, other: Range) -> Range {
        let usual = match (self.constant(), other.constant()) {
            (Some(c), None) => other.usual.max(c),
            (None, Some(c)) => self.usual.max(c),
            _ => self.usual.max(other.usual),
        };
        let whole = self.whole && other.whole;
        Range { low: self.low.max(other.low), high: self.high.max(other.high), usual, whole }
    }

    pub(super) fn min(self, other: Range) -> Range {
        self.neg().max(other.neg()).neg()
    }

    /// Returns the only number of the range, if there is just one.
    fn constant(self) -> Option<f64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Returns self^other.
    pub(super) fn pow(self, other: Range) -> Range {
        if let Some(power) = other.constant() {
            let usual = self.usual.powf(power) * OUTLIERS.powf(power.max(0.0));
            let is_even = power > 0.0 && power % 2.0 == 0.0;
            if self.low >= 0.0 || is_even {
                let size = self.abs();
                let (a, b) = (size.low.powf(power), size.high.powf(power));
                return Range::of_bounds(a.min(b), a.max(b), usual, false);
            }
            return Range::data(usual);
        }
        if self.low > 0.0 {
            let log = self.ln();
            return Range {
                whole: false,
                ..other.mul(log).of_order(other.usual * log.most().min(8.0)).exp()
            };
        }
        Range::data(self.usual)
    }

    pub(super) fn exp(self) -> Range {
        let usual = if self.high.is_finite() {
            self.high.exp()
        } else if self.low.is_finite() && self.low >= 0.0 {
            self.usual.min(88.0).exp()
        } else {
            (8.0 * self.usual).min(700.0).exp()
        };
        Range { low: self.low.exp(), high: self.high.exp(), usual, whole: false }
    }

    pub(super) fn ln(self) -> Range {
        let low = if self.low > 0.0 { self.low.ln() } else { f64::NEG_INFINITY };
        let high = if self.high > 0.0 { self.high.ln() } else { 0.0 };
        Range { low, high, usual: 1.0, whole: false }
    }

    pub(super) fn sqrt(self) -> Range {
        let root = |x: f64| x.max(0.0).sqrt();
        Range { low: root(self.low), high: root(self.high), usual: self.usual.sqrt(), whole: false }
    }

    pub(super) fn rsqrt(self) -> Range {
        let root = self.sqrt();
        root.inverse().of_order((1.0 / root.usual).max(SMALL))
    }

    /// Applies a monotonically increasing function to the bounds. Its results are of the order of its operand.
    pub(super) fn rising(self, of: impl Fn(f64) -> f64) -> Range {
        Range::of_bounds(of(self.low), of(self.high), self.usual, false)
    }

    /// Returns the sum of `count` of these numbers.
    pub(super) fn sum(self, count: f64) -> Range {
        let many = |bound: f64| if bound == 0.0 { 0.0 } else { bound * count };
        Range { low: many(self.low), high: many(self.high), usual: self.usual * count, whole: self.whole }
    }
}

/// How much larger than usual numbers are assumed to be when they are raised to powers.
const OUTLIERS: f64 = 4.0;

/// The minimum order of quotients by data.
const SMALL: f64 = 1e-2;

#[cfg(test)]
mod tests {
    use super::*;

    const F16: FloatFormat = FloatFormat::F16;

    #[test]
    fn a_narrow_format_holds_what_neither_overflows_nor_vanishes() {
        let constant = |c: f64| Range::between(c, c);
        for (number, fits) in [
            (0.0, true),
            (1.0, true),
            (65504.0, true),
            (65536.0, false),
            (-1e9, false),
            (1e-5, true),
            (1e-12, false),
        ] {
            assert_eq!(constant(number).fits(F16), fits, "{number}");
            assert!(constant(number).fits(FloatFormat::BF16), "{number}");
        }
        // 2,049 is the first integer that f16 does not have, 257 that of bf16.
        for (most, format, fits) in [
            (2048.0, F16, true),
            (2049.0, F16, false),
            (256.0, FloatFormat::BF16, true),
            (257.0, FloatFormat::BF16, false),
        ] {
            assert_eq!(Range::integers(0.0, most).fits(format), fits, "{most}");
        }
    }

    #[test]
    fn data_keeps_its_order_through_means_and_loses_it_in_sums() {
        assert!(Range::DATA.fits(F16));
        assert!(!Range::DATA.sum(70_000.0).fits(F16));
        let count = Range::between(70_000.0, 70_000.0);
        assert!(Range::DATA.sum(70_000.0).div(count).fits(F16));
        assert!(!Range::DATA.mul(Range::between(-1e9, -1e9)).fits(F16));
        assert!(!Range::DATA.exp().fits(F16));
        assert!(!Range::DATA.squared().add(Range::between(1e-12, 1e-12)).fits(F16));
    }

    #[test]
    fn bounds_follow_the_functions() {
        let eps = Range::between(1e-12, 1e-12);
        let spread = Range::DATA.squared().sum(8.0).add(eps);
        assert_eq!((spread.low, spread.high), (1e-12, f64::INFINITY));
        assert_eq!(spread.rsqrt().high, 1e6);
        assert!(!spread.rsqrt().fits(F16));
        assert!(Range::DATA.mul(spread.rsqrt()).fits(F16));
        let counted = Range::integers(0.0, 9.0);
        assert_eq!(
            counted.sub(Range::integers(3.0, 4.0)),
            Range { usual: 9.0, ..Range::integers(-4.0, 6.0) }
        );
        assert_eq!(counted.rem(Range::integers(4.0, 4.0)).high, 4.0);
        let falls = Range::between(1e4, 1e4).pow(Range::between(-1.0, 0.0));
        assert!((falls.low - 1e-4).abs() < 1e-9 && (falls.high - 1.0).abs() < 1e-9, "{falls:?}");
    }
}
