//! Dimensions: static sizes, symbols, and integer expressions over symbols.
//!
//! This module owns their arithmetic; two dimensions are equal exactly if their normal forms are. The operators on dimensions
//! cannot report an error. One that overflows gives a dimension that stays overflowed, equals no other, and is rejected by
//! `infer`, the parser and `verify` (see `overflow`).

pub(crate) mod limits;
mod overflow;
mod polynomial;
mod symbols;

use limits::Unfit;
use overflow::Overflow;
use polynomial::Polynomial;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Sub};
use std::sync::Arc;
pub use symbols::Symbols;

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

/// An expression over symbols.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DimExpr(Form);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Form {
    Polynomial(Polynomial),
    /// It has no normal form; see [`Dim::check`].
    Overflow(Overflow),
}

/// Why a dimension has no size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DimError {
    /// A symbol is not bound.
    #[error("dimension `{0}` is not bound; give it a size")]
    Unbound(Symbol),
    /// The expression is negative, divides by zero or overflows with the given sizes.
    #[error("dimension `{0}` has no valid size with the given bindings")]
    Invalid(Dim),
    /// The expression has numbers that do not fit 64 bits, is too long or nests too deep. The message says which, and gives the
    /// limit.
    #[error("the dimension `{0}` {why}", why = .0.unfit())]
    Overflow(Dim),
}

/// Computes integer expressions over symbols one step at a time in a program; see [`Dim::compute`].
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
    /// `floor(a / b)`. `least` is a lower bound of `a` that holds for all sizes of the symbols, if one is known.
    fn floor_divide(&mut self, a: &Self::Number, b: &Self::Number, least: Option<i64>) -> Self::Number;
    /// The larger of the two.
    fn larger(&mut self, a: &Self::Number, b: &Self::Number) -> Self::Number;
}

impl From<Polynomial> for Dim {
    fn from(polynomial: Polynomial) -> Self {
        if let Some(c) = polynomial.as_constant().and_then(|c| usize::try_from(c).ok()) {
            return Dim::Static(c);
        }
        match polynomial.as_symbol() {
            Some(symbol) => Dim::Dynamic(symbol.clone()),
            None => Dim::Expr(Arc::new(DimExpr(Form::Polynomial(polynomial)))),
        }
    }
}

impl From<Overflow> for Dim {
    fn from(overflow: Overflow) -> Self {
        Dim::Expr(Arc::new(DimExpr(Form::Overflow(overflow))))
    }
}

/// An operation on two dimensions.
#[derive(Clone, Copy, Hash)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Larger,
}

impl Operation {
    /// The result of the operation on two dimensions, in normal form.
    fn apply(self, a: &Dim, b: &Dim) -> Dim {
        let overflow = match (a.overflow(), b.overflow()) {
            (None, None) => self.polynomial(a, b).map_err(|why| Overflow::of(self.text(a, b), why)),
            (Some(overflow), _) | (_, Some(overflow)) => Err(overflow.then(&(self, a, b))),
        };
        overflow.map_or_else(Dim::from, Dim::from)
    }

    fn polynomial(self, a: &Dim, b: &Dim) -> Result<Polynomial, Unfit> {
        let (a, b) = (a.polynomial().ok_or(Unfit::Numbers)?, b.polynomial().ok_or(Unfit::Numbers)?);
        match self {
            Operation::Add => a.plus(&b),
            Operation::Subtract => a.minus(&b),
            Operation::Multiply => a.times(&b),
            Operation::FloorDivide => a.floor_div(&b),
            Operation::Larger => a.larger(&b),
        }
    }

    fn text(self, a: &Dim, b: &Dim) -> String {
        let factor = |dim: &Dim| match dim.polynomial() {
            Some(polynomial) if !polynomial.is_factor() => format!("({dim})"),
            _ => dim.to_string(),
        };
        match self {
            Operation::Add => format!("{a} + {}", factor(b)),
            Operation::Subtract => format!("{a} - {}", factor(b)),
            Operation::Multiply => format!("{} * {}", factor(a), factor(b)),
            Operation::FloorDivide => format!("floordiv({a}, {b})"),
            Operation::Larger => format!("max({a}, {b})"),
        }
    }
}

impl Dim {
    /// A symbolic dimension.
    pub fn dynamic(name: &str) -> Dim {
        Dim::Dynamic(Symbol::new(name))
    }

