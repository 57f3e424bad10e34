//! The normal form of dimensions: polynomials with checked 64-bit coefficients. Nothing here saturates or wraps: what
//! does not fit is `None`.

use crate::dim::{Bindings, Dim, SizeArithmetic, Symbol, write_symbol};
use std::collections::BTreeMap;
use std::fmt;

/// The most symbols, numbers and functions in one polynomial. It bounds what a short text or a few shape rules can
/// multiply out to; no dimension of a model comes near it.
const MAX_SIZE: usize = 4096;

/// A polynomial with integer coefficients over symbols and opaque integer functions of such polynomials.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Polynomial {
    /// Coefficient of each monomial; no coefficient is zero. The empty monomial is the constant term.
    terms: BTreeMap<Monomial, i64>,
}

type Monomial = BTreeMap<Atom, u32>;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Atom {
    Symbol(Symbol),
    FloorDiv(Box<Polynomial>, Box<Polynomial>),
    Max(Box<Polynomial>, Box<Polynomial>),
}

impl Polynomial {
    pub(super) fn constant(value: i64) -> Self {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Monomial::new(), value);
        }
        Polynomial { terms }
    }

    fn atom(atom: Atom) -> Self {
        Polynomial { terms: BTreeMap::from([(BTreeMap::from([(atom, 1)]), 1)]) }
    }

    pub(super) fn symbol(symbol: &Symbol) -> Self {
        Polynomial::atom(Atom::Symbol(symbol.clone()))
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Monomial::new()).copied(),
            _ => None,
        }
    }

    /// The symbol, where the polynomial is one symbol and nothing else.
    pub(super) fn as_symbol(&self) -> Option<&Symbol> {
        match (self.terms.len(), self.terms.first_key_value()?) {
            (1, (m, 1)) => match (m.len(), m.first_key_value()?) {
                (1, (Atom::Symbol(symbol), 1)) => Some(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it prints as one factor, so that it needs no parentheses in a product.
    pub(super) fn is_factor(&self) -> bool {
        self.terms.len() < 2 && self.terms.values().all(|&c| c >= 0)
    }

    /// How many symbols, numbers and functions it consists of.
    fn size(&self) -> usize {
        let mut size = self.terms.len();
        for (atom, power) in self.terms.keys().flatten() {
            size = size.saturating_add((*power as usize).saturating_mul(atom.size()));
        }
        size
    }

    /// The polynomial, unless it is longer than is allowed.
    fn bounded(self) -> Option<Self> {
        (self.size() <= MAX_SIZE).then_some(self)
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        self.combine(other, i64::checked_add)
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.combine(other, i64::checked_sub)
    }

    fn combine(&self, other: &Self, add: fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (m, c) in &other.terms {
            let slot = terms.entry(m.clone()).or_insert(0);
            *slot = add(*slot, *c)?;
        }
        terms.retain(|_, c| *c != 0);
        Polynomial { terms }.bounded()
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut terms: BTreeMap<Monomial, i64> = BTreeMap::new();
        for (ma, ca) in &self.terms {
            for (mb, cb) in &other.terms {
                let mut m = ma.clone();
                for (atom, power) in mb {
                    let slot = m.entry(atom.clone()).or_insert(0);
                    *slot = slot.checked_add(*power)?;
                }
                let slot = terms.entry(m).or_insert(0);
                *slot = slot.checked_add(ca.checked_mul(*cb)?)?;
            }
            if terms.len() > MAX_SIZE {
                return None;
            }
        }
        terms.retain(|_, c| *c != 0);
        Polynomial { terms }.bounded()
    }

    /// `floor(self / divisor)`.
    pub(super) fn floor_div(&self, divisor: &Self) -> Option<Self> {
        if let (Some(a), Some(b @ 1..)) = (self.as_constant(), divisor.as_constant()) {
            return Some(Polynomial::constant(a.div_euclid(b)));
        }
        match self.exact_div(divisor) {
            Quotient::Exact(quotient) => return Some(quotient),
            Quotient::Overflow => return None,
            Quotient::Inexact => {}
        }
        // What the divisor divides stands outside, so that equal expressions are written alike.
        let number = divisor.as_constant().unwrap_or(0);
        let (whole, rest) = self.divided(number);
        if number > 0 && rest.as_constant().is_some() {
            // A number from 0 to below the divisor.
            return Some(whole);
        }
        whole.plus(&Polynomial::atom(Atom::FloorDiv(Box::new(rest), Box::new(divisor.clone()))))
    }

    /// The larger of the two.
    pub(super) fn larger(&self, other: &Self) -> Option<Self> {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Some(Polynomial::constant(a.max(b)));
        }
        let (a, b) = if self <= other { (self, other) } else { (other, self) };
        if a == b {
            return Some(a.clone());
        }
        Polynomial::atom(Atom::Max(Box::new(a.clone()), Box::new(b.clone()))).bounded()
    }

    /// `self / divisor` where it is exact for every binding: each monomial divides.
    fn exact_div(&self, divisor: &Self) -> Quotient {
        let (dm, dc) = match divisor.terms.first_key_value() {
            Some(term) if divisor.terms.len() == 1 => term,
            _ if self == divisor && !self.terms.is_empty() => {
                return Quotient::Exact(Polynomial::constant(1));
            }
            _ => return Quotient::Inexact,
        };
        let mut terms = BTreeMap::new();
        for (m, c) in &self.terms {
            let mut quotient = m.clone();
            for (atom, power) in dm {
                match quotient.get_mut(atom).and_then(|have| Some((have.checked_sub(*power)?, have))) {
                    Some((left, have)) => *have = left,
                    None => return Quotient::Inexact,
                }
            }
            quotient.retain(|_, p| *p > 0);
            // Both fail for the least number divided by −1.
            match (c.checked_rem(*dc), c.checked_div(*dc)) {
                (Some(0), Some(c)) => terms.insert(quotient, c),
                (Some(_), _) => return Quotient::Inexact,
                (None, _) => return Quotient::Overflow,
            };
        }
        Quotient::Exact(Polynomial { terms })
    }

    /// `q` and `r` of q·divisor + r, where the coefficients of r are at least 0 and below the divisor.
    fn divided(&self, divisor: i64) -> (Polynomial, Polynomial) {
        if divisor < 1 {
            return (Polynomial::default(), self.clone());
        }
        let part = |f: &dyn Fn(i64) -> i64| {
            let terms = self.terms.iter().map(|(m, c)| (m.clone(), f(*c)));
            Polynomial { terms: terms.filter(|(_, c)| *c != 0).collect() }
        };
        (part(&|c| c.div_euclid(divisor)), part(&|c| c.rem_euclid(divisor)))
    }

    pub(super) fn eval(&self, bindings: &Bindings) -> Result<Option<i64>, Symbol> {
        let mut total = 0i64;
        for (m, c) in &self.terms {
            let mut product = *c;
            for (atom, power) in m {
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

    /// A lower bound of the expression, given one of each symbol that has one.
    pub(super) fn at_least(&self, least: &dyn Fn(&Symbol) -> Option<i64>) -> Option<i64> {
        let mut total = 0i64;
        for (m, c) in &self.terms {
            let mut product = *c;
            if *c < 0 && !m.is_empty() {
                return None;
            }
            for (atom, power) in m {
                let bound = atom.at_least(least).filter(|&bound| bound >= 0)?;
                product = product.checked_mul(bound.checked_pow(*power)?)?;
            }
            total = total.checked_add(product)?;
        }
        Some(total)
    }

    pub(super) fn symbols(&self, out: &mut Vec<Symbol>) {
        for m in self.terms.keys() {
            for atom in m.keys() {
                match atom {
                    Atom::Symbol(s) if out.contains(s) => {}
                    Atom::Symbol(s) => out.push(s.clone()),
                    Atom::FloorDiv(a, b) | Atom::Max(a, b) => {
                        a.symbols(out);
                        b.symbols(out);
                    }
                }
            }
        }
    }

    /// Each symbol replaced by what `with` gives, by the arithmetic of dimensions, which says where it overflows.
    pub(super) fn substitute(&self, with: &dyn Fn(&Symbol) -> Dim) -> Dim {
        let mut total = Dim::Static(0);
        for (m, c) in &self.terms {
            let mut product = Dim::from(Polynomial::constant(*c));
            for (atom, power) in m {
                let value = match atom {
                    Atom::Symbol(s) => with(s),
                    Atom::FloorDiv(a, b) => a.substitute(with).floor_div(&b.substitute(with)),
                    Atom::Max(a, b) => a.substitute(with).larger(&b.substitute(with)),
                };
                for _ in 0..*power {
                    product = &product * &value;
                }
            }
            total = &total + &product;
        }
        total
    }

    /// `(s, a, b)`, where the polynomial is a·s + b for a symbol s and a ≠ 0.
    pub(super) fn linear(&self) -> Option<(Symbol, i64, i64)> {
        let offset = self.terms.get(&Monomial::new()).copied().unwrap_or(0);
        let mut rest = self.terms.iter().filter(|(m, _)| !m.is_empty());
        let (Some((m, factor)), None) = (rest.next(), rest.next()) else { return None };
        match m.iter().collect::<Vec<_>>()[..] {
            [(Atom::Symbol(s), 1)] => Some((s.clone(), *factor, offset)),
            _ => None,
        }
    }

    pub(super) fn compute<A: SizeArithmetic>(&self, with: &mut A) -> A::Number {
        let mut total = None;
        for (m, c) in &self.terms {
            let mut product = None;
            for (atom, power) in m {
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

/// What dividing monomial by monomial gives.
enum Quotient {
    /// The quotient for every binding.
    Exact(Polynomial),
    /// The divisor does not divide each monomial.
    Inexact,
    /// It does, and a coefficient of the quotient does not fit.
    Overflow,
}

impl Atom {
    fn size(&self) -> usize {
        match self {
            Atom::Symbol(_) => 1,
            Atom::FloorDiv(a, b) | Atom::Max(a, b) => a.size().saturating_add(b.size()).saturating_add(1),
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
        // The constant term sorts first in the map and reads best last.
        let ordered = self
            .terms
            .iter()
            .filter(|(m, _)| !m.is_empty())
            .chain(self.terms.get_key_value(&Monomial::new()));
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
