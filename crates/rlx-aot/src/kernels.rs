//! The kernels of a program as functions; kernels with equal text become one function.

use crate::targets::{Target, attribute};
use rlx_codegen::print::rust::{Options, function_with};
use rlx_codegen::print::{PrintError, PrintedFunction};
use rlx_codegen::{Kernel, print};
use rlx_ir::Symbol;
use std::collections::HashMap;

/// The functions collected so far.
#[derive(Default)]
pub(crate) struct Kernels {
    /// The index of each function, keyed by its text under a common name.
    known: HashMap<String, usize>,
    pub(crate) functions: Vec<PrintedKernel>,
}

/// A function of the program.
pub(crate) struct PrintedKernel {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The sizes that it takes after all other arguments.
    pub(crate) sizes: Vec<Symbol>,
}

impl Kernels {
    /// Prints the function of a kernel.
    pub(crate) fn printed(kernel: &Kernel, target: &Target) -> Result<PrintedFunction, PrintError> {
        function_with(kernel, "kernel", &Options { packed: &[], fused: target.fused })
    }

    /// Adds the function of a kernel. The parameters that `packed` marks are passed as bytes.
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

/// Returns a name as a lower-case Rust identifier.
pub(crate) fn identifier(name: &str) -> String {
    let mut text = rlx_escape::identifier(name, 'x').to_ascii_lowercase();
    if print::rust::is_reserved(&text) {
        text.push('_');
    }
    text
}
