//! Programs as Rust crates, ahead of time: a lowered graph becomes kernels as functions, one function that calls them in order, and a
//! file of weights that is read where it lies. The crate needs nothing of RLX and allocates its memory once. Kernels are scheduled and compiled for several instruction sets, of which the program takes
//! one when it starts: that call is its only `unsafe`, and without the standard library there is none.
//!
//! `claims` says what stays as it is, `nested` plans memory for the graph and the graphs inside it, `targets` are the instruction sets, `steps` writes it as calls and loops, `places` gives values their memory,
//! `data` lays out the weights, `print` is the text of it all.

mod calls;
mod claims;
mod data;
mod kernels;
mod nested;
mod places;
mod print;
mod steps;
mod targets;

use crate::steps::Planned;
use rlx_codegen::print::rust::Math;
use rlx_compile::{Claims, EmitError, EmittedFile, Emitter, Lowered, ParamValues};

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
}

/// The target's name.
const TARGET: &str = "rust";

impl RustEmitter {
    fn math(&self) -> Math {
        if self.no_std { Math::Libm } else { Math::Std }
    }
}

impl Emitter for RustEmitter {
    fn target(&self) -> &str {
        TARGET
    }

    fn claims(&self) -> &dyn Claims {
        &claims::KernelClaims
    }

    fn emit(&self, lowered: &Lowered, params: &ParamValues) -> Result<Vec<EmittedFile>, EmitError> {
        let planned = Planned::of(lowered, params, targets::targets(self.no_std))?;
        Ok(print::files(self, lowered.graph(), planned))
    }
}
