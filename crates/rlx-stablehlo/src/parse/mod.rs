//! Text to [`Module`]: recursive descent over tokens, one file per part of the grammar.
//!
//! Reading is linear in the text, and uses a small multiple of its memory (READ-1). An operation with an unknown short
//! form is listed and skipped, so that all of them are reported at once. Any other error ends reading.

mod aliases;
mod attributes;
mod cursor;
mod dense;
mod dialects;
mod functions;
mod lexer;
mod locations;
mod operations;
mod pretty;
mod scopes;
mod types;

use crate::diagnostics::Diagnostics;
use crate::syntax::Module;
use cursor::Parser;

/// Reads a module.
///
/// # Errors
///
/// Fails at the first place where the text is not MLIR that this parser reads. The error also lists all earlier
/// operations with an unknown short form, which are [`unsupported`](crate::Diagnostic::unsupported).
pub fn parse(text: &str) -> Result<Module, Diagnostics> {
    let mut parser = Parser::new(text);
    parser.find_locations();
    match parser.module() {
        Ok(module) if !parser.has_listed() => Ok(module),
        Ok(_) => Err(parser.into_diagnostics(None)),
        Err(error) => Err(parser.into_diagnostics(Some(*error))),
    }
}
