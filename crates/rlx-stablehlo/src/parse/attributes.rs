//! Parses attributes: literals, lists, dictionaries, and attributes of dialects.

use super::cursor::{Parsed, Parser};
use super::dense;
use super::lexer::{Token, unescape};
use crate::syntax::{Attribute, Attributes, ElementType, Type};
use rlx_ir::DType;
use rlx_ir::Scalar;
use std::collections::HashSet;

/// The type of an integer that is written without a type.
pub(super) const I64: Type = Type::Element(ElementType::Known(DType::I64));

impl<'a> Parser<'a> {
    /// Reads an attribute.
    pub(super) fn attribute(&mut self) -> Parsed<Attribute> {
        self.nested(|p| match p.token {
            Token::Word(word) => p.attribute_of_word(word),
            Token::Number(_) | Token::Mark('-') => p.number_attribute(),
            Token::Text(text) => {
                p.advance();
                if p.eat(':') {
                    p.ty()?;
                }
                Ok(Attribute::String(unescape(text)))
            }
            Token::Mark('[') => {
                p.advance();
                let mut items = Vec::new();
                p.list_until(']', |p| {
                    items.push(p.attribute()?);
                    Ok(())
                })?;
                Ok(Attribute::Array(items))
            }
            Token::Mark('{') => Ok(Attribute::Dictionary(p.dictionary()?)),
            Token::Symbol(_) | Token::Mark('@') => p.symbol_attribute(),
            Token::Hash(name) => p.dialect_attribute(name),
            _ => Ok(Attribute::Type(p.ty()?)),
        })
    }

    fn attribute_of_word(&mut self, word: &str) -> Parsed<Attribute> {
        let from = self.start;
        match word {
            "true" | "false" => {
                self.advance();
                Ok(Attribute::Bool(word == "true"))
            }
            "unit" => {
                self.advance();
                Ok(Attribute::Unit)
            }
            "dense" => Ok(self.dense()?.0),
            "dense_resource" => self.unsupported(
                "the elements of a `dense_resource` are outside the text; print the module with its constants",
            ),
            "array" => self.array(),
            "loc" => {
                self.location()?;
                Ok(Attribute::Other(self.written(from)))
            }
            "affine_map" | "affine_set" | "sparse" | "strided" | "opaque" | "distinct" => {
                self.advance();
                if self.token == Token::Mark('[') {
                    self.skip_balanced()?;
                }
                if self.token != Token::Mark('<') {
                    return self.expected("`<`");
                }
                self.skip_balanced()?;
                if self.eat(':') {
                    self.ty()?;
                }
                Ok(Attribute::Other(self.written(from)))
            }
            _ => Ok(Attribute::Type(self.ty()?)),
        }
    }

    /// Reads an optional sign and a number.
    pub(super) fn number(&mut self) -> Parsed<(bool, &'a str)> {
        let negative = self.eat('-');
        let Token::Number(number) = self.token else { return self.expected("a number") };
        self.advance();
        Ok((negative, number))
    }

    fn number_attribute(&mut self) -> Parsed<Attribute> {
        let from = self.start;
        let (negative, number) = self.number()?;
        let decimal = number.contains('.');
        let ty = match self.eat(':') {
            true => self.ty()?,
            false if decimal => Type::Element(ElementType::Known(DType::F64)),
            false => I64,
        };
        let made = match &ty {
            Type::Element(ElementType::Known(dtype)) if dtype.is_float() => {
                let dtype = *dtype;
                dense::float(number, negative, dtype).map(|value| {
                    let value = value.unwrap_or_else(|bits| of_bits(bits, dtype));
                    Attribute::Float(Scalar::Float(value).convert(dtype).to_f64(), ty)
                })
            }
            Type::Element(ElementType::Known(DType::Bool)) => {
                dense::integer_of(number, negative, DType::Bool).map(|value| Attribute::Bool(value != 0))
            }
            Type::Element(ElementType::Known(dtype)) if dtype.is_int() => {
                dense::integer_of(number, negative, *dtype).map(|value| Attribute::Int(value, ty))
            }
            _ if decimal => dense::float(number, negative, DType::F64)
                .map(|value| Attribute::Float(value.unwrap_or_default(), ty)),
            _ => dense::integer(number, negative).map(|value| Attribute::Int(value, ty)),
        };
        match made {
            Ok(attribute) => Ok(attribute),
            Err(message) => self.error_at(from, message),
        }
    }

