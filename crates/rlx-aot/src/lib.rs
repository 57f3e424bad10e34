//! Compiles programs ahead of time to Rust crates that depend on nothing of RLX.
//!
//! A lowered graph becomes kernels as functions, one function that calls them in order, and a file of weights
//! that is used in place. This is an emitter: it claims what kernels can express
//! ([`KernelClaims`]), and control flow becomes Rust's.
//!
//! - Sizes that are symbols stay symbols up to a maximum. The lengths of slices tell them when the program
//!   runs, memory is planned for the largest, and places have extents that are expressions.
//! - What the crate does is a list of `Action`s on places. The Rust compiler checks the plan, as nothing in it
//!   is `unsafe`: slices that a call reads and writes are borrowed together. Memory is allocated once.
//! - The code is written once per target (a machine with its instructions), with the schedules that are chosen
//!   for it, and the program picks one when it starts. That call is one of two `unsafe` blocks; the other lets
//!   threads work on what their caller borrows. With `no_std` there is one target and no `unsafe`.
//! - A launch that only reads weights (a packing) is run when the crate is written.
//!
//! `folded` computes what depends on parameters alone, `nested` plans memory for the graph and the graphs
//! inside it, `bounds` and `defined` say how large sizes may be and for which the graph is defined, `targets`
//! lists the machines, `steps` writes the plan as calls and loops, `places` gives values their memory, `data`
//! lays out the weights, and `sizes`, `calls`, `shares`, `run` and `print` write the text. `module` gives the
//! same as one module, for `rlx-macros`.

mod bounds;
mod calls;
mod data;
mod defined;
mod folded;
mod kernels;
mod module;
mod nested;
mod places;
mod print;
mod run;
mod shares;
mod sizes;
mod steps;
mod targets;

pub use crate::module::{Module, module};

use crate::steps::{Planned, PlannedFor};
use rlx_codegen::KernelClaims;
use rlx_codegen::print::rust::Math;
use rlx_compile::{Claims, EmitError, EmittedFile, Emitter, Lowered, ParamValues};
use rlx_ir::{Bindings, Graph};

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
#[derive(Clone, Debug, Default)]
pub struct RustEmitter {
    /// For machines without the standard library: memory is an array, and functions of floats are the crate `libm`'s.
    pub no_std: bool,
    /// Where the weights are.
    pub weights: Weights,
    /// Whether the crate has a feature `threads`, with which launches are shared between threads. It needs the standard library.
    pub threads: bool,
    /// The largest size of each symbol that the graph has. The lengths of what a program is passed tell it the sizes, and its memory is that of the
    /// largest.
    pub largest: Bindings,
    /// Whether `run` is passed the sizes themselves, in the order of the graph's symbols, before the slices.
    pub passes_sizes: bool,
}

/// Names that crates have already: those of Rust's own libraries, and of the one that crates without it depend on.
const TAKEN: [&str; 6] = ["alloc", "core", "libm", "proc_macro", "std", "test"];

/// The name of a graph's crate, as programs that use it write it.
pub fn crate_name(graph: &Graph) -> String {
    let mut name = kernels::identifier(graph.name());
    if TAKEN.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The target's name.
const TARGET: &str = "rust";

/// Control flow becomes Rust's. Ops whose expansion needs numbers are refused by whoever emits.
const CLAIMS: KernelClaims = KernelClaims { symbols: true, custom_ops: false };

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
        let symbols = lowered.graph().symbols();
        let unbounded = symbols.iter().filter(|symbol| !self.largest.contains_key(symbol));
        let symbols: Vec<String> = unbounded.map(|symbol| format!("`{symbol}`")).collect();
        if !symbols.is_empty() {
            return Err(EmitError::Unbounded { target: TARGET.into(), symbols });
        }
        let planned = Planned::of(
            lowered,
            params,
            PlannedFor {
                targets: targets::targets(self.no_std),
                threads: self.has_threads(),
                largest: &self.largest,
            },
        )?;
        Ok(print::files(self, lowered.graph(), planned))
    }
}
