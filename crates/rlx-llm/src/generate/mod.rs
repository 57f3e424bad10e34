//! Text generation: prompts in chunks, the choice of each next token, and where to stop.

mod answer;
mod generator;
mod logprobs;
pub mod sampling;
mod stop;

pub use generator::{FinishReason, GenerateError, GenerateOptions, Generated, Generator, Piece};
pub use logprobs::TokenLogprobs;
pub use sampling::{Sampler, SamplerKind, Sampling};
