//! The normal form of dimensions: polynomials with checked 64-bit coefficients. Nothing here saturates or wraps: a number that
//! does not fit is an error that says why.

use super::limits::{MAX_DEPTH, MAX_PRODUCT, MAX_SIZE, Unfit};
use super::symbols::Symbols;
use crate::dim::{Bindings, Dim, SizeArithmetic, Symbol, write_symbol};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A polynomial with integer coefficients over symbols and opaque integer functions of such polynomials.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Polynomial {
    /// Monomials with their coefficients, ordered by monomial; no coefficient is zero. The empty monomial is the constant term.
    terms: Vec<Term>,
    /// Number of symbols, numbers and functions in it.
    size: usize,
    /// How deep functions nest in it.
    depth: usize,
}

type Term = (Monomial, i64);

/// The powers of different atoms, ordered by atom. Shared, because sums and products copy monomials far more often than they make
/// new ones.
type Monomial = Arc<[(Atom, u32)]>;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Atom {
    Symbol(Symbol),
    FloorDiv(Arc<Polynomial>, Arc<Polynomial>),
    Max(Arc<Polynomial>, Arc<Polynomial>),
}

/// The result of arithmetic.
type Fits = Result<Polynomial, Unfit>;

impl Polynomial {
    /// Makes a polynomial of ordered terms, none of them zero.
    fn of_terms(terms: Vec<Term>) -> Self {
        let (mut size, mut depth) = (terms.len(), 0);
        for (atom, power) in terms.iter().flat_map(|(monomial, _)| monomial.iter()) {
            size = size.saturating_add((*power as usize).saturating_mul(atom.size()));
            depth = depth.max(atom.depth());
        }
        Polynomial { terms, size, depth }
    }

    /// Makes a polynomial of terms in any order, which may contain equal monomials. Their coefficients are added, or subtracted
    /// if marked `true`, in the given order.
    fn of_any(mut terms: Vec<(Term, bool)>) -> Fits {
        // A stable sort, so that a sum overflows exactly where adding one term after the other would.
        terms.sort_by(|a, b| a.0.0.cmp(&b.0.0));
        let mut sums: Vec<Term> = Vec::with_capacity(terms.len());
        for ((monomial, coefficient), negated) in terms {
            if sums.last().is_none_or(|(last, _)| *last != monomial) {
                sums.push((monomial, 0));
            }
            let Some((_, sum)) = sums.last_mut() else { continue };
            let total = if negated { sum.checked_sub(coefficient) } else { sum.checked_add(coefficient) };
            *sum = total.ok_or(Unfit::Numbers)?;
        }
        sums.retain(|(_, coefficient)| *coefficient != 0);
        Polynomial::of_terms(sums).bounded()
    }

    pub(super) fn constant(value: i64) -> Self {
        let term = (Monomial::default(), value);
        Polynomial::of_terms(if value == 0 { Vec::new() } else { vec![term] })
    }

    fn atom(atom: Atom) -> Self {
        Polynomial::of_terms(vec![(Arc::new([(atom, 1)]), 1)])
    }

    pub(super) fn symbol(symbol: &Symbol) -> Self {
        Polynomial::atom(Atom::Symbol(symbol.clone()))
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        match &self.terms[..] {
            [] => Some(0),
            [(monomial, constant)] if monomial.is_empty() => Some(*constant),
            _ => None,
        }
    }

    /// The symbol, if the polynomial consists of just one symbol.
    pub(super) fn as_symbol(&self) -> Option<&Symbol> {
        let [(monomial, 1)] = &self.terms[..] else { return None };
        match &monomial[..] {
            [(Atom::Symbol(symbol), 1)] => Some(symbol),
            _ => None,
        }
    }

    /// Whether it prints as one factor, so that it needs no parentheses in a product.
    pub(super) fn is_factor(&self) -> bool {
        self.terms.len() < 2 && self.terms.iter().all(|(_, c)| *c >= 0)
    }

    /// The polynomial, unless it is longer or nests deeper than the limits allow.
    fn bounded(self) -> Fits {
        match &self {
            Polynomial { size, .. } if *size > MAX_SIZE => Err(Unfit::Size),
            Polynomial { depth, .. } if *depth > MAX_DEPTH => Err(Unfit::Depth),
            _ => Ok(self),
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Fits {
        self.combine(other, Some, i64::checked_add)
    }

    pub(super) fn minus(&self, other: &Self) -> Fits {
        self.combine(other, i64::checked_neg, i64::checked_sub)
    }

    /// Merges the terms of both. `alone` maps a coefficient of a monomial that only `other` has; `both` combines the coefficients
    /// of a monomial that both have.
    fn combine(
        &self,
        other: &Self,
        alone: fn(i64) -> Option<i64>,
        both: fn(i64, i64) -> Option<i64>,
    ) -> Fits {
        let mut terms: Vec<Term> = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut ours, mut theirs) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let a = if order.is_le() { ours.next() } else { None };
            let b = if order.is_ge() { theirs.next() } else { None };
            let (monomial, coefficient) = match (a, b) {
                (Some((monomial, a)), Some((_, b))) => (monomial, both(*a, *b)),
                (Some((monomial, a)), None) => (monomial, Some(*a)),
                (None, Some((monomial, b))) => (monomial, alone(*b)),
                (None, None) => break,
            };
            match coefficient.ok_or(Unfit::Numbers)? {
                0 => {}
                coefficient => terms.push((monomial.clone(), coefficient)),
            }
        }
        Polynomial::of_terms(terms).bounded()
    }

