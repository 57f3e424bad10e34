//! The text form of schedules: [`Display`](std::fmt::Display) writes it, [`Schedule::parse`] reads it.

use super::{Partition, Schedule, Step, Tail, Tree};
use crate::kernel::{Level, Space};
use crate::swizzle::Swizzle;
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

/// Returns a name, in quotes unless it is a plain word.
fn name(text: &str) -> Dim {
    Dim::dynamic(text)
}

fn names(symbols: &[Symbol]) -> String {
    symbols.iter().map(|s| name(s.name()).to_string()).collect::<Vec<_>>().join(" ")
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Step::Split { axis, by, tail, into } => {
                write!(f, "split {} {by} {} -> {}", name(axis.name()), tail.word(), names(into))
            }
            Step::Fuse { axes, into } => write!(f, "fuse {} -> {}", names(axes), name(into.name())),
            Step::Reorder { axes } => write!(f, "reorder {}", names(axes)),
            Step::Divide { axis, first, last, into } => {
                write!(f, "divide {} {first} {last} -> {}", name(axis.name()), name(into.name()))
            }
            Step::Clip { axis } => write!(f, "clip {}", name(axis.name())),
            Step::Unroll { axis } => write!(f, "unroll {}", name(axis.name())),
            Step::Stage { input, axis, lanes, into } => {
                write!(f, "stage {} at {}", name(input), name(axis.name()))?;
                lanes.iter().try_for_each(|lanes| write!(f, " by {lanes}"))?;
                write!(f, " -> {}", name(into))
            }
            Step::Place { array, space } => write!(f, "place {} {}", name(array), space.word()),
            Step::Swizzle { array, order } => write!(f, "swizzle {} {order}", name(array)),
            Step::Tree(Tree { axis, lanes, into }) => {
                write!(f, "tree {} {lanes} -> {}", name(axis.name()), names(into))
            }
            Step::Pipeline { axis, slots } => write!(f, "pipeline {} {slots}", name(axis.name())),
            Step::Tensorise { axis, row, into } => {
                write!(f, "tensorise {} {} -> {}", name(axis.name()), name(row), names(into))
            }
            Step::Nest { axis } => write!(f, "nest {}", name(axis.name())),
            Step::Interchange { axes } => write!(f, "interchange {}", names(axes)),
            Step::Contract { axis } => write!(f, "contract {}", name(axis.name())),
            Step::Parts(partition) => write!(f, "parts {partition}"),
            Step::Chains(partition) => write!(f, "chains {partition}"),
            Step::Lanes(partition) => write!(f, "lanes {partition}"),
            Step::Launches(partition) => write!(f, "launches {partition}"),
            Step::Pack { input, axis, by } => write!(f, "pack {} {axis} {by}", name(input)),
            Step::Unpack { output, axis, by } => write!(f, "unpack {} {axis} {by}", name(output)),
            Step::InPlace { output, input } => write!(f, "inplace {} {}", name(output), name(input)),
            Step::Bind { axis, level: Level::Vector } => write!(f, "vector {}", name(axis.name())),
            Step::Bind { axis, level } => write!(f, "bind {} {}", name(axis.name()), level.word()),
        }
    }
}

impl Display for Partition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} -> {}", name(self.axis.name()), self.by, names(&self.into))
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
        schedule.0.push(step(&mut p)?);
        while p.eat(';') {
            schedule.0.push(step(&mut p)?);
        }
        p.end()?;
        Ok(schedule)
    }
}

fn symbol(p: &mut Parser<'_>) -> Parsed<Symbol> {
    Ok(Symbol::new(&p.name()?))
}

/// Reads the symbols up to the end of the step.
fn symbols(p: &mut Parser<'_>) -> Parsed<Vec<Symbol>> {
    let mut symbols = vec![symbol(p)?];
    while !p.at(';') && p.end().is_err() {
        symbols.push(symbol(p)?);
    }
    Ok(symbols)
}

fn arrow(p: &mut Parser<'_>) -> Parsed<()> {
    p.expect('-')?;
    p.expect('>')
}

fn partition(p: &mut Parser<'_>) -> Parsed<Partition> {
    let (axis, by) = (symbol(p)?, p.integer()?);
    arrow(p)?;
    Ok(Partition { axis, by, into: [symbol(p)?, symbol(p)?] })
}

