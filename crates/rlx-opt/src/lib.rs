//! Reexports everything that works on graphs before a backend sees them: transforms, fusion and the compiler.

pub use rlx_autodiff as autodiff;
pub use rlx_compile as compile;
pub use rlx_fusion as fusion;

pub use rlx_compile::{
    CompileOptions, Decision, DispatchEntry, DispatchReport, KernelDispatchPolicy, LegalizeError, Precision,
    PrecisionPolicy, format_dispatch_report, legalize,
};
