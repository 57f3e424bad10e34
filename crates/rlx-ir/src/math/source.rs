//! The special functions as source text, which printed programs include.

/// A module of `math`.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its name.
    pub name: &'static str,
    /// Its text, which uses functions of `libm`, `core`, methods of `f64`, and modules of [`SOURCES`] as siblings.
    pub text: &'static str,
    /// The name and the text of each of its submodules.
    pub inside: &'static [(&'static str, &'static str)],
}

const fn leaf(name: &'static str, text: &'static str) -> Source {
    Source { name, text, inside: &[] }
}

/// The real and complex functions of single numbers.
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
