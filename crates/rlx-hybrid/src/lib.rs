//! Runs parts of a graph on a device and the rest on the host.
//!
//! [`HybridClaims`] are what the two run together. [`HybridBackend::prepare`] divides a graph into as few
//! segments as possible, whose sides alternate, and runs them one after the other. A device that wants this
//! wraps its claims and calls `prepare`; nothing here knows which device it is.
//!
//! An op goes to the host if the device neither has it nor legalizes it alone, or legalizes it only as a loop,
//! or refuses it in this graph, or if cost says so. Values that cross between segments become inputs; leaves
//! and broadcasts are copied, and a state that only one segment uses stays there. Brackets (`call`,
//! `checkpoint`, …) are opened before nodes are placed. A loop or branch runs on one side: the host's if
//! anything inside it must.

mod claims;
mod divide;
mod prepare;
mod program;
mod segment;

pub use claims::HybridClaims;
pub use divide::Side;
pub use prepare::{HybridBackend, Refused};
pub use program::HybridProgram;
