//! Where the parts of a model lie in a checkpoint.

/// What a checkpoint calls the parts of a model. A part of a layer stands behind [`layers`](TensorNames::layers) and the layer's number;
/// what it has is named alike everywhere: `weight`, `bias`.
pub(crate) struct TensorNames {
    /// What stands in front of a layer's number.
    pub(crate) layers: &'static str,
    /// Our name and theirs; of rows with the same part the first counts.
    pub(crate) parts: &'static [Rows],
    /// Parts whose rows may lie one behind the other in one tensor, and its name.
    pub(crate) joined: &'static [(&'static [&'static str], &'static str)],
    /// Whether projections of layers are kept as `[inputs, outputs]`.
    pub(crate) transposed: bool,
    /// Whether weights of norms are kept as w − 1.
    pub(crate) norms_less_one: bool,
}

/// Names of parts.
pub(crate) type Rows = &'static [(&'static str, &'static str)];

/// The names of Llama, which most families have taken over.
pub(super) const COMMON: TensorNames = TensorNames {
    layers: "model.layers",
    parts: &[COMMON_PARTS],
    joined: &[],
    transposed: false,
    norms_less_one: false,
};

/// The parts of [`COMMON`].
pub(super) const COMMON_PARTS: Rows = &[
    ("tokens", "model.embed_tokens"),
    ("norm", "model.norm"),
    ("output", "lm_head"),
    ("attention_norm", "input_layernorm"),
    ("feed_norm", "post_attention_layernorm"),
    ("attention.query", "self_attn.q_proj"),
    ("attention.key", "self_attn.k_proj"),
    ("attention.value", "self_attn.v_proj"),
    ("attention.output", "self_attn.o_proj"),
    ("attention.query_norm", "self_attn.q_norm"),
    ("attention.key_norm", "self_attn.k_norm"),
    ("feed.gate", "mlp.gate_proj"),
    ("feed.up", "mlp.up_proj"),
    ("feed.down", "mlp.down_proj"),
];

/// The names of GGUF, which all families share.
pub(super) const GGUF: TensorNames = TensorNames {
    layers: "blk",
    parts: &[GGUF_PARTS],
    joined: &[(&["attention.query", "attention.key", "attention.value"], "attn_qkv")],
    transposed: false,
    norms_less_one: false,
};

/// The parts of [`GGUF`].
pub(super) const GGUF_PARTS: Rows = &[
    ("tokens", "token_embd"),
    ("positions", "position_embd"),
    ("norm", "output_norm"),
    ("output", "output"),
    ("attention_norm", "attn_norm"),
    ("attention_after_norm", "post_attention_norm"),
    ("feed_norm", "ffn_norm"),
    ("feed_after_norm", "post_ffw_norm"),
    ("attention.query", "attn_q"),
    ("attention.key", "attn_k"),
    ("attention.value", "attn_v"),
    ("attention.output", "attn_output"),
    ("attention.query_norm", "attn_q_norm"),
    ("attention.key_norm", "attn_k_norm"),
    ("feed.gate", "ffn_gate"),
    ("feed.up", "ffn_up"),
    ("feed.down", "ffn_down"),
];

impl TensorNames {
    /// The tensor that holds a parameter of the graph, alone.
    pub(crate) fn alone(&self, param: &Param<'_>) -> Option<String> {
        let theirs = self.parts.iter().copied().flatten().find(|(ours, _)| *ours == param.part)?.1;
        Some(self.name(param, theirs))
    }

    /// The tensor that may hold it together with others.
    pub(crate) fn joined(&self, param: &Param<'_>) -> Option<String> {
        let theirs = self.joined.iter().find(|(parts, _)| parts.contains(&param.part))?.1;
        Some(self.name(param, theirs))
    }

    fn name(&self, param: &Param<'_>, theirs: &str) -> String {
        match param.layer {
            Some(layer) => format!("{}.{layer}.{theirs}.{}", self.layers, param.suffix),
            None => format!("{theirs}.{}", param.suffix),
        }
    }
}

/// The name of a parameter of the graph, taken apart.
pub(crate) struct Param<'a> {
    /// The number of the layer, where it belongs to one.
    pub(crate) layer: Option<&'a str>,
    /// The part of the layer, or of the model.
    pub(crate) part: &'a str,
    /// What of the part it is.
    pub(crate) suffix: &'a str,
}

impl<'a> Param<'a> {
    /// The parts of `layers.3.attention.query.weight` and its like.
    pub(crate) fn new(name: &'a str) -> Param<'a> {
        let (path, suffix) = name.rsplit_once('.').unwrap_or((name, ""));
        match path.strip_prefix("layers.").and_then(|rest| rest.split_once('.')) {
            Some((layer, part)) => Param { layer: Some(layer), part, suffix },
            None => Param { layer: None, part: path, suffix },
        }
    }
}
