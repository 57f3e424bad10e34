//! Parses the text form, in time and memory bounded by its length (READ-1).

mod numbers;

use super::lexer::{Lexer, Token};
use crate::dim::Dim;
use crate::dim::limits::MAX_DEPTH as MAX_DIM_DEPTH;
use crate::dtype::DType;
use crate::graph::{Graph, MAX_NESTING};
use crate::node::NodeId;
use crate::op::kinds::{BinaryOp, Named, UnaryOp};
use crate::op::{Attr, Op, OpKind};
use crate::shape::Shape;
use std::collections::HashMap;

/// How deep graphs and lists may nest: a graph in a list of branches takes two levels.
const MAX_DEPTH: usize = 2 * MAX_NESTING + 16;

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// What was expected, and what was found.
    pub message: String,
}

/// Reads tokens, and the values of attributes.
pub struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token<'a>,
    start: usize,
    depth: usize,
    dim_depth: usize,
    in_attributes: bool,
    /// A lexical error that the next check reports.
    lexical: Option<String>,
}

type Parsed<T> = Result<T, ParseError>;

/// What comes before the operands of a node.
pub(super) enum Mnemonic {
    /// A function of one tensor, which is the whole op.
    Unary(UnaryOp),
    /// A function of two tensors, which is the whole op.
    Binary(BinaryOp),
    /// A kind of op, whose attributes follow.
    Kind(OpKind),
}

