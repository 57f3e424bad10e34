//! Index expressions as text. The languages of printers write sums, products and parentheses alike.

use rlx_ir::{Dim, DimError, SizeArithmetic, Symbol};

/// How a language writes what differs.
pub trait Notation {
    /// The variable of a symbol.
    fn symbol(&mut self, symbol: &Symbol) -> String;
    /// `floor(a / b)` for b > 0; `positive` where a is at least 0. What it gives needs no parentheses, and a and b have none.
    fn floor_divide(&mut self, a: &str, b: &str, positive: bool) -> String;
    /// The larger of the two, likewise.
    fn larger(&mut self, a: &str, b: &str) -> String;
}

/// The text of an expression, and whether it is one operand: a name, a number or a call.
pub fn expression(dim: &Dim, notation: &mut dyn Notation) -> Result<(String, bool), DimError> {
    if let Some(size) = dim.as_static() {
        return Ok((size.to_string(), true));
    }
    let term = dim.compute(&mut Writer(notation))?;
    let one = term.level == Level::Operand && !term.negative;
    Ok((term.signed(), one))
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Level {
    Sum,
    Product,
    Operand,
}

/// Text of a number; `negative` where a minus belongs in front of it.
#[derive(Clone, Debug)]
struct Term {
    negative: bool,
    text: String,
    level: Level,
}

impl Term {
    fn operand(text: String) -> Term {
        Term { negative: false, text, level: Level::Operand }
    }

    fn signed(&self) -> String {
        match (self.negative, self.level) {
            (false, _) => self.text.clone(),
            (true, Level::Sum) => format!("-({})", self.text),
            (true, _) => format!("-{}", self.text),
        }
    }

    /// In a product.
    fn factor(&self) -> String {
        if self.level == Level::Sum { format!("({})", self.text) } else { self.text.clone() }
    }
}

struct Writer<'n>(&'n mut dyn Notation);

impl SizeArithmetic for Writer<'_> {
    type Number = Term;

    fn constant(&mut self, value: i64) -> Term {
        Term { negative: value < 0, text: value.unsigned_abs().to_string(), level: Level::Operand }
    }

    fn symbol(&mut self, symbol: &Symbol) -> Term {
        Term::operand(self.0.symbol(symbol))
    }

    fn add(&mut self, a: &Term, b: &Term) -> Term {
        // A sum that begins with its positive part has no minus in front.
        let (a, b) = if a.negative && !b.negative { (b, a) } else { (a, b) };
        let sign = if b.negative { '-' } else { '+' };
        let second =
            if b.negative && b.level == Level::Sum { format!("({})", b.text) } else { b.text.clone() };
        Term { negative: false, text: format!("{} {sign} {second}", a.signed()), level: Level::Sum }
    }

    fn multiply(&mut self, a: &Term, b: &Term) -> Term {
        let negative = a.negative != b.negative;
        match (&a.text[..], &b.text[..]) {
            (_, "1") => Term { negative, ..a.clone() },
            ("1", _) => Term { negative, ..b.clone() },
            _ => Term { negative, text: format!("{} * {}", a.factor(), b.factor()), level: Level::Product },
        }
    }

    fn floor_divide(&mut self, a: &Term, b: &Term, least: Option<i64>) -> Term {
        let positive = least.is_some_and(|least| least >= 0);
        Term::operand(self.0.floor_divide(&a.signed(), &b.signed(), positive))
    }

    fn larger(&mut self, a: &Term, b: &Term) -> Term {
        Term::operand(self.0.larger(&a.signed(), &b.signed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl Notation for Plain {
        fn symbol(&mut self, symbol: &Symbol) -> String {
            symbol.name().into()
        }

        fn floor_divide(&mut self, a: &str, b: &str, positive: bool) -> String {
            if positive { format!("(({a}) / ({b}))") } else { format!("floor({a}, {b})") }
        }

        fn larger(&mut self, a: &str, b: &str) -> String {
            format!("max({a}, {b})")
        }
    }

    #[test]
    fn expressions_are_written_as_one_would() {
        let (i, j, n) = (Dim::dynamic("i"), Dim::dynamic("j"), Dim::dynamic("n"));
        let two = Dim::Static(2);
        let cases = [
            (&(&i * &n) + &j, "j + i * n"),
            ((&n - &i).offset(-1), "n - 1 - i"),
            (Dim::Static(0).offset(-3), "-3"),
            (&Dim::Static(0) - &i, "-i"),
            (&i - &(&j * 2), "i - j * 2"),
            ((&i - &j).floor_div(&two), "floor(i - j, 2)"),
            (&(&(&i + &j).floor_div(&two) * &n) * 3, "n * ((i + j) / (2)) * 3"),
            (i.larger(&(&j - &i)), "max(j - i, i)"),
        ];
        for (dim, expected) in cases {
            assert_eq!(expression(&dim, &mut Plain).unwrap().0, expected);
        }
    }
}
