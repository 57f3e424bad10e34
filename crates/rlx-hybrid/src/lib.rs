//! Runs a graph on two backends: the second runs what the first does not.
//!
//! [`HybridBackend`] is a backend over any two others. Its claims ([`HybridClaims`]) are those of the first, and `Host` for the ops that only
//! the second runs. A session registers such pairs, for example CoreML with the CPU as `ane` and `ane,cpu`. Nothing in this crate depends on
//! which backends they are. In names and messages, the first is the device and the second the host.
//!
//! The first backend alone prepares a graph that it runs as a whole. Other graphs are divided into as few segments with alternating sides as
//! possible, which run in sequence.
//!
//! An op runs on the host in four cases: the device neither supports it nor legalizes it, legalizes it only as a loop, or refuses it in
//! this graph ([`GraphLimits`](rlx_exec::GraphLimits)), or the cost estimate favors the host. Values that cross between segments become
//! inputs; leaves and broadcasts are copied, and a state that only one segment uses stays in that segment. Wrappers (`call`, `checkpoint`, …)
//! are inlined before nodes are placed. A loop or branch runs on one side: on the host if any op inside it must. A graph or segment also runs
//! on the host if the device cannot represent the values of that run
//! ([`BackendError::Unrepresentable`](rlx_compile::BackendError::Unrepresentable)).
//!
//! A graph with symbols is placed when it is bound to sizes, if the device needs static sizes or has limits; otherwise it is placed once.

mod backend;
mod claims;
mod divide;
mod divided;
mod prepare;
mod program;
mod queue;
mod segment;
mod sized;
mod whole;

pub use backend::HybridBackend;
pub use claims::HybridClaims;
pub use divide::Side;
pub use program::HybridProgram;
