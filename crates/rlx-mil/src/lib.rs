//! CoreML's ML Programs.
pub mod blob;
pub mod emit;
pub mod package;
