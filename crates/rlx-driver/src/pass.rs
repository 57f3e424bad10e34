//! The passes of the compiler by name, and which graphs to print around them.

use std::fmt;
use std::str::FromStr;

/// A pass of the compiler, in the order in which they run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Pass {
    /// Inserts casts to the types that a precision policy requires.
    Precision,
    /// Decomposes ops that the backend does not claim into simpler ones.
    Legalize,
    /// Folds constants, merges equal nodes, and rewrites to cheaper ops.
    Simplify,
    /// Recognizes ops that the program spells out.
    Patterns,
    /// Groups nodes into kernels.
    Fuse,
    /// Orders nodes to use little memory.
    Schedule,
}

impl Pass {
    /// All passes, in order.
    pub const ALL: [Pass; 6] =
        [Pass::Precision, Pass::Legalize, Pass::Simplify, Pass::Patterns, Pass::Fuse, Pass::Schedule];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Pass::Precision => "precision",
            Pass::Legalize => "legalize",
            Pass::Simplify => "simplify",
            Pass::Patterns => "patterns",
            Pass::Fuse => "fuse",
            Pass::Schedule => "schedule",
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When to print the graph around a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrintWhen {
    /// Before the pass.
    Before,
    /// After the pass.
    After,
    /// After the pass, if it changed the graph.
    Changed,
}

/// Which graphs to print during compilation: `before`, `after` or `changed`, optionally for a single pass with `:PASS`.
///
/// ```
/// use rlx_driver::{Pass, PrintIr, PrintWhen};
///
/// let print: PrintIr = "changed:fuse".parse().unwrap();
/// assert_eq!(print, PrintIr { when: PrintWhen::Changed, pass: Some(Pass::Fuse) });
/// assert!("after:fusion".parse::<PrintIr>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PrintIr {
    /// When to print.
    pub when: PrintWhen,
    /// The pass, or `None` for all passes.
    pub pass: Option<Pass>,
}

/// The error for a text with an unknown pass or time to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected before, after or changed, and optionally a colon and a pass: precision, legalize, simplify, patterns, fuse or schedule"
)]
pub struct BadPrintIr;

impl FromStr for PrintIr {
    type Err = BadPrintIr;

    fn from_str(text: &str) -> Result<PrintIr, BadPrintIr> {
        let (when, pass) = text.split_once(':').map_or((text, None), |(when, pass)| (when, Some(pass)));
        let when = match when {
            "before" => PrintWhen::Before,
            "after" => PrintWhen::After,
            "changed" => PrintWhen::Changed,
            _ => return Err(BadPrintIr),
        };
        let find = |name: &str| Pass::ALL.into_iter().find(|pass| pass.name() == name).ok_or(BadPrintIr);
        Ok(PrintIr { when, pass: pass.map(find).transpose()? })
    }
}
