//! Reads numbers exactly: single ones, and the elements of constants.

use super::{Parsed, Parser, Token};
use crate::dtype::{Class, DType};
use crate::literal::Literal;
use crate::math::complex::Complex64;
use crate::numeric::Scalar;

impl Parser<'_> {
    /// Reads a number as [`Scalar`] prints it.
    pub fn scalar(&mut self) -> Parsed<Scalar> {
        if self.eat('(') {
            let re = self.scalar_float()?;
            self.expect(',')?;
            let im = self.scalar_float()?;
            self.expect(')')?;
            return Ok(Scalar::Complex(Complex64 { re, im }));
        }
        match self.token {
            Token::Number(n) if !n.starts_with("0x") && !n.contains(['.', 'e', 'E']) => {
                self.integer().map(Scalar::Int)
            }
            _ => self.scalar_float().map(Scalar::Float),
        }
    }

    fn scalar_float(&mut self) -> Parsed<f64> {
        match self.token {
            Token::Number(n) if n.starts_with("0x") => match u64::from_str_radix(&n[2..], 16) {
                Ok(bits) => {
                    self.advance();
                    Ok(f64::from_bits(bits))
                }
                Err(_) => self.error(format!("`{n}` is not a bit pattern of f64")),
            },
            _ => self.float(),
        }
    }

    /// Reads the shape and the elements of a constant.
    pub fn literal(&mut self) -> Parsed<Literal> {
        let shape = self.shape()?;
        let mut bytes = Vec::new();
        if self.eat_word("hex") {
            let hex = self.string()?;
            if hex.len() % 2 != 0 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
                return self
                    .error("the hexadecimal string of a constant has an odd length or an invalid character");
            }
            let nibble = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
            bytes.extend(hex.as_bytes().chunks_exact(2).map(|pair| nibble(pair[0]) << 4 | nibble(pair[1])));
        } else {
            self.list(|p| p.element(shape.dtype(), &mut bytes))?;
        }
        Literal::from_bytes(&shape, &bytes).or_else(|e| self.error(e.to_string()))
    }

    fn element(&mut self, dtype: DType, out: &mut Vec<u8>) -> Parsed<()> {
        match dtype.class() {
            Class::Complex => {
                self.expect('(')?;
                self.element(dtype.real(), out)?;
                self.expect(',')?;
                self.element(dtype.real(), out)?;
                self.expect(')')
            }
            Class::Bool => {
                out.push(u8::from(self.boolean()?));
                Ok(())
            }
            Class::Float => self.float_element(dtype, out),
            Class::Signed | Class::Unsigned => {
                let value: i128 = self.integer()?;
                match dtype.int_range() {
                    Some((low, high)) if !(low..=high).contains(&value) => {
                        self.error(format!("{value} is out of range for {dtype}"))
                    }
                    _ => {
                        Scalar::Int(value).write(dtype, out);
                        Ok(())
                    }
                }
            }
        }
    }

    fn float_element(&mut self, dtype: DType, out: &mut Vec<u8>) -> Parsed<()> {
        match self.token {
            Token::Number(n) if n.starts_with("0x") => match u64::from_str_radix(&n[2..], 16) {
                Ok(bits) if dtype.size() == 8 || bits >> (8 * dtype.size()) == 0 => {
                    out.extend(&bits.to_le_bytes()[..dtype.size()]);
                    self.advance();
                    Ok(())
                }
                _ => self.error(format!("`{n}` is not a bit pattern of {dtype}")),
            },
            // Parsed directly as f32, because rounding twice could give a neighboring number.
            Token::Number(n) if dtype == DType::F32 => match n.parse::<f32>() {
                Ok(x) => {
                    out.extend(x.to_le_bytes());
                    self.advance();
                    Ok(())
                }
                Err(_) => self.error(format!("`{n}` is not a number")),
            },
            _ => {
                let value = self.float()?;
                Scalar::Float(value).write(dtype, out);
                Ok(())
            }
        }
    }
}
