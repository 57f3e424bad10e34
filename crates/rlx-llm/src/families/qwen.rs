//! Qwen2, Qwen2.5 and Qwen3 (Yang et al., 2024, 2025).

use super::gguf::{COMMON_FIELDS, nothing};
use super::names::{COMMON, GGUF};
use super::settings::{MAX_VOCAB, Settings, windows};
use super::written::{self, GgufWritten, Limits, RowOrder};
use super::{Family, GgufForm};
use crate::spec::{AttentionSpec, DecoderSpec, FeedSpec};
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;

/// Windows that are switched off still have sizes.
pub(super) const WINDOWS: KnownFields =
    KnownFields { harmless: &["attention_bias", "max_window_layers", "sliding_window"], refused: &[] };

pub(super) const QWEN2: Family = Family {
    name: "qwen2",
    read: qwen2,
    defaults: &[],
    known: WINDOWS,
    partial_rotation: false,
    names: &COMMON,
    gguf: Some(form("qwen2", Limits { square: true, ..Limits::COMMON })),
};

pub(super) const QWEN3: Family = Family {
    name: "qwen3",
    read: qwen3,
    defaults: &[],
    known: WINDOWS,
    partial_rotation: false,
    names: &COMMON,
    gguf: Some(form("qwen3", Limits::COMMON)),
};

const fn form(architecture: &'static str, limits: Limits) -> GgufForm {
    GgufForm {
        architecture,
        fields: &[COMMON_FIELDS],
        rest: nothing,
        written: GgufWritten { order: RowOrder::Same, keys: written::common, limits },
        names: &GGUF,
    }
}

fn qwen2(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let settings = Settings::new(f)?;
    let feed = settings.gated("hidden_act")?;
    with_feed(&settings, qwen2_attention, |_| feed.clone())
}

fn qwen3(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let settings = Settings::new(f)?;
    let bias = f.flag("attention_bias")?.unwrap_or(false);
    let feed = settings.gated("hidden_act")?;
    with_feed(&settings, |settings| qwen3_attention(settings, bias), |_| feed.clone())
}

/// The query, key and value projections have biases.
pub(super) fn qwen2_attention(settings: &Settings<'_>) -> AttentionSpec {
    AttentionSpec { input_bias: true, ..settings.attention() }
}

/// Each query and key head has a norm.
pub(super) fn qwen3_attention(settings: &Settings<'_>, bias: bool) -> AttentionSpec {
    AttentionSpec {
        input_bias: bias,
        output_bias: bias,
        head_norm: Some(settings.norm()),
        ..settings.attention()
    }
}

/// Builds a decoder with the given feed-forward part in each layer.
pub(super) fn with_feed(
    settings: &Settings<'_>,
    attention: impl Fn(&Settings<'_>) -> AttentionSpec,
    feed: impl Fn(usize) -> FeedSpec,
) -> Result<DecoderSpec, ConfigError> {
    let f = settings.fields;
    let window = match f.flag("use_sliding_window")? {
        Some(true) => f.count_or("sliding_window", 1..=MAX_VOCAB)?,
        _ => None,
    };
    let first = f.count_or("max_window_layers", 0..=MAX_VOCAB)?.unwrap_or(0);
    let layer = |(i, window)| settings.layer(AttentionSpec { window, ..attention(settings) }, feed(i));
    let windows = windows(f, settings.layers, window, |i| i >= first)?;
    settings.decoder(windows.into_iter().enumerate().map(layer).collect())
}
