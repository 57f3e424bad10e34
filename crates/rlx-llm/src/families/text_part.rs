//! The language model inside checkpoints of models that also read images.

use rlx_files::weights::{TensorView, Weights, WeightsError};
use rlx_models::fields::Fields;
use std::borrow::Cow;

/// The object with the settings of the language model.
const SETTINGS: &str = "text_config";

/// What stands in front of names of the language model, and what its own checkpoints have there: of `transformers` 5, then of older ones.
const PREFIXES: [(&str, &str); 2] = [("model.language_model.", "model."), ("language_model.", "")];

/// Settings that the whole says for its parts: whether the last layer is the table of the tokens, and how weights are quantized.
const OF_ALL: [&str; 2] = ["tie_word_embeddings", "quantization_config"];

/// The settings of the language model: all of them, where a model is nothing else.
pub(super) fn settings(all: Fields) -> Fields {
    let Some(text) = all.inside(SETTINGS) else { return all };
    OF_ALL.into_iter().fold(text, |text, field| match all.get(field) {
        Some(value) => text.with(field, value.clone()),
        None => text,
    })
}

/// The tensors of safetensors files by the names that the language model alone would have there.
pub(crate) struct TextTensors {
    all: Weights,
    /// What stands in front of names in the files, and what in its place.
    prefix: Option<(&'static str, &'static str)>,
}

impl TextTensors {
    /// Finds out how the files name them.
    pub(crate) fn new(all: Weights) -> TextTensors {
        let is_there = |prefix: &str| all.iter().any(|tensor| tensor.name().starts_with(prefix));
        let prefix = PREFIXES.into_iter().find(|(prefix, _)| is_there(prefix));
        TextTensors { all, prefix }
    }

    /// Everything that is in the files.
    pub(crate) fn all(&self) -> &Weights {
        &self.all
    }

    /// What the files call a tensor of the language model; others have one name.
    fn stored<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let Some((theirs, ours)) = self.prefix else { return name.into() };
        let stored = name.strip_prefix(ours).map(|rest| format!("{theirs}{rest}"));
        stored.filter(|stored| self.all.get(stored).is_some()).map_or(name.into(), Cow::from)
    }

    /// What the language model alone would call a tensor of the files.
    pub(crate) fn ours<'a>(&self, stored: &'a str) -> Cow<'a, str> {
        let ours = |(theirs, ours)| stored.strip_prefix(theirs).map(|rest| format!("{ours}{rest}"));
        self.prefix.and_then(ours).map_or(stored.into(), Cow::from)
    }

    /// The tensor of this name, if there is one.
    pub(crate) fn get(&self, name: &str) -> Option<TensorView<'_>> {
        self.all.get(&self.stored(name))
    }

    /// The tensor of this name.
    ///
    /// # Errors
    /// [`WeightsError::NoSuchTensor`].
    pub(crate) fn tensor(&self, name: &str) -> Result<TensorView<'_>, WeightsError> {
        self.all.tensor(&self.stored(name))
    }

    /// Gives the memory of a tensor back to the system; see [`Weights::release`].
    pub(crate) fn release(&self, name: &str) {
        self.all.release(&self.stored(name));
    }
}

#[cfg(test)]
mod tests {
    use crate::families::Family;
    use crate::spec::MixerSpec;

    /// What is published of Gemma 3 4B says little more than how it differs from what the reference takes.
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
