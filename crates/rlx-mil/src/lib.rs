//! CoreML's ML Programs.
pub mod emit;
