//! Bounds index expressions by intervals, from the ranges of their symbols.

mod remainders;

use crate::kernel::Fact;
use remainders::Remainders;
use rlx_ir::{Dim, DimError, SizeArithmetic, Symbol};
use std::collections::HashMap;

/// An interval from `low` to `high`, both included. `None` means that no bound is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The minimum.
    pub low: Option<i64>,
    /// The maximum.
    pub high: Option<i64>,
}

impl Range {
    /// Returns the interval of one value.
    pub fn exactly(value: i64) -> Range {
        Range { low: Some(value), high: Some(value) }
    }

    /// Returns the interval of numbers that are at least 0, which is what is known about every size.
    pub fn size() -> Range {
        Range { low: Some(0), high: None }
    }

    /// Returns the value, if there is only one.
    pub fn value(self) -> Option<i64> {
        self.low.filter(|_| self.low == self.high)
    }

    fn of(low: Option<i64>, high: Option<i64>) -> Range {
        Range { low, high }
    }

    /// Returns the intersection of both intervals.
    fn and(self, other: Range) -> Range {
        let either = |a: Option<i64>, b: Option<i64>, both: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (one, other) => one.or(other),
        };
        Range::of(either(self.low, other.low, i64::max), either(self.high, other.high, i64::min))
    }

    fn plus(self, other: Range) -> Range {
        let sum = |a: Option<i64>, b: Option<i64>| a?.checked_add(b?);
        Range::of(sum(self.low, other.low), sum(self.high, other.high))
    }

    fn times(self, other: Range) -> Range {
        // Symbols are mostly sizes: a product of numbers that are at least 0 keeps its lower bound even without an upper one.
        if self.low.is_some_and(|a| a >= 0) && other.low.is_some_and(|b| b >= 0) {
            let product = |a: Option<i64>, b: Option<i64>| a?.checked_mul(b?);
            return Range::of(product(self.low, other.low), product(self.high, other.high));
        }
        if let Some(factor) = self.value() {
            return other.scaled(factor);
        }
        if let Some(factor) = other.value() {
            return self.scaled(factor);
        }
        let ends =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let products: Option<Vec<i64>> = ends.iter().map(|&(a, b)| a?.checked_mul(b?)).collect();
        let Some(products) = products else { return Range::of(None, None) };
        Range::of(products.iter().copied().min(), products.iter().copied().max())
    }

    fn scaled(self, factor: i64) -> Range {
        let scale = |end: Option<i64>| end?.checked_mul(factor);
        match factor {
            0 => Range::exactly(0),
            1.. => Range::of(scale(self.low), scale(self.high)),
            _ => Range::of(scale(self.high), scale(self.low)),
        }
    }

    fn over(self, divisor: Range) -> Range {
        match divisor.value() {
            Some(by @ 1..) => {
                Range::of(self.low.map(|a| a.div_euclid(by)), self.high.map(|a| a.div_euclid(by)))
            }
            // Dividing by a positive number does not move a number further from 0.
            _ if divisor.low.is_some_and(|b| b >= 1) => {
                Range::of(self.low.map(|a| a.min(0)), self.high.map(|a| a.max(0)))
            }
            _ => Range::of(None, None),
        }
    }

    /// Returns the interval of integers whose products with `by` are in this one.
    fn parted(self, by: i64) -> Range {
        let low = self.low.and_then(|low| Some(-low.checked_neg()?.div_euclid(by)));
        Range::of(low, self.high.map(|high| high.div_euclid(by)))
    }

    fn larger(self, other: Range) -> Range {
        let low = match (self.low, other.low) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (one, other) => one.or(other),
        };
        Range::of(low, self.high.zip(other.high).map(|(a, b)| a.max(b)))
    }
}

/// The ranges of the symbols in scope.
#[derive(Clone, Default, Debug)]
pub struct Ranges {
    known: HashMap<Symbol, Range>,
}

