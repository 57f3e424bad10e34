//! The RLX compiler: `Graph → precision → legalise → simplify → idioms → fuse → schedule → plan memory → Program`.
//!
//! Each pass is a function over a graph. No pass knows a backend: it is given the backend's [`Claims`].

pub mod backend;
mod bodies;
pub mod cost;
pub mod dispatch;
pub mod idioms;
pub mod kept;
pub mod legalize;
pub mod memory;
pub mod options;
pub mod pipeline;
pub mod precision;
pub mod profile;
pub mod program;
pub mod schedule;
pub mod simplify;

pub use backend::{Availability, Backend, BackendError, Cost, Executable, InputBytes, Lowered};
pub use cost::Rates;
pub use dispatch::{Decision, DispatchEntry, DispatchReport, KernelDispatchPolicy, format_dispatch_report};
pub use kept::Kept;
pub use legalize::{LegalizeError, legalize};
pub use options::CompileOptions;
pub use pipeline::{CompileError, Compiled, compile};
pub use precision::{Precision, PrecisionPolicy};
pub use program::{Buffer, Program, Step, Storage};
pub use rlx_fusion::claims::{Claims, ClaimsAll, ClaimsNone};
