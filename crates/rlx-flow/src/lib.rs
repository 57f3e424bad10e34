//! Models from blocks (HIR): a [`Flow`] names parameters by their place in the model, and blocks are functions of a flow
//! and values. What comes out is a plain graph.

pub mod blocks;
mod config;
mod flow;
mod reflection;

pub use config::ModelExecutionConfig;
pub use flow::Flow;
pub use reflection::{ModelReflection, ParamInfo};
pub use rlx_ir::CompilationMode;
