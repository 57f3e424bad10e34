//! A model to be trained: a spec built from `config.json`, without weights.

use crate::error::LlmError;
use crate::families::{Family, Param, TensorNames};
use crate::graph::training_graph;
use crate::spec::{DecoderSpec, FeedSpec, MixerSpec};
use rlx_ir::{Graph, Violations};
use rlx_models::fields::Fields;
use rlx_models::gpt::Initial;
use serde_json::Value;
use std::path::Path;

/// The standard deviation of initial values if the settings name none; `transformers` uses the same default.
const DEFAULT_DEVIATION: f64 = 0.02;

/// A model without weights.
pub struct Blueprint {
    spec: DecoderSpec,
    names: &'static TensorNames,
    deviation: f64,
}

impl Blueprint {
    /// Reads the model described by the settings in the file `config`, as `transformers` writes them.
    ///
    /// # Errors
    /// Returns an [`LlmError::Config`] that names the field. For a model that can be run but not trained, the field
    /// is the one
    /// that rules it out.
    pub fn open(config: &Path) -> Result<Blueprint, LlmError> {
        let fields = Fields::load(config)?;
        let family = Family::named(&fields)?;
        let (spec, names) = (family.spec(&fields)?, family.names());
        let is_plain = |layer: &crate::spec::LayerSpec| {
            matches!(layer.mixer, MixerSpec::Attention(_))
                && !matches!(layer.feed, Some(FeedSpec::Experts(_)))
        };
        if !names.keeps_parameters() || !spec.layers.iter().all(is_plain) {
            let problem = "models with experts, states or joined tensors cannot be trained; llama, mistral, qwen2 and qwen3 can";
            return Err(fields.wrong("model_type", problem).into());
        }
        let deviation = fields.get("initializer_range").and_then(Value::as_f64).unwrap_or(DEFAULT_DEVIATION);
        Ok(Blueprint { spec, names, deviation })
    }

    /// Returns what the model computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// Returns the loss graph for `batch` sequences of `seq` tokens; see [`training_graph`].
    ///
    /// # Errors
    /// Returns the list of problems with the sizes.
    pub fn loss_graph(&self, batch: usize, seq: usize) -> Result<Graph, Violations> {
        training_graph(&self.spec, batch, seq)
    }

    /// Returns how a parameter is initialized. Projections that add to the residual stream get a smaller standard
    /// deviation, so that the sums along the stream keep their magnitude (Radford et al., 2019).
    pub fn initial(&self, param: &str) -> Initial {
        let (place, kind) = param.rsplit_once('.').unwrap_or(("", param));
        match kind {
            "bias" => Initial::Constant(0.0),
            _ if place.ends_with("norm") => Initial::Constant(1.0),
            _ if place.ends_with("attention.output") || place.ends_with("feed.down") => {
                Initial::Normal(self.deviation / (2.0 * self.spec.layers.len() as f64).sqrt())
            }
            _ => Initial::Normal(self.deviation),
        }
    }

    /// Returns the name of the checkpoint tensor that holds a parameter.
    pub fn tensor_name(&self, param: &str) -> String {
        self.names.alone(&Param::new(param)).unwrap_or_else(|| param.into())
    }
}
