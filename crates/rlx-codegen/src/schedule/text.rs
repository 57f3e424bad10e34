//! The text form of schedules: steps separated by `;`, each a name and its fields in the order of the table. The types
//! of fields say how they are written and read.

use super::{Schedule, Step, Tail};
use crate::kernel::{Level, Space};
use crate::swizzle::Swizzle;
use crate::words::one_of;
use rlx_ir::text::Parser;
use rlx_ir::{Dim, ParseError, Symbol};
use std::fmt::{self, Display, Formatter};

type Parsed<T> = Result<T, ParseError>;

impl Display for Schedule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            write!(f, "{}{step}", if number == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Schedule {
    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Schedule, ParseError> {
        let mut p = Parser::new(text);
        let mut schedule = Schedule::default();
        if p.end().is_ok() {
            return Ok(schedule);
        }
        schedule.0.push(Step::parse(&mut p)?);
        while p.eat(';') {
            schedule.0.push(Step::parse(&mut p)?);
        }
        p.end()?;
        Ok(schedule)
    }
}

/// The type of a field of a step.
pub(super) trait StepField: Sized {
    /// What the function of a step is passed: a copy of a small value, or a reference.
    type Arg<'a>
    where
        Self: 'a;

    /// Returns the value as it is passed to the function of a step.
    fn arg(&self) -> Self::Arg<'_>;

    /// Returns the text.
    fn text(&self) -> String;

    /// Reads the text.
    fn parse(p: &mut Parser<'_>) -> Parsed<Self>;
}

/// Reads an arrow and the field after it.
pub(super) fn after_arrow<T: StepField>(p: &mut Parser<'_>) -> Parsed<T> {
    p.expect('-')?;
    p.expect('>')?;
    T::parse(p)
}

/// Reads a word and the field after it. `what` describes the field if the word is missing.
pub(super) fn after_word<T: StepField>(p: &mut Parser<'_>, word: &str, what: &str) -> Parsed<T> {
    match p.eat_word(word) {
        true => T::parse(p),
        false => p.expected(&format!("`{word}` and {what}")),
    }
}

/// Reads a field and the word before it, if the word is there.
pub(super) fn if_word<T: StepField>(p: &mut Parser<'_>, word: &str) -> Parsed<Option<T>> {
    p.eat_word(word).then(|| T::parse(p)).transpose()
}

/// Returns names, each in quotes unless it is a plain word.
fn names(symbols: &[Symbol]) -> String {
    symbols.iter().map(StepField::text).collect::<Vec<_>>().join(" ")
}

impl StepField for Symbol {
    type Arg<'a> = &'a Symbol;

    fn arg(&self) -> &Symbol {
        self
    }

    fn text(&self) -> String {
        Dim::Dynamic(self.clone()).to_string()
    }

    fn parse(p: &mut Parser<'_>) -> Parsed<Symbol> {
        Ok(Symbol::new(&p.name()?))
    }
}

impl<const N: usize> StepField for [Symbol; N] {
    type Arg<'a> = &'a [Symbol; N];

    fn arg(&self) -> &[Symbol; N] {
        self
    }

    fn text(&self) -> String {
        names(self)
    }

    fn parse(p: &mut Parser<'_>) -> Parsed<[Symbol; N]> {
        let mut symbols: [Symbol; N] = std::array::from_fn(|_| Symbol::new(""));
        for symbol in &mut symbols {
            *symbol = Symbol::parse(p)?;
        }
        Ok(symbols)
    }
}

/// One or more symbols, up to the end of the step.
impl StepField for Vec<Symbol> {
    type Arg<'a> = &'a [Symbol];

    fn arg(&self) -> &[Symbol] {
        self
    }

    fn text(&self) -> String {
        names(self)
    }

    fn parse(p: &mut Parser<'_>) -> Parsed<Vec<Symbol>> {
        let mut symbols = vec![Symbol::parse(p)?];
        while !p.at(';') && p.end().is_err() {
            symbols.push(Symbol::parse(p)?);
        }
        Ok(symbols)
    }
}

/// The name of a buffer or an instruction, in quotes unless it is a plain word.
impl StepField for String {
    type Arg<'a> = &'a str;

    fn arg(&self) -> &str {
        self
    }

    fn text(&self) -> String {
        Dim::dynamic(self).to_string()
    }

    fn parse(p: &mut Parser<'_>) -> Parsed<String> {
        p.name()
    }
}

impl StepField for u32 {
    type Arg<'a> = u32;

    fn arg(&self) -> u32 {
        *self
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn parse(p: &mut Parser<'_>) -> Parsed<u32> {
        p.integer()
    }
}

impl StepField for Swizzle {
    type Arg<'a> = Swizzle;

    fn arg(&self) -> Swizzle {
        *self
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn parse(p: &mut Parser<'_>) -> Parsed<Swizzle> {
        Swizzle::read(p)
    }
}

/// Makes enums of words fields.
macro_rules! word_fields {
    ($($Enum:ident),*) => {$(
        impl StepField for $Enum {
            type Arg<'a> = $Enum;

            fn arg(&self) -> $Enum {
                *self
            }

            fn text(&self) -> String {
                self.word().to_string()
            }

            fn parse(p: &mut Parser<'_>) -> Parsed<$Enum> {
                one_of(p, &$Enum::ALL, $Enum::word)
            }
        }
    )*};
}

word_fields!(Tail, Space, Level);