impl Ranges {
    /// Collects what facts say about single sizes.
    pub fn of_facts(facts: &[Fact]) -> Ranges {
        let mut ranges = Ranges::default();
        for fact in facts {
            if let Fact::NotNegative(dim) = fact
                && let Some((symbol, factor, offset)) = dim.linear()
            {
                let known = ranges.known.entry(symbol).or_insert(Range::size());
                match factor {
                    1.. => {
                        known.low = known.low.max(offset.checked_neg().map(|least| least.div_euclid(factor)))
                    }
                    _ => {
                        *known = known.and(Range::of(None, Some(offset.div_euclid(factor.saturating_neg()))))
                    }
                }
            }
        }
        ranges
    }

    /// Adds a symbol that counts from 0 to below `extent`.
    pub fn count(&mut self, symbol: &Symbol, extent: &Dim) {
        let high = self.of(extent).high.map(|extent| extent.saturating_sub(1).max(0));
        self.known.insert(symbol.clone(), Range { low: Some(0), high });
    }

    /// Returns the range of an expression. Symbols that are not in scope are sizes.
    pub fn of(&self, index: &Dim) -> Range {
        match index.as_static().and_then(|size| i64::try_from(size).ok()) {
            Some(size) => Range::exactly(size),
            None => {
                let mut intervals = Intervals { ranges: self, has_quotients: false };
                let range = index.compute(&mut intervals).unwrap_or(Range::of(None, None));
                match intervals.has_quotients {
                    true => range.and(Remainders::range(self, index)),
                    false => range,
                }
            }
        }
    }

    /// Returns the maximum of a size, if it is known.
    pub fn most(&self, size: &Dim) -> Option<usize> {
        usize::try_from(self.of(size).high?.max(0)).ok()
    }

    /// Returns whether the expression is at least 0 whenever its symbols are in their ranges.
    pub fn never_negative(&self, index: &Dim) -> bool {
        self.of(index).low.is_some_and(|low| low >= 0)
    }

    /// Replaces every quotient that has only one value by that value. The result is equal whenever its symbols are in their ranges.
    pub fn simplified(&self, index: &Dim) -> Dim {
        index.compute(&mut Simplifier(self)).unwrap_or_else(|_: DimError| index.clone())
    }
}

/// Computes with intervals.
struct Intervals<'a> {
    ranges: &'a Ranges,
    /// Whether anything has been divided.
    has_quotients: bool,
}

impl SizeArithmetic for Intervals<'_> {
    type Number = Range;

    fn constant(&mut self, value: i64) -> Range {
        Range::exactly(value)
    }

    fn symbol(&mut self, symbol: &Symbol) -> Range {
        self.ranges.known.get(symbol).copied().unwrap_or(Range::size())
    }

    fn add(&mut self, a: &Range, b: &Range) -> Range {
        a.plus(*b)
    }

    fn multiply(&mut self, a: &Range, b: &Range) -> Range {
        a.times(*b)
    }

    fn floor_divide(&mut self, a: &Range, b: &Range, _: Option<i64>) -> Range {
        self.has_quotients = true;
        a.over(*b)
    }

    fn larger(&mut self, a: &Range, b: &Range) -> Range {
        a.larger(*b)
    }
}

/// Computes with expressions.
struct Simplifier<'a>(&'a Ranges);

