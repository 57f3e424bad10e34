//! Short forms of elementwise operations, comparisons and constants.

use super::OperationParts;
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::lexer::Token;
use crate::syntax::{Attribute, ElementType, Type};
use rlx_ir::DType;

impl Parser<'_> {
    /// `add %a, %b : type`, `add %a, %b : (types) -> type`.
    pub(super) fn same_types(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands()?;
        self.rest_same(&operands, Vec::new())
    }

    /// `reshape %a : (types) -> types`.
    pub(super) fn with_signature(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands()?;
        self.rest_functional(&operands, Vec::new())
    }

    /// `next_after %a, %b : type, type -> type`.
    pub(super) fn with_arrow(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands()?;
        self.rest_arrow(&operands, Vec::new())
    }

    /// `create_token : type`.
    pub(super) fn result_alone(&mut self) -> Parsed<OperationParts> {
        let attributes = self.rest_attributes(Vec::new())?;
        self.expect(':')?;
        Ok(OperationParts { attributes, results: vec![self.ty()?], ..OperationParts::default() })
    }

    /// `complex %re, %im : tensor<complex<f32>>`, where the operands are of the real type.
    pub(super) fn complex(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands()?;
        let attributes = self.rest_attributes(Vec::new())?;
        self.expect(':')?;
        let from = self.start;
        let (types, results) = match self.ty()? {
            Type::Function(types, results) => (types, results),
            Type::Tensor { dims, element: ElementType::Known(dtype @ (DType::C64 | DType::C128)) } => {
                let real = Type::Tensor { dims: dims.clone(), element: ElementType::Known(dtype.real()) };
                let result = Type::Tensor { dims, element: ElementType::Known(dtype) };
                (vec![real; operands.len()], vec![result])
            }
            _ => {
                return self
                    .error_at(from, "expected a tensor of complex numbers or the types of a function");
            }
        };
        let operands = self.resolve(&operands, &types)?;
        Ok(OperationParts { operands, attributes, regions: Vec::new(), results })
    }

    /// `compare EQ, %a, %b, FLOAT : (types) -> type`.
    pub(super) fn compare(&mut self) -> Parsed<OperationParts> {
        let mut own = vec![("comparison_direction", self.enumerated("comparison_direction")?)];
        self.expect(',')?;
        let left = self.operand()?;
        self.expect(',')?;
        let right = self.operand()?;
        if self.eat(',') {
            own.push(("compare_type", self.enumerated("comparison_type")?));
        }
        self.rest_functional(&[left, right], own)
    }

    /// `select %p, %a, %b : type of %p, type of the others`.
    pub(super) fn select(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands()?;
        let attributes = self.rest_attributes(Vec::new())?;
        self.expect(':')?;
        let from = self.start;
        let mut written = self.types()?;
        let (types, results) = match (written.pop(), written.pop(), written.is_empty()) {
            (Some(Type::Function(types, results)), None, true) => (types, results),
            (Some(ty), Some(predicate), true) => (vec![predicate, ty.clone(), ty.clone()], vec![ty]),
            _ => return self.error_at(from, "expected two types, or the types of a function"),
        };
        let operands = self.resolve(&operands, &types)?;
        Ok(OperationParts { operands, attributes, regions: Vec::new(), results })
    }

    /// `constant dense<1.0> : type`. The generic form may also follow the bare name.
    pub(super) fn constant(&mut self) -> Parsed<OperationParts> {
        if self.token == Token::Mark('(') {
            return self.generic();
        }
        let mut attributes = self.rest_attributes(Vec::new())?;
        if self.token != Token::Word("dense") {
            return match self.attribute()? {
                Attribute::Dense(dense) => {
                    let dims = dense.dims.iter().map(|&n| Some(n)).collect();
                    let ty = Type::Tensor { dims, element: dense.element.clone() };
                    attributes.0.push(("value".into(), Attribute::Dense(dense)));
                    Ok(OperationParts { attributes, results: vec![ty], ..OperationParts::default() })
                }
                _ => self.expected("the elements of a constant"),
            };
        }
        let (value, ty) = self.dense()?;
        attributes.0.push(("value".into(), value));
        Ok(OperationParts { attributes, results: vec![ty], ..OperationParts::default() })
    }
}
