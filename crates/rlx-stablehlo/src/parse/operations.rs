//! Parses operations in generic form, regions and blocks, and the results and location of every operation.

use super::cursor::{Parsed, Parser};
use super::lexer::{Token, unescape};
use super::scopes::{Operand, ResultName};
use crate::diagnostics::Diagnostic;
use crate::syntax::{Attributes, Block, Operation, Type, ValueId};
use std::sync::Arc;

/// The parts of an operation between its name and its location.
#[derive(Default)]
pub(super) struct OperationParts {
    pub(super) operands: Vec<ValueId>,
    pub(super) attributes: Attributes,
    pub(super) regions: Vec<Block>,
    /// Types of the results.
    pub(super) results: Vec<Type>,
}

impl<'a> Parser<'a> {
    /// Reads an operation, or returns `None` if it is listed as unsupported.
    fn operation(&mut self) -> Parsed<Option<Operation>> {
        let names = self.result_names()?;
        let at = self.here();
        let (written, name) = match self.token {
            Token::Text(text) => (text, unescape(text)),
            Token::Word(word) => (word, full_name(word)),
            _ => return self.expected("an operation"),
        };
        let generic = matches!(self.token, Token::Text(_));
        let name: Arc<str> = name.into();
        let named = |mut error: Box<Diagnostic>| {
            if error.operation.is_empty() {
                error.operation = name.to_string();
            }
            error
        };
        let draft = if generic {
            self.advance();
            Some(self.generic().map_err(named)?)
        } else {
            self.pretty(&name).map_err(named)?
        };
        let Some(draft) = draft else {
            let message = match written.split_once('.') {
                Some(("stablehlo" | "chlo", _)) => {
                    "no known short form; write the operation in generic form, in quotes"
                }
                _ => "not an operation that RLX reads",
            };
            let message = message.to_string();
            self.list(Diagnostic { at, operation: written.to_string(), message, unsupported: true });
            self.skip_operation()?;
            self.scope.define_unread(&names)?;
            return Ok(None);
        };
        let label = self.label().map_err(named)?;
        let results = self.scope.define_results(&names, draft.results, at).map_err(named)?;
        let OperationParts { operands, attributes, regions, .. } = draft;
        Ok(Some(Operation { name, operands, results, attributes, regions, label, at }))
    }

