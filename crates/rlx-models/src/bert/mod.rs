//! Encoders of the BERT family: their settings, tensors and graph.

mod config;
mod graph;
mod names;

pub use crate::fields::ConfigError;
pub use config::BertConfig;
pub use graph::{INPUTS, contrastive_graph, parameters, sentence_graph};
pub use names::{BertWeights, LayerNames, LinearNames, MismatchError, NormNames, check};
