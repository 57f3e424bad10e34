//! Training sessions: steps, gradient accumulation, clipping, loss scaling, evaluation and checkpoints.
//!
//! ```
//! use rlx_ir::{Builder, DType, Shape};
//! use rlx_train::{Optimizer, TrainConfig, TrainingSession};
//!
//! let b = Builder::new("line");
//! let x = b.input("x", Shape::new(&[4, 1], DType::F32));
//! let y = b.input("y", Shape::new(&[4, 1], DType::F32));
//! let w = b.param("W", Shape::new(&[1, 1], DType::F32));
//! let graph = b.finish(&[&x.matmul(&w).mse(&y)]).expect("valid");
//!
//! let init = [("W".to_string(), vec![0.0])].into();
//! let config = TrainConfig { lr: 0.1, optimizer: Optimizer::sgd() };
//! let mut session = TrainingSession::new(graph, &["W"], init, config).with_fused_optimizer();
//! let (x, y) = ([0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 4.0, 6.0]);
//! for _ in 0..30 {
//!     session.step(&[("x", &x), ("y", &y)]);
//! }
//! assert!((session.param("W").expect("it is there")[0] - 2.0).abs() < 1e-3);
//! ```

#[cfg(feature = "files")]
mod checkpoint;
mod config;
mod data;
mod eligibility;
mod error;
mod graphs;
mod report;
mod scale;
mod session;
#[cfg(feature = "files")]
mod setting;
mod state;

#[cfg(feature = "files")]
pub use checkpoint::{CheckpointError, Checkpoints, Resumed, save_params};
pub use config::{NanPolicy, TrainConfig, TrainSettings};
pub use data::Order;
pub use eligibility::MlUpdateEligibility;
pub use error::TrainError;
pub use report::{EvalReport, StepKind, StepReport, UpdatePath};
pub use rlx_optim::{Mask, MatrixLayout, Optimizer, Schedule};
pub use scale::LossScale;
pub use session::{
    CoremlTrainingSession, DefaultDevice, OnCpu, OnNeuralEngine, Saved, SessionOn, Snapshot, TrainingSession,
};
#[cfg(feature = "files")]
pub use setting::{Changed, Setting};
