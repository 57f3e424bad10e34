//! Ready-made models: their files, the model cache and hub client, tokenization, and sentence encoders.
//!
//! This crate owns file formats (npy, the Hugging Face model directory), the model cache and tokenization;
//! safetensors are in `rlx-files`. It must not know backends or kernels: a model is built from blocks and run by the
//! runtime.
//!
//! Programs reach it as `rlx::models`, with the feature `models` of `rlx`:
//!
//! ```toml
//! [dependencies]
//! rlx = { git = "https://github.com/rlx-project/rlx", features = ["models"] }
//! ```
//!
//! [`embedder::SentenceEmbedder`] turns sentences into vectors. The feature `hub` adds the module `hub`, which
//! fetches models by name over HTTPS.

mod batching;
pub mod bert;
pub mod convnet;
pub mod embedder;
pub mod fields;
pub mod gpt;
#[cfg(feature = "hub")]
pub mod hub;
pub mod known;
pub mod model;
pub mod npy;
pub mod sentence;
pub mod tokenize;
pub mod variables;

pub use rlx_files::{contents, display, files, foreign, lock, weights};
