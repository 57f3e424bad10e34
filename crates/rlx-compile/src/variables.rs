//! The environment variables that the compiler reads.

use crate::dispatch::KernelDispatchPolicy;
use crate::pass::PrintIr;
use rlx_driver::Bytes;
use rlx_driver::env::{parsed, switch};

rlx_driver::variables! {
    /// Run composites with the backend's own kernels, or decomposed into primitives.
    pub KERNEL_DISPATCH: KernelDispatchPolicy = "RLX_KERNEL_DISPATCH" {
        values: "native | common",
        parse: kernel_dispatch,
        default: "native",
    }
    /// Before each compilation, report how every node will run. Reports go to standard error, unless the program shows them elsewhere
    /// (`rlx_driver::set_report_sink`).
    pub DISPATCH_REPORT: bool = "RLX_DISPATCH_REPORT" { values: "0 | 1", parse: switch }
    /// Report what the compiler does: the dispatch report, and the time of each pass.
    pub VERBOSE: bool = "RLX_VERBOSE" { values: "0 | 1", parse: switch }
    /// Report the graph before or after each compiler pass, or after each pass that changed it. With a colon and the name of a pass, do this
    /// for that pass only.
    pub PRINT_IR: PrintIr = "RLX_PRINT_IR" { values: PrintIr::VALUES, parse: parsed }
    /// Maximum memory that a program may plan for. A program that needs more is refused before it runs.
    pub MEMORY_LIMIT: Bytes = "RLX_MEMORY_LIMIT" {
        values: "bytes, or a number with MB, GB, MiB or GiB",
        parse: parsed,
        default: "the memory of the machine",
    }
}

fn kernel_dispatch(name: &str) -> Option<KernelDispatchPolicy> {
    match name {
        "native" => Some(KernelDispatchPolicy::PreferNative),
        "common" => Some(KernelDispatchPolicy::PreferCommon),
        _ => None,
    }
}
