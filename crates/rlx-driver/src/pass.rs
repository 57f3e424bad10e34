//! The passes of the compiler by name, and what is printed of them.

use std::fmt;
use std::str::FromStr;

/// A pass of the compiler, in the order in which they run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Pass {
    /// Casts to the types that a precision policy asks for.
    Precision,
    /// What the backend does not claim, in simpler ops.
    Legalize,
    /// Folding, sharing and rewriting to less work.
    Simplify,
    /// Ops that the program wrote out.
    Patterns,
    /// Nodes grouped into one kernel.
    Fuse,
    /// An order of little memory.
    Schedule,
}

impl Pass {
    /// All passes in their order.
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

/// When the graph around a pass is printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrintWhen {
    /// Before it.
    Before,
    /// After it.
    After,
    /// After it, if it changed the graph.
    Changed,
}

/// Which graphs are printed while a program is compiled: `before`, `after` or `changed`, each of one pass with `:PASS`.
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
    /// When.
    pub when: PrintWhen,
    /// Around which pass; all of them without one.
    pub pass: Option<Pass>,
}

/// A text that names no pass, or no time to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "before, after or changed is needed, and after a colon the name of a pass: precision, legalize, simplify, patterns, fuse or schedule"
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
