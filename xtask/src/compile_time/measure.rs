//! Measures one graph in a separate process: the time of each stage, and peak memory.

use super::families::{Family, Made};
use rlx_ir::{DType, Graph, verify};
use rlx_session::{CompileOptions, CompiledGraph, CpuOptions, Device, Session};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

/// The measurements of one graph. Times are in milliseconds.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Measured {
    /// Nodes of the compiled graph, including those of graphs inside it.
    pub nodes: usize,
    /// Building the graph with the front end. Not counted, because this is the caller's work.
    pub build: f64,
    /// Parsing its text.
    pub parse: f64,
    pub verify: f64,
    pub transform: f64,
    /// From graph to program, including a second verification, and binding if the graph has no symbols.
    pub compile: f64,
    /// Binding sizes, if it has symbols.
    pub bind: f64,
    /// Setting all parameters.
    pub params: f64,
    pub first_run: f64,
    /// The passes that `compile` consists of.
    #[serde(default)]
    pub passes: BTreeMap<String, f64>,
    /// Peak memory of the process in bytes; 0 if the system does not report it.
    pub peak: u64,
    /// Why there is no result.
    pub refused: Option<String>,
}

impl Measured {
    /// The time from text or graph to a program that is ready for its first run.
    pub fn ready(&self) -> f64 {
        self.parse + self.transform + self.compile + self.bind + self.params
    }

    /// Adds the times of passes from a line that the compiler prints.
    pub fn add_passes(&mut self, line: &str) {
        let Some((passes, lowered)) =
            line.strip_prefix("passes: ").and_then(|rest| rest.split_once("; lowered in "))
        else {
            return;
        };
        let lowered = format!("lowered {lowered}");
        for each in passes.split(", ").chain([lowered.as_str()]) {
            let Some((name, time)) = each.split_once(' ') else { continue };
            let time = time.trim().strip_suffix(" ms").and_then(|time| time.parse::<f64>().ok());
            *self.passes.entry(name.into()).or_default() += time.unwrap_or(0.0);
        }
    }
}

/// Measures a graph of a family.
pub(super) fn measure(family: &Family, size: usize) -> Measured {
    let mut found = Measured::default();
    if let Err(refused) = stages(family, size, &mut found) {
        found.refused = Some(refused);
    }
    found.peak = peak_bytes();
    found
}

/// Runs `run`, adds its time in milliseconds to `time`, and returns its result.
fn timed<T>(time: &mut f64, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = run();
    *time += start.elapsed().as_secs_f64() * 1e3;
    value
}

fn stages(family: &Family, size: usize, found: &mut Measured) -> Result<(), String> {
    let made = timed(&mut found.build, || (family.make)(size))?;
    let mut graph = match made {
        Made::Graph(graph) => graph,
        text => timed(&mut found.parse, || text.graph())?,
    };
    timed(&mut found.verify, || verify(&graph)).map_err(|e| e.to_string())?;
    if let Some(transform) = family.transform {
        graph = timed(&mut found.transform, || transform(&graph))?;
    }
    found.nodes = count(&graph);
    let cpu = CpuOptions::new().num_threads(1);
    let mut options = CompileOptions::new().with_backend(cpu).donate_handles(true);
    options.print_times = true;
    let session = Session::new(Device::Cpu).with_options(options);
    let mut compiled = timed(&mut found.compile, || session.try_compile(graph)).map_err(|e| e.to_string())?;
    run(&mut compiled, found)
}

/// Binds all symbols to 2, sets all parameters, and runs once on zeros.
fn run(compiled: &mut CompiledGraph, found: &mut Measured) -> Result<(), String> {
    let text = |e: rlx_session::RuntimeError| e.to_string();
    let symbols = compiled.graph().symbols();
    let dims: Vec<(&str, usize)> = symbols.iter().map(|symbol| (symbol.name(), 2)).collect();
    timed(&mut found.bind, || compiled.bind_dims(&dims)).map_err(text)?;
    let bindings = symbols.iter().map(|symbol| (symbol.clone(), 2)).collect();
    let zeros = |name: &str, shape: &rlx_ir::Shape| -> Result<(String, Vec<u8>, DType), String> {
        let bytes = shape.eval(&bindings).map_err(|e| e.to_string())?.num_bytes().unwrap_or(0);
        Ok((name.to_string(), vec![0; bytes], shape.dtype()))
    };
    let params: Result<Vec<_>, String> = compiled.params().map(|(name, shape)| zeros(name, shape)).collect();
    let params = params?;
    timed(&mut found.params, || {
        params.iter().try_for_each(|(name, bytes, dtype)| compiled.set_param_typed(name, bytes, *dtype))
    })
    .map_err(text)?;
    let inputs: Result<Vec<_>, String> = compiled.inputs().map(|(name, shape)| zeros(name, shape)).collect();
    let inputs = inputs?;
    let inputs: Vec<(&str, &[u8], DType)> =
        inputs.iter().map(|(name, bytes, dtype)| (name.as_str(), &bytes[..], *dtype)).collect();
    timed(&mut found.first_run, || compiled.run_kept(&inputs)).map_err(text)
}

/// The nodes of a graph and of the graphs inside it.
fn count(graph: &Graph) -> usize {
    let mut nodes = graph.nodes().len();
    for node in graph.nodes() {
        node.op().for_each_graph(&mut |body| nodes += count(body));
    }
    nodes
}

/// The peak memory of this process, as Linux reports it.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
