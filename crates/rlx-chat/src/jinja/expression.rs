//! Parses expressions. The precedence levels of operators, from the lowest: `if else`, `or`, `and`, `not`,
//! comparisons, `+ -`, `~`, `* / // %`, `**`, signs, and what follows a value.

use super::ast::{Binary, CallArgs, Comparison, Expr, ExprId, FilterCall, Suffix, TestCall};
use super::error::Result;
use super::filters::filter;
use super::lexer::Tok;
use super::parser::Parser;
use super::predicates::test;

/// Precedence levels of operators.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const CONCAT: u8 = 6;
const PRODUCT: u8 = 7;
const POWER: u8 = 8;

#[derive(Clone, Copy)]
enum Operator {
    Or,
    And,
    Concat,
    Compare(Comparison),
    Binary(Binary),
}

impl Parser {
    /// Parses an expression.
    pub(super) fn expression(&mut self) -> Result<ExprId> {
        self.nested(|parser| parser.conditional())
    }

    fn conditional(&mut self) -> Result<ExprId> {
        let mut arms = Vec::new();
        let mut without_else = 0;
        let unknown = self.unknown.len();
        loop {
            let outer = self.around;
            let mut value = self.operators(OR)?;
            loop {
                if !self.skip_name("if") {
                    if arms.is_empty() {
                        return Ok(value);
                    }
                    self.unknown.truncate(unknown);
                    return self.add(Expr::If { arms, other: Some(value) });
                }
                // Unknown names here fail only when they are reached.
                self.unknown.truncate(unknown);
                self.around.soft = true;
                let test = self.operators(OR);
                self.around = outer;
                let test = test?;
                if self.skip_name("else") {
                    arms.push((test, value));
                    break;
                }
                without_else += 1;
                if without_else > 20 {
                    return self.wrong("too many `if` without `else`");
                }
                value = self.add(Expr::If { arms: vec![(test, value)], other: None })?;
            }
        }
    }

    /// Returns the next operator, its level, and the number of its tokens.
    fn operator(&self) -> Option<(u8, Operator, usize)> {
        use Comparison as C;
        let (level, op) = match self.peek() {
            Tok::Name(name) => match name.as_str() {
                "or" => (OR, Operator::Or),
                "and" => (AND, Operator::And),
                "in" => (COMPARE, Operator::Compare(C::In)),
                "not" if matches!(self.peek_second(), Tok::Name(second) if second == "in") => {
                    return Some((COMPARE, Operator::Compare(C::NotIn), 2));
                }
                _ => return None,
            },
            Tok::Op(op) => match *op {
                "==" => (COMPARE, Operator::Compare(C::Eq)),
                "!=" => (COMPARE, Operator::Compare(C::Ne)),
                "<" => (COMPARE, Operator::Compare(C::Lt)),
                "<=" => (COMPARE, Operator::Compare(C::Le)),
                ">" => (COMPARE, Operator::Compare(C::Gt)),
                ">=" => (COMPARE, Operator::Compare(C::Ge)),
                "+" => (SUM, Operator::Binary(Binary::Add)),
                "-" => (SUM, Operator::Binary(Binary::Sub)),
                "~" => (CONCAT, Operator::Concat),
                "*" => (PRODUCT, Operator::Binary(Binary::Mul)),
                "/" => (PRODUCT, Operator::Binary(Binary::Div)),
                "//" => (PRODUCT, Operator::Binary(Binary::FloorDiv)),
                "%" => (PRODUCT, Operator::Binary(Binary::Rem)),
                "**" => (POWER, Operator::Binary(Binary::Pow)),
                _ => return None,
            },
            _ => return None,
        };
        Some((level, op, 1))
    }

    /// Parses operators of this level and higher ones.
    fn operators(&mut self, level: u8) -> Result<ExprId> {
        if level <= NOT && self.is_name("not") {
            let mut odd = false;
            while self.skip_name("not") {
                odd = !odd;
            }
            let operand = self.nested(|parser| parser.operators(COMPARE))?;
            let left = self.add(Expr::Not { odd, operand })?;
            return self.chains(left, level, AND);
        }
        let left = self.unary(true)?;
        self.chains(left, level, POWER)
    }

    /// Parses operators of some levels, given the value on their left.
    fn chains(&mut self, mut left: ExprId, lowest: u8, highest: u8) -> Result<ExprId> {
        let mut highest = highest;
        while let Some((level, _, _)) =
            self.operator().filter(|(level, ..)| (lowest..=highest).contains(level))
        {
            let mut rest = Vec::new();
            while let Some((_, op, tokens)) = self.operator().filter(|(l, ..)| *l == level) {
                for _ in 0..tokens {
                    self.next();
                }
                let right =
                    if level == POWER { self.unary(true) } else { self.nested(|p| p.operators(level + 1)) };
                rest.push((op, right?));
            }
            left = self.chain(left, level, rest)?;
            highest = level;
        }
        Ok(left)
    }

