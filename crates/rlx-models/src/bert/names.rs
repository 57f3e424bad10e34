//! Finds the tensors of a BERT encoder in a file by name, and checks that they are complete.
//!
//! Files may differ in three harmless ways: all names may begin with `bert.`; old files call the scale and shift of a
//! norm `gamma` and `beta`; and files may contain parts that a sentence encoder does not use (the pooler, the heads
//! of pretraining, the table of position ids). Everything else must match exactly.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use thiserror::Error;

use super::BertConfig;
use crate::display::{quoted, shape};
use crate::weights::{TensorView, Weights};

/// The maximum number of lines that a message shows for each kind of problem.
const MOST_LINES: usize = 200;

/// The names in the file of all tensors of the encoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BertWeights {
    /// Token embeddings `[vocab, hidden]`.
    pub tokens: String,
    /// Position embeddings `[positions, hidden]`.
    pub positions: String,
    /// Token type embeddings `[token types, hidden]`.
    pub token_types: String,
    /// The norm after the sum of the embeddings.
    pub norm: NormNames,
    /// The layers, from the first to the last.
    pub layers: Vec<LayerNames>,
}

/// The tensors of one layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerNames {
    /// Queries, `hidden → hidden`.
    pub query: LinearNames,
    /// Keys, `hidden → hidden`.
    pub key: LinearNames,
    /// Values, `hidden → hidden`.
    pub value: LinearNames,
    /// After attention, `hidden → hidden`.
    pub attention_output: LinearNames,
    /// The norm after attention.
    pub attention_norm: NormNames,
    /// Into the feed-forward part, `hidden → intermediate`.
    pub intermediate: LinearNames,
    /// Out of it, `intermediate → hidden`.
    pub output: LinearNames,
    /// The norm after it.
    pub output_norm: NormNames,
}

/// A linear map `y = x Wᵀ + b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearNames {
    /// `W`, as `[out, in]`.
    pub weight: String,
    /// `b`, as `[out]`.
    pub bias: String,
}

/// A layer norm over `hidden`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormNames {
    /// The factor, `[hidden]`.
    pub scale: String,
    /// The summand, `[hidden]`.
    pub shift: String,
}

/// The weights do not match the configuration. Each list is complete.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the weights do not fit the configuration{}", self.details())]
pub struct MismatchError {
    /// Tensors that the encoder needs but the file does not have, with the needed shape.
    pub missing: Vec<(String, Vec<usize>)>,
    /// Tensors of the file that do not belong to any part of the model.
    pub unexpected: Vec<String>,
    /// Tensors with the wrong shape: name, needed, found.
    pub wrong_shape: Vec<(String, Vec<usize>, Vec<usize>)>,
    /// Tensors whose values are not floating point numbers: name, type.
    pub wrong_type: Vec<(String, &'static str)>,
}

/// Finds all tensors of the encoder that `config` describes.
///
/// # Errors
/// Returns a [`MismatchError`] with every missing or unexpected tensor, and every tensor with the wrong shape or
/// type.
pub fn check(config: &BertConfig, weights: &Weights) -> Result<BertWeights, MismatchError> {
    let prefixed = weights.iter().any(|t| t.name().starts_with("bert."));
    let mut finder = Finder {
        weights,
        prefix: if prefixed { "bert." } else { "" },
        taken: BTreeSet::new(),
        error: MismatchError { missing: vec![], unexpected: vec![], wrong_shape: vec![], wrong_type: vec![] },
    };
    let h = config.hidden_size;
    let names = BertWeights {
        tokens: finder.take("embeddings.word_embeddings.weight", &[config.vocab_size, h]),
        positions: finder.take("embeddings.position_embeddings.weight", &[config.max_positions, h]),
        token_types: finder.take("embeddings.token_type_embeddings.weight", &[config.token_types, h]),
        norm: finder.norm("embeddings.LayerNorm", h),
        layers: (0..config.layers).map(|i| finder.layer(i, config)).collect(),
    };
    finder.finish().map(|()| names)
}

struct Finder<'a> {
    weights: &'a Weights,
    prefix: &'static str,
    taken: BTreeSet<String>,
    error: MismatchError,
}

