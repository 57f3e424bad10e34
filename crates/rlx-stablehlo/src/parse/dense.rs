//! Parses `dense<…> : type`: the elements of constants, as stored bytes.

use super::cursor::{Parsed, Parser};
use super::lexer::Token;
use crate::syntax::{Attribute, Dense, ElementType, NarrowFormat, NarrowType, Type};
use rlx_ir::{Class, DType, Scalar};

impl Parser<'_> {
    /// Reads `dense<…> : type`: the constant and its type. The type follows the elements and says how to interpret
    /// them, so they are skipped first and read afterwards.
    pub(super) fn dense(&mut self) -> Parsed<(Attribute, Type)> {
        let from = self.start;
        self.expect_word("dense")?;
        if self.token != Token::Mark('<') {
            return self.expected("`<`");
        }
        self.skip_elements()?;
        self.expect(':')?;
        let ty = self.ty()?;
        let after = self.mark();
        let Type::Tensor { dims, element } = &ty else {
            return Ok((Attribute::Other(self.written(from)), ty));
        };
        let Some(dims) = dims.iter().copied().collect::<Option<Vec<usize>>>() else {
            return self.error_at(from, format!("a constant must have a static shape, not {ty}"));
        };
        let count = dims.iter().product::<usize>();
        let stored = match element {
            ElementType::Known(dtype) => Stored { dtype: *dtype, narrow: None },
            ElementType::Index => Stored { dtype: DType::I64, narrow: None },
            ElementType::Narrow(narrow) => Stored { dtype: narrow.held, narrow: Some(narrow) },
            ElementType::Other(_) => {
                let splat = count == 1;
                let dense = Dense { dims, element: element.clone(), bytes: Vec::new(), splat };
                return Ok((Attribute::Dense(dense), ty));
            }
        };
        if count.checked_mul(stored.dtype.size()).is_none() {
            return self.error_at(from, format!("{ty} is too large to address"));
        }
        self.jump(from);
        self.advance();
        self.advance();
        let (bytes, splat) = self.elements(&dims, count, stored)?;
        let (bytes, splat) = normalized(bytes, splat, count, stored.dtype);
        self.return_to(after);
        Ok((Attribute::Dense(Dense { dims, element: element.clone(), bytes, splat }), ty))
    }

    /// Skips `<…>`. The elements contain `>` only in strings.
    fn skip_elements(&mut self) -> Parsed<()> {
        let from = self.start;
        let text = self.lexer.text();
        let mut quoted = false;
        for (offset, byte) in text.bytes().enumerate().skip(from + 1) {
            match byte {
                b'"' => quoted = !quoted,
                b'>' if !quoted => {
                    self.jump(offset + 1);
                    return Ok(());
                }
                _ => {}
            }
        }
        self.error_at(from, "a bracket is not closed")
    }

    /// Reads the elements. Also returns whether one element is repeated.
    fn elements(&mut self, dims: &[usize], count: usize, stored: Stored) -> Parsed<(Vec<u8>, bool)> {
        let mut bytes = Vec::new();
        if self.token == Token::Mark('>') {
            return if count == 0 { Ok((bytes, false)) } else { self.expected("elements") };
        }
        if let Token::Text(text) = self.token {
            let from = self.start;
            self.advance();
            let found = match stored.narrow {
                None => raw(text, count, stored.dtype),
                Some(narrow) => raw(text, count, DType::U8).map(|(found, splat)| {
                    found.into_iter().for_each(|byte| narrow.write(byte, &mut bytes));
                    (bytes, splat)
                }),
            };
            return match found {
                Ok(found) => Ok(found),
                Err(message) => self.error_at(from, message),
            };
        }
        if self.token != Token::Mark('[') {
            self.scalar(stored, &mut bytes)?;
            self.ended()?;
            return Ok((bytes, true));
        }
        self.rows(dims, stored, &mut bytes)?;
        self.ended()?;
        Ok((bytes, false))
    }

    fn ended(&mut self) -> Parsed<()> {
        if self.token == Token::Mark('>') { Ok(()) } else { self.expected("`>`") }
    }

    fn rows(&mut self, dims: &[usize], stored: Stored, bytes: &mut Vec<u8>) -> Parsed<()> {
        let Some((&size, inner)) = dims.split_first() else { return self.scalar(stored, bytes) };
        let from = self.start;
        self.expect('[')?;
        let mut found = 0usize;
        let mut row = |p: &mut Self| {
            found += 1;
            if inner.is_empty() { p.scalar(stored, bytes) } else { p.rows(inner, stored, bytes) }
        };
        if inner.is_empty() {
            self.list_until(']', &mut row)?;
        } else {
            self.nested(|p| p.list_until(']', &mut row))?;
        }
        if found != size {
            return self.error_at(from, format!("a list of {found} where the type says {size}"));
        }
        Ok(())
    }

    fn scalar(&mut self, stored: Stored, bytes: &mut Vec<u8>) -> Parsed<()> {
        if !stored.dtype.is_complex() {
            return self.real(stored, bytes);
        }
        let part = Stored { dtype: stored.dtype.real(), narrow: None };
        self.expect('(')?;
        self.real(part, bytes)?;
        self.expect(',')?;
        self.real(part, bytes)?;
        self.expect(')')
    }

    fn real(&mut self, stored: Stored, bytes: &mut Vec<u8>) -> Parsed<()> {
        if stored.dtype == DType::Bool
            && let Token::Word(word @ ("true" | "false")) = self.token
        {
            self.advance();
            bytes.push(u8::from(word == "true"));
            return Ok(());
        }
        let from = self.start;
        let negative = self.eat('-');
        let Token::Number(number) = self.token else {
            return self.expected(&format!("an element of type {}", stored.element()));
        };
        self.advance();
        match number_bytes(number, negative, stored, bytes) {
            Ok(()) => Ok(()),
            Err(message) => self.error_at(from, message),
        }
    }
}

