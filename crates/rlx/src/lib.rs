//! RLX, an ML compiler and runtime: a prelude, and every crate as a module.
//!
//! ```toml
//! [dependencies]
//! rlx = { git = "https://github.com/rlx-project/rlx" }
//! ```
//!
//! | feature | adds |
//! |---|---|
//! | `cpu` (default) | the CPU backend |
//! | `macros` (default) | [`macros`]: models that are checked and embedded when a program is compiled |
//! | `models` | `models`, `flow`: sentence embedders, tokenizers, weights, model blocks, training checkpoints |
//! | `hub` | models by name, fetched once over HTTPS; includes `models` |
//! | `gguf` | `gguf`: reads and writes model files in ggml's format |
//! | `llm` | `llm`, `tokenizer`, `chat`: language models that generate text; includes `models` and `gguf` |
//! | `stablehlo` | `stablehlo`: reads and writes StableHLO, such as programs lowered by JAX |
//! | `tpu` | TPUs and other devices with a PJRT plugin, loaded at run time |
//! | `mlx` | MLX on Apple GPUs and on Linux, loaded at run time |
//! | `coreml` | CoreML, which runs on Apple's Neural Engine, on Apple systems |
//! | `ahead` | models of `rlx_model` as Rust code instead of graphs; includes `macros` |
//! | `interpreter` | the interpreter of the kernel language, for tests |
//! | `linalg` | factorizations with blocked algorithms, whose crates take minutes to build |
//! | `blas-openblas`, `blas-mkl`, `blas-accelerate` | large products with that library; at most one |
//!
//! `use rlx::prelude::*;` covers graphs, sessions, devices and ops. Every crate of the workspace is a module here.
//!
//! ```
//! use rlx::prelude::*;
//!
//! // The front end infers shapes and has operators.
//! let b = Builder::new("verdict");
//! let facts = b.input("facts", Shape::new(&[2, 3], DType::F32));
//! let weights = b.param("weights", Shape::new(&[3], DType::F32));
//! let verdict = (&facts * &weights).reduce(ReduceOp::Sum, &[1], false).sigmoid();
//! let graph = b.finish(&[&verdict]).unwrap();
//!
//! let mut compiled = Session::new(Device::Cpu).compile(graph);
//! compiled.set_param("weights", &[0.5, -2., 1.]);
//! let out = compiled.run(&[("facts", &[1., 1., 1.5, 8., 0., 4.])]);
//! assert_eq!(out[0][0], 0.5);
//! assert!(out[0][1] > 0.999);
//! ```

pub use rlx_autodiff as autodiff;
#[cfg(feature = "llm")]
pub use rlx_chat as chat;
pub use rlx_driver as driver;
#[cfg(feature = "models")]
pub use rlx_flow as flow;
#[cfg(feature = "gguf")]
pub use rlx_gguf as gguf;
pub use rlx_ir as ir;
#[cfg(feature = "llm")]
pub use rlx_llm as llm;
#[cfg(feature = "models")]
pub use rlx_models as models;
pub use rlx_opt as opt;
pub use rlx_quant as quant;
pub use rlx_runtime as runtime;
#[cfg(feature = "stablehlo")]
pub use rlx_stablehlo as stablehlo;
#[cfg(feature = "llm")]
pub use rlx_tokenizer as tokenizer;
pub use rlx_train as train;

/// The enums that ops carry.
pub mod ops {
    pub use rlx_ir::{
        Activation, ArgOp, BinaryOp, Combiner, CompareOp, FftKind, MaskKind, ReduceOp, RngAlgorithm,
        RopeStyle, SortOrder, TransposeOp, UnaryOp,
    };
}

/// Models that are built, checked and embedded when a program is compiled.
///
/// ```
/// use rlx::macros::{Device, rlx_model};
///
/// #[rlx_model]
/// fn scores<const N: usize>(x: [[f32; 4]; N]) -> [[f32; 2]; N] {
///     let w = param::<[[f32; 2]; 4]>("w");
///     x.matmul(&w).relu()
/// }
///
/// let mut model = Scores::new(Device::Cpu).unwrap();
/// model.compiled().set_param("w", &[1., -1., 1., -1., 1., -1., 1., -1.]);
/// assert_eq!(model.run(&[[1., 2., 3., 4.]]).unwrap(), [[10., 0.]]);
/// ```
///
/// Shapes that do not match are compile errors at the expression:
///
/// ```compile_fail
/// #[rlx::macros::rlx_model]
/// fn scores(x: [[f32; 4]; 1]) -> [[f32; 2]; 1] {
///     x.matmul(&param::<[[f32; 2]; 5]>("w"))
/// }
/// ```
#[cfg(feature = "macros")]
pub mod macros {
    pub use rlx_macros::rlx_model;
    pub use rlx_runtime::embedded::{Array, Embedded, array, value};
    pub use rlx_runtime::{CompiledGraph, Device, Result, Session};
}

/// What most programs use.
pub mod prelude {
    pub use crate::ops::*;
    pub use rlx_ir::{
        Builder, DType, Dim, Graph, Literal, Node, NodeId, Op, OpKind, Shape, SubGraph, Symbol, Tensor, Tick,
        verify,
    };
    pub use rlx_runtime::{
        CompileOptions, CompiledGraph, Device, KernelDispatchPolicy, Precision, PrecisionPolicy, Result,
        RuntimeError, Session, available_devices, calibrate, is_available, pick_best_device,
    };
    pub use rlx_train::{CoremlTrainingSession, Optimizer, TrainConfig, TrainingSession};
}
