//! Bounds remainders in index expressions: a − b·⌊a/b⌋ is between 0 and b − 1, which the intervals of its parts do not
//! show.

use super::{Range, Ranges};
use rlx_ir::{Dim, SizeArithmetic, Symbol};

/// Computes with intervals, and tracks which quotients a number contains, with their factors.
pub(super) struct Remainders<'a> {
    ranges: &'a Ranges,
    quotients: Vec<Quotient>,
    /// The maximum number of nested quotients to examine.
    depth: usize,
}

/// A remainder of a remainder has two quotients.
const DEPTH: usize = 3;

/// `floor(of / by)` for a number `by` above 0.
struct Quotient {
    of: Dim,
    by: i64,
}

/// A number in the expression.
#[derive(Clone)]
pub(super) struct Tracked {
    value: Dim,
    range: Range,
    /// The indices of quotients that are terms of the number, with their factors.
    quotients: Vec<(usize, i64)>,
}

impl Remainders<'_> {
    /// Returns the range of an expression.
    pub fn range(ranges: &Ranges, index: &Dim) -> Range {
        Remainders::to_depth(ranges, index, DEPTH)
    }

    fn to_depth(ranges: &Ranges, index: &Dim, depth: usize) -> Range {
        let mut remainders = Remainders { ranges, quotients: Vec::new(), depth };
        let part = index.compute(&mut remainders);
        part.map_or(Range::of(None, None), |part| remainders.of(&part))
    }

    /// Returns the range of a number whose quotients are treated as parts of remainders. The number is scaled so that they are.
    fn of(&self, part: &Tracked) -> Range {
        let mut range = part.range;
        for &(number, factor) in part.quotients.iter().filter(|_| self.depth > 0) {
            if let Some(scaled) = self.scaled(part, factor) {
                range = range.and(scaled);
                continue;
            }
            let Quotient { of, by } = &self.quotients[number];
            let scale = if factor % by == 0 { 1 } else { *by };
            let Some(times) = factor.checked_mul(scale).and_then(|factor| (factor / by).checked_neg()) else {
                continue;
            };
            let remainder = of - &(&of.floor_div(&number_of(*by)) * &number_of(*by));
            let rest = &(&part.value * &number_of(scale)) - &(&remainder * &number_of(times));
            let rest = Remainders::to_depth(self.ranges, &rest, self.depth - 1);
            range = range.and(rest.plus(Range::of(Some(0), Some(by - 1)).scaled(times)).parted(scale));
        }
        range
    }

    /// Returns the range of a multiple of `factor` plus a constant, from the range of the multiplicand. This excludes
    /// values between the multiples.
    fn scaled(&self, part: &Tracked, factor: i64) -> Option<Range> {
        let factor = factor.checked_abs().filter(|factor| *factor > 1)?;
        let offset = part.value.substitute(&|_| Dim::Static(0));
        let (multiple, by) = (&part.value - &offset, number_of(factor));
        let one = multiple.floor_div(&by);
        let offset = Remainders::to_depth(self.ranges, &offset, 0);
        let is_exact = &one * &by == multiple;
        is_exact.then(|| Remainders::to_depth(self.ranges, &one, self.depth).scaled(factor).plus(offset))
    }

    fn part(&self, value: Dim, range: Range) -> Tracked {
        Tracked { value, range, quotients: Vec::new() }
    }
}

fn number_of(value: i64) -> Dim {
    Dim::Static(0).offset(value)
}

impl SizeArithmetic for Remainders<'_> {
    type Number = Tracked;

    fn constant(&mut self, value: i64) -> Tracked {
        self.part(number_of(value), Range::exactly(value))
    }

    fn symbol(&mut self, symbol: &Symbol) -> Tracked {
        let range = self.ranges.known.get(symbol).copied().unwrap_or(Range::size());
        self.part(Dim::Dynamic(symbol.clone()), range)
    }

    fn add(&mut self, a: &Tracked, b: &Tracked) -> Tracked {
        let mut sum = self.part(&a.value + &b.value, a.range.plus(b.range));
        sum.quotients = [&a.quotients[..], &b.quotients].concat();
        sum
    }

    fn multiply(&mut self, a: &Tracked, b: &Tracked) -> Tracked {
        let mut product = self.part(&a.value * &b.value, a.range.times(b.range));
        let (scaled, by) = if a.quotients.is_empty() { (b, a) } else { (a, b) };
        if let (Some(by), true) = (by.range.value(), by.quotients.is_empty()) {
            let quotients = scaled.quotients.iter();
            product.quotients =
                quotients.filter_map(|&(n, factor)| Some((n, factor.checked_mul(by)?))).collect();
        }
        product
    }

    fn floor_divide(&mut self, a: &Tracked, b: &Tracked, _: Option<i64>) -> Tracked {
        let mut quotient = self.part(a.value.floor_div(&b.value), self.of(a).over(self.of(b)));
        if let Some(by @ 1..) = b.range.value() {
            quotient.quotients.push((self.quotients.len(), 1));
            self.quotients.push(Quotient { of: a.value.clone(), by });
        }
        quotient
    }

    fn larger(&mut self, a: &Tracked, b: &Tracked) -> Tracked {
        self.part(a.value.larger(&b.value), self.of(a).larger(self.of(b)))
    }
}
