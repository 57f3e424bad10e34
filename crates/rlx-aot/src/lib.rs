//! Compiles programs ahead of time to Rust crates that do not depend on RLX.
//!
//! A lowered graph becomes one function per kernel, one function that calls them in order, and a file of weights that
//! is used in place. The crate provides an emitter. It claims every op that kernels can express ([`KernelClaims`]) and
//! turns control flow into Rust control flow.
//!
//! - Sizes may stay symbolic up to a maximum. At run time they follow from the lengths of slices. Memory is planned for
//!   the maximum, and the size of each value in it is an expression.
//! - The emitted function is the list of [`Action`](rlx_compile::Action)s of the planned program, on typed places. None of its code is `unsafe`, so the Rust compiler checks
//!   the plan: the slices that a call reads and writes are borrowed together. Memory is allocated once.
//! - The code is written once per target (a machine with its instructions), with the schedules chosen for it, and the
//!   program picks a target when it starts. The call of this target's code is one of two `unsafe` blocks; the other
//!   lets threads work on data that their caller borrows. With `no_std` there is one target and no `unsafe`.
//! - A launch that only reads weights, such as one that packs them, is run when the crate is written.
//!
//! `folded` computes values that depend only on parameters. `planning` plans the program and lowers its kernels. `bounds` and `defined` find the largest sizes and the sizes for which the graph is defined. `targets` lists the
//! machines, `steps` turns calls of kernels into calls of functions, `places` gives values their memory, and `data` lays out the
//! weights. `sizes`, `calls`, `shares`, `run` and `print` write the text. `module` returns a program as one module, for
//! `rlx-macros`.

mod bounds;
mod calls;
mod data;
mod defined;
mod folded;
mod kernels;
mod module;
mod places;
mod planning;
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

/// Where the weights of an emitted crate are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weights {
    /// In the program, with `include_bytes!`.
    #[default]
    Embedded,
    /// In a file next to the crate. The caller reads it, or maps it into memory, and passes its bytes.
    Passed,
}

/// Writes programs as Rust crates.
#[derive(Clone, Debug, Default)]
pub struct RustEmitter {
    /// Whether the crate runs without the standard library: memory is then an array, and float functions come from the crate `libm`.
    pub no_std: bool,
    /// Where the weights are stored.
    pub weights: Weights,
    /// Whether the crate has a feature `threads`, which shares launches between threads. It needs the standard library.
    pub threads: bool,
    /// The maximum size of each symbol of the graph. A program finds its sizes from the lengths of its arguments, and
    /// its memory is that of the maximum.
    pub largest: Bindings,
    /// Whether `run` takes the sizes themselves, in the order of the graph's symbols, before the slices.
    pub passes_sizes: bool,
}

/// Names that other crates already have: Rust's own libraries, and `libm`, which crates without the standard library depend on.
const TAKEN: [&str; 6] = ["alloc", "core", "libm", "proc_macro", "std", "test"];

/// Returns the name of a graph's crate as its users write it.
pub fn crate_name(graph: &Graph) -> String {
    let mut name = kernels::identifier(graph.name());
    if TAKEN.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The name of this emitter's target.
const TARGET: &str = "rust";

/// Control flow becomes Rust control flow. Ops whose expansion needs static sizes are refused when the program is emitted.
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