fn step(p: &mut Parser<'_>) -> Parsed<Step> {
    let word = p.peek_word().unwrap_or_default().to_string();
    let known = [
        "split",
        "fuse",
        "reorder",
        "divide",
        "clip",
        "unroll",
        "nest",
        "interchange",
        "contract",
        "stage",
        "place",
        "swizzle",
        "tree",
        "pipeline",
        "tensorise",
        "parts",
        "chains",
        "lanes",
        "launches",
        "pack",
        "unpack",
        "inplace",
        "bind",
        "vector",
    ];
    if !known.contains(&&word[..]) {
        return p.expected(&format!("one of the steps {}", known.join(", ")));
    }
    p.name()?;
    Ok(match &word[..] {
        "split" => {
            let (axis, by) = (symbol(p)?, p.integer()?);
            let Some(tail) = Tail::ALL.into_iter().find(|tail| p.eat_word(tail.word())) else {
                return p.expected("`exact`, `guard` or `peel`");
            };
            arrow(p)?;
            Step::Split { axis, by, tail, into: [symbol(p)?, symbol(p)?] }
        }
        "fuse" => {
            let axes = [symbol(p)?, symbol(p)?];
            arrow(p)?;
            Step::Fuse { axes, into: symbol(p)? }
        }
        "reorder" => Step::Reorder { axes: symbols(p)? },
        "nest" => Step::Nest { axis: symbol(p)? },
        "interchange" => Step::Interchange { axes: symbols(p)? },
        "contract" => Step::Contract { axis: symbol(p)? },
        "divide" => {
            let (axis, first, last) = (symbol(p)?, p.integer()?, p.integer()?);
            arrow(p)?;
            Step::Divide { axis, first, last, into: symbol(p)? }
        }
        "clip" => Step::Clip { axis: symbol(p)? },
        "unroll" => Step::Unroll { axis: symbol(p)? },
        "stage" => {
            let input = p.name()?;
            if !p.eat_word("at") {
                return p.expected("`at` and an axis");
            }
            let axis = symbol(p)?;
            let lanes = if p.eat_word("by") { Some(p.integer()?) } else { None };
            arrow(p)?;
            Step::Stage { input, axis, lanes, into: p.name()? }
        }
        "place" => {
            let array = p.name()?;
            match Space::ALL.into_iter().find(|space| p.eat_word(space.word())) {
                Some(space) => Step::Place { array, space },
                None => return p.expected("`lane`, `subgroup` or `group`"),
            }
        }
        "swizzle" => Step::Swizzle { array: p.name()?, order: Swizzle::read(p)? },
        "tree" => {
            let (axis, lanes) = (symbol(p)?, p.integer()?);
            arrow(p)?;
            Step::Tree(Tree { axis, lanes, into: [symbol(p)?, symbol(p)?] })
        }
        "pipeline" => Step::Pipeline { axis: symbol(p)?, slots: p.integer()? },
        "tensorise" => {
            let (axis, row) = (symbol(p)?, p.name()?);
            arrow(p)?;
            Step::Tensorise { axis, row, into: [symbol(p)?, symbol(p)?, symbol(p)?] }
        }
        "parts" => Step::Parts(partition(p)?),
        "chains" => Step::Chains(partition(p)?),
        "lanes" => Step::Lanes(partition(p)?),
        "launches" => Step::Launches(partition(p)?),
        "pack" => Step::Pack { input: p.name()?, axis: p.integer()?, by: p.integer()? },
        "unpack" => Step::Unpack { output: p.name()?, axis: p.integer()?, by: p.integer()? },
        "inplace" => Step::InPlace { output: p.name()?, input: p.name()? },
        "vector" => Step::Bind { axis: symbol(p)?, level: Level::Vector },
        _ => {
            let axis = symbol(p)?;
            let levels = [Level::None].into_iter().chain(Level::MARKS);
            let Some(level) = { levels }.find(|level| p.eat_word(level.word())) else {
                return p.expected("`none`, `thread`, `group`, `subgroup`, `lane`, `vector` or `unit`");
            };
            Step::Bind { axis, level }
        }
    })
}
