//! The passes of the compiler: the one list of their names, and which graphs to report around them.

use std::fmt;
use std::str::FromStr;

/// Defines [`Pass`] from a list. All names of passes (in reports, in `RLX_PRINT_IR`, in its documentation and in errors) come from here.
macro_rules! passes {
    (
        $(#[doc = $first_doc:literal])+ $first:ident $first_name:literal;
        $($(#[doc = $doc:literal])+ $pass:ident $name:literal;)+
    ) => {
        /// A pass of the compiler, in the order in which they run.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Pass {
            $(#[doc = $first_doc])+
            $first,
            $($(#[doc = $doc])+ $pass,)+
        }

        impl Pass {
            /// All passes, in order.
            pub const ALL: [Pass; [$first_name $(, $name)+].len()] = [Pass::$first $(, Pass::$pass)+];

            /// The names of all passes in order, separated by commas.
            pub const NAMES: &str = concat!($first_name $(, ", ", $name)+);

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self {
                    Pass::$first => $first_name,
                    $(Pass::$pass => $name,)+
                }
            }
        }

        impl PrintIr {
            /// The accepted texts, in words.
            pub const VALUES: &str = concat!(
                "before | after | changed, or one of them with a colon and a pass: ", $first_name $(, ", ", $name)+
            );
        }
    };
}

passes! {
    /// Inserts casts to the types that a precision policy requires.
    Precision "precision";
    /// Decomposes ops that the backend does not claim into simpler ones.
    Legalize "legalize";
    /// Folds constants, merges equal nodes, and rewrites to cheaper ops.
    Simplify "simplify";
    /// Recognizes ops that the program spells out.
    Patterns "patterns";
    /// Groups nodes into kernels.
    Fuse "fuse";
    /// Orders nodes to use little memory.
    Schedule "schedule";
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When to report the graph around a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrintWhen {
    /// Before the pass.
    Before,
    /// After the pass.
    After,
    /// After the pass, if it changed the graph.
    Changed,
}

/// Which graphs to report during compilation: `before`, `after` or `changed`, optionally for a single pass with `:PASS`.
///
/// ```
/// use rlx_compile::{Pass, PrintIr, PrintWhen};
///
/// let print: PrintIr = "changed:fuse".parse().unwrap();
/// assert_eq!(print, PrintIr { when: PrintWhen::Changed, pass: Some(Pass::Fuse) });
/// assert!("after:fusion".parse::<PrintIr>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PrintIr {
    /// When to report.
    pub when: PrintWhen,
    /// The pass, or `None` for all passes.
    pub pass: Option<Pass>,
}

/// The error for a text with an unknown pass or time to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {}", PrintIr::VALUES)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_that_is_named_is_accepted() {
        let (times, passes) =
            PrintIr::VALUES.split_once(", or one of them with a colon and a pass: ").unwrap();
        assert_eq!(passes, Pass::NAMES);
        let passes: Vec<&str> = passes.split(", ").collect();
        assert_eq!(passes, Pass::ALL.map(Pass::name));
        for when in times.split(" | ") {
            assert!(when.parse::<PrintIr>().is_ok_and(|print| print.pass.is_none()), "{when}");
            for (pass, name) in Pass::ALL.into_iter().zip(&passes) {
                let print: PrintIr = format!("{when}:{name}").parse().unwrap();
                assert_eq!(print.pass, Some(pass));
            }
        }
    }
}