    /// Reads `array<type: elements>`.
    fn array(&mut self) -> Parsed<Attribute> {
        self.advance();
        self.expect('<')?;
        let element = self.element()?;
        let float = match element {
            ElementType::Known(dtype) if dtype.is_float() => Some(dtype),
            _ => None,
        };
        let (mut integers, mut floats) = (Vec::new(), Vec::new());
        if !self.eat('>') {
            self.expect(':')?;
            self.list_until('>', |p| {
                match float {
                    Some(dtype) => floats.push(p.float(dtype)?),
                    None => integers.push(p.integer()?),
                }
                Ok(())
            })?;
        }
        Ok(if float.is_some() { Attribute::Floats(floats) } else { Attribute::Integers(integers) })
    }

    /// Reads an integer, or `true` and `false` as 1 and 0.
    pub(super) fn integer(&mut self) -> Parsed<i64> {
        if let Token::Word(word @ ("true" | "false")) = self.token {
            self.advance();
            return Ok(i64::from(word == "true"));
        }
        let from = self.start;
        let negative = self.eat('-');
        let Token::Number(number) = self.token else { return self.expected("an integer") };
        self.advance();
        let read = dense::integer(number, negative)
            .and_then(|value| i64::try_from(value).map_err(|_| format!("the integer {value} is too large")));
        match read {
            Ok(value) => Ok(value),
            Err(message) => self.error_at(from, message),
        }
    }

    fn float(&mut self, dtype: DType) -> Parsed<f64> {
        let from = self.start;
        let (negative, number) = self.number()?;
        match dense::float(number, negative, dtype) {
            Ok(value) => Ok(value.unwrap_or_else(|bits| of_bits(bits, dtype))),
            Err(message) => self.error_at(from, message),
        }
    }

    /// Reads `[1, 2]` or `array<i64: 1, 2>`.
    pub(super) fn integers(&mut self) -> Parsed<Vec<i64>> {
        if self.token == Token::Word("array") {
            let from = self.start;
            return match self.array()? {
                Attribute::Integers(values) => Ok(values),
                _ => self.error_at(from, "expected integers"),
            };
        }
        self.expect('[')?;
        let mut values = Vec::new();
        self.list_until(']', |p| {
            values.push(p.integer()?);
            Ok(())
        })?;
        Ok(values)
    }

    fn symbol_attribute(&mut self) -> Parsed<Attribute> {
        let mut name = self.symbol()?;
        while self.token == Token::Mark(':') && self.lexer.rest().starts_with(':') {
            self.advance();
            self.advance();
            name.push_str("::@");
            name.push_str(&self.symbol()?);
        }
        Ok(Attribute::Symbol(name))
    }

    /// Reads `{name = attribute, …}`.
    pub(super) fn dictionary(&mut self) -> Parsed<Attributes> {
        self.expect('{')?;
        let mut attributes = Attributes::default();
        let mut names = HashSet::new();
        self.list_until('}', |p| {
            let from = p.start;
            let name = match p.token {
                Token::Word(word) => word.to_string(),
                Token::Text(text) => unescape(text),
                _ => return p.expected("the name of an attribute"),
            };
            p.advance();
            let value = if p.eat('=') { p.attribute()? } else { Attribute::Unit };
            if !names.insert(name.clone()) {
                return p.error_at(from, format!("the attribute `{name}` is given twice"));
            }
            attributes.0.push((name, value));
            Ok(())
        })?;
        Ok(attributes)
    }

    /// Reads `{…}` if it comes next.
    pub(super) fn optional_dictionary(&mut self) -> Parsed<Attributes> {
        if self.token == Token::Mark('{') { self.dictionary() } else { Ok(Attributes::default()) }
    }
}

fn of_bits(bits: u64, dtype: DType) -> f64 {
    Scalar::read(dtype, &bits.to_le_bytes()).to_f64()
}