/// How the elements of a constant are stored.
#[derive(Clone, Copy)]
struct Stored {
    dtype: DType,
    /// The narrow type whose values `dtype` stores.
    narrow: Option<&'static NarrowType>,
}

impl Stored {
    /// Returns the type that the text names.
    fn element(self) -> ElementType {
        self.narrow.map_or(ElementType::Known(self.dtype), ElementType::Narrow)
    }
}

/// Appends the bytes of a written number. The bits of a float may be written in hexadecimal.
fn number_bytes(number: &str, negative: bool, stored: Stored, bytes: &mut Vec<u8>) -> Result<(), String> {
    let dtype = stored.dtype;
    match stored.narrow.map(|narrow| (narrow, narrow.format)) {
        None if dtype.is_float() => match float(number, negative, dtype)? {
            Ok(value) => Scalar::Float(value).write(dtype, bytes),
            Err(bits) => bytes.extend(&bits.to_le_bytes()[..dtype.size()]),
        },
        None => Scalar::Int(integer_of(number, negative, dtype)?).write(dtype, bytes),
        Some((narrow, NarrowFormat::Float(format))) => match float(number, negative, dtype)? {
            Ok(value) => Scalar::Float(format.nearest(value)).write(dtype, bytes),
            Err(bits) => match u8::try_from(bits) {
                Ok(bits) => narrow.write(bits, bytes),
                Err(_) => return Err(format!("`{number}` has more bits than {}", narrow.name)),
            },
        },
        Some((narrow, NarrowFormat::Integer { bits })) => {
            let value = integer(number, negative)?;
            let low = if dtype == DType::I8 { -(1 << (bits - 1)) } else { 0 };
            match u8::try_from(value & 0xFF) {
                Ok(stored) if (low..1 << bits).contains(&value) => narrow.write(stored, bytes),
                _ => return Err(format!("{value} is out of the range of {}", narrow.name)),
            }
        }
    }
    Ok(())
}

