//! The engine that runs packages: CoreML itself, or an interpreter where CoreML is not available.

#[cfg(target_vendor = "apple")]
mod apple;
#[cfg(target_vendor = "apple")]
mod compute_plan;
mod interpreted;

pub use interpreted::InterpretedEngine;

use crate::lint::Unit;
use rlx_compile::Availability;
use rlx_ir::DType;
use rlx_mil::emit::Opset;
use std::any::Any;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// Which of a machine's units CoreML may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ComputeUnits {
    /// The CPU alone.
    Cpu,
    /// The CPU and the GPU.
    CpuAndGpu,
    /// The CPU and the Neural Engine.
    #[default]
    CpuAndNeuralEngine,
    /// All of them.
    All,
}

impl ComputeUnits {
    /// Every choice.
    pub const EVERY: [ComputeUnits; 4] =
        [ComputeUnits::Cpu, ComputeUnits::CpuAndGpu, ComputeUnits::CpuAndNeuralEngine, ComputeUnits::All];

    /// Its name in `RLX_COREML_UNITS`.
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

/// A name that is none of CoreML's choices of units.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` are no units of CoreML; there are cpu, gpu (with the CPU), ane (with the CPU) and all")]
pub struct UnknownUnits(pub String);

impl FromStr for ComputeUnits {
    type Err = UnknownUnits;

    fn from_str(name: &str) -> Result<ComputeUnits, UnknownUnits> {
        let lower = name.to_ascii_lowercase();
        let found = ComputeUnits::EVERY.into_iter().find(|units| units.name() == lower);
        found.ok_or_else(|| UnknownUnits(name.into()))
    }
}

/// An array that a model is given: elements in row-major order, little-endian.
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

/// A place for an array that a model gives.
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

/// Why an engine did not load a package or run a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// It does not run on this machine.
    #[error("{0}")]
    Missing(String),
    /// The package was not loaded.
    #[error("CoreML did not load the package: {0}")]
    Load(String),
    /// A run failed, or gave something else than the package says.
    #[error("CoreML did not run the model: {0}")]
    Run(String),
}

/// What a package is loaded with.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions<'a> {
    /// The function that runs.
    pub function: &'a str,
    /// The units that it may run on.
    pub units: ComputeUnits,
    /// Where what was compiled of packages is kept, if it is: compiling takes CoreML up to a minute.
    pub cache: Option<&'a Path>,
    /// What names the package's content in that folder.
    pub content: &'a str,
}

/// What runs packages.
pub trait Engine: Send + Sync {
    /// Whether it runs on this machine, and which it is.
    fn availability(&self) -> Availability;

    /// The operations that it has.
    fn opset(&self) -> Opset;

    /// Loads a function of a package.
    ///
    /// # Errors
    /// [`EngineError::Missing`] and [`EngineError::Load`].
    fn load(&self, package: &Path, options: LoadOptions<'_>) -> Result<Box<dyn LoadedModel>, EngineError>;

    /// Where it would run the operations of a package on these units.
    ///
    /// # Errors
    /// [`EngineError::Missing`] where it does not say, and [`EngineError::Load`].
    fn plan(&self, package: &Path, units: ComputeUnits) -> Result<Vec<PlannedOperation>, EngineError> {
        let _ = (package, units);
        Err(EngineError::Missing("this engine does not say where operations run".into()))
    }
}

/// Where an engine would run an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedOperation {
    /// The function that it is in.
    pub function: String,
    /// The operation's name in the program: that of its first result.
    pub operation: String,
    /// As `matmul`.
    pub kind: String,
    /// What would run it; none where the engine does not say, as of constants.
    pub unit: Option<Unit>,
}

/// A function that was loaded.
pub trait LoadedModel: Send {
    /// Runs it. Inputs and outputs are found by name; all outputs that are wanted are written, or none that can be relied on. A function with
    /// states is given them, made by this model, and changes them; a run that fails may leave them half updated.
    ///
    /// # Errors
    /// [`EngineError::Run`].
    fn predict(
        &mut self,
        inputs: &[GivenArray<'_>],
        state: Option<&mut dyn ModelState>,
        outputs: &mut [WantedArray<'_>],
    ) -> Result<(), EngineError>;

    /// Values for the states of the function, all zeros.
    ///
    /// # Errors
    /// [`EngineError::Run`].
    fn new_state(&mut self) -> Result<Box<dyn ModelState>, EngineError>;
}

/// The values of the states of a function, between its runs: arrays of f16.
pub trait ModelState: Send {
    /// Copies the elements of a state, in row-major order.
    ///
    /// # Errors
    /// [`EngineError::Run`] where there is no such state, or it has another size.
    fn read(&mut self, name: &str, into: &mut [u8]) -> Result<(), EngineError>;

    /// Replaces the elements of a state.
    ///
    /// # Errors
    /// As [`read`](ModelState::read).
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), EngineError>;

    /// The values as the engine's own type.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// CoreML where this machine has it, else an engine that says that it has not.
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

/// What stands for CoreML where there is none.
#[cfg(not(target_vendor = "apple"))]
struct NoCoreMl;

/// Why there is none.
#[cfg(not(target_vendor = "apple"))]
const NO_COREML: &str = "CoreML is a part of Apple's systems alone; `rlx convert MODEL -o MODEL.mlpackage` writes packages for it here";

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

/// The processor of a machine of Apple's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChipInfo {
    /// What it is called, such as `Apple M3`.
    pub name: String,
}

/// What this machine's processor is, on Apple's systems.
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
