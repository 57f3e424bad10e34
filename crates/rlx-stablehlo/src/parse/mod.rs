//! Text to [`Module`]: recursive descent over tokens, one file per part of the grammar.
//!
//! Reading is linear in the text, and its memory a small multiple of it (READ-1). An operation whose short form
//! is not known is listed and skipped, so that all of them are named at once; any other mistake ends the
//! reading.

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
/// The first place where the text is not MLIR as this reader knows it, after every operation before it whose short form
/// has no reading; those are [`unsupported`](crate::Diagnostic::unsupported).
pub fn parse(text: &str) -> Result<Module, Diagnostics> {
    let mut parser = Parser::new(text);
    parser.find_locations();
    match parser.module() {
        Ok(module) if !parser.has_listed() => Ok(module),
        Ok(_) => Err(parser.into_diagnostics(None)),
        Err(error) => Err(parser.into_diagnostics(Some(*error))),
    }
}
