//! The interface of the commands to the runtime. No other module of the command line uses it directly.

mod ahead;
mod coreml;
mod describe;
mod graphs;
pub mod llm;

use std::collections::BTreeSet;
use std::path::Path;

use rlx_ir::{Graph, Symbol};
use rlx_models::display::list;
use rlx_models::embedder::{EmbedError, EmbedderOptions, SentenceEmbedder};
use rlx_models::model::SentenceModel;
use rlx_models::tokenize::TokenBatch;
use rlx_runtime::profile::Recording;
use rlx_runtime::{
    Availability, Calibration, CompileOptions, CompiledGraph, CpuOptions, Device, MemoryUse, Rates, Session,
    available_devices, calibrate, calibrated_rates, device_count, device_memory, device_status, programs_dir,
};

use crate::compute::Compute;
use crate::failure::Failure;

pub use ahead::Ahead;
pub use coreml::{Packaged, Packaging, unpackage};
pub use describe::{Describe, describe_graph, describe_model};
pub use graphs::{GraphRun, Values, emit_graph};

/// Turns texts into vectors.
pub trait Embedder {
    /// Computes one vector per text, in order. Errors number the texts from `before`.
    fn embed(&mut self, texts: &[String], before: usize) -> Result<Embedded, Failure>;
    /// Numbers in each vector.
    fn output_size(&self) -> usize;
    /// Maximum tokens per text; longer texts are truncated.
    fn max_tokens(&self) -> usize;
}

/// The vectors of some texts.
#[derive(Default)]
pub struct Embedded {
    pub vectors: Vec<Vec<f32>>,
    /// How many of the texts were truncated.
    pub cut: usize,
}

impl Embedder for SentenceEmbedder {
    fn embed(&mut self, texts: &[String], before: usize) -> Result<Embedded, Failure> {
        let rows = self.tokenize(texts)?;
        let cut = rows.iter().filter(|row| row.cut).count();
        let vectors = self.embed_rows(&rows).map_err(|error| match error {
            EmbedError::NotFinite { path, index, value, cause } => {
                EmbedError::NotFinite { path, index: index.saturating_add(before), value, cause }
            }
            other => other,
        })?;
        Ok(Embedded { vectors, cut })
    }

    fn output_size(&self) -> usize {
        SentenceEmbedder::output_size(self)
    }

    fn max_tokens(&self) -> usize {
        SentenceEmbedder::max_tokens(self)
    }
}

/// A workload that can be repeated and timed.
pub trait Workload {
    /// Runs it once.
    fn run(&mut self) -> Result<(), Failure>;
}

/// What is known about a device.
pub struct DeviceInfo {
    pub device: Device,
    /// A description of the device, or why it cannot be used.
    pub state: Result<String, String>,
    /// Its measured rates, if there are any.
    pub rates: Option<Rates>,
    /// The memory of each device of this kind, if known.
    pub memory: Vec<Option<MemoryUse>>,
}

fn compile_options(compute: &Compute) -> CompileOptions {
    // The runtime adds the settings of the environment.
    let cpu = CpuOptions { num_threads: compute.threads, ..CpuOptions::new() };
    CompileOptions {
        precision: compute.precision,
        program_cache: programs_dir(),
        ..CompileOptions::new().with_backend(cpu)
    }
}

fn embedder(model: SentenceModel, batch: usize, compute: &Compute) -> Result<SentenceEmbedder, Failure> {
    let options = EmbedderOptions { device: compute.device, compile: compile_options(compute), batch };
    Ok(SentenceEmbedder::new(model, &options)?)
}

/// Loads the model in the folder `dir`. It computes `batch` texts at a time.
pub fn open_embedder(dir: &Path, batch: usize, compute: &Compute) -> Result<Box<dyn Embedder>, Failure> {
    Ok(Box::new(embedder(SentenceModel::load(dir)?, batch, compute)?))
}

/// The encoder of the model in `dir` on a full batch of this size, and the floating point operations of its matrix products.
pub fn open_workload(
    dir: &Path,
    batch: usize,
    sequence: usize,
    compute: &Compute,
) -> Result<(Box<dyn Workload>, u64), Failure> {
    struct Encoder {
        embedder: SentenceEmbedder,
        tokens: TokenBatch,
    }
    impl Workload for Encoder {
        fn run(&mut self) -> Result<(), Failure> {
            self.embedder.run(&self.tokens)?;
            Ok(())
        }
    }
    let model = SentenceModel::load(dir)?;
    let (most, vocab) = (model.encoder.max_positions, model.encoder.vocab_size);
    if sequence > most {
        return Err(Failure::usage(format!(
            "--seq {sequence}: the model takes at most {most} tokens per text"
        )));
    }
    let flops = model.encoder.flops(batch, sequence);
    let count = batch * sequence;
    // Token ids spread over the table of embeddings, as in real text. The choice does not matter otherwise.
    let ids = (0..count).map(|i| (i.wrapping_mul(7919) % vocab) as i32).collect();
    let tokens =
        TokenBatch { rows: batch, width: sequence, ids, types: vec![0; count], mask: vec![1; count] };
    Ok((Box::new(Encoder { embedder: embedder(model, batch, compute)?, tokens }), flops))
}

/// The floating point operations of a run, from the recorded steps, if the device records them.
pub fn recorded_flops(workload: &mut dyn Workload) -> Result<Option<f64>, Failure> {
    let recording = Recording::start();
    workload.run()?;
    let spans = recording.map(Recording::finish).unwrap_or_default();
    Ok(if spans.is_empty() { None } else { Some(spans.iter().map(|s| s.counts.flops).sum()) })
}

/// The error for a name given to `option` that is not one of the graph's symbolic dimensions.
fn no_dimension(option: &str, name: &str, symbols: &BTreeSet<Symbol>) -> Failure {
    let known: Vec<String> = symbols.iter().map(|symbol| format!("`{symbol}`")).collect();
    let known = if known.is_empty() {
        "all of its dimensions have sizes".into()
    } else {
        format!("it has {}. JAX does not keep the names of its symbolic dimensions", list(known.iter()))
    };
    Failure::usage(format!("{option} {name}: the graph has no dimension with this name; {known}"))
}

fn compile(graph: Graph, compute: &Compute) -> Result<CompiledGraph, Failure> {
    Ok(Session::new(compute.device).with_options(compile_options(compute)).try_compile(graph)?)
}

/// The memory of the machine in bytes, if known.
pub fn machine_memory() -> Option<u64> {
    device_memory(Device::Cpu)?.capacity
}

/// Every device kind that RLX knows, present or not.
pub fn devices() -> Vec<DeviceInfo> {
    let state = |device| match device_status(device) {
        Availability::Present(what) => Ok(what),
        Availability::Missing(why) => Err(why),
    };
    let info = |device| DeviceInfo {
        device,
        state: state(device),
        rates: calibrated_rates(device),
        memory: (0..device_count(device)).map(|ordinal| device_memory(device.ordinal(ordinal))).collect(),
    };
    // The interpreter is for tests; it is listed only if it was built in.
    let listed = |device: &Device| *device != Device::Interpreter || rlx_runtime::is_available(*device);
    Device::ALL.into_iter().filter(listed).map(info).collect()
}

/// Measures every device that is present, in turn.
pub fn calibrate_devices() -> Result<Vec<Calibration>, Failure> {
    available_devices().into_iter().map(|device| Ok(calibrate(device)?)).collect()
}
