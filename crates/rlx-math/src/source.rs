//! The functions as source text, which printed programs include.

/// A module of this crate.
#[derive(Clone, Copy, Debug)]
pub struct SourceText {
    /// Its name.
    pub name: &'static str,
    /// Its text, which uses `core`, the functions `sin`, `cos` and `sqrtf` of `libm`, and modules of [`SOURCES`] as siblings.
    pub text: &'static str,
}

macro_rules! source {
    ($name:literal) => {
        SourceText { name: $name, text: include_str!(concat!($name, ".rs")) }
    };
}

/// The functions, the operations that they are written in, and scalars, for which a program also needs a multiply-add.
pub const SOURCES: &[SourceText] = &[
    source!("number"),
    source!("polynomial"),
    source!("exponential"),
    source!("logarithm"),
    source!("error_function"),
    source!("gaussian"),
    source!("logistic"),
    source!("root"),
    source!("turns"),
    source!("half_turns"),
    source!("inverse_error"),
    source!("gamma"),
    source!("digamma"),
    source!("bessel"),
    source!("trigonometric"),
    source!("scalar"),
];

/// The type `Fused` of scalars.
pub const FUSED: SourceText = source!("fused");

/// The type `Separate` of scalars.
pub const SEPARATE: SourceText = source!("separate");
