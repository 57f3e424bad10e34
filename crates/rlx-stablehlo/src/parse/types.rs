//! Parses types: tensors, bare elements, tuples, functions. Others are kept as text.

use super::cursor::{Parsed, Parser};
use super::lexer::Token;
use crate::syntax::{ElementType, NarrowType, Type};
use rlx_ir::DType;

impl Parser<'_> {
    /// Reads a type.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(|p| match p.token {
            Token::Word("tensor") => p.tensor(),
            Token::Word("tuple") => {
                p.advance();
                p.expect('<')?;
                let mut items = Vec::new();
                p.list_until('>', |p| {
                    items.push(p.ty()?);
                    Ok(())
                })?;
                Ok(Type::Tuple(items))
            }
            Token::Word("vector" | "memref") => p.as_written(),
            Token::Word("none") => {
                p.advance();
                Ok(Type::Other("none".into()))
            }
            Token::Word(_) => p.element().map(Type::Element),
            Token::Bang(name) if !name.contains('.') => {
                let from = p.start;
                match p.aliases.ty(name) {
                    Ok(ty) => {
                        p.advance();
                        Ok(ty)
                    }
                    Err(message) => p.error_at(from, message),
                }
            }
            Token::Bang("stablehlo.token" | "mhlo.token") => {
                p.advance();
                Ok(Type::Token)
            }
            Token::Bang(_) => p.as_written(),
            Token::Mark('(') => {
                let (operands, results) = p.signature()?;
                Ok(Type::Function(operands, results))
            }
            _ => p.expected("a type"),
        })
    }

    /// Reads `(types) -> types`.
    pub(super) fn signature(&mut self) -> Parsed<(Vec<Type>, Vec<Type>)> {
        let operands = self.types_in_parentheses()?;
        self.arrow()?;
        Ok((operands, self.result_types()?))
    }

    /// Reads one type, or any number of types in parentheses.
    pub(super) fn result_types(&mut self) -> Parsed<Vec<Type>> {
        if self.token == Token::Mark('(') { self.types_in_parentheses() } else { Ok(vec![self.ty()?]) }
    }

    fn types_in_parentheses(&mut self) -> Parsed<Vec<Type>> {
        self.expect('(')?;
        let mut types = Vec::new();
        self.list_until(')', |p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        Ok(types)
    }

    /// Reads types between commas, at least one.
    pub(super) fn types(&mut self) -> Parsed<Vec<Type>> {
        let mut types = vec![self.ty()?];
        while self.eat(',') {
            types.push(self.ty()?);
        }
        Ok(types)
    }

    /// Reads a word or name with the text in angle brackets after it.
    fn as_written(&mut self) -> Parsed<Type> {
        let from = self.start;
        self.advance();
        if self.token == Token::Mark('<') && self.start == self.end {
            self.skip_balanced()?;
        }
        Ok(Type::Other(self.written(from)))
    }

    fn tensor(&mut self) -> Parsed<Type> {
        let from = self.start;
        self.advance();
        if self.token != Token::Mark('<') {
            return self.expected("`<`");
        }
        let Some(dims) = self.dims()? else {
            self.return_to_angle(from)?;
            return Ok(Type::Other(self.written(from)));
        };
        let element = self.element()?;
        if self.eat(',') && self.token != Token::Mark('>') {
            // An encoding: RLX only has dense tensors.
            self.return_to_angle(from)?;
            return Ok(Type::Other(self.written(from)));
        }
        self.expect('>')?;
        if dims.iter().flatten().try_fold(1usize, |n, &d| n.checked_mul(d)).is_none() {
            return self.error_at(from, "the tensor has too many elements");
        }
        Ok(Type::Tensor { dims, element })
    }

    /// Skips `tensor<…>`, starting at its first byte.
    fn return_to_angle(&mut self, from: usize) -> Parsed<()> {
        self.jump(from);
        self.advance();
        self.skip_balanced()
    }

    /// Reads the sizes after `<`, `2x?x3x`, or returns `None` if the rank is not known: `*x`. Sizes and the `x` between
    /// them are not read as tokens, because `2x3xf32` would be a number and a word.
    fn dims(&mut self) -> Parsed<Option<Vec<Option<usize>>>> {
        let mut dims = Vec::new();
        let text = self.lexer.text();
        loop {
            self.lexer.skip_blank();
            let at = self.lexer.offset();
            let rest = self.lexer.rest();
            if rest.starts_with('*') {
                self.advance();
                return Ok(None);
            }
            let length = match rest.as_bytes().first() {
                Some(b'?') => 1,
                _ => rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len()),
            };
            if length == 0 {
                break;
            }
            let size = &text[at..at + length];
            dims.push(match (size, size.parse::<usize>()) {
                ("?", _) => None,
                (_, Ok(n)) => Some(n),
                _ => return self.error_at(at, format!("the size {size} is too large")),
            });
            self.lexer.go_to(at + length);
            self.lexer.skip_blank();
            if !self.lexer.rest().starts_with('x') {
                self.advance();
                return self.expected("`x` after a size");
            }
            self.lexer.go_to(self.lexer.offset() + 1);
        }
        self.advance();
        Ok(Some(dims))
    }

    /// Reads the element type of a tensor.
    pub(super) fn element(&mut self) -> Parsed<ElementType> {
        let from = self.start;
        match self.token {
            Token::Word("complex") => {
                self.advance();
                self.expect('<')?;
                let part = self.nested(Self::element)?;
                self.expect('>')?;
                Ok(match part {
                    ElementType::Known(DType::F32) => ElementType::Known(DType::C64),
                    ElementType::Known(DType::F64) => ElementType::Known(DType::C128),
                    _ => ElementType::Other(self.written(from)),
                })
            }
            Token::Word(word) => {
                let Some(element) = element_of(word) else { return self.expected("a type") };
                self.advance();
                Ok(element)
            }
            Token::Bang(name) if name.contains('.') => match self.as_written()? {
                Type::Other(text) => Ok(ElementType::Other(text)),
                _ => self.expected("an element type"),
            },
            Token::Bang(name) => {
                let alias = self.aliases.ty(name);
                match alias {
                    Ok(Type::Element(element)) => {
                        self.advance();
                        Ok(element)
                    }
                    Ok(Type::Other(text)) => {
                        self.advance();
                        Ok(ElementType::Other(text))
                    }
                    Ok(_) => self.error(format!("`!{name}` is not an element type")),
                    Err(message) => self.error(message),
                }
            }
            _ => self.expected("an element type"),
        }
    }
}

