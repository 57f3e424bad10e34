//! Prints index expressions. Sums, products and parentheses are the same in all languages.

use super::Statements;
use rlx_ir::{Dim, DimError, SizeArithmetic, Symbol};

/// The parts of the notation in which languages differ.
pub trait Notation {
    /// Returns the variable of a symbol.
    fn symbol(&mut self, symbol: &Symbol) -> String;
    /// Returns `floor(a / b)` for b > 0. `positive` means that a is at least 0. The texts a and b have no parentheses,
    /// and the result must not need any.
    fn floor_divide(&mut self, a: &str, b: &str, positive: bool) -> String;
    /// Returns the larger of the two, with the same rules for parentheses.
    fn larger(&mut self, a: &str, b: &str) -> String;
}

/// Returns the text of an expression.
pub fn expression(dim: &Dim, notation: &mut dyn Notation) -> Result<String, DimError> {
    match dim.as_static() {
        Some(size) => Ok(size.to_string()),
        None => dim.compute(&mut Writer(notation)).map(|sum| sum.text()),
    }
}

/// Returns the text of an expression in a language. `name` returns the variable of a symbol.
pub(super) fn expression_in<L: Statements>(
    language: &L,
    dim: &Dim,
    name: &dyn Fn(&Symbol) -> String,
) -> Result<String, DimError> {
    expression(dim, &mut Named(language, name))
}

/// Symbols that the caller has named.
struct Named<'n, L>(&'n L, &'n dyn Fn(&Symbol) -> String);

impl<L: Statements> Notation for Named<'_, L> {
    fn symbol(&mut self, symbol: &Symbol) -> String {
        (self.1)(symbol)
    }

    fn floor_divide(&mut self, a: &str, b: &str, positive: bool) -> String {
        self.0.floor_divide(a, b, positive)
    }

    fn larger(&mut self, a: &str, b: &str) -> String {
        self.0.larger(a, b)
    }
}

/// Returns whether a text is a number or a name, which needs no parentheses.
pub fn is_word(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A number, a call or a product.
#[derive(Clone, Debug)]
struct Term {
    negative: bool,
    text: String,
}

/// Terms that are added. There is at least one.
#[derive(Clone, Debug)]
struct Sum(Vec<Term>);

impl Sum {
    fn operand(text: String) -> Sum {
        Sum(vec![Term { negative: false, text }])
    }

    /// Added terms come before subtracted ones, and names before numbers.
    fn text(&self) -> String {
        let mut terms: Vec<&Term> = self.0.iter().collect();
        terms.sort_by_key(|term| (term.negative, term.text.bytes().all(|b| b.is_ascii_digit())));
        let mut text = String::new();
        for term in terms {
            let sign = match (term.negative, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text.push_str(sign);
            text.push_str(&term.text);
        }
        text
    }

    /// Returns the text as a factor, with its sign separately.
    fn factor(&self) -> (bool, String) {
        match &self.0[..] {
            [one] => (one.negative, one.text.clone()),
            _ => (false, format!("({})", self.text())),
        }
    }
}

struct Writer<'n>(&'n mut dyn Notation);

impl SizeArithmetic for Writer<'_> {
    type Number = Sum;

    fn constant(&mut self, value: i64) -> Sum {
        Sum(vec![Term { negative: value < 0, text: value.unsigned_abs().to_string() }])
    }

    fn symbol(&mut self, symbol: &Symbol) -> Sum {
        Sum::operand(self.0.symbol(symbol))
    }

    fn add(&mut self, a: &Sum, b: &Sum) -> Sum {
        Sum([&a.0[..], &b.0].concat())
    }

    fn multiply(&mut self, a: &Sum, b: &Sum) -> Sum {
        let ((minus_a, a), (minus_b, b)) = (a.factor(), b.factor());
        let text = match (&a[..], &b[..]) {
            (_, "1") => a,
            ("1", _) => b,
            _ => format!("{a} * {b}"),
        };
        Sum(vec![Term { negative: minus_a != minus_b, text }])
    }

    fn floor_divide(&mut self, a: &Sum, b: &Sum, least: Option<i64>) -> Sum {
        let positive = least.is_some_and(|least| least >= 0);
        Sum::operand(self.0.floor_divide(&a.text(), &b.text(), positive))
    }

    fn larger(&mut self, a: &Sum, b: &Sum) -> Sum {
        Sum::operand(self.0.larger(&a.text(), &b.text()))
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
            (&(&i * &n) + &j, "i * n + j"),
            ((&n - &i).offset(-1), "n - i - 1"),
            (Dim::Static(0).offset(-3), "-3"),
            (&Dim::Static(0) - &i, "-i"),
            (&i - &(&j * 2), "i - j * 2"),
            ((&i - &j).floor_div(&n), "floor(i - j, n)"),
            (&(&(&i + &j).floor_div(&two) * &n) * 3, "n * ((i + j) / (2)) * 3"),
            (i.larger(&(&j - &i)), "max(j - i, i)"),
        ];
        for (dim, expected) in cases {
            assert_eq!(expression(&dim, &mut Plain).unwrap(), expected);
        }
    }
}
