//! The kernel language: loops over buffers with a body of scalars, to which every primitive is lowered once.
//!
//! A [`Kernel`] says what one launch computes: its buffers, their sizes (which may have symbols), loops that are parallel or ordered,
//! loads with guards, scalars by the functions of the op table, and stores. Index expressions are dimensions ([`rlx_ir::Dim`]) over
//! symbols: those of sizes, one per axis, and one per scalar that is [named](kernel::Stmt::Name). So one algebra serves sizes and
//! indices, and what walks an expression (ranges, the interpreter, a printer) is a [`rlx_ir::SizeArithmetic`].

pub mod build;
mod claims;
pub mod estimate;
pub mod interp;
pub mod judge;
pub mod kernel;
pub mod lower;
pub mod print;
pub mod range;
#[cfg(test)]
mod samples;
pub mod schedule;
pub mod swizzle;
pub mod text;
pub mod tile;
#[cfg(test)]
mod trial;
pub mod verify;

pub use build::Writer;
pub use claims::KernelClaims;
pub use interp::Interpreter;
pub use kernel::{Kernel, Stmt};
pub use lower::{Launches, LowerError, lower};
pub use schedule::Schedule;
pub use verify::{verify, verify_launches};
