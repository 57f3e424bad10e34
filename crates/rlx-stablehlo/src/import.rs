//! Text to graphs.

use crate::diagnostics::Diagnostics;
use crate::parse::parse;
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
    let _ = parse(text)?;
    Ok(Imported { graph: Graph::new("main"), results: 0, checks: Vec::new() })
}
