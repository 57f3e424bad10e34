//! Short forms of control flow: operations with regions, calls, and returns.

use super::{OperationParts, int32};
use crate::diagnostics::Position;
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::lexer::Token;
use crate::parse::scopes::Operand;
use crate::syntax::{Attribute, Attributes, Block, Operation, Type, ValueId};
use std::sync::Arc;

/// The operations of two operands and one result that `reduce … applies` may name.
const REDUCERS: [&str; 7] = ["add", "and", "maximum", "minimum", "multiply", "or", "xor"];

impl<'a> Parser<'a> {
    /// `return %a, %b : type, type`, `return`.
    pub(super) fn return_(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands()?;
        let attributes = self.rest_attributes(Vec::new())?;
        let types = if self.eat(':') { self.types()? } else { Vec::new() };
        let operands = self.resolve(&operands, &types)?;
        Ok(OperationParts { operands, attributes, ..OperationParts::default() })
    }

    /// `call @f(%a) {…} : (types) -> types`.
    pub(super) fn call(&mut self) -> Parsed<OperationParts> {
        let callee = self.symbol()?;
        let operands = self.operands_in_parentheses()?;
        self.rest_functional(&operands, vec![("callee", Attribute::Symbol(callee))])
    }

    /// `custom_call @target(%a) {…} : (types) -> types`.
    pub(super) fn custom_call(&mut self) -> Parsed<OperationParts> {
        let target = self.symbol()?;
        let operands = self.operands_in_parentheses()?;
        self.rest_functional(&operands, vec![("call_target_name", Attribute::String(target))])
    }

    fn operands_in_parentheses(&mut self) -> Parsed<Vec<Operand>> {
        self.expect('(')?;
        let operands = self.operands()?;
        self.expect(')')?;
        Ok(operands)
    }

    /// `composite "name" %a, %b {…} : (types) -> types`.
    pub(super) fn composite(&mut self) -> Parsed<OperationParts> {
        let own = vec![("name", Attribute::String(self.string()?))];
        let operands = self.operands()?;
        let regions = if self.token == Token::Mark('(') { self.regions()? } else { Vec::new() };
        let mut draft = self.rest_functional(&operands, own)?;
        draft.regions = regions;
        Ok(draft)
    }

    /// `tuple %a, %b : tuple<types>`.
    pub(super) fn tuple(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands()?;
        let attributes = self.rest_attributes(Vec::new())?;
        self.expect(':')?;
        let from = self.start;
        let ty = self.ty()?;
        let Type::Tuple(types) = &ty else { return self.error_at(from, "expected the type of a tuple") };
        let operands = self.resolve(&operands, types)?;
        Ok(OperationParts { operands, attributes, regions: Vec::new(), results: vec![ty] })
    }

    /// `get_tuple_element %t[0] : (type) -> type`.
    pub(super) fn get_tuple_element(&mut self) -> Parsed<OperationParts> {
        let operand = self.operand()?;
        self.expect('[')?;
        let index = self.integer()?;
        self.expect(']')?;
        self.rest_functional(&[operand], vec![("index", int32(index))])
    }

    /// `optimization_barrier %a, %b : type, type`, `optimization_barrier ()`.
    pub(super) fn optimization_barrier(&mut self) -> Parsed<OperationParts> {
        let attributes = self.rest_attributes(Vec::new())?;
        if self.eat('(') {
            self.expect(')')?;
            return Ok(OperationParts { attributes, ..OperationParts::default() });
        }
        let operands = self.operands()?;
        if operands.is_empty() {
            return Ok(OperationParts { attributes, ..OperationParts::default() });
        }
        self.expect(':')?;
        let results = self.types()?;
        let operands = self.resolve(&operands, &results)?;
        Ok(OperationParts { operands, attributes, regions: Vec::new(), results })
    }

    /// `while(%i = %a, …) : types attributes {…} cond {…} do {…}`. Both regions have the arguments.
    pub(super) fn while_(&mut self) -> Parsed<OperationParts> {
        let (mut names, mut initial) = (Vec::new(), Vec::new());
        self.expect('(')?;
        self.list_until(')', |p| {
            let at = p.here();
            let Token::Value(name) = p.token else { return p.expected("an argument") };
            p.advance();
            p.expect('=')?;
            names.push((name, at));
            initial.push(p.operand()?);
            Ok(())
        })?;
        let types = if self.eat(':') { self.types()? } else { Vec::new() };
        let operands = self.resolve(&initial, &types)?;
        let attributes = if self.eat_word("attributes") { self.dictionary()? } else { Attributes::default() };
        let mut regions = Vec::with_capacity(2);
        for word in ["cond", "do"] {
            self.expect_word(word)?;
            let mark = self.scope.enter();
            let mut arguments = Vec::with_capacity(names.len());
            for ((name, at), ty) in names.iter().zip(&types) {
                arguments.push(self.scope.define(name, ty.clone(), *at)?);
            }
            regions.push(self.region(arguments)?);
            self.scope.leave(mark);
        }
        Ok(OperationParts { operands, attributes, regions, results: types })
    }

