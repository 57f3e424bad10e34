//! The kernel language: typed loops over buffers, to which every primitive is lowered once.
//!
//! ```text
//! Graph ──lower──▶ Launches ──▶ interpreter | printed source
//! ```
//!
//! A [`Kernel`] describes what one launch computes: its buffers, their sizes (which may have symbols), parallel and
//! ordered loops, reductions by combiners, loads with guards, scalars computed with the functions of the op table, and
//! stores. [`Launches`] are kernels in order, with memory between them. Index expressions are dimensions
//! ([`rlx_ir::Dim`]) over symbols: those of sizes, one per axis, and one per scalar that is
//! [named](kernel::Stmt::Name), which is how a gather reads. One algebra therefore serves sizes and indices, and
//! everything that evaluates an index (ranges, the interpreter, a printer) is a [`rlx_ir::SizeArithmetic`].
//!
//! **KERNEL-1**: the meaning of a kernel is what the interpreter ([`interp`]) does with it. A printer or a schedule
//! step that gives a different result is wrong.
//!
//! Lowering works element by element: `Reader::element(value, indices)` writes the code that computes one element of a
//! value from elements of its operands. One rule per op therefore serves the op alone and in any group, moving elements
//! is arithmetic on indices, and an element that several readers read is computed once.
//!
//! # Design
//!
//! - The lanes of a group are not threads that run the whole kernel. A loop whose axis is marked `@lane` or `@subgroup`
//!   is spread over them, and all lanes run the code around such loops. So either all lanes reach a barrier or none
//!   does, which the verifier checks by the barrier's position. A lane that needs a value later keeps it in an array:
//!   `in lane` (registers; the interpreter reports an element that another lane reads), `in subgroup` or `in group`.
//!   Two such loops are not ordered: without a barrier between them, accesses of different lanes are races.
//! - A schedule's guard is a branch around the body of a loop, not a condition of each access, and all lanes of a group
//!   take the same branch. A part of a reduction is no longer than what is left of the reduction. `lanes` merges states
//!   one after another, `tree` in pairs.
//! - The order of a tile in memory belongs to its array (`swizzle`), not to indices. Tiles are written by lowering
//!   (`lower_for`) and by `stage … by`; schedules do not look for them in loops. No step loads a fragment from memory
//!   to registers: an instruction names where its tiles begin.
//! - There is no special form for a tile in registers. `interchange` moves the loops of a body outside its parallel
//!   axes, with a local array for the values that an iteration keeps, and the compiler of the printed source keeps that
//!   array in registers. An input is `pack`ed by a separate launch, which a caller that knows the input early runs
//!   early.
//! - The interpreter checks a fact about sizes when it binds them. Printed Rust relies on it unchecked, as on
//!   everything else that its caller passes. Symbolic sizes are scheduled with what facts say about them: one schedule
//!   for all sizes up to the maximum, with full tiles followed by smaller ones (`schedule/choose/runs.rs`) whose
//!   remainders are known to be short (`range/remainders.rs`).
//! - Normalized rows and attention are not found by a schedule. They are recognized from their reductions and lowered
//!   as such.
//!
//! # Adding things
//!
//! - A primitive: a row in `lower/rule.rs`, and a case in the file of its family. A primitive without a row does not
//!   compile.
//! - A language: a folder in `print/` with a type that implements `Language` (its words), `Statements` and `Scalars` (a
//!   method per spelling), a support module in the language itself that is printed once per program, and a line in
//!   `print/mod.rs`. `print/rust/` is the example. Functions that the language lacks are written as
//!   operators (`elementary.rs`) if `rlx-math` has them.
//! - A schedule step: a row in `schedule/table.rs` and the file of the step. CONTRIBUTING.md has an example.
//! - A machine instruction: a row in `tile/instr.rs`, and its name in the facts of a machine in
//!   `lower/tiled/machine.rs`. `tests/tiled.rs` runs its meaning.
//!
//! Lowering and languages need no new tests: `cargo xtask conformance --device interpreter` runs the conformance table,
//! random graphs and transforms, and `tests/printed_rust.rs` prints, builds and runs cases.

pub mod build;
mod claims;
pub mod elementary;
pub mod estimate;
pub mod interp;
pub mod judge;
pub mod kernel;
pub mod lower;
mod monoid;
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
mod visit;
mod words;

pub use build::Writer;
pub use claims::KernelClaims;
pub use interp::Interpreter;
pub use kernel::{Kernel, Stmt};
pub use lower::{Launches, LowerError, lower};
pub use schedule::Schedule;
pub use verify::{verify, verify_launches};
