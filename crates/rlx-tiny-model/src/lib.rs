//! A small language model of RLX's own, in the program: what `rlx generate` writes with where no model is named. README.md says what it
//! was made of, and how.

/// The file, in GGUF.
pub static GGUF: &[u8] = include_bytes!("../tiny.gguf");
