//! Runs parts of a graph on a device and the rest on the host.
//!
//! [`HybridClaims`] describes what the two run together. [`HybridBackend::prepare`] divides a graph into as few segments with alternating
//! sides as possible, and runs them in sequence. A device that needs this wraps its claims and calls `prepare`; nothing in this crate
//! depends on which device it is.
//!
//! An op runs on the host in four cases: the device neither supports it nor legalizes it, legalizes it only as a loop, or refuses it in
//! this graph, or the cost estimate favors the host. Values that cross between segments become inputs; leaves and broadcasts are copied,
//! and a state that only one segment uses stays in that segment. Wrappers (`call`, `checkpoint`, …) are inlined before nodes are placed. A
//! loop or branch runs on one side: on the host if any op inside it must.

mod claims;
mod divide;
mod prepare;
mod program;
mod segment;

pub use claims::HybridClaims;
pub use divide::Side;
pub use prepare::{HybridBackend, Refused};
pub use program::HybridProgram;
