//! Short forms of products and convolutions.

use super::{OperationParts, Own};
use crate::parse::cursor::{Parsed, Parser};
use crate::parse::lexer::Token;
use crate::syntax::{Attribute, Attributes, Dense, ElementType};
use rlx_ir::DType;

impl Parser<'_> {
    /// `dot %a, %b, precision = [DEFAULT, DEFAULT] : (types) -> type`.
    pub(super) fn dot(&mut self) -> Parsed<OperationParts> {
        let left = self.operand()?;
        self.expect(',')?;
        let right = self.operand()?;
        let own = self.precision_and_algorithm()?;
        self.rest_functional(&[left, right], own)
    }

    /// `dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (types) -> type`.
    pub(super) fn dot_general(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<2>()?;
        let mut fields = Vec::new();
        if self.token == Token::Word("batching_dims") {
            self.axes_of_both("batching", &mut fields)?;
            self.expect(',')?;
        }
        self.axes_of_both("contracting", &mut fields)?;
        let numbers = Attribute::Struct("stablehlo.dot".into(), Attributes(fields));
        let mut own = vec![("dot_dimension_numbers", numbers)];
        own.extend(self.precision_and_algorithm()?);
        self.rest_functional(&operands, own)
    }

    /// Reads `batching_dims = [0] x [0]`. Empty lists become no fields.
    fn axes_of_both(&mut self, kind: &str, fields: &mut Vec<(String, Attribute)>) -> Parsed<()> {
        self.key(&format!("{kind}_dims"))?;
        let left = self.integers()?;
        self.expect_word("x")?;
        let right = self.integers()?;
        for (side, axes) in [("lhs", left), ("rhs", right)] {
            if !axes.is_empty() {
                fields.push((format!("{side}_{kind}_dimensions"), Attribute::Integers(axes)));
            }
        }
        Ok(())
    }

    /// Reads `, precision = [DEFAULT, HIGHEST], algorithm = <…>`; either may be absent.
    fn precision_and_algorithm(&mut self) -> Parsed<Vec<Own>> {
        let mut own = Vec::new();
        if !self.eat(',') {
            return Ok(own);
        }
        if self.eat_word("precision") {
            self.expect('=')?;
            self.expect('[')?;
            let mut precisions = Vec::new();
            self.list_until(']', |p| {
                precisions.push(p.enumerated("precision")?);
                Ok(())
            })?;
            own.push(("precision_config", Attribute::Array(precisions)));
            if !self.eat(',') {
                return Ok(own);
            }
        }
        self.key("algorithm")?;
        let algorithm = match self.token {
            Token::Hash(_) => self.attribute()?,
            _ => self.fields("stablehlo.dot_algorithm")?,
        };
        own.push(("algorithm", algorithm));
        Ok(own)
    }

    /// `convolution(%a, %b) dim_numbers = […]x[…]->[…], window = {stride = [1, 1], …} {…} : (types) -> type`.
    pub(super) fn convolution(&mut self) -> Parsed<OperationParts> {
        self.expect('(')?;
        let operands = self.operands()?;
        self.expect(')')?;
        self.key("dim_numbers")?;
        let axes = match self.token {
            Token::Hash(_) => self.attribute()?,
            _ => self.convolution_axes()?,
        };
        self.expect(',')?;
        self.key("window")?;
        self.expect('{')?;
        let mut own: Vec<Own> = vec![("dimension_numbers", axes)];
        self.list_until('}', |p| {
            let from = p.start;
            let name = match p.word("a property of the window")? {
                "stride" => "window_strides",
                "pad" => "padding",
                "lhs_dilate" => "lhs_dilation",
                "rhs_dilate" => "rhs_dilation",
                "reverse" => "window_reversal",
                other => return p.error_at(from, format!("a window has no property `{other}`")),
            };
            if own.iter().any(|(n, _)| *n == name) {
                return p.error_at(from, "a property of the window is given twice");
            }
            p.expect('=')?;
            let value = if name == "padding" { p.padding()? } else { Attribute::Integers(p.integers()?) };
            own.push((name, value));
            Ok(())
        })?;
        self.rest_functional(&operands, own)
    }

    /// Reads `[[0, 1], [2, 3]]` as a constant of two columns.
    fn padding(&mut self) -> Parsed<Attribute> {
        self.expect('[')?;
        let mut values = Vec::new();
        self.list_until(']', |p| {
            let from = p.start;
            match p.integers()?[..] {
                [low, high] => values.push([low, high]),
                _ => return p.error_at(from, "expected the padding before and after"),
            }
            Ok(())
        })?;
        let all = values.as_flattened();
        let splat = all.first().is_some_and(|first| all.iter().all(|v| v == first));
        let stored = if splat { &all[..1] } else { all };
        Ok(Attribute::Dense(Dense {
            dims: vec![values.len(), 2],
            element: ElementType::Known(DType::I64),
            bytes: stored.iter().flat_map(|v| v.to_le_bytes()).collect(),
            splat,
        }))
    }

    /// `einsum %a, %b, config = "ab,bc->ac" : (types) -> type`, `unary_einsum %a, config = "ab->a" : …`.
    pub(super) fn einsum<const N: usize>(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<N>()?;
        self.key("config")?;
        let own = vec![("einsum_config", Attribute::String(self.string()?))];
        self.rest_functional(&operands, own)
    }
}
