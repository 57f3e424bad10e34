//! Building blocks of models, which name their parameters by their place in the model.
//!
//! A [`Flow`] is a builder with the path of the block under construction; blocks are functions of a flow and
//! values. The result is a plain graph.

pub mod blocks;
mod config;
mod flow;
mod reflection;

pub use config::ModelExecutionConfig;
pub use flow::Flow;
pub use reflection::{ModelReflection, ParamInfo};
pub use rlx_ir::CompilationMode;