    /// The sum of many polynomials, negating those marked `true`, as if they were added one after the other.
    pub(super) fn sum<'a>(parts: impl IntoIterator<Item = (bool, Cow<'a, Polynomial>)>) -> Fits {
        let mut terms = Vec::new();
        for (negated, part) in parts {
            terms.extend(part.terms.iter().map(|term| (term.clone(), negated)));
        }
        Polynomial::of_any(terms)
    }

    /// The product of many polynomials. Those of a single term are multiplied first, so that sums are expanded only once.
    pub(super) fn product<'a>(factors: impl IntoIterator<Item = Cow<'a, Polynomial>>) -> Fits {
        let (mut atoms, mut coefficient, mut sums) = (Vec::new(), 1i64, Vec::new());
        for factor in factors {
            match &factor.terms[..] {
                [] => coefficient = 0,
                [(monomial, c)] => {
                    coefficient = coefficient.checked_mul(*c).ok_or(Unfit::Numbers)?;
                    atoms.extend(monomial.iter().cloned());
                }
                _ => sums.push(factor),
            }
        }
        if coefficient == 0 {
            return Ok(Polynomial::default());
        }
        let first = Polynomial::of_terms(vec![(powers(atoms)?, coefficient)]).bounded()?;
        sums.into_iter().try_fold(first, |product, sum| product.times(&sum))
    }

    pub(super) fn times(&self, other: &Self) -> Fits {
        let (ours, theirs) = (self.terms.len(), other.terms.len());
        if ours > 1 && theirs > 1 && ours.saturating_mul(theirs) > MAX_PRODUCT {
            return Err(Unfit::Product);
        }
        let size = ours.saturating_mul(other.size).saturating_add(theirs.saturating_mul(self.size));
        if size > 2 * MAX_SIZE {
            return Err(Unfit::Size);
        }
        let mut terms = Vec::with_capacity(ours * theirs);
        for (ma, ca) in &self.terms {
            for (mb, cb) in &other.terms {
                let monomial = match (ma.is_empty(), mb.is_empty()) {
                    (true, _) => mb.clone(),
                    (_, true) => ma.clone(),
                    _ => powers(ma.iter().chain(mb.iter()).cloned().collect())?,
                };
                terms.push(((monomial, ca.checked_mul(*cb).ok_or(Unfit::Numbers)?), false));
            }
        }
        Polynomial::of_any(terms)
    }

    /// `floor(self / divisor)`.
    pub(super) fn floor_div(&self, divisor: &Self) -> Fits {
        if let (Some(a), Some(b @ 1..)) = (self.as_constant(), divisor.as_constant()) {
            return Ok(Polynomial::constant(a.div_euclid(b)));
        }
        if let Some(quotient) = self.exact_div(divisor)? {
            return Ok(quotient);
        }
        // Terms that the divisor divides are moved out of the function, so that equal expressions have the same form.
        let number = divisor.as_constant().unwrap_or(0);
        let (whole, rest) = self.divided(number);
        if number > 0 && rest.as_constant().is_some() {
            // A number from 0 to below the divisor.
            return Ok(whole);
        }
        whole.plus(&Polynomial::atom(Atom::FloorDiv(Arc::new(rest), Arc::new(divisor.clone()))))
    }

    /// The larger of the two.
    pub(super) fn larger(&self, other: &Self) -> Fits {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Ok(Polynomial::constant(a.max(b)));
        }
        let (a, b) = if self <= other { (self, other) } else { (other, self) };
        if a == b {
            return Ok(a.clone());
        }
        Polynomial::atom(Atom::Max(Arc::new(a.clone()), Arc::new(b.clone()))).bounded()
    }

    /// `self / divisor` if the division is exact for every binding, that is, if each monomial divides.
    fn exact_div(&self, divisor: &Self) -> Result<Option<Polynomial>, Unfit> {
        let [(dm, dc)] = &divisor.terms[..] else {
            let same = self == divisor && !self.terms.is_empty();
            return Ok(same.then(|| Polynomial::constant(1)));
        };
        let mut terms = Vec::with_capacity(self.terms.len());
        for (monomial, c) in &self.terms {
            let Some(quotient) = without_powers(monomial, dm) else { return Ok(None) };
            // Both are `None` for the minimum divided by −1.
            match (c.checked_rem(*dc), c.checked_div(*dc)) {
                (Some(0), Some(c)) => terms.push(((quotient, c), false)),
                (Some(_), _) => return Ok(None),
                (None, _) => return Err(Unfit::Numbers),
            }
        }
        // Dividing can change the order of the monomials.
        Polynomial::of_any(terms).map(Some)
    }

    /// `q` and `r` of q·divisor + r, where the coefficients of r are at least 0 and below the divisor.
    fn divided(&self, divisor: i64) -> (Polynomial, Polynomial) {
        if divisor < 1 {
            return (Polynomial::default(), self.clone());
        }
        let part = |f: &dyn Fn(i64) -> i64| {
            let terms = self.terms.iter().map(|(m, c)| (m.clone(), f(*c)));
            Polynomial::of_terms(terms.filter(|(_, c)| *c != 0).collect())
        };
        (part(&|c| c.div_euclid(divisor)), part(&|c| c.rem_euclid(divisor)))
    }

    pub(super) fn eval(&self, bindings: &Bindings) -> Result<Option<i64>, Symbol> {
        let mut total = 0i64;
        for (m, c) in &self.terms {
            let mut product = *c;
            for (atom, power) in m.iter() {
                let Some(value) = atom.eval(bindings)? else { return Ok(None) };
                match value.checked_pow(*power).and_then(|value| product.checked_mul(value)) {
                    Some(p) => product = p,
                    None => return Ok(None),
                }
            }
            match total.checked_add(product) {
                Some(t) => total = t,
                None => return Ok(None),
            }
        }
        Ok(Some(total))
    }

    /// A lower bound of the expression, given lower bounds of its symbols where known.
    pub(super) fn at_least(&self, least: &dyn Fn(&Symbol) -> Option<i64>) -> Option<i64> {
        let mut total = 0i64;
        for (m, c) in &self.terms {
            let mut product = *c;
            if *c < 0 && !m.is_empty() {
                return None;
            }
            for (atom, power) in m.iter() {
                let bound = atom.at_least(least).filter(|&bound| bound >= 0)?;
                product = product.checked_mul(bound.checked_pow(*power)?)?;
            }
            total = total.checked_add(product)?;
        }
        Some(total)
    }

    pub(super) fn symbols(&self, out: &mut Symbols) {
        for (atom, _) in self.terms.iter().flat_map(|(monomial, _)| monomial.iter()) {
            match atom {
                Atom::Symbol(symbol) => out.add(symbol),
                Atom::FloorDiv(a, b) | Atom::Max(a, b) => {
                    a.symbols(out);
                    b.symbols(out);
                }
            }
        }
    }

    /// Replaces each symbol by the dimension that `with` returns. Uses the arithmetic of dimensions, which reports where it
    /// overflows.
    pub(super) fn substitute(&self, with: &dyn Fn(&Symbol) -> Dim) -> Dim {
        let term = |(monomial, c): &Term| {
            let mut factors = vec![Dim::from(Polynomial::constant(*c))];
            for (atom, power) in monomial.iter() {
                let value = match atom {
                    Atom::Symbol(s) => with(s),
                    Atom::FloorDiv(a, b) => a.substitute(with).floor_div(&b.substitute(with)),
                    Atom::Max(a, b) => a.substitute(with).larger(&b.substitute(with)),
                };
                factors.extend(std::iter::repeat_n(value, *power as usize));
            }
            Dim::product(factors)
        };
        Dim::sum(self.terms.iter().map(term))
    }

    /// `(s, a, b)` if the polynomial is a·s + b for a symbol s and a ≠ 0.
    pub(super) fn linear(&self) -> Option<(Symbol, i64, i64)> {
        // The constant term comes first.
        let (offset, rest) = match &self.terms[..] {
            [(first, c), rest @ ..] if first.is_empty() => (*c, rest),
            all => (0, all),
        };
        let [(monomial, factor)] = rest else { return None };
        match &monomial[..] {
            [(Atom::Symbol(s), 1)] => Some((s.clone(), *factor, offset)),
            _ => None,
        }
    }

    pub(super) fn compute<A: SizeArithmetic>(&self, with: &mut A) -> A::Number {
        let mut total = None;
        for (m, c) in &self.terms {
            let mut product = None;
            for (atom, power) in m.iter() {
                let value = atom.compute(with);
                for _ in 0..*power {
                    product = Some(product.map_or_else(|| value.clone(), |p| with.multiply(&p, &value)));
                }
            }
            let term = match product {
                None => with.constant(*c),
                Some(product) if *c == 1 => product,
                Some(product) => {
                    let factor = with.constant(*c);
                    with.multiply(&product, &factor)
                }
            };
            total = Some(total.map_or_else(|| term.clone(), |t| with.add(&t, &term)));
        }
        total.unwrap_or_else(|| with.constant(0))
    }
}

