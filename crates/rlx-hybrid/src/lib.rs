//! Graphs of which a device runs parts and the host the rest. [`HybridClaims`] say what the two run together; [`HybridBackend::prepare`]
//! divides a graph into segments, as few as there can be, and runs them one after the other.

mod claims;
mod divide;
mod prepare;
mod program;
mod segment;

pub use claims::HybridClaims;
pub use divide::Side;
pub use prepare::{HybridBackend, Refused};
pub use program::HybridProgram;