impl Finder<'_> {
    fn layer(&mut self, index: usize, config: &BertConfig) -> LayerNames {
        let (h, wide) = (config.hidden_size, config.intermediate_size);
        let at = |part: &str| format!("encoder.layer.{index}.{part}");
        LayerNames {
            query: self.linear(&at("attention.self.query"), h, h),
            key: self.linear(&at("attention.self.key"), h, h),
            value: self.linear(&at("attention.self.value"), h, h),
            attention_output: self.linear(&at("attention.output.dense"), h, h),
            attention_norm: self.norm(&at("attention.output.LayerNorm"), h),
            intermediate: self.linear(&at("intermediate.dense"), h, wide),
            output: self.linear(&at("output.dense"), wide, h),
            output_norm: self.norm(&at("output.LayerNorm"), h),
        }
    }

    fn linear(&mut self, name: &str, from: usize, to: usize) -> LinearNames {
        LinearNames {
            weight: self.take(&format!("{name}.weight"), &[to, from]),
            bias: self.take(&format!("{name}.bias"), &[to]),
        }
    }

    fn norm(&mut self, name: &str, size: usize) -> NormNames {
        let old = self.weights.get(&format!("{}{name}.gamma", self.prefix)).is_some();
        let (scale, shift) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        NormNames {
            scale: self.take(&format!("{name}.{scale}"), &[size]),
            shift: self.take(&format!("{name}.{shift}"), &[size]),
        }
    }

    /// Records that the encoder needs `name` with this shape, and any problem with that tensor.
    fn take(&mut self, name: &str, needed: &[usize]) -> String {
        let name = format!("{}{name}", self.prefix);
        match self.weights.get(&name) {
            None => self.error.missing.push((name.clone(), needed.to_vec())),
            Some(tensor) => self.compare(&tensor, needed),
        }
        self.taken.insert(name.clone());
        name
    }

    fn compare(&mut self, tensor: &TensorView<'_>, needed: &[usize]) {
        let name = || tensor.name().to_string();
        if tensor.shape() != needed {
            self.error.wrong_shape.push((name(), needed.to_vec(), tensor.shape().to_vec()));
        }
        let stored = tensor.stored_type();
        if !stored.dtype().is_some_and(rlx_ir::DType::is_float) {
            self.error.wrong_type.push((name(), stored.tag()));
        }
    }

    fn finish(mut self) -> Result<(), MismatchError> {
        for tensor in self.weights.iter() {
            if !self.taken.contains(tensor.name()) && !is_unused(tensor.name(), self.prefix) {
                self.error.unexpected.push(tensor.name().to_string());
            }
        }
        let e = &self.error;
        if e.missing.is_empty()
            && e.unexpected.is_empty()
            && e.wrong_shape.is_empty()
            && e.wrong_type.is_empty()
        {
            Ok(())
        } else {
            Err(self.error)
        }
    }
}

/// Whether a tensor belongs to a part that the encoder does not use: the pooler, position ids, and the heads that are
/// next to `bert.` in a model for another task.
fn is_unused(name: &str, prefix: &str) -> bool {
    let Some(own) = name.strip_prefix(prefix) else {
        return ["cls.", "classifier.", "qa_outputs.", "dropout."].iter().any(|head| name.starts_with(head));
    };
    own.starts_with("pooler.") || matches!(own, "embeddings.position_ids" | "embeddings.token_type_ids")
}

impl MismatchError {
    fn details(&self) -> String {
        let mut text = String::new();
        let missing = self.missing.iter().map(|(name, dims)| format!("{} {}", quoted(name), shape(dims)));
        section(&mut text, "missing", missing);
        section(&mut text, "unexpected", self.unexpected.iter().map(|name| quoted(name)));
        let wrong = self.wrong_shape.iter().map(|(name, needed, found)| {
            format!("{}: expected {}, found {}", quoted(name), shape(needed), shape(found))
        });
        section(&mut text, "with the wrong shape", wrong);
        let wrong = self.wrong_type.iter().map(|(name, tag)| format!("{}: {tag}", quoted(name)));
        section(&mut text, "not of a floating point type", wrong);
        text
    }
}

fn section(text: &mut String, title: &str, lines: impl ExactSizeIterator<Item = String>) {
    let total = lines.len();
    if total == 0 {
        return;
    }
    let _ = write!(text, "\n  {total} {title}:");
    for line in lines.take(MOST_LINES) {
        let _ = write!(text, "\n    {line}");
    }
    if total > MOST_LINES {
        let _ = write!(text, "\n    … and {} more", total - MOST_LINES);
    }
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