    /// Reads `%a, %b:2 =`.
    fn result_names(&mut self) -> Parsed<Vec<ResultName<'a>>> {
        let mut names = Vec::new();
        if !self.at_operand() {
            return Ok(names);
        }
        loop {
            let at = self.here();
            let Token::Value(name) = self.token else { return self.expected("the name of a result") };
            self.advance();
            let mut count = 1;
            if self.eat(':') {
                let from = self.start;
                count = match usize::try_from(self.integer()?) {
                    Ok(count) if count > 0 => count,
                    _ => return self.error_at(from, "expected the number of results"),
                };
            }
            names.push(ResultName { name, count, at });
            if !self.eat(',') {
                break;
            }
        }
        self.expect('=')?;
        Ok(names)
    }

    /// Reads `(operands) <{properties}> ({regions}) {attributes} : type`.
    pub(super) fn generic(&mut self) -> Parsed<OperationParts> {
        self.expect('(')?;
        let operands = self.operands()?;
        self.expect(')')?;
        if self.token == Token::Mark('[') {
            return self.unsupported("operations that end a block by jumping to another are not supported");
        }
        let mut draft = OperationParts::default();
        if self.eat('<') {
            draft.attributes = self.dictionary()?;
            self.expect('>')?;
        }
        if self.token == Token::Mark('(') {
            draft.regions = self.regions()?;
        }
        let from = self.start;
        let further = self.optional_dictionary()?;
        self.join(&mut draft.attributes, further, from)?;
        self.functional(&operands, &mut draft)?;
        Ok(draft)
    }

    /// Adds attributes, none of which may exist already.
    pub(super) fn join(&mut self, to: &mut Attributes, further: Attributes, from: usize) -> Parsed<()> {
        if to.0.is_empty() {
            *to = further;
            return Ok(());
        }
        let there: std::collections::HashSet<&str> = to.0.iter().map(|(n, _)| n.as_str()).collect();
        if let Some((name, _)) = further.0.iter().find(|(n, _)| there.contains(n.as_str())) {
            return self.error_at(from, format!("the attribute `{name}` is given twice"));
        }
        to.0.extend(further.0);
        Ok(())
    }

    /// Reads `: (types) -> types`.
    pub(super) fn functional(&mut self, operands: &[Operand], draft: &mut OperationParts) -> Parsed<()> {
        self.expect(':')?;
        let (types, results) = self.signature()?;
        draft.operands = self.resolve(operands, &types)?;
        draft.results = results;
        Ok(())
    }

    /// Reads `({…}, {…})`.
    pub(super) fn regions(&mut self) -> Parsed<Vec<Block>> {
        self.expect('(')?;
        let mut regions = Vec::new();
        self.list_until(')', |p| {
            regions.push(p.region_with_labels()?.0);
            Ok(())
        })?;
        Ok(regions)
    }

    /// Reads `{…}` whose header declares the arguments.
    pub(super) fn region_with_labels(&mut self) -> Parsed<(Block, Vec<Arc<str>>)> {
        let mark = self.scope.enter();
        self.expect('{')?;
        let (arguments, labels) = match self.token {
            Token::Label(_) => self.block_header()?,
            _ => (Vec::new(), Vec::new()),
        };
        let block = self.nested(|p| p.block(arguments))?;
        self.scope.leave(mark);
        Ok((block, labels))
    }

    /// Reads `{…}` whose arguments have already been defined.
    pub(super) fn region(&mut self, arguments: Vec<ValueId>) -> Parsed<Block> {
        let mark = self.scope.enter();
        self.expect('{')?;
        let block = self.nested(|p| p.block(arguments))?;
        self.scope.leave(mark);
        Ok(block)
    }

    /// Reads `^bb0(%a: type, …):`.
    fn block_header(&mut self) -> Parsed<(Vec<ValueId>, Vec<Arc<str>>)> {
        self.advance();
        let (mut arguments, mut labels) = (Vec::new(), Vec::new());
        if self.eat('(') {
            self.list_until(')', |p| {
                let (id, label) = p.block_argument()?;
                arguments.push(id);
                labels.push(label);
                Ok(())
            })?;
        }
        self.expect(':')?;
        Ok((arguments, labels))
    }

    /// Reads `%a: type loc(…)`.
    pub(super) fn block_argument(&mut self) -> Parsed<(ValueId, Arc<str>)> {
        let at = self.here();
        let Token::Value(name) = self.token else { return self.expected("an argument") };
        self.advance();
        self.expect(':')?;
        let ty = self.ty()?;
        let label = self.label()?;
        Ok((self.scope.define(name, ty, at)?, label))
    }

    /// Reads operations up to `}`, which is consumed.
    fn block(&mut self, arguments: Vec<ValueId>) -> Parsed<Block> {
        let mut operations = Vec::new();
        while !self.eat('}') {
            if let Token::Label(name) = self.token {
                return self.unsupported(format!("regions of several blocks are not supported: `^{name}`"));
            }
            operations.extend(self.operation()?);
        }
        Ok(Block { arguments, operations })
    }

    /// Skips an operation of an unknown form. It ends before a line that starts like an operation, outside the brackets that it opened.
    pub(super) fn skip_operation(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            match self.token {
                Token::Mark('(' | '[' | '{') => {
                    self.skip_balanced_of_code()?;
                    continue;
                }
                Token::Mark('}') | Token::End => return if self.failed() { self.error("") } else { Ok(()) },
                _ => {}
            }
            let between = &self.lexer.text()[self.end..self.start];
            if between.contains('\n') && self.starts_operation() {
                return Ok(());
            }
            self.advance();
        }
    }

    fn starts_operation(&self) -> bool {
        match self.token {
            Token::Value(_) | Token::Text(_) | Token::Label(_) => true,
            Token::Word(word) => word.contains('.') || matches!(word, "return" | "call" | "func" | "module"),
            _ => false,
        }
    }

    /// Skips a bracket that may contain code, in which `<` and `>` need not be balanced.
    fn skip_balanced_of_code(&mut self) -> Parsed<()> {
        let from = self.start;
        let mut open = 0usize;
        loop {
            match self.advance() {
                Token::Mark('(' | '[' | '{') => open += 1,
                Token::Mark(')' | ']' | '}') => open = open.saturating_sub(1),
                Token::End if self.failed() => return self.error(""),
                Token::End => return self.error_at(from, "a bracket is not closed"),
                _ => {}
            }
            if open == 0 {
                return Ok(());
            }
        }
    }
}

/// Returns the name with its dialect.
fn full_name(word: &str) -> String {
    match word {
        "return" | "call" => format!("func.{word}"),
        other => other.to_string(),
    }
}