/// The monomial of these powers, given in any order.
fn powers(mut atoms: Vec<(Atom, u32)>) -> Result<Monomial, Unfit> {
    atoms.sort_by(|a, b| a.0.cmp(&b.0));
    let mut powers: Vec<(Atom, u32)> = Vec::with_capacity(atoms.len());
    for (atom, power) in atoms {
        match powers.last_mut().filter(|(last, _)| *last == atom) {
            Some((_, sum)) => *sum = sum.checked_add(power).ok_or(Unfit::Numbers)?,
            None => powers.push((atom, power)),
        }
    }
    Ok(powers.into())
}

/// `monomial / divisor`, if the division is exact.
fn without_powers(monomial: &Monomial, divisor: &Monomial) -> Option<Monomial> {
    if divisor.is_empty() {
        return Some(monomial.clone());
    }
    let mut left = monomial.to_vec();
    for (atom, power) in divisor.iter() {
        let at = left.binary_search_by(|(have, _)| have.cmp(atom)).ok()?;
        left[at].1 = left[at].1.checked_sub(*power)?;
    }
    left.retain(|(_, power)| *power > 0);
    Some(left.into())
}

impl Atom {
    fn size(&self) -> usize {
        match self {
            Atom::Symbol(_) => 1,
            Atom::FloorDiv(a, b) | Atom::Max(a, b) => a.size.saturating_add(b.size).saturating_add(1),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Atom::Symbol(_) => 0,
            Atom::FloorDiv(a, b) | Atom::Max(a, b) => a.depth.max(b.depth) + 1,
        }
    }

