//! Parses attributes of dialects: enumerations, structs and the axes of convolutions. Others are kept as text.

use super::attributes::I64;
use super::cursor::{Parsed, Parser};
use super::lexer::Token;
use crate::syntax::{Attribute, Attributes};
use std::collections::HashSet;

/// The attributes of StableHLO and CHLO that are parsed into fields.
const STRUCTS: [&str; 9] = [
    "stablehlo.gather",
    "stablehlo.scatter",
    "stablehlo.dot",
    "stablehlo.dot_algorithm",
    "stablehlo.channel_handle",
    "stablehlo.output_operand_alias",
    "stablehlo.result_accuracy",
    "stablehlo.conv",
    "chlo.ragged_dot",
];

impl<'a> Parser<'a> {
    /// Reads `#name` (an alias) or an attribute of a dialect: `#dialect.name<…>`, `#dialect<name …>`.
    pub(super) fn dialect_attribute(&mut self, name: &'a str) -> Parsed<Attribute> {
        let from = self.start;
        let bracket = self.lexer.rest().starts_with('<');
        if !name.contains('.') && !bracket {
            if self.aliases.locations.contains_key(name) {
                self.advance();
                return Ok(Attribute::Other(self.written(from)));
            }
            return match self.aliases.attribute(name) {
                Ok(attribute) => {
                    self.advance();
                    Ok(attribute)
                }
                Err(message) => self.error(message),
            };
        }
        self.advance();
        if !bracket {
            return Ok(Attribute::Other(self.written(from)));
        }
        if STRUCTS.contains(&name) {
            return self.fields(name);
        }
        let (dialect, kind) =
            name.split_once('.').map_or((name, None), |(dialect, kind)| (dialect, Some(kind)));
        if matches!(dialect, "stablehlo" | "chlo" | "mhlo") {
            let mark = self.mark();
            self.advance();
            if let Some(attribute) = self.enumeration(kind) {
                return Ok(attribute);
            }
            self.return_to(mark);
        }
        self.skip_balanced()?;
        Ok(Attribute::Other(self.written(from)))
    }

    /// Reads `value>`, or `kind value>` if the kind is not known yet. Returns `None` if it is neither.
    fn enumeration(&mut self, kind: Option<&'a str>) -> Option<Attribute> {
        let kind = kind.or_else(|| self.next_word())?;
        let value = self.next_word()?;
        self.eat('>').then(|| Attribute::Enum(kind.into(), value.into()))
    }

    /// Consumes a word if it is the next token.
    fn next_word(&mut self) -> Option<&'a str> {
        let Token::Word(word) = self.token else { return None };
        self.advance();
        Some(word)
    }

    /// Reads `<field = value, …>`. Fields that are empty lists are left out, as in MLIR's output.
    pub(super) fn fields(&mut self, name: &str) -> Parsed<Attribute> {
        self.expect('<')?;
        if name == "stablehlo.conv" && !self.eat_word("raw") {
            let axes = self.convolution_axes()?;
            self.expect('>')?;
            return Ok(axes);
        }
        let mut fields = Attributes::default();
        let mut names = HashSet::new();
        // A comma may follow the last field.
        while !self.eat('>') {
            let from = self.start;
            let field = self.word("the name of a field")?;
            self.expect('=')?;
            let value = match self.token {
                Token::Mark('[') => Attribute::Integers(self.integers()?),
                _ => self.attribute()?,
            };
            if !names.insert(field) {
                return self.error_at(from, format!("the field `{field}` is given twice"));
            }
            if !matches!(&value, Attribute::Integers(v) if v.is_empty()) {
                fields.0.push((field.into(), value));
            }
            if !self.eat(',') && self.token != Token::Mark('>') {
                return self.expected("`,` or `>`");
            }
        }
        Ok(Attribute::Struct(name.into(), fields))
    }

    /// Reads `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`: for each tensor, which axis is the batch, the feature, and each
    /// of the spatial axes.
    pub(super) fn convolution_axes(&mut self) -> Parsed<Attribute> {
        let mut fields = Vec::new();
        self.axes("input", [("b", "batch"), ("f", "feature")], &mut fields)?;
        self.expect_word("x")?;
        self.axes("kernel", [("i", "input_feature"), ("o", "output_feature")], &mut fields)?;
        self.arrow()?;
        self.axes("output", [("b", "batch"), ("f", "feature")], &mut fields)?;
        Ok(Attribute::Struct("stablehlo.conv".into(), Attributes(fields)))
    }

    fn axes(
        &mut self,
        tensor: &str,
        letters: [(&str, &str); 2],
        fields: &mut Vec<(String, Attribute)>,
    ) -> Parsed<()> {
        let from = self.start;
        self.expect('[')?;
        let mut named: [Option<i64>; 2] = [None; 2];
        let mut spatial: Vec<(i64, i64)> = Vec::new();
        let mut axis = 0;
        self.list_until(']', |p| {
            let place = axis;
            axis += 1;
            match p.token {
                Token::Mark('?') => {
                    p.advance();
                    Ok(())
                }
                Token::Number(_) => {
                    spatial.push((p.integer()?, place));
                    Ok(())
                }
                Token::Word(word) => match letters.iter().position(|(letter, _)| *letter == word) {
                    Some(i) if named[i].is_none() => {
                        named[i] = Some(place);
                        p.advance();
                        Ok(())
                    }
                    Some(_) => p.error(format!("`{word}` is given twice")),
                    None => p.expected("an axis"),
                },
                _ => p.expected("an axis"),
            }
        })?;
        for ((letter, name), axis) in letters.into_iter().zip(named) {
            let Some(axis) = axis else {
                return self.error_at(from, format!("the {tensor} has no axis `{letter}`"));
            };
            fields.push((format!("{tensor}_{name}_dimension"), Attribute::Int(i128::from(axis), I64)));
        }
        spatial.sort_unstable();
        if spatial.iter().enumerate().any(|(i, (number, _))| *number != i as i64) {
            return self
                .error_at(from, format!("the spatial axes of the {tensor} must be 0, 1, … once each"));
        }
        let axes = spatial.into_iter().map(|(_, axis)| axis).collect();
        fields.push((format!("{tensor}_spatial_dimensions"), Attribute::Integers(axes)));
        Ok(())
    }
}
