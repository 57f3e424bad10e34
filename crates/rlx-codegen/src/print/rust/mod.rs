//! The printer of Rust: a kernel becomes a function over slices, without dependencies, `unsafe` or allocation.
//!
//! It is the example for other printers. A language is a type with its options (`Rust` here), for which these files are
//! written:
//! - `statements.rs`: [`Statements`], the lines; [`Language`], its name and its words;
//! - `scalars.rs`: [`Scalars`], types and numbers, and the text for each function of the op table;
//! - `support.rs`: a module in the language itself, which is printed once per program. It defines what the op table
//!   requires and the language lacks: division by 0, shifts beyond the width, maxima of NaN, narrow floats, missing
//!   functions.
//!
//! The rest is [`print`](super::print()). Tests run the printed code (`tests/printed_rust.rs`).
//!
//! In Rust, parallel loops are plain loops. Slices are indexed with bounds checks, so a kernel with slices that are too
//! short panics, and does nothing worse.

mod elementary;
mod scalars;
mod statements;
mod support;
#[cfg(test)]
mod tests;

pub use support::{Math, support};

use super::{Language, PrintError, PrintedFunction, Scalars, Statements, expression_in, print};
use crate::kernel::{BufferId, Kernel};
use rlx_ir::{DType, Dim, DimError, Symbol};

/// What a function may rely on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options<'a> {
    /// Marks parameters that the caller passes as the little-endian bytes of their elements, such as files that are
    /// read in place. They are only read. Parameters past the end are not marked.
    pub packed: &'a [bool],
    /// Whether functions of f32 may use a multiply-add that rounds once, because it is an instruction where the function runs.
    pub fused: bool,
}

/// The language.
#[derive(Clone, Debug, Default)]
struct Rust {
    /// The buffers that are passed as bytes.
    packed: Vec<BufferId>,
    /// Whether functions of f32 may use the machine's multiply-add.
    fused: bool,
}

/// Prints a kernel as a function with this name. Its arguments are a slice per parameter of the kernel, one per array
/// of scratch memory, and a `usize` per size.
pub fn function(kernel: &Kernel, name: &str) -> Result<PrintedFunction, PrintError> {
    function_with(kernel, name, &Options::default())
}

/// Prints a kernel as a function with this name and these options.
pub fn function_with(
    kernel: &Kernel,
    name: &str,
    options: &Options<'_>,
) -> Result<PrintedFunction, PrintError> {
    let params = (0..).map(BufferId::new).zip(&kernel.buffers).filter(|(_, buffer)| buffer.place.is_param());
    let packed = params.zip(options.packed).filter(|(_, packed)| **packed).map(|((id, _), _)| id);
    print(kernel, name, &Rust { packed: packed.collect(), fused: options.fused })
}

/// Returns whether a word is reserved in Rust.
pub fn is_reserved(word: &str) -> bool {
    Rust::is_reserved(word)
}

/// Returns the type of a buffer's elements as the function takes them: floats below f32 as their bits, complex numbers as pairs.
pub fn element(dtype: DType) -> &'static str {
    Rust::default().stored(dtype)
}

/// Returns the text that reads an element from its bytes in memory. `place` is the text of their position.
pub fn element_of_bytes(dtype: DType, place: &str) -> String {
    scalars::of_bytes(dtype, place)
}

/// Writes a size, or a position in memory, as an expression of type `usize`. `name` returns the `isize` variable of each symbol.
pub fn size(dim: &Dim, name: &dyn Fn(&Symbol) -> String) -> Result<String, DimError> {
    let text = signed(dim, name)?;
    Ok(if dim.as_static().is_some() { text } else { Rust::default().at(&text) })
}

/// Does the same as an expression of type `isize`, which may be negative.
pub fn signed(dim: &Dim, name: &dyn Fn(&Symbol) -> String) -> Result<String, DimError> {
    expression_in(&Rust::default(), dim, name)
}