impl SizeArithmetic for Simplifier<'_> {
    type Number = Dim;

    fn constant(&mut self, value: i64) -> Dim {
        Dim::Static(0).offset(value)
    }

    fn symbol(&mut self, symbol: &Symbol) -> Dim {
        match self.0.known.get(symbol).and_then(|range| range.value()) {
            Some(value) => self.constant(value),
            None => Dim::Dynamic(symbol.clone()),
        }
    }

    fn add(&mut self, a: &Dim, b: &Dim) -> Dim {
        a + b
    }

    fn multiply(&mut self, a: &Dim, b: &Dim) -> Dim {
        a * b
    }

    fn floor_divide(&mut self, a: &Dim, b: &Dim, _: Option<i64>) -> Dim {
        let quotient = a.floor_div(b);
        match self.0.of(&quotient).value() {
            Some(value) => self.constant(value),
            None => quotient,
        }
    }

    fn larger(&mut self, a: &Dim, b: &Dim) -> Dim {
        let (ours, theirs) = (self.0.of(a), self.0.of(b));
        match () {
            () if ours.low.zip(theirs.high).is_some_and(|(a, b)| a >= b) => a.clone(),
            () if theirs.low.zip(ours.high).is_some_and(|(b, a)| b >= a) => b.clone(),
            () => a.larger(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(axes: &[(&str, usize)]) -> Ranges {
        let mut ranges = Ranges::default();
        axes.iter().for_each(|&(name, extent)| ranges.count(&Symbol::new(name), &Dim::Static(extent)));
        ranges
    }

    #[test]
    fn expressions_lie_between_what_their_symbols_make_of_them() {
        let ranges = ranges(&[("i", 4), ("j", 3)]);
        let (i, j, n) = (Dim::dynamic("i"), Dim::dynamic("j"), Dim::dynamic("n"));
        let of = |index: &Dim| {
            let range = ranges.of(index);
            (range.low, range.high)
        };
        assert_eq!(of(&(&(&i * 3) + &j)), (Some(0), Some(11)));
        assert_eq!(of(&(&i - &j)), (Some(-2), Some(3)));
        assert_eq!(of(&(&i * &n)), (Some(0), None));
        assert_eq!(of(&i.offset(-5).floor_div(&Dim::Static(2))), (Some(-3), Some(-1)));
        assert_eq!(of(&i.floor_div(&n.offset(1))), (Some(0), Some(3)));
        assert_eq!(of(&i.larger(&Dim::Static(2))), (Some(2), Some(3)));
    }

    #[test]
    fn what_a_division_leaves_is_less_than_the_divisor() {
        let (i, n) = (Dim::dynamic("i"), Dim::dynamic("n"));
        let ranges = ranges(&[("i", 3)]);
        let of = |index: &Dim| {
            let range = ranges.of(index);
            (range.low, range.high)
        };
        let left = |dim: &Dim, by: usize| dim - &(&dim.floor_div(&Dim::Static(by)) * by);
        let ten = left(&n, 10);
        assert_eq!(of(&ten), (Some(0), Some(9)));
        assert_eq!(of(&(&(&ten * 4) + &i)), (Some(0), Some(38)));
        assert_eq!(of(&(&Dim::Static(36) - &(&ten * 4))), (Some(0), Some(36)));
        assert_eq!(of(&ten.floor_div(&Dim::Static(3))), (Some(0), Some(3)));
        assert_eq!(of(&left(&ten, 3)), (Some(0), Some(2)));
        assert_eq!(of(&(&ten.floor_div(&Dim::Static(3)) * 192)), (Some(0), Some(576)));
        assert_eq!(of(&(&n - &n.floor_div(&Dim::Static(2)))), (Some(0), None));
    }

    #[test]
    fn facts_bound_sizes() {
        let n = Dim::dynamic("n");
        let facts = [&Dim::Static(12) - &n, n.offset(-2), &Dim::Static(41) - &(&n * 4)];
        let ranges = Ranges::of_facts(&facts.map(Fact::NotNegative));
        assert_eq!(ranges.of(&n), Range { low: Some(2), high: Some(10) });
        assert_eq!(ranges.most(&(&n * 3)), Some(30));
        assert_eq!(ranges.most(&Dim::dynamic("m")), None);
    }

    #[test]
    fn quotients_of_what_is_smaller_than_the_divisor_are_gone() {
        let ranges = ranges(&[("i", 4), ("j", 3), ("one", 1)]);
        let (i, j) = (Dim::dynamic("i"), Dim::dynamic("j"));
        let flat = &(&i * 3) + &j;
        assert_eq!(ranges.simplified(&flat.floor_div(&Dim::Static(3))), i);
        let rest = &flat - &(&flat.floor_div(&Dim::Static(3)) * 3);
        assert_eq!(ranges.simplified(&rest), j);
        assert_eq!(ranges.simplified(&(&Dim::dynamic("one") + &i)), i);
        let kept = flat.floor_div(&Dim::Static(2));
        assert_eq!(ranges.simplified(&kept), kept);
    }
}