/// Returns the element type with this name in MLIR.
fn element_of(word: &str) -> Option<ElementType> {
    let known = match word {
        "f64" => DType::F64,
        "f32" => DType::F32,
        "f16" => DType::F16,
        "bf16" => DType::BF16,
        "f8E4M3FN" => DType::F8E4M3,
        "f8E5M2" => DType::F8E5M2,
        "i8" => DType::I8,
        "i16" => DType::I16,
        "i32" => DType::I32,
        "i64" => DType::I64,
        "ui8" => DType::U8,
        "ui16" => DType::U16,
        "ui32" => DType::U32,
        "ui64" => DType::U64,
        "i1" => DType::Bool,
        "index" => return Some(ElementType::Index),
        other => {
            if let Some(narrow) = NarrowType::named(other) {
                return Some(ElementType::Narrow(narrow));
            }
            let digits = other.strip_prefix("si").or(other.strip_prefix("ui")).or(other.strip_prefix('i'));
            let integer = digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
            let float =
                matches!(other, "tf32" | "f80" | "f128" | "f8E8M0FNU" | "f4E2M1FN" | "f6E2M3FN" | "f6E3M2FN");
            return (integer || float).then(|| ElementType::Other(other.to_string()));
        }
    };
    Some(ElementType::Known(known))
}
