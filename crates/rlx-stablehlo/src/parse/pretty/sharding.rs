//! Short forms of the Shardy dialect, which JAX writes.

use super::{OperationParts, Reading};
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::lexer::Token;
use crate::syntax::Attribute;

pub(super) fn reading<'a>(name: &str) -> Option<Reading<'a>> {
    Some(match name {
        "return" => Parser::return_,
        "sharding_constraint" | "reshard" => Parser::sharding_constraint,
        "manual_computation" => Parser::manual_computation,
        _ => return None,
    })
}

impl Parser<'_> {
    /// `sharding_constraint %a <@mesh, [{"x"}, {}]> : type`.
    fn sharding_constraint(&mut self) -> Parsed<OperationParts> {
        let operand = self.operand()?;
        let sharding = match self.token {
            Token::Mark('<') => self.bracketed("#sdy.sharding", "")?,
            _ => self.attribute()?,
        };
        self.rest_same(&[operand], vec![("sharding", sharding)])
    }

    /// `manual_computation(%a) in_shardings=[…] out_shardings=[…] manual_axes={"x"} (%b: type) {…} : (types) -> types`.
    fn manual_computation(&mut self) -> Parsed<OperationParts> {
        self.expect('(')?;
        let operands = self.operands()?;
        self.expect(')')?;
        let mut own = Vec::new();
        for name in ["in_shardings", "out_shardings"] {
            self.key(name)?;
            own.push((name, self.bracketed("#sdy.sharding_per_value<", ">")?));
        }
        self.key("manual_axes")?;
        own.push(("manual_axes", self.bracketed("#sdy<manual_axes", ">")?));
        let mark = self.scope.enter();
        let mut arguments = Vec::new();
        self.expect('(')?;
        self.list_until(')', |p| {
            arguments.push(p.block_argument()?.0);
            Ok(())
        })?;
        let region = self.region(arguments)?;
        self.scope.leave(mark);
        let mut draft = self.rest_functional(&operands, own)?;
        draft.regions.push(region);
        Ok(draft)
    }

    /// Skips a bracket and returns the attribute as the generic form writes it.
    fn bracketed(&mut self, before: &str, after: &str) -> Parsed<Attribute> {
        let from = self.start;
        if !matches!(self.token, Token::Mark('<' | '[' | '{')) {
            return self.expected("a bracket");
        }
        self.skip_balanced()?;
        Ok(Attribute::Other(format!("{before}{}{after}", self.written(from))))
    }
}
