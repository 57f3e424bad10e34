//! The machines that a crate has code for, and how the program picks the best one it runs on.

use rlx_codegen::schedule::choose::{MACHINES, Machine};

/// A machine for which a crate has code.
pub(crate) type Target = Machine;

/// Returns the targets of a crate. Without the standard library the program cannot find out what the machine supports.
pub(crate) fn targets(no_std: bool) -> &'static [Target] {
    if no_std { &MACHINES[MACHINES.len() - 1..] } else { &MACHINES }
}

/// Returns the attribute that says for which architecture code is compiled.
pub(crate) fn condition(target: &Target) -> String {
    match target.architecture {
        Some(architecture) => format!("#[cfg(target_arch = \"{architecture}\")]\n"),
        None => String::new(),
    }
}

/// Returns the attribute of functions that use the machine's features.
pub(crate) fn attribute(target: &Target) -> String {
    match target.features {
        [] => String::new(),
        features => format!("#[target_feature(enable = \"{}\")]\n", features.join(",")),
    }
}