    fn chain(&mut self, first: ExprId, level: u8, rest: Vec<(Operator, ExprId)>) -> Result<ExprId> {
        let all = || std::iter::once(first).chain(rest.iter().map(|(_, id)| *id)).collect();
        let expr = match level {
            OR => Expr::Or(all()),
            AND => Expr::And(all()),
            CONCAT => Expr::Concat(all()),
            COMPARE => {
                let op = |(op, id)| if let Operator::Compare(op) = op { Some((op, id)) } else { None };
                Expr::Compare { first, rest: rest.into_iter().filter_map(op).collect() }
            }
            _ => {
                let op = |(op, id)| if let Operator::Binary(op) = op { Some((op, id)) } else { None };
                Expr::Chain { first, rest: rest.into_iter().filter_map(op).collect() }
            }
        };
        self.add(expr)
    }

    /// Parses signs, a value, and what follows it.
    fn unary(&mut self, filters: bool) -> Result<ExprId> {
        let mut minus = Vec::new();
        while self.is_op("-") || self.is_op("+") {
            minus.push(self.is_op("-"));
            self.next();
        }
        let mut value = self.primary()?;
        let mut steps = Vec::new();
        self.postfix(&mut steps)?;
        if !minus.is_empty() {
            value = self.with_steps(value, std::mem::take(&mut steps))?;
            value = self.add(Expr::Signs { minus, operand: value })?;
        }
        if filters {
            self.filter_steps(&mut steps)?;
        }
        self.with_steps(value, steps)
    }

    fn with_steps(&mut self, base: ExprId, steps: Vec<Suffix>) -> Result<ExprId> {
        if steps.is_empty() { Ok(base) } else { self.add(Expr::Postfix { base, steps }) }
    }

    /// Parses attributes, items and calls.
    fn postfix(&mut self, steps: &mut Vec<Suffix>) -> Result<()> {
        loop {
            let step = if self.skip_op(".") {
                match self.peek() {
                    Tok::Name(_) => Suffix::Attr(self.name()?),
                    Tok::Int(_) => {
                        let Tok::Int(index) = self.next() else { return self.unexpected("a number") };
                        Suffix::Item(self.add(Expr::Int(index))?)
                    }
                    _ => return self.unexpected("a name or a number"),
                }
            } else if self.skip_op("[") {
                self.item()?
            } else if self.is_op("(") {
                Suffix::Call(Box::new(self.call_args()?))
            } else {
                return Ok(());
            };
            steps.push(step);
        }
    }

    fn item(&mut self) -> Result<Suffix> {
        if self.is_op(":") {
            return self.slice(None);
        }
        let first = self.expression()?;
        if self.is_op(":") {
            return self.slice(Some(first));
        }
        let mut items = vec![first];
        while self.skip_op(",") {
            if self.is_op("]") {
                break;
            }
            items.push(self.expression()?);
        }
        let several = items.len() > 1 || !self.is_op("]");
        self.expect_op("]")?;
        Ok(Suffix::Item(if several { self.add(Expr::Tuple(items))? } else { first }))
    }

    fn slice(&mut self, start: Option<ExprId>) -> Result<Suffix> {
        let mut parts = [start, None, None];
        for part in &mut parts[1..] {
            if !self.skip_op(":") {
                break;
            }
            if !self.is_op(":") && !self.is_op("]") {
                *part = Some(self.expression()?);
            }
        }
        self.expect_op("]")?;
        Ok(Suffix::Slice(Box::new(parts)))
    }

    /// Parses filters, tests, and calls of their results.
    fn filter_steps(&mut self, steps: &mut Vec<Suffix>) -> Result<()> {
        loop {
            if self.skip_op("|") {
                steps.push(self.filter()?);
            } else if self.skip_name("is") {
                steps.push(self.test()?);
            } else if self.is_op("(") {
                steps.push(Suffix::Call(Box::new(self.call_args()?)));
            } else {
                return Ok(());
            }
        }
    }

    fn dotted(&mut self) -> Result<u32> {
        let first = self.name()?;
        if !self.is_op(".") {
            return Ok(first);
        }
        let mut name = self.ast.names[first as usize].clone();
        while self.skip_op(".") {
            let part = self.name()?;
            name.push('.');
            name.push_str(&self.ast.names[part as usize]);
            if name.len() > 1000 {
                return self.wrong("a name is too long");
            }
        }
        self.intern(name)
    }

