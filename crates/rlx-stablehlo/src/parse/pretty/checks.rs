//! Short forms of the `check` dialect.

use super::{OperationParts, Own, Reading};
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::dense;
use crate::syntax::{Attribute, ElementType, Type};
use rlx_ir::DType;

/// The type of distances.
const U64: Type = Type::Element(ElementType::Known(DType::U64));

pub(super) fn reading<'a>(name: &str) -> Option<Reading<'a>> {
    Some(match name {
        "expect_eq" | "expect_almost_eq" => Parser::expect_values,
        "expect_eq_const" | "expect_almost_eq_const" => Parser::expect_constant,
        "expect_close" => Parser::expect_close,
        _ => return None,
    })
}

impl Parser<'_> {
    /// `expect_almost_eq %a, %b, tolerance = 1.0e-3 : type`.
    fn expect_values(&mut self) -> Parsed<OperationParts> {
        let left = self.operand()?;
        self.expect(',')?;
        let operands = [left, self.operand()?];
        let own = self.tolerance()?;
        let attributes = self.rest_attributes(own)?;
        self.expect(':')?;
        let ty = self.ty()?;
        let operands = self.resolve(&operands, &[ty.clone(), ty])?;
        Ok(OperationParts { operands, attributes, ..OperationParts::default() })
    }

    /// `expect_eq_const %a, dense<1> : type`: the value has the type of the constant.
    fn expect_constant(&mut self) -> Parsed<OperationParts> {
        let operand = self.operand()?;
        self.expect(',')?;
        let (value, ty) = self.dense()?;
        let mut own: Vec<Own> = vec![("value", value)];
        own.extend(self.tolerance()?);
        let attributes = self.rest_attributes(own)?;
        let operands = self.resolve(&[operand], &[ty])?;
        Ok(OperationParts { operands, attributes, ..OperationParts::default() })
    }

    fn tolerance(&mut self) -> Parsed<Vec<Own>> {
        if !self.eat(',') {
            return Ok(Vec::new());
        }
        self.key("tolerance")?;
        let from = self.start;
        let (negative, number) = self.number()?;
        match dense::float(number, negative, DType::F64) {
            Ok(value) => {
                let value = value.unwrap_or_else(f64::from_bits);
                let ty = Type::Element(ElementType::Known(DType::F64));
                Ok(vec![("tolerance", Attribute::Float(value, ty))])
            }
            Err(message) => self.error_at(from, message),
        }
    }

    /// `expect_close %a, %b, max_ulp_difference = 3, min_ulp_difference = 0 : type, type`.
    fn expect_close(&mut self) -> Parsed<OperationParts> {
        let left = self.operand()?;
        self.expect(',')?;
        let operands = [left, self.operand()?];
        let mut own: Vec<Own> = Vec::new();
        for name in ["max_ulp_difference", "min_ulp_difference"] {
            if self.eat(',') {
                self.key(name)?;
                let from = self.start;
                let (negative, number) = self.number()?;
                match dense::integer(number, negative) {
                    Ok(value) => own.push((name, Attribute::Int(value, U64))),
                    Err(message) => return self.error_at(from, message),
                }
            }
        }
        self.expect(':')?;
        let attributes = self.rest_attributes(own)?;
        let types = self.types()?;
        let operands = self.resolve(&operands, &types)?;
        Ok(OperationParts { operands, attributes, ..OperationParts::default() })
    }
}
