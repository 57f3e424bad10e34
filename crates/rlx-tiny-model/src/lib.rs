//! A small language model of RLX's own, which `rlx generate` uses if no model is named.
//!
//! README.md says what it was made from, and how.

/// The file, in GGUF.
pub static GGUF: &[u8] = include_bytes!("../tiny.gguf");
