//! Parses short forms of operations into the generic form. The result is the same as for the generic form.

mod checks;
mod contraction;
mod control;
mod elementwise;
mod shaping;
mod sharding;
mod special;

use super::attributes::I64;
use super::cursor::{Parsed, Parser};
use super::lexer::Token;
use super::operations::OperationParts;
use super::scopes::Operand;
use crate::syntax::{Attribute, Attributes, ElementType, Type};
use rlx_ir::DType;

/// Reads the text after the name of an operation.
type Reading<'a> = fn(&mut Parser<'a>) -> Parsed<OperationParts>;

/// An attribute that the short form writes in its own way.
type Own = (&'static str, Attribute);

impl<'a> Parser<'a> {
    /// Reads an operation in short form, starting at its name. Returns `None` and consumes nothing if the form is not known.
    pub(super) fn pretty(&mut self, name: &str) -> Parsed<Option<OperationParts>> {
        let Some((dialect, short)) = name.split_once('.') else { return Ok(None) };
        let reading: Option<Reading<'a>> = match dialect {
            "stablehlo" => stablehlo(short),
            "chlo" => chlo(short),
            "func" => match short {
                "return" => Some(Parser::return_),
                "call" => Some(Parser::call),
                _ => None,
            },
            "check" => checks::reading(short),
            "sdy" => sharding::reading(short),
            _ => None,
        };
        let Some(reading) = reading else { return Ok(None) };
        self.advance();
        reading(self).map(Some)
    }

    /// Reads `{attributes} : (types) -> types`.
    fn rest_functional(&mut self, operands: &[Operand], own: Vec<Own>) -> Parsed<OperationParts> {
        let mut draft =
            OperationParts { attributes: self.rest_attributes(own)?, ..OperationParts::default() };
        self.functional(operands, &mut draft)?;
        Ok(draft)
    }

    /// Reads `{attributes} : type, type -> type`.
    fn rest_arrow(&mut self, operands: &[Operand], own: Vec<Own>) -> Parsed<OperationParts> {
        let attributes = self.rest_attributes(own)?;
        self.expect(':')?;
        let types = self.types()?;
        self.arrow()?;
        let results = self.result_types()?;
        let operands = self.resolve(operands, &types)?;
        Ok(OperationParts { operands, attributes, regions: Vec::new(), results })
    }

    /// Reads `{attributes} : type`, where the operands and the result all have this type, or `: (types) -> type`.
    fn rest_same(&mut self, operands: &[Operand], own: Vec<Own>) -> Parsed<OperationParts> {
        let attributes = self.rest_attributes(own)?;
        self.expect(':')?;
        let (types, results) = match self.ty()? {
            Type::Function(types, results) => (types, results),
            ty => (vec![ty.clone(); operands.len()], vec![ty]),
        };
        let operands = self.resolve(operands, &types)?;
        Ok(OperationParts { operands, attributes, regions: Vec::new(), results })
    }

    /// Reads optional `{attributes}`, and puts the ones that the form writes in its own way first.
    fn rest_attributes(&mut self, own: Vec<Own>) -> Parsed<Attributes> {
        let from = self.start;
        let further = self.optional_dictionary()?;
        let mut attributes = Attributes(own.into_iter().map(|(name, value)| (name.into(), value)).collect());
        self.join(&mut attributes, further, from)?;
        Ok(attributes)
    }

    /// Reads `%a, %b, ` while values follow. Every value is followed by a comma.
    fn operands_before_attribute(&mut self) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::new();
        while self.at_operand() {
            operands.push(self.operand()?);
            self.expect(',')?;
        }
        Ok(operands)
    }

    /// Reads `N` values, each followed by a comma.
    fn operands_and_commas<const N: usize>(&mut self) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::with_capacity(N);
        for _ in 0..N {
            operands.push(self.operand()?);
            self.expect(',')?;
        }
        Ok(operands)
    }

    /// Reads `word = 3` as an attribute of type i64.
    fn keyed_integer(&mut self, word: &str) -> Parsed<Attribute> {
        self.key(word)?;
        Ok(Attribute::Int(i128::from(self.integer()?), I64))
    }

    /// Reads `word = [1, 2]`.
    fn keyed_integers(&mut self, word: &str) -> Parsed<Attribute> {
        self.key(word)?;
        Ok(Attribute::Integers(self.integers()?))
    }

    /// Reads a value of an enumeration: `EQ`, or `#stablehlo<comparison_direction EQ>`.
    fn enumerated(&mut self, kind: &str) -> Parsed<Attribute> {
        if let Token::Hash(_) = self.token {
            return self.attribute();
        }
        let value = self.word(&format!("a {kind}"))?;
        Ok(Attribute::Enum(kind.into(), value.into()))
    }
}

