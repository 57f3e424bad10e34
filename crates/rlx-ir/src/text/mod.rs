//! The text form of graphs (`.rlx` files): `print` writes it, `parse` reads it, and reading what was written gives an equal
//! graph.
//!
//! ```text
//! graph "hello" {
//!   %0 = input {name = "x"} : f32[1,4]
//!   %1 = param {name = "w"} : f32[4,2]
//!   %2 = matmul %0, %1 : f32[1,2] @ "layer.0"
//!   return %2
//! }
//! ```
//!
//! A node is `%name = op operands {attributes} : shape @ "label"`; operands, attributes and label are left out if there are none.
//! A node with several results lists their shapes in parentheses. Comments run from `//` to the end of the line. Sub-graphs are
//! attributes in the same form.
//!
//! **IR-2**: `Graph::parse(graph.to_string())` equals the graph.

mod lexer;
mod parse;
mod print;

pub use parse::{ParseError, Parser};
pub use print::Printer;

use crate::graph::Graph;
use crate::op::Op;

impl Graph {
    /// Reads the text form. The result is well formed (operands are defined before use) but not verified.
    pub fn parse(text: &str) -> Result<Graph, ParseError> {
        let mut parser = Parser::new(text);
        let graph = parser.graph()?;
        parser.end()?;
        Ok(graph)
    }
}

impl Op {
    /// The attributes in the text form, `{axis = 1}`; empty if there are none. Together with [`Op::mnemonic`] they describe the
    /// whole op, and [`Op::from_text`] reads them back.
    pub fn attributes_text(&self) -> String {
        let mut printer = Printer::new();
        printer.attributes(self);
        printer.finish().trim_start().to_string()
    }

    /// The op with this mnemonic and these attributes, as [`Op::attributes_text`] writes them.
    pub fn from_text(mnemonic: &str, attributes: &str) -> Result<Op, ParseError> {
        let mut parser = Parser::new(attributes);
        let named = parser.mnemonic(mnemonic)?;
        let op = parser.attributes(named)?;
        parser.end()?;
        Ok(op)
    }
}

impl std::fmt::Display for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut printer = Printer::new();
        printer.graph(self);
        f.write_str(&printer.finish())
    }
}
