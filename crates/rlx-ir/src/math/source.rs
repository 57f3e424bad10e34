//! The special functions as source text, for programs that are printed.

/// A module of this one.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// Its text, which uses functions of `libm`, `core`, methods of `f64`, and modules of [`SOURCES`] as its neighbors.
    pub text: &'static str,
    /// The name and the text of each module inside it, which the text names.
    pub inside: &'static [(&'static str, &'static str)],
}

const fn leaf(name: &'static str, text: &'static str) -> Source {
    Source { name, text, inside: &[] }
}

/// The functions of single numbers, real and complex.
pub const SOURCES: &[Source] = &[
    leaf("dd", include_str!("dd.rs")),
    leaf("bessel", include_str!("bessel.rs")),
    leaf("erf", include_str!("erf.rs")),
    leaf("gamma", include_str!("gamma.rs")),
    leaf("zeta", include_str!("zeta.rs")),
    leaf("quadrature", include_str!("quadrature.rs")),
    leaf("incomplete_beta", include_str!("incomplete_beta.rs")),
    leaf("incomplete_gamma", include_str!("incomplete_gamma.rs")),
    Source {
        name: "complex",
        text: include_str!("complex/mod.rs"),
        inside: &[
            ("exponential", include_str!("complex/exponential.rs")),
            ("inverse", include_str!("complex/inverse.rs")),
            ("trigonometric", include_str!("complex/trigonometric.rs")),
        ],
    },
];