    /// `reduce(%a init: %x), (%b init: %y) across dimensions = [0] : (types) -> types reducer(%c: type, %d: type) … {…}`,
    /// `reduce(%a init: %x) applies stablehlo.add across dimensions = [0] : (types) -> type`.
    pub(super) fn reduce(&mut self) -> Parsed<OperationParts> {
        let at = self.here();
        let (mut operands, mut initial) = (Vec::new(), Vec::new());
        loop {
            self.expect('(')?;
            operands.push(self.operand()?);
            self.expect_word("init")?;
            self.expect(':')?;
            initial.push(self.operand()?);
            self.expect(')')?;
            if !self.eat(',') {
                break;
            }
        }
        operands.append(&mut initial);
        let applied = if self.eat_word("applies") { Some(self.reducer_name()?) } else { None };
        self.expect_word("across")?;
        let own = vec![("dimensions", self.keyed_integers("dimensions")?)];
        let mut draft = self.rest_functional(&operands, own)?;
        let region = match applied {
            None => {
                self.expect_word("reducer")?;
                self.reducer()?
            }
            Some(name) => {
                let Some(Type::Tensor { element, .. }) =
                    draft.operands.first().map(|v| &self.scope.values[v.0 as usize].ty)
                else {
                    return self.error("the reduced value is not a tensor");
                };
                let scalar = Type::Tensor { dims: Vec::new(), element: element.clone() };
                self.applied(name, scalar, at)
            }
        };
        draft.regions.push(region);
        Ok(draft)
    }

    fn reducer_name(&mut self) -> Parsed<&'static str> {
        let from = self.start;
        let word = match self.token {
            Token::Word(word) | Token::Text(word) => word,
            _ => return self.expected("the name of an operation"),
        };
        self.advance();
        let short = word.strip_prefix("stablehlo.");
        match short.and_then(|short| REDUCERS.iter().find(|r| **r == short)) {
            Some(name) => Ok(name),
            None => self.error_at(from, format!("`{word}` is not a commutative operation of two operands")),
        }
    }

    /// Reads `(%a: type, %x: type) (%b: type, %y: type) {…}`. The arguments of the block are the elements, followed by the accumulators.
    fn reducer(&mut self) -> Parsed<Block> {
        let (mut elements, mut sums) = (Vec::new(), Vec::new());
        while self.eat('(') {
            elements.push(self.reducer_argument()?);
            self.expect(',')?;
            sums.push(self.reducer_argument()?);
            self.expect(')')?;
        }
        let mark = self.scope.enter();
        let mut arguments = Vec::with_capacity(elements.len() + sums.len());
        for (name, ty, at) in elements.into_iter().chain(sums) {
            arguments.push(self.scope.define(name, ty, at)?);
        }
        let block = self.region(arguments)?;
        self.scope.leave(mark);
        Ok(block)
    }

    fn reducer_argument(&mut self) -> Parsed<(&'a str, Type, Position)> {
        let at = self.here();
        let Token::Value(name) = self.token else { return self.expected("an argument") };
        self.advance();
        self.expect(':')?;
        let ty = self.ty()?;
        self.label()?;
        Ok((name, ty, at))
    }

    /// Returns the region of a reduction that applies one operation to scalars.
    fn applied(&mut self, name: &str, scalar: Type, at: Position) -> Block {
        let mut value = || self.scope.value(String::new(), scalar.clone(), at);
        let (left, right, result) = (value(), value(), value());
        let operation = |name: Arc<str>, operands: Vec<ValueId>, results: Vec<ValueId>| Operation {
            name,
            operands,
            results,
            attributes: Attributes::default(),
            regions: Vec::new(),
            label: Arc::default(),
            at,
        };
        let operations = vec![
            operation(format!("stablehlo.{name}").into(), vec![left, right], vec![result]),
            operation("stablehlo.return".into(), vec![result], Vec::new()),
        ];
        Block { arguments: vec![left, right], operations }
    }

    /// `scan(%a) inits (%b) dimension=0 attributes {…} {^bb0(…): …} : (types) -> types`.
    pub(super) fn scan(&mut self) -> Parsed<OperationParts> {
        let mut operands = self.operands_in_parentheses()?;
        self.expect_word("inits")?;
        let mut initial = self.operands_in_parentheses()?;
        let (inputs, carries) = (operands.len() as i64, initial.len() as i64);
        operands.append(&mut initial);
        let mut attributes = Attributes(vec![("dimension".into(), self.keyed_integer("dimension")?)]);
        if self.eat_word("attributes") {
            let from = self.start;
            let further = self.dictionary()?;
            self.join(&mut attributes, further, from)?;
        }
        let regions = vec![self.region_with_labels()?.0];
        let mut draft = OperationParts { attributes, regions, ..OperationParts::default() };
        self.functional(&operands, &mut draft)?;
        let outputs = draft.results.len() as i64 - carries;
        let sizes = |sizes: [i64; 2]| Attribute::Integers(sizes.to_vec());
        draft.attributes.0.push(("operandSegmentSizes".into(), sizes([inputs, carries])));
        draft.attributes.0.push(("resultSegmentSizes".into(), sizes([outputs, carries])));
        Ok(draft)
    }
}
