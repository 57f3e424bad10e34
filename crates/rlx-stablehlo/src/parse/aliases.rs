//! Parses aliases (`#name = attribute`, `!name = type`, `#name = loc(…)`). Their expansion is bounded by the length of
//! the text, because aliases of aliases could otherwise grow without bound.

use super::cursor::{Parsed, Parser};
use super::lexer::Token;
use crate::syntax::{Attribute, Attributes, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of bytes that all uses of aliases may expand to, per byte of the text.
const EXPANSION: usize = 16;

/// The aliases of a text.
pub(super) struct Aliases<'a> {
    attributes: HashMap<&'a str, (Attribute, usize)>,
    types: HashMap<&'a str, (Type, usize)>,
    /// The name of each location, or the alias that it refers to.
    pub(super) locations: HashMap<&'a str, LocationName<'a>>,
    spent: usize,
    limit: usize,
}

/// What is known about a location.
#[derive(Clone, Debug)]
pub(super) enum LocationName<'a> {
    /// It has no name.
    Unnamed,
    /// It has this name.
    Named(Arc<str>),
    /// It is the location of this alias.
    Alias(&'a str),
}

impl<'a> Aliases<'a> {
    pub(super) fn new(text: usize) -> Self {
        Aliases {
            attributes: HashMap::new(),
            types: HashMap::new(),
            locations: HashMap::new(),
            spent: 0,
            limit: (1 << 16) + text.saturating_mul(EXPANSION),
        }
    }

    fn spend(&mut self, weight: usize) -> Result<(), String> {
        self.spent = self.spent.saturating_add(weight);
        if self.spent > self.limit {
            return Err(format!("aliases expand to more than {} bytes", self.limit));
        }
        Ok(())
    }

    /// Returns the attribute of `#name`.
    pub(super) fn attribute(&mut self, name: &str) -> Result<Attribute, String> {
        let Some((attribute, weight)) = self.attributes.get(name) else {
            return Err(format!("`#{name}` is not defined"));
        };
        let (attribute, weight) = (attribute.clone(), *weight);
        self.spend(weight)?;
        Ok(attribute)
    }

    /// Returns the type of `!name`.
    pub(super) fn ty(&mut self, name: &str) -> Result<Type, String> {
        let Some((ty, weight)) = self.types.get(name) else {
            return Err(format!("`!{name}` is not defined"));
        };
        let (ty, weight) = (ty.clone(), *weight);
        self.spend(weight)?;
        Ok(ty)
    }
}

impl<'a> Parser<'a> {
    /// Reads `#name = …`.
    pub(super) fn attribute_alias(&mut self, name: &'a str) -> Parsed<()> {
        let from = self.start;
        self.advance();
        self.expect('=')?;
        if self.token == Token::Word("loc") {
            let place = self.location()?;
            self.aliases.locations.insert(name, place);
            return Ok(());
        }
        let attribute = self.attribute()?;
        let weight = weight_of(&attribute);
        if self.aliases.attributes.insert(name, (attribute, weight)).is_some() {
            return self.error_at(from, format!("`#{name}` is already defined"));
        }
        Ok(())
    }

    /// Reads `!name = type`.
    pub(super) fn type_alias(&mut self, name: &'a str) -> Parsed<()> {
        let from = self.start;
        self.advance();
        self.expect('=')?;
        let ty = self.ty()?;
        let weight = weight_of_type(&ty);
        if self.aliases.types.insert(name, (ty, weight)).is_some() {
            return self.error_at(from, format!("`!{name}` is already defined"));
        }
        Ok(())
    }
}

/// Returns the approximate number of bytes of an attribute.
fn weight_of(attribute: &Attribute) -> usize {
    let inner = match attribute {
        Attribute::Int(_, ty) | Attribute::Float(_, ty) | Attribute::Type(ty) => weight_of_type(ty),
        Attribute::String(s) | Attribute::Symbol(s) | Attribute::Other(s) => s.len(),
        Attribute::Array(items) => items.iter().map(weight_of).sum(),
        Attribute::Integers(items) => 8 * items.len(),
        Attribute::Floats(items) => 8 * items.len(),
        Attribute::Dictionary(fields) => weight_of_fields(fields),
        Attribute::Struct(name, fields) => name.len() + weight_of_fields(fields),
        Attribute::Dense(dense) => dense.bytes.len() + 8 * dense.dims.len(),
        Attribute::Enum(kind, value) => kind.len() + value.len(),
        Attribute::Unit | Attribute::Bool(_) => 0,
    };
    size_of::<Attribute>() + inner
}

fn weight_of_fields(fields: &Attributes) -> usize {
    fields.0.iter().map(|(name, value)| size_of::<String>() + name.len() + weight_of(value)).sum()
}

fn weight_of_type(ty: &Type) -> usize {
    let inner = match ty {
        Type::Tensor { dims, .. } => size_of::<Option<usize>>() * dims.len(),
        Type::Tuple(items) => items.iter().map(weight_of_type).sum(),
        Type::Function(operands, results) => operands.iter().chain(results).map(weight_of_type).sum(),
        Type::Other(text) => text.len(),
        Type::Element(_) | Type::Token => 0,
    };
    size_of::<Type>() + inner
}
