//! What a crate is compiled for: each of these has functions of its own, of which a program takes the best that its machine has.

use rlx_codegen::schedule::choose::{AVX2, AVX512, Machine, NEON, SSE2};

/// A set of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    pub(crate) machine: Machine,
    /// The architecture, as Rust calls it; `None`: any.
    pub(crate) architecture: Option<&'static str>,
    /// What it has beyond what every processor of the architecture has.
    pub(crate) features: &'static [&'static str],
}

const BASELINE: Target = Target { machine: SSE2, architecture: None, features: &[] };

/// The targets, the best one of an architecture first; the last one runs everywhere.
const ALL: [Target; 4] = [
    Target {
        machine: AVX512,
        architecture: Some("x86_64"),
        features: &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "bmi2", "fma"],
    },
    Target { machine: AVX2, architecture: Some("x86_64"), features: &["avx2", "bmi2", "fma"] },
    Target { machine: NEON, architecture: Some("aarch64"), features: &[] },
    BASELINE,
];

/// Those of a crate. Without the standard library nobody tells what the machine has.
pub(crate) fn targets(no_std: bool) -> &'static [Target] {
    if no_std { &ALL[3..] } else { &ALL }
}

impl Target {
    /// The module of its functions.
    pub(crate) fn module(&self) -> &'static str {
        self.machine.name
    }

    /// The attribute that says where code is compiled at all.
    pub(crate) fn condition(&self) -> String {
        match self.architecture {
            Some(architecture) => format!("#[cfg(target_arch = \"{architecture}\")]\n"),
            None => String::new(),
        }
    }

    /// The attribute of functions that use what it has.
    pub(crate) fn attribute(&self) -> String {
        match self.features {
            [] => String::new(),
            features => format!("#[target_feature(enable = \"{}\")]\n", features.join(",")),
        }
    }
}
