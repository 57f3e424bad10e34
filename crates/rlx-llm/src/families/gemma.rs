//! Gemma 2 and 3 (Gemma Team, 2024, 2025).

use super::gguf::{COMMON_FIELDS, Translation};
use super::names::{COMMON, COMMON_PARTS, GGUF, TensorNames};
use super::rope;
use super::settings::{MAX_VOCAB, Settings, number, windows};
use super::written::{self, GgufWritten, Keys, Limits, NO_CAP, OutputMatrix, RowOrder};
use super::{Family, GgufForm};
use crate::spec::{AttentionSpec, DecoderSpec, FeedSpec, LayerSpec, NormPlacement, RopeSpec};
use rlx_ir::Activation;
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;
use serde_json::{Value, json};

pub(super) const GEMMA2: Family = Family {
    name: "gemma2",
    read: gemma2,
    defaults: &[],
    known: KNOWN,
    partial_rotation: false,
    names: &AROUND,
    gguf: Some(GgufForm {
        architecture: "gemma2",
        fields: FIELDS,
        rest: scale_of_46,
        written: GgufWritten {
            order: RowOrder::Same,
            keys: gemma2_keys,
            limits: Limits { output: OutputMatrix::Table, ..Limits::COMMON },
        },
        names: &GGUF,
    }),
};

pub(super) const GEMMA3: Family = Family {
    name: "gemma3_text",
    read: gemma3,
    defaults: &[
        ("vocab_size", 262_208),
        ("num_attention_heads", 8),
        ("num_key_value_heads", 4),
        ("head_dim", 256),
        ("max_position_embeddings", 131_072),
        ("query_pre_attn_scalar", 256),
        ("rope_theta", 1_000_000),
    ],
    known: KNOWN,
    partial_rotation: false,
    names: &AROUND,
    gguf: Some(GgufForm {
        architecture: "gemma3",
        fields: FIELDS,
        rest: scale_of_62,
        written: GgufWritten { order: RowOrder::Same, keys: gemma3_keys, limits: Limits::COMMON },
        names: &GGUF,
    }),
};

/// The activation function is `hidden_activation`, whatever `hidden_act` says, and layers are listed.
const KNOWN: KnownFields = KnownFields {
    harmless: &["_sliding_window_pattern", "hidden_act", "sliding_window_pattern", "sliding_window_size"],
    refused: &[],
};

/// Layers have norms before and after their parts. Weights of norms are stored as w − 1.
const AROUND: TensorNames = TensorNames {
    parts: &[
        &[
            ("mixer_after_norm", "post_attention_layernorm"),
            ("feed_norm", "pre_feedforward_layernorm"),
            ("feed_after_norm", "post_feedforward_layernorm"),
        ],
        COMMON_PARTS,
    ],
    norms_less_one: true,
    ..COMMON
};

const FIELDS: &[&[(&str, &str)]] = &[
    COMMON_FIELDS,
    &[
        ("attention.sliding_window", "sliding_window"),
        ("attention.sliding_window_pattern", "sliding_window_pattern"),
        ("rope.freq_base_swa", "rope_local_base_freq"),
        ("attn_logit_softcapping", "attn_logit_softcapping"),
        ("final_logit_softcapping", "final_logit_softcapping"),
    ],
];

/// Sets the scale of scores, which files do not store. It is the size of a head, except for the largest model of each
/// family, where it is the width of the model divided by the number of heads.
fn scale(out: &mut Translation<'_>, largest: u64) {
    for field in ["sliding_window", "attn_logit_softcapping", "final_logit_softcapping"] {
        out.drop_zero(field);
    }
    for field in ["attn_logit_softcapping", "final_logit_softcapping"] {
        out.drop_from(field, NO_CAP);
    }
    out.layer_types();
    let number = |field: &str| out.get(field).and_then(Value::as_u64);
    if let (Some(layers), Some(width), Some(heads)) =
        (number("num_hidden_layers"), number("hidden_size"), number("num_attention_heads"))
        && layers == largest
        && heads > 0
    {
        out.set("query_pre_attn_scalar", json!(width / heads));
    }
}

/// Older files lack the window and the soft caps, which are the same for all models of the family.
fn scale_of_46(out: &mut Translation<'_>) {
    out.set_if_missing("sliding_window", json!(4096));
    out.set_if_missing("attn_logit_softcapping", json!(50.0));
    out.set_if_missing("final_logit_softcapping", json!(30.0));
    scale(out, 46);
}

fn scale_of_62(out: &mut Translation<'_>) {
    scale(out, 62);
}

