//! Mamba 2 (Dao and Gu, 2024): all layers are state space models.

use super::gguf::Translation;
use super::names::{GGUF, TensorNames};
use super::settings::{MAX_LAYERS, MAX_VOCAB, MAX_WIDTH, number};
use super::written::{GgufWritten, Keys, Limits, RowOrder};
use super::{Family, GgufForm};
use crate::spec::{DecoderSpec, LayerSpec, Mamba2Spec, MixerSpec, NormKind, NormPlacement, NormSpec};
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;
use serde_json::{Value, json};

pub(super) const MAMBA2: Family = Family {
    name: "mamba2",
    read: mamba2,
    defaults: &[],
    known: KnownFields {
        harmless: &[
            "chunk_size",
            "expand",
            "norm_before_gate",
            "rescale_prenorm_residual",
            "residual_in_fp32",
            "rms_norm",
            "time_step_floor",
            "time_step_max",
            "time_step_min",
            "time_step_rank",
            "use_mamba_kernels",
        ],
        refused: &[],
    },
    partial_rotation: false,
    names: &TensorNames {
        layers: "backbone.layers",
        parts: &[&[
            ("tokens", "backbone.embeddings"),
            ("norm", "backbone.norm_f"),
            ("output", "lm_head"),
            ("mixer_norm", "norm"),
            ("mamba.input", "mixer.in_proj"),
            ("mamba.conv", "mixer.conv1d"),
            ("mamba.step.bias", "mixer.dt_bias"),
            ("mamba.decay.weight", "mixer.A_log"),
            ("mamba.skip.weight", "mixer.D"),
            ("mamba.norm", "mixer.norm"),
            ("mamba.output", "mixer.out_proj"),
        ]],
        joined: &[],
        log_decay: true,
        settings: &[],
        ..GGUF
    },
    gguf: Some(GgufForm {
        architecture: "mamba2",
        fields: &[&[
            ("embedding_length", "hidden_size"),
            ("block_count", "num_hidden_layers"),
            ("attention.layer_norm_rms_epsilon", "layer_norm_epsilon"),
            ("ssm.conv_kernel", "conv_kernel"),
            ("ssm.state_size", "state_size"),
            ("ssm.time_step_rank", "num_heads"),
            ("ssm.group_count", "n_groups"),
            ("ssm.inner_size", "head_dim"),
        ]],
        rest: head_size,
        written: GgufWritten { order: RowOrder::Same, keys, limits: Limits::COMMON },
        names: &GGUF,
    }),
};

/// Writes the keys. The sizes of attention and of the feed-forward part are 0, since there are none.
fn keys(keys: &mut Keys<'_>) {
    keys.put_whole("context_length", CONTEXT as u64);
    keys.put_whole("feed_forward_length", 0);
    keys.put_whole("attention.head_count", 0);
    for (key, field) in [
        ("embedding_length", "hidden_size"),
        ("block_count", "num_hidden_layers"),
        ("ssm.state_size", "state_size"),
        ("ssm.time_step_rank", "num_heads"),
    ] {
        keys.whole(key, &[field]);
    }
    keys.put_whole("ssm.conv_kernel", keys.number("conv_kernel").unwrap_or(TAPS as u64));
    keys.put_whole("ssm.group_count", keys.number("n_groups").unwrap_or(1));
    keys.product("ssm.inner_size", ["num_heads", "head_dim"]);
    keys.put_float("attention.layer_norm_rms_epsilon", EPS);
    keys.float("attention.layer_norm_rms_epsilon", &["layer_norm_epsilon"]);
}

/// Sets the width of a head; files store the width of all heads together.
fn head_size(out: &mut Translation<'_>) {
    let number = |field: &str| out.get(field).and_then(Value::as_u64);
    if let (Some(inner), Some(heads)) = (number("head_dim"), number("num_heads"))
        && heads > 0
        && inner % heads == 0
    {
        out.set("head_dim", json!(inner / heads));
    }
}

/// The maximum length of a text if the settings name none. The size of the state does not depend on the length.
const CONTEXT: usize = 1 << 20;

/// Defaults of the convolution's width in tokens and of the epsilon of norms.
const TAPS: usize = 4;
const EPS: f64 = 1e-5;

fn mamba2(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    f.only("hidden_act", &json!("silu"), "only silu is supported")?;
    let heads = f.count("num_heads", 1..=MAX_WIDTH)?;
    let groups = f.count_or("n_groups", 1..=heads)?.unwrap_or(1);
    if !heads.is_multiple_of(groups) {
        return Err(f.wrong("n_groups", format!("num_heads = {heads} is not a multiple of it")));
    }
    let least = |list: &Value| list.get(0).and_then(Value::as_f64) == Some(0.0);
    let most = |list: &Value| list.get(1).is_some_and(Value::is_number);
    if f.get("time_step_limit").is_some_and(|list| !least(list) || most(list)) {
        return Err(f.wrong("time_step_limit", "limits of the time step are not supported"));
    }
    let norm =
        NormSpec { kind: NormKind::Rms, eps: number(f, "layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(EPS) };
    let mixer = MixerSpec::Mamba2(Mamba2Spec {
        heads,
        head_size: f.count("head_dim", 1..=MAX_WIDTH)?,
        groups,
        state: f.count("state_size", 1..=MAX_WIDTH)?,
        taps: f.count_or("conv_kernel", 1..=64)?.unwrap_or(TAPS),
        bias: f.flag("use_bias")?.unwrap_or(false),
        conv_bias: f.flag("use_conv_bias")?.unwrap_or(true),
    });
    let layer = LayerSpec { mixer, feed: None, norm, placement: NormPlacement::Before };
    Ok(DecoderSpec {
        vocab: f.count("vocab_size", 1..=MAX_VOCAB)?,
        width: f.count("hidden_size", 1..=MAX_WIDTH)?,
        context: CONTEXT,
        embedding_scale: None,
        learned_positions: false,
        ropes: Vec::new(),
        layers: vec![layer; f.count("num_hidden_layers", 0..=MAX_LAYERS)?],
        norm,
        tied: f.flag("tie_word_embeddings")?.unwrap_or(false),
        logit_softcap: None,
    })
}
