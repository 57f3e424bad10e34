//! Prints the text form.

use crate::dtype::{Class, DType};
use crate::graph::Graph;
use crate::literal::Literal;
use crate::node::Node;
use crate::numeric::Scalar;
use crate::op::Op;
use std::fmt::{Display, Write};

/// Literals with at most this many elements are printed as numbers, larger ones as bytes in hexadecimal.
const READABLE_ELEMENTS: usize = 64;

/// Comes before the first attribute of an op.
const OPENING: &str = " {";

/// Comes before the first field of a structure that is an attribute.
const NESTED: &str = "{";

/// Comes before the other attributes.
const BETWEEN: &str = ", ";

/// Accumulates the text form.
pub struct Printer {
    out: String,
    indent: usize,
    /// What comes before the next attribute: [`OPENING`], [`NESTED`] or [`BETWEEN`].
    before_attribute: &'static str,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Printer { out: String::new(), indent: 0, before_attribute: OPENING }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// Writes a bare word.
    pub fn word(&mut self, word: &str) {
        self.out.push_str(word);
    }

    /// Writes a value as its `Display` does.
    pub fn display(&mut self, value: &dyn Display) {
        // INVARIANT: writing to a String does not fail.
        let _ = write!(self.out, "{value}");
    }

    /// Writes a quoted string.
    pub fn string(&mut self, text: &str) {
        self.display(&format_args!("{text:?}"));
    }

    /// Writes a float such that reading it gives the same value.
    pub fn float(&mut self, x: f64) {
        if x.is_nan() { self.word("nan") } else { self.display(&format_args!("{x:?}")) }
    }

    /// Writes `[a, b, …]`.
    pub fn list<T>(&mut self, items: &[T], each: impl Fn(&mut Self, &T)) {
        self.word("[");
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.word(", ");
            }
            each(self, item);
        }
        self.word("]");
    }

    pub(crate) fn attribute(&mut self, name: &str, value: impl FnOnce(&mut Self)) {
        self.word(self.before_attribute);
        self.word(name);
        self.word(" = ");
        self.before_attribute = OPENING;
        value(self);
        self.before_attribute = BETWEEN;
    }

    /// Writes `{a = …, b = …}`, where `fields` writes each field as an attribute.
    pub(crate) fn structure(&mut self, fields: impl FnOnce(&mut Self)) {
        self.before_attribute = NESTED;
        fields(self);
        self.close_attributes();
    }

    /// Writes the shape and the elements of a constant.
    pub fn literal(&mut self, literal: &Literal) {
        self.display(literal.shape());
        let size = literal.dtype().size();
        if literal.len() > READABLE_ELEMENTS {
            self.word(" hex \"");
            for byte in literal.bytes() {
                self.display(&format_args!("{byte:02x}"));
            }
            self.word("\"");
            return;
        }
        self.word(" [");
        for (i, element) in literal.bytes().chunks_exact(size).enumerate() {
            if i > 0 {
                self.word(", ");
            }
            self.element(literal.dtype(), element);
        }
        self.word("]");
    }

    fn element(&mut self, dtype: DType, bytes: &[u8]) {
        match (dtype.class(), Scalar::read(dtype, bytes)) {
            (Class::Complex, _) => {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                self.word("(");
                self.element(dtype.real(), re);
                self.word(", ");
                self.element(dtype.real(), im);
                self.word(")");
            }
            (Class::Bool, scalar) => self.word(if scalar == Scalar::Int(1) { "true" } else { "false" }),
            (_, Scalar::Float(x)) if x.is_nan() => {
                // The payload of a NaN matters in a bit-exact constant.
                self.word("0x");
                for byte in bytes.iter().rev() {
                    self.display(&format_args!("{byte:02x}"));
                }
            }
            (_, Scalar::Float(x)) if dtype == DType::F32 => self.display(&format_args!("{:?}", x as f32)),
            (_, Scalar::Float(x)) => self.display(&format_args!("{x:?}")),
            (_, Scalar::Int(x)) => self.display(&x),
            (_, Scalar::Complex(_)) => {}
        }
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        (0..self.indent).for_each(|_| self.out.push_str("  "));
    }

    /// Writes a whole graph.
    pub fn graph(&mut self, graph: &Graph) {
        let outer = std::mem::replace(&mut self.before_attribute, OPENING);
        self.word("graph ");
        self.string(graph.name());
        self.word(" {");
        self.indent += 1;
        for node in graph.nodes() {
            self.new_line();
            self.node(node);
        }
        self.new_line();
        self.word("return");
        for (i, output) in graph.outputs().iter().enumerate() {
            self.word(if i > 0 { ", " } else { " " });
            self.display(output);
        }
        self.indent -= 1;
        self.new_line();
        self.word("}");
        if self.indent == 0 {
            self.out.push('\n');
        }
        self.before_attribute = outer;
    }

    /// Writes the attributes of an op in braces after a space, or nothing if there are none.
    pub(super) fn attributes(&mut self, op: &Op) {
        if !matches!(op, Op::Unary { .. } | Op::Binary { .. }) {
            op.print_attributes(self);
        }
        self.close_attributes();
    }

    /// Writes the brace after the last attribute, if there is one.
    fn close_attributes(&mut self) {
        if std::mem::replace(&mut self.before_attribute, OPENING) == BETWEEN {
            self.word("}");
        }
    }

    fn node(&mut self, node: &Node) {
        self.display(&node.id());
        self.word(" = ");
        self.word(node.op().mnemonic());
        for (i, input) in node.inputs().iter().enumerate() {
            self.word(if i > 0 { ", " } else { " " });
            self.display(input);
        }
        self.attributes(node.op());
        self.word(" : ");
        match node.results() {
            [one] => self.display(one),
            many => {
                self.word("(");
                for (i, shape) in many.iter().enumerate() {
                    if i > 0 {
                        self.word(", ");
                    }
                    self.display(shape);
                }
                self.word(")");
            }
        }
        if !node.label().is_empty() {
            self.word(" @ ");
            self.string(node.label());
        }
    }
}

impl Display for Scalar {
    /// A number in a form that shows its class and keeps every bit: integers without a point, floats with one, complex numbers as
    /// `(re, im)`, and NaN as its bits in f64.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Int(x) => write!(f, "{x}"),
            Scalar::Float(x) if x.is_nan() => write!(f, "{:#x}", x.to_bits()),
            Scalar::Float(x) => write!(f, "{x:?}"),
            Scalar::Complex(z) => write!(f, "({}, {})", Scalar::Float(z.re), Scalar::Float(z.im)),
        }
    }
}
