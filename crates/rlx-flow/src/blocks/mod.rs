//! Building blocks, one kind per file. Each takes the flow of its place in the model, its input values, and its sizes.

mod attention;
mod contrastive;
mod decoder;
mod embedding;
mod encoder;
mod linear;
mod norm;
mod pool;

pub use attention::{AttentionNames, self_attention};
pub use contrastive::in_batch_negatives;
pub use decoder::{DecoderConfig, decoder_layer};
pub use embedding::embedding;
pub use encoder::{EncoderConfig, encoder_layer};
pub use linear::{contract_last, linear, linear_named};
pub use norm::layer_norm;
pub use pool::{PoolKind, normalize, pool_tokens};