    /// The normal form, if there is one.
    fn polynomial(&self) -> Option<Cow<'_, Polynomial>> {
        match self {
            Dim::Static(n) => i64::try_from(*n).ok().map(|n| Cow::Owned(Polynomial::constant(n))),
            Dim::Dynamic(s) => Some(Cow::Owned(Polynomial::symbol(s))),
            Dim::Expr(e) => match &e.0 {
                Form::Polynomial(polynomial) => Some(Cow::Borrowed(polynomial)),
                Form::Overflow(_) => None,
            },
        }
    }

    /// Why the dimension has no normal form.
    fn unfit(&self) -> Unfit {
        self.overflow().map_or(Unfit::Numbers, Overflow::why)
    }

    fn overflow(&self) -> Option<&Overflow> {
        match self {
            Dim::Expr(e) => match &e.0 {
                Form::Overflow(overflow) => Some(overflow),
                Form::Polynomial(_) => None,
            },
            _ => None,
        }
    }

    /// Fails if the arithmetic that made the dimension overflowed. Operators on dimensions cannot report this themselves, so code
    /// that reads dimensions from outside or infers shapes calls this, and nothing runs with a dimension that fails.
    pub fn check(&self) -> Result<(), DimError> {
        match self.overflow() {
            None => Ok(()),
            Some(_) => Err(DimError::Overflow(self.clone())),
        }
    }

    /// The size, if it is static.
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
        Operation::FloorDivide.apply(self, divisor)
    }

    /// The larger of two dimensions.
    pub fn larger(&self, other: &Dim) -> Dim {
        match (self, other) {
            (Dim::Static(a), Dim::Static(b)) => Dim::Static(*a.max(b)),
            (a, b) if a == b => a.clone(),
            (a, b) => Operation::Larger.apply(a, b),
        }
    }

    /// `self + offset`, for offsets that may be negative.
    pub fn offset(&self, offset: i64) -> Dim {
        self + &Dim::from(Polynomial::constant(offset))
    }

    /// A lower bound of the expression, if one follows from lower bounds of its symbols.
    pub fn at_least(&self, least: &dyn Fn(&Symbol) -> Option<i64>) -> Option<i64> {
        self.polynomial()?.at_least(least)
    }

    /// Computes the size in a program, step by step; fails if the dimension cannot be represented.
    pub fn compute<A: SizeArithmetic>(&self, with: &mut A) -> Result<A::Number, DimError> {
        match self.polynomial() {
            Some(polynomial) => Ok(polynomial.compute(with)),
            None => Err(DimError::Overflow(self.clone())),
        }
    }

    /// `(s, a, b)` if the dimension is a·s + b for a symbol s and a ≠ 0.
    pub fn linear(&self) -> Option<(Symbol, i64, i64)> {
        self.polynomial()?.linear()
    }

    /// The size under `bindings`.
    pub fn eval(&self, bindings: &Bindings) -> Result<usize, DimError> {
        match self {
            Dim::Static(n) => Ok(*n),
            Dim::Dynamic(s) => bindings.get(s).copied().ok_or_else(|| DimError::Unbound(s.clone())),
            Dim::Expr(_) => {
                let expr = self.polynomial().ok_or_else(|| DimError::Overflow(self.clone()))?;
                let value = expr.eval(bindings).map_err(DimError::Unbound)?;
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

    /// The dimension with every symbol replaced by the dimension that `with` returns for it.
    pub fn substitute(&self, with: &dyn Fn(&Symbol) -> Dim) -> Dim {
        match self {
            Dim::Static(n) => Dim::Static(*n),
            Dim::Dynamic(s) => with(s),
            Dim::Expr(e) => match &e.0 {
                Form::Polynomial(polynomial) => polynomial.substitute(with),
                Form::Overflow(_) => self.clone(),
            },
        }
    }

    /// The sum of many dimensions, as if they were added one after the other. Takes time proportional to their total length,
    /// times the logarithm of their number.
    pub fn sum(parts: impl IntoIterator<Item = Dim>) -> Dim {
        Dim::signed_sum(&parts.into_iter().map(|part| (false, part)).collect::<Vec<_>>())
    }

    /// [`Dim::sum`], except that the dimensions marked `true` are subtracted.
    pub(crate) fn signed_sum(parts: &[(bool, Dim)]) -> Dim {
        let all = |parts: &[(bool, Dim)]| {
            let plain = |total: usize, (negated, part): &(bool, Dim)| match (negated, part.as_static()?) {
                (false, n) => total.checked_add(n),
                (true, n) => total.checked_sub(n),
            };
            if let Some(total) = parts.iter().try_fold(0, plain) {
                return Ok(Dim::Static(total));
            }
            let polynomials = parts.iter().map(|(negated, part)| Some((*negated, part.polynomial()?)));
            let polynomials: Vec<_> = polynomials.collect::<Option<_>>().ok_or(Unfit::Numbers)?;
            Polynomial::sum(polynomials).map(Dim::from)
        };
        stepwise(parts, &all, |(negated, part)| {
            (if *negated { Operation::Subtract } else { Operation::Add }, part)
        })
    }

    /// The product of many dimensions, as if they were multiplied one after the other.
    pub fn product(factors: impl IntoIterator<Item = Dim>) -> Dim {
        let all = |factors: &[Dim]| {
            let plain = |product: usize, factor: &Dim| product.checked_mul(factor.as_static()?);
            if let Some(product) = factors.iter().try_fold(1, plain) {
                return Ok(Dim::Static(product));
            }
            let polynomials = factors.iter().map(Dim::polynomial);
            let polynomials: Vec<_> = polynomials.collect::<Option<_>>().ok_or(Unfit::Numbers)?;
            Polynomial::product(polynomials).map(Dim::from)
        };
        let factors: Vec<Dim> = factors.into_iter().collect();
        stepwise(&factors, &all, |factor| (Operation::Multiply, factor))
    }

    /// Adds the symbols of this dimension to `out`, each once.
    pub fn symbols(&self, out: &mut Symbols) {
        match self {
            Dim::Static(_) => {}
            Dim::Dynamic(s) => out.add(s),
            Dim::Expr(e) => match &e.0 {
                Form::Polynomial(polynomial) => polynomial.symbols(out),
                Form::Overflow(_) => {}
            },
        }
    }

    /// Whether the two may have the same size: they are equal, or at least one is not static.
    pub fn compatible(&self, other: &Dim) -> bool {
        match (self, other) {
            (Dim::Static(a), Dim::Static(b)) => a == b,
            _ => true,
        }
    }
}

/// Applies `all` to all parts at once. If that fails, finds the first part that made it fail, and names `operation` with that
/// part's operand in the overflow, so that the message shows the step that failed.
fn stepwise<T>(
    parts: &[T],
    all: &dyn Fn(&[T]) -> Result<Dim, Unfit>,
    operation: impl Fn(&T) -> (Operation, &Dim),
) -> Dim {
    let why = match all(parts) {
        Ok(dim) => return dim,
        Err(why) => why,
    };
    let (mut fits, mut fails) = (0, parts.len());
    while fails - fits > 1 {
        let middle = fits.midpoint(fails);
        if all(&parts[..middle]).is_ok() { fits = middle } else { fails = middle }
    }
    let rest = &parts[fits..];
    let so_far = all(&parts[..fits]).unwrap_or(Dim::Static(0));
    let failed = rest.split_first().map(|(part, rest)| {
        let (first, operand) = operation(part);
        // If the operand already overflowed, its overflow is kept; otherwise this step is the one that overflowed.
        let dim = first.apply(&so_far, operand);
        let dim = if dim.overflow().is_some() {
            dim
        } else {
            Overflow::of(first.text(&so_far, operand), why).into()
        };
        rest.iter().map(&operation).fold(dim, |dim, (next, operand)| next.apply(&dim, operand))
    });
    failed.unwrap_or(so_far)
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
    ($trait:ident, $method:ident, $checked:ident, $operation:expr) => {
        impl $trait<&Dim> for &Dim {
            type Output = Dim;
            fn $method(self, other: &Dim) -> Dim {
                if let (Dim::Static(a), Dim::Static(b)) = (self, other) {
                    if let Some(n) = a.$checked(*b) {
                        return Dim::Static(n);
                    }
                }
                $operation.apply(self, other)
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
dim_operator!(Add, add, checked_add, Operation::Add);
dim_operator!(Sub, sub, checked_sub, Operation::Subtract);
dim_operator!(Mul, mul, checked_mul, Operation::Multiply);

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Static(n) => write!(f, "{n}"),
            Dim::Dynamic(s) => write_symbol(f, s),
            Dim::Expr(e) => match &e.0 {
                Form::Polynomial(polynomial) => write!(f, "{polynomial}"),
                Form::Overflow(overflow) => write!(f, "{overflow}"),
            },
        }
    }
}

/// Whether the text form can write `name` without quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(name, "floordiv" | "max")
}

fn write_symbol(f: &mut fmt::Formatter<'_>, s: &Symbol) -> fmt::Result {
    if is_plain_name(s.name()) { write!(f, "{s}") } else { write!(f, "{:?}", s.name()) }
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
        // Negative inside an expression: a window longer than its axis.
        let windows = (&n - 9).floor_div(&Dim::Static(2)).offset(1);
        assert_eq!(windows.larger(&Dim::Static(0)).bind(&bindings), Dim::Static(0));
        assert_eq!(Dim::dynamic("k").eval(&bindings), Err(DimError::Unbound(Symbol::new("k"))));
    }
}
