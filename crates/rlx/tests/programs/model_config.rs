//! How models are executed, and how they describe themselves.

use crate::explicit;
use rlx::runtime::ModelReflection;
use rlx_flow::ModelExecutionConfig;
use rlx_ir::CompilationMode;

#[test]
fn keys_tell_sizes_apart() {
    let config = ModelExecutionConfig::qwen35_prefill(2, 96).with_compilation_mode(CompilationMode::Lazy);
    assert_eq!(config.compilation_mode(), CompilationMode::Lazy);
    assert_ne!(config.cache_key(), ModelExecutionConfig::qwen35_prefill(2, 97).cache_key());
}

#[test]
fn a_graph_says_what_it_has() {
    let found = ModelReflection::of(&explicit());
    assert_eq!((found.params.len(), found.param_elements, found.param_bytes), (2, 15, 60));
}
