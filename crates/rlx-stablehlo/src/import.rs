//! Imports text as graphs. Owns the result types and the entry points; the files below import one family of operations
//! each.

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

/// An imported program.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The program. Its outputs are the results of `main`, followed by two for each of [`Imported::checks`].
    pub graph: Graph,
    /// The number of outputs that are results of `main`.
    pub results: usize,
    /// The checks that the program makes of itself, with the operations and custom calls of the `check` dialect.
    pub checks: Vec<Check>,
}

/// A comparison of two outputs of the graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// How the two are compared.
    pub how: Comparison,
    /// The output that holds the computed value.
    pub got: usize,
    /// The output that holds the expected value.
    pub expected: usize,
}

/// How a program compares a computed value with the expected one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `check.expect_eq`: the elements are equal.
    Equal,
    /// `check.expect_close`: the elements are at most this many representable values apart (3 by default).
    Close {
        /// The maximum distance.
        max_ulp: u64,
    },
    /// `check.expect_almost_eq`: the elements differ by at most 1e-3, relatively or absolutely.
    AlmostEqual,
}

/// Parses a module and imports its `main` as a graph.
pub fn import(text: &str) -> Result<Imported, Diagnostics> {
    import_module(&parse(text)?)
}

/// Imports the `main` of a module, or its only public function, as a graph.
///
/// Every size that the type of an argument leaves open becomes a symbol, `x_0` for axis 0 of `x`. If the module asserts
/// that two of them are equal (with `shape_assertion`, as `jax.export` writes it), they become one symbol.
pub fn import_module(module: &Module) -> Result<Imported, Diagnostics> {
    let mut equal = Vec::new();
    // Each round knows the equalities that earlier rounds found. Few modules need more than two rounds.
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

/// Returns the rows of `functions.txt` for the results of a module's `main` as functions of its arguments, one row per
/// name. For each argument of `main`, `inputs` says which arguments of the function it is, as `0,1`; if it is empty,
/// each is one argument.
///
/// This is a tool for `scripts/function_forms.py` and not part of the interface.
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
