//! Short forms of transforms, decompositions, random numbers and `top_k`.

use super::{OperationParts, Own, int32};
use crate::parse::cursor::{Parsed, Parser};
use crate::syntax::Attribute;

impl Parser<'_> {
    /// `cholesky %a, lower = true : type`.
    pub(super) fn cholesky(&mut self) -> Parsed<OperationParts> {
        let operand = self.operand()?;
        let mut own: Vec<Own> = Vec::new();
        if self.eat(',') {
            own.push(("lower", self.keyed_bool("lower")?));
        }
        self.rest_same(&[operand], own)
    }

    /// Reads `word = true`.
    fn keyed_bool(&mut self, word: &str) -> Parsed<Attribute> {
        self.key(word)?;
        match self.word("`true` or `false`")? {
            "true" => Ok(Attribute::Bool(true)),
            "false" => Ok(Attribute::Bool(false)),
            _ => self.expected("`true` or `false`"),
        }
    }

    /// `reduce_precision %a, format = e5m10 : type`.
    pub(super) fn reduce_precision(&mut self) -> Parsed<OperationParts> {
        let operand = self.operand()?;
        self.expect(',')?;
        self.key("format")?;
        let from = self.start;
        let word = self.word("a format, e5m10")?;
        let bits = word.strip_prefix('e').and_then(|w| w.split_once('m'));
        let bits = bits.and_then(|(e, m)| Some((e.parse::<u16>().ok()?, m.parse::<u16>().ok()?)));
        let Some((exponent, mantissa)) = bits else {
            return self.error_at(from, "expected the bits of exponent and mantissa, e5m10");
        };
        let own = vec![("exponent_bits", int32(exponent.into())), ("mantissa_bits", int32(mantissa.into()))];
        self.rest_same(&[operand], own)
    }

    /// `fft %a, type = FFT, length = [4] : (types) -> type`.
    pub(super) fn fft(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<1>()?;
        self.key("type")?;
        let kind = self.enumerated("fft_type")?;
        self.expect(',')?;
        let own = vec![("fft_type", kind), ("fft_length", self.keyed_integers("length")?)];
        self.rest_functional(&operands, own)
    }

    /// `rng %a, %b, %shape, distribution = UNIFORM : (types) -> type`.
    pub(super) fn rng(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<3>()?;
        self.key("distribution")?;
        let own = vec![("rng_distribution", self.enumerated("rng_distribution")?)];
        self.rest_functional(&operands, own)
    }

    /// `rng_bit_generator %state, algorithm = DEFAULT : (types) -> types`.
    pub(super) fn rng_bit_generator(&mut self) -> Parsed<OperationParts> {
        let operands = self.operands_and_commas::<1>()?;
        self.key("algorithm")?;
        let own = vec![("rng_algorithm", self.enumerated("rng_algorithm")?)];
        self.rest_functional(&operands, own)
    }

    /// `top_k(%a, k = 2, is_stable = true) : type -> (type, type)`.
    pub(super) fn top_k(&mut self) -> Parsed<OperationParts> {
        self.expect('(')?;
        let operands = self.operands_and_commas::<1>()?;
        let mut own = vec![("k", self.keyed_integer("k")?)];
        if self.eat(',') {
            own.push(("is_stable", self.keyed_bool("is_stable")?));
        }
        self.expect(')')?;
        self.rest_arrow(&operands, own)
    }
}
