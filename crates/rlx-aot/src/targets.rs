//! The machines that a crate has code for, and how the program picks the best one it runs on.

use rlx_codegen::schedule::choose::{MACHINES, Machine};

/// A machine for which a crate has code.
pub(crate) type Target = Machine;

/// Those of a crate. Without the standard library nobody tells what the machine has.
pub(crate) fn targets(no_std: bool) -> &'static [Target] {
    if no_std { &MACHINES[MACHINES.len() - 1..] } else { &MACHINES }
}

/// The attribute that says where code is compiled at all.
pub(crate) fn condition(target: &Target) -> String {
    match target.architecture {
        Some(architecture) => format!("#[cfg(target_arch = \"{architecture}\")]\n"),
        None => String::new(),
    }
}

/// The attribute of functions that use what the machine has.
pub(crate) fn attribute(target: &Target) -> String {
    match target.features {
        [] => String::new(),
        features => format!("#[target_feature(enable = \"{}\")]\n", features.join(",")),
    }
}