/// An attribute of type i32.
fn int32(value: i64) -> Attribute {
    Attribute::Int(i128::from(value), Type::Element(ElementType::Known(DType::I32)))
}

fn stablehlo<'a>(name: &str) -> Option<Reading<'a>> {
    Some(match name {
        "abs"
        | "cbrt"
        | "ceil"
        | "convert"
        | "count_leading_zeros"
        | "cosine"
        | "exponential"
        | "exponential_minus_one"
        | "floor"
        | "imag"
        | "log"
        | "log_plus_one"
        | "logistic"
        | "negate"
        | "not"
        | "popcnt"
        | "real"
        | "round_nearest_afz"
        | "round_nearest_even"
        | "rsqrt"
        | "sign"
        | "sine"
        | "sqrt"
        | "tan"
        | "tanh"
        | "uniform_dequantize"
        | "uniform_quantize"
        | "add"
        | "and"
        | "atan2"
        | "divide"
        | "maximum"
        | "minimum"
        | "multiply"
        | "or"
        | "power"
        | "remainder"
        | "shift_left"
        | "shift_right_arithmetic"
        | "shift_right_logical"
        | "subtract"
        | "xor"
        | "clamp"
        | "after_all" => Parser::same_types,
        "bitcast_convert"
        | "dynamic_pad"
        | "dynamic_reshape"
        | "dynamic_update_slice"
        | "is_finite"
        | "real_dynamic_slice"
        | "reshape" => Parser::with_signature,
        "create_token" | "partition_id" | "replica_id" => Parser::result_alone,
        "broadcast" => Parser::broadcast,
        "broadcast_in_dim" => Parser::broadcast_in_dim,
        "cholesky" => Parser::cholesky,
        "compare" => Parser::compare,
        "complex" => Parser::complex,
        "composite" => Parser::composite,
        "concatenate" => Parser::concatenate,
        "constant" => Parser::constant,
        "convolution" => Parser::convolution,
        "custom_call" => Parser::custom_call,
        "dot" => Parser::dot,
        "dot_general" => Parser::dot_general,
        "dynamic_broadcast_in_dim" => Parser::dynamic_broadcast_in_dim,
        "dynamic_iota" => Parser::dynamic_iota,
        "dynamic_slice" => Parser::dynamic_slice,
        "einsum" => Parser::einsum::<2>,
        "fft" => Parser::fft,
        "get_dimension_size" => Parser::dimension_size::<1>,
        "get_tuple_element" => Parser::get_tuple_element,
        "iota" => Parser::iota,
        "optimization_barrier" => Parser::optimization_barrier,
        "pad" => Parser::pad,
        "reduce" => Parser::reduce,
        "reduce_precision" => Parser::reduce_precision,
        "return" => Parser::return_,
        "reverse" => Parser::reverse,
        "rng" => Parser::rng,
        "rng_bit_generator" => Parser::rng_bit_generator,
        "select" => Parser::select,
        "set_dimension_size" => Parser::dimension_size::<2>,
        "slice" => Parser::slice,
        "transpose" => Parser::transpose,
        "tuple" => Parser::tuple,
        "unary_einsum" => Parser::einsum::<1>,
        "while" => Parser::while_,
        _ => return None,
    })
}

fn chlo<'a>(name: &str) -> Option<Reading<'a>> {
    Some(match name {
        "_asin_acos_kernel" | "acos" | "acosh" | "asin" | "asinh" | "atan" | "atanh" | "bessel_i1e"
        | "conj" | "cosh" | "digamma" | "erf" | "erf_inv" | "erfc" | "is_inf" | "is_neg_inf"
        | "is_pos_inf" | "lgamma" | "mulhi" | "next_after" | "polygamma" | "sinh" | "square" | "tan"
        | "zeta" => Parser::with_arrow,
        "constant" => Parser::constant,
        "scan" => Parser::scan,
        "top_k" => Parser::top_k,
        _ if name.starts_with("broadcast_") => Parser::with_signature,
        _ => return None,
    })
}