    fn at_least(&self, least: &dyn Fn(&Symbol) -> Option<i64>) -> Option<i64> {
        match self {
            Atom::Symbol(s) => least(s),
            Atom::FloorDiv(a, b) => match b.as_constant() {
                Some(b @ 1..) => a.at_least(least).map(|a| a.div_euclid(b)),
                _ => None,
            },
            Atom::Max(a, b) => match (a.at_least(least), b.at_least(least)) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (one, other) => one.or(other),
            },
        }
    }

    fn eval(&self, bindings: &Bindings) -> Result<Option<i64>, Symbol> {
        Ok(match self {
            Atom::Symbol(s) => {
                let size = bindings.get(s).ok_or_else(|| s.clone())?;
                i64::try_from(*size).ok()
            }
            Atom::FloorDiv(a, b) => match (a.eval(bindings)?, b.eval(bindings)?) {
                (Some(a), Some(b)) if b > 0 => Some(a.div_euclid(b)),
                _ => None,
            },
            Atom::Max(a, b) => match (a.eval(bindings)?, b.eval(bindings)?) {
                (Some(a), Some(b)) => Some(a.max(b)),
                _ => None,
            },
        })
    }

    fn compute<A: SizeArithmetic>(&self, with: &mut A) -> A::Number {
        match self {
            Atom::Symbol(s) => with.symbol(s),
            Atom::FloorDiv(a, b) => {
                let least = a.at_least(&|_| Some(0));
                let (a, b) = (a.compute(with), b.compute(with));
                with.floor_divide(&a, &b, least)
            }
            Atom::Max(a, b) => {
                let (a, b) = (a.compute(with), b.compute(with));
                with.larger(&a, &b)
            }
        }
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return write!(f, "0");
        }
        // The constant term sorts first, but reads better last.
        let ordered = self
            .terms
            .iter()
            .filter(|(m, _)| !m.is_empty())
            .chain(self.terms.first().filter(|(m, _)| m.is_empty()));
        for (i, (m, c)) in ordered.enumerate() {
            let sign = if *c < 0 {
                "-"
            } else if i > 0 {
                "+"
            } else {
                ""
            };
            write!(f, "{sign}")?;
            let magnitude = c.unsigned_abs();
            if m.is_empty() {
                write!(f, "{magnitude}")?;
                continue;
            }
            if magnitude != 1 {
                write!(f, "{magnitude}*")?;
            }
            let factors = m.iter().flat_map(|(atom, power)| std::iter::repeat_n(atom, *power as usize));
            for (j, atom) in factors.enumerate() {
                if j > 0 {
                    write!(f, "*")?;
                }
                match atom {
                    Atom::Symbol(s) => write_symbol(f, s)?,
                    Atom::FloorDiv(a, b) => write!(f, "floordiv({a},{b})")?,
                    Atom::Max(a, b) => write!(f, "max({a},{b})")?,
                }
            }
        }
        Ok(())
    }
}
