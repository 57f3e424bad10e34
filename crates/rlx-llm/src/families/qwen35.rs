//! Qwen3.5: groups of three layers of linear attention (gated delta rule) and one layer of gated attention.

use super::gguf::{COMMON_FIELDS, Translation};
use super::names::{COMMON, GGUF, GGUF_PARTS, TensorNames};
use super::settings::{MAX_LAYERS, MAX_WIDTH, Settings};
use super::written::{self, GgufWritten, Keys, Limits, RowOrder};
use super::{Family, GgufForm};
use crate::spec::{AttentionSpec, DecoderSpec, DeltaNetSpec, LayerSpec, MixerSpec};
use rlx_gguf::{Array, MetaType, MetaValue};
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::{EMPTY, KnownFields, YES};
use serde_json::{Value, json};

pub(super) const QWEN35: Family = Family {
    name: "qwen3_5_text",
    read: qwen35,
    defaults: &[],
    known: KnownFields {
        harmless: &[
            "full_attention_interval",
            "mamba_ssm_dtype",
            "mtp_num_hidden_layers",
            "mtp_use_dedicated_embeddings",
        ],
        refused: &[
            ("attn_output_gate", YES, "attention without gates is not supported"),
            ("mlp_only_layers", EMPTY, "experts are not supported for this family"),
        ],
    },
    partial_rotation: true,
    names: &TensorNames { norms_less_one: true, ..COMMON },
    gguf: Some(GgufForm {
        architecture: "qwen35",
        fields: &[
            COMMON_FIELDS,
            &[
                ("full_attention_interval", "full_attention_interval"),
                ("attention.recurrent_layers", "layer_types"),
                ("nextn_predict_layers", "mtp_num_hidden_layers"),
                ("ssm.conv_kernel", "linear_conv_kernel_dim"),
                ("ssm.state_size", "linear_key_head_dim"),
                ("ssm.group_count", "linear_num_key_heads"),
                ("ssm.time_step_rank", "linear_num_value_heads"),
                ("ssm.inner_size", "linear_value_head_dim"),
            ],
        ],
        rest: tiled,
        written: GgufWritten {
            order: RowOrder::Tiled,
            keys,
            limits: Limits { whole_heads: false, ..Limits::COMMON },
        },
        names: &TensorNames { parts: &[&[("feed_norm", "post_attention_norm")], GGUF_PARTS], ..GGUF },
    }),
};

/// Writes the keys. The kinds of layers are stored twice, as a list and as an interval, and the number of pairs that
/// rotate is stored for each coordinate of an image.
fn keys(keys: &mut Keys<'_>) {
    written::common(keys);
    for (key, field) in [
        ("ssm.conv_kernel", "linear_conv_kernel_dim"),
        ("ssm.state_size", "linear_key_head_dim"),
        ("ssm.group_count", "linear_num_key_heads"),
        ("ssm.time_step_rank", "linear_num_value_heads"),
    ] {
        keys.whole(key, &[field]);
    }
    keys.product("ssm.inner_size", ["linear_num_value_heads", "linear_value_head_dim"]);
    if let Some(types) = keys.texts_of("layer_types") {
        let recurrent: Vec<bool> = types.into_iter().map(|kind| kind == "linear_attention").collect();
        let recurrent = Array::new(MetaType::Bool, recurrent.into_iter().map(MetaValue::Bool));
        keys.put("attention.recurrent_layers", MetaValue::Array(recurrent));
    }
    keys.put_whole("full_attention_interval", keys.number("full_attention_interval").unwrap_or(INTERVAL));
    if let Some(size) = keys.head_size() {
        let part = keys.rope("partial_rotary_factor").and_then(Value::as_f64).unwrap_or(ROTARY_PART);
        keys.put_whole("rope.dimension_count", (size as f64 * part) as u64);
    }
    let sections = match keys.rope("mrope_section").and_then(Value::as_array) {
        Some(list) => std::array::from_fn(|i| list.get(i).and_then(Value::as_i64).unwrap_or(0) as i32),
        None => SECTIONS,
    };
    let sections = Array::new(MetaType::I32, sections.into_iter().map(MetaValue::I32));
    keys.put("rope.dimension_sections", MetaValue::Array(sections));
}

