//! The printer of Rust: a kernel becomes a function over slices, without dependencies, `unsafe` or allocation.
//!
//! It is the example that other printers copy from. A language is a type with its options (`Rust` here), and what is written for it is
//! - `statements.rs`: [`Statements`], the lines; [`Language`], its name and its words;
//! - `scalars.rs`: [`Scalars`], types and numbers, and which text computes a function of the op table;
//! - `support.rs`: a module in the language itself, which is printed once per program. It defines what the op table asks for and the
//!   language lacks: division by 0, shifts beyond the width, maxima of NaN, narrow floats, functions that it has not.
//!
//! The rest is [`print`](super::print()). Tests run what is printed (`tests/printed_rust.rs`).
//!
//! In Rust, parallel loops are plain loops. Slices are indexed with checks, so a kernel that is passed too little panics, and nothing
//! else happens.

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
    /// Marks parameters that the caller passes as the bytes of their elements, little-endian: files that are read where they lie. They are
    /// read only; those past the end are not marked.
    pub packed: &'a [bool],
    /// Functions of f32 may use a multiply-add that rounds once: it is an instruction where the function runs.
    pub fused: bool,
}

/// The language.
#[derive(Clone, Debug, Default)]
struct Rust {
    /// Buffers that are passed as bytes.
    packed: Vec<BufferId>,
    /// Whether functions of f32 may use the machine's multiply-add.
    fused: bool,
}

/// A kernel as a function of this name. Its arguments are a slice per parameter of the kernel, one per array of scratch memory, and a
/// `usize` per size.
pub fn function(kernel: &Kernel, name: &str) -> Result<PrintedFunction, PrintError> {
    function_with(kernel, name, &Options::default())
}

/// A kernel as a function of this name, as the options say.
pub fn function_with(
    kernel: &Kernel,
    name: &str,
    options: &Options<'_>,
) -> Result<PrintedFunction, PrintError> {
    let params = (0..).map(BufferId::new).zip(&kernel.buffers).filter(|(_, buffer)| buffer.place.is_param());
    let packed = params.zip(options.packed).filter(|(_, packed)| **packed).map(|((id, _), _)| id);
    print(kernel, name, &Rust { packed: packed.collect(), fused: options.fused })
}

/// Whether Rust keeps a word for itself.
pub fn is_reserved(word: &str) -> bool {
    Rust::is_reserved(word)
}

/// The type of a buffer's elements, as the function takes them: floats below f32 as their bits, complex numbers as pairs.
pub fn element(dtype: DType) -> &'static str {
    Rust::default().stored(dtype)
}

/// The text of an element that lies in memory as its bytes, at the place that `place` is the text of.
pub fn element_of_bytes(dtype: DType, place: &str) -> String {
    scalars::of_bytes(dtype, place)
}

/// A size, or a place in memory, as an expression of the type `usize`. Symbols are variables of the type `isize`, whose names `name` tells.
pub fn size(dim: &Dim, name: &dyn Fn(&Symbol) -> String) -> Result<String, DimError> {
    let text = signed(dim, name)?;
    Ok(if dim.as_static().is_some() { text } else { Rust::default().at(&text) })
}

/// The same as an expression of the type `isize`, which may be negative.
pub fn signed(dim: &Dim, name: &dyn Fn(&Symbol) -> String) -> Result<String, DimError> {
    expression_in(&Rust::default(), dim, name)
}
