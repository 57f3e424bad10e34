//! A facade for programs to import: sessions, training, and what a graph says about itself. Sessions and compiled
//! graphs are in [`rlx_session`], training is in [`rlx_train`] (feature `train`).
//!
//! ```
//! use rlx_ir::{DType, Graph, Shape};
//! use rlx_runtime::{Device, ModelReflection, Session};
//!
//! let mut g = Graph::new("hello");
//! let x = g.input("x", Shape::new(&[1, 3], DType::F32));
//! let w = g.param("w", Shape::new(&[3, 2], DType::F32));
//! let y = g.matmul(x, w, Shape::new(&[1, 2], DType::F32));
//! g.set_outputs(vec![y]);
//! assert_eq!(ModelReflection::of(&g).param_elements, 6);
//!
//! let mut compiled = Session::new(Device::Cpu).try_compile(g)?;
//! compiled.try_set_param("w", &[0.5, 0., 0., 2., 1., 1.])?;
//! assert_eq!(compiled.try_run(&[("x", &[10., 20., 30.])])?, [[35., 70.]]);
//! # Ok::<(), rlx_runtime::RuntimeError>(())
//! ```

pub use rlx_flow::ModelReflection;
pub use rlx_session::*;
#[cfg(feature = "train")]
pub use rlx_train::{
    CoremlTrainingSession, MlUpdateEligibility, Optimizer, TrainConfig, TrainingSession, UpdatePath,
};
