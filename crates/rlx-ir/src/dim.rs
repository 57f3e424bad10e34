//! Dimensions: static sizes, symbols, and integer expressions over symbols. Owns their arithmetic and normal
//! form; two dimensions are equal exactly when their normal forms are.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Sub};
use std::sync::Arc;

/// The name of a dimension that is bound when a graph is compiled or run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(Arc<str>);

impl Symbol {
    /// A symbol with this name. Equal names are the same symbol.
    pub fn new(name: &str) -> Self {
        Symbol(Arc::from(name))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Symbol::new(name)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Sizes given to symbols.
pub type Bindings = BTreeMap<Symbol, usize>;

/// One dimension of a shape.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dim {
    /// A size known when the graph is built.
    Static(usize),
    /// A size bound later.
    Dynamic(Symbol),
    /// An integer expression over symbols, as shape rules make them (`seq + past`, `floordiv(n, 2)`).
    Expr(Arc<DimExpr>),
}

/// A polynomial with integer coefficients over symbols and opaque integer functions of such polynomials.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct DimExpr {
    /// Coefficient of each monomial; no coefficient is zero. The empty monomial is the constant term.
    terms: BTreeMap<Monomial, i64>,
}

type Monomial = BTreeMap<Atom, u32>;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Atom {
    Symbol(Symbol),
    FloorDiv(Box<DimExpr>, Box<DimExpr>),
    Max(Box<DimExpr>, Box<DimExpr>),
}

/// Why a dimension has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DimError {
    /// A symbol has no size.
    #[error("dimension `{0}` is not bound; give it a size")]
    Unbound(Symbol),
    /// The expression is negative, divides by zero or overflows with these sizes.
    #[error("dimension `{0}` has no valid size with the given bindings")]
    Invalid(Dim),
}