impl<'a> Parser<'a> {
    /// A parser at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        let mut parser = Parser {
            text,
            lexer: Lexer::new(text),
            token: Token::End,
            start: 0,
            depth: 0,
            dim_depth: 0,
            in_attributes: false,
            lexical: None,
        };
        parser.advance();
        parser
    }

    fn advance(&mut self) -> Token<'a> {
        let (start, token) = self.lexer.next();
        self.start = start;
        let token = token.unwrap_or_else(|message| {
            self.lexical.get_or_insert(message);
            Token::End
        });
        std::mem::replace(&mut self.token, token)
    }

    /// An error at the current token.
    pub fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.error_at(self.start, message)
    }

    /// An error at the position of an earlier token.
    pub fn error_at<T>(&self, place: usize, message: impl Into<String>) -> Parsed<T> {
        let before = self.text.get(..place).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Err(ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: self.lexical.clone().unwrap_or_else(|| message.into()),
        })
    }

    /// An error that the current token is not what was expected.
    pub fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error(format!("expected {what}, found {}", self.token))
    }

    /// The position of the current token, for [`Parser::error_at`].
    pub fn place(&self) -> usize {
        self.start
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// [`nested`](Self::nested) for parts of a dimension, which may nest as deep as dimensions may.
    fn nested_dim<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.dim_depth >= MAX_DIM_DEPTH {
            return self.error(format!("a dimension nests more than {MAX_DIM_DEPTH} functions deep"));
        }
        self.dim_depth += 1;
        let result = inner(self);
        self.dim_depth -= 1;
        result
    }

    /// Whether the current token is `mark`.
    pub fn at(&self, mark: char) -> bool {
        self.token == Token::Mark(mark)
    }

    /// Consumes `mark` if it is the current token.
    pub fn eat(&mut self, mark: char) -> bool {
        let found = self.at(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes `mark`, or fails.
    pub fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    /// Consumes `word` if it is the current token.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.token, Token::Word(w) if w == word);
        if found {
            self.advance();
        }
        found
    }

    /// The current token, if it is a word.
    pub fn peek_word(&self) -> Option<&'a str> {
        match self.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether the current token is a value (`%` and a name).
    pub fn at_value(&self) -> bool {
        matches!(self.token, Token::Value(_))
    }

    /// Reads a name: a word, or any text in quotes.
    pub fn name(&mut self) -> Parsed<String> {
        match self.token {
            Token::Text(_) => self.string(),
            _ => self.word("a name").map(str::to_string),
        }
    }

    /// Reads a value whose name is a number: `%7`.
    pub fn numbered(&mut self) -> Parsed<u32> {
        match self.token {
            Token::Value(name) => match name.parse() {
                Ok(number) => {
                    self.advance();
                    Ok(number)
                }
                Err(_) => self.error(format!("expected `%` and a number, found `%{name}`")),
            },
            _ => self.expected("`%` and a number"),
        }
    }

    /// Reads an op. `operands` reads what is between its mnemonic and its attributes.
    pub fn op_on<T>(&mut self, operands: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<(Op, T)> {
        let Token::Word(mnemonic) = self.token else { return self.expected("an op") };
        let named = self.mnemonic(mnemonic)?;
        self.advance();
        let operands = operands(self)?;
        Ok((self.attributes(named)?, operands))
    }

    fn word(&mut self, what: &str) -> Parsed<&'a str> {
        match self.token {
            Token::Word(word) => {
                self.advance();
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self) -> Parsed<bool> {
        if self.eat_word("true") {
            Ok(true)
        } else if self.eat_word("false") {
            Ok(false)
        } else {
            self.expected("`true` or `false`")
        }
    }

    /// Reads an integer of the requested type.
    pub fn integer<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        match self.token {
            Token::Number(n) => match n.parse() {
                Ok(value) => {
                    self.advance();
                    Ok(value)
                }
                Err(_) => self.error(format!("`{n}` is not an integer in range")),
            },
            _ => self.expected("an integer"),
        }
    }

    /// Reads a float.
    pub fn float(&mut self) -> Parsed<f64> {
        // A minus before a letter is a separate token: `-inf`, but also `-a+b` in dimensions.
        if self.eat('-') {
            return match self.token {
                Token::Word(_) => self.unsigned_float().map(|x| -x),
                _ => self.expected("a number"),
            };
        }
        self.unsigned_float()
    }

    fn unsigned_float(&mut self) -> Parsed<f64> {
        let text = match self.token {
            Token::Number(t) | Token::Word(t @ ("nan" | "inf")) => t,
            _ => return self.expected("a number"),
        };
        match text.parse() {
            Ok(value) => {
                self.advance();
                Ok(value)
            }
            Err(_) => self.error(format!("`{text}` is not a number")),
        }
    }

    /// Reads a quoted string.
    pub fn string(&mut self) -> Parsed<String> {
        match &mut self.token {
            Token::Text(text) => {
                let text = std::mem::take(text);
                self.advance();
                Ok(text)
            }
            _ => self.expected("a quoted string"),
        }
    }

    /// Reads the name of a variant.
    pub fn named<T: Named>(&mut self) -> Parsed<T> {
        let Token::Word(word) = self.token else { return self.expected(&format!("a {}", T::WHAT)) };
        match T::from_name(word) {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => {
                let names: Vec<&str> = T::VARIANTS.iter().map(|v| v.name()).collect();
                self.error(format!("`{word}` is not a {}; there are {}", T::WHAT, names.join(", ")))
            }
        }
    }

    /// Reads an element type.
    pub fn dtype(&mut self) -> Parsed<DType> {
        let Token::Word(word) = self.token else { return self.expected("an element type") };
        match DType::from_name(word) {
            Some(dtype) => {
                self.advance();
                Ok(dtype)
            }
            None => self.error(format!("`{word}` is not an element type")),
        }
    }

    /// Reads `[a, b, …]`.
    pub fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect('[')?;
        let mut items = Vec::new();
        if self.eat(']') {
            return Ok(items);
        }
        self.nested(|p| {
            loop {
                items.push(each(p)?);
                if p.eat(']') {
                    return Ok(items);
                }
                p.expect(',')?;
            }
        })
    }

    /// Reads a shape: an element type and dimensions in brackets.
    pub fn shape(&mut self) -> Parsed<Shape> {
        let dtype = self.dtype()?;
        let dims = self.list(Self::dim)?;
        Ok(Shape::from_dims(&dims, dtype))
    }

    /// Reads a dimension expression.
    pub fn dim(&mut self) -> Parsed<Dim> {
        let mut parts = vec![(false, self.dim_product()?)];
        loop {
            let negated = if self.eat('+') {
                false
            } else if self.eat('-') {
                true
            } else if matches!(self.token, Token::Number(n) if n.starts_with('-')) {
                false
            } else {
                break;
            };
            parts.push((negated, self.dim_product()?));
        }
        // All at once, so that the time stays proportional to the length of the text.
        let sum = if let [(false, one)] = &parts[..] { one.clone() } else { Dim::signed_sum(&parts) };
        self.check_dim(&sum)?;
        Ok(sum)
    }

    fn check_dim(&self, dim: &Dim) -> Parsed<()> {
        dim.check().or_else(|e| self.error(e.to_string()))
    }

    fn dim_product(&mut self) -> Parsed<Dim> {
        let first = self.dim_atom()?;
        if self.token != Token::Mark('*') {
            return Ok(first);
        }
        let mut factors = vec![first];
        while self.eat('*') {
            factors.push(self.dim_atom()?);
        }
        let product = Dim::product(factors);
        self.check_dim(&product)?;
        Ok(product)
    }

    fn dim_atom(&mut self) -> Parsed<Dim> {
        match &self.token {
            Token::Number(n) if n.starts_with('-') => {
                let value: i64 = self.integer()?;
                Ok(Dim::Static(0).offset(value))
            }
            Token::Number(_) => self.integer().map(Dim::Static),
            Token::Text(_) => self.string().map(|s| Dim::dynamic(&s)),
            Token::Mark('-') => {
                self.advance();
                let negated = &Dim::Static(0) - &self.nested_dim(Self::dim_atom)?;
                self.check_dim(&negated)?;
                Ok(negated)
            }
            Token::Word(function @ ("floordiv" | "max")) => {
                let floor = *function == "floordiv";
                self.advance();
                self.expect('(')?;
                let (a, b) = self.nested_dim(|p| {
                    let a = p.dim()?;
                    p.expect(',')?;
                    Ok((a, p.dim()?))
                })?;
                self.expect(')')?;
                let value = if floor { a.floor_div(&b) } else { a.larger(&b) };
                self.check_dim(&value)?;
                Ok(value)
            }
            Token::Word(_) => self.word("a dimension").map(Dim::dynamic),
            _ => self.expected("a dimension"),
        }
    }

    pub(crate) fn attribute<T: Attr>(&mut self, name: &str) -> Parsed<T> {
        let open = if self.in_attributes { ',' } else { '{' };
        if !self.eat(open) {
            return self.expected(&format!("`{open}` and the attribute `{name}`"));
        }
        self.in_attributes = false;
        let value = self.field(name)?;
        self.in_attributes = true;
        Ok(value)
    }

    /// Reads `{a = …, b = …}`, where `fields` reads each field as an attribute.
    pub(crate) fn structure<T>(&mut self, fields: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let value = fields(self)?;
        self.close_attributes()?;
        Ok(value)
    }

    /// Reads the brace after the last attribute, if there is one.
    fn close_attributes(&mut self) -> Parsed<()> {
        if std::mem::replace(&mut self.in_attributes, false) { self.expect('}') } else { Ok(()) }
    }

    /// Reads `name = value`.
    fn field<T: Attr>(&mut self, name: &str) -> Parsed<T> {
        if !self.eat_word(name) {
            return self.expected(&format!("the attribute `{name}`"));
        }
        self.expect('=')?;
        T::parse(self)
    }

    /// Reads a whole graph.
    pub fn graph(&mut self) -> Parsed<Graph> {
        self.nested(Self::graph_body)
    }

    fn graph_body(&mut self) -> Parsed<Graph> {
        if !self.eat_word("graph") {
            return self.expected("`graph`");
        }
        let mut graph = Graph::new(self.string()?);
        self.expect('{')?;
        let mut names = HashMap::new();
        while let Token::Value(name) = self.token {
            if names.contains_key(name) {
                return self.error(format!("`%{name}` is defined twice"));
            }
            self.advance();
            let id = self.node(&mut graph, &names)?;
            names.insert(name, id);
        }
        if !self.eat_word("return") {
            return self.expected("a node or `return`");
        }
        graph.set_label("");
        let mut outputs = Vec::new();
        while let Token::Value(_) = self.token {
            outputs.push(self.value(&names)?);
            if !self.eat(',') {
                break;
            }
        }
        graph.set_outputs(outputs);
        self.expect('}')?;
        Ok(graph)
    }

    fn value(&mut self, names: &HashMap<&str, NodeId>) -> Parsed<NodeId> {
        let Token::Value(name) = self.token else { return self.expected("a value (`%…`)") };
        match names.get(name) {
            Some(&id) => {
                self.advance();
                Ok(id)
            }
            None => self.error(format!(
                "`%{name}` is used before it is defined: it is missing, or the graph has a cycle"
            )),
        }
    }

    /// The meaning of a mnemonic: an elementwise function, or a kind of op.
    pub(super) fn mnemonic(&self, mnemonic: &str) -> Parsed<Mnemonic> {
        let unary = UnaryOp::from_name(mnemonic).map(Mnemonic::Unary);
        let elementwise = unary.or_else(|| BinaryOp::from_name(mnemonic).map(Mnemonic::Binary));
        match elementwise.or_else(|| OpKind::from_name(mnemonic).map(Mnemonic::Kind)) {
            Some(named) => Ok(named),
            None => self.error(format!("`{mnemonic}` is not an op")),
        }
    }

    /// Reads the attributes of an op, which completes it.
    pub(super) fn attributes(&mut self, named: Mnemonic) -> Parsed<Op> {
        let op = match named {
            Mnemonic::Unary(op) => Op::Unary { op },
            Mnemonic::Binary(op) => Op::Binary { op },
            Mnemonic::Kind(kind) => Op::parse_attributes(kind, self)?,
        };
        self.close_attributes()?;
        Ok(op)
    }

    fn node(&mut self, graph: &mut Graph, names: &HashMap<&str, NodeId>) -> Parsed<NodeId> {
        self.expect('=')?;
        let (op, inputs) = self.op_on(|p| {
            let mut inputs = Vec::new();
            if p.at_value() {
                inputs.push(p.value(names)?);
                while p.eat(',') {
                    inputs.push(p.value(names)?);
                }
            }
            Ok(inputs)
        })?;
        self.expect(':')?;
        let results = if self.eat('(') {
            let mut shapes = vec![self.shape()?];
            while self.eat(',') {
                shapes.push(self.shape()?);
            }
            self.expect(')')?;
            shapes
        } else {
            vec![self.shape()?]
        };
        let label = if self.eat('@') { self.string()? } else { String::new() };
        graph.set_label(label);
        Ok(graph.push(op.shared(), inputs, results))
    }

    /// Fails unless the whole text has been read.
    pub fn end(&mut self) -> Parsed<()> {
        if self.token == Token::End && self.lexical.is_none() {
            Ok(())
        } else {
            self.expected("the end of the text")
        }
    }
}