    pub(super) fn filter(&mut self) -> Result<Suffix> {
        let name = self.dotted()?;
        let run = filter(&self.ast.names[name as usize]);
        if run.is_none() && !self.around.soft {
            self.unknown.push((self.line(), format!("no filter named `{}`", self.shown(name))));
        }
        let args = if self.is_op("(") { self.call_args()? } else { CallArgs::default() };
        Ok(Suffix::Filter(Box::new(FilterCall { name, run, args })))
    }

    fn test(&mut self) -> Result<Suffix> {
        let negated = self.skip_name("not");
        let name = self.dotted()?;
        let run = test(&self.ast.names[name as usize]);
        if run.is_none() && !self.around.soft {
            self.unknown.push((self.line(), format!("no test named `{}`", self.shown(name))));
        }
        let args = match self.peek() {
            Tok::Op("(") => self.call_args()?,
            Tok::Name(next) if matches!(next.as_str(), "else" | "or" | "and") => CallArgs::default(),
            Tok::Name(next) if next == "is" => return self.wrong("a test cannot directly follow a test"),
            Tok::Name(_) | Tok::Text(_) | Tok::Int(_) | Tok::Float(_) | Tok::Op("[" | "{") => {
                let value = self.nested(|parser| parser.primary())?;
                let mut steps = Vec::new();
                self.postfix(&mut steps)?;
                CallArgs { pos: vec![self.with_steps(value, steps)?], ..CallArgs::default() }
            }
            _ => CallArgs::default(),
        };
        Ok(Suffix::Test(Box::new(TestCall { name, run, args, negated })))
    }

    fn shown(&self, name: u32) -> String {
        self.ast.names[name as usize].chars().take(40).collect()
    }

    fn primary(&mut self) -> Result<ExprId> {
        match self.peek() {
            Tok::Name(name) => {
                let constant = match name.as_str() {
                    "true" | "True" => Some(Expr::Bool(true)),
                    "false" | "False" => Some(Expr::Bool(false)),
                    "none" | "None" => Some(Expr::None),
                    _ => None,
                };
                if let Some(constant) = constant {
                    self.next();
                    return self.add(constant);
                }
                let name = self.name()?;
                self.used(name);
                self.add(Expr::Name(name))
            }
            Tok::Text(_) => {
                let mut text = String::new();
                while matches!(self.peek(), Tok::Text(_)) {
                    if let Tok::Text(part) = self.next() {
                        text.push_str(&part);
                    }
                }
                self.ast.texts.push(text);
                self.add(Expr::Text(self.ast.texts.len() as u32 - 1))
            }
            Tok::Int(value) => {
                let value = *value;
                self.next();
                self.add(Expr::Int(value))
            }
            Tok::Float(value) => {
                let value = *value;
                self.next();
                self.add(Expr::Float(value))
            }
            Tok::Op("(") => {
                self.next();
                let value = self.bracketed()?;
                self.expect_op(")")?;
                Ok(value)
            }
            Tok::Op("[") => {
                self.next();
                let mut items = Vec::new();
                while !self.is_op("]") {
                    if !items.is_empty() {
                        self.expect_op(",")?;
                        if self.is_op("]") {
                            break;
                        }
                    }
                    items.push(self.expression()?);
                }
                self.next();
                self.add(Expr::List(items))
            }
            Tok::Op("{") => {
                self.next();
                let mut pairs = Vec::new();
                while !self.is_op("}") {
                    if !pairs.is_empty() {
                        self.expect_op(",")?;
                        if self.is_op("}") {
                            break;
                        }
                    }
                    let key = self.expression()?;
                    self.expect_op(":")?;
                    pairs.push((key, self.expression()?));
                }
                self.next();
                self.add(Expr::Dict(pairs))
            }
            _ => self.unexpected("a value"),
        }
    }

    /// Parses what is in parentheses: a value, or a tuple, which may be empty.
    fn bracketed(&mut self) -> Result<ExprId> {
        if self.is_op(")") {
            return self.add(Expr::Tuple(Vec::new()));
        }
        self.tuple(true, &[])
    }

    /// Parses values separated by commas. If `conditional` is false, `if` is not part of a value.
    pub(super) fn tuple(&mut self, conditional: bool, ends: &[&str]) -> Result<ExprId> {
        let mut items = Vec::new();
        let mut is_tuple = false;
        loop {
            let ended = match self.peek() {
                Tok::VariableEnd | Tok::BlockEnd | Tok::Op(")") => true,
                Tok::Name(name) => ends.contains(&name.as_str()),
                _ => false,
            };
            if ended {
                break;
            }
            items.push(if conditional {
                self.expression()?
            } else {
                self.nested(|parser| parser.operators(OR))?
            });
            if !self.skip_op(",") {
                break;
            }
            is_tuple = true;
        }
        match items[..] {
            [] => self.unexpected("a value"),
            [only] if !is_tuple => Ok(only),
            _ => self.add(Expr::Tuple(items)),
        }
    }
}
