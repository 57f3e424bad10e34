//! Ready models for RLX: where their files come from, what is in them, how text becomes tokens.
//!
//! Owns file formats (npy, the Hugging Face model directory), the model cache and tokenization; safetensors are in `rlx-files`.
//! Must not know backends or kernels: a model is built from blocks and run by the runtime.
//!
//! Programs reach it as `rlx::models`, by the feature `models` of `rlx`:
//!
//! ```toml
//! [dependencies]
//! rlx = { git = "https://github.com/rlx-project/rlx", features = ["models"] }
//! ```
//!
//! [`embedder::SentenceEmbedder`] turns sentences into vectors. Models by name (the module `hub`) are the feature `hub`, which brings HTTPS.

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

pub use rlx_files::{contents, display, files, foreign, lock, weights};
