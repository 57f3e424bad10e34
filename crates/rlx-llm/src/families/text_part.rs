//! Finds the language model in checkpoints of models that also read images.

use rlx_files::weights::{TensorView, Weights, WeightsError};
use rlx_models::fields::Fields;
use std::borrow::Cow;

/// The object with the settings of the language model.
const SETTINGS: &str = "text_config";

/// Prefixes of the language model's tensors, and what its text-only checkpoints have in their place: those of
/// `transformers` 5, then older ones.
const PREFIXES: [(&str, &str); 2] = [("model.language_model.", "model."), ("language_model.", "")];

/// Settings that the outer model has for its parts: whether the last layer is the token table, and how weights are
/// quantized.
const OF_ALL: [&str; 2] = ["tie_word_embeddings", "quantization_config"];

/// Returns the settings of the language model, which are all settings if the model has no other part.
pub(super) fn settings(all: Fields) -> Fields {
    let Some(text) = all.inside(SETTINGS) else { return all };
    OF_ALL.into_iter().fold(text, |text, field| match all.get(field) {
        Some(value) => text.with(field, value.clone()),
        None => text,
    })
}

/// The tensors of safetensors files, under the names that the language model alone would have.
pub(crate) struct TextTensors {
    all: Weights,
    /// The prefix of names in the files, and what replaces it.
    prefix: Option<(&'static str, &'static str)>,
}

impl TextTensors {
    /// Finds out which prefix the files use.
    pub(crate) fn new(all: Weights) -> TextTensors {
        let is_there = |prefix: &str| all.iter().any(|tensor| tensor.name().starts_with(prefix));
        let prefix = PREFIXES.into_iter().find(|(prefix, _)| is_there(prefix));
        TextTensors { all, prefix }
    }

    /// Returns everything in the files.
    pub(crate) fn all(&self) -> &Weights {
        &self.all
    }

    /// Returns the name in the files of a tensor of the language model; other tensors keep their name.
    fn stored<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let Some((theirs, ours)) = self.prefix else { return name.into() };
        let stored = name.strip_prefix(ours).map(|rest| format!("{theirs}{rest}"));
        stored.filter(|stored| self.all.get(stored).is_some()).map_or(name.into(), Cow::from)
    }

    /// Returns the name that the language model alone would have for a tensor of the files.
    pub(crate) fn ours<'a>(&self, stored: &'a str) -> Cow<'a, str> {
        let ours = |(theirs, ours)| stored.strip_prefix(theirs).map(|rest| format!("{ours}{rest}"));
        self.prefix.and_then(ours).map_or(stored.into(), Cow::from)
    }

    /// Returns the tensor called `name`, if there is one.
    pub(crate) fn get(&self, name: &str) -> Option<TensorView<'_>> {
        self.all.get(&self.stored(name))
    }

    /// Returns the tensor called `name`.
    ///
    /// # Errors
    /// Returns [`WeightsError::NoSuchTensor`] if there is none.
    pub(crate) fn tensor(&self, name: &str) -> Result<TensorView<'_>, WeightsError> {
        self.all.tensor(&self.stored(name))
    }

    /// Returns the memory of a tensor to the system; see [`Weights::release`].
    pub(crate) fn release(&self, name: &str) {
        self.all.release(&self.stored(name));
    }
}

#[cfg(test)]
mod tests {
    use crate::families::Family;
    use crate::spec::MixerSpec;

    /// The published settings of Gemma 3 4B contain little more than their differences from the reference's defaults.
    #[test]
    fn settings_that_published_files_leave_out_are_the_references() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = r#"{"model_type": "gemma3", "vision_config": {"hidden_size": 1152}, "text_config": {"hidden_size": 2560,
            "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}}"#;
        std::fs::write(folder.path().join("config.json"), text).expect("written");
        let (family, fields) = Family::of_folder(folder.path()).expect("known");
        let spec = family.spec(&fields).expect("a spec");
        assert_eq!((spec.vocab, spec.context, spec.layers.len(), spec.tied), (262_208, 131_072, 34, true));
        let MixerSpec::Attention(attention) = &spec.layers[0].mixer else { panic!("attention") };
        assert_eq!((attention.heads, attention.kv_heads, attention.head_size), (8, 4, 256));
        assert_eq!((attention.window, attention.scale), (Some(1024), 1.0 / 16.0));
    }
}