/// Defaults: the interval of attention layers, the part of a head that rotates, and the number of pairs for each
/// coordinate.
const INTERVAL: u64 = 4;
const ROTARY_PART: f64 = 0.25;
const SECTIONS: [i32; 4] = [11, 11, 10, 0];

/// Translates what files store differently: the width of all value heads together, these heads in another order, and
/// possibly layers after the last one that predict further tokens.
fn tiled(out: &mut Translation<'_>) {
    out.set("linear_heads_tiled", json!(true));
    let number = |field: &str| out.get(field).and_then(Value::as_u64);
    if let (Some(inner), Some(heads)) = (number("linear_value_head_dim"), number("linear_num_value_heads"))
        && heads > 0
        && inner % heads == 0
    {
        out.set("linear_value_head_dim", json!(inner / heads));
    }
    let number = |field: &str| out.get(field).and_then(Value::as_u64);
    let further = number("mtp_num_hidden_layers").unwrap_or(0);
    let Some(layers) = number("num_hidden_layers").map(|layers| layers.saturating_sub(further)) else {
        return;
    };
    let kind = |recurrent: &Value| match recurrent.as_bool() {
        Some(true) => json!("linear_attention"),
        Some(false) => json!("full_attention"),
        None => recurrent.clone(),
    };
    let count = usize::try_from(layers).unwrap_or(usize::MAX).min(MAX_LAYERS);
    let types: Option<Vec<Value>> = match out.get("layer_types") {
        Some(Value::Array(list)) => Some(list.iter().take(count).map(kind).collect()),
        Some(alike) => Some(vec![kind(alike); count]),
        None => None,
    };
    out.set("num_hidden_layers", json!(layers));
    if let Some(types) = types {
        out.set("layer_types", types.into());
    }
}

fn qwen35(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let settings = Settings::new(f)?;
    let bias = f.flag("attention_bias")?.unwrap_or(false);
    let key_heads = f.count("linear_num_key_heads", 1..=MAX_WIDTH)?;
    let value_heads = f.count("linear_num_value_heads", 1..=MAX_WIDTH)?;
    if !value_heads.is_multiple_of(key_heads) {
        let problem = format!("it must be a multiple of linear_num_key_heads = {key_heads}");
        return Err(f.wrong("linear_num_value_heads", problem));
    }
    let linear = DeltaNetSpec {
        key_heads,
        value_heads,
        key_size: f.count("linear_key_head_dim", 1..=MAX_WIDTH)?,
        value_size: f.count("linear_value_head_dim", 1..=MAX_WIDTH)?,
        taps: f.count_or("linear_conv_kernel_dim", 1..=64)?.unwrap_or(4),
        tiled: f.flag("linear_heads_tiled")?.unwrap_or(false),
    };
    let full = AttentionSpec {
        input_bias: bias,
        output_bias: bias,
        head_norm: Some(settings.norm()),
        gated: true,
        ..settings.attention()
    };
    let feed = settings.gated("hidden_act")?;
    let layer = |is_full: bool| {
        let layer = settings.layer(full.clone(), feed.clone());
        if is_full { layer } else { LayerSpec { mixer: MixerSpec::DeltaNet(linear.clone()), ..layer } }
    };
    settings.decoder(full_layers(f, settings.layers)?.into_iter().map(layer).collect())
}

/// Returns which layers have attention, from `layer_types` or by interval.
fn full_layers(f: &Fields, layers: usize) -> Result<Vec<bool>, ConfigError> {
    let Some(types) = f.get("layer_types") else {
        let every = f.count_or("full_attention_interval", 1..=MAX_LAYERS)?.unwrap_or(INTERVAL as usize);
        return Ok((0..layers).map(|i| (i + 1).is_multiple_of(every)).collect());
    };
    let is_full = |kind: &Value| match kind.as_str() {
        Some("full_attention") => Some(true),
        Some("linear_attention") => Some(false),
        _ => None,
    };
    let list: Option<Vec<bool>> = types.as_array().and_then(|list| list.iter().map(is_full).collect());
    list.filter(|list| list.len() == layers).ok_or_else(|| {
        let problem = format!("expected {layers} entries, each \"full_attention\" or \"linear_attention\"");
        f.wrong("layer_types", problem)
    })
}
