//! The compiler: lowers a graph for a backend, once for all sizes, then binds sizes and plans memory.
//!
//! After verification, the passes, which [`Pass`] lists in order, make a [`Lowered`] graph, which may have symbols as
//! sizes. Each binding of the symbols then produces shapes, kernels and a memory plan: a [`Program`].
//!
//! **PASS-1**: a pass is a function from graph to graph. A rewrite rule returns the replacement of a node, or
//! declines. No pass knows a backend; it only gets the backend's [`Claims`].
//!
//! # Order of the passes
//!
//! Precision comes before legalization, so that composites that a backend claims as a whole still get their types.
//! Mixed precision, which concerns contractions, comes after it, because only then are the contractions inside
//! composites visible.
//!
//! A backend takes the lowered graph instead of a [`Program`], because the scratch memory of a kernel is known
//! only once the kernel is prepared. Kernel backends call the shared planner (`memory`); none of them plans memory itself.
//!
//! # Binding
//!
//! ```text
//! Graph ──lower──▶ Lowered (symbols) ──prepare──▶ Executable ──bind(n = 128)──▶ program: kernels + memory plan
//!         once per graph              once per clone             once per size; 64 kept, shared by clones
//! ```
//!
//! Nodes that differ only in their place form a class. A binding infers and checks shapes once per class
//! ([`Lowered::bind`] makes a graph with one node per class), and a kernel backend prepares one kernel per
//! class; only the places in memory are determined per node. The readers and lifetimes of values are
//! determined once for all sizes (`structure`). The binding makes the choices that need sizes, such as micro-kernels and
//! splits. All sizes of an instance share one arena, which has the largest size that one of them needs. If an op is
//! not defined at a size, the binding fails with an error that names the op.
//!
//! A backend that cannot handle symbols says so per node ([`Claims::static_sizes`]); its graphs are bound first.
//! `rlx-exec` runs the programs that backends prepare. An emitted program cannot be bound later, so symbols in it are an error,
//! unless the emitter accepts them up to a maximum (`rlx-aot`).
//!
//! # Time and memory
//!
//! Compiling n nodes takes O(n log n) time, measured up to 100,000 nodes. The main cost is memory. Therefore
//! a copy of a node shares its op and shapes, passes return `None` if they change nothing, and lists per node
//! are stored contiguously (`Users`, `Structure`). Large graphs repeat themselves, so equal composites in a row
//! are decomposed and legalized once, equal fused groups share one body, and builders of derivatives make each
//! constant once. `cargo xtask bench-compile` measures families of graphs and writes docs/compile-time.md.

pub mod alias;
mod bodies;
mod budget;
pub mod cost;
pub mod dispatch;
pub mod emit;
mod error;
mod intern;
pub mod legalize;
pub mod lowered;
pub mod memory;
pub mod options;
mod param;
mod pass;
mod passes;
pub mod patterns;
pub mod pipeline;
pub mod precision;
pub mod program;
pub mod schedule;
pub mod simplify;
mod steps;
mod structure;
pub mod variables;

pub use alias::Alias;
pub use budget::Budget;
pub use cost::{Cost, Rates};
pub use dispatch::{
    Decision, DispatchEntry, DispatchReport, FusedGroup, KernelDispatchPolicy, format_dispatch_report,
};
pub use emit::{EmitError, EmittedFile, Emitter, ParamValues, Piece, TextEmitter, emit};
pub use error::BackendError;
pub use legalize::{LegalizeError, is_legal, legalize};
pub use lowered::{BindError, Bound, BoundCache, Lowered};
pub use options::{BackendOptions, CompileOptions};
pub use param::{Param, ParamBytes};
pub use pass::{BadPrintIr, Pass, PrintIr, PrintWhen};
pub use pipeline::CompileError;
pub use precision::{Precision, PrecisionPolicy};
pub use program::{Action, Call, Place, Program, Step, Storage};
pub use rlx_fusion::claims::{Claim, Claims, ClaimsAll, ClaimsNone, Rewrites};
pub use rlx_fusion::is_free;
pub use steps::StepInfo;

/// The versions of the crates that determine the result of lowering. Programs stored on disk identify their compiler by them.
pub const VERSIONS: [&str; 4] =
    [rlx_ir::VERSION, rlx_fusion::VERSION, rlx_expand::VERSION, env!("CARGO_PKG_VERSION")];
