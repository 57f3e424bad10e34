//! The engine that runs packages: CoreML itself, or an interpreter where CoreML is not available.

#[cfg(target_vendor = "apple")]
mod apple;
#[cfg(target_vendor = "apple")]
mod compute_plan;
mod interpreted;

pub use interpreted::InterpretedEngine;

use crate::lint::Unit;
use rlx_exec::Availability;
use rlx_ir::DType;
use rlx_mil::emit::Opset;
use std::any::Any;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// The units of a machine that CoreML may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ComputeUnits {
    /// Only the CPU.
    Cpu,
    /// The CPU and the GPU.
    CpuAndGpu,
    /// The CPU and the Neural Engine.
    #[default]
    CpuAndNeuralEngine,
    /// All units.
    All,
}

impl ComputeUnits {
    /// All choices.
    pub const EVERY: [ComputeUnits; 4] =
        [ComputeUnits::Cpu, ComputeUnits::CpuAndGpu, ComputeUnits::CpuAndNeuralEngine, ComputeUnits::All];

    /// Returns its name in `RLX_COREML_UNITS`.
    pub const fn name(self) -> &'static str {
        match self {
            ComputeUnits::Cpu => "cpu",
            ComputeUnits::CpuAndGpu => "gpu",
            ComputeUnits::CpuAndNeuralEngine => "ane",
            ComputeUnits::All => "all",
        }
    }
}

impl fmt::Display for ComputeUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not one of CoreML's choices of units.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a choice of CoreML units; use cpu, gpu (with the CPU), ane (with the CPU) or all")]
pub struct UnknownUnits(pub String);

impl FromStr for ComputeUnits {
    type Err = UnknownUnits;

    fn from_str(name: &str) -> Result<ComputeUnits, UnknownUnits> {
        let lower = name.to_ascii_lowercase();
        let found = ComputeUnits::EVERY.into_iter().find(|units| units.name() == lower);
        found.ok_or_else(|| UnknownUnits(name.into()))
    }
}

/// An input array of a model: elements in row-major order, little-endian.
#[derive(Clone, Copy, Debug)]
pub struct GivenArray<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// Its element type: f32, f16 or i32.
    pub dtype: DType,
    /// Its sizes.
    pub dims: &'a [usize],
    /// Its elements.
    pub bytes: &'a [u8],
}

/// The destination of an output array of a model.
#[derive(Debug)]
pub struct WantedArray<'a> {
    /// The name of the output.
    pub name: &'a str,
    /// Its element type: f32, f16 or i32.
    pub dtype: DType,
    /// Its sizes.
    pub dims: &'a [usize],
    /// Where its elements are written, in row-major order.
    pub bytes: &'a mut [u8],
}

/// Why an engine could not load a package or run a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The engine does not run on this machine.
    #[error("{0}")]
    Missing(String),
    /// The package could not be loaded.
    #[error("CoreML did not load the package: {0}")]
    Load(String),
    /// A run failed, or returned something other than the package declares.
    #[error("CoreML did not run the model: {0}")]
    Run(String),
}

/// How a package is loaded.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions<'a> {
    /// The function to run.
    pub function: &'a str,
    /// The units that it may run on.
    pub units: ComputeUnits,
    /// The folder for compiled models, if they are cached: CoreML takes up to a minute to compile one.
    pub cache: Option<&'a Path>,
    /// The name of the package's content in that folder.
    pub content: &'a str,
}

/// Runs packages.
pub trait Engine: Send + Sync {
    /// Returns whether the engine runs on this machine, and its description.
    fn availability(&self) -> Availability;

    /// Returns the operations that it supports.
    fn opset(&self) -> Opset;

    /// Loads a function of a package.
    ///
    /// # Errors
    /// Returns [`EngineError::Missing`] or [`EngineError::Load`].
    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError>;

    /// Returns where it would run the operations of a package on these units.
    ///
    /// # Errors
    /// Returns [`EngineError::Missing`] if the engine does not tell, or [`EngineError::Load`].
    fn plan(&self, package: &Path, units: ComputeUnits) -> Result<Vec<PlannedOperation>, EngineError> {
        let _ = (package, units);
        Err(EngineError::Missing("this engine does not say where operations run".into()))
    }
}

/// Where an engine would run an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedOperation {
    /// The function that contains it.
    pub function: String,
    /// The operation's name in the program, which is the name of its first result.
    pub operation: String,
    /// The kind, such as `matmul`.
    pub kind: String,
    /// The unit that would run it; `None` if the engine does not tell, as for constants.
    pub unit: Option<Unit>,
}

/// A function that has been loaded.
pub trait LoadedModel: Send {
    /// Runs the function. Inputs and outputs are found by name; if the run succeeds, all requested outputs are written. A function with
    /// states is given states made by this model, and changes them; a failed run may leave them half updated, and the outputs undefined.
    ///
    /// # Errors
    /// Returns [`EngineError::Run`].
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        state: Option<&mut dyn ModelState>,
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError>;

    /// Returns states for the function, all zeros.
    ///
    /// # Errors
    /// Returns [`EngineError::Run`].
    fn new_state(&mut self) -> Result<Box<dyn ModelState>, EngineError>;
}

/// The states of a function between its runs: arrays of f16.
pub trait ModelState: Send {
    /// Copies the elements of a state, in row-major order.
    ///
    /// # Errors
    /// Returns [`EngineError::Run`] if there is no such state, or its size differs.
    fn read(&mut self, name: &str, into: &mut [u8]) -> Result<(), EngineError>;

    /// Replaces the elements of a state.
    ///
    /// # Errors
    /// Fails as [`read`](ModelState::read) does.
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError>;

    /// Returns the states as the engine's own type.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// Returns CoreML if this machine has it, otherwise an engine that reports that it is not available.
pub fn system_engine() -> Arc<dyn Engine> {
    #[cfg(target_vendor = "apple")]
    {
        Arc::new(apple::CoreMl)
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        Arc::new(NoCoreMl)
    }
}

/// Takes the place of CoreML where it is not available.
#[cfg(not(target_vendor = "apple"))]
struct NoCoreMl;

/// Why CoreML is not available.
#[cfg(not(target_vendor = "apple"))]
const NO_COREML: &str = "CoreML exists only on Apple's systems; `rlx convert MODEL -o MODEL.mlpackage` writes packages for it here";

#[cfg(not(target_vendor = "apple"))]
impl Engine for NoCoreMl {
    fn availability(&self) -> Availability {
        Availability::Missing(NO_COREML.into())
    }

    fn opset(&self) -> Opset {
        Opset::Ios18
    }

    fn load(&self, _: &Path, _: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError> {
        Err(EngineError::Missing(NO_COREML.into()))
    }
}

/// The processor of an Apple machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChipInfo {
    /// Its name, such as `Apple M3`.
    pub name: String,
}

/// Returns this machine's processor, on Apple's systems.
pub fn chip_info() -> Option<ChipInfo> {
    #[cfg(target_vendor = "apple")]
    {
        apple::chip_info()
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        None
    }
}

/// Whether this machine has a Neural Engine that CoreML can use.
pub fn ane_available() -> bool {
    #[cfg(target_vendor = "apple")]
    {
        apple::ane_available()
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        false
    }
}