impl DimExpr {
    fn constant(value: i64) -> Self {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Monomial::new(), value);
        }
        DimExpr { terms }
    }

    fn atom(atom: Atom) -> Self {
        DimExpr { terms: BTreeMap::from([(BTreeMap::from([(atom, 1)]), 1)]) }
    }

    fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Monomial::new()).copied(),
            _ => None,
        }
    }

    fn combine(&self, other: &Self, sign: i64) -> Self {
        let mut terms = self.terms.clone();
        for (m, c) in &other.terms {
            let slot = terms.entry(m.clone()).or_insert(0);
            *slot = slot.saturating_add(c.saturating_mul(sign));
        }
        terms.retain(|_, c| *c != 0);
        DimExpr { terms }
    }

    fn times(&self, other: &Self) -> Self {
        let mut terms: BTreeMap<Monomial, i64> = BTreeMap::new();
        for (ma, ca) in &self.terms {
            for (mb, cb) in &other.terms {
                let mut m = ma.clone();
                for (atom, power) in mb {
                    *m.entry(atom.clone()).or_insert(0) += power;
                }
                let slot = terms.entry(m).or_insert(0);
                *slot = slot.saturating_add(ca.saturating_mul(*cb));
            }
        }
        terms.retain(|_, c| *c != 0);
        DimExpr { terms }
    }

    /// `self / divisor` where it is exact for every binding (each monomial divides), else `None`.
    fn exact_div(&self, divisor: &Self) -> Option<Self> {
        let (dm, dc) = match divisor.terms.iter().next() {
            Some(term) if divisor.terms.len() == 1 => term,
            _ => return (self == divisor && !self.terms.is_empty()).then(|| DimExpr::constant(1)),
        };
        let mut terms = BTreeMap::new();
        for (m, c) in &self.terms {
            let mut quotient = m.clone();
            for (atom, power) in dm {
                let have = quotient.get_mut(atom)?;
                *have = have.checked_sub(*power)?;
            }
            quotient.retain(|_, p| *p > 0);
            if c % dc != 0 {
                return None;
            }
            terms.insert(quotient, c / dc);
        }
        Some(DimExpr { terms })
    }

    /// `q` and `r` of q·divisor + r, where the coefficients of r are at least 0 and below the divisor.
    fn divided(&self, divisor: i64) -> (DimExpr, DimExpr) {
        if divisor < 1 {
            return (DimExpr::default(), self.clone());
        }
        let part = |f: &dyn Fn(i64) -> i64| {
            let terms = self.terms.iter().map(|(m, c)| (m.clone(), f(*c)));
            DimExpr { terms: terms.filter(|(_, c)| *c != 0).collect() }
        };
        (part(&|c| c.div_euclid(divisor)), part(&|c| c.rem_euclid(divisor)))
    }

    fn eval(&self, bindings: &Bindings) -> Result<Option<i64>, Symbol> {
        let mut total = 0i64;
        for (m, c) in &self.terms {
            let mut product = *c;
            for (atom, power) in m {
                let Some(value) = atom.eval(bindings)? else { return Ok(None) };
                for _ in 0..*power {
                    match product.checked_mul(value) {
                        Some(p) => product = p,
                        None => return Ok(None),
                    }
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
    fn at_least(&self, least: &dyn Fn(&Symbol) -> Option<i64>) -> Option<i64> {
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

    fn symbols(&self, out: &mut Vec<Symbol>) {
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

    fn substitute(&self, with: &dyn Fn(&Symbol) -> Dim) -> DimExpr {
        let mut total = DimExpr::default();
        for (m, c) in &self.terms {
            let mut product = DimExpr::constant(*c);
            for (atom, power) in m {
                let value = match atom {
                    Atom::Symbol(s) => with(s).expr(),
                    Atom::FloorDiv(a, b) => {
                        Dim::from(a.substitute(with)).floor_div(&Dim::from(b.substitute(with))).expr()
                    }
                    Atom::Max(a, b) => {
                        Dim::from(a.substitute(with)).larger(&Dim::from(b.substitute(with))).expr()
                    }
                };
                for _ in 0..*power {
                    product = product.times(&value);
                }
            }
            total = total.combine(&product, 1);
        }
        total
    }
}

impl Atom {
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
}

/// How a program computes integer expressions over symbols, a step at a time: see [`Dim::compute`].
pub trait SizeArithmetic {
    /// An integer of the program.
    type Number: Clone;
    /// A known integer.
    fn constant(&mut self, value: i64) -> Self::Number;
    /// The size of a symbol.
    fn symbol(&mut self, symbol: &Symbol) -> Self::Number;
    /// The sum.
    fn add(&mut self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    /// The product.
    fn multiply(&mut self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    /// `floor(a / b)`, where `a` is at least `least`, if anything is known of it whatever sizes the symbols have.
    fn floor_divide(&mut self, a: &Self::Number, b: &Self::Number, least: Option<i64>) -> Self::Number;
    /// The larger of the two.
    fn larger(&mut self, a: &Self::Number, b: &Self::Number) -> Self::Number;
}

impl DimExpr {
    fn compute<A: SizeArithmetic>(&self, with: &mut A) -> A::Number {
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

impl Atom {
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

impl From<DimExpr> for Dim {
    fn from(e: DimExpr) -> Self {
        if let Some(c) = e.as_constant().and_then(|c| usize::try_from(c).ok()) {
            return Dim::Static(c);
        }
        if let (1, Some((m, 1))) = (e.terms.len(), e.terms.iter().next())
            && let (1, Some((Atom::Symbol(s), 1))) = (m.len(), m.iter().next())
        {
            return Dim::Dynamic(s.clone());
        }
        Dim::Expr(Arc::new(e))
    }
}

impl Dim {
    /// A symbolic dimension.
    pub fn dynamic(name: &str) -> Dim {
        Dim::Dynamic(Symbol::new(name))
    }

    fn expr(&self) -> DimExpr {
        match self {
            Dim::Static(n) => DimExpr::constant(i64::try_from(*n).unwrap_or(i64::MAX)),
            Dim::Dynamic(s) => DimExpr::atom(Atom::Symbol(s.clone())),
            Dim::Expr(e) => (**e).clone(),
        }
    }

    /// The size, where it is static.
    pub fn as_static(&self) -> Option<usize> {
        match self {
            Dim::Static(n) => Some(*n),
            _ => None,
        }
    }

    /// `floor(self / divisor)`.
    pub fn floor_div(&self, divisor: &Dim) -> Dim {
        if let (Dim::Static(a), Dim::Static(b)) = (self, divisor)
            && *b > 0
        {
            return Dim::Static(a / b);
        }
        let (a, b) = (self.expr(), divisor.expr());
        if let (Some(a), Some(b @ 1..)) = (a.as_constant(), b.as_constant()) {
            return Dim::from(DimExpr::constant(a.div_euclid(b)));
        }
        if let Some(quotient) = a.exact_div(&b) {
            return Dim::from(quotient);
        }
        // What the divisor divides stands outside, so that equal expressions are written alike.
        let divisor = b.as_constant().unwrap_or(0);
        let (whole, rest) = a.divided(divisor);
        if divisor > 0 && rest.as_constant().is_some() {
            // A number from 0 to below the divisor.
            return Dim::from(whole);
        }
        let rest = DimExpr::atom(Atom::FloorDiv(Box::new(rest), Box::new(b)));
        Dim::from(whole.combine(&rest, 1))
    }

    /// The larger of two dimensions.
    pub fn larger(&self, other: &Dim) -> Dim {
        match (self, other) {
            (Dim::Static(a), Dim::Static(b)) => Dim::Static(*a.max(b)),
            (a, b) if a == b => a.clone(),
            (a, b) => {
                if let (Some(a), Some(b)) = (a.expr().as_constant(), b.expr().as_constant()) {
                    return Dim::from(DimExpr::constant(a.max(b)));
                }
                let (a, b) = if a <= b { (a, b) } else { (b, a) };
                Dim::from(DimExpr::atom(Atom::Max(Box::new(a.expr()), Box::new(b.expr()))))
            }
        }
    }

    /// `self + offset`, for offsets that may be negative.
    pub fn offset(&self, offset: i64) -> Dim {
        Dim::from(self.expr().combine(&DimExpr::constant(offset), 1))
    }

    /// A number that the expression is never below, where one follows from such numbers for its symbols.
    pub fn at_least(&self, least: &dyn Fn(&Symbol) -> Option<i64>) -> Option<i64> {
        self.expr().at_least(least)
    }

    /// The steps by which a program computes the size.
    pub fn compute<A: SizeArithmetic>(&self, with: &mut A) -> A::Number {
        self.expr().compute(with)
    }

    /// `(s, a, b)`, where the dimension is a·s + b for a symbol s and a ≠ 0.
    pub fn linear(&self) -> Option<(Symbol, i64, i64)> {
        let expr = self.expr();
        let offset = expr.terms.get(&Monomial::new()).copied().unwrap_or(0);
        let mut rest = expr.terms.iter().filter(|(m, _)| !m.is_empty());
        let (Some((m, factor)), None) = (rest.next(), rest.next()) else { return None };
        match m.iter().collect::<Vec<_>>()[..] {
            [(Atom::Symbol(s), 1)] => Some((s.clone(), *factor, offset)),
            _ => None,
        }
    }

    /// The size under `bindings`.
    pub fn eval(&self, bindings: &Bindings) -> Result<usize, DimError> {
        match self {
            Dim::Static(n) => Ok(*n),
            Dim::Dynamic(s) => bindings.get(s).copied().ok_or_else(|| DimError::Unbound(s.clone())),
            Dim::Expr(e) => {
                let value = e.eval(bindings).map_err(DimError::Unbound)?;
                value.and_then(|v| usize::try_from(v).ok()).ok_or_else(|| DimError::Invalid(self.clone()))
            }
        }
    }

    /// The dimension with every bound symbol replaced by its size.
    pub fn bind(&self, bindings: &Bindings) -> Dim {
        self.substitute(&|s| match bindings.get(s) {
            Some(n) => Dim::Static(*n),
            None => Dim::Dynamic(s.clone()),
        })
    }

    /// The dimension with every symbol replaced by what `with` gives.
    pub fn substitute(&self, with: &dyn Fn(&Symbol) -> Dim) -> Dim {
        match self {
            Dim::Static(n) => Dim::Static(*n),
            Dim::Dynamic(s) => with(s),
            Dim::Expr(e) => Dim::from(e.substitute(with)),
        }
    }

    /// Adds the symbols of this dimension to `out`, each once.
    pub fn symbols(&self, out: &mut Vec<Symbol>) {
        match self {
            Dim::Static(_) => {}
            Dim::Dynamic(s) if out.contains(s) => {}
            Dim::Dynamic(s) => out.push(s.clone()),
            Dim::Expr(e) => e.symbols(out),
        }
    }

    /// Whether the two may have the same size: equal, or at least one not static.
    pub fn compatible(&self, other: &Dim) -> bool {
        match (self, other) {
            (Dim::Static(a), Dim::Static(b)) => a == b,
            _ => true,
        }
    }
}

impl From<usize> for Dim {
    fn from(n: usize) -> Self {
        Dim::Static(n)
    }
}

impl From<&str> for Dim {
    fn from(name: &str) -> Self {
        Dim::dynamic(name)
    }
}

macro_rules! dim_operator {
    ($trait:ident, $method:ident, $checked:ident, $exprs:expr) => {
        impl $trait<&Dim> for &Dim {
            type Output = Dim;
            fn $method(self, other: &Dim) -> Dim {
                if let (Dim::Static(a), Dim::Static(b)) = (self, other) {
                    if let Some(n) = a.$checked(*b) {
                        return Dim::Static(n);
                    }
                }
                let combine: fn(&DimExpr, &DimExpr) -> DimExpr = $exprs;
                Dim::from(combine(&self.expr(), &other.expr()))
            }
        }
        impl $trait<Dim> for Dim {
            type Output = Dim;
            fn $method(self, other: Dim) -> Dim {
                $trait::$method(&self, &other)
            }
        }
        impl $trait<usize> for &Dim {
            type Output = Dim;
            fn $method(self, other: usize) -> Dim {
                $trait::$method(self, &Dim::Static(other))
            }
        }
    };
}
dim_operator!(Add, add, checked_add, |a, b| a.combine(b, 1));
dim_operator!(Sub, sub, checked_sub, |a, b| a.combine(b, -1));
dim_operator!(Mul, mul, checked_mul, |a, b| a.times(b));

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Static(n) => write!(f, "{n}"),
            Dim::Dynamic(s) => write_symbol(f, s),
            Dim::Expr(e) => write!(f, "{e}"),
        }
    }
}

/// Whether `name` can stand in the text form without quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(name, "floordiv" | "max")
}

fn write_symbol(f: &mut fmt::Formatter<'_>, s: &Symbol) -> fmt::Result {
    if is_plain_name(s.name()) { write!(f, "{s}") } else { write!(f, "{:?}", s.name()) }
}

impl fmt::Display for DimExpr {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_one_normal_form() {
        let (n, m) = (Dim::dynamic("n"), Dim::dynamic("m"));
        assert_eq!(&(&n + &m) - &m, n);
        assert_eq!((&n * 4).floor_div(&Dim::Static(2)), &n * 2);
        assert_eq!((&n * &m).floor_div(&n), m);
        assert_eq!((&n + 1).to_string(), "n+1");
        assert_eq!((&(&n * 2) - 3).to_string(), "2*n-3");
        assert_eq!((&n + 1).floor_div(&Dim::Static(2)).to_string(), "floordiv(n+1,2)");
        assert_eq!((&(&n * 3) - 3).floor_div(&Dim::Static(2)).to_string(), "n+floordiv(n+1,2)-2");
        assert_eq!((&(&n * 2) + 1).floor_div(&Dim::Static(2)), n);
        assert_eq!((&n * 5).floor_div(&Dim::Static(2)), &(&n * 2) + &n.floor_div(&Dim::Static(2)));
        assert_eq!(n.larger(&m), m.larger(&n));
    }

    #[test]
    fn lower_bounds_follow_from_those_of_the_symbols() {
        let n = Dim::dynamic("n");
        let one = |_: &Symbol| Some(1);
        assert_eq!((&(&n * 2) - 3).at_least(&one), Some(-1));
        assert_eq!((&n + 3).floor_div(&Dim::Static(2)).at_least(&one), Some(2));
        assert_eq!((&Dim::Static(3) - &n).at_least(&one), None);
        assert_eq!((&n - 9).larger(&Dim::Static(0)).at_least(&one), Some(0));
        assert_eq!(n.at_least(&|_| None), None);
    }

    #[test]
    fn binding_gives_sizes_or_says_why_not() {
        let n = Dim::dynamic("n");
        let bindings = Bindings::from([(Symbol::new("n"), 5)]);
        assert_eq!((&n + 1).floor_div(&Dim::Static(2)).eval(&bindings), Ok(3));
        assert_eq!((&n * &n).bind(&bindings), Dim::Static(25));
        assert_eq!((&n - 6).eval(&bindings), Err(DimError::Invalid(&n - 6)));
        // Below zero inside an expression: a window longer than its axis.
        let windows = (&n - 9).floor_div(&Dim::Static(2)).offset(1);
        assert_eq!(windows.larger(&Dim::Static(0)).bind(&bindings), Dim::Static(0));
        assert_eq!(Dim::dynamic("k").eval(&bindings), Err(DimError::Unbound(Symbol::new("k"))));
    }
}
