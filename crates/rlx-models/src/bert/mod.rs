//! Encoders of the BERT family: what `config.json` says, and which tensors that takes.

mod config;
mod graph;
mod names;

pub use crate::fields::ConfigError;
pub use config::BertConfig;
pub use graph::{INPUTS, contrastive_graph, parameters, sentence_graph};
pub use names::{BertWeights, LayerNames, LinearNames, MismatchError, NormNames, check};