/// Parses an integer and converts it to its type. 255 is -1 in an `i8`, since both notations are allowed.
pub(super) fn integer_of(number: &str, negative: bool, dtype: DType) -> Result<i128, String> {
    let value = integer(number, negative)?;
    let (low, high) = dtype.int_range().unwrap_or_default();
    let (low, high) = match dtype.class() {
        Class::Bool => (-1, 1),
        Class::Signed => (low, 2 * high + 1),
        _ => (low, high),
    };
    if value < low || value > high {
        return Err(format!("{value} is out of the range of {}", ElementType::Known(dtype)));
    }
    match Scalar::Int(value).convert(dtype) {
        Scalar::Int(held) => Ok(held),
        _ => Ok(value),
    }
}

/// Parses an integer.
pub(super) fn integer(number: &str, negative: bool) -> Result<i128, String> {
    let magnitude = match number.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => number.parse(),
    };
    match magnitude {
        Ok(value) => Ok(if negative { -value } else { value }),
        Err(_) if number.contains('.') => Err(format!("`{number}` is not an integer")),
        Err(_) => Err(format!("the integer {number} is too large")),
    }
}

/// Parses a float, or its bits.
pub(super) fn float(number: &str, negative: bool, dtype: DType) -> Result<Result<f64, u64>, String> {
    if let Some(digits) = number.strip_prefix("0x") {
        let bits =
            u64::from_str_radix(digits, 16).ok().filter(|b| b.checked_shr(dtype.bits()).unwrap_or(0) == 0);
        return match bits {
            Some(bits) if !negative => Ok(Err(bits)),
            Some(_) => Err("the bits of a float have no sign before them".into()),
            None => Err(format!("`{number}` has more bits than {}", dtype.name())),
        };
    }
    if !number.contains('.') {
        return Err(format!("`{number}` is an integer; write `{number}.0` for a float"));
    }
    match number.parse::<f64>() {
        Ok(value) => Ok(Ok(if negative { -value } else { value })),
        Err(_) => Err(format!("`{number}` is not a number")),
    }
}

/// Parses the bytes that a string contains in hexadecimal, and returns whether they are one element that is repeated.
/// Booleans take one byte each or, as older versions of MLIR write them, one bit each, starting with the lowest bit of
/// a byte.
fn raw(text: &str, count: usize, dtype: DType) -> Result<(Vec<u8>, bool), String> {
    let Some(digits) = text.strip_prefix("0x").filter(|d| d.len().is_multiple_of(2)) else {
        return Err("elements in a string must be `0x` and two digits per byte".into());
    };
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let Some(bytes) = digits.as_bytes().chunks_exact(2).map(byte).collect::<Option<Vec<u8>>>() else {
        return Err("elements in a string must be hexadecimal".into());
    };
    let found = bytes.len();
    if found == dtype.size() && count > 0 {
        let bytes = if dtype == DType::Bool { vec![u8::from(bytes[0] != 0)] } else { bytes };
        return Ok((bytes, true));
    }
    if dtype == DType::Bool && found != count && found == count.div_ceil(8) {
        return Ok(((0..count).map(|i| bytes[i / 8] >> (i % 8) & 1).collect(), false));
    }
    if found != count * dtype.size() {
        let expected = count * dtype.size();
        return Err(format!("{found} bytes where the type has {expected}"));
    }
    if dtype == DType::Bool {
        return Ok((bytes.iter().map(|&b| u8::from(b != 0)).collect(), false));
    }
    Ok((bytes, false))
}

/// Reduces equal elements to one.
fn normalized(mut bytes: Vec<u8>, splat: bool, count: usize, dtype: DType) -> (Vec<u8>, bool) {
    let size = dtype.size();
    if count == 0 {
        return (Vec::new(), false);
    }
    if splat || bytes.chunks_exact(size).all(|element| element == &bytes[..size]) {
        bytes.truncate(size);
        bytes.shrink_to_fit();
        return (bytes, true);
    }
    (bytes, false)
}
