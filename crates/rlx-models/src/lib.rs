//! Ready models for RLX: where their files come from, what is in them, how text becomes tokens.
//!
//! Owns file formats (safetensors, npy, the Hugging Face model directory), the model cache and tokenization.
//! Must not know backends or kernels: a model is built from blocks and run by the runtime.

pub mod bert;
pub mod convnet;
mod display;
pub mod embedder;
mod fields;
pub mod files;
pub mod gpt;
pub mod hub;
pub mod model;
pub mod npy;
pub mod sentence;
pub mod tokenize;
pub mod weights;
