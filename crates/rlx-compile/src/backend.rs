//! What a backend is: claims, a way to prepare a lowered graph, and a cost model. It defines no semantics.

use crate::cost::{self, Rates};
use crate::dispatch::DispatchReport;
use crate::kept::{Kept, kept_inputs};
use crate::options::CompileOptions;
use rlx_driver::Device;
use rlx_fusion::Claims;
use rlx_ir::{Graph, Literal};
use std::any::Any;

/// A graph ready for a backend: static, legal, simplified, fused and scheduled.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The graph.
    pub graph: Graph,
    /// How each node runs; `None` for a program that was read from where an earlier compile left it.
    pub report: Option<DispatchReport>,
    /// The inputs that a backend may keep in the program's own memory; see [`CompileOptions::donate_handles`].
    pub kept: Vec<Kept>,
    /// The options that it was compiled with.
    pub options: CompileOptions,
}

impl Lowered {
    /// A program whose graph an earlier compile with these options left.
    pub fn without_report(graph: Graph, options: &CompileOptions) -> Self {
        let kept = kept_inputs(&graph, options);
        Lowered { graph, report: None, kept, options: options.clone() }
    }
}

/// Whether a device can be used now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Availability {
    /// It can; a line that describes it.
    Present(String),
    /// It cannot; why, in one sentence.
    Missing(String),
}

impl Availability {
    /// Whether the device can be used.
    pub fn is_present(&self) -> bool {
        matches!(self, Availability::Present(_))
    }
}

/// A backend's estimate of one run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// Seconds of one run, without the first.
    pub seconds: f64,
}

/// What went wrong in a backend.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BackendError {
    /// The device cannot be used.
    #[error("{device} is not available: {reason}")]
    Unavailable {
        /// The device.
        device: Device,
        /// Why, in one sentence.
        reason: String,
    },
    /// The backend has no way to run a node that it claimed, or an option that it does not take.
    #[error("{0}")]
    Unsupported(String),
    /// A node failed while it ran.
    #[error("`{op}`{label}: {message}")]
    Run {
        /// The op.
        op: String,
        /// The model path with a leading ` at `, or empty.
        label: String,
        /// What happened.
        message: String,
    },
    /// Memory could not be had.
    #[error("out of memory: {0} bytes could not be allocated")]
    OutOfMemory(usize),
}

/// The bytes of one input, as the caller holds them.
pub type InputBytes<'a> = &'a [u8];

/// The values of a program's parameters, shared between instances. Bytes are little-endian and as long as the
/// parameter's shape says.
pub trait ParamBytes: Send + Sync {
    /// The bytes.
    fn bytes(&self) -> &[u8];
}

impl ParamBytes for Literal {
    fn bytes(&self) -> &[u8] {
        Literal::bytes(self)
    }
}

/// One instance of a prepared program: it has working memory of its own and shares parameters and what is derived
/// from them with its clones.
pub trait Executable: Send {
    /// Another instance, with the same parameters.
    fn clone_box(&self) -> Box<dyn Executable>;

    /// An instance of another lowering of the same program (other sizes), with the same parameters.
    fn with_lowered(&self, lowered: Lowered) -> Result<Box<dyn Executable>, BackendError>;

    /// Sets parameter `index` (in graph order) of this instance and of clones made from it later. The caller has
    /// checked the length.
    fn set_param(&mut self, index: usize, value: std::sync::Arc<dyn ParamBytes>);

    /// Whether the program keeps input `index` in its own memory from run to run.
    fn keeps(&self, _index: usize) -> bool {
        false
    }

    /// Writes the value of an input that the program keeps into the program's own memory; `false` if it does not keep it. The
    /// caller has checked the length.
    fn keep(&mut self, _index: usize, _value: &[u8]) -> Result<bool, BackendError> {
        Ok(false)
    }

    /// Runs the program. The caller has checked the number and lengths of the inputs and that all parameters are set. A kept
    /// input may be empty: it is the value that the last run left. A run that fails leaves kept values undefined.
    fn run(&mut self, inputs: &[InputBytes<'_>]) -> Result<(), BackendError>;

    /// The bytes of output `index` of the last run.
    fn output(&self, index: usize) -> &[u8];

    /// The working memory, in which outputs lie, and its size in bytes.
    fn arena(&self) -> (*const u8, usize);

    /// Offset of output `index` in the working memory.
    fn output_offset(&self, index: usize) -> usize;

    /// The memory plan and whatever else there is to see, as text.
    fn describe(&self) -> String;

    /// The instance as its own type, for tests and tools.
    fn as_any(&self) -> &dyn Any;
}

/// A backend.
pub trait Backend: Send + Sync {
    /// The device that it serves.
    fn device(&self) -> Device;

    /// Whether the device can be used now.
    fn availability(&self) -> Availability;

    /// What it can run.
    fn claims(&self) -> &dyn Claims;

    /// What its claims depend on beside the op, as text: two backends of a device with equal texts claim the same. `None` where that
    /// cannot be said; its programs are then not kept on disk.
    fn claims_key(&self) -> Option<String> {
        None
    }

    /// Makes a lowered graph executable.
    fn prepare(&self, lowered: Lowered) -> Result<Box<dyn Executable>, BackendError>;

    /// What the device does in a second, roughly: what estimates are made with where nobody has measured it.
    fn rates(&self) -> Rates;

    /// How long one run of the graph would take at these rates.
    fn cost(&self, graph: &Graph, rates: &Rates) -> Cost {
        cost::estimate(graph, rates)
    }
}