/// Files omit the settings of the rotary embedding if they are those of the first Llama.
fn gemma2_keys(keys: &mut Keys<'_>) {
    keys.sizes();
    if keys.spec.ropes.first().is_some_and(|rope| *rope != rope::plain(10_000.0, rope.rotary_dims())) {
        keys.rotary();
    }
    let cap = keys.attention().and_then(|attention| attention.softcap);
    keys.put_float("attn_logit_softcapping", cap.unwrap_or(NO_CAP));
    keys.put_float("final_logit_softcapping", keys.spec.logit_softcap.unwrap_or(NO_CAP));
    keys.whole("attention.sliding_window", &["sliding_window"]);
    keys.windows(|i| i.is_multiple_of(2));
}

fn gemma3_keys(keys: &mut Keys<'_>) {
    written::common(keys);
    keys.float("final_logit_softcapping", &["final_logit_softcapping"]);
    keys.whole("attention.sliding_window", &["sliding_window"]);
    keys.windows(|i| !(i + 1).is_multiple_of(6));
}

/// Scores and logits have soft caps; every other layer attends to a window.
fn gemma2(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let settings = Settings::new(f)?;
    let softcap = number(f, "attn_logit_softcapping", f64::MIN_POSITIVE..=f64::MAX)?;
    let layer = |window| layer(&settings, AttentionSpec { window, softcap, ..attention(&settings)? });
    let every = f.count_or("sliding_window_pattern", 1..=MAX_VOCAB)?.unwrap_or(2);
    let layers = window_of_layers(&settings, every)?.into_iter().map(layer).collect::<Result<_, _>>()?;
    decoder(&settings, vec![rope::rope(f, settings.head_size, None)?], layers)
}

/// Heads have norms; layers with a window have a separate rotary embedding.
fn gemma3(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let settings = Settings::new(f)?;
    let every = f.count_or("sliding_window_pattern", 1..=MAX_VOCAB)?.unwrap_or(6);
    let softcap = "Gemma 3 has no soft cap for scores; remove the setting or set it to null";
    f.only("attn_logit_softcapping", &Value::Null, softcap)?;
    let layer = |window: Option<usize>| {
        let head_norm = Some(settings.norm());
        let rope = Some(usize::from(window.is_some()));
        layer(&settings, AttentionSpec { window, head_norm, rope, ..attention(&settings)? })
    };
    let layers = window_of_layers(&settings, every)?.into_iter().map(layer).collect::<Result<_, _>>()?;
    let far = rope::rope(f, settings.head_size, Some("full_attention"))?;
    decoder(&settings, vec![far, local_rope(f, settings.head_size)?], layers)
}

/// Returns the window of each layer. All layers except every n-th have one.
fn window_of_layers(settings: &Settings<'_>, every: usize) -> Result<Vec<Option<usize>>, ConfigError> {
    let window = settings.fields.count_or("sliding_window", 1..=MAX_VOCAB)?;
    windows(settings.fields, settings.layers, window, |i| !(i + 1).is_multiple_of(every))
}

fn attention(settings: &Settings<'_>) -> Result<AttentionSpec, ConfigError> {
    let f = settings.fields;
    let scalar = number(f, "query_pre_attn_scalar", f64::MIN_POSITIVE..=f64::MAX)?;
    let bias = f.flag("attention_bias")?.unwrap_or(false);
    let scale = 1.0 / scalar.unwrap_or(settings.head_size as f64).sqrt();
    Ok(AttentionSpec { scale, input_bias: bias, output_bias: bias, ..settings.attention() })
}

fn layer(settings: &Settings<'_>, attention: AttentionSpec) -> Result<LayerSpec, ConfigError> {
    let mut feed = settings.gated("hidden_activation")?;
    if let (None, FeedSpec::Gated { activation, .. }) = (settings.fields.get("hidden_activation"), &mut feed)
    {
        *activation = Activation::GeluTanh;
    }
    Ok(LayerSpec { placement: NormPlacement::Around, ..settings.layer(attention, feed) })
}

fn decoder(
    settings: &Settings<'_>,
    ropes: Vec<RopeSpec>,
    layers: Vec<LayerSpec>,
) -> Result<DecoderSpec, ConfigError> {
    let mut spec = settings.decoder_with(ropes, layers)?;
    spec.embedding_scale = Some((settings.width as f64).sqrt());
    spec.tied = settings.fields.flag("tie_word_embeddings")?.unwrap_or(true);
    spec.logit_softcap = number(settings.fields, "final_logit_softcapping", f64::MIN_POSITIVE..=f64::MAX)?;
    Ok(spec)
}

/// Returns the rotary embedding of layers with a window. New files have it in `rope_parameters`; old ones only have
/// its base.
fn local_rope(f: &Fields, head_size: usize) -> Result<RopeSpec, ConfigError> {
    if f.get("rope_parameters").is_some() {
        return rope::rope(f, head_size, Some("sliding_attention"));
    }
    let theta = number(f, "rope_local_base_freq", 1.0..=f64::MAX)?.unwrap_or(10_000.0);
    Ok(rope::plain(theta, head_size))
}
