//! Llama 2 and 3, SmolLM, Mistral (Touvron et al., 2023; Jiang et al., 2023).

use super::gguf::{COMMON_FIELDS, interleaved};
use super::names::{COMMON, GGUF};
use super::settings::{MAX_VOCAB, Settings, only_plain, windows};
use super::written::{self, GgufWritten, Limits, RowOrder};
use super::{Family, GgufForm};
use crate::spec::DecoderSpec;
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;

pub(super) const LLAMA: Family = Family {
    name: "llama",
    read: llama,
    defaults: &[],
    known: KnownFields::NONE,
    partial_rotation: false,
    names: &COMMON,
    gguf: Some(FORM),
};

const FORM: GgufForm = GgufForm {
    architecture: "llama",
    fields: &[COMMON_FIELDS],
    rest: interleaved,
    written: GgufWritten { order: RowOrder::Neighbors, keys: written::llama, limits: Limits::LLAMA },
    names: &GGUF,
};

/// In GGUF files, it is a Llama without a window.
pub(super) const MISTRAL: Family = Family {
    name: "mistral",
    read: mistral,
    defaults: &[],
    known: KnownFields::NONE,
    partial_rotation: false,
    names: &COMMON,
    gguf: Some(FORM),
};

fn llama(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    only_plain(f)?;
    let settings = Settings::new(f)?;
    let mut attention = settings.attention();
    attention.input_bias = f.flag("attention_bias")?.unwrap_or(false);
    attention.output_bias = attention.input_bias;
    let layer = settings.layer(attention, settings.gated("hidden_act")?);
    settings.decoder(vec![layer; settings.layers])
}

/// Like Llama, but queries may attend to a window.
pub(super) fn mistral(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let settings = Settings::new(f)?;
    let window = f.count_or("sliding_window", 1..=MAX_VOCAB)?;
    let feed = settings.gated("hidden_act")?;
    let layer = |window| {
        let mut attention = settings.attention();
        attention.window = window;
        settings.layer(attention, feed.clone())
    };
    settings.decoder(windows(f, settings.layers, window, |_| true)?.into_iter().map(layer).collect())
}
