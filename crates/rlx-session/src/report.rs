//! Reports how a graph would run, without compiling it.

use crate::error::RuntimeError;
use crate::registry::backend_for;
use crate::variables;
use rlx_compile::{CompileError, CompileOptions, DispatchReport, LegalizeError, legalize};
use rlx_driver::Device;
use rlx_ir::{Graph, verify};

/// Returns the graph in ops that the device runs, and how each node came to run, with the options of the environment.
pub fn legalize_graph_for_device(
    graph: Graph,
    device: Device,
) -> Result<(Graph, DispatchReport), RuntimeError> {
    let options = CompileOptions::new().with_env(&variables::checked_env()?)?;
    legalize_graph_for_device_with_options(graph, device, &options)
}

/// Returns the graph in ops that the device runs, and how each node came to run.
pub fn legalize_graph_for_device_with_options(
    graph: Graph,
    device: Device,
    options: &CompileOptions,
) -> Result<(Graph, DispatchReport), RuntimeError> {
    verify(&graph).map_err(CompileError::from)?;
    let backend = backend_for(device)?;
    Ok(legalize(&graph, device.name(), backend.claims(), options).map_err(CompileError::from)?)
}

/// Returns how each node of the graph would run on the device, including unsupported nodes.
pub fn dispatch_report_for_device(graph: &Graph, device: Device) -> Result<DispatchReport, RuntimeError> {
    match legalize_graph_for_device(graph.clone(), device) {
        Ok((_, report)) => Ok(report),
        Err(RuntimeError::Compile(CompileError::Legalize(LegalizeError::Unsupported(report)))) => Ok(report),
        Err(other) => Err(other),
    }
}

/// Whether the device's backend claims every node of the graph, either directly or decomposed.
pub fn supports_graph(graph: &Graph, device: Device) -> Result<bool, RuntimeError> {
    Ok(dispatch_report_for_device(graph, device)?.is_supported())
}
