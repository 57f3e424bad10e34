//! The kernels of a program as functions; kernels with equal text become one function.

use crate::targets::{Target, attribute};
use rlx_codegen::print::rust::{Options, function_with};
use rlx_codegen::print::{PrintError, PrintedFunction};
use rlx_codegen::{Kernel, print};
use rlx_ir::Symbol;
use std::collections::HashMap;

/// The functions so far.
#[derive(Default)]
pub(crate) struct Kernels {
    /// Functions by their text under one name.
    known: HashMap<String, usize>,
    pub(crate) functions: Vec<PrintedKernel>,
}

/// A function of the program.
pub(crate) struct PrintedKernel {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The sizes that it is passed behind all else.
    pub(crate) sizes: Vec<Symbol>,
}

impl Kernels {
    /// What the function of a kernel is like.
    pub(crate) fn printed(kernel: &Kernel, target: &Target) -> Result<PrintedFunction, PrintError> {
        function_with(kernel, "kernel", &Options { packed: &[], fused: target.fused })
    }

    /// The function of a kernel to which the parameters that `packed` marks are passed as bytes.
    pub(crate) fn add(
        &mut self,
        kernel: &Kernel,
        target: &Target,
        packed: &[bool],
    ) -> Result<usize, PrintError> {
        let options = Options { packed, fused: target.fused };
        let PrintedFunction { text, sizes, .. } = function_with(kernel, "kernel", &options)?;
        if let Some(&known) = self.known.get(&text) {
            return Ok(known);
        }
        let number = self.functions.len();
        let name = format!("{}_{number}", identifier(&kernel.name));
        let function = function_with(kernel, &name, &options)?;
        self.functions.push(PrintedKernel { name, text: attribute(target) + &function.text, sizes });
        self.known.insert(text, number);
        Ok(number)
    }
}

/// A name as a Rust identifier in lower case.
pub(crate) fn identifier(name: &str) -> String {
    let mut text = rlx_escape::identifier(name, 'x').to_ascii_lowercase();
    if print::rust::is_reserved(&text) {
        text.push('_');
    }
    text
}
