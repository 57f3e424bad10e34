//! Shared by the cases of language models: the file, and the tokens.

use crate::Case;
use std::path::{Path, PathBuf};

/// Tokens of the prompt whose results are compared with the reference.
pub const CHECKED: usize = 32;
const VOCAB: u32 = 151_936;

/// The GGUF file of a case.
pub fn file(case: &Case, data: &Path) -> PathBuf {
    data.join(format!("qwen3-{}.gguf", case.text("file")))
}

/// Token `i` of all prompts. The choice of tokens does not affect the time.
pub fn token(i: usize) -> u32 {
    (i as u32).wrapping_mul(2_654_435_761) % VOCAB
}

/// The first tokens.
pub fn tokens(count: usize) -> Vec<u32> {
    (0..count).map(token).collect()
}
