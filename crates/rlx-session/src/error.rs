//! The errors of the runtime.

use rlx_compile::{BackendError, BindError, CompileError};
use rlx_driver::env::EnvError;
use rlx_driver::{Device, DeviceId};
use rlx_ir::{DType, DimError, LiteralError, Shape};

/// Why a compile or a run failed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The graph did not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// An environment variable has a bad value.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The device's backend was left out when the program was built.
    #[error(
        "{device} is not built in; build with the feature `{feature}` of crate `rlx`, or use one of: {present}"
    )]
    NotBuiltIn {
        /// The device.
        device: Device,
        /// The feature of crate `rlx`.
        feature: &'static str,
        /// The devices that are built in.
        present: String,
    },
    /// There is no backend for the device.
    #[error("{device} is not supported by this version yet; use one of: {present}")]
    NotSupported {
        /// The device.
        device: Device,
        /// The devices that are built in.
        present: String,
    },
    /// The graph has nothing of this name.
    #[error("the graph has no {what} `{name}`; it has {known}")]
    UnknownName {
        /// `input`, `parameter`, `dimension` or `handle`.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A name given twice.
    #[error("input `{0}` is given twice")]
    DuplicateInput(String),
    /// Inputs that were not given.
    #[error("missing input(s): {0}")]
    MissingInputs(String),
    /// The graph does not have this output.
    #[error("the graph has no output {index}; it has {count}, counted from 0")]
    UnknownOutput {
        /// The output.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The number of positional inputs differs from the graph's.
    #[error("the graph takes {expected} input(s) in order, got {got}")]
    InputCount {
        /// How many the graph takes.
        expected: usize,
        /// How many were given.
        got: usize,
    },
    /// A graph with state cannot be shared by threads.
    #[error(
        "`{0}` keeps state between runs, which a graph shared by threads cannot do: give each thread a clone of the compiled graph"
    )]
    SharedState(String),
    /// Parameters that were never set.
    #[error("parameter(s) not set: {0}")]
    UnsetParams(String),
    /// The number of elements of a value differs from its shape.
    #[error("`{name}` is {shape}: it takes {expected} elements, got {got}")]
    WrongLength {
        /// The input or parameter.
        name: String,
        /// Its shape.
        shape: Shape,
        /// The number of elements of that shape.
        expected: usize,
        /// The number given.
        got: usize,
    },
    /// A parameter has a value outside the range of f16, in a program that reads it in f16.
    #[error(
        "`{name}` contains {number}, but this precision reads it in f16, with numbers up to 65504; compute in f32 or bf16"
    )]
    BeyondHalf {
        /// The parameter.
        name: String,
        /// The number.
        number: f32,
    },
    /// The shape of a value differs from the declared one.
    #[error("`{name}` is declared {declared}, got {got}")]
    WrongShape {
        /// The input.
        name: String,
        /// Its declared shape.
        declared: Shape,
        /// The given one.
        got: Shape,
    },
    /// The element type of a value differs from the declared one, and is not converted.
    #[error("`{name}` is {expected}, got {got}")]
    WrongDType {
        /// The input or parameter.
        name: String,
        /// The declared element type.
        expected: DType,
        /// The given one.
        got: DType,
    },
    /// A number of bytes that is not a whole number of elements.
    #[error("`{name}`: {bytes} bytes are not a whole number of {dtype} elements")]
    PartialElement {
        /// The input or parameter.
        name: String,
        /// The number of bytes.
        bytes: usize,
        /// The element type.
        dtype: DType,
    },
    /// The inputs do not determine the sizes of these symbolic dimensions.
    #[error("cannot tell the size of dimension(s) {0} from the inputs' lengths; bind them with `bind_dims`")]
    AmbiguousDims(String),
    /// A dimension without a valid size.
    #[error(transparent)]
    Dim(#[from] DimError),
    /// A constant tensor could not be created.
    #[error(transparent)]
    Literal(#[from] LiteralError),
    /// A model that is embedded in the program does not match the library that the program runs with.
    #[error("embedded model: {0}; build the program again")]
    Embedded(String),
    /// A run left this state half updated, because it failed or panicked, or is still updating it in the background.
    #[error("the state of `{0}` is lost: a run that updated it in place did not finish; set it again")]
    StateLost(String),
    /// State was read or written outside of its shape.
    #[error("the state of `{name}` is {shape}: {problem}")]
    StateRange {
        /// The input that reads it.
        name: String,
        /// Its shape.
        shape: Shape,
        /// What is wrong.
        problem: String,
    },
    /// The files of an emitted program could not be written.
    #[error("{0}")]
    Emit(String),
    /// State could not be saved or read.
    #[error("state: {0}")]
    StateFile(String),
    /// A background run panicked, and the state that it was updating is lost. The text is empty, or a colon and the panic's message.
    #[error("the background run panicked{0}; the state that it was updating is lost")]
    Panicked(String),
    /// A child of `fork` asked for something that only its parent has.
    #[error(
        "{what} on {device} belongs to the process that this one was forked from; compile the graph in the child, or fork \
         before creating sessions"
    )]
    Forked {
        /// The program, or a run of it.
        what: &'static str,
        /// Its device.
        device: DeviceId,
    },
    /// `sync_pending` was called without `commit_no_wait`, or a run was started while one is pending.
    #[error("{0}")]
    Pending(&'static str),
}

impl From<BindError> for RuntimeError {
    fn from(error: BindError) -> Self {
        RuntimeError::Compile(error.into())
    }
}
