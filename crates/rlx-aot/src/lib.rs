//! Programs as Rust crates, ahead of time: a lowered graph becomes kernels as functions, one function that calls them in order, and a
//! file of weights that is read where it lies. The crate needs nothing of RLX and allocates its memory once. Kernels are scheduled and
//! compiled for several machines, of which the program takes one when it starts: that call is its only `unsafe`, and without the standard
//! library there is none.
//!
//! `folded` computes what needs no inputs, `nested` plans memory for the graph and the graphs inside it, `targets` are the machines that there is code
//! for, `steps` writes it as calls and loops, `places` gives values their memory, `data` lays out the weights, `calls`, `shares` and `print` are the text of it all,
//! `module` the same for other programs to take in.

mod calls;
mod data;
mod folded;
mod kernels;
mod module;
mod nested;
mod places;
mod print;
mod shares;
mod steps;
mod targets;

pub use crate::module::{Module, module};

use crate::nested::Plan;
use crate::steps::Planned;
use rlx_codegen::KernelClaims;
use rlx_codegen::print::rust::Math;
use rlx_compile::{Claims, EmitError, EmittedFile, Emitter, Lowered, ParamValues};
use rlx_ir::Graph;

/// Where the weights of an emitted crate are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weights {
    /// In the program, by `include_bytes!`.
    #[default]
    Embedded,
    /// In a file beside the crate, whose bytes the caller passes: read, or mapped into memory.
    Passed,
}

/// Writes programs as Rust crates.
#[derive(Clone, Copy, Debug, Default)]
pub struct RustEmitter {
    /// For machines without the standard library: memory is an array, and functions of floats are the crate `libm`'s.
    pub no_std: bool,
    /// Where the weights are.
    pub weights: Weights,
    /// Whether the crate has a feature `threads`, with which launches are shared between threads. It needs the standard library.
    pub threads: bool,
}

/// The name of a graph's crate, as programs that use it write it.
pub fn crate_name(graph: &Graph) -> String {
    kernels::identifier(graph.name())
}

/// The target's name.
const TARGET: &str = "rust";

/// Control flow becomes Rust's, and every size is a number.
const CLAIMS: KernelClaims = KernelClaims { symbols: false, custom_ops: false };

impl RustEmitter {
    fn math(&self) -> Math {
        if self.no_std { Math::Libm } else { Math::Std }
    }

    fn has_threads(&self) -> bool {
        self.threads && !self.no_std
    }
}

impl Emitter for RustEmitter {
    fn target(&self) -> &str {
        TARGET
    }

    fn claims(&self) -> &dyn Claims {
        &CLAIMS
    }

    fn emit(&self, lowered: &Lowered, params: &ParamValues) -> Result<Vec<EmittedFile>, EmitError> {
        let of = Plan { targets: targets::targets(self.no_std), threads: self.has_threads() };
        let planned = Planned::of(lowered, params, of)?;
        Ok(print::files(self, lowered.graph(), planned))
    }
}
