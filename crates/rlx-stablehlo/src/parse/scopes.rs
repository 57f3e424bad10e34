//! The values of one function and their names: what is visible where, and which names are defined twice.

use super::cursor::{Parsed, Parser, error_in};
use super::lexer::Token;
use crate::diagnostics::Position;
use crate::syntax::{Type, Value, ValueId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The values of the function that is being read, and the names that are visible.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub(super) values: Vec<Value>,
    names: HashMap<&'a str, Named>,
    /// Names in the order of their definition, so that the end of a region can forget those defined in it.
    order: Vec<&'a str>,
}

/// The meaning of a name.
#[derive(Clone, Copy)]
struct Named {
    first: ValueId,
    /// The number of results, or 0 for a name whose operation is listed as unsupported.
    count: usize,
    at: Position,
}

/// A name that an operation gives to its results: `%5`, `%5:2`.
#[derive(Clone, Copy)]
pub(super) struct ResultName<'a> {
    pub(super) name: &'a str,
    pub(super) count: usize,
    pub(super) at: Position,
}

/// A use of a value.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    /// The value, or `None` if its operation is not supported.
    pub(super) id: Option<ValueId>,
    pub(super) offset: usize,
}

impl<'a> Scope<'a> {
    /// Returns a mark to return to with [`Scope::leave`].
    pub(super) fn enter(&self) -> usize {
        self.order.len()
    }

    /// Forgets every name that was defined since `mark`.
    pub(super) fn leave(&mut self, mark: usize) {
        for name in self.order.drain(mark..) {
            self.names.remove(name);
        }
    }

    /// Adds a value without making its name visible.
    pub(super) fn value(&mut self, name: String, ty: Type, at: Position) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(Value { name, ty, at });
        id
    }

    fn name(&mut self, name: &'a str, first: ValueId, count: usize, at: Position) -> Parsed<()> {
        match self.names.entry(name) {
            Entry::Occupied(there) => {
                let first = there.get().at;
                error_in(at, format!("`%{name}` is already defined at {first}"))
            }
            Entry::Vacant(free) => {
                free.insert(Named { first, count, at });
                self.order.push(name);
                Ok(())
            }
        }
    }

    /// Adds a value with a name.
    pub(super) fn define(&mut self, name: &'a str, ty: Type, at: Position) -> Parsed<ValueId> {
        let id = self.value(name.to_string(), ty, at);
        self.name(name, id, 1, at)?;
        Ok(id)
    }

    /// Adds the results of an operation. There must be as many types as names, or no names at all.
    pub(super) fn define_results(
        &mut self,
        names: &[ResultName<'a>],
        types: Vec<Type>,
        at: Position,
    ) -> Parsed<Vec<ValueId>> {
        let named = names.iter().fold(0usize, |sum, n| sum.saturating_add(n.count));
        if !names.is_empty() && named != types.len() {
            let message = format!("the operation has {} results, but names {named}", types.len());
            return error_in(at, message);
        }
        let mut types = types.into_iter();
        let mut ids = Vec::with_capacity(types.len());
        for group in names {
            let first = ValueId(self.values.len() as u32);
            for (i, ty) in types.by_ref().take(group.count).enumerate() {
                let name =
                    if group.count == 1 { group.name.to_string() } else { format!("{}#{i}", group.name) };
                ids.push(self.value(name, ty, group.at));
            }
            self.name(group.name, first, group.count, group.at)?;
        }
        for ty in types {
            ids.push(self.value(String::new(), ty, at));
        }
        Ok(ids)
    }

    /// Makes the names of an unsupported operation usable, as values of any type.
    pub(super) fn define_unread(&mut self, names: &[ResultName<'a>]) -> Parsed<()> {
        names.iter().try_for_each(|n| self.name(n.name, ValueId(0), 0, n.at))
    }
}

impl<'a> Parser<'a> {
    /// Returns whether a use of a value comes next.
    pub(super) fn at_operand(&self) -> bool {
        matches!(self.token, Token::Value(_))
    }

    /// Reads a use of a value: `%5`, `%5#1`.
    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        let offset = self.start;
        let Token::Value(name) = self.token else { return self.expected("a value") };
        self.advance();
        let index = match self.token {
            Token::Hash(digits) if self.start == self.end && digits.bytes().all(|b| b.is_ascii_digit()) => {
                self.advance();
                Some(digits)
            }
            _ => None,
        };
        let Some(&named) = self.scope.names.get(name) else {
            return self.error_at(offset, format!("`%{name}` is not defined here"));
        };
        if named.count == 0 {
            return Ok(Operand { id: None, offset });
        }
        let index = match index {
            None => 0,
            Some(digits) => match digits.parse::<usize>() {
                Ok(i) if i < named.count => i,
                _ => {
                    let count = named.count;
                    return self.error_at(
                        offset,
                        format!("`%{name}` has {count} results, so there is no #{digits}"),
                    );
                }
            },
        };
        Ok(Operand { id: Some(ValueId(named.first.0 + index as u32)), offset })
    }

    /// Reads uses of values, separated by commas. There may be none.
    pub(super) fn operands(&mut self) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::new();
        if self.at_operand() {
            operands.push(self.operand()?);
            while self.eat(',') {
                operands.push(self.operand()?);
            }
        }
        Ok(operands)
    }

    /// Returns the values of operands whose types are written as `types`.
    pub(super) fn resolve(&mut self, operands: &[Operand], types: &[Type]) -> Parsed<Vec<ValueId>> {
        if operands.len() != types.len() {
            let (given, written) = (operands.len(), types.len());
            return self.error_at(self.start, format!("{given} operands, but types for {written}"));
        }
        let mut ids = Vec::with_capacity(operands.len());
        for (operand, ty) in operands.iter().zip(types) {
            let Some(id) = operand.id else {
                // The text is refused anyway, so no operation with this operand is returned.
                ids.push(ValueId(0));
                continue;
            };
            let value = &self.scope.values[id.0 as usize];
            if value.ty != *ty {
                let message = format!("`%{}` is {}, used as {ty}", value.name, value.ty);
                return self.error_at(operand.offset, message);
            }
            ids.push(id);
        }
        Ok(ids)
    }
}
