//! Imports text as graphs. Owns the result types and the entry; what each family of operations becomes stands
//! in the files below.

mod attributes;
mod batch_norm;
pub(crate) mod bodies;
mod checks;
mod chlo;
mod collective;
mod constants;
mod context;
mod contraction;
mod control;
mod convolution;
mod custom_call;
mod dynamic;
mod elementwise;
mod indexing;
mod lapack;
mod linalg;
mod narrow;
mod program;
mod random;
mod reduction;
mod region;
mod restored;
mod rules;
mod scope;
mod shape;
mod sizes;
mod sort;
mod top_k;
mod types;
mod window;

use restored::form_of;
pub use restored::restored;

use crate::diagnostics::Diagnostics;
use crate::parse::parse;
use crate::syntax::Module;
use program::Importer;
use rlx_ir::Graph;

/// A program as a graph.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The program. Its outputs are the results of `main`, then two for each of [`Imported::checks`].
    pub graph: Graph,
    /// How many outputs are results of `main`.
    pub results: usize,
    /// What the program checks of itself, by the custom calls of the `check` dialect.
    pub checks: Vec<Check>,
}

/// A comparison of two outputs of the graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// How they are compared.
    pub how: Comparison,
    /// The output that holds what was computed.
    pub got: usize,
    /// The output that holds what is expected.
    pub expected: usize,
}

/// How a program compares what it computed with what it expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `check.expect_eq`: equal elements.
    Equal,
    /// `check.expect_close`: at most so many representable values apart (3 by default).
    Close {
        /// The distance.
        max_ulp: u64,
    },
    /// `check.expect_almost_eq`: within 1e-3.
    AlmostEqual,
}

/// Reads a module and makes a graph of its `main`.
pub fn import(text: &str) -> Result<Imported, Diagnostics> {
    import_module(&parse(text)?)
}

/// Makes a graph of the `main` of a module, or of its only public function.
///
/// Every size that the type of an argument leaves open is a symbol, `x_0` for axis 0 of `x`. Where the module itself asserts
/// that two of them are equal (by `shape_assertion`, as `jax.export` writes it), they are one symbol.
pub fn import_module(module: &Module) -> Result<Imported, Diagnostics> {
    let mut equal = Vec::new();
    // Each round knows the equalities that the rounds before found; few modules need more than two.
    for _ in 0..4 {
        let mut importer = Importer::new(module, equal.clone());
        let outcome = importer.main();
        let found = importer.into_equalities();
        if outcome.is_err() || found == equal {
            return outcome;
        }
        equal = found;
    }
    Importer::new(module, equal).main()
}

/// The rows of `functions.txt` for the results of a module's `main` as functions of its arguments: one per name. `inputs` says which
/// arguments of the function each argument of `main` is, as `0,1`; without it each is one.
///
/// A tool of `scripts/function_forms.py`, and no part of the interface.
#[doc(hidden)]
pub fn function_forms(
    text: &str,
    names: &[&str],
    inputs: &[String],
) -> Result<Vec<Option<String>>, Diagnostics> {
    let module = parse(text)?;
    let graph = Importer::new(&module, Vec::new()).of_primitives().main()?.graph;
    Ok(names.iter().enumerate().map(|(output, name)| form_of(name, &graph, output, inputs)).collect())
}
