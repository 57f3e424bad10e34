//! How to execute a model: sizes, compilation mode, and the cache key of the result.

use rlx_ir::CompilationMode;
use std::fmt::Write;

/// The sizes and the phase for which a model is built.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModelExecutionConfig {
    family: String,
    phase: String,
    batch: usize,
    seq: usize,
    mode: CompilationMode,
}

impl ModelExecutionConfig {
    /// A configuration for a phase of a model family.
    pub fn new(family: impl Into<String>, phase: impl Into<String>, batch: usize, seq: usize) -> Self {
        let (family, phase) = (family.into(), phase.into());
        ModelExecutionConfig { family, phase, batch, seq, mode: CompilationMode::default() }
    }

    /// An encoder of whole sequences.
    pub fn encoder(family: impl Into<String>, batch: usize, seq: usize) -> Self {
        Self::new(family, "encode", batch, seq)
    }

    /// Qwen 3.5 reading a prompt.
    pub fn qwen35_prefill(batch: usize, seq: usize) -> Self {
        Self::new("qwen35", "prefill", batch, seq)
    }

    /// Qwen 3.5 generating one token at a time after `past` tokens.
    pub fn qwen35_decode(batch: usize, past: usize) -> Self {
        Self::new("qwen35", "decode", batch, past)
    }

    /// This configuration with another mode.
    pub fn with_compilation_mode(mut self, mode: CompilationMode) -> Self {
        self.mode = mode;
        self
    }

    /// When to compile the graph.
    pub fn compilation_mode(&self) -> CompilationMode {
        self.mode
    }

    /// Sequences to process at a time.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Tokens per sequence.
    pub fn seq(&self) -> usize {
        self.seq
    }

    /// A text that is equal for configurations with equal programs. It consists of family, phase and sizes, but not the mode.
    pub fn cache_key(&self) -> String {
        let mut key = String::new();
        // INVARIANT: writing to a String cannot fail. Lengths distinguish names that contain separators.
        let _ = write!(key, "{}:{}/{}:{}", self.family.len(), self.family, self.phase.len(), self.phase);
        let _ = write!(key, "/b{}/s{}", self.batch, self.seq);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_programs_apart_and_modes_not() {
        let a = ModelExecutionConfig::qwen35_prefill(1, 128);
        assert_eq!(a.cache_key(), a.clone().with_compilation_mode(CompilationMode::Lazy).cache_key());
        assert_ne!(a.cache_key(), ModelExecutionConfig::qwen35_prefill(1, 129).cache_key());
        assert_ne!(a.cache_key(), ModelExecutionConfig::qwen35_decode(1, 128).cache_key());
    }
}
