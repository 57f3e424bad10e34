//! The small language model that `rlx generate` uses if no model is named.
//!
//! README.md describes the data and the training.

/// The model as a GGUF file.
pub static GGUF: &[u8] = include_bytes!("../tiny.gguf");
