//! Language models that generate text, from a checkpoint to tokens.
//!
//! A family (`families`) turns the settings of a checkpoint into a [`spec`], which does not depend on files. One
//! graph (`graph`) serves all families. It asks for its parameters as it is built, and the checkpoint says where each
//! one is stored, so parameters are listed only once. A [`LanguageModel`] runs the graph over its cache, and a
//! [`Generator`](generate::Generator) writes text with it.
//!
//! A parameter is the bytes of the mapped file, unless they have to be changed. With packed block formats
//! (`rlx-packed`), the results have the same bits however a text is split into runs and whichever sequences run
//! together; otherwise they agree up to the order of sums.
//!
//! `scripts/judge_gguf.py` and `scripts/judge_llm.py` compare whole models with llama.cpp and `transformers`.

mod adapter;
mod blueprint;
mod checkpoint;
mod error;
pub mod export;
pub mod families;
mod finite;
pub mod generate;
pub mod graph;
mod importance;
mod memory;
mod model;
mod parameters;
mod progress;
mod prompt_cache;
mod row_order;
pub mod spec;
mod steps;

pub use adapter::{AdapterError, AdapterMisfit, AdapterSource};
pub use blueprint::Blueprint;
pub use error::{LlmError, Misfit};
pub use graph::CacheType;
pub use importance::ImportanceRun;
pub use model::{LanguageModel, ModelOptions};
pub use progress::{LoadObserver, LoadStep};
pub use steps::{ModelSteps, StepGraph};
