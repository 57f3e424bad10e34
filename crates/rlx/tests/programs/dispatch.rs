//! Reports of how a graph runs, and policies.

use crate::explicit;
use rlx::opt::format_dispatch_report;
use rlx::prelude::{Device, KernelDispatchPolicy, Node, OpKind};
use rlx::runtime::{
    CompileOptions, dispatch_report_for_device, legalize_graph_for_device_with_options, supports_graph,
};

#[test]
fn reports_and_policies() {
    let g = explicit();
    let report = dispatch_report_for_device(&g, Device::Cpu).expect("a report");
    assert!(report.is_supported());
    assert!(format_dispatch_report(&report).starts_with("dispatch on cpu"));
    assert!(supports_graph(&g, Device::Cpu).expect("answers"));
    let opts = CompileOptions::new()
        .kernel_dispatch(KernelDispatchPolicy::PreferCommon)
        .force_common_kinds(vec![OpKind::Softmax]);
    let (legal, report) = legalize_graph_for_device_with_options(g, Device::Cpu, &opts).expect("legal");
    assert!(report.is_supported());
    let composite = |n: &Node| n.op().kind().class() == rlx::ir::OpClass::Composite;
    assert!(!legal.nodes().iter().any(composite), "{legal}");
}
