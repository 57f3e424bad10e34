//! Text to [`Module`].

use crate::diagnostics::{Diagnostics, Position};
use crate::syntax::Module;

/// Reads a module.
pub fn parse(text: &str) -> Result<Module, Diagnostics> {
    let _ = text;
    Err(Diagnostics::error(Position::default(), "not written yet"))
}
