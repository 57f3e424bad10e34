//! Shows which parts of a graph the device `ane` runs with CoreML, and which its host runs, on any machine:
//! `cargo run -p rlx-coreml --example segments -- GRAPH.rlx [NAME=SIZE …]`.

use rlx_compile::CompileOptions;
use rlx_coreml::{AneBackend, InterpretedEngine};
use rlx_cpu::CpuBackend;
use rlx_driver::Device;
use rlx_exec::{Backend, lower};
use rlx_hybrid::HybridBackend;
use rlx_ir::{Bindings, Graph, Symbol};
use std::error::Error;
use std::io::Write;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: segments GRAPH.rlx [NAME=SIZE …]")?;
    let mut sizes = Bindings::new();
    for argument in arguments {
        let (name, size) = argument.split_once('=').ok_or("give a size as NAME=SIZE")?;
        sizes.insert(Symbol::new(name), size.parse()?);
    }
    let graph = Graph::parse(&std::fs::read_to_string(path)?)?.bind(&sizes);
    let coreml = AneBackend::with_engine(Arc::new(InterpretedEngine::default()));
    let backend = HybridBackend::new(Arc::new(coreml), Arc::new(CpuBackend)).named(Device::Ane);
    let lowered = lower(&graph, &[], &backend, &CompileOptions::new())?;
    let mut out = std::io::stdout().lock();
    if let Some(report) = lowered.report() {
        write!(out, "{report}")?;
    }
    let executable = backend.prepare(lowered, &backend.queue(0)?)?;
    write!(out, "{}", executable.describe())?;
    Ok(())
}
