//! The commands, one per file: options, help, and calls into the [engine](crate::engine).

pub mod bench;
mod bench_llm;
mod bench_train;
mod bench_update;
pub mod compile;
pub mod completions;
pub mod convert;
pub mod coreml;
pub mod devices;
mod divergence;
pub mod embed;
pub mod emit;
pub mod generate;
pub mod imatrix;
pub mod inspect;
mod package;
pub mod perplexity;
pub mod profile;
pub mod run;
pub mod sample;
pub mod tokenize;
pub mod train;
pub mod transform;
