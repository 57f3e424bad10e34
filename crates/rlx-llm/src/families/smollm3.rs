//! SmolLM3: a Llama whose rotary embeddings are left out in some layers (Kazemnejad et al., 2023,
//! <https://arxiv.org/abs/2305.19466>).

use super::gguf::{COMMON_FIELDS, interleaved};
use super::names::{COMMON, GGUF};
use super::settings::{MAX_VOCAB, Settings, only_plain, windows};
use super::written::{self, GgufWritten, Limits, RowOrder};
use super::{Family, GgufForm};
use crate::spec::DecoderSpec;
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;
use serde_json::Value;

pub(super) const SMOLLM3: Family = Family {
    name: "smollm3",
    read: smollm3,
    defaults: &[],
    known: KnownFields {
        harmless: &["max_window_layers", "no_rope_layer_interval", "sliding_window"],
        refused: &[],
    },
    partial_rotation: false,
    names: &COMMON,
    gguf: Some(GgufForm {
        architecture: "smollm3",
        fields: &[COMMON_FIELDS],
        rest: interleaved,
        written: GgufWritten { order: RowOrder::Neighbors, keys: written::llama, limits: Limits::COMMON },
        names: &GGUF,
    }),
};

fn smollm3(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    only_plain(f)?;
    let settings = Settings::new(f)?;
    let bias = f.flag("attention_bias")?.unwrap_or(false);
    let window = match f.flag("use_sliding_window")? {
        Some(true) => f.count_or("sliding_window", 1..=MAX_VOCAB)?,
        _ => None,
    };
    let turns = rotated_layers(f, settings.layers)?;
    let feed = settings.gated("hidden_act")?;
    let windows = windows(f, settings.layers, window, |i| !turns[i])?;
    let layers = windows.into_iter().zip(&turns).map(|(window, turns)| {
        let mut attention = settings.attention();
        (attention.input_bias, attention.output_bias, attention.window) = (bias, bias, window);
        attention.rope = turns.then_some(0);
        settings.layer(attention, feed.clone())
    });
    settings.decoder(layers.collect())
}

/// Returns which layers rotate: those with a 1 in the list `no_rope_layers`, or all except every fourth.
fn rotated_layers(f: &Fields, layers: usize) -> Result<Vec<bool>, ConfigError> {
    let Some(list) = f.get("no_rope_layers") else {
        let every = f.count_or("no_rope_layer_interval", 1..=MAX_VOCAB)?.unwrap_or(4);
        return Ok((0..layers).map(|i| !(i + 1).is_multiple_of(every)).collect());
    };
    let list = list.as_array().filter(|list| list.len() == layers);
    let numbers: Option<Vec<u64>> = list.and_then(|list| list.iter().map(Value::as_u64).collect());
    let numbers =
        numbers.ok_or_else(|| f.wrong("no_rope_layers", format!("expected a list of {layers} numbers")))?;
    Ok(numbers.into_iter().map(|n| n != 0).collect())
}
