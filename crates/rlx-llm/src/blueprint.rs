//! A model that is to be trained: a spec from `config.json`, without weights.

use crate::error::LlmError;
use crate::families::{Family, Param, TensorNames};
use crate::graph::training_graph;
use crate::spec::{DecoderSpec, FeedSpec, MixerSpec};
use rlx_ir::{Graph, Violations};
use rlx_models::fields::Fields;
use rlx_models::gpt::Initial;
use serde_json::Value;
use std::path::Path;

/// The standard deviation of initial values where the settings have none: that of `transformers`.
const DEFAULT_DEVIATION: f64 = 0.02;

/// A model without weights.
pub struct Blueprint {
    spec: DecoderSpec,
    names: &'static TensorNames,
    deviation: f64,
}

impl Blueprint {
    /// The model whose settings are in the file `config`, as `transformers` writes them.
    ///
    /// # Errors
    /// An [`LlmError::Config`] that names the field; of a model that is run but not trained, the field that it is due to.
    pub fn open(config: &Path) -> Result<Blueprint, LlmError> {
        let fields = Fields::load(config)?;
        let family = Family::named(&fields)?;
        let (spec, names) = (family.spec(&fields)?, family.names());
        let is_plain = |layer: &crate::spec::LayerSpec| {
            matches!(layer.mixer, MixerSpec::Attention(_))
                && !matches!(layer.feed, Some(FeedSpec::Experts(_)))
        };
        if !names.keeps_parameters() || !spec.layers.iter().all(is_plain) {
            let problem = "models with experts, states or joined tensors are not trained; llama, mistral, qwen2 and qwen3 are";
            return Err(fields.wrong("model_type", problem).into());
        }
        let deviation = fields.get("initializer_range").and_then(Value::as_f64).unwrap_or(DEFAULT_DEVIATION);
        Ok(Blueprint { spec, names, deviation })
    }

    /// What the model computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// The loss of `batch` sequences of `seq` tokens; see [`training_graph`].
    ///
    /// # Errors
    /// A list of what is wrong with the sizes.
    pub fn loss_graph(&self, batch: usize, seq: usize) -> Result<Graph, Violations> {
        training_graph(&self.spec, batch, seq)
    }

    /// What a parameter starts from. What is added to the residual stream is drawn narrower, so that its sums keep their size (Radford et
    /// al., 2019).
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

    /// The tensor of a checkpoint that holds a parameter.
    pub fn tensor_name(&self, param: &str) -> String {
        self.names.alone(&Param::new(param)).unwrap_or_else(|| param.into())
    }
}
