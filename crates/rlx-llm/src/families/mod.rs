//! The families of models: how each writes its settings, and where its tensors lie. A family is one file and one row of [`FAMILIES`].

mod gemma;
mod gpt2;
mod llama;
mod phi3;
mod qwen;
mod rope;
mod settings;
mod smollm3;
mod sources;

use crate::spec::DecoderSpec;
use rlx_models::fields::{ConfigError, Fields};
use std::path::Path;

pub use sources::{Change, Sources, TensorSource};

/// A family of models.
pub struct Family {
    /// Its name, as `model_type` of `config.json` has it.
    pub name: &'static str,
    /// The spec that settings ask for.
    read: fn(&Fields) -> Result<DecoderSpec, ConfigError>,
    /// Where the parameters of a spec lie in a checkpoint.
    sources: fn(&DecoderSpec) -> Sources,
}

/// All families that are known.
pub const FAMILIES: &[Family] = &[
    Family { name: "llama", read: llama::llama, sources: sources::common },
    Family { name: "mistral", read: llama::mistral, sources: sources::common },
    Family { name: "qwen2", read: qwen::qwen2, sources: sources::common },
    Family { name: "qwen3", read: qwen::qwen3, sources: sources::common },
    Family { name: "smollm3", read: smollm3::smollm3, sources: sources::common },
    Family { name: "gemma2", read: gemma::gemma2, sources: gemma::sources },
    Family { name: "gemma3_text", read: gemma::gemma3, sources: gemma::sources },
    Family { name: "phi3", read: llama::mistral, sources: phi3::sources },
    Family { name: "gpt2", read: gpt2::gpt2, sources: gpt2::sources },
];

impl Family {
    /// The family that `config.json` at `path` names, with what that says.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the field and its value; of a model of another family, with the list of those that are known.
    pub fn load(path: &Path) -> Result<(&'static Family, DecoderSpec), ConfigError> {
        let fields = Fields::load(path)?;
        let name = fields.text("model_type")?.ok_or_else(|| fields.missing("model_type"))?;
        let Some(family) = FAMILIES.iter().find(|family| family.name == name) else {
            let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            let problem =
                format!("no such family of language models is known; those that are: {}", known.join(", "));
            return Err(fields.wrong("model_type", problem));
        };
        Ok((family, (family.read)(&fields)?))
    }

    /// Where the parameters of a spec of this family lie in its checkpoints.
    pub fn sources(&self, spec: &DecoderSpec) -> Sources {
        (self.sources)(spec)
    }
}
