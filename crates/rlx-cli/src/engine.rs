//! What the commands ask of the runtime, and nothing more: this is the one file that ties the command line to it.

use std::path::Path;

use rlx_driver::Device;
use rlx_ir::DType;
use rlx_models::model::SentenceModel;
use thiserror::Error;

use crate::failure::Failure;

/// How a model or graph is to be run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Threads; the runtime's own choice without.
    #[expect(dead_code, reason = "read once the runtime is wired in")]
    pub threads: Option<usize>,
}

/// Turns texts into vectors.
pub trait Embedder {
    /// One vector a text, in order.
    fn embed(&mut self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure>;
}

/// A named array that goes into a graph or comes out of it: row-major, little-endian.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub name: String,
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

/// A workload that can be repeated and timed.
pub trait Workload {
    /// Runs it once.
    fn run(&mut self) -> Result<(), Failure>;
    /// Floating point operations of its matrix products.
    fn flops(&self) -> u64;
}

/// What is known of a device.
pub struct DeviceInfo {
    pub device: Device,
    /// What it is, or why it cannot be used.
    pub state: Result<String, String>,
}

/// A part of the command that this build does not have.
#[derive(Debug, Error)]
#[error("this build of rlx cannot {what} yet: the runtime is not wired to the command line")]
struct NotBuilt {
    what: &'static str,
}

fn not_built<T>(what: &'static str) -> Result<T, Failure> {
    Err(NotBuilt { what }.into())
}

/// Loads the model in the folder `dir`.
pub fn open_embedder(dir: &Path, _options: RunOptions) -> Result<Box<dyn Embedder>, Failure> {
    SentenceModel::load(dir)?;
    not_built("embed texts")
}

/// The encoder of the model in `dir` on a batch of this size.
pub fn open_workload(
    dir: &Path,
    _batch: usize,
    _sequence: usize,
    _options: RunOptions,
) -> Result<Box<dyn Workload>, Failure> {
    SentenceModel::load(dir)?;
    not_built("measure models")
}

/// Runs the graph in the file `graph`; gives its outputs by name.
pub fn run_graph(_graph: &Path, _inputs: Vec<Array>, _options: RunOptions) -> Result<Vec<Array>, Failure> {
    not_built("run graphs")
}

/// What the compiler makes of the graph in the file `graph`: ops, shapes, memory plan, dispatch report; with `dot`,
/// the graph in the language of Graphviz.
pub fn describe_graph(_graph: &Path, _dot: bool, _options: RunOptions) -> Result<String, Failure> {
    not_built("inspect graphs")
}

/// The same of the graph of the model `model`.
pub fn describe_model(_model: &SentenceModel, _dot: bool, _options: RunOptions) -> Result<String, Failure> {
    not_built("compile models")
}

/// Every device that RLX has a name for, present or not.
pub fn devices() -> Vec<DeviceInfo> {
    let state = |device| match device {
        Device::Cpu => {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            Ok(format!("{}, {threads} hardware threads", std::env::consts::ARCH))
        }
        other => Err(format!("not in this build; it needs the feature `{}`", other.feature())),
    };
    Device::ALL.into_iter().map(|device| DeviceInfo { device, state: state(device) }).collect()
}
